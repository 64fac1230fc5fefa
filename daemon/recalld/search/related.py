"""The tier of best partial matches: a question, of whose words some occur near each other in some session.

Two looks. The first takes the best records for any of the question's words and from them the candidate sessions. The
second asks every candidate which of the words each of its records holds: the words are scored 1, 2, 4, …, so that one
search returns for each record the set of its words, and the scores are then made here, of which words they are, how
rare
each is, what stands before and after, and how much of the session speaks of them.
"""

from __future__ import annotations

from tantivy import DocAddress, Occur, Query

from recalld.index.documents import SESSION_WEIGHT, SUB_AGENT_WEIGHT
from recalld.search import weights
from recalld.search.masks import integers, one_of
from recalld.search.ranking import Hit, Match, Ranked, recency, sort
from recalld.search.sums import Bits, Sums, Worth
from recalld.search.tiers import Found, Search, patterns
from recalld.search.units import Unit, parts_of, units_of
from recalld.search.words import any_of

_MAX_UNITS = 20
"""Words of a question that are asked for, the rarest ones: their scores' sum must stay exact in 24 bits."""
_MAX_WORDS = 200
_FIRST_LOOK = 150
"""Records of the first look."""
_CANDIDATES = 20
"""Sessions of the second look at most, and so of the answer."""
_SECOND_LOOK = 200
"""Records of the second look at most."""
_FEWEST_ANCHORS = 2
_ANCHORED = 5_000
"""Documents that a question's rarest words may be in together; what is left of its words then only lifts what they
find."""
_KEPT = 8
"""Records of a session that are kept to be told apart and shown."""


def related(search: Search) -> Found | None:
    """Return the sessions that hold the most of the question, or None."""
    parts = [p for clause in search.clauses[:_MAX_WORDS] for p in parts_of(search, clause)]
    units = units_of(search, parts)
    whole = sum(u.rarity for u in units if u.needed or u.guessed)
    held = sorted((u for u in units if u.query is not None), key=lambda u: (not u.needed, -u.rarity))[:_MAX_UNITS]
    needed = [u for u in held if u.needed]
    if not needed or sum(u.rarity for u in needed) < weights.MIN_COVERAGE * whole:
        return None
    anchors = _anchors(needed)
    anything = any_of([q for u in anchors for q in u.plain])
    candidates = _candidates(search, anchors)
    held.reverse()  # the rarest have the highest bits: what is cut off where there is too much holds common words
    ranked = _ranked(search, candidates, held, whole, anything) if candidates else []
    if not ranked:
        return None
    shown, places = patterns(search, "related", parts), tuple([u.place for u in held])
    return Found("related", len(ranked), iter(ranked), shown, search.within(anything), places=places)


def _anchors(units: list[Unit]) -> list[Unit]:
    """Return the rarest of `units`, which come rarest first: a record must hold one of them to be looked at."""
    total = 0
    for n, unit in enumerate(units):
        total += unit.count
        if n >= _FEWEST_ANCHORS and total > _ANCHORED:
            return units[:n]
    return units


# -- candidates ------------------------------------------------------------------------------------------------------


def _candidates(search: Search, anchors: list[Unit]) -> list[int]:
    searcher = search.snapshot.searcher
    plain = any_of([q for u in anchors for q in u.plain])
    quick = search.filters.only_that and not search.parsed.minus
    # Plain terms without filters are searched without a look at every hit; sub-agents are then left out here.
    hits = searcher.search(plain if quick else search.within(plain), limit=_FIRST_LOOK, count=False).hits
    addresses = [a for _, a in hits]
    numbers = integers(searcher, "snum", addresses)
    codes = integers(searcher, "weight", addresses)
    unwanted = SUB_AGENT_WEIGHT if quick and search.filters.without_sub_agents else 0
    best: dict[int, float] = {}
    seen: dict[int, int] = {}
    kept = 0
    shares = weights.BEST
    for (score, _), number, code in zip(hits, numbers, codes, strict=True):
        if code & unwanted:
            continue
        kept += 1
        place = seen.get(number, 0)  # hits come best first
        if place < len(shares):
            best[number] = best.get(number, 0.0) + shares[place] * score
            seen[number] = place + 1
    if kept < len(hits) // 2:
        numbers = integers(searcher, "snum", [a for _, a in _filtered(search, plain)])
        best = {n: best.get(n, 0.0) for n in numbers}
    return sorted(best, key=lambda n: (-best[n], n))[:_CANDIDATES]


def _filtered(search: Search, query: Query) -> list[Hit]:
    hits: list[Hit] = search.snapshot.searcher.search(search.within(query), limit=_FIRST_LOOK, count=False).hits
    return hits


_Held = tuple[float, int, DocAddress, int]
"""A record of a candidate: score, the words that it holds, address, ordinal (-9: it is the title)."""


