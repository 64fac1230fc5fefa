"""`context`: the session that answers a question, as a Markdown digest within a byte budget.

The digest says what was asked, what was decided and what was done, around the places that match: people's and models'
words first, then edits and commands by their first lines. What tools printed is left out, but for errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tantivy import Occur, Query

from recall.errors import UsageError
from recalld import answers
from recalld.index.documents import StoredRecord, StoredSession
from recalld.index.reader import Snapshot
from recalld.questions import common
from recalld.search import query, snippets, tiers
from recalld.search.boundary import guarded
from recalld.search.ladder import run
from recalld.search.ranking import Ranked

BUDGET = 4000
"""Bytes of a digest where the request names none."""
_LEAST, _MOST = 200, 256 * 1024
_MATCHES = 4
"""Places of the session that the digest is made around."""
_AROUND = 12
"""Messages before and after such a place that belong to it."""
_READ = 400
"""Records of a session that are looked at."""
_SAID, _DONE = 700, 160
"""Characters of one message, and of one command or edit, that are shown where there is room."""
# Everything that moves a cursor, hides text or turns its direction.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@guarded
def context(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"query", "tier", "session", "markdown", "bytes", "truncated"}`: a digest of the best session for `query`.
    `tier` is `search`'s: how it was found.

    `budget` is the most bytes of UTF-8 that `markdown` may have. `session` None and an empty digest: nothing was found.
    `truncated`: there was more to say. Other params: those of `search` that filter, `not_session` among them.
    """
    asked = common.required(params, "query")
    budget = params.get("budget")
    budget = BUDGET if budget is None else budget
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < _LEAST:
        raise UsageError(f"budget must be a number of bytes, {_LEAST} or more")
    clock = common.clock_of(params)
    parsed = query.parse(asked, clock)
    chosen = common.merged(snapshot, params, parsed, sub_agents=False)
    search = tiers.Search(snapshot, parsed, chosen, clock)
    found = run(search)
    best = next(found.ranked, None) if found else None
    nothing = {"query": asked, "tier": None, "session": None, "markdown": "", "bytes": 0, "truncated": False}
    if found is None or best is None:
        return common.noticed(nothing, snapshot, chosen, False, search.notices)
    records = _matching(snapshot, search, found, best)
    session = snapshot.session(records[0].skey) if records else _by_title(snapshot, best)
    if session is None:
        return nothing
    if not records:
        records = _first(snapshot, session)
    digest, truncated = _digest(snapshot, session, records, found.patterns, min(budget, _MOST))
    answer = {
        "query": asked,
        "tier": found.tier,
        "session": answers.session_json(snapshot, session),
        "markdown": digest,
        "bytes": len(digest.encode("utf-8", "replace")),
        "truncated": truncated,
    }
    return common.noticed(answer, snapshot, chosen, True, search.notices)


def _matching(snapshot: Snapshot, search: tiers.Search, found: tiers.Found, best: Ranked) -> list[StoredRecord]:
    """Return the session's best matches."""
    if best.matches:
        return [common.record_at(snapshot, m.address) for m in best.matches[:_MATCHES]]
    number = Query.term_query(snapshot.schema, "snum", best.number, index_option="basic")
    here = Query.boolean_query(
        [(Occur.Must, found.partial or found.query), (Occur.Must, number), (Occur.Must, snapshot.term("type", "r"))]
    )
    return [common.record_at(snapshot, a) for _, a in snapshot.searcher.search(here, limit=_MATCHES, count=False).hits]


def _by_title(snapshot: Snapshot, best: Ranked) -> StoredSession | None:
    number = Query.term_query(snapshot.schema, "snum", best.number, index_option="basic")
    return next(common.sessions(snapshot, snapshot.all_of(snapshot.term("type", "s"), number), 1), None)


def _first(snapshot: Snapshot, session: StoredSession) -> list[StoredRecord]:
    held, _ = snapshot.held(session, abandoned=False, limit=_MATCHES)
    return [r for r in held if isinstance(r, StoredRecord)]


# -- the digest ------------------------------------------------------------------------------------------------------


