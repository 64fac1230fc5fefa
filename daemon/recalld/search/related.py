"""The tier of best partial matches: a question, of whose words some occur near each other in some session.

Two looks. The first takes the best records for any of the question's words and from them the candidate sessions. The
second asks every candidate which of the words each of its records holds: the words are scored 1, 2, 4, …, so that one
search returns for each record the set of its words, and the scores are then made here, of which words they are, how
rare
each is, what stands before and after, and how much of the session speaks of them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tantivy import DocAddress, Occur, Query

from recalld import analysis
from recalld.index.documents import SESSION_WEIGHT
from recalld.search import dates, english, weights
from recalld.search.masks import integers
from recalld.search.query import Clause, Word
from recalld.search.ranking import Match, Ranked, recency, sort
from recalld.search.tiers import Found, Search, patterns
from recalld.search.words import any_of

_MAX_UNITS = 20
"""Words of a question that are asked for, the rarest ones: their scores' sum must stay exact in 24 bits."""
_MAX_WORDS = 200
_FIRST_LOOK = 400
"""Records of the first look."""
_CANDIDATES = 48
"""Sessions of the second look at most, and so of the answer."""
_SECOND_LOOK = 2500
"""Records of the second look at most."""
_CORRECTED = 2
"""Unknown words that are taken for what they are spelt like."""
_RUN = re.compile(f"[{analysis.UNSPACED}]")


@dataclass(slots=True)
class Unit:
    """One thing of a question that an answer may hold: a word in any form, a name, a pair of characters."""

    query: Query | None
    """None: the index does not hold it."""
    rarity: float
    """Its weight."""
    needed: bool = True
    """It is part of what was asked; else it only lifts what holds it: words that say little, and those of a date."""


def related(search: Search) -> Found | None:
    """Return the sessions that hold the most of the question, or None."""
    units = _units(search)
    whole = sum(u.rarity for u in units if u.needed)
    held = sorted((u for u in units if u.query is not None), key=lambda u: (not u.needed, -u.rarity))[:_MAX_UNITS]
    needed = [u for u in held if u.needed]
    if not needed or sum(u.rarity for u in needed) < weights.MIN_COVERAGE * whole:
        return None
    anything = search.within(any_of([u.query for u in needed if u.query is not None]))
    candidates = _candidates(search, anything)
    ranked = _ranked(search, candidates, held, whole) if candidates else []
    if not ranked:
        return None
    return Found("related", len(ranked), iter(ranked), patterns(search, "related"), anything)


# -- units -----------------------------------------------------------------------------------------------------------


def _units(search: Search) -> list[Unit]:
    total = max(search.snapshot.searcher.num_docs, 1)
    found: list[Unit] = []
    seen: set[object] = set()
    corrected = 0
    dated = dates.words(search.parsed.text, search.clock)
    for clause in search.clauses[:_MAX_WORDS]:
        for part in _parts(search, clause):
            tokens = tuple(w.tokens for w in part)
            key = tuple(analysis.stem(t[0]) if len(t) == 1 else t for t in tokens)
            if key in seen:
                continue
            seen.add(key)
            count = sum(search.words.spread_frequency(w) for w in part)
            token = part[0].tokens[0] if len(part) == 1 and len(part[0].tokens) == 1 else ""
            if count and token in english.STOP_WORDS:
                found.append(Unit(search.words.exact_clause(part), weights.STOP_WEIGHT * _rarity(total, count), False))
                continue
            if count:
                found.append(Unit(search.words.forms_clause(part), _rarity(total, count), token not in dated))
                continue
            if token in dated or token in english.STOP_WORDS:
                continue
            near = None
            if corrected < _CORRECTED:
                near = next((q for q in map(search.words.close, part) if q is not None), None)
            corrected += near is not None
            found.append(Unit(near, _rarity(total, 1)))
    return found


def _rarity(total: int, count: int) -> float:
    return math.log(1 + max(total - count + 0.5, 0.5) / (count + 0.5))


def _parts(search: Search, clause: Clause) -> list[Clause]:
    """Return the things that a clause asks for: mostly itself, nothing where it is a word that says little, and the
    pieces of a phrase that the index does not hold."""
    if len(clause) > 1:
        return [clause]
    word = clause[0]
    if len(word.tokens) == 1:
        return [clause]
    if search.words.spread_frequency(word) and search.snapshot.count(search.words.exact(word)):
        return [clause]
    pieces: list[tuple[str, ...]] = []
    for before, after in zip(word.tokens, (*word.tokens[1:], ""), strict=True):
        unspaced = bool(_RUN.match(before))
        if unspaced and after and _RUN.match(after):
            pieces.append((before, after))
        elif not unspaced and len(before) > 1 and before not in english.STOP_WORDS and not before.isdigit():
            pieces.append((before,))
    if not pieces:
        return [clause]
    return [(Word(" ".join(p), p),) for p in dict.fromkeys(pieces)]


# -- candidates ------------------------------------------------------------------------------------------------------


