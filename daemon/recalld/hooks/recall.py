"""Recall for a prompt: the stretch of an earlier session that answers to it, or nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tantivy import Occur, Query

from recalld.hooks.context import clip
from recalld.hooks.evidence import Evidence, Weighed, weigh
from recalld.hooks.history import called, session_of, stretch
from recalld.hooks.scope import Scope
from recalld.hooks.words import Unit, units
from recalld.index.documents import StoredRecord, StoredSession, hash_of
from recalld.index.reader import Snapshot
from recalld.index.schema import said_term
from recalld.questions.common import that_worked
from recalld.search import snippets

SESSIONS = 2
"""Sessions that one prompt is told of at most."""
SECOND = 0.7
"""Share of the first one's score that a second must come to."""
AROUND = 2
AFTER = 14
"""Messages behind the stretch in which its outcome is looked for."""
LINE = 260
"""Characters of one line."""
FIRST_LINES, LATER_LINES = 7, 3
OUTCOME = 2.0
"""The worth of what came of it, in words of the prompt met."""
LEAST_SHARE = 0.1
"""Share of the best line's worth below which a line is left out."""
LOOKED_FOR = 16
"""Words of the evidence, the weightiest ones, that are looked for in each record."""
SHORT = 24
"""Characters of a message below which it says little by itself."""


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say, and the keys of what it says."""

    text: str
    keys: tuple[Hashable, ...]
    sessions: tuple[str, ...] = ()
    """Keys of the sessions it names."""


def recall(snapshot: Snapshot, scope: Scope, prompt: str, said: set[Hashable]) -> Told | None:
    """Return what the project's history holds that is specific to `prompt` and was not `said` before, or None."""
    asked = units(prompt)
    if not any(not unit.everyday for unit in asked):
        return None
    sessions = snapshot.count(scope.sessions(snapshot))
    if not sessions:
        return None
    found = _found(snapshot, scope, prompt, asked, sessions)
    if found is None:
        return None
    least = max(found.needed, SECOND * found.best[0].score)
    blocks: list[str] = []
    keys: list[Hashable] = []
    named: list[str] = []
    for evidence in found.best[:SESSIONS]:
        session = session_of(snapshot, evidence.number)
        if session is None or evidence.score < least:
            continue
        records = _chosen(snapshot, session, evidence, LATER_LINES if blocks else FIRST_LINES)
        fresh = [r for r in records if r.key not in said]
        if len(fresh) * 2 <= len(records):
            continue  # most of it was said, and the rest makes no sense without
        blocks.append(_block(snapshot, session, evidence, records))
        keys += [r.key for r in records]
        named.append(session.skey)
    if not blocks:
        return None
    ending = "`recall show SESSION` prints a session."
    return Told("\n\n".join(["This was met before in this project:", *blocks, ending]), tuple(keys), tuple(named))


def _found(snapshot: Snapshot, scope: Scope, prompt: str, asked: Sequence[Unit], sessions: int) -> Weighed | None:
    """Return what speaks for the project's sessions, None where it is too little.

    Who asks the same once more, word for word, wants what answered it: where the prompt was asked before, it is no
    evidence as long as there is other. Else one question would answer the next, and wear its words out.
    """
    records = scope.records(snapshot)
    passes = [records]
    same = said_term(hash_of("user", "message", prompt))
    if snapshot.searcher.doc_freq("said", same):
        asking = Query.term_query(snapshot.schema, "said", same)
        passes.insert(0, Query.boolean_query([(Occur.Must, records), (Occur.MustNot, asking)]))
    for where in passes:
        found = weigh(snapshot, asked, where, sessions)
        if found.best and found.best[0].score >= found.needed:
            return found
    return None


def _chosen(snapshot: Snapshot, session: StoredSession, evidence: Evidence, lines: int) -> list[StoredRecord]:
    """Return the records of the stretch that say most, in order: where the prompt's words are, and what came of it."""
    stood = stretch(snapshot, session.skey, max(0, evidence.low - AROUND), evidence.high + AFTER)
    made = {r.key for r in that_worked(snapshot, [r for r in stood if r.kind == "edit"])}
    records = [r for r in stood if r.kind != "edit" or r.key in made]
    worth: dict[str, float] = {}
    for record in records:
        met = sum(_stands(unit, record) for unit in evidence.units[:LOOKED_FOR])
        if met and evidence.low <= record.ord <= evidence.high:
            worth[record.key] = met * _say(record)
    last = max((r.ord for r in records if r.key in worth), default=evidence.high)
    for record in records:
        if record.ord >= evidence.low and record.kind in ("edit", "command", "message"):
            near = 1.0 / (1 + abs(record.ord - last) / 4)
            came = OUTCOME * near * _say(record) * _specific(snapshot, record)
            worth[record.key] = worth.get(record.key, 0.0) + came
    best = sorted((r for r in records if r.key in worth and r.text.strip()), key=lambda r: -worth[r.key])[:lines]
    least = LEAST_SHARE * max((worth[r.key] for r in best), default=0.0)
    return sorted((r for r in best if worth[r.key] >= least), key=lambda r: (r.offset, r.sub))


def _specific(snapshot: Snapshot, record: StoredRecord) -> float:
    """Return how much of its own a record says: what was said or run in the same words before belongs to no story."""
    same = int(snapshot.searcher.doc_freq("said", said_term(record.hash)))
    short = len(record.text) < SHORT and record.kind == "message"
    return (0.6 if short else 1.0) / same if same else 1.0


def _stands(unit: Unit, record: StoredRecord) -> bool:
    tokens = unit.tokens
    patterns = [snippets.pattern(0, tokens, stem=len(tokens) == 1 and tokens[0].isalpha())]
    return bool(snippets.marks(record.text[:4000], patterns))


def _say(record: StoredRecord) -> float:
    """Return how much a record tells a model, by its kind: what was said or run more than what was printed."""
    if record.kind == "message":
        return 1.2 if record.role == "user" else 1.4
    if record.kind == "output":
        return 0.9 if record.is_error else 0.4
    return {"command": 1.0, "edit": 0.9, "summary": 0.5}.get(record.kind, 0.3)


def _block(snapshot: Snapshot, session: StoredSession, evidence: Evidence, records: Sequence[StoredRecord]) -> str:
    title = f" “{clip(session.title, 80)}”" if session.title else ""
    patterns = [snippets.pattern(place, unit.tokens) for place, unit in enumerate(evidence.units[:12])]
    lines = [f"{called(snapshot, session)}{title}"]
    return "\n".join(lines + [f"- {line(record, patterns)}" for record in records])


def line(record: StoredRecord, patterns: Sequence[snippets.Pattern] = (), size: int = LINE) -> str:
    """Return one record on one line: who did what."""
    if record.kind == "command":
        return f"ran: {clip(record.command or record.text, size)}"
    if record.kind == "edit":
        path = record.paths[0] if record.paths else ""
        return f"edited {clip(path, 120)}: {clip(record.text.removeprefix(path), max(60, size - len(path)))}"
    text = record.text
    if len(text) > size and patterns:
        shown, _ = snippets.snippet(text, list(patterns))
        text = (
            shown if record.kind == "output" else f"{clip(text, size // 2)} {shown}" if shown[:20] not in text[:size] else text
        )
    who = {"output": "printed", "summary": "summary", "read": "read", "tool_call": "called"}.get(record.kind, record.role)
    if record.kind == "output" and record.is_error:
        who = "failed with"
    return f"{who}: {clip(text, size)}"
