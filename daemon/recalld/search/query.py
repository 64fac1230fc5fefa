"""The query language: from what a person typed to clauses and filters. Every string is a query.

    word  "a phrase"  -word  -"a phrase"  word*  a OR b  field:value  -field:value

Words stand together by AND; OR (upper case, between two words or phrases) binds tighter. What looks like an operator
and
is none, a lone quote, an unknown field, a value that a field does not know, is text like any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from recalld import analysis
from recalld.index.documents import KINDS, ROLES
from recalld.search import times

FIELDS = ("agent", "project", "session", "role", "kind", "tool", "path", "branch", "since", "until", "is")
FLAGS = ("error", "subagent", "abandoned")
KNOWN: dict[str, str] = {
    "role": ", ".join(ROLES),
    "kind": ", ".join(KINDS),
    "is": ", ".join(FLAGS),
    "since": "a date, a time, 7d, 12h, 30m or yesterday",
    "until": "a date, a time, 7d, 12h, 30m or yesterday",
}
"""What the fields take that do not take everything, for people."""
AGENT_NAMES = {"claude": "claude-code", "claudecode": "claude-code", "qwen": "qwen-code", "qwencode": "qwen-code"}
"""Short names that people use for agents."""

MAX_QUERY = 16 * 1024
"""Characters of a query that are looked at; nobody types more, and a pasted log is cut."""

LONGEST_WORD = 256
"""Characters of a word up to which other forms, slips and beginnings of it are looked for. (One of 16,000 has two million
slips: two seconds.)"""

LONGEST_PHRASE = 128
"""Words side by side that are looked for; of a longer phrase the first ones. (8,000 single letters took five seconds.)"""

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」"}
_OPTION = re.compile(r"[\w.-]+=\S+|[A-Za-z]")
_FIELD = re.compile(f"({'|'.join(FIELDS)}):", re.IGNORECASE | re.ASCII)
"""ASCII: else `İs:` is `is:` to the expression and to nothing else."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or phrase of a query."""

    text: str
    """As typed, without quotes and operators."""
    tokens: tuple[str, ...]
    """The index's terms for it, at least one; several must stand side by side."""
    quoted: bool = False
    prefix: bool = False
    """The last token stands for all that begin with it."""


