"""The tiers that ask for every word: exact, forms, close. Each is a list of clause queries that must all match, in one
record or title, or (exact and forms, up to four words) spread over one session."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tantivy import Occur, Query

from recalld.index.documents import SUB_AGENT_WEIGHT
from recalld.index.reader import Snapshot
from recalld.search import dates, ranking, snippets, spread, stopwords, weights
from recalld.search.filters import Filters, Part
from recalld.search.masks import Sessions, sessions_of
from recalld.search.query import KNOWN, MAX_QUERY, Clause, ParsedQuery, Word
from recalld.search.ranking import Match, Ranked
from recalld.search.times import Clock
from recalld.search.words import MAX_PREFIXES, Words, all_of, any_of

Tier = Literal["exact", "forms", "close", "related"]

SPREAD_WORDS = 4
"""Words of a query that may be spread over a session: of 120 questions whose words all were, 28 found the wrong one."""
_CHECKED = 3
"""Words of a long query, the rarest, that are looked for together before all are: most often that is enough to see that
no record holds them all (0.3 ms instead of 2)."""
_ODD_TOLD = 3
"""Filters with an unknown value that are told: a pasted log may hold hundreds."""
_ADJACENT_BELOW = 3000
"""Documents of the rarest word up to which neighbourhood is looked at: two common words take 5 ms."""


@dataclass(slots=True)
class Search:
    """One question to one snapshot."""

    snapshot: Snapshot
    parsed: ParsedQuery
    filters: Filters
    clock: Clock
    newest: bool = False
    now: int = field(init=False)
    leans: tuple[dates.Lean, ...] = field(init=False)
    words: Words = field(init=False)
    sessions: Sessions = field(init=False)
    clauses: tuple[Clause, ...] = field(init=False)
    base: list[Part] = field(init=False)
    """Filters and minus: parts of every query."""
    base_key: Hashable = field(init=False)
    unwanted: int | None = field(init=False)
    """Bits of the fast field `weight` that tell all that `base` does, where they can: a search without filters takes
    half the time, and what has such a bit is left out of its hits."""
    notices: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.parsed.cut:
            self.notices.append(f"the query is longer than {MAX_QUERY} characters: what is behind was not looked at")
        for odd in self.parsed.odd[:_ODD_TOLD]:
            name = odd.partition(":")[0]
            self.notices.append(f"{odd[:100]} is no filter and was looked for as text ({name}: takes {KNOWN[name]})")
        self.now = self.clock.now
        self.leans = dates.leans(self.parsed.text, self.clock)
        self.words = Words(self.snapshot)
        self.sessions = sessions_of(self.snapshot)
        self.clauses = self._bounded()
        against: list[Part] = [(Occur.MustNot, self.words.exact(w)) for w in self.parsed.minus]
        self.base = self.filters.parts + against
        quick = self.filters.only_that and not against and not self.newest
        self.unwanted = (SUB_AGENT_WEIGHT if self.filters.without_sub_agents else 0) if quick else None
        self.base_key = (self.filters.key, self.parsed.minus)

    def _bounded(self) -> tuple[Clause, ...]:
        starred = [c for c in self.parsed.clauses if any(w.prefix for w in c)]
        if sum(w.prefix for c in starred for w in c) <= MAX_PREFIXES:
            return self.parsed.clauses
        self.notices.append(f"only the first {MAX_PREFIXES} words with * were looked at")
        left = MAX_PREFIXES
        kept: list[Clause] = []
        for clause in self.parsed.clauses:
            words: list[Word] = []
            for word in clause:
                if not word.prefix or left > 0:
                    words.append(word)
                    left -= word.prefix
            if words:
                kept.append(tuple(words))
        return tuple(kept)

    def lean_of(self, times: list[int]) -> float:
        """Return the factor for something of these times: more where the question names such a time."""
        if not self.leans:
            return 1.0
        nearest = max((lean.nearness(t) for lean in self.leans for t in times if t > 0), default=0.0)
        return 1.0 + weights.LEAN * nearest

    def set_key(self, tier: str, clause: Clause) -> Hashable:
        """Return the key of the set of sessions that hold a clause: of all that makes its query, and no more."""
        words = clause if tier != "exact" else tuple([(w.tokens, w.prefix) for w in clause])
        return tier, self.base_key, words

    def within(self, *queries: Query) -> Query:
        """Return the query for all of `queries`, within the filters."""
        if len(queries) == 1 and not self.base:
            return queries[0]
        return Query.boolean_query([(Occur.Must, q) for q in queries] + self.base)


@dataclass(slots=True)
class Found:
    """What a tier found."""

    tier: Tier | None
    total: int
    """Sessions."""
    ranked: Iterator[Ranked]
    """Best first, all of them."""
    patterns: list[snippets.Pattern]
    query: Query
    """What a matching record satisfies, filters included."""
    partial: Query | None = None
    """What one satisfies in a session over which the words are spread."""
    places: tuple[int, ...] = ()
    """The words (`Pattern.word`) that the bits of `Match.held` stand for."""
    _by_held: dict[int, list[snippets.Pattern]] = field(default_factory=dict)

    def patterns_of(self, match: Match) -> list[snippets.Pattern]:
        """Return what to highlight in a match: nothing of the words that it is known not to hold. (A question of ten
        words has thirty patterns, and a record holds two or three of the words.)"""
        held = match.held
        if held is None:
            return self.patterns
        found = self._by_held.get(held)
        if found is None:
            lacking = {place for n, place in enumerate(self.places) if not held >> n & 1}
            found = self._by_held[held] = [p for p in self.patterns if p.word not in lacking]
        return found


def patterns(search: Search, tier: Tier, clauses: Sequence[Clause] | None = None) -> list[snippets.Pattern]:
    """Return what to highlight for the words of a query, or for these."""
    found: list[snippets.Pattern] = []
    for place, clause in enumerate(search.clauses if clauses is None else clauses):
        for word in clause:
            if tier == "related" and len(word.tokens) == 1 and word.tokens[0] in stopwords.STOP_WORDS:
                continue
            names = [t for t in word.tokens if len(t) > 2 and t.isalpha()]
            loose = tier != "exact" and not word.prefix
            if not (loose and len(word.tokens) == len(names) == 1):
                found.append(snippets.pattern(place, word.tokens, open_end=word.prefix))
            if loose:
                found += [snippets.pattern(place, (t,), stem=True) for t in names]
                if not word.quoted:
                    found += [snippets.part_pattern(place, t) for t in names]
            found += [snippets.pattern(place, tuple(t.split("\x1f"))) for t in search.words.expanded.get(word, ())[:16]]
    return list(dict.fromkeys(found))


def exact(search: Search) -> Found | None:
    """Return what holds every word as it is written, or None."""
    if not all(map(search.words.may_be_written, search.clauses)):
        return None
    make = search.words.exact_clause
    if not _may_hold_all(search, make, search.words.frequency):
        return None
    return _conjunction(search, "exact", [make(c) for c in search.clauses], may_spread=True)


def forms(search: Search) -> Found | None:
    """Return what holds every word in some English form, or as a part of an identifier, or None."""
    if not all(map(search.words.may_have_forms, search.clauses)):
        return None
    make = search.words.forms_clause
    if not _may_hold_all(search, make, search.words.forms_frequency):
        return None
    return _conjunction(search, "forms", [make(c) for c in search.clauses], may_spread=True)


def _may_hold_all(search: Search, make: Callable[[Clause], Query], frequency: Callable[[Clause], int]) -> bool:
    """Tell whether some record may hold all clauses of a long query: it must hold the rarest ones together."""
    if len(search.clauses) <= SPREAD_WORDS:
        return True
    rarest = sorted(search.clauses, key=frequency)[:_CHECKED]
    together = search.within(*[make(c) for c in rarest])
    return bool(search.snapshot.searcher.search(together, limit=1, count=False).hits)


def close(search: Search) -> Found | None:
    """Return what holds every word, where those that the index does not know are taken for what they are spelt like."""
    queries: list[Query] = []
    unknown = 0
    for clause in search.clauses:
        if any(search.words.is_known(w) for w in clause):
            queries.append(search.words.forms_clause(clause))
            continue
        unknown += 1
        near = [q for q in map(search.words.close, clause) if q is not None]
        if not near:
            return None
        queries.append(any_of(near))
    return _conjunction(search, "close", queries, may_spread=False) if unknown else None


def _conjunction(search: Search, tier: Tier, queries: list[Query], *, may_spread: bool) -> Found | None:
    everything = all_of(queries)
    together = search.within(everything)
    asked = everything if search.unwanted is not None else together
    if not search.newest and len(queries) > 1:
        asked = _with_neighbourhood(search, asked)
    hits = search.snapshot.searcher.search(asked, limit=weights.FIRST_HITS, count=False).hits
    first = ranking.group(search.snapshot, hits, unwanted=search.unwanted or 0)
    whole = len(hits) < weights.FIRST_HITS
    spreads = may_spread and 1 < len(queries) <= SPREAD_WORDS
    if spreads:
        mask = spread.holding_all(search, tier, queries)
    elif whole:
        mask = search.sessions.mask_of(first)
    else:
        # What a misspelt word is taken for may be another thing after a commit.
        meant = tuple(search.words.expanded.items()) if tier == "close" else None
        alone = len(queries) == 1 and meant is None
        key = search.set_key(tier, search.clauses[0]) if alone else (tier, search.base_key, search.clauses, meant)
        mask = search.sessions.matching(together, key)
    if not mask:
        return None
    ranked = _in_order(search, asked, queries, mask if spreads else 0, None if search.newest else (first, whole))
    partial = search.within(any_of(queries)) if spreads else None
    return Found(tier, mask.bit_count(), ranked, patterns(search, tier), together, partial)


def _with_neighbourhood(search: Search, together: Query) -> Query:
    """Return `together` with a better score for the query's words side by side."""
    words = [c[0] for c in search.clauses if len(c) == 1 and not c[0].prefix]
    tokens = [t for w in words for t in w.tokens]
    if len(words) != len(search.clauses) or min(search.words.frequency(c) for c in search.clauses) > _ADJACENT_BELOW:
        return together
    side_by_side = Query.phrase_query(search.snapshot.schema, "text", [*tokens], slop=1)
    return Query.boolean_query([(Occur.Must, together), (Occur.Should, Query.boost_query(side_by_side, weights.ADJACENT))])


