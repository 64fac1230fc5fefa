"""In whatever order files grow, are read and are forgotten: what was forgotten is gone, and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talks import FORK, OTHER, T_FORK, S, T, copied, forked, talk, thread
from traces import traces

from ingest.forgetting_store import ForgettingStore
from ingest.ingest_kit import Store
from recalld.index.documents import StoredRecord, StoredSession, from_body

SECRET, OWN = "zqsecretwordqz", "zqkeptwordqz"
COPY = "11111111-1111-4111-8111-999999999999"


def claude_name(session: str) -> str:
    return f"claude/projects/-w-app/{session}.jsonl"


def codex_name(id: str) -> str:
    return f"codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{id}.jsonl"


def steps() -> list[tuple[str, list[dict[str, Any]]]]:
    """What the agents write, file by file; each file's own parts stay in their order."""
    said = talk(S, f"one {SECRET}", f"two {SECRET}")
    more = talk(S, f"three {SECRET}", f"four {SECRET}", start=2)
    title = {"type": "custom-title", "customTitle": f"title {SECRET}", "sessionId": S}
    long = [*said, *more]
    texts = (f"one {SECRET}", f"two {SECRET}", f"three {SECRET}")
    return [
        (claude_name(S), said),
        (claude_name(S), [title, *more]),
        (claude_name(FORK), [*forked(said, FORK), *talk(FORK, f"fork {OWN}", start=2)]),
        (claude_name(COPY), [*copied(long, COPY), *talk(COPY, f"copy {OWN}", start=4)]),
        (claude_name(OTHER), talk(OTHER, f"other {OWN}", cwd="/w/else")),
        ("claude/history.jsonl", [{"display": SECRET, "sessionId": S, "timestamp": 1, "project": "/w/app"}]),
        (codex_name(T), thread(T, *texts[:2])),
        (codex_name(T), thread(T, *texts)[3:]),
        (codex_name(T_FORK), thread(T_FORK, *texts, f"codex fork {OWN}", start=80, forked_from_id=T)),
        ("codex/history.jsonl", [{"session_id": T, "ts": 1, "text": SECRET}]),
        ("codex/session_index.jsonl", [{"id": T, "thread_name": SECRET, "updated_at": "2026-11-01T00:00:00Z"}]),
    ]


KEPT = sorted([f"fork {OWN}", f"copy {OWN}", f"other {OWN}", f"codex fork {OWN}"])
FIRST = {claude_name(S), codex_name(T)}


def said_in(store: Store) -> list[str]:
    snapshot = store.worker.writer.snapshot
    records = [from_body(StoredRecord, b).text for b in snapshot.bodies(snapshot.term("type", "r"))]
    titles = [from_body(StoredSession, b).title for b in snapshot.bodies(snapshot.term("type", "s"))]
    return sorted(records) + [t for t in titles if t and SECRET in t]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(len(steps()))), st.data())
def test_forgotten_sessions_leave_nothing_in_any_order(order: list[int], data: st.DataObject) -> None:
    every = steps()
    waiting: dict[str, list[list[dict[str, Any]]]] = {}
    for name, lines in every:
        waiting.setdefault(name, []).append(lines)
    banned: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="rd-") as root:
        store = ForgettingStore(Path(root))
        for at in order:
            name = every[at][0]
            store.append(name, *waiting[name].pop(0))
            if data.draw(st.booleans()):
                store.catch_up()
            for session, file in ((S, claude_name(S)), (T, codex_name(T))):
                there = store.path(file).exists()
                if session not in banned and there and (data.draw(st.booleans()) or at == order[-1]):
                    store.catch_up()
                    store.commands.forget({"session": session})
                    banned.add(session)
                    if data.draw(st.booleans()):
                        store.path(file).write_bytes(b"")  # an agent purges
            if data.draw(st.integers(0, 5)) == 0:
                store.close()
                store.open()
        store.catch_up()
        assert said_in(store) == KEPT
        assert traces(store.data, SECRET) == []
        store.close()


@pytest.mark.parametrize("pattern", ["/w/app", "app"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(order=st.permutations(range(len(steps()))), data=st.data())
def test_an_excluded_project_leaves_nothing_in_any_order(pattern: str, order: list[int], data: st.DataObject) -> None:
    every = [(name, lines) for name, lines in steps() if name.startswith("claude/")]
    order = [at for at in order if at < len(every)]
    waiting: dict[str, list[list[dict[str, Any]]]] = {}
    for name, lines in every:
        waiting.setdefault(name, []).append(lines)
    with tempfile.TemporaryDirectory(prefix="rd-") as root:
        store = ForgettingStore(Path(root))
        excluded = False
        for at in order:
            name = every[at][0]
            store.append(name, *waiting[name].pop(0))
            if data.draw(st.booleans()):
                store.catch_up()
            if not excluded and (data.draw(st.booleans()) or at == order[-1]):
                store.catch_up()
                store.commands.exclude({"add": pattern})
                excluded = True
        store.catch_up()
        assert said_in(store) == [f"other {OWN}"]
        assert traces(store.data, SECRET) == []
        store.commands.exclude({"remove": pattern})
        store.catch_up()
        fresh = ForgettingStore(Path(root) / "fresh")
        for name, _ in every:
            fresh.write(name, store.path(name).read_bytes())
        fresh.catch_up()
        assert said_in(store) == said_in(fresh)  # as if it had never been excluded
        store.close()
        fresh.close()
