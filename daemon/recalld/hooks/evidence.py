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
from recalld.search.masks import integers, sessions_of

MOST = 4.0
"""The worth of a word that no other session holds; two of them are enough, one is not."""
EVERYDAY = 0.25
"""Share that an everyday word keeps."""
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
LIMIT_COMMON = 0.05
"""Share of all records from which a word is not looked up at all."""
SESSIONS_READ = 8
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
    """Return the query for a unit, in any of its English forms."""
    schema = snapshot.schema
    if len(unit.tokens) > 1:
        return Query.phrase_query(schema, "text", list(unit.tokens))
    token = unit.tokens[0]
    found = [Query.term_query(schema, "text", token), Query.term_query(schema, "path", token)]
    if token.isalpha():
        found.append(Query.term_query(schema, "stem", analysis.stem(token)))
        found.append(Query.term_query(schema, "parts", token))
    return Query.boolean_query([(Occur.Should, query) for query in found])


def weigh(snapshot: Snapshot, units: Sequence[Unit], where: Query, sessions: int) -> Weighed:
    """Return what speaks for the sessions whose records match `where`, which are `sessions` in number."""
    records = int(snapshot.searcher.doc_freq("type", "r"))
    stored = max(int(snapshot.searcher.doc_freq("type", "s")), FLOOR)
    rarest = sorted(units, key=lambda u: _frequency(snapshot, u))[:MAX_UNITS]
    # By session: the messages in which a unit stands, with its worth there.
    held: dict[int, list[tuple[int, int, float]]] = {}
    asked = 0.0
    for place, unit in enumerate(rarest):
        if records and _frequency(snapshot, unit) > max(records * LIMIT_COMMON, 2000):
            continue
        query = Query.const_score_query(unit_query(snapshot, unit), 0.0)
        everywhere = sessions_of(snapshot).matching(
            Query.boolean_query([(Occur.Must, query), (Occur.Must, snapshot.term("type", "r"))]), ("hook", unit)
        )
        rarity = math.log((stored + 1) / (everywhere.bit_count() + 0.5))
        worth = max(0.0, min(rarity, MOST) * (EVERYDAY if unit.everyday else 1.0))
        asked += worth
        if not everywhere or not worth:
            continue
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
