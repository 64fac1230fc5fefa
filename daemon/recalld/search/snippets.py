"""Snippets: the place in a text that answers, and what to highlight in it.

Words are looked for with `str.find` on the folded text, which runs at memory speed; a folded text that is not as long
as
the original is mapped back character by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from recalld import analysis

WIDTH = 240
"""Characters of a snippet at most."""
_LEAD = 60
"""Characters before the first match, where there are so many."""
_PER_WORD = 8
"""Places of one word that are looked at."""
_LOOKED_AT = 40
"""Occurrences of a stem's letters, within other words too, that are looked at."""
_LOOKED_AT_EXACT = 2000
"""The same for what must occur as written: a phrase may begin with a word that is everywhere."""
_SCAN = 256 * 1024
_LOOKS = ((4 * 1024, "all"), (64 * 1024, "any"))
"""Beginnings of a long text that are looked at first, and how many of the words must stand in one place of it to make
the rest uninteresting. (Of 256 KiB a look for ten words takes 4 ms.)"""
_ELLIPSIS = "…"
_SYMBOLS = {analysis.PLUS_WORD: "++", analysis.SHARP_WORD: "#"}
_UNSPACED = re.compile(f"[{analysis.UNSPACED}]")
_CLUSTER = re.compile("[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL)
_INK = re.compile(r"\S")
_MARKS = ("\x01", "\x02")
_RUN = re.compile("[\x00-\x7f]+|[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one word of a query looks like in a text."""

    word: int
    """The place of the word in the query: a snippet prefers to show many different ones."""
    first: str
    """Folded: the first token."""
    rest: tuple[tuple[str, bool], ...] = ()
    """The other tokens behind it, each with whether something must stand before it."""
    open_end: bool = False
    """The last token may go on."""
    stem: str | None = None
    """Any word that begins with `first` and has this stem."""
    inner: bool = False
    """`first` is one of a script without spaces, or a symbol: it has no edges."""
    part: bool = False
    """Only a part of a camelCase name, told by the case of the original text."""

    @property
    def whole_word(self) -> bool:
        """It is one word of ASCII letters and digits, as it is."""
        return (
            not (self.rest or self.open_end or self.stem or self.inner or self.part)
            and self.first.isascii()
            and self.first.isalnum()
        )


def _surface(token: str) -> str:
    if token in _SYMBOLS:
        return _SYMBOLS[token]
    if token.startswith(analysis.EMOJI_WORD) and len(token) > len(analysis.EMOJI_WORD):
        try:
            return chr(int(token[len(analysis.EMOJI_WORD) :], 16))
        except (ValueError, OverflowError):
            return token
    return token


def _is_inner(surface: str) -> bool:
    return not surface[-1].isalnum() or bool(_UNSPACED.match(surface))


@lru_cache(maxsize=2048)
def pattern(word: int, tokens: tuple[str, ...], *, open_end: bool = False, stem: bool = False) -> Pattern:
    """Return the pattern of `tokens` side by side, or of any word with the stem of a single one."""
    surfaces = [_surface(t) for t in tokens]
    first = surfaces[0]
    if stem and len(tokens) == 1:
        root = analysis.stem(tokens[0])
        common = analysis.common_beginning(root, first)
        if len(common) >= 3:
            return Pattern(word, common, stem=root)
    rest = tuple((after, not (_is_inner(before) or _is_inner(after))) for before, after in pairwise(surfaces))
    return Pattern(word, first, rest, open_end, None, _is_inner(first))


@lru_cache(maxsize=2048)
def part_pattern(word: int, token: str) -> Pattern:
    """Return the pattern of a word as a part of a camelCase name, which folding has hidden: its letters anywhere in a
    word."""
    return Pattern(word, token, inner=True, part=True)


def _edge(text: str, at: int) -> bool:
    """Tell whether no word goes on over the place `at`."""
    return at <= 0 or at >= len(text) or not (text[at - 1].isalnum() and text[at].isalnum())


def find(text: str, patterns: Iterable[Pattern], original: str | None = None) -> list[tuple[int, int, int]]:
    """Return (start, end, word) of the places of `patterns` in a folded text, in order, not all where there are many.

    `original` is the text before folding where every character kept its place: parts of names are told by its case.
    """
    found: list[tuple[int, int, int]] = []
    parts: list[Pattern] = []
    absent: str | None = None
    ascii_only = text.isascii()
    for p in patterns:
        if absent is not None and p.first.startswith(absent):
            continue  # another look for the same word, or a longer one
        if p.part:
            parts.append(p)
            continue
        at, taken, looked = text.find(p.first), 0, 0
        if at < 0:
            absent = p.first
            continue
        if ascii_only and p.whole_word:
            _find_alone(text, p, at, found)
            continue
        most = _LOOKED_AT if p.stem is not None else _LOOKED_AT_EXACT
        while at >= 0 and taken < _PER_WORD and looked < most:
            looked += 1
            end = _end(text, at, p)
            if end:
                found.append((at, end, p.word))
                taken += 1
            at = text.find(p.first, max(end, at + 1))
    if parts and original:
        seen = {word for _, _, word in found}
        missing = [p for p in parts if p.word not in seen]
        if missing and analysis.has_identifiers(original):
            found += _find_parts(text, missing, original)
    found.sort()
    return found


def _find_alone(text: str, p: Pattern, at: int, found: list[tuple[int, int, int]]) -> None:
    """Add the places of a word of ASCII letters and digits in an ASCII text to `found`; `at` is its first occurrence."""
    word, size = p.first, len(text)
    taken = inside = 0
    while at >= 0:
        end = at + len(word)
        if (at and text[at - 1].isalnum()) or (end < size and text[end].isalnum()):
            inside += 1
            if inside > _LOOKED_AT:  # it is a part of many words: an expression passes over them faster
                alone = _alone(word).finditer(text, end)
                found += [(m.start(), m.end(), p.word) for m in islice(alone, _PER_WORD - taken)]
                return
        else:
            found.append((at, end, p.word))
            taken += 1
            if taken == _PER_WORD:
                return
        at = text.find(word, end)


@lru_cache(maxsize=2048)
def _alone(word: str) -> re.Pattern[str]:
    """Return the expression for a word that no letter or digit touches. It begins with the word, which the engine looks
    for fastest."""
    return re.compile(f"{word}(?<![^\\W_]{word})(?![^\\W_])")


def _find_parts(text: str, parts: list[Pattern], original: str) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for p in parts:
        at, looked = text.find(p.first), 0
        while at >= 0 and looked < _LOOKED_AT:
            looked += 1
            end = at + len(p.first)
            if _is_part(original, at, end):
                found.append((at, end, p.word))
            at = text.find(p.first, end)
    return found


def _is_part(original: str, start: int, end: int) -> bool:
    """Tell whether a part of a camelCase name lies between the two places."""
    begins = original[start].isupper() or start == 0 or not original[start - 1].isalnum()
    return begins and (end >= len(original) or not original[end].islower())


def _end(text: str, at: int, p: Pattern) -> int:
    """Return where the match at `at` ends, 0 where there is none."""
    if not p.inner and not _edge(text, at) and not _UNSPACED.match(text[at - 1]):
        return 0
    end = at + len(p.first)
    for token, apart in p.rest:
        start = end
        while end < len(text) and not text[end].isalnum() and not text.startswith(token, end):
            end += 1
        if not text.startswith(token, end) or (apart and end == start):
            return 0
        end += len(token)
    if p.stem is not None:
        while end < len(text) and text[end].isascii() and text[end].isalnum():
            end += 1
        return end if analysis.stem(text[at:end]) == p.stem else 0
    if p.open_end:
        while end < len(text) and text[end].isalnum():
            end += 1
        return end
    closed = _edge(text, end) or _UNSPACED.match(text[end]) or _is_inner(text[end - 1])
    return end if closed else 0


class _Aligned(dict[int, str]):
    """Characters that fold to one character by themselves; NUL stands for all others. Filled as they are met."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        piece = analysis.fold(c) if code else " "
        alone = len(piece) == 1 and not unicodedata.combining(c) and not 0x1100 <= code <= 0x11FF
        self[code] = piece if alone else "\0"
        return self[code]


_ALIGNED = _Aligned()


def folded(text: str) -> tuple[str, list[int] | None]:
    """Return (the text folded, the place in `text` of each of its characters, or None where they are the same)."""
    if text.isascii():
        return text.lower(), None
    short = text.translate(_ALIGNED)
    if "\0" not in short:
        return short, None
    out: list[str] = []
    places: list[int] = []
    for m in _RUN.finditer(text):
        piece, start = short[m.start() : m.end()], m.start()
        if "\0" not in piece:
            out.append(piece)
            places += range(start, m.end())
            continue
        for cluster in _CLUSTER.finditer(text, start, m.end()):
            piece = analysis.fold(cluster[0])
            out.append(piece)
            places += [cluster.start()] * len(piece)
    places.append(len(text))
    return "".join(out), places


def snippet(text: str, patterns: Sequence[Pattern]) -> tuple[str, list[list[int]]]:
    """Return (at most WIDTH characters of `text`, [start, end) of what was found in them, in code points).

    White space is shown as single spaces; what was cut off is shown as an ellipsis.
    """
    wanted = len({p.word for p in patterns})
    for room, enough in _LOOKS:
        if len(text) <= 2 * room:
            break
        beginning = text[: max(text.rfind(" ", 0, room), text.rfind("\n", 0, room), 0)]
        spans = _spans(beginning, patterns)
        if not spans:
            continue
        start, stop = _window(beginning, spans)
        if len({w for a, b, w in spans if start <= a and b <= stop}) >= (wanted if enough == "all" else 1):
            return _shown(text, start, stop, spans)
    text = text[:_SCAN]
    spans = _spans(text, patterns)
    start, stop = _window(text, spans)
    return _shown(text, start, stop, spans)


def _spans(text: str, patterns: Sequence[Pattern]) -> list[tuple[int, int, int]]:
    low, places = folded(text)
    spans = find(low, patterns, text if places is None and low != text else None)
    if places is None:
        return spans
    return [(places[a], max(places[b], places[a] + 1), w) for a, b, w in spans]


def marks(text: str, patterns: Sequence[Pattern]) -> list[list[int]]:
    """Return [start, end) of what is found in `text`, in code points."""
    low, places = folded(text)
    found: list[list[int]] = []
    for a, b, _ in find(low, patterns, text if places is None and low != text else None):
        start, end = (a, b) if places is None else (places[a], max(places[b], places[a] + 1))
        if not found or start >= found[-1][1]:
            found.append([start, end])
    return found


def _window(text: str, spans: list[tuple[int, int, int]]) -> tuple[int, int]:
    """Return the part of `text` with the most different words, then the most places."""
    room = WIDTH - 2
    if len(text) <= room:
        return 0, len(text)
    best = best_end = 0
    best_score = -1
    seen: dict[int, int] = {}
    left = 0
    for n, (a, b, word) in enumerate(spans):
        seen[word] = seen.get(word, 0) + 1
        while b - spans[left][0] > room - _LEAD and spans[left][0] < a:
            w = spans[left][2]
            seen[w] -= 1
            if not seen[w]:
                del seen[w]
            left += 1
        score = (len(seen) << 32) + n - left
        if score > best_score:
            best, best_score, best_end = spans[left][0], score, b
    slack = room - (best_end - best)
    start = max(0, best - min(_LEAD, max(slack, 0)))
    start = _word_start(text, start, best)
    stop = min(len(text), start + room)
    if stop == len(text):
        start = _word_start(text, max(0, min(start, stop - room)), best)
        while stop - start > room:  # it went back to the beginning of a character that is made of several
            start = _next(text, start)
    return start, _word_stop(text, stop, best_end)


def _word_start(text: str, start: int, limit: int) -> int:
    """Return a place at or behind `start`, before `limit`, where a word begins; `start` itself where none is near."""
    if start == 0:
        return 0
    for at in range(start, min(start + 24, limit)):
        if text[at - 1].isspace():
            return at
    return _whole(text, start)


def _word_stop(text: str, stop: int, limit: int) -> int:
    """Return a place at or before `stop`, behind `limit`, where a word ends."""
    if stop >= len(text):
        return len(text)
    for at in range(stop, max(stop - 24, limit), -1):
        if text[at].isspace():
            return at
    return _whole(text, stop)


def _whole(text: str, at: int) -> int:
    """Return the nearest place at or before `at` that does not part a character from its combining marks or joiners."""
    back = at
    while 0 < back < len(text) and at - back < 12 and _joined(text, back):
        back -= 1
    return back


def _next(text: str, at: int) -> int:
    """Return the next place behind `at` that does not part a character from its marks, at most 12 further on."""
    ahead = at + 1
    while ahead < len(text) and ahead - at < 12 and _joined(text, ahead):
        ahead += 1
    return ahead


def _joined(text: str, at: int) -> bool:
    after = text[at]
    if after < "\u0300":
        return False
    return (
        unicodedata.combining(after) != 0
        or after in "\u200d\ufe0f\ufe0e"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or text[at - 1] == "\u200d"
    )


def _shown_as_it_is(
    text: str, start: int, stop: int, spans: list[tuple[int, int, int]], plain: str
) -> tuple[str, list[list[int]]]:
    """Return what `_shown` does, where every character keeps its place among the others."""
    shown = plain if start else plain.lstrip()
    moved = start - (1 if start else len(shown) - len(plain))
    highlights: list[list[int]] = []
    at = start
    for a, b, _ in spans:
        if at <= a and b <= stop:
            highlights.append([a - moved, b - moved])
            at = b
    if start:
        shown = _ELLIPSIS + shown
    shown = shown.rstrip()
    if _INK.search(text, stop):
        shown += _ELLIPSIS
    return shown, highlights


def _shown(text: str, start: int, stop: int, spans: list[tuple[int, int, int]]) -> tuple[str, list[list[int]]]:
    plain = text[start:stop].replace("\n", " ").replace("\t", " ").replace("\r", " ")
    if "  " not in plain and plain.isascii() and plain.isprintable():
        return _shown_as_it_is(text, start, stop, spans, plain)
    # White space is joined everywhere at once, with what is to be highlighted between marks that the text has not.
    begin, end = _MARKS if _MARKS[0] not in plain and _MARKS[1] not in plain else _free_marks(plain)
    marked: list[str] = []
    at = start
    for a, b, _ in spans:
        if at <= a and b <= stop:
            marked += (text[at:a], begin, text[a:b], end)
            at = b
    marked.append(text[at:stop])
    joined = " ".join("".join(marked).split())
    if start > 0:
        joined = f"{_ELLIPSIS} {joined}" if joined and text[start].isspace() else _ELLIPSIS + joined
    before, *pieces = joined.split(begin)
    shown = [before]
    size = len(before)
    highlights: list[list[int]] = []
    for piece in pieces:
        found, behind = piece.split(end)
        if found:
            highlights.append([size, size + len(found)])
        shown += (found, behind)
        size += len(found) + len(behind)
    if _INK.search(text, stop):
        shown.append(_ELLIPSIS)
    return "".join(shown), highlights


def _free_marks(text: str) -> tuple[str, str]:
    """Return two characters that a text does not hold: of the private ones there are more than a snippet is long."""
    held = set(text)
    free = (c for c in map(chr, range(0xE000, 0xF8FF)) if c not in held)
    return next(free), next(free)
