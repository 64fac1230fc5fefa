"""A store for search tests: real indexes in a temporary directory, filled through the index's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tantivy

from recalld.index.documents import StoredRecord, StoredSession, document, hash_of, session_key, split_session_key
from recalld.index.reader import IndexReader, Snapshot
from recalld.index.schema import build_schema, register_tokenizers
from recalld.search import search

NOW = 1_780_000_000_000
"""2026-05-28T20:26:40Z: when every question of these tests is asked."""
MINUTE = 60_000
DAY = 86_400_000


class Store:
    """An index that tests fill session by session, and ask."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self._index = tantivy.Index(build_schema(), path=str(path))
        register_tokenizers(self._index)
        self._writer = self._index.writer(15_000_000, num_threads=1)
        self._snapshot: Snapshot | None = None

    def add(
        self,
        sid: str,
        *texts: str | dict[str, Any],
        agent: str = "claude-code",
        project: str = "/w/app",
        title: str | None = None,
        time: int = NOW - 400 * DAY,
        sub_agent: str | None = None,
    ) -> str:
        """Add a session whose records are `texts`: a person's and a model's in turn, or fields of a StoredRecord."""
        skey = session_key(agent, sid)
        at = time
        for n, given in enumerate(texts):
            values = dict(given) if isinstance(given, dict) else {"text": given}
            values.setdefault("role", "user" if n % 2 == 0 else "assistant")
            values.setdefault("time", time + n * MINUTE)
            at = values["time"] or at
            self._writer.add_document(document(record(skey, n, project=project, sub=sub_agent is not None, **values)))
        session = StoredSession(
            skey, sid, sub_agent=sub_agent, project=project, title=title, given_title=title is not None,
            started=time, updated=at, records=len(texts), files=[f"file-{sid}"],
        )  # fmt: skip
        self._writer.add_document(document(session))
        self._snapshot = None
        return sid

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._writer.commit()
            self._snapshot = IndexReader(self.path).snapshot
        return self._snapshot

    def ask(self, query: str, **params: Any) -> dict[str, Any]:
        return search(self.snapshot, {"query": query, "now": NOW, "tz": "UTC", **params})

    def found(self, query: str, **params: Any) -> list[str]:
        return [hit["session"]["id"] for hit in self.ask(query, **params)["hits"]]

    def exact(self, query: str, **params: Any) -> list[str]:
        """As found, but only what is found as it is written."""
        answer = self.ask(query, **params)
        return [hit["session"]["id"] for hit in answer["hits"]] if answer["tier"] == "exact" else []


def record(
    skey: str, n: int, *, text: str, role: Any, time: int | None, project: str | None, sub: bool, **more: Any
) -> StoredRecord:
    """Return the n-th record of a session."""
    values: dict[str, Any] = {
        "id": f"r{n}", "uid": f"r{n}", "up": None, "parent": f"r{n - 1}" if n else None,
        "kind": "message", "tool": None,
        "paths": [], "command": None, "exit_status": None, "is_error": None, "model": None, "branch": "main",
        "truncated": False, "abandoned": False, "call": None, "side": None,
        "file": f"file-{split_session_key(skey)[1]}",
        "offset": n * 1000,
        "length": 999, "ord": n, "sub": 0, "redactor": 1,
    }  # fmt: skip
    values.update(more)
    values.setdefault("hash", hash_of(role, values["kind"], text))
    return StoredRecord(skey=skey, project=project, time=time, role=role, text=text, subagent=sub, **values)
