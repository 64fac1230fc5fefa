"""What the questions share: filters, reading many records, following what came after one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import tantivy
from tantivy import FieldType, Occur, Query

from recall.errors import UsageError
from recalld import analysis
from recalld.index.documents import StoredRecord, StoredSession, from_body, place_of
from recalld.index.reader import Snapshot
from recalld.search import filters
from recalld.search.filters import Filters
from recalld.search.query import ParsedQuery
from recalld.search.times import Clock

_NOT_APPLIED = "apply_patch verification failed"
_FILTERS = ("agent", "project", "session", "not_session", "since", "until", "cwd", "tz", "utc_offset_min", "now")


def required(params: Mapping[str, Any], name: str) -> str:
    """Return a text param that must be there; raise UsageError where it is not, or is empty."""
    value = params.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} must be given")
    return value.strip()


def limit_of(params: Mapping[str, Any], default: int) -> int:
    """Return how many items are wanted; raise UsageError where `limit` is no count."""
    value = params.get("limit")
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError("limit must be a whole number, 0 or more")
    return value


def clock_of(params: Mapping[str, Any]) -> Clock:
    """Return when and where the question is asked."""
    return filters.clock_of(params, int(time.time() * 1000))


def compiled(snapshot: Snapshot, params: Mapping[str, Any]) -> Filters:
    """Return a question's filters (agent, project, session, since, until); sub-agents are always in."""
    chosen = {name: params[name] for name in _FILTERS if name in params}
    return filters.compile_filters(snapshot, chosen, clock_of(params), sub_agents=True)


def noticed(
    answer: dict[str, Any], snapshot: Snapshot, chosen: Filters, found: bool, notices: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an answer with its `notice`: the `notices` that there are, and where nothing was `found` the filters that
    nothing in the index fits."""
    told = [*notices, *([] if found else filters.unmatched(snapshot, chosen))]
    return answer | {"notice": "; ".join(told)} if told else answer


def within(chosen: Filters, *queries: Query) -> Query:
    """Return the query for all of `queries`, within the filters."""
    return Query.boolean_query([*((Occur.Must, q) for q in queries), *chosen.parts])


def kinds(snapshot: Snapshot, *names: str) -> Query:
    """Return the query for records of any of these kinds, unscored."""
    every = snapshot.any_term("kind", names) if len(names) > 1 else None
    return Query.const_score_query(every or snapshot.term("kind", names[0]), 0.0)


def newest(snapshot: Snapshot, query: Query, limit: int) -> list[StoredRecord]:
    """Return the newest `limit` records that match."""
    hits = snapshot.searcher.search(query, limit=limit, count=False, order_by_field="time").hits
    return [record_at(snapshot, address) for _, address in hits]


def record_at(snapshot: Snapshot, address: tantivy.DocAddress) -> StoredRecord:
    """Return the record at a hit's place."""
    return from_body(StoredRecord, snapshot.searcher.doc(address)["body"][0])


def after(snapshot: Snapshot, record: StoredRecord, limit: int, *queries: Query) -> list[StoredRecord]:
    """Return the next records of the same session behind `record`, in order."""
    behind = Query.range_query(
        snapshot.schema, "place", FieldType.Integer, place_of(record.offset, record.sub), None, include_lower=False
    )
    query = snapshot.all_of(
        snapshot.term("skey", record.skey),
        snapshot.term("file", record.file),
        snapshot.term("type", "r"),
        behind,
        *queries,
    )
    hits = snapshot.searcher.search(query, limit=limit, count=False, order_by_field="place", order=tantivy.Order.Asc).hits
    return [record_at(snapshot, address) for _, address in hits]


def failed_calls(snapshot: Snapshot, records: Iterable[StoredRecord]) -> set[tuple[str, str]]:
    """Return (session key, call) of those calls whose output was an error."""
    calls = list(dict.fromkeys(r.call for r in records if r.call))
    found: set[tuple[str, str]] = set()
    if not calls:
        return found
    query = snapshot.all_of(
        snapshot.any_term("call", calls),
        snapshot.term("flag", "error"),
        snapshot.term("kind", "output"),
    )
    for _, address in snapshot.searcher.search(query, limit=len(calls) * 2, count=False).hits:
        output = record_at(snapshot, address)
        if output.call in calls:
            found.add((output.skey, output.call))
    return found


def that_worked(snapshot: Snapshot, edits: Sequence[StoredRecord]) -> list[StoredRecord]:
    """Return those of `edits` that changed something: the text to be replaced was there, nobody refused."""
    failed = failed_calls(snapshot, edits)
    calls = list(dict.fromkeys(r.call for r in edits if r.call and r.agent == "codex"))
    if calls:  # Codex says so in words only
        words = filters.phrase(snapshot, "text", analysis.tokens(_NOT_APPLIED))
        refused = snapshot.all_of(snapshot.any_term("call", calls), snapshot.term("kind", "output"), words)
        found = newest(snapshot, refused, len(calls))
        failed |= {(r.skey, r.call) for r in found if r.call and r.text.startswith(_NOT_APPLIED)}
    return [r for r in edits if (r.skey, r.call or "") not in failed]


def call_of(snapshot: Snapshot, output: StoredRecord) -> StoredRecord | None:
    """Return the call that an output answers, None where it is not known."""
    if output.call is None:
        return None
    query = snapshot.all_of(
        snapshot.term("call", output.call),
        snapshot.term("skey", output.skey),
        snapshot.any_term("kind", ["command", "read", "edit", "tool_call"]),
    )
    return next(iter(newest(snapshot, query, 1)), None)


def merged(snapshot: Snapshot, params: Mapping[str, Any], parsed: ParsedQuery, *, sub_agents: bool = True) -> Filters:
    """Return the filters of a question whose text is in the query language: its params' and its own."""
    chosen = {name: params[name] for name in (*_FILTERS, "sub_agents") if name in params}
    return filters.compile_filters(snapshot, chosen, clock_of(params), parsed, sub_agents=sub_agents)


def sessions(snapshot: Snapshot, query: Query, limit: int) -> Iterator[StoredSession]:
    """Yield the sessions whose own documents match."""
    for body in snapshot.bodies(query, limit):
        yield from_body(StoredSession, body)
