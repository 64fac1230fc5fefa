"""The line kept for a file: who changed it last and why, and whether another session is at it right now."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence

from tantivy import Occur, Query

from recalld import analysis
from recalld.hooks.context import clip
from recalld.hooks.history import NAMES, asked_before, called, newest
from recalld.hooks.recall import Told
from recalld.hooks.scope import is_own
from recalld.index.documents import StoredRecord
from recalld.index.reader import Snapshot
from recalld.questions.common import that_worked
from recalld.search.filters import phrase

NOW_MS = 10 * 60_000
"""An edit this young means that its session is at the file; agents pause between two edits for less."""
LATELY_MS = 21 * 86_400_000
"""To who only reads a file, an older change is no news."""
LOOKED_AT = 60
LINES = 16
"""Files that one session is told about: one that goes through a whole repository is not followed."""


def about_file(
    snapshot: Snapshot,
    path: str,
    *,
    agent: str,
    session: str | None,
    edits: bool,
    others: Sequence[tuple[Occur, Query]],
    said: set[Hashable],
    now: int,
) -> Told | None:
    """Return the line for the file at the absolute `path`, or None. `edits`: it is being changed, not only read."""
    if sum(1 for k in said if isinstance(k, tuple) and k[0] == "file") >= LINES:
        return None
    edited = [r for r in _edits(snapshot, path, others) if not _own(snapshot, r, agent, session)]
    lines: list[str] = []
    keys: list[Hashable] = []
    named: list[str] = []
    at_it = next((r for r in edited if r.time and 0 <= now - r.time < NOW_MS), None)
    live_key = ("live", path, at_it.skey if at_it else None)
    if at_it is not None and live_key not in said:
        lines.append(_live_line(snapshot, at_it, path, now))
        keys.append(live_key)
        named.append(at_it.skey)
    last = next(iter(edited), None)
    key = ("file", path, last.skey if last else None)
    recent = last is not None and (edits or now - (last.time or 0) < LATELY_MS)
    if last is not None and recent and key not in said:
        lines.append(_last_line(snapshot, last, path))
        keys.append(key)
        named.append(last.skey)
    return Told("\n".join(lines), tuple(keys), tuple(named)) if lines else None


def _edits(snapshot: Snapshot, path: str, others: Sequence[tuple[Occur, Query]]) -> list[StoredRecord]:
    """Return the records of edits of this very file, newest first, without those that failed."""
    name = analysis.tokens(os.path.basename(path))
    if not name:
        return []
    query = Query.boolean_query(
        [
            (Occur.Must, snapshot.term("type", "r")),
            (Occur.Must, snapshot.term("kind", "edit")),
            (Occur.Must, phrase(snapshot, "path", name)),
            *others,
        ]
    )
    return that_worked(snapshot, [r for r in newest(snapshot, query, LOOKED_AT) if path in absolute_paths(r)])


def absolute_paths(record: StoredRecord) -> list[str]:
    """Return a record's paths, made absolute with the directory it was made in."""
    return [os.path.normpath(p if p.startswith("/") else os.path.join(record.project or "/", p)) for p in record.paths]


def _own(snapshot: Snapshot, record: StoredRecord, agent: str, session: str | None) -> bool:
    of = snapshot.session(record.skey)
    return of is None or is_own(of, agent, session)


def _live_line(snapshot: Snapshot, record: StoredRecord, path: str, now: int) -> str:
    session = snapshot.session(record.skey)
    minutes = max(0, now - (record.time or now)) // 60_000
    when = "less than a minute ago" if minutes < 1 else f"{minutes} min ago"
    who = NAMES.get(record.agent, record.agent)
    ident = snapshot.public_id(session) if session else record.session
    return (
        f"{path}: another session ({who}, {ident}) edited this file {when} and may be working on it right now:"
        " read it again before writing, and tell the person if the changes conflict."
    )


def _last_line(snapshot: Snapshot, record: StoredRecord, path: str) -> str:
    session = snapshot.session(record.skey)
    who = called(snapshot, session) if session else record.agent
    asked = asked_before(snapshot, record)
    if asked is not None:
        why = f", asked: “{clip(asked.text, 160)}”"
    elif session is not None and session.title:
        why = f" (“{clip(session.title, 100)}”)"
    else:
        why = ""
    return f"{path}: last edited on {who}{why}"
