"""`fix`: when an error was met before, what was done next, and whether it came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tantivy import Occur, Query

from recalld import analysis, answers
from recalld.index.documents import StoredRecord
from recalld.index.reader import Snapshot
from recalld.questions import common, errors, part
from recalld.questions.runs import may_have_failed, only_looks, worked
from recalld.search.boundary import guarded
from recalld.search.filters import Filters
from recalld.shell_report import is_printed, without_label

_LOOKED_AT, _LOOKED_AT_FOR_LITTLE = 120, 40
"""Outputs that are read for the error, the likeliest ones: 4 ms. For an error of one or two words most lines of many
outputs must be compared: 12 ms."""
_ALIKE = 0.75
"""Likeness from which two lines are the same error."""
_LINES = 200
"""Lines of an output with one of the error's words that are looked at."""
_PART = 0.7
"""Likeness of a line of which a part was asked for."""
_WORDS = 3
"""Words from which what was asked is looked for in longer lines anyway."""
_ASKED = 8000
"""Characters of what was asked that are looked at."""
_MAX_TERMS = 12
_FOLLOWED = 24
"""Commands, edits and outputs behind an error that are looked at."""
_NEXT = 5
"""Records after the error that are shown."""


@dataclass(slots=True)
class _Met:
    record: StoredRecord
    line: str
    likeness: float
    normal: str | None = None
    """The line without what varies, where only a part of it was asked for: such lines need not be the same error."""


