"""Whatever happens to files, in whatever order, however seldom anyone looks: what is known is what the files hold."""

from __future__ import annotations

import tempfile
from pathlib import Path

import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tailing_kit import Store
from tailing_world import NAMES, STEPS, World


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(NAMES)), max_size=25))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_known_is_what_the_files_hold(steps: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "live").mkdir()
        (root / "archive").mkdir()
        world = World(root, Store(root))
        for step, name in steps:
            getattr(world, step)(name)
        world.look()
        world.check()


@given(st.permutations(range(5)), st.lists(st.sampled_from(range(5)), max_size=4))
@settings(max_examples=150, deadline=None)
def test_which_copy_is_read_does_not_depend_on_which_was_seen_first(order: list[int], looks: list[int]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "live/deep").mkdir(parents=True)
        (root / "archive").mkdir()
        store = Store(root)
        text = b"one\ntwo\n"
        copies = [
            ("live/a.jsonl", text),
            ("live/a.jsonl.zst", zstandard.compress(text)),
            ("archive/a.jsonl", text),
            ("live/deep/a.jsonl", b"one\n"),
            ("archive/a.jsonl.zst", zstandard.compress(text)),
        ]
        for index in order:
            path, data = copies[index]
            (root / path).write_bytes(data)
            if index in looks:
                store.sync()
        store.sync()
        assert [f.path for f in store.table.files()] == [str(root / "live/a.jsonl")]
        assert store.known() == {"session/a": {b"one", b"two"}}
        assert len(store.table.copies()) == 4