_First = tuple[dict[int, Ranked], bool]
"""The sessions of a query's first round of hits, and whether there are no more of them."""


def _in_order(search: Search, query: Query, queries: list[Query], spread_mask: int, first: _First | None) -> Iterator[Ranked]:
    seen: set[int] = set()
    for ranked in _by_rounds(search, query, first):
        seen.add(ranked.number)
        yield ranked
    if spread_mask:
        rest = spread_mask & ~search.sessions.mask_of(seen)
        if rest:
            yield from spread.ranked(search, queries, rest)


def _by_rounds(search: Search, query: Query, first: _First | None = None) -> Iterator[Ranked]:
    """Yield the sessions of `query`'s hits; those of a later round stand below those of an earlier one."""
    lean_of = search.lean_of if search.leans else None
    seen: set[int] = set()
    if first is not None:
        found, whole = first
        for ranked in found.values():
            ranked.whole = whole
        seen.update(found)
        yield from ranking.in_order(found, search.now, lean_of, newest=search.newest)
        if whole:
            return
    unwanted = search.unwanted or 0
    rounds = ranking.rounds(search.snapshot, query, newest=search.newest, now=search.now, begun=first is not None)
    for hits in rounds:
        grouped = ranking.group(search.snapshot, hits, search.newest, unwanted)
        found = {n: r for n, r in grouped.items() if n not in seen} if seen else grouped
        seen.update(found)
        yield from ranking.in_order(found, search.now, lean_of, newest=search.newest)


def browse(search: Search) -> Found | None:
    """Return everything that the filters and the minus leave, newest first, or None."""
    search.newest = True
    query = search.within(search.snapshot.term("type", "r"))
    mask = search.sessions.matching(query, ("browse", search.base_key))
    if not mask:
        return None
    return Found("exact", mask.bit_count(), _by_rounds(search, query), [], query)
