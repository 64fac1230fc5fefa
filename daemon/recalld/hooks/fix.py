"""What was done about an error the last time it came up."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from tantivy import Occur, Query

from recalld import analysis
from recalld.hooks.context import clip
from recalld.hooks.errors import MAX_LINE, error_lines, lasting
from recalld.hooks.evidence import FLOOR
from recalld.hooks.history import behind, called, newest
from recalld.hooks.payload import MAX_OUTPUT
from recalld.hooks.recall import Told, line
from recalld.hooks.scope import is_own, not_own
from recalld.hooks.words import EVERYDAY
from recalld.index.documents import StoredRecord, StoredSession
from recalld.index.reader import Snapshot
from recalld.questions.common import call_of
from recalld.questions.runs import may_have_failed, tries, try_of, worked
from recalld.shell_report import is_printed

MIN_WORTH = 7.0
"""What the words of an error line must come to, each by how few records hold it: a line that half of all failures print
("error: command failed") comes to less."""
SHARE = 0.8
"""Share of an error's words that one line of the earlier output must hold."""
ASKED_FOR = 5
"""Words of an error that a record must hold to be looked at, the rarest that are known."""
CANDIDATES = 12
AFTER = 40
"""Messages behind an error in which its fix is looked for."""
LINES = 6


def fix(snapshot: Snapshot, output: str, agent: str, asking: str | None, said: set[Hashable]) -> Told | None:
    """Return what followed the last time that a line of `output` was printed, where that helped, or None.

    The session `asking` of `agent` is no answer, nor are its sub-agents and what it shares records with. An error that
    nothing was done about, or that the last attempt did not get rid of, is not spoken of.
    """
    others = not_own(snapshot, agent, asking, sub_agents=True)
    for text in error_lines(output):
        terms = lasting(text)
        if not terms or _worth(snapshot, terms) < MIN_WORTH:
            continue
        rarest = sorted(terms, key=lambda t: snapshot.searcher.doc_freq("text", t))
        known = [t for t in rarest if snapshot.searcher.doc_freq("text", t)]
        if len(known) < SHARE * len(terms):
            continue
        musts = [Query.term_query(snapshot.schema, "text", t) for t in known[:ASKED_FOR]]
        musts += [snapshot.term("type", "r"), snapshot.term("kind", "output")]
        query = Query.boolean_query([*((Occur.Must, q) for q in musts), *others])
        unproven: Told | None = None
        for record in newest(snapshot, query, CANDIDATES):
            met = _line_of(record.text, terms, known[0])
            session = snapshot.session(record.skey)
            if met is None or session is None or is_own(session, agent, asking):
                continue
            told, proven = _told(snapshot, session, record, met, said)
            if told is not None and proven:
                return told
            unproven = unproven or told
        if unproven is not None:
            return unproven
    return None


def _worth(snapshot: Snapshot, terms: Sequence[str]) -> float:
    records = max(snapshot.frequency("type", "r"), FLOOR * 10)
    worth = 0.0
    for term in terms:
        rarity = math.log((records + 1) / (snapshot.searcher.doc_freq("text", term) + 0.5))
        worth += max(0.0, min(rarity, 4.0) - 1.5) * (0.25 if term in EVERYDAY else 1.0)
    return worth


def _line_of(text: str, terms: Sequence[str], rarest: str) -> str | None:
    """Return the line of an earlier output that is the same error, or None. `rarest` is one of `terms`."""
    wanted = set(terms)
    ends = text if len(text) <= MAX_OUTPUT else f"{text[: MAX_OUTPUT // 2]}\n{text[-MAX_OUTPUT // 2 :]}"
    for candidate in ends.splitlines():
        if rarest not in analysis.fold(candidate[:MAX_LINE]):  # cheap, and true of few lines
            continue
        candidate = candidate.strip()[:MAX_LINE]
        # A command may hold the words of the error that it gives.
        if is_printed(candidate) and len(wanted & set(analysis.terms(candidate))) >= SHARE * len(wanted):
            return candidate
    return None


def _told(
    snapshot: Snapshot, session: StoredSession, record: StoredRecord, met: str, said: set[Hashable]
) -> tuple[Told | None, bool]:
    """Return (what there is to say of one earlier failure, whether the command worked in the end)."""
    key = ("fix", record.skey, record.ord)
    if key in said:
        return None, False
    call = call_of(snapshot, record)
    if not may_have_failed(record, call):
        return None, False
    command = (call.command if call else None) or ""
    steps, held = what_followed(behind(snapshot, record, AFTER), record, met, command)
    if not steps or sum(s.key in said for s in steps) * 2 > len(steps):
        return None, False  # nothing to tell, or most of it was told for a prompt
    lines = [
        f"This error was met before ({called(snapshot, session)}):",
        f"> {clip(met, 200)}",
        "What followed, until the command worked:" if held else "What was done about it then:",
        *(f"- {line(step, size=220)}" for step in steps),
    ]
    shown = [record, *([call] if call else []), *steps]
    return Told("\n".join(lines), (key, *(r.key for r in shown)), (record.skey,)), bool(held)


def what_followed(
    records: Sequence[StoredRecord], failed: StoredRecord, met: str, command: str
) -> tuple[list[StoredRecord], bool | None]:
    """Return (the steps that followed a failure, whether they helped).

    `records` are those of the session behind the failure, in order, `command` is what failed. True: it was tried again
    after them and worked; None: something was changed, and nothing tells. What was followed by the same error again is
    left out, but for edits, which may be a part of the cure; no steps where nothing was changed or the error was the
    last word. An edit that failed changed nothing.
    """
    commands = {r.call: r.command for r in records if r.kind == "command" and r.call and r.command}
    failures = {r.call for r in records if r.kind == "output" and r.is_error and r.call}
    wanted = try_of(command)
    steps: list[StoredRecord] = []
    changed = False
    held: bool | None = None
    for record in records:
        if record.kind == "output":
            again = commands.get(record.call or "", "")
            if met[:80] in record.text:
                changed = False
                steps = [s for s in steps if s.kind == "edit"]
            elif changed and tries(again, wanted) and worked(record, again):
                held = True
                break
        elif record.kind == "command" or (record.kind == "edit" and record.call not in failures):
            changed = True
            steps.append(record)
        elif record.kind == "message" and record.text.strip():
            if record.role == "user" and changed:
                break  # the next task has begun
            steps.append(record)
    if not changed:
        return [], None
    closing = _explanation(records, steps, failed)
    kept = [s for s in steps if s.kind != "message"][-LINES + 1 :]
    if closing is not None:
        kept.append(closing)
    elif held is None:
        return [], None  # nobody said that it helped
    return sorted(kept, key=lambda r: (r.offset, r.sub)), held


def _explanation(records: Sequence[StoredRecord], steps: Sequence[StoredRecord], failed: StoredRecord) -> StoredRecord | None:
    """Return what the assistant said about it: right after the last step, else the first thing after the failure."""
    last = max((s.ord for s in steps if s.kind != "message"), default=failed.ord)
    said = [r for r in records if r.kind == "message" and r.role == "assistant" and r.text.strip() and r.ord > failed.ord]
    behind = [r for r in said if r.ord >= last]
    return behind[0] if behind and behind[0].ord <= last + 4 else said[0] if said else None
