"""What a question asks for, as `related` looks for it: its words in any form, the pieces of names, pairs of characters."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from tantivy import Query

from recalld import analysis
from recalld.search import dates, stopwords, weights
from recalld.search.query import Clause, Word
from recalld.search.tiers import Search
from recalld.search.words import any_of

_CORRECTED = 2
"""Unknown words that are taken for what they are spelt like."""
_NUMBERED = re.compile(r"\W*(?:[A-Z][A-Z0-9]+|[A-Za-z]{2,}(?=-\d{3}))(?:-\d+)+\W*", re.ASCII)
"""A ticket, an advisory, a standard: `PORTAL-2291`, `rfc-2047`. Its letters without its number are another thing; those of
`postgres-16` are not."""
_NAMED = re.compile(r"[a-z0-9][A-Z]|\w[_/.:\\]\w")
"""In a file, a path or an identifier."""
_RUN = re.compile(f"[{analysis.UNSPACED}]")


@dataclass(slots=True)
class Unit:
    """One thing of a question that an answer may hold: a word in any form, a name, a pair of characters."""

    query: Query | None
    """None: the index does not hold it."""
    rarity: float
    """Its weight."""
    count: int = 0
    """About how many documents hold it."""
    plain: list[Query] = field(default_factory=list)
    """The same as plain terms, for the first look."""
    guessed: bool = False
    """It is taken for what it is spelt like: part of what was asked, but no proof that an answer was found."""
    place: int = 0
    """Which of the question's parts it is."""
    needed: bool = True
    """It is part of what was asked; else it only lifts what holds it: words that say little. (The words of a date are
    part of it where the index holds them, 0.1 points of hit@5 more than without, but weigh as little: at their full weight
    `week` buries the rest of a short question wherever it is rare.)"""


def units_of(search: Search, parts: list[Clause]) -> list[Unit]:
    """Return what `parts` ask for, each thing once."""
    total = max(search.snapshot.searcher.num_docs, 1)
    found: list[Unit] = []
    seen: set[object] = set()
    corrected = 0
    dated = dates.words(search.parsed.text, search.clock)
    little = stopwords.stop_words([t for part in parts for word in part for t in word.tokens])
    for place, part in enumerate(parts):
        tokens = tuple(w.tokens for w in part)
        key = tuple(analysis.stem(t[0]) if len(t) == 1 else t for t in tokens)
        if key in seen:
            continue
        seen.add(key)
        count = sum(search.words.spread_frequency(w) for w in part)
        token = part[0].tokens[0] if len(part) == 1 and len(part[0].tokens) == 1 else ""
        of_date = all(t in dated for word in part for t in word.tokens)
        if count and (of_date or token in little):
            said, rarity = search.words.exact_clause(part), weights.STOP_WEIGHT * _rarity(total, count)
            found.append(Unit(said, rarity, count, [said], place=place, needed=of_date))
            continue
        if count:
            plain = [q for word in part for q in search.words.terms(word)]
            any_form = search.words.forms_clause(part)
            found.append(Unit(any_form, _rarity(total, count), count, plain, place=place))
            continue
        if of_date or token in little:
            continue
        bent = {t: n for word in part for t, n in search.words.bent(word).items()}
        if bent:
            plain = [Query.term_query(search.snapshot.schema, "text", t) for t in bent]
            count = sum(bent.values())
            found.append(Unit(any_of(plain), _rarity(total, count), count, plain, place=place))
            continue
        near = None
        if corrected < _CORRECTED:
            near = next((q for q in map(search.words.close, part) if q is not None), None)
        corrected += near is not None
        plain = [near] if near is not None else []
        found.append(Unit(near, _rarity(total, 1), 1, plain, guessed=near is not None, place=place, needed=near is None))
    return found


def _rarity(total: int, count: int) -> float:
    return math.log(1 + max(total - count + 0.5, 0.5) / (count + 0.5))


def parts_of(search: Search, clause: Clause) -> list[Clause]:
    """Return the things that a clause asks for: mostly itself, else the pieces of what the index does not hold."""
    if len(clause) > 1:
        return [clause]
    word = clause[0]
    if len(word.tokens) == 1:
        if not search.words.is_camel(word) or search.words.spread_frequency(word):
            return [clause]
        parts = [p for p in analysis.split_identifier(word.text) if len(p) > 2 and p.isalpha()]
        return _pieces(search, clause, [(p,) for p in parts])
    if _NUMBERED.fullmatch(word.text):
        return [clause]
    if search.words.spread_frequency(word) and search.snapshot.count(any_of(search.words.terms(word))):
        return [clause]
    pieces: list[tuple[str, ...]] = []
    for before, after in zip(word.tokens, (*word.tokens[1:], ""), strict=True):
        unspaced = bool(_RUN.match(before))
        if unspaced and after and _RUN.match(after):
            pieces.append((before, after))
        elif not unspaced and len(before) > 1 and before not in stopwords.STOP_WORDS and not before.isdigit():
            pieces.append((before,))
    return _pieces(search, clause, pieces)


def _pieces(search: Search, clause: Clause, pieces: list[tuple[str, ...]]) -> list[Clause]:
    """Return the pieces of a word; the word itself where they say little of it: `handler` and `py` are no half of
    `flibbertigibbet_handler.py`."""
    found: list[Clause] = [(Word(" ".join(p), p),) for p in dict.fromkeys(pieces)]
    if clause[0].text.isascii() and _NAMED.search(clause[0].text):
        total = max(search.snapshot.searcher.num_docs, 1)
        counts = [search.words.spread_frequency(piece[0]) for piece in found]
        held = sum(_rarity(total, n) for n in counts if n)
        lacking = [piece for piece, n in zip(found, counts, strict=True) if not n]
        if held < weights.NAME_COVERAGE * (held + len(lacking) * _rarity(total, 1)):
            return [clause]
    return found or [clause]
