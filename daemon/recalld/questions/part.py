"""What is asked as a part of an error's line: its code (`E0499`), its class (`RangeError`), a few of its words."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from tantivy import Occur, Query

from recalld import analysis
from recalld.index.documents import StoredRecord
from recalld.index.reader import Snapshot
from recalld.questions import common, errors
from recalld.questions.runs import may_have_failed
from recalld.search.boundary import guarded
from recalld.search.english import STOP_WORDS
from recalld.search.filters import Filters, phrase
from recalld.shell_report import is_printed, without_label

MAX_TOKENS = 24
"""Terms that a part may have; what is longer is a line, or several."""
_LOOKED_AT = 40
"""Outputs that are read for a part, the newest ones: with what followed each of them 10 ms."""
_PLACES = 50
"""Places of an output with the part that are looked at."""
_LEAST = 3
"""Letters of a word that says something."""
_LEAST_UNSPACED = 4
"""Characters of a language without spaces that say something."""
_UNSPACED = re.compile(f"[{analysis.UNSPACED}]")
_NAME = re.compile(r"(?=\w*[^\W\d_])\w*\d\w*|\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}[a-z]{2}\w*|\w+_\w+", re.ASCII)
"""A code, a class, an identifier: what stands alone for an error, where `error` or `cache` do not."""
_CODES = frozenset(errno.errorcode.values()) | {"ENOTFOUND", "EAI_AGAIN", "ERESOLVE", "EINTEGRITY", "E404"}
"""Codes that are letters only: the system's, and some that Node.js and npm add to them."""


@guarded
def met(snapshot: Snapshot, chosen: Filters, asked: str) -> list[tuple[StoredRecord, str]]:
    """Return (record, its line) where an error's line holds `asked` as it is written, punctuation aside; [] where that is
    too little to tell an error by.

    Outputs of what failed come first; only where none holds it, those that do not say so and what a person pasted.
    """
    tokens = analysis.tokens(asked)
    if not 0 < len(tokens) <= MAX_TOKENS:
        return []
    # Terms are without accents, texts are not: what is typed with them stands in a text as it is typed.
    written = [tokens] if asked.isascii() else [tokens, re.findall(r"[^\W_]+", asked.lower())]
    pattern = re.compile("|".join([r"[\W_]{0,8}".join(map(re.escape, words)) for words in written if words]))
    text = Query.const_score_query(phrase(snapshot, "text", tokens), 1.0)
    output, message = snapshot.term("kind", "output"), snapshot.term("kind", "message")
    pasted = snapshot.all_of(message, snapshot.term("role", "user"))
    failed = snapshot.all_of(output, snapshot.term("flag", "error"))
    either = Query.boolean_query([(Occur.Should, output), (Occur.Should, pasted)])
    for printed, says_so in ((failed, True), (either, False)):
        found: list[tuple[StoredRecord, str]] = []
        for record in common.newest(snapshot, common.within(chosen, text, printed), _LOOKED_AT):
            line = _line(record.text, pattern, tokens, sure=says_so)
            if line and (says_so or record.kind == "message" or may_have_failed(record, common.call_of(snapshot, record))):
                found.append((record, line))
        if found:
            return found
    return []


def _line(text: str, pattern: re.Pattern[str], tokens: tuple[str, ...], *, sure: bool) -> str | None:
    """Return the line of a text that holds the part and is an error's: one that names a failure before any other."""
    other: str | None = None
    for start, end, line in _places(errors.ends(text), pattern):
        if not is_printed(line) or not _tells(line[start:end], tokens):
            continue
        found = without_label(line.strip())
        if errors.names_failure(line):
            return found
        other = other or found
    return other if sure else None


def _places(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, line) of the places where `text` holds whole words of the pattern."""
    low = text.lower()
    if len(low) != len(text):
        text = low
    at = 0
    for _ in range(_PLACES):
        found = pattern.search(low, at)
        if found is None:
            return
        start, end = found.span()
        at = end
        if _within_a_word(low, start) or _within_a_word(low, end):
            continue
        first = low.rfind("\n", 0, start) + 1
        last = low.find("\n", end)
        line = text[first : len(low) if last < 0 else last]
        yield start - first, end - first, line


def _within_a_word(text: str, at: int) -> bool:
    """Tell whether a word goes on from before `at` to behind it; in a language without spaces none does."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isalnum() and not _UNSPACED.search(around)


def _tells(written: str, tokens: tuple[str, ...]) -> bool:
    """Tell whether a part, as some output has it, says which error it is."""
    if any(_NAME.fullmatch(word) or word in _CODES for word in re.findall(r"\w+", written)):
        return True
    says = [t for t in tokens if len(t) >= _LEAST and t not in STOP_WORDS and not errors.names_failure(t)]
    if sum(_UNSPACED.match(t) is not None for t in tokens) >= _LEAST_UNSPACED:
        return True
    return len(tokens) > 1 and any(not t.isdigit() for t in says)