@guarded
def fix(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"asked", "fixes": [{"error", "time", "session", "next", "held"}], "total"}` for an error as it is
    printed.

    Numbers, paths, ids and addresses in it do not matter. A part of it does where that tells an error (its code, its
    class, a few words) and no whole line is met. One fix a session: what was run or edited after the error was
    last met there. `held`: False where it came back in a later session of the same project, True where it did not
    and a command that changes something, or what was run after a change, worked, None where nothing tells. Other
    params: `agent`, `project`, `since`, `until`, `limit`.
    """
    asked = common.required(params, "error")
    limit = common.limit_of(params, 10)
    wanted = [n for n in dict.fromkeys(map(errors.normalised, errors.telling_lines(asked[:_ASKED])[:8])) if errors.words_of(n)]
    if not wanted:
        wanted = [errors.normalised(asked)]
    chosen = common.compiled(snapshot, params)
    little = max(len(errors.words_of(n)) for n in wanted) < _WORDS
    met = _met(snapshot, chosen, asked, wanted, _LOOKED_AT_FOR_LITTLE if little else _LOOKED_AT)
    if not met or little:
        whole = {one.record.key for one in met}
        for record, line in part.met(snapshot, chosen, asked):
            if record.key not in whole:
                met.append(_Met(record, line, _PART, errors.normalised(line)))
    last: dict[str, _Met] = {}
    for one in met:
        known = last.get(one.record.skey)
        if known is None or (one.record.offset, one.record.sub) > (known.record.offset, known.record.sub):
            last[one.record.skey] = one
    fixes = [(m, *_after(snapshot, m, met)) for m in last.values()]
    rank = {True: 0, None: 1, False: 2}
    fixes.sort(key=lambda f: (not f[1], rank[f[2]], -f[0].likeness, -(f[0].record.time or 0), f[0].record.key))
    answer = {
        "asked": asked,
        "fixes": [_json(snapshot, m, actions, held) for m, actions, held in fixes[:limit]],
        "total": len(fixes),
    }
    return common.noticed(answer, snapshot, chosen, bool(fixes))


def _met(snapshot: Snapshot, chosen: Filters, asked: str, wanted: list[str], most: int) -> list[_Met]:
    """Return the records that print the error, of the `most` likeliest: outputs, and what a person pasted."""
    searcher = snapshot.searcher
    words = dict.fromkeys(t for n in wanted for w in sorted(errors.words_of(n)) for t in analysis.tokens(w))
    codes = [t for t in analysis.tokens(asked[:2000]) if any(c.isdigit() for c in t) and any(c.isalpha() for c in t)]
    counted = [(searcher.doc_freq("text", t), t) for t in dict.fromkeys([*words, *codes])]
    rarest = [t for count, t in sorted(counted) if count][:_MAX_TERMS]
    if not rarest:
        return []
    found: dict[str, _Met] = {}
    text = Query.boolean_query([(Occur.Should, Query.term_query(snapshot.schema, "text", t)) for t in rarest])
    printed = common.within(chosen, text, common.kinds(snapshot, "output", "message"))
    for _, address in searcher.search(printed, limit=most, count=False).hits:
        record = common.record_at(snapshot, address)
        if record.kind == "message" and record.role != "user":
            continue
        best = _best_line(record.text, wanted)
        if best and (record.kind == "message" or may_have_failed(record, common.call_of(snapshot, record))):
            found[record.key] = _Met(record, *best)
    return list(found.values())


def _best_line(text: str, wanted: list[str]) -> tuple[str, float] | None:
    """Return (the line most like one of the wanted ones, how alike it is), None where none is alike enough."""
    text = errors.ends(text)
    low = text.lower()
    if len(low) != len(text):
        text = low
    best: tuple[str, float] | None = None
    seen: set[int] = set()
    for normal in wanted:
        words = errors.words_of(normal)
        for start, end in _lines_with(low, words):
            if start in seen:
                continue
            seen.add(start)
            line = text[start:end].strip()
            if not is_printed(line):
                continue
            line = without_label(line)
            alike = max(errors.likeness(n, errors.normalised(line)) for n in wanted)
            if alike >= _ALIKE and (best is None or alike > best[1]):
                best = (line, alike)
                if alike == 1.0:
                    return best
    return best


def _lines_with(low: str, words: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the lines that hold enough of `words` to be the same error.

    A line may lack a quarter of them, so it holds one of any quarter and one more: those are looked for everywhere.
    """
    order = sorted(words, key=lambda w: (-len(w), w))
    for pivot in order[: int(len(order) * (1 - _ALIKE)) + 1]:
        at, looked = low.find(pivot), 0
        while at >= 0 and looked < _LINES:
            looked += 1
            start = low.rfind("\n", 0, at) + 1
            end = low.find("\n", at)
            end = len(low) if end < 0 else end
            line = low[start:end]
            if sum([w in line for w in order]) >= _ALIKE * len(order):
                yield start, end
            at = low.find(pivot, end)


def _after(snapshot: Snapshot, met: _Met, every: list[_Met]) -> tuple[list[StoredRecord], bool | None]:
    """Return (what was run or edited after an error, whether that held)."""
    record = met.record
    doing = common.kinds(snapshot, "command", "edit")
    followed = common.after(snapshot, record, _FOLLOWED, doing)
    made = {r.key for r in common.that_worked(snapshot, [r for r in followed if r.kind == "edit"])}
    actions = [r for r in followed if r.kind == "command" or r.key in made]
    changes = [r for r in actions if r.kind == "edit" or not only_looks(r.command or r.text)]
    if len(actions) > _NEXT and changes:
        actions = changes  # what was looked at on the way is the least of it
    actions = actions[:_NEXT]
    if not actions:
        return [], None
    for other in every:
        later = (other.record.time or 0) > (record.time or 0)
        elsewhere = other.record.skey != record.skey and other.record.project == record.project
        same = met.normal is None or other.normal in (None, met.normal)
        if later and elsewhere and same:
            return actions, False
    if not changes:
        return actions, None
    # What an edit printed itself is no sign that it helped.
    by_call = {r.call: r for r in changes if r.call}
    for output in common.after(snapshot, changes[0], _FOLLOWED, common.kinds(snapshot, "output")):
        by = by_call.get(output.call) if output.call else None
        command = (by.command or by.text) if by and by.kind == "command" else ""
        if (command or output.call is None) and worked(output, command):
            return actions, True
    return actions, None


def _json(snapshot: Snapshot, met: _Met, actions: list[StoredRecord], held: bool | None) -> dict[str, Any]:
    session = snapshot.session(met.record.skey)
    return {
        "error": met.line[:500],
        "time": answers.iso(met.record.time),
        "session": answers.session_json(snapshot, session) if session else None,
        "next": [answers.record_json(snapshot, r) for r in actions],
        "held": held,
    }
