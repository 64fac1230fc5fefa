"""What a session is told when it starts: where this project stands. After a compaction: what it did itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tantivy import FieldType, Occur, Query

from recalld.hooks.context import clip
from recalld.hooks.files import absolute_paths
from recalld.hooks.history import NAMES, called, day, newest
from recalld.hooks.recall import Told
from recalld.hooks.scope import Scope, is_own
from recalld.hooks.sentences import left_over, put_down, sentences, to_hold
from recalld.hooks.words import units
from recalld.index.documents import StoredRecord, StoredSession, from_body, session_key
from recalld.index.reader import Snapshot
from recalld.questions.common import that_worked

SESSIONS, DECISIONS, OPEN, FILES, COMMANDS = 4, 4, 3, 8, 8
"""Lines of each part at most."""
_LOOKED_AT = 100
SPECIFIC = 3
"""Words of a last prompt without an answer that are not everybody's, from which it counts as a task."""


def at_start(snapshot: Snapshot, scope: Scope) -> Told | None:
    """Return what the project's other sessions left: the last ones, decisions, what is open, files touched last."""
    last = _last_sessions(snapshot, scope)
    if not last:
        return None
    message = snapshot.term("kind", "message")
    # Asked for one by one: an agent that works alone for long says a hundred things between two of a person's.
    asked, answered = (
        newest(snapshot, scope.records(snapshot, message, snapshot.term("role", role)), _LOOKED_AT)
        for role in ("user", "assistant")
    )
    edited = scope.with_sub_agents(snapshot, snapshot.term("kind", "edit"))
    edits = that_worked(snapshot, newest(snapshot, edited, _LOOKED_AT))
    root = scope.roots[0]
    parts = ["Where this project stands, from earlier sessions:", "Last sessions:"]
    for session in last[:SESSIONS]:
        title = f" “{clip(session.title, 90)}”" if session.title else ""
        parts.append(f"- {called(snapshot, session)}{title}")
    parts += _part("Decided:", [f"{day(r.time)}: {text}" for r, text in _decisions(asked, answered)])
    parts += _part("Open:", _left_open(snapshot, scope, last, asked))
    parts += _part("Touched last:", _files(edits, root))
    return Told("\n".join(parts), (), tuple(s.skey for s in last[:SESSIONS]))


def after_compaction(snapshot: Snapshot, agent: str, session: str, root: str) -> Told | None:
    """Return what this very session touched, ran and was told, from before its context was compacted."""
    own = [
        (Occur.Must, snapshot.term("type", "r")),
        (Occur.Must, snapshot.term("skey", session_key(agent, session))),
        (Occur.MustNot, snapshot.term("flag", "abandoned")),
    ]

    def of(*more: Query) -> list[StoredRecord]:
        return newest(snapshot, Query.boolean_query([*own, *((Occur.Must, q) for q in more)]), _LOOKED_AT)

    edits = that_worked(snapshot, [*of(snapshot.term("kind", "edit")), *_edits_for(snapshot, agent, session)])
    edits.sort(key=lambda r: -(r.time or 0))
    commands = of(snapshot.term("kind", "command"))
    failed = {r.call for r in of(snapshot.term("kind", "output"), snapshot.term("flag", "error"))}
    message = snapshot.term("kind", "message")
    asked, answered = (of(message, snapshot.term("role", role)) for role in ("user", "assistant"))
    telling = [r for r in asked if any(not unit.everyday for unit in units(r.text))]
    files = _files(edits, root)
    ran: dict[str, str] = {}
    for record in commands:  # newest first: how it ended the last time
        ran.setdefault(clip(record.command or "", 140), " (failed)" if record.call in failed else "")
    if not files and not ran and not asked:
        return None
    parts = ["What this session did before its context was compacted:"]
    parts += _part("Asked last:", [clip(r.text, 200) for r in (telling or asked)[:2]])
    parts += _part("Decided:", [text for _, text in _decisions(asked, answered)])
    parts += _part("Files edited, last first:", files)
    parts += _part("Commands run, last first:", [command + how for command, how in ran.items()][:COMMANDS])
    return Told("\n".join(parts), ())


