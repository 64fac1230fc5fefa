"""SESSION and RECORD as every answer gives them, and the answers that are little more: show, sessions, resume.

Shapes are in `docs/protocol.md`; unknown is None, times are ISO 8601 in UTC with milliseconds.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import tantivy

from recall.clean import clean_line
from recall.errors import Ambiguous, NotFound
from recalld.index.documents import StoredCopy, StoredRecord, StoredSession, from_body
from recalld.index.reader import Snapshot
from recalld.sources import SOURCES
from recalld.sources.base import Resume

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000
_LISTED = 5
"""Sessions that are listed where a beginning names several."""
_LISTED_TITLE = 40
"""Characters of their titles."""
_AROUND_BYTES = 12 * 1024 * 1024
"""UTF-8 of the records of a page around one: the server cuts what a frame does not hold at its end, and so that one."""


def iso(ms: int | None) -> str | None:
    """Return epoch milliseconds as ISO 8601 in UTC with milliseconds; None for None and for what no calendar holds."""
    if ms is None:
        return None
    day, rest = divmod(ms, _DAY_MS)
    date = _date(day)
    if date is None:
        return None
    seconds, rest = divmod(rest, 1000)
    return f"{date}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}Z"


@lru_cache(maxsize=1024)
def _date(day: int) -> str | None:
    try:
        return (_EPOCH + timedelta(days=day)).date().isoformat()
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class _View:
    """A session as its source looks at it."""

    id: str
    project: str | None
    resume_project: str | None
    provider: str | None
    sub_agent: bool
    source_deleted: bool
    root: Path | None


def resume_of(snapshot: Snapshot, session: StoredSession) -> Resume:
    """Return how a session is reopened in its agent, or why it cannot be."""
    place = snapshot.place(session.files[0], session.skey) if session.files else None
    view = _View(
        id=session.id,
        project=session.project,
        resume_project=session.resume_project,
        provider=session.provider,
        sub_agent=session.sub_agent is not None,
        source_deleted=session.deleted or session.prompt_only,
        root=_path(place.root) if place else None,
    )
    resume = SOURCES[session.agent].resume(view)
    if resume.reason is None and (session.id.startswith("-") or (resume.cwd or "").startswith("-")):
        # The agent, or `cd`, would read it as an option: a file's name must not switch anything on.
        return replace(resume, reason="its id or directory begins with a dash and would be taken for an option")
    return resume


@lru_cache(maxsize=256)
def _path(root: str) -> Path:
    return Path(root)


def command_line(resume: Resume) -> str:
    """Return the shell line of a resume, quoted."""
    line = shlex.join(resume.argv)
    return f"cd {shlex.quote(resume.cwd)} && {line}" if resume.cwd else line


def resume_line(snapshot: Snapshot, session: StoredSession) -> str | None:
    """Return the shell line that reopens a session, or None where it cannot be."""
    resume = resume_of(snapshot, session)
    return command_line(resume) if resume.reason is None else None


def session_json(snapshot: Snapshot, session: StoredSession) -> dict[str, Any]:
    """Return SESSION."""
    place = snapshot.place(session.files[0], session.skey) if session.files else None
    parent: str | None = None
    if session.parent is not None:
        above = snapshot.session(session.skey[: -len(session.id)] + session.parent)
        parent = snapshot.public_id(above) if above else session.parent
    return {
        "agent": session.agent,
        "id": snapshot.public_id(session),
        "parent": parent,
        "sub_agent": session.sub_agent or None,
        "project": session.project,
        "title": session.title,
        "started": iso(session.started),
        "updated": iso(session.updated),
        "records": session.records,
        "branch": session.branch,
        "model": session.model,
        "provider": session.provider,
        "path": place.path if place else None,
        "source_deleted": session.deleted or session.prompt_only,
        "resume": resume_line(snapshot, session),
    }


def record_json(snapshot: Snapshot, record: StoredRecord, held: StoredCopy | None = None) -> dict[str, Any]:
    """Return RECORD. `held` is the copy in whose place it is shown: it tells whether it is abandoned *there*."""
    place = snapshot.place(record.file, record.skey)
    session = snapshot.session(record.skey)
    return {
        "agent": record.agent,
        "session": snapshot.public_id(session) if session else record.session,
        "id": record.id,
        "parent": record.parent,
        "project": record.project,
        "time": iso(record.time),
        "role": record.role,
        "kind": record.kind,
        "tool": record.tool,
        "paths": list(record.paths),
        "command": record.command,
        "exit_status": record.exit_status,
        "is_error": record.is_error,
        "model": record.model,
        "branch": record.branch,
        "text": record.text,
        "truncated": record.truncated,
        "abandoned": (held or record).abandoned,
        "source": {"path": place.path if place else None, "offset": record.offset, "length": record.length},
    }


def resolve(snapshot: Snapshot, text: str) -> StoredSession:
    """Return the session that an id, a unique beginning, or either behind `agent:` names; raise NotFound or Ambiguous."""
    found = snapshot.find_sessions(text)
    if not found:
        raise NotFound(f"no session has the id {text!r}; `recall sessions` lists them")
    if len(found) > 1:
        newest, count = snapshot.newest_named(text, _LISTED)
        if count <= len(found):  # `found` are the first by their ids, where there are more
            newest, count = sorted(found, key=lambda s: s.updated or 0, reverse=True)[:_LISTED], len(found)
        said = [f"{s.agent}:{snapshot.public_id(s)} ({_briefly(s.title)})" for s in newest]
        more = f", and {count - len(said):,} more" if count > len(said) else ""
        raise Ambiguous(f"{text!r} names {count:,} sessions: say more of one's id: {', '.join(said)}{more}")
    return found[0]


def _briefly(title: str | None) -> str:
    text = clean_line(title or "") or "no title"
    return text if len(text) <= _LISTED_TITLE else text[:_LISTED_TITLE] + "…"


def show(
    snapshot: Snapshot,
    session: StoredSession,
    *,
    all_branches: bool = False,
    around: str | None = None,
    role: str | None = None,
    kind: str | None = None,
    limit: int = 200,
    offset: int = 0,
) -> dict[str, Any]:
    """Return the `show` answer: a page of a session in conversation order.

    `around` centres the page on the record of that id (NotFound if the session does not hold it), or on where it stood
    if it is left out; `role` and `kind` leave out the others before paging.
    """
    middle = 0
    if role or kind or around:
        chosen, middle = _chosen(snapshot, session, all_branches, around, role, kind)
        total = len(chosen)
        if around is not None:
            offset = max(0, middle - limit // 2)
        page = chosen[offset : offset + limit]
    else:
        page, total = snapshot.held(session, abandoned=all_branches, offset=offset, limit=limit)
    shown: list[tuple[int, dict[str, Any]]] = []
    for n, h in enumerate(page, offset):
        record = snapshot.owned(h)
        if record is not None:
            shown.append((n, record_json(snapshot, record, h if isinstance(h, StoredCopy) else None)))
    reached = offset + len(page)
    if around is not None and (fitting := _fitting(shown, middle)) != shown:
        shown, reached = fitting, fitting[-1][0] + 1
    records = [record for _, record in shown]
    return {
        "session": session_json(snapshot, session),
        "records": _parents_first(records),
        "compactions": [
            {"time": iso(c[0]), "tokens_before": c[1], "tokens_after": c[2], "messages": c[3]} for c in session.compactions
        ],
        "total": total,
        "next_offset": reached if reached < total else None,
    }


def _chosen(
    snapshot: Snapshot, session: StoredSession, all_branches: bool, around: str | None, role: str | None, kind: str | None
) -> tuple[list[StoredRecord | StoredCopy], int]:
    """Return (the records of a role and a kind that a session holds, the place among them of the one that is asked for)."""
    held, _ = snapshot.held(session, abandoned=all_branches or around is not None)
    asked = 0
    if around is not None:
        place = next((n for n, h in enumerate(held) if around in (h.id, _owner_id(h))), None)
        if place is None:
            raise NotFound(f"the session {session.sid} has no record {around!r}")
        asked, all_branches = place, all_branches or held[place].abandoned
    chosen = [
        (n, h)
        for n, h in enumerate(held)
        if (role is None or h.role == role) and (kind is None or h.kind == kind) and (all_branches or not h.abandoned)
    ]
    return [h for _, h in chosen], sum(n < asked for n, _ in chosen)


def _fitting(shown: list[tuple[int, dict[str, Any]]], middle: int) -> list[tuple[int, dict[str, Any]]]:
    """Return what of a page, records with their places, fits into a frame on both sides of the place `middle`."""
    sizes = [_size(record) for _, record in shown]
    if not shown or sum(sizes) <= _AROUND_BYTES:
        return shown
    first = min(next((n for n, (place, _) in enumerate(shown) if place >= middle), len(shown)), len(shown) - 1)
    end, room = first + 1, _AROUND_BYTES - sizes[first]
    for share in (room // 2, 0):  # what the records before leave is for those behind
        while first > 0 and room - sizes[first - 1] >= share:
            first -= 1
            room -= sizes[first]
        while end < len(shown) and room >= sizes[end]:
            room -= sizes[end]
            end += 1
    return shown[first:end]


def _size(record: dict[str, Any]) -> int:
    """Return about how many bytes a record takes in a frame."""
    texts = (record["text"], record["command"] or "", *record["paths"])
    return 1024 + sum(len(text.encode("utf-8", "replace")) for text in texts)


def _owner_id(held: StoredRecord | StoredCopy) -> str:
    return held.owner_id if isinstance(held, StoredCopy) else held.id


def _parents_first(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put a record whose parent was written after it behind that parent; the order is else the file's."""
    place = {r["id"]: n for n, r in enumerate(records)}
    if all(r["parent"] is None or place.get(r["parent"], -1) < n for n, r in enumerate(records)):
        return records
    ordered: list[dict[str, Any]] = []
    done: set[str] = set()
    for start in records:
        chain: list[dict[str, Any]] = []
        seen: set[str] = set()
        r: dict[str, Any] | None = start
        while r is not None and r["id"] not in done and r["id"] not in seen:
            seen.add(r["id"])
            chain.append(r)
            above = place.get(r["parent"]) if r["parent"] is not None else None
            r = records[above] if above is not None else None
        for r in reversed(chain):
            done.add(r["id"])
            ordered.append(r)
    return ordered


