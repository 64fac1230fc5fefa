"""Sets of sessions as bit masks: how many sessions match, and which hold every word of a query.

A session's bit is its place in the order in which questions met it, so a set of 7,000 sessions is one integer of 900
bytes, and joining two sets takes 100 ns. Making one takes up to some milliseconds, so sets outlive their snapshot: a
commit tells which sessions it changed, and what was found in the others still holds. Only the changed ones are looked
at again, when the set is next asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from weakref import WeakKeyDictionary

from tantivy import DocAddress, Occur, Query, Schema, Searcher

from recalld import answers
from recalld.index.documents import StoredSession, number_of
from recalld.index.reader import Changes, Snapshot

_READ_HITS = 2048
"""Up to so many hits their sessions are read one by one (0.3 ms); more are counted in buckets (0.7 to 3 ms)."""
_MAX_BUCKETS = 60_000
"""Tantivy refuses more than 65,000 buckets; with more sessions than that all hits are read."""
_FEWEST_BUCKETS = 16_384
_MAX_CACHED = 4096
_ONE_BY_ONE = 4
"""Changed sessions that are looked at one by one (0.03 ms each) instead of in buckets (0.15 ms for all)."""
_MAX_SIZES = 20_000
_MAX_JSON = 2048
"""Sessions kept as they are shown, about 1.5 KB each."""
_LOOKED_AT_AGAIN = 100
"""Changed sessions up to which a kept set is brought up to date (0.01 ms each); with more of them it is made anew."""


class _Kept:
    """What outlives a snapshot: the places of sessions, and sets by key with the commit that they are of."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.places: dict[int, int] = {}
        self.numbers: list[int] = []
        self.masks: dict[Hashable, tuple[int, int]] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        self.json: dict[str, tuple[int, dict[str, object]]] = {}

    def _give_places(self, numbers: Iterable[int]) -> None:
        with self.lock:  # long answers are made in threads
            new = [number for number in numbers if number not in self.places]
            first = len(self.numbers)
            self.numbers += new  # before anybody can know a place
            self.places.update(zip(new, range(first, first + len(new)), strict=True))

    def mask_of(self, numbers: Iterable[int]) -> int:
        places = self.places
        wanted = set(numbers)
        new = wanted.difference(places)
        if new:
            self._give_places(new)
        if len(wanted) < 32:
            mask = 0
            for number in wanted:
                mask |= 1 << places[number]
            return mask
        # As binary digits: bits set one by one would copy the whole integer each time.
        size = len(self.numbers)
        digits = bytearray(b"0") * size
        for number in wanted:
            digits[size - 1 - places[number]] = 49
        return int(digits, 2)


