"""The redactor: one pass that finds where a secret may be, a closer look at each place, and the names put in.

Almost all text holds no secret, so the cost is that of finding out. All literals of all rules are looked for at once by
one Aho-Corasick automaton, whose speed does not depend on their number; Python runs only where one occurs, and looks at
a bounded stretch of text there. So the time is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation, MatchKind

from recalld.redact import assign, drawn, names, near
from recalld.redact.judge import KIND_OF, Span
from recalld.redact.names import Category
from recalld.redact.rules import KINDS as RULE_KINDS
from recalld.redact.rules import RULES, Rule
from recalld.redact.tokens import BEHIND_REACH, TOKENS, Token

_MARK = "[redacted:"
_ONE_SLASH = re.compile(r":/(?!/)")
_MARKER = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")

MAX_ROUNDS = 8
"""Rounds until nothing more is found. What a first round replaced can uncover something (a value that ends elsewhere
now); two rounds do for ordinary text."""

REACH = 256
"""Characters on either side that go with a secret that is still uncovered then: the text was made for that. Four
times as many with every further round, so that it ends soon."""


class _Entry(NamedTuple):
    """What to do where one literal occurs."""

    name: tuple[int, Category] | None
    """Length of the name within the literal, and its category."""
    tokens: tuple[Token, ...]
    rules: tuple[Rule, ...]


class _Automaton:
    """All literals, compiled. Built once a process, in about 20 ms."""

    def __init__(self) -> None:
        named = names.literals()
        tokens: dict[str, list[Token]] = {}
        rules: dict[str, list[Rule]] = {}
        for token in TOKENS:
            for literal in token.literals:
                tokens.setdefault(literal, []).append(token)
        for rule, literals in RULES:
            for literal in literals:
                rules.setdefault(literal, []).append(rule)
        every = list(dict.fromkeys([*named, *tokens, *rules, _MARK]))
        self.entries = [
            _Entry(
                (names.name_length(literal), named[literal]) if literal in named else None,
                tuple(tokens.get(literal, ())),
                tuple(rules.get(literal, ())),
            )
            for literal in every
        ]
        self._mark = len(every) - 1
        # Text beyond ASCII is rarer and slower to look at anyway: a table of 1 MB that is read at 190 MB/s will do for
        # it. The ASCII one takes 6 MB and is read at 500.
        self._any = AhoCorasick(every, MatchKind.Standard, False, Implementation.ContiguousNFA)
        self._ascii_entries = [number for number, literal in enumerate(every) if literal.isascii()]
        self._ascii = BytesAhoCorasick(
            [every[number].encode() for number in self._ascii_entries], MatchKind.Standard, Implementation.DFA
        )

    def spans(self, text: str) -> list[Span]:
        """Return every secret found in `text`; spans may overlap."""
        if text.isascii():
            data = text.encode()
            hits = self._ascii.find_matches_as_indexes(data, overlapping=True)
            if hits:
                places = self._ascii_entries
                hits = [(places[number], start, end) for number, start, end in hits]
        else:
            data = text.encode("ascii", "replace")
            try:
                hits = self._any.find_matches_as_indexes(text, overlapping=True)
            except UnicodeEncodeError:  # lone surrogates: the same text with one question mark for each
                hits = self._any.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)
        found = self._look(text, hits) if hits else []
        if len(data) >= drawn.RUN:
            runs = data.translate(drawn.TABLE)
            at = runs.find(drawn.NEEDLE)
            if at >= 0:
                found.extend(drawn.find(text, runs, at, list(found[:64]), told=bool(hits)))
        return found

    def _look(self, text: str, hits: list[tuple[int, int, int]]) -> list[Span]:
        found: list[Span] = []
        entries = self.entries
        marked = -1  # end of the marker that the scan stands in
        if any(number == self._mark for number, _, _ in hits):
            hits.sort(key=lambda hit: hit[1])
        named_until = -1  # end of the last named value: what it names inside goes with it
        line_until = quoted_until = -1  # ends of the lines that were read for what only the line gives away
        covered = -1  # end of the last token found: its own text is not looked at again
        for number, start, end in hits:
            if start < marked or start < covered:
                continue
            if number == self._mark:
                marker = _MARKER.match(text, start)
                if marker is not None:
                    marked = marker.end()
                continue
            name, tokens, rules = entries[number]
            for token in tokens:
                span = token.find(text, start) if token.form.match(text, start) else None
                if span is not None and token.random and text.endswith(drawn.LABELS, max(0, span[0] - 8), span[0]):
                    continue  # a hash that happens to begin so
                if span is not None:
                    begin, stop = span
                    if token.behind is not None:
                        before = token.behind.search(text[max(0, start - BEHIND_REACH) : start])
                        if before is None:
                            continue
                        begin = start - len(before[0])
                    found.append((begin, stop, token.kind))
                    covered = max(covered, stop)
            for rule in rules:
                found.extend(rule(text, start, end))
            if name is not None and start >= named_until:
                length, category = name
                named = assign.find(text, start, start + length, category, named_until)
                if named is not None:
                    found.append(named)
                    named_until = named[1]
                elif "encryptedData" in text[max(0, start - 300) : start]:
                    continue
                elif start >= line_until:
                    begin, line_until = near.line_of(text, start)
                    found.extend(near.printed(text, begin, line_until))
                    found.extend(near.fed(text, begin, start))
                    if category == "password":
                        found.extend(near.sharp(text, begin, line_until))
                        quoted_until = line_until
                elif category == "password" and start >= quoted_until:
                    begin, quoted_until = near.line_of(text, start)
                    found.extend(near.sharp(text, begin, quoted_until))
        return found


@lru_cache(maxsize=1)
def _automaton() -> _Automaton:
    return _Automaton()


def _merge(spans: list[Span]) -> list[Span]:
    """Return spans in order, overlapping ones as one, under the name of the most telling kind among them."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda s: (s[0], -s[1])):
        if merged and start < merged[-1][1]:
            first, last, before = merged[-1]
            named = kind if before in _GENERAL and kind not in _GENERAL else before
            merged[-1] = (first, max(last, end), named)
        else:
            merged.append((start, end, kind))
    return merged


