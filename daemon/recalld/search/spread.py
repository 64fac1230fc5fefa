"""Words that no single record holds together, but one session does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tantivy import Query

from recalld.search import ranking
from recalld.search.masks import one_of
from recalld.search.ranking import Ranked

if TYPE_CHECKING:
    from recalld.search.tiers import Search

_FEW = 64
"""Sessions up to which the next word is looked for in them alone (0.1 to 0.3 ms) instead of everywhere."""
_RANKED = 128
"""Sessions that are ranked by their words; what is left follows, newest first."""
_HITS = 2048


def holding_all(search: Search, tier: str, queries: list[Query]) -> int:
    """Return the set of sessions in which every clause matches some record or the title: the rarest clause first."""
    order = sorted(range(len(queries)), key=lambda n: search.words.frequency(search.clauses[n]))
    mask = -1
    for n in order:
        key = search.set_key(tier, search.clauses[n])
        known = search.sessions.known(search.within(queries[n]), key)
        if known is not None:
            mask &= known
        elif mask >= 0 and mask.bit_count() <= _FEW:
            mask &= search.sessions.matching(search.within(queries[n], _of(search, mask)), None)
        else:
            mask &= search.sessions.matching(search.within(queries[n]), key)
        if not mask:
            return 0
    return mask


def _of(search: Search, mask: int) -> Query:
    numbers = search.sessions.numbers(mask)
    return one_of(search.snapshot.schema, numbers)


def ranked(search: Search, queries: list[Query], mask: int) -> Iterator[Ranked]:
    """Yield the sessions of a set, by the best record of each clause, those whose records are near each other first."""
    few = mask.bit_count() <= _RANKED
    best: dict[int, Ranked] = {}
    for query in queries:
        parts = [query, _of(search, mask)] if few else [query]
        hits = search.snapshot.searcher.search(search.within(*parts), limit=_HITS, count=False).hits
        for number, one in ranking.group(search.snapshot, hits, newest=search.newest).items():
            if not search.sessions.holds(mask, number):
                continue
            whole = best.setdefault(number, Ranked(number, spread=True))
            whole.score += max(one.score, one.matches[0].score if one.matches else 0.0)
            whole.title = whole.title or one.title
            whole.time = max(whole.time, one.time)
            whole.count += one.count
            if one.matches:
                whole.matches.append(one.matches[0])
    for whole in best.values():
        whole.matches = list({m.hash: m for m in whole.matches}.values())
        whole.score *= ranking.recency(whole.time, search.now)
    yield from ranking.sort(best.values(), newest=search.newest)
    rest = mask & ~search.sessions.mask_of(best)
    if rest:
        yield from _newest_first(search, rest)


def _newest_first(search: Search, mask: int) -> Iterator[Ranked]:
    sessions = search.snapshot.term("type", "s")
    every = search.snapshot.searcher.search(
        sessions, limit=max(1, search.snapshot.count(sessions)), count=False, order_by_field="time"
    ).hits
    numbers = search.sessions.numbers_at([a for _, a in every])
    for number in numbers:
        if search.sessions.holds(mask, number):
            mask &= ~search.sessions.mask_of([number])
            yield Ranked(number, spread=True)
    yield from (Ranked(number, spread=True) for number in search.sessions.numbers(mask))
