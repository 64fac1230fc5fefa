"""Lookups that the answers of hooks share: sessions by number, records of a stretch, what a session said before."""

from __future__ import annotations

from datetime import UTC, datetime

from tantivy import FieldType, Occur, Order, Query

from recalld.hooks.words import units
from recalld.index.documents import StoredRecord, StoredSession, from_body, place_of
from recalld.index.reader import Snapshot

_ASKED_BACK = 8
"""Prompts that are gone back over for one that is a task."""
NAMES = {"claude-code": "Claude Code", "codex": "Codex", "qwen-code": "Qwen Code"}


def session_of(snapshot: Snapshot, number: int) -> StoredSession | None:
    """Return the session with this `snum`."""
    query = snapshot.all_of(snapshot.term("type", "s"), Query.term_query(snapshot.schema, "snum", number, index_option="basic"))
    for body in snapshot.bodies(query, 1):
        return from_body(StoredSession, body)
    return None


def stretch(snapshot: Snapshot, skey: str, low: int, high: int, limit: int = 120) -> list[StoredRecord]:
    """Return a session's own records of the messages `low` to `high`, in order, without what was rewound."""
    between = Query.range_query(snapshot.schema, "ord", FieldType.Integer, low, high)
    query = Query.boolean_query(
        [
            (Occur.Must, snapshot.term("type", "r")),
            (Occur.Must, snapshot.term("skey", skey)),
            (Occur.Must, between),
            (Occur.MustNot, snapshot.term("flag", "abandoned")),
        ]
    )
    return _ordered(snapshot, query, "place", Order.Asc, limit)


def behind(snapshot: Snapshot, record: StoredRecord, messages: int, limit: int = 120) -> list[StoredRecord]:
    """Return what stands behind a record in its session's file, up to so many messages on, without what was rewound."""
    here = place_of(record.offset, record.sub)
    query = Query.boolean_query(
        [
            (Occur.Must, snapshot.term("type", "r")),
            (Occur.Must, snapshot.term("skey", record.skey)),
            (Occur.Must, snapshot.term("file", record.file)),
            (Occur.Must, Query.range_query(snapshot.schema, "ord", FieldType.Integer, record.ord, record.ord + messages)),
            (Occur.Must, Query.range_query(snapshot.schema, "place", FieldType.Integer, here, None, include_lower=False)),
            (Occur.MustNot, snapshot.term("flag", "abandoned")),
        ]
    )
    return _ordered(snapshot, query, "place", Order.Asc, limit)


def newest(snapshot: Snapshot, query: Query, limit: int) -> list[StoredRecord]:
    """Return the records that match `query`, the newest first."""
    return _ordered(snapshot, query, "time", Order.Desc, limit)


def _ordered(snapshot: Snapshot, query: Query, field: str, order: Order, limit: int) -> list[StoredRecord]:
    hits = snapshot.searcher.search(query, limit=limit, count=False, order_by_field=field, order=order).hits
    return [from_body(StoredRecord, snapshot.searcher.doc(address)["body"][0]) for _, address in hits]


def asked_before(snapshot: Snapshot, record: StoredRecord) -> StoredRecord | None:
    """Return what a person last asked for in the record's session before it: why it was done. "Yes, go on" is no reason:
    then it is what was asked before that."""
    parts = [
        (Occur.Must, snapshot.term("type", "r")),
        (Occur.Must, snapshot.term("skey", record.skey)),
        (Occur.Must, snapshot.term("role", "user")),
        (Occur.Must, snapshot.term("kind", "message")),
        (Occur.Must, Query.range_query(snapshot.schema, "ord", FieldType.Integer, 0, record.ord)),
        (Occur.MustNot, snapshot.term("flag", "abandoned")),
    ]
    found = _ordered(snapshot, Query.boolean_query(parts), "ord", Order.Desc, _ASKED_BACK)
    return next((r for r in found if any(not unit.everyday for unit in units(r.text))), None)


def day(ms: int | None) -> str:
    """Return the date of epoch milliseconds, UTC; "?" where it is unknown."""
    if ms is None or not 0 <= ms < 253_370_764_800_000:
        return "?"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")


def called(snapshot: Snapshot, session: StoredSession) -> str:
    """Return how a session is named to a model: its day, its agent and its id."""
    ident = snapshot.public_id(session)
    return f"{day(session.updated)}, {NAMES.get(session.agent, session.agent)}, session {ident}"
