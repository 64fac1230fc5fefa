"""What common questions need is worked out while nothing is asked, and again when much has changed."""

from __future__ import annotations

import asyncio
import weakref
from pathlib import Path

import pytest

from recalld.index.documents import StoredRecord, StoredSession, hash_of, session_key
from recalld.index.reader import IndexReader, Snapshot
from recalld.index.writer import IndexWriter
from recalld.search import search, warming
from recalld.server.warmer import Warmer


def put(writer: IndexWriter, sessions: range, text: str) -> list[str]:
    """Make each session hold one record that says `text`."""
    keys = [session_key("codex", f"s{n}") for n in sessions]
    for n, skey in zip(sessions, keys, strict=True):
        writer.delete("skey", skey)
        record = StoredRecord(
            skey=skey, id="r", uid="r", up=None, parent=None, project=None, time=1, role="user", kind="message",
            tool=None, paths=[], command=None, exit_status=None, is_error=None, model=None, branch=None, text=text,
            truncated=False, abandoned=False, call=None, side=None, file="f", offset=n, length=1, ord=n, sub=0,
            subagent=False, redactor=1, hash=hash_of("user", "message", f"{text}{n}"),
        )  # fmt: skip
        writer.add(record)
        writer.add(StoredSession(skey, f"s{n}", records=1))
    writer.commit()
    return keys


def totals(snapshot: Snapshot) -> list[int]:
    return [search(snapshot, {"query": word})["total"] for word in ("ember", "quartz", "ember quartz")]


def test_what_was_worked_out_before_is_what_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "FEWEST", 1)

    async def main() -> None:
        writer = IndexWriter(home)
        put(writer, range(300), "ember quartz")
        reader = IndexReader(home)
        warmer = Warmer()
        warmer.moved(reader.snapshot)
        warmer.asked()  # it waits, and goes on
        await warmer.settled()
        changes, commit = reader.snapshot.changes, reader.snapshot.commit
        assert not warming.is_due(reader.snapshot, changes, commit)
        assert totals(reader.snapshot) == [300, 300, 300]
        assert not warming.is_due(reader.reload(put(writer, range(20), "ember")), changes, commit)
        assert totals(reader.snapshot) == [300, 280, 280]
        assert warming.is_due(reader.reload(put(writer, range(10, 200), "quartz")), changes, commit)
        warmer.moved(reader.snapshot)
        await warmer.settled()
        assert totals(reader.snapshot) == [110, 290, 100] == totals(IndexReader(home).snapshot)
        writer.close()

    asyncio.run(main())


def test_no_snapshot_is_held_when_the_work_is_done(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "FEWEST", 1)

    async def main() -> None:
        writer = IndexWriter(home)
        put(writer, range(20), "ember quartz")
        reader = IndexReader(home)
        warmer = Warmer()
        warmer.moved(reader.snapshot)
        await warmer.settled()
        held = weakref.ref(reader.snapshot)
        reader.reload([])
        assert held() is None
        writer.close()

    asyncio.run(main())


def test_an_empty_index_has_nothing_to_work_out(home: Path) -> None:
    async def main() -> None:
        IndexWriter(home).close()
        warmer = Warmer()
        warmer.moved(IndexReader(home).snapshot)
        await warmer.settled()

    asyncio.run(main())