def _candidates(search: Search, query: Query) -> list[int]:
    searcher = search.snapshot.searcher
    hits = searcher.search(query, limit=_FIRST_LOOK, count=False).hits
    best: dict[int, list[float]] = {}
    for (score, _), number in zip(hits, integers(searcher, "snum", [a for _, a in hits]), strict=True):
        best.setdefault(number, []).append(score)  # hits come best first
    order = sorted(best, key=lambda n: (-sum(s * w for s, w in zip(best[n], weights.BEST, strict=False)), n))
    return order[:_CANDIDATES]


@dataclass(slots=True)
class _Held:
    """A record of a candidate with the words that it holds."""

    address: DocAddress
    words: int
    score: float
    ord: int
    time: int
    hash: int
    title: bool


def _ranked(search: Search, candidates: list[int], units: list[Unit], whole: float) -> list[Ranked]:
    schema = search.snapshot.schema
    bits = [(u.needed, Query.const_score_query(u.query, float(1 << n))) for n, u in enumerate(units) if u.query]
    here = Query.const_score_query(Query.term_set_query(schema, "snum", candidates), 0.0)
    query = search.within(any_of([q for needed, q in bits if needed]), here)
    query = Query.boolean_query([(Occur.Must, query), *((Occur.Should, q) for needed, q in bits if not needed)])
    searcher = search.snapshot.searcher
    hits = searcher.search(query, limit=_SECOND_LOOK, count=False).hits
    addresses = [a for _, a in hits]
    columns = [integers(searcher, name, addresses) for name in ("snum", "weight", "ord", "size", "time", "hash")]
    rarity = _Sums([u.rarity for u in units])
    asked = _Sums([u.rarity if u.needed else 0.0 for u in units])
    text_sizes = [size for size, code in zip(columns[3], columns[1], strict=True) if code < SESSION_WEIGHT]
    mean = max(sum(text_sizes) / len(text_sizes), 1.0) if text_sizes else 1.0
    sessions: dict[int, list[_Held]] = {}
    share = weights.LENGTH_SHARE
    for (score, address), number, code, place, size, time, text_hash in zip(hits, *columns, strict=True):
        words = int(score)
        held = rarity[words]
        title = code == SESSION_WEIGHT
        long = 1.0 if title else (1 - share + share * size / mean)
        value = held * (1 + asked[words] / whole) * 2.2 / (1 + 1.2 * long) * weights.KIND_WEIGHTS[code]
        row = _Held(address, words, value, -9 if title else place, time, text_hash, title)
        sessions.setdefault(number, []).append(row)
    sizes = _sizes(search, candidates)
    mean_size = max(sum(sizes.values()) / len(sizes), 1.0) if sizes else 1.0
    ranked = []
    most = 0.0
    for number, rows in sessions.items():
        found = 0
        for row in rows:
            found |= row.words
        most = max(most, asked[found])
        ranked.append(_session(search, number, rows, units, sizes.get(number, 1) / mean_size))
    if most < weights.MIN_COVERAGE * whole:
        return []
    return sort(ranked, newest=search.newest)


class _Sums(dict[int, float]):
    """The rarities of sets of words, summed when a set is met."""

    def __init__(self, values: list[float]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, words: int) -> float:
        self[words] = sum(v for n, v in enumerate(self._values) if words >> n & 1)
        return self[words]


def _sizes(search: Search, numbers: list[int]) -> dict[int, int]:
    """Return how many records each session has."""
    searcher = search.snapshot.searcher
    those = Query.term_set_query(search.snapshot.schema, "snum", numbers)
    query = search.snapshot.all_of(search.snapshot.term("type", "s"), those)
    addresses = [a for _, a in searcher.search(query, limit=len(numbers) * 2, count=False).hits]
    return dict(zip(integers(searcher, "snum", addresses), integers(searcher, "size", addresses), strict=True))


def _session(search: Search, number: int, rows: list[_Held], units: list[Unit], long: float) -> Ranked:
    """Return a session scored by its best records, each with a share of its neighbours, and by how much of it speaks of
    the question."""
    by_place: dict[int, float] = {}
    for row in rows:
        by_place[row.ord] = max(by_place.get(row.ord, 0.0), row.score)
    near = weights.NEIGHBOUR
    matches: dict[int, Match] = {}
    title: DocAddress | None = None
    title_score = 0.0
    for row in rows:
        if row.title:
            title, title_score = row.address, row.score
            continue
        around = by_place.get(row.ord - 1, 0.0) + by_place.get(row.ord + 1, 0.0)
        value = row.score + near * around
        known = matches.get(row.hash)
        if known is None or known.score < value:
            matches[row.hash] = Match(value, row.address, row.time, row.hash)
    best = sorted(matches.values(), key=lambda m: -m.score)
    score = sum(share * m.score for share, m in zip(weights.RELATED_BEST, best, strict=False))
    score += weights.TITLE_SHARE * title_score
    spoken = 0.0
    length = 1 - weights.SESSION_LENGTH_SHARE + weights.SESSION_LENGTH_SHARE * long
    for n, unit in enumerate(units):
        count = sum(row.words >> n & 1 for row in rows)
        if count:
            spoken += unit.rarity * count * 2.2 / (count + 1.2 * length)
    score += weights.SESSION_SHARE * spoken
    time = max(row.time for row in rows)
    at = best[0].time if best else time
    score *= recency(at, search.now) * search.lean_of([m.time for m in best[:3]] or [time])
    return Ranked(number, score, best[:8], title, time, len(rows))
