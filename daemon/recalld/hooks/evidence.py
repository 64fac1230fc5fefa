"""How much of a prompt one session of a project answers to: the number that decides whether anything is said.

A prompt's words are looked up one by one. A word counts by how few sessions hold it, in the whole store (else it is a
word of the language) and in the project (else it is what the project is about, and points at no session of it). A
session scores by the words that stand close together in it: over a long session everything is somewhere. What is said
must come to `THRESHOLD`, the worth of more than one rare word, and to a share of all that the prompt asks about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tantivy import Occur, Query

from recalld import analysis
from recalld.hooks.words import MAX_UNITS, Unit
from recalld.index.documents import KINDS
from recalld.index.reader import Snapshot
from recalld.search.masks import integers

MOST = 4.0
"""The worth of a word that no other session holds; two of them are enough, one is not."""
EVERYDAY = 0.25
"""Share that an everyday word keeps."""
PAIR = 0.6
"""Share of a pair of characters: a word of three has two of them."""
NAMED = 1.25
"""The worth of a name (a ticket, a commit, a path) in its rarity, without a limit: alone it is enough."""
THRESHOLD = 4.4
COVERAGE = 0.16
"""Share of the worth of all words of the prompt that must be met."""
LARGE = 12
"""Sessions of a project from which more is asked: among many, two words meet by chance."""
FLOOR = 200
"""Sessions that a store is taken to have at least: in a new one everything is rare."""
WINDOW = 30
"""Messages within which words count as close together."""
MAX_RECORDS = 800
"""Records of a project that hold a word; one that more hold tells nothing, and would cost milliseconds."""
READ = 300
"""Records of a word up to which its sessions are counted (0.1 ms). Of a more frequent one the records are taken for
sessions: it counts for less, and counting would cost milliseconds."""
SESSIONS_READ = 8
SHORTEST_HASH = 7
"""Digits to which people cut a commit."""
KIND_WEIGHT = {
    "message": 1.0,
    "summary": 0.9,
    "command": 1.0,
    "edit": 0.9,
    "tool_call": 0.8,
    "read": 0.8,
    "output": 0.8,
}
_BY_CODE = tuple(KIND_WEIGHT[kind] for kind in KINDS)


@dataclass(slots=True)
class Evidence:
    """What speaks for one session."""

    number: int
    """Its `snum`."""
    score: float
    low: int
    """Ordinals of the first and the last message of the stretch that scored."""
    high: int
    units: list[Unit] = field(default_factory=list)


@dataclass(slots=True)
class Weighed:
    """What was found for a prompt."""

    asked: float = 0.0
    """The worth of all its words."""
    needed: float = 0.0
    """What a session must come to."""
    best: list[Evidence] = field(default_factory=list)
    """Best first."""


def unit_query(snapshot: Snapshot, unit: Unit) -> Query:
    """Return the query for a unit: in any of its English forms, a path among paths too, a commit however it is cut."""
    schema, searcher = snapshot.schema, snapshot.searcher
    tokens = list(unit.tokens)
    if len(tokens) > 1:
        fields = ["text"] if any(not searcher.doc_freq("path", t) for t in tokens) else ["text", "path"]
        found = [Query.phrase_query(schema, field, [*tokens]) for field in fields]
        return Query.boolean_query([(Occur.Should, query) for query in found])
    token = tokens[0]
    terms = [token]
    if unit.named and len(token) >= SHORTEST_HASH:
        terms += [t for t, _ in searcher.terms_with_prefix("text", token, limit=8) if t != token]
        terms += [token[:n] for n in range(SHORTEST_HASH, min(len(token), 41)) if searcher.doc_freq("text", token[:n])]
    found = [Query.term_query(schema, "text", term) for term in terms]
    found.append(Query.term_query(schema, "path", token))
    if token.isalpha():
        found.append(Query.term_query(schema, "stem", analysis.stem(token)))
        found.append(Query.term_query(schema, "parts", token))
    return Query.boolean_query([(Occur.Should, query) for query in found])


def weigh(snapshot: Snapshot, units: Sequence[Unit], where: Query, sessions: int) -> Weighed:
    """Return what speaks for the sessions whose records match `where`, which are `sessions` in number."""
    stored = max(snapshot.frequency("type", "s"), FLOOR)
    record = snapshot.term("type", "r")
    rarest = sorted(units, key=lambda u: _frequency(snapshot, u))[:MAX_UNITS]
    # By session: the messages in which a unit stands, with its worth there.
    held: dict[int, list[tuple[int, int, float]]] = {}
    asked = 0.0
    for place, unit in enumerate(rarest):
        frequency = _frequency(snapshot, unit)
        query: Query | None = None
        everywhere = frequency
        if frequency <= READ:
            query = Query.const_score_query(unit_query(snapshot, unit), 0.0)
            both = Query.boolean_query([(Occur.Must, query), (Occur.Must, record)])
            hits = snapshot.searcher.search(both, limit=READ, count=False).hits
            everywhere = len(set(integers(snapshot.searcher, "snum", [address for _, address in hits])))
        worth = _worth(unit, max(0.0, math.log((stored + 1) / (everywhere + 0.5))))
        asked += worth
        if not everywhere or not worth:
            continue
        query = query or Query.const_score_query(unit_query(snapshot, unit), 0.0)
        found = snapshot.searcher.search(
            Query.boolean_query([(Occur.Must, query), (Occur.Must, where)]), limit=MAX_RECORDS + 1, count=False
        ).hits
        if not found or len(found) > MAX_RECORDS:
            continue
        addresses = [address for _, address in found]
        columns = [integers(snapshot.searcher, name, addresses) for name in ("snum", "ord", "weight")]
        here = len(set(columns[0]))
        worth *= _distinctness(here, sessions)
        for number, ordinal, code in zip(*columns, strict=True):
            held.setdefault(number, []).append((ordinal, place, worth * _BY_CODE[code & 15]))
    best = [_stretch(number, places, rarest) for number, places in _promising(held)]
    best.sort(key=lambda e: (-e.score, e.number))
    needed = THRESHOLD + max(0.0, math.log(max(sessions, 1) / LARGE))
    return Weighed(asked, max(needed, COVERAGE * asked), best)


def _worth(unit: Unit, rarity: float) -> float:
    if unit.named:
        return NAMED * rarity
    return min(rarity, MOST) * (EVERYDAY if unit.everyday else PAIR if unit.pair else 1.0)


def _frequency(snapshot: Snapshot, unit: Unit) -> int:
    return min(int(snapshot.searcher.doc_freq("text", token)) for token in unit.tokens)


def _distinctness(here: int, sessions: int) -> float:
    """Return 1 for a word of one session of a project, towards 0 for one of them all."""
    if sessions < 2:
        return 1.0
    return max(0.0, math.log((sessions + 1) / (here + 0.5)) / math.log((sessions + 1) / 1.5))


def _promising(held: dict[int, list[tuple[int, int, float]]]) -> list[tuple[int, list[tuple[int, int, float]]]]:
    """Return the sessions that come to most when nearness is left out: no stretch of them can come to more."""

    def whole(places: list[tuple[int, int, float]]) -> float:
        most: dict[int, float] = {}
        for _, unit, worth in places:
            most[unit] = max(most.get(unit, 0.0), worth)
        return sum(most.values())

    return sorted(held.items(), key=lambda item: (-whole(item[1]), item[0]))[:SESSIONS_READ]


def _stretch(number: int, places: list[tuple[int, int, float]], units: Sequence[Unit]) -> Evidence:
    """Return the evidence of the stretch of WINDOW messages that comes to most."""
    places.sort()
    best = Evidence(number, 0.0, 0, 0)
    for start in range(len(places)):
        if start and places[start][0] == places[start - 1][0]:
            continue
        first = places[start][0]
        most: dict[int, float] = {}
        last = first
        for ordinal, unit, worth in places[start:]:
            if ordinal - first > WINDOW:
                break
            if worth > most.get(unit, 0.0):
                most[unit] = worth
                last = ordinal
        score = sum(most.values())
        if score > best.score + 1e-9:
            best = Evidence(number, score, first, last, [units[u] for u in sorted(most, key=lambda u: -most[u])])
    return best
