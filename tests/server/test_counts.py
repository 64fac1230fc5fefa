"""The counts of records and sessions: always what counting every document would give."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.index.documents import StoredRecord, StoredSession, session_key
from recalld.index.reader import IndexReader
from recalld.index.writer import IndexWriter
from recalld.server.counts import Counts

AGENTS = ("codex", "qwen-code")

changes = st.lists(  # commits: of (agent, session, its new number of records; 0: forgotten)
    st.lists(st.tuples(st.sampled_from(AGENTS), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=5),
    min_size=1,
    max_size=6,
)


def record(skey: str, number: int) -> StoredRecord:
    return StoredRecord(
        skey=skey, id=f"r{number}", uid=f"r{number}", up=None, parent=None, project=None, time=None, role="user",
        kind="message", tool=None, paths=[], command=None, exit_status=None, is_error=None, model=None, branch=None,
        text="words", truncated=False, abandoned=False, call=None, side=None, file="f", offset=number, length=1,
        ord=number, sub=0, subagent=False, redactor=1,
    )  # fmt: skip


def put(writer: IndexWriter, skey: str, records: int) -> None:
    """Make a session hold so many records; none: forget it."""
    writer.delete("skey", skey)
    for number in range(records):
        writer.add(record(skey, number))
    if records:
        writer.add(StoredSession(skey, skey.split("\x1f")[1], records=records))


@settings(max_examples=15, deadline=None)
@given(changes)
def test_after_any_commits_the_counts_are_those_of_the_index(commits: list[list[tuple[str, int, int]]]) -> None:
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        asyncio.run(follow(Path(name), commits))


async def follow(path: Path, commits: list[list[tuple[str, int, int]]]) -> None:
    writer = IndexWriter(path)
    reader = IndexReader(path)
    counts = Counts(AGENTS)
    counts.moved(reader.snapshot)
    await counts.settled()
    for commit in commits:
        for agent, session, records in commit:
            put(writer, session_key(agent, str(session)), records)
        writer.commit()
        counts.moved(reader.reload(session_key(agent, str(session)) for agent, session, _ in commit))
        await counts.settled()
        assert counts.by_agent == {agent: (held(reader, agent, "r"), held(reader, agent, "s")) for agent in AGENTS}
    writer.close()


def held(reader: IndexReader, agent: str, kind: str) -> int:
    snapshot = reader.snapshot
    return snapshot.count(snapshot.all_of(snapshot.term("type", kind), snapshot.term("agent", agent)))


def test_commits_that_come_while_it_counts_are_not_lost(home: Path) -> None:
    async def main() -> None:
        writer = IndexWriter(home)
        reader = IndexReader(home)
        told: list[int] = []
        counts = Counts(AGENTS, lambda: told.append(counts.records))
        counts.moved(reader.snapshot)
        for number in range(50):
            put(writer, session_key("codex", str(number)), 2)
            if number % 10 == 9:
                writer.commit()
                counts.moved(reader.reload(None))
                await asyncio.sleep(0)
        await counts.settled()
        assert counts.by_agent["codex"] == (100, 50)
        assert (counts.records, counts.sessions) == (100, 50)
        assert told[-1] == 100
        writer.close()

    asyncio.run(main())
