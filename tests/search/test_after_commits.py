"""What is kept from one commit to the next never shows: a reader that has followed every commit answers as a new one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.forgetting_store import ForgettingStore
from ingest.ingest_kit import claude, codex_meta, codex_said
from recalld.index.documents import number_of
from recalld.index.reader import Changes, IndexReader, Snapshot
from recalld.search import search, warming

WORDS = "ember quartz willow basalt"
NOW = 1_796_000_000_000
QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ember", {}),
    ("ember", {"sort": "newest", "limit": 3}),
    ("ember quartz", {}),
    ("ember quartz", {"offset": 2, "limit": 2}),
    ("willow basalt ember", {}),
    ("ember -quartz", {}),
    ("quartz OR willow basalt", {}),
    ("embers quartzes", {}),
    ("ember quartz session:session-1", {}),
    ("ember project:.", {"cwd": "/w/app"}),
    ("ember project:.", {"cwd": "/w"}),
    ("basalt quatrz", {}),
    ("ember harbour walnut quartz marble willow cedar", {}),
    ("agent:claude-code", {}),
    ("is:subagent ember", {}),
)
said = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=2).map(" ".join)
sessions = st.integers(0, 12)
nothing = st.just("")
steps = st.one_of(
    st.tuples(st.just("say"), sessions, said),
    st.tuples(st.just("copy"), sessions, sessions),
    st.tuples(st.just("rewrite"), sessions, said),
    st.tuples(st.just("name"), sessions, said),
    st.tuples(st.just("delegate"), sessions, said),
    st.tuples(st.just("move"), sessions, nothing),
    st.tuples(st.just("forget"), sessions, nothing),
    st.tuples(st.just("warm"), st.just(0), nothing),
    st.tuples(st.just("ask"), st.just(0), nothing),
)


class Told:
    """A store whose reader is told of commits as the main process is."""

    def __init__(self, root: Path) -> None:
        self.store = ForgettingStore(root)
        self.lines: dict[int, list[dict[str, Any]]] = {}
        self.folders: dict[int, str] = {}
        self.forgotten: set[int] = set()
        self.reader: IndexReader | None = None
        self.told = 0
        self.count = 0

    def name(self, session: int) -> str:
        return f"claude/projects/{self.folders.get(session, '-w-app')}/session-{session}.jsonl"

    def line(self, text: str, session: str, parent: str | None, **more: Any) -> dict[str, Any]:
        self.count += 1
        return claude("user", f"u{self.count}", parent, text, self.count, session, **more)

    def say(self, session: int, text: str) -> None:
        lines = self.lines.setdefault(session, [])
        lines.append(self.line(text, f"session-{session}", lines[-1]["uuid"] if lines else None))
        self.store.append(self.name(session), lines[-1])

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

    def name_it(self, session: int, title: str) -> None:
        """Give a session a title."""
        if session in self.lines:
            line = {"type": "custom-title", "customTitle": title, "sessionId": f"session-{session}"}
            self.store.append(self.name(session), line)

    def delegate(self, session: int, text: str) -> None:
        """Have a sub-agent of a session say something; it may come before the session itself."""
        agent = f"a{session % 3}"  # two parents may have one of the same name
        file = f"claude/projects/-w-app/session-{session}/subagents/agent-{agent}.jsonl"
        self.store.append(file, self.line(text, f"session-{session}", None, isSidechain=True, agentId=agent))

    def move(self, session: int) -> None:
        """Move a session's file to another folder, as when its project has moved."""
        if session in self.lines:
            before = self.store.path(self.name(session))
            self.folders[session] = "-w-moved" if session not in self.folders else f"{self.folders[session]}x"
            before.rename(self.store.path(self.name(session)))

    def forget(self, session: int) -> None:
        if session in self.lines and session not in self.forgotten:
            self.snapshot()
            self.forgotten.add(session)
            self.store.commands.forget({"session": f"session-{session}"})

    def warm(self) -> None:
        for _ in warming.warm(self.snapshot()):
            pass

    def take(self, kind: str, session: int, what: Any) -> None:
        """Take one of `steps`."""
        does = {"say": self.say, "copy": self.copy, "rewrite": self.rewrite, "name": self.name_it, "delegate": self.delegate}
        if kind in does:
            does[kind](session, what)
        elif kind == "warm":
            self.warm()
        elif kind == "ask":
            self.ask()
        else:
            {"move": self.move, "forget": self.forget}[kind](session)

    def ask(self) -> None:
        """See that the reader answers as a new one does."""
        self.snapshot()
        assert self.reader is not None
        segments, state = self.reader.path / "meta.json", b""
        while segments.read_bytes() != state:  # a merge that ends in between changes what words weigh
            state = segments.read_bytes()
            found, wanted = answers(self.reader.reload([])), answers(IndexReader(self.reader.path).snapshot)
        for mine, other in zip(found, wanted, strict=True):
            assert mine == other

    def snapshot(self) -> Snapshot:
        self.store.catch_up()
        events, self.told = self.store.events[self.told :], len(self.store.events)
        for path, changed in ((self.store.data / "index" / f["index"], f["sessions"]) for e, f in events if e == "commit"):
            if not path.exists():
                continue  # of an index that another one has taken the place of since
            if self.reader is None or self.reader.path != path or changed is None:
                self.reader = IndexReader(path)
            else:
                self.reader.reload(changed)
        assert self.reader is not None
        return self.reader.snapshot


