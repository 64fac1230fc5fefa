"""The index's dictionary: how many documents hold a term, and which terms may stand for one that was asked for."""

from __future__ import annotations

from recalld import analysis
from recalld.index.reader import Snapshot
from recalld.search import chinese, english, spelling
from recalld.search.masks import sessions_of
from recalld.search.query import LONGEST_WORD, Word
from recalld.search.spelling import distance_within, halves, is_bent, one_apart, otherwise_written

EXPANSIONS = 64
"""Terms that one word is expanded to at most, the most frequent ones."""
_WALKED_LETTERS = 6
"""Letters of a stem from which the dictionary behind it is walked."""
_CLOSE_TWO_LETTERS = 8
_WALKED_BEGINNING = 4
"""Letters at least behind which the dictionary is walked for slips: few words are left there (0.02 ms; 2 ms where
thousands begin so)."""
_NEAR_PREFIX = 3
_NEAR_SCAN = 1000
"""Words of such a part of the dictionary that are looked at, the most frequent ones."""
_MAX_COUNTS = 4096
"""Frequencies of terms that are kept with a snapshot."""


def is_name(token: str) -> bool:
    """Tell whether a term is letters alone: something that has forms and can be misspelt. Ids, versions, numbers
    cannot, nor can what is too long for a word."""
    return len(token) <= LONGEST_WORD and token.isalpha()


class Dictionary:
    """The terms of one snapshot; what was looked up is kept with it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._searcher = snapshot.searcher
        self._sessions = sessions_of(snapshot)
        self._counts = self._sessions.counts
        self._written: dict[tuple[str, ...], list[tuple[str, ...]]] = {}

    def frequency(self, name: str, token: str) -> int:
        """Return how many documents hold a term in a field."""
        key = (name, token)
        known = self._counts.get(key)
        if known is None:
            if len(self._counts) >= _MAX_COUNTS:
                self._counts.clear()
            known = self._counts[key] = self._searcher.doc_freq(name, token)
        return known

    def beginning_with(self, beginning: str) -> list[tuple[str, int]]:
        """Return (term, how many documents hold it) of texts' terms with a beginning, the most frequent ones."""
        return self._searcher.terms_with_prefix("text", beginning, limit=EXPANSIONS)

    # -- forms -------------------------------------------------------------------------------------------------------

    def same_stem(self, token: str) -> tuple[str, ...]:
        """Return the other terms with the English stem of `token`, or of one of its irregular forms."""
        known = self._sessions.forms.get(token)
        if known is None:
            known = tuple(dict.fromkeys(t for stem in english.stems(token) for t in self._of_stem(stem, token)))
            self._sessions.forms[token] = known
        return known

    def _of_stem(self, stem: str, token: str) -> list[str]:
        common = analysis.common_beginning(stem, token) if analysis.stem(token) == stem else stem
        if len(common) < _WALKED_LETTERS:
            # A short beginning has thousands of words behind it: sixty looks for likely ones are cheaper.
            return [t for t in english.forms_of(stem) if t != token and self.frequency("text", t)]
        return [t for t, _ in self.beginning_with(common) if t != token and analysis.stem(t) == stem]

    def writings(self, word: Word) -> list[tuple[str, ...]]:
        """Return a word's other writings that the index may hold: of a Chinese one simplified and traditional, of one with
        a number together and apart (`sha256`, `SHA-256`)."""
        if word.text.isascii():
            written = [] if word.quoted else otherwise_written(word.text, word.tokens)
            return [tokens for tokens in written if all(self.frequency("text", t) for t in tokens)]
        found = self._written.get(word.tokens)
        if found is None:
            found = self._written[word.tokens] = chinese.writings(
                word.tokens, lambda token: self.frequency("text", token) or self.frequency("title", token)
            )
        return found

    def bent(self, token: str) -> dict[str, int]:
        """Return the terms that are `token` with another ending, in whatever language, and how many documents hold each:
        `Sitzung` for `Sitzungen`, `письмо` for `письма`.

        (Of English the stems know; what is left here are words that no stemmer of ours does.)
        """
        beginning = token[: max(spelling.BENT_BEGINNING, len(token) - spelling.BENT_ENDING)]
        return {t: n for t, n in self.beginning_with(beginning) if is_name(t) and is_bent(token, t)}

    # -- close -------------------------------------------------------------------------------------------------------

    def near(self, token: str) -> tuple[str, ...]:
        """Return the terms that a word may have been meant for, the most frequent first."""
        known = self._sessions.near.get(token)
        if known is not None:
            return known
        # Of slips in all letters but the last two there are so few that each is looked up (1 µs); the others are looked
        # for in the dictionary behind these. (A fuzzy query takes longer, and does not tell the terms.)
        begins = max(_WALKED_BEGINNING, len(token) - 2)
        counts = {t: n for t, n in self._walk(token[:begins]) if t != token and one_apart(t, token)}
        frequency = self._searcher.doc_freq
        counts |= {t: n for t in spelling.early_slips(token, begins) if (n := frequency("text", t))}
        if not counts and len(token) >= _CLOSE_TWO_LETTERS:
            counts = {t: n for t, n in self._walk(token[:_NEAR_PREFIX], len(token)) if distance_within(t, token, 2)}
        known = tuple(sorted(counts, key=lambda t: (-counts[t], t))[:EXPANSIONS])
        self._sessions.near[token] = known
        return known

    def _walk(self, beginning: str, length: int | None = None) -> list[tuple[str, int]]:
        """Return the words of letters with this beginning (and of `length`, give or take two), the most frequent ones,
        and how many documents hold each."""
        found = self._searcher.terms_with_prefix("text", beginning, limit=_NEAR_SCAN)
        return [(t, n) for t, n in found if is_name(t) and (length is None or -3 < len(t) - length < 3)]

    def pairs(self, token: str, most: int) -> list[tuple[str, str]]:
        """Return the pairs of terms that one word may be whose space was left out, at most so many, the rarest ones."""
        found = [pair for pair in halves(token) if all(self.frequency("text", half) for half in pair)]
        return sorted(found, key=lambda pair: min(self.frequency("text", half) for half in pair))[:most]