def sessions(
    snapshot: Snapshot,
    *,
    agent: str | None = None,
    among: tantivy.Query | None = None,
    since: int | None = None,
    sub_agents: bool = False,
    limit: int = 20,
    offset: int = 0,
) -> dict[str, Any]:
    """Return the `sessions` answer: newest first; a session whose time lies more than a day ahead comes last.

    `among` is what the documents of sessions must match.
    """
    t = tantivy
    parts = [(t.Occur.Must, snapshot.term("type", "s"))]
    if agent:
        parts.append((t.Occur.Must, snapshot.term("agent", agent)))
    if among is not None:
        parts.append((t.Occur.Must, among))
    if not sub_agents:
        parts.append((t.Occur.MustNot, snapshot.term("flag", "subagent")))
    if since is not None:
        parts.append((t.Occur.Must, _between(snapshot, since, None)))
    horizon = int(time.time() * 1000) + _DAY_MS
    found: list[StoredSession] = []
    total = 0
    for low, high in ((None, horizon), (horizon + 1, None)):
        query = t.Query.boolean_query([*parts, (t.Occur.Must, _between(snapshot, low, high))])
        count = snapshot.count(query)
        start, wanted = max(0, offset - total), limit - len(found)
        total += count
        if start < count and wanted > 0:
            hits = snapshot.searcher.search(query, limit=wanted, count=False, order_by_field="time", offset=start).hits
            found += [_session_at(snapshot, address) for _, address in hits]
    reached = offset + len(found)
    return {
        "total": total,
        "sessions": [session_json(snapshot, s) for s in found],
        "next_offset": reached if reached < total else None,
    }


def _session_at(snapshot: Snapshot, address: tantivy.DocAddress) -> StoredSession:
    return from_body(StoredSession, bytes(snapshot.searcher.doc(address)["body"][0]))


def _between(snapshot: Snapshot, low: int | None, high: int | None) -> tantivy.Query:
    return tantivy.Query.range_query(snapshot.schema, "time", tantivy.FieldType.Integer, low, high)