def answers(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """Return all that is told of what is found."""
    found = []
    for query, params in QUERIES:
        answer = search(snapshot, {"query": query, "now": NOW, **params})
        del answer["took_ms"]
        found.append((query, params, answer))
    return found


@given(st.lists(steps, min_size=2, max_size=14))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_reader_that_followed_every_commit_answers_as_a_new_one(given_steps: list[tuple[str, int, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        told = Told(Path(place))
        told.say(0, WORDS)
        for kind, session, what in [*given_steps, ("ask", 0, "")]:
            told.take(kind, session, what)
        told.store.close()


def test_merges_of_many_small_commits_do_not_show(tmp_path: Path) -> None:
    told = Told(tmp_path)
    for n in range(60):
        told.say(n % 13, " ".join(WORDS.split()[n % 3 :]))
        segments = told.snapshot().searcher.num_segments
        if n % 6 == 0:
            told.ask()
    told.ask()
    assert segments < 60  # some were merged
    told.store.close()


def test_another_provider_in_the_configuration_shows_at_the_next_commit(tmp_path: Path) -> None:
    told = Told(tmp_path)
    thread = "01900000-0000-7000-8000-000000000001"
    name = f"codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{thread}.jsonl"
    told.store.append(name, codex_meta(thread), codex_said("user", "ember and quartz", 1))

    def resume() -> str:
        line: str = search(told.snapshot(), {"query": "ember", "now": NOW})["hits"][0]["session"]["resume"]
        return line

    assert "model_provider" not in resume()
    (tmp_path / "codex/config.toml").write_text('model_provider = "other"\n')
    told.say(1, "willow")
    assert "model_provider=openai" in resume()
    told.store.close()


def test_a_word_that_was_looked_up_before_it_was_asked_for_is_found_as_any_other(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(warming, "FEWEST", 2)
    told = Told(tmp_path)
    for n in range(200):
        told.say(n, f"{WORDS} number{n}")
    told.warm()
    told.ask()
    for n in range(0, 120, 7):
        told.rewrite(n, "willow")
        told.ask()
    assert search(told.snapshot(), {"query": "ember"})["total"] == 200 - len(range(0, 120, 7))
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


def test_changes_tell_what_changed_after_a_commit_or_that_they_have_forgotten() -> None:
    changes = Changes()
    for n in range(10_000):
        changes.add([f"s{n % 5_000}"])
    assert changes.since(9_998) == [number_of("s4999"), number_of("s4998")]
    assert changes.since(10_000) == []
    assert changes.since(3) is None
    assert changes.same(number_of("s4999"), 9_999, 10_000) is False
    assert changes.same(number_of("s4998"), 9_999, 10_000) is True
    assert changes.same(number_of("s1"), 3, 10_000) is False  # not known any more