def _edits_for(snapshot: Snapshot, agent: str, session: str) -> list[StoredRecord]:
    """Return the edits of the session's sub-agents, of the newest of all sub-agents: it knows of them what they told it."""
    edits = snapshot.all_of(
        snapshot.term("type", "r"),
        snapshot.term("kind", "edit"),
        snapshot.term("flag", "subagent"),
        snapshot.term("agent", agent),
    )
    found = newest(snapshot, edits, _LOOKED_AT)
    sessions = {skey: snapshot.session(skey) for skey in dict.fromkeys(r.skey for r in found)}
    own = {skey for skey, of in sessions.items() if of is not None and is_own(of, agent, session)}
    return [r for r in found if r.skey in own]


def _last_sessions(snapshot: Snapshot, scope: Scope) -> list[StoredSession]:
    hits = snapshot.searcher.search(scope.sessions(snapshot), limit=12, count=False, order_by_field="time").hits
    found = [from_body(StoredSession, snapshot.searcher.doc(address)["body"][0]) for _, address in hits]
    return [s for s in found if s.records][: SESSIONS * 2]


def _part(title: str, lines: Iterable[str]) -> list[str]:
    found = [f"- {line}" for line in lines if line]
    return [title, *found] if found else []


def _decisions(asked: Sequence[StoredRecord], answered: Sequence[StoredRecord]) -> list[tuple[StoredRecord, str]]:
    """Return what was decided, what people said before what agents put down."""
    said = _sentences(asked, to_hold, DECISIONS)
    noted = _sentences(answered, put_down, DECISIONS)
    return [*said, *noted][:DECISIONS]


def _sentences(records: Sequence[StoredRecord], wanted: Callable[[str], bool], most: int) -> list[tuple[StoredRecord, str]]:
    """Return the sentences of `records` that are `wanted`, each once, one a record."""
    found: dict[str, StoredRecord] = {}
    for record in records:
        for sentence in sentences(record.text[:4000]):
            if wanted(sentence) and 12 <= len(sentence) <= 400:
                found.setdefault(clip(sentence, 180), record)
                break
        if len(found) >= most:
            break
    return [(record, text) for text, record in found.items()]


def _left_open(snapshot: Snapshot, scope: Scope, last: Sequence[StoredSession], asked: Sequence[StoredRecord]) -> list[str]:
    """Return what the last sessions ended on without an end: a question not answered, a rest that was named. What was
    asked again later is told of the later session, if at all."""
    lines: list[str] = []
    for session in last:
        if len(lines) >= OPEN:
            break
        own = snapshot.term("skey", session.skey)
        for ending in newest(snapshot, scope.records(snapshot, snapshot.term("kind", "message"), own), 1):
            if ending.role != "user":
                said = _sentences([ending], left_over, 1)
                lines += [f"{day(r.time)}, {NAMES.get(r.agent, r.agent)}: {text}" for r, text in said]
                continue
            again = any(r.hash == ending.hash and (r.time or 0) > (ending.time or 0) for r in asked)
            if again or sum(not unit.everyday for unit in units(ending.text)) < SPECIFIC:
                continue  # "ok, continue" leaves nothing open
            doing = snapshot.any_term("kind", ["edit", "command"])
            since = Query.range_query(snapshot.schema, "ord", FieldType.Integer, ending.ord, None)
            begun = snapshot.count(scope.records(snapshot, own, doing, since))
            how = "asked, begun and not ended" if begun else "asked and not answered"
            lines.append(f"{day(ending.time)}, {how}: {clip(ending.text, 160)}")
    return lines


def _files(edits: Sequence[StoredRecord], root: str) -> list[str]:
    found: dict[str, str] = {}
    for record in edits:
        for path in absolute_paths(record):
            inside = os.path.relpath(path, root) if path.startswith(root.rstrip("/") + "/") else path
            found.setdefault(clip(inside, 120), day(record.time))
    return [f"{path} ({when})" for path, when in list(found.items())[:FILES]]