Clause = tuple[Word, ...]
"""Alternatives, of which one must occur."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What a query asks for."""

    text: str
    clauses: tuple[Clause, ...] = ()
    minus: tuple[Word, ...] = ()
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Values by field, validated; several mean either."""
    minus_filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    odd: tuple[str, ...] = ()
    """What looks like a filter and has a value that its field does not know, as typed: it is text."""
    cut: bool = False
    """There was more of it than MAX_QUERY."""
    wordless: bool = False
    """There was text, but nothing in it that an index holds: it can find nothing."""

    @property
    def phrases(self) -> tuple[Word, ...]:
        """The quoted phrases that must occur."""
        return tuple(c[0] for c in self.clauses if len(c) == 1 and c[0].quoted and len(c[0].tokens) > 1)


@dataclass(slots=True)
class _Item:
    kind: Literal["word", "filter", "or"]
    text: str
    name: str = ""
    minus: bool = False
    quoted: bool = False


def valid_value(name: str, value: str, clock: times.Clock) -> str | None:
    """Return the value of a filter in its canonical form, or None where the field does not know it."""
    folded = analysis.fold(value)
    if name == "agent":
        return AGENT_NAMES.get(folded, folded)
    if name == "role":
        return folded if folded in ROLES else None
    if name == "kind":
        return folded if folded in KINDS else None
    if name == "is":
        return folded if folded in FLAGS else None
    if name in ("since", "until"):
        moment = times.parse(value, clock, end=name == "until")
        return None if moment is None else str(moment)
    if name in ("tool", "branch"):
        return folded
    if name == "path":
        return value if analysis.tokens(value) else None
    return value


def _scan(text: str, clock: times.Clock, odd: list[str]) -> list[_Item]:
    items: list[_Item] = []
    at, size = 0, len(text)
    while at < size:
        if text[at].isspace():
            at += 1
            continue
        start = at
        minus = text[at] == "-" and at + 1 < size and not text[at + 1].isspace() and text[at + 1] != "-"
        if minus:
            at += 1
        named = _FIELD.match(text, at)
        if named:
            value, after, _ = _value(text, named.end())
            name = named[1].lower()
            canonical = valid_value(name, value, clock) if value.strip() else None
            if canonical is not None:
                items.append(_Item("filter", canonical, name, minus))
                at = after
                continue
            if value.strip() and name in KNOWN:
                odd.append(f"{name}:{value}")
        value, after, quoted = _value(text, at)
        if value == "OR" and not quoted and not minus:
            items.append(_Item("or", value))
        elif value:
            items.append(_Item("word", value, minus=minus, quoted=quoted))
        at = max(after, start + 1)
    return items


def _value(text: str, at: int) -> tuple[str, int, bool]:
    """Return (the quoted or bare value that begins at `at`, where it ends, whether it was quoted)."""
    closing = _QUOTES.get(text[at]) if at < len(text) else None
    if closing:
        end = text.find(closing, at + 1)
        if end > at + 1:
            return text[at + 1 : end], end + 1, True
    end = at
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[at:end], end, False


def _word(item: _Item) -> Word | None:
    text = item.text
    prefix = not item.quoted and 1 < len(text) <= LONGEST_WORD and text.endswith("*") and not text.endswith("**")
    if prefix:
        prefix = text[-2].isalnum() and not re.fullmatch(f"[{analysis.UNSPACED}]", text[-2])
        text = text[:-1]
    tokens = analysis.tokens(text)[:LONGEST_PHRASE]
    return Word(text, tokens, item.quoted, prefix) if tokens else None


def parse(text: str, clock: times.Clock) -> ParsedQuery:
    """Return what `text` asks for. Never raises: any string is a query."""
    cut = len(text) > MAX_QUERY
    text = text[:MAX_QUERY].encode("utf-8", "replace").decode()
    odd: list[str] = []
    items = _scan(text, clock, odd)
    if any(item.minus and item.kind == "word" and not item.quoted and _OPTION.fullmatch(item.text) for item in items):
        for item in items:  # a command line: nobody leaves out what has a value, or a single letter
            item.minus = item.minus and (item.kind != "word" or item.quoted)
    for n, item in enumerate(items):
        if item.kind == "or" and not _joins(items, n):
            item.kind = "word"
    clauses: list[Clause] = []
    minus: list[Word] = []
    filters: dict[str, list[str]] = {}
    minus_filters: dict[str, list[str]] = {}
    wordless = False
    joined: list[Word] | None = None
    for n, item in enumerate(items):
        if item.kind == "or":
            continue
        if item.kind == "filter":
            (minus_filters if item.minus else filters).setdefault(item.name, []).append(item.text)
            continue
        word = _word(item)
        if item.minus:
            if word:
                minus.append(word)
            continue
        follows = n > 0 and items[n - 1].kind == "or"
        if not follows:
            if joined:
                clauses.append(tuple(dict.fromkeys(joined)))
            joined = []
        if word and joined is not None:
            joined.append(word)
        elif not word:
            wordless = True
    if joined:
        clauses.append(tuple(dict.fromkeys(joined)))
    return ParsedQuery(
        text,
        tuple(dict.fromkeys(clauses)),
        tuple(dict.fromkeys(minus)),
        {name: tuple(dict.fromkeys(values)) for name, values in filters.items()},
        {name: tuple(dict.fromkeys(values)) for name, values in minus_filters.items()},
        tuple(dict.fromkeys(odd)),
        cut,
        wordless and not clauses,
    )


def _joins(items: list[_Item], n: int) -> bool:
    """Tell whether the OR at `n` stands between two words, or between two filters of one field (which mean either
    anyway)."""
    if not 0 < n < len(items) - 1:
        return False
    before, after = items[n - 1], items[n + 1]
    if before.minus or after.minus or "or" in (before.kind, after.kind):
        return False
    if before.kind == after.kind == "word":
        return True
    return before.kind == after.kind == "filter" and before.name == after.name
