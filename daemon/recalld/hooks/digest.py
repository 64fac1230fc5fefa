"""What a session is told when it starts: where this project stands. After a compaction: what it did itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from tantivy import Occur, Query

from recalld.hooks.context import clip
from recalld.hooks.files import absolute_paths
from recalld.hooks.history import NAMES, any_term, called, day, newest
from recalld.hooks.recall import Told
from recalld.hooks.scope import Scope
from recalld.hooks.words import units
from recalld.index.documents import StoredRecord, StoredSession, from_body, session_key
from recalld.index.reader import Snapshot

SESSIONS, DECISIONS, OPEN, FILES, COMMANDS = 4, 4, 3, 8, 8
"""Lines of each part at most."""
_LOOKED_AT = 100
SPECIFIC = 3
"""Words of a last prompt without an answer that are not everybody's, from which it counts as a task."""
_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？]+|\n|$)")
_ASKED_FOR = re.compile(
    r"\b(?:always|never|from now on|we decided|decided|let's go with|we use|we do not|we don't|do not use|don't use|"
    r"must not|no longer|convention|we want|only use|remember:|immer|niemals|ab jetzt|entschieden|siempre|nunca|"
    r"toujours|jamais|désormais)\b|一律|以后都|不要再|必ず|今後は|항상|앞으로",
    re.IGNORECASE,
)
"""How people say what is to hold from now on."""
_DECIDED = re.compile(r"\b(?:decided|decision|from now on|agreed|convention|noted in|keep to that)\b", re.IGNORECASE)
"""How agents put down what was decided."""
_OPEN = re.compile(
    r"\b(?:todo|to do|next step|next steps|remaining|still (?:open|missing|need|needs|fails?|failing|to)|left to|"
    r"not yet|follow[- ]up|pending|unfinished|open question|noch offen|fehlt noch|pendiente|reste à)\b"
    r"|未完|待办|残り|남은",
    re.IGNORECASE,
)


def at_start(snapshot: Snapshot, scope: Scope) -> Told | None:
    """Return what the project's other sessions left: the last ones, decisions, what is open, files touched last."""
    last = _last_sessions(snapshot, scope)
    if not last:
        return None
    skeys = any_term(snapshot, "skey", [s.skey for s in last])
    messages = newest(snapshot, scope.records(snapshot, snapshot.term("kind", "message"), skeys), _LOOKED_AT)
    everywhere = newest(snapshot, scope.records(snapshot, snapshot.term("kind", "message")), _LOOKED_AT)
    edits = newest(snapshot, scope.records(snapshot, snapshot.term("kind", "edit")), _LOOKED_AT)
    root = scope.roots[0]
    parts = ["Where this project stands, from earlier sessions:", "Last sessions:"]
    for session in last[:SESSIONS]:
        title = f" “{clip(session.title, 90)}”" if session.title else ""
        parts.append(f"- {called(snapshot, session)}{title}")
    parts += _part("Decided:", [f"{day(r.time)}: {text}" for r, text in _decisions(everywhere)])
    parts += _part("Open:", _left_open(messages, last))
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

    edits, commands = of(snapshot.term("kind", "edit")), of(snapshot.term("kind", "command"))
    failed = {r.call for r in of(snapshot.term("kind", "output"), snapshot.term("flag", "error"))}
    messages = of(snapshot.term("kind", "message"))
    asked = [r for r in messages if r.role == "user"]
    files = _files(edits, root)
    ran = list(
        dict.fromkeys(f"{clip(r.command or '', 140)}{' (failed)' if r.call in failed else ''}" for r in commands)
    )[:COMMANDS]
    if not files and not ran and not asked:
        return None
    parts = ["What this session did before its context was compacted:"]
    parts += _part("Asked last:", [clip(r.text, 200) for r in asked[:2]])
    parts += _part("Decided:", [text for _, text in _decisions(messages)])
    parts += _part("Files edited, last first:", files)
    parts += _part("Commands run, last first:", ran)
    return Told("\n".join(parts), ())


def _last_sessions(snapshot: Snapshot, scope: Scope) -> list[StoredSession]:
    hits = snapshot.searcher.search(scope.sessions(snapshot), limit=12, count=False, order_by_field="time").hits
    found = [from_body(StoredSession, snapshot.searcher.doc(address)["body"][0]) for _, address in hits]
    return [s for s in found if s.records][: SESSIONS * 2]


def _part(title: str, lines: Iterable[str]) -> list[str]:
    found = [f"- {line}" for line in lines if line]
    return [title, *found] if found else []


def _decisions(messages: Sequence[StoredRecord]) -> list[tuple[StoredRecord, str]]:
    """Return what was decided, what people said before what agents put down."""
    said = _sentences([m for m in messages if m.role == "user"], _ASKED_FOR, DECISIONS)
    noted = _sentences([m for m in messages if m.role == "assistant"], _DECIDED, DECISIONS)
    return [*said, *noted][:DECISIONS]


def _sentences(records: Sequence[StoredRecord], what: re.Pattern[str], most: int) -> list[tuple[StoredRecord, str]]:
    """Return the sentences of `records` that match, each once, one a record."""
    found: dict[str, StoredRecord] = {}
    for record in records:
        for sentence in _SENTENCE.findall(record.text[:4000]):
            if what.search(sentence) and 12 <= len(sentence.strip()) <= 400:
                found.setdefault(clip(sentence, 180), record)
                break
        if len(found) >= most:
            break
    return [(record, text) for text, record in found.items()]


def _left_open(messages: Sequence[StoredRecord], last: Sequence[StoredSession]) -> list[str]:
    """Return what the last sessions ended on without an end: a question not answered, a rest that was named."""
    lines: list[str] = []
    for session in last:
        own = [m for m in messages if m.skey == session.skey]
        if not own or len(lines) >= OPEN:
            continue
        ending = own[0]
        if ending.role == "user":
            if sum(not unit.everyday for unit in units(ending.text)) < SPECIFIC:
                continue  # "ok, continue" leaves nothing open
            lines.append(f"{day(ending.time)}, asked and not answered: {clip(ending.text, 160)}")
        else:
            said = _sentences(own[:1], _OPEN, 1)
            lines += [f"{day(r.time)}, {NAMES.get(r.agent, r.agent)}: {text}" for r, text in said]
    return lines[:OPEN]


def _files(edits: Sequence[StoredRecord], root: str) -> list[str]:
    found: dict[str, str] = {}
    for record in edits:
        for path in absolute_paths(record):
            inside = os.path.relpath(path, root) if path.startswith(root.rstrip("/") + "/") else path
            found.setdefault(clip(inside, 120), day(record.time))
    return [f"{path} ({when})" for path, when in list(found.items())[:FILES]]