class Sessions:
    """The sessions of one snapshot, as bits."""

    def __init__(self, snapshot: Snapshot) -> None:
        # No reference to the snapshot itself: this object lives as its value in a weak dictionary.
        self._searcher = snapshot.searcher
        self._schema = snapshot.schema
        self._changes = snapshot.changes
        self._commit = snapshot.commit
        kept = _kept.get(snapshot.changes)
        if kept is None:
            kept = _kept[snapshot.changes] = _Kept()
        self._kept = kept
        self.counts: dict[tuple[str, str], int] = {}
        """How many documents hold a term, by field and term."""
        self.forms: dict[str, tuple[str, ...]] = {}
        """The words of the index with the stem of a query's word, by that word."""
        self.near: dict[str, tuple[str, ...]] = {}
        """The words of the index that a query's word may have been meant for, by that word."""

    def mask_of(self, numbers: Iterable[int]) -> int:
        """Return the set of the sessions with these `snum`s."""
        return self._kept.mask_of(numbers)

    def numbers(self, mask: int) -> list[int]:
        """Return the `snum`s of a set."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self._kept.numbers[low.bit_length() - 1])
            mask ^= low
        return found

    def holds(self, mask: int, number: int) -> bool:
        """Tell whether a session is in a set."""
        place = self._kept.places.get(number)
        return place is not None and bool(mask >> place & 1)

    def matching(self, query: Query, key: Hashable | None) -> int:
        """Return the set of the sessions that have a document matching `query`; `key` names it for keeping."""
        known = self.known(query, key)
        if known is not None:
            return known
        count: int = self._searcher.search(query, limit=1).count  # type: ignore[attr-defined]  # missing in the stubs
        if count <= _READ_HITS:
            hits = self._searcher.search(query, limit=max(count, 1), count=False, order_by_field="snum").hits
            mask = self.mask_of([int(number) for number, _ in hits])
        else:
            mask = self.mask_of(self._every(query))
        self._keep(key, mask)
        return mask

    def _every(self, query: Query) -> list[int]:
        buckets = max(len(self._kept.numbers) + 1024, _FEWEST_BUCKETS)
        while buckets <= _MAX_BUCKETS:
            answer = self._searcher.aggregate(query, {"sessions": {"terms": {"field": "snum", "size": buckets}}})
            found = answer["sessions"]["buckets"]
            if len(found) < buckets:
                return [int(bucket["key"]) for bucket in found]
            buckets *= 8
        count = max(self._searcher.num_docs, 1)
        hits = self._searcher.search(query, limit=count, count=False, order_by_field="snum").hits
        return [int(number) for number, _ in hits]

    def known(self, query: Query, key: Hashable | None) -> int | None:
        """Return the set kept under `key`, brought up to date, if there is one. `query` is what its sessions match."""
        kept = self._kept.masks.get(key) if key is not None else None
        if kept is None:
            return None
        commit, mask = kept
        if commit == self._commit:
            return mask
        changed = self._changes.since(commit) if commit < self._commit else None
        if changed is None or len(changed) > _LOOKED_AT_AGAIN:
            return None
        if changed:
            mask = mask & ~self.mask_of(changed) | self.mask_of(self._which(query, changed))
        self._keep(key, mask)
        return mask

    def _which(self, query: Query, numbers: list[int]) -> list[int]:
        """Return which of some sessions have a document matching `query`."""
        if len(numbers) > _ONE_BY_ONE:
            return self._every(Query.boolean_query([(Occur.Must, query), (Occur.Must, one_of(self._schema, numbers))]))
        search = self._searcher.search
        return [
            n
            for n in numbers
            if search(
                Query.boolean_query([(Occur.Must, query), (Occur.Must, one_of(self._schema, [n]))]), limit=1, count=False
            ).hits
        ]

    def _keep(self, key: Hashable | None, mask: int) -> None:
        if key is None:
            return
        if len(self._kept.masks) >= _MAX_CACHED:
            self._kept.masks.clear()
        self._kept.masks[key] = (self._commit, mask)

    def sizes(self, snapshot: Snapshot, numbers: list[int]) -> dict[int, int]:
        """Return how many records each session has, by `snum`."""
        kept, same, commit = self._kept.sizes, self._changes.same, self._commit
        known = {n: size[1] for n in numbers if (size := kept.get(n)) is not None and same(n, size[0], commit)}
        unknown = [n for n in numbers if n not in known]
        if unknown:
            query = snapshot.all_of(snapshot.term("type", "s"), one_of(self._schema, unknown))
            hits = self._searcher.search(query, limit=len(unknown) * 2, count=False).hits
            addresses = [a for _, a in hits]
            found = dict(zip(self.numbers_at(addresses), integers(self._searcher, "size", addresses), strict=True))
            if len(kept) >= _MAX_SIZES:
                kept.clear()
            kept.update((n, (commit, size)) for n, size in found.items())
            known |= found
        return known

    def json(self, snapshot: Snapshot, session: StoredSession) -> dict[str, object]:
        """Return SESSION."""
        number = number_of(session.skey)
        kept = self._kept.json.get(session.skey)
        if kept is not None and self._changes.same(number, kept[0], self._commit):
            commit, known = kept
            if commit == self._commit or not _depends(session):
                return known.copy()
            # How it is reopened hangs on its agent's configuration.
            known = {**known, "resume": answers.resume_line(snapshot, session)}
        else:
            known = answers.session_json(snapshot, session)
        if session.parent is None and "/" not in session.id:  # what a sub-agent is called hangs on other sessions
            if len(self._kept.json) >= _MAX_JSON:
                self._kept.json.clear()
            self._kept.json[session.skey] = (self._commit, known)
        return known.copy()

    def numbers_at(self, addresses: list[DocAddress]) -> list[int]:
        """Return the `snum`s of documents."""
        return integers(self._searcher, "snum", addresses)


def one_of(schema: Schema, numbers: Sequence[int]) -> Query:
    """Return the query for the documents of sessions, by `snum`, unscored. (A union of terms: a set of terms takes four
    times as long.)"""
    terms = [Query.term_query(schema, "snum", n, index_option="basic") for n in numbers]
    either = terms[0] if len(terms) == 1 else Query.boolean_query([(Occur.Should, term) for term in terms])
    return Query.const_score_query(either, 0.0)


def integers(searcher: Searcher, name: str, addresses: list[DocAddress]) -> list[int]:
    """Return the values of an integer fast field, for documents that have it."""
    # The stubs cannot know the field's type.
    return searcher.fast_field_values(name, addresses) if addresses else []  # type: ignore[return-value]


def _depends(session: StoredSession) -> bool:
    """Tell whether a session's resume line may be another one without the session having changed."""
    return session.provider is not None


_kept: WeakKeyDictionary[Changes, _Kept] = WeakKeyDictionary()
_sessions: WeakKeyDictionary[Snapshot, Sessions] = WeakKeyDictionary()


def sessions_of(snapshot: Snapshot) -> Sessions:
    """Return the sessions of a snapshot, made at the first question to it."""
    found = _sessions.get(snapshot)
    if found is None:
        found = _sessions[snapshot] = Sessions(snapshot)
    return found
