"""From hits, which are records and titles, to sessions in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from tantivy import DocAddress, FieldType, Occur, Query

from recalld.index.documents import SESSION_WEIGHT
from recalld.index.reader import Snapshot
from recalld.search import weights
from recalld.search.masks import integers
from recalld.search.times import DAY_MS

Hit = tuple[float, DocAddress]
"""Score (or, where hits are ordered by it, time) and place of one document that matched."""


@dataclass(slots=True)
class Match:
    """One record that a search found."""

    score: float
    address: DocAddress
    time: int
    hash: int
    held: int | None = None
    """The things of a question that it holds, as bits, where the tier knows (`related`)."""


@dataclass(slots=True)
class Ranked:
    """One session that a search found."""

    number: int
    score: float = 0.0
    matches: list[Match] = field(default_factory=list)
    """Best first, each text once."""
    title: DocAddress | None = None
    """The session's own document, where its title was found."""
    time: int = 0
    """Of the newest match."""
    count: int = 0
    """Matching records seen, repetitions included."""
    whole: bool = False
    """`matches` and `count` are all there are."""
    spread: bool = False
    """The words are in several records."""


_SCORE, _TIME, _NUMBER = attrgetter("score"), attrgetter("time"), attrgetter("number")
_BY_DAY = [1.0 + weights.RECENCY * 0.5 ** (n / weights.RECENCY_HALF_DAYS) for n in range(400)]


def recency(time: int, now: int) -> float:
    """Return the factor for a record of `time`: between 1 and 1 + RECENCY."""
    if time <= 0:
        return 1.0
    days = (now - time) // DAY_MS
    return _BY_DAY[days if days > 0 else 0] if days < len(_BY_DAY) else 1.0


def group(snapshot: Snapshot, hits: Sequence[Hit], newest: bool = False, unwanted: int = 0) -> dict[int, Ranked]:
    """Return the sessions that `hits` belong to, with their matches weighted and in order, unscored as yet.

    `newest`: what a hit carries is no score, but a time. `unwanted`: bits of the fast field `weight`; what has one of
    them is left out.
    """
    found: dict[int, Ranked] = {}
    if not hits:
        return found
    addresses = [address for _, address in hits]
    columns = (integers(snapshot.searcher, name, addresses) for name in ("snum", "weight", "time", "hash"))
    kind_weights = weights.KIND_WEIGHTS
    get = found.get
    several: list[Ranked] = []
    for (score, address), number, code, time, text_hash in zip(hits, *columns, strict=True):
        if code & unwanted:
            continue
        ranked = get(number)
        if ranked is None:
            ranked = found[number] = Ranked(number, 0.0, [], None, time)
        elif time > ranked.time:
            ranked.time = time
        if code & SESSION_WEIGHT:
            ranked.title = address
            ranked.score = 0.0 if newest else score
            continue
        if ranked.count == 1:
            several.append(ranked)
        ranked.count += 1
        ranked.matches.append(Match(0.0 if newest else score * kind_weights[code], address, time, text_hash))
    for ranked in several:
        matches = ranked.matches
        if not newest:
            matches.sort(key=_SCORE, reverse=True)
        once = {m.hash: m for m in reversed(matches)}
        if len(once) < len(matches):
            ranked.matches = list(once.values())[::-1]
    return found


def in_order(found: dict[int, Ranked], now: int, lean_of: Callable[[list[int]], float] | None, *, newest: bool) -> list[Ranked]:
    """Score sessions by their best three records and their title, and return them best (or newest) first."""
    first, second, third = weights.BEST
    by_day, days_known = _BY_DAY, len(_BY_DAY)
    for ranked in found.values():
        matches = ranked.matches
        score = ranked.score
        best = ranked.time
        if matches:
            best = matches[0].time
            score += first * matches[0].score
            if len(matches) > 1:
                score += second * matches[1].score
                if len(matches) > 2:
                    score += third * matches[2].score
        days = (now - best) // DAY_MS
        if best > 0 and days < days_known:
            score *= by_day[days if days > 0 else 0]
        ranked.score = score * lean_of([best]) if lean_of else score
    return sort(found.values(), newest=newest)


def sort(found: Iterable[Ranked], *, newest: bool) -> list[Ranked]:
    """Return sessions best or newest first; equal ones always in the same order."""
    ordered = sorted(found, key=_NUMBER)  # one key after the other: no tuple is made for each
    ordered.sort(key=_TIME, reverse=True)
    if not newest:
        ordered.sort(key=_SCORE, reverse=True)
    return ordered


def rounds(snapshot: Snapshot, query: Query, *, newest: bool, now: int, begun: bool = False) -> Iterator[list[Hit]]:
    """Yield the hits of `query` in rounds of growing size until there are no more.

    The sessions of a later round stand below those of an earlier one, so that pages fit together whatever their size.
    `begun`: without the first round. Newest first, what lies more than a day ahead comes last: a clock that was wrong
    once must not head every answer.
    """
    if not newest:
        yield from _rounds(snapshot, query, None, begun)
        return
    for low, high in ((None, now + DAY_MS), (now + DAY_MS + 1, None)):
        time = Query.range_query(snapshot.schema, "time", FieldType.Integer, low, high)
        yield from _rounds(snapshot, Query.boolean_query([(Occur.Must, query), (Occur.Must, time)]), "time", False)


def _rounds(snapshot: Snapshot, query: Query, order: str | None, begun: bool) -> Iterator[list[Hit]]:
    size, offset = weights.FIRST_HITS, 0
    if begun:
        size, offset = 4 * size, size
    while True:
        hits = snapshot.searcher.search(query, limit=size, count=False, offset=offset, order_by_field=order).hits
        if hits:
            yield hits
        if len(hits) < size:
            return
        offset += size
        size *= 4