KINDS = frozenset(token.kind for token in TOKENS) | RULE_KINDS | {drawn.KIND} | frozenset(KIND_OF.values())
"""Every kind that the rules name; `recalld.secret_kinds` lists them for the configuration."""

_GENERAL = frozenset(
    {"password", "secret", "token", "api-key", "authorization", "bearer-token", "url-password", "cookie", drawn.KIND}
)
"""Kinds that tell of the surroundings; one that tells of the secret itself goes before."""


class Redactor:
    """Replaces secrets by the name of their kind: `[redacted:github-token]`. `counts` says how many of each.

    Kinds named in `disabled` are left as they are. One instance belongs to one thread; instances are cheap. Several
    may count into one `counts`.
    """

    def __init__(self, *, disabled: frozenset[str] = frozenset(), counts: Counter[str] | None = None) -> None:
        self.disabled = disabled
        self.counts: Counter[str] = Counter() if counts is None else counts
        self._spans = _automaton().spans

    def redact(self, text: str) -> str:
        """Return `text` without its secrets; the very same object where there are none. Idempotent; never raises."""
        spans = self._spans(text)
        if not spans:
            return text
        rounds, reach = 0, 0
        while spans:
            rounds += 1
            if rounds > MAX_ROUNDS:
                reach = 4 * reach or REACH
                spans = [(max(0, start - reach), min(end + reach, len(text)), kind) for start, end, kind in spans]
            replaced = self._replace(text, spans)
            if replaced is text and not 0 < reach < len(text):
                break
            text = replaced
            spans = self._spans(text)
        return text

    def redact_place(self, path: str) -> str:
        """Return a directory's or a branch's name without its secrets. The system makes one slash of a URL's two:
        `/w/https:/ada:…@example.com`."""
        if ":/" not in path or "@" not in path:
            return self.redact(path)
        spread = _ONE_SLASH.sub("://", path)
        found = self.redact(spread)
        return path if found == spread else found if spread == path else found.replace("://", ":/")

    def _replace(self, text: str, spans: list[Span]) -> str:
        pieces: list[str] = []
        at = 0
        if self.disabled:
            left = [s for s in spans if s[2] in self.disabled]
            # what is left under its own name is not taken for its looks
            spans = [s for s in spans if s[2] != drawn.KIND or not any(s[0] < x[1] and x[0] < s[1] for x in left)]
            spans = [s for s in spans if s[2] not in self.disabled]
        for start, end, kind in _merge(spans):
            start, end = _clear_of_markers(text, start, end)
            if start >= end:
                continue
            pieces += (text[at:start], _MARK, kind, "]")
            self.counts[kind] += 1
            at = end
        if not pieces:
            return text
        pieces.append(text[at:])
        return "".join(pieces)


def _clear_of_markers(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without a marker that is all of it, or that it cuts into."""
    begin = text.rfind(_MARK, max(0, start - 48), start)
    if begin >= 0:
        marker = _MARKER.match(text, begin)
        if marker is not None and marker.end() > start:
            start = marker.end()
    inside = text[start:end]
    if _MARK in inside and not _MARKER.sub("", inside).strip(" \t\r\n\\\"'`,;:.()[]{}|&=<>-_/"):
        return (start, start)
    begin = text.rfind(_MARK, start, end)
    if begin >= 0:
        marker = _MARKER.match(text, begin)
        if marker is not None and marker.end() > end:
            end = marker.end()
    return start, end


def redact_place(path: str) -> str:
    """Return a directory's name without its secrets, as the index holds it."""
    return Redactor().redact_place(path)


def redact_message(text: str) -> str:
    """Return a log or error message without its secrets."""
    return Redactor().redact(text)
