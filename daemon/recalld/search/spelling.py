"""How far two words are apart, and what a word may have been meant for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from recalld import analysis

BENT_BEGINNING = 5
BENT_ENDING = 2
"""Letters that two forms of a word have in common at least, and that either may have behind them."""
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz")
_HALF = 2
"""Letters of a word before or behind a space that was left out, at least."""
_NAME_AND_NUMBER = re.compile(r"([A-Za-z]{2,})-?([0-9]{1,4})")
_NUMBER_AND_UNIT = re.compile(r"([0-9]+(?:[.,][0-9]+)*)([A-Za-z]{1,3})")
_BARE_NUMBER = re.compile(r"[0-9]{4,15}")
_MARKED_NUMBER = re.compile(r"[0-9]{1,3}(?:[.,_'][0-9]{3}){1,4}")


def one_apart(a: str, b: str) -> bool:
    """Tell whether two words are one insertion, deletion, change or swap of neighbours apart, or equal."""
    if not -2 < len(a) - len(b) < 2:
        return False
    n = len(analysis.common_beginning(a, b))
    rest, other = a[n:], b[n:]
    if rest[1:] == other[1:] or rest[1:] == other or rest == other[1:]:
        return True
    return rest[:2] == other[:2][::-1] and rest[2:] == other[2:]


def distance_within(a: str, b: str, most: int) -> bool:
    """Tell whether two words are at most `most` insertions, deletions, changes or swaps of neighbours apart."""
    if abs(len(a) - len(b)) > most or len(set(a) ^ set(b)) > 2 * most:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
    return row[-1] <= most


def is_bent(a: str, b: str) -> bool:
    """Tell whether two words differ in their endings alone."""
    common = len(analysis.common_beginning(a, b))
    return common >= BENT_BEGINNING and max(len(a), len(b)) - common <= BENT_ENDING


def otherwise_written(text: str, tokens: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return how the same word may be written otherwise, as terms: a name and its number together and apart (`sha256`,
    `SHA-256`), a number and its unit apart (`6.1MB`), a number with and without marks between thousands (`1,204,882`)."""
    if found := _NAME_AND_NUMBER.fullmatch(text):
        name, number = found[1].lower(), found[2]
        return [(name, number)] if len(tokens) == 1 else [(name + number,)]
    if found := _NUMBER_AND_UNIT.fullmatch(text):
        return [(*re.findall(r"\d+", found[1]), found[2].lower())]
    if _BARE_NUMBER.fullmatch(text):
        return [tuple(re.findall(r"\d+?(?=(?:\d{3})*$)", text))]
    if _MARKED_NUMBER.fullmatch(text):
        return [("".join(tokens),)]
    return []


def halves(token: str) -> Iterator[tuple[str, str]]:
    """Yield the two words that one may be whose space or underscore was left out (`pgrepack`)."""
    for n in range(_HALF, len(token) - _HALF + 1):
        yield token[:n], token[n:]


def early_slips(word: str, beginning: int) -> Iterator[str]:
    """Yield the words that are one slip apart from `word` and differ from it among the first `beginning` letters."""
    letters = alphabet(word)
    for n in range(min(beginning, len(word))):
        before, here, behind = word[:n], word[n], word[n + 1 :]
        if here != word[n - 1 : n]:  # of two equal letters either may be missing
            yield before + behind
        if behind and behind[0] != here:
            yield before + behind[0] + here + behind[1:]
        for letter in letters:
            if letter != here:
                yield before + letter + behind
                yield before + letter + here + behind


def alphabet(word: str) -> frozenset[str]:
    """Return the letters that one of this word may be mistaken for: those of its scripts."""
    if word.isascii():
        return _LATIN
    found: frozenset[str] = frozenset()
    for block in {ord(c) >> 7 for c in word}:
        found |= _block(block)
    return found


@lru_cache(maxsize=64)
def _block(block: int) -> frozenset[str]:
    """Return the folded letters among the 128 characters of a block."""
    if block == 0:
        return _LATIN
    letters = map(chr, range(block << 7, (block + 1) << 7))
    return frozenset(c for c in letters if c.isalpha() and analysis.fold(c) == c)
