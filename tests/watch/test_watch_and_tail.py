"""Watcher, scan and table together: reading only where a hint leads ends where reading everything does."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.watch.watcher import Watcher
from tailing_kit import AGENT, SOURCES, Store
from tailing_world import NAMES, STEPS, World

QUIET = [step for step in STEPS if "look" not in step and "crash" not in step and step != "delete"]


@given(st.lists(st.tuples(st.sampled_from(QUIET), st.sampled_from(NAMES)), max_size=15))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_following_hints_alone_finds_everything(steps: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "live").mkdir()
        (root / "archive").mkdir()
        store = Store(root)
        world = World(root, store)
        news = threading.Condition()
        hinted: set[Path] = set()

        def hint(paths: set[Path] | None) -> None:
            with news:
                hinted.update({root} if paths is None else paths)
                news.notify()

        with Watcher(SOURCES, {AGENT: [root]}, hint):
            for step, name in [*steps, ("end", "")]:
                if step == "end":  # what comes after everything else, and is told after everything else
                    (root / "live/end.jsonl").write_bytes(b"end\n")
                else:
                    getattr(world, step)(name)
                with news:
                    if step == "end":
                        assert news.wait_for(lambda: root / "live/end.jsonl" in hinted, 30)
                    only = set(hinted)
                    hinted.clear()
                if only:
                    store.sync(*only)
        world.check()