def _ranked(search: Search, candidates: list[int], units: list[Unit], whole: float, anything: Query) -> list[Ranked]:
    searcher = search.snapshot.searcher
    bits = [Query.const_score_query(any_of(u.plain), float(1 << n)) for n, u in enumerate(units) if u.plain]
    here = one_of(search.snapshot.schema, candidates)
    query = search.within(Query.const_score_query(anything, 0.0), here)
    query = Query.boolean_query([(Occur.Must, query), *((Occur.Should, bit) for bit in bits)])
    hits = searcher.search(query, limit=_SECOND_LOOK, count=False).hits
    addresses = [a for _, a in hits]
    numbers, codes, places, sizes = (integers(searcher, n, addresses) for n in ("snum", "weight", "ord", "size"))
    bits_of = Bits()
    proof = Sums([u.rarity if u.needed else 0.0 for u in units], bits_of)
    asked = Sums([u.rarity if u.needed or u.guessed else 0.0 for u in units], bits_of)
    worth = Worth([u.rarity for u in units], asked, whole)
    lengths = [size for size, code in zip(sizes, codes, strict=True) if code < SESSION_WEIGHT]
    mean = max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0
    sessions: dict[int, list[_Held]] = {number: [] for number in candidates}
    held: dict[int, int] = dict.fromkeys(candidates, 0)
    slope = 1.2 * weights.LENGTH_SHARE / mean
    base = 1 + 1.2 * (1 - weights.LENGTH_SHARE)
    kind_weights = weights.KIND_WEIGHTS
    for (score, address), number, code, place, size in zip(hits, numbers, codes, places, sizes, strict=True):
        words = int(score)
        title = code >= SESSION_WEIGHT
        value = worth[words] / (base + slope * (mean if title else size)) * kind_weights[code]
        sessions[number].append((value, words, address, -9 if title else place))
        held[number] |= words
    if max(proof[words] for words in held.values()) < weights.MIN_COVERAGE * whole:
        return []
    counts = search.sessions.sizes(search.snapshot, candidates)
    mean_count = max(sum(counts.values()) / len(counts), 1.0) if counts else 1.0
    ranked = [
        _session(number, rows, units, counts.get(number, 1) / mean_count, bits_of) for number, rows in sessions.items() if rows
    ]
    _finish(search, ranked)
    return sort(ranked, newest=search.newest)


def _finish(search: Search, ranked: list[Ranked]) -> None:
    """Give the matches their times and what they say, leave out repetitions, and score the sessions by the rest."""
    searcher = search.snapshot.searcher
    matches = [m for one in ranked for m in one.matches]
    addresses = [m.address for m in matches]
    for match, time, text_hash in zip(
        matches, integers(searcher, "time", addresses), integers(searcher, "hash", addresses), strict=True
    ):
        match.time, match.hash = time, text_hash
    for one in ranked:
        one.matches = list({m.hash: m for m in reversed(one.matches)}.values())[::-1]
        one.score += sum([share * m.score for share, m in zip(weights.RELATED_BEST, one.matches, strict=False)])
        times = [m.time for m in one.matches[:3]]
        one.time = max(times, default=0)
        one.score *= recency(times[0] if times else 0, search.now)
        if search.leans:
            one.score *= search.lean_of(times)


def _session(number: int, rows: list[_Held], units: list[Unit], long: float, bits_of: Bits) -> Ranked:
    """Return a session with its best records, each with a share of its neighbours, scored as yet by its title and by
    how much of it speaks of the question."""
    by_place: dict[int, float] = {}
    counts: dict[int, int] = {}
    for value, words, _, place in rows:
        if value > by_place.get(place, 0.0):
            by_place[place] = value
        counts[words] = counts.get(words, 0) + 1
    ranked = Ranked(number, whole=True)
    get, near = by_place.get, weights.NEIGHBOUR
    scored: list[tuple[float, int]] = []
    for n, (value, _, address, place) in enumerate(rows):
        if place < 0:
            ranked.title, ranked.score = address, weights.TITLE_SHARE * value
        else:
            scored.append((-value - near * (get(place - 1, 0.0) + get(place + 1, 0.0)), n))
    ranked.count = len(scored)
    scored.sort()
    ranked.matches = [Match(-negated, rows[n][2], 0, 0, rows[n][1]) for negated, n in scored[:_KEPT]]
    holding = [0] * len(units)
    for words, count in counts.items():
        for n in bits_of[words]:
            holding[n] += count
    length = 1.2 * (1 - weights.SESSION_LENGTH_SHARE + weights.SESSION_LENGTH_SHARE * long)
    spoken = sum([u.rarity * count * 2.2 / (count + length) for u, count in zip(units, holding, strict=True) if count])
    ranked.score += weights.SESSION_SHARE * spoken
    return ranked
