"""What is kept from one commit to the next never shows: a reader that has followed every commit answers as a new one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.ingest_kit import Store, claude
from recalld.index.reader import Changes, IndexReader, Snapshot
from recalld.search import search

WORDS = "ember quartz willow basalt"
QUERIES = (
    "ember quartz",
    "willow basalt ember",
    "ember -quartz",
    "quartz OR willow basalt",
    "embers quartzes",
    "ember quartz session:session-1",
    "basalt quatrz",
    "agent:claude-code",
)
said = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=2).map(" ".join)
sessions = st.integers(0, 12)
steps = st.one_of(
    st.tuples(st.just("say"), sessions, said),
    st.tuples(st.just("copy"), sessions, sessions),
    st.tuples(st.just("rewrite"), sessions, said),
    st.tuples(st.just("ask"), st.just(0), st.just("")),
)


class Told:
    """A store whose reader is told of commits as the main process is."""

    def __init__(self, root: Path) -> None:
        self.store = Store(root)
        self.lines: dict[int, list[dict[str, Any]]] = {}
        self.reader: IndexReader | None = None
        self.count = 0

    def name(self, session: int) -> str:
        return f"claude/projects/-w-app/session-{session}.jsonl"

    def say(self, session: int, text: str) -> None:
        self.count += 1
        lines = self.lines.setdefault(session, [])
        parent = lines[-1]["uuid"] if lines else None
        line = claude("user", f"u{self.count}", parent, text, self.count, f"session-{session}")
        lines.append(line)
        self.store.append(self.name(session), line)

    def copy(self, session: int, of: int) -> None:
        """Begin a session with what another holds, as a fork does."""
        if session not in self.lines and self.lines.get(of):
            self.lines[session] = [{**line, "sessionId": f"session-{session}"} for line in self.lines[of]]
            self.store.append(self.name(session), *self.lines[session])

    def rewrite(self, session: int, text: str) -> None:
        """Put another file in the place of a session's."""
        if session in self.lines:
            self.store.path(self.name(session)).unlink()
            del self.lines[session]
            self.say(session, text)

    def snapshot(self) -> Snapshot:
        before = len(self.store.events)
        self.store.catch_up()
        if self.reader is None:
            self.reader = IndexReader(self.store.index)
        for event, fields in self.store.events[before:]:
            if event == "commit":
                self.reader.reload(fields["sessions"])
        return self.reader.snapshot


def answers(snapshot: Snapshot) -> list[tuple[str, Any, Any, list[Any]]]:
    found = []
    for query in QUERIES:
        answer = search(snapshot, {"query": query, "now": 1_796_000_000_000})
        hits = [
            (h["session"]["id"], h["match_count"], [m["record"]["id"] for m in h["matches"]]) for h in answer["hits"]
        ]
        found.append((query, answer["tier"], answer["total"], hits))
    return found


@given(st.lists(steps, min_size=2, max_size=14))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_reader_that_followed_every_commit_answers_as_a_new_one(given_steps: list[tuple[str, int, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        told = Told(Path(place))
        told.say(0, WORDS)
        for kind, session, what in [*given_steps, ("ask", 0, "")]:
            if kind == "ask":
                snapshot = told.snapshot()
                assert answers(snapshot) == answers(IndexReader(told.store.index).snapshot)
            else:
                getattr(told, kind)(session, what)
        told.store.close()


def test_an_older_snapshot_still_answers_of_its_own_state(tmp_path: Path) -> None:
    told = Told(tmp_path)
    told.say(0, WORDS)
    older = told.snapshot()
    before = answers(older)
    told.say(1, WORDS)
    after = answers(told.snapshot())
    assert before != after
    assert answers(older) == before
    assert answers(told.snapshot()) == after
    told.store.close()


def test_changes_tell_what_lies_between_two_commits_or_that_they_have_forgotten() -> None:
    changes = Changes()
    for n in range(200):
        changes.add([f"s{n}"])
    assert changes.between(198, 200) == {"s198", "s199"}
    assert changes.between(200, 200) == set()
    assert changes.between(3, 200) is None