def _digest(
    snapshot: Snapshot,
    session: StoredSession,
    matches: list[StoredRecord],
    patterns: list[snippets.Pattern],
    budget: int,
) -> tuple[str, bool]:
    around = _surroundings(snapshot, session, matches)
    wanted = {r.id for r in matches}
    lines: dict[tuple[int, int, int], str] = {}
    page = _Page(budget, _head(session))
    order = sorted(around, key=lambda r: (_worth(r, wanted), -(r.time or 0), r.ord))
    left_out = False
    for record in order:
        line = _line(record, patterns, record.id in wanted)
        if not line:
            continue
        if page.add(len(line.encode("utf-8", "replace")) + 1):
            lines[(record.time or 0, record.offset, record.sub)] = line
        else:
            left_out = True
    text = page.head + "\n".join(line for _, line in sorted(lines.items()))
    if not lines and order:
        text, left_out = page.head, True
    return _cut(text, budget), left_out


class _Page:
    """Room for a digest, in bytes."""

    def __init__(self, budget: int, head: str) -> None:
        self.head = _cut(head, budget)
        self._left = budget - len(self.head.encode("utf-8", "replace"))

    def add(self, size: int) -> bool:
        """Take `size` bytes, if there are so many."""
        if size > self._left:
            return False
        self._left -= size
        return True


def _surroundings(snapshot: Snapshot, session: StoredSession, matches: list[StoredRecord]) -> list[StoredRecord]:
    """Return the matches, what stands around them, the first prompt and the last words of the session. An edit that failed
    is not told as one."""
    found = {r.key: r for r in matches}
    held, total = snapshot.held(session, abandoned=False, limit=_READ)
    rest = snapshot.held(session, abandoned=False, offset=max(_READ, total - 40), limit=40)[0] if total > _READ else []
    records = [r for r in (*held, *rest) if isinstance(r, StoredRecord) and (r.kind != "output" or r.is_error)]
    places = [(r.file, r.ord) for r in matches]
    for record in records:
        if any(record.file == file and abs(record.ord - at) <= _AROUND for file, at in places):
            found[record.key] = record
    for record in _ends(records):
        found[record.key] = record
    edits = [r for r in found.values() if r.kind == "edit"]
    made = {r.key for r in common.that_worked(snapshot, edits)}
    return [r for r in found.values() if r.kind != "edit" or r.key in made]


def _ends(records: list[StoredRecord]) -> list[StoredRecord]:
    first = next((r for r in records if r.role == "user" and r.kind == "message"), None)
    last = next((r for r in reversed(records) if r.role == "assistant" and r.kind == "message"), None)
    return [r for r in (first, last) if r is not None]


def _worth(record: StoredRecord, wanted: set[str]) -> int:
    """Return how soon a record gets room: what matches and is said, then what was said, done, and what failed."""
    said = record.kind in ("message", "summary")
    if record.id in wanted:
        return 0 if said else 1
    if said:
        return 2
    return {"edit": 3, "command": 4}.get(record.kind, 6 if record.kind == "output" else 7)


def _head(session: StoredSession) -> str:
    title = _plain(session.title or "(no title)", 160)
    date = (answers.iso(session.started) or "")[:10]
    parts = [session.agent, session.project or "", date, f"session {session.sid}"]
    return f"# {title}\n\n" + " · ".join(_plain(p, 200) for p in parts if p) + "\n\n"


def _line(record: StoredRecord, patterns: list[snippets.Pattern], matched: bool) -> str:
    if record.kind in ("message", "summary"):
        who = {"user": "Asked", "assistant": "Answered"}.get(record.role, record.role.capitalize())
        text = record.text
        if len(text) > _SAID and matched:
            text = snippets.snippet(text, patterns)[0] + " " + text[: _SAID - snippets.WIDTH]
        said = _plain(text, _SAID)
        return f"- **{who}:** {said}" if said else ""
    if record.kind == "edit":
        return f"- Edited `{_plain(record.paths[0] if record.paths else record.text, _DONE)}`"
    if record.kind == "command":
        return f"- Ran `{_plain(record.command or record.text, _DONE)}`"
    if record.kind == "output":
        said = snippets.snippet(record.text, patterns)[0] if matched else record.text.strip()
        label = "Failed" if record.is_error else "Printed"
        return f"- {label}: {_plain(said, _DONE)}" if said.strip() else ""
    if record.kind == "read" and matched and record.paths:
        return f"- Read `{_plain(record.paths[0], _DONE)}`"
    return f"- Called {_plain(record.tool or 'a tool', 60)}: {_plain(record.text, _DONE)}" if matched else ""


def _plain(text: str, most: int) -> str:
    """Return `text` on one line, without control characters and fences, cut at `most` characters."""
    text = " ".join(_CONTROL.sub(" ", text[: most * 4]).replace("```", "'''").split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _cut(text: str, most: int) -> str:
    """Return as much of `text` as fits into `most` bytes of UTF-8."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore")
