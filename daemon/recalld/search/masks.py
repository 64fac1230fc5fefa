"""Sets of sessions as bit masks: how many sessions match, and which hold every word of a query.

A session's bit is its place in the order in which one snapshot's questions met it, so a set of 7,000 sessions is one
integer of 900 bytes, and joining two sets takes 100 ns. Masks are kept for as long as their snapshot lives.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from weakref import WeakKeyDictionary

from tantivy import DocAddress, Query, Searcher

from recalld import answers
from recalld.index.documents import StoredSession
from recalld.index.reader import Snapshot

_READ_HITS = 2048
"""Up to so many hits their sessions are read one by one (0.3 ms); more are counted in buckets (0.7 to 3 ms)."""
_MAX_BUCKETS = 60_000
"""Tantivy refuses more than 65,000 buckets; with more sessions than that all hits are read."""
_MAX_CACHED = 4096


class Sessions:
    """The sessions of one snapshot, as bits."""

    def __init__(self, snapshot: Snapshot) -> None:
        # No reference to the snapshot itself: this object lives as its value in a weak dictionary.
        self._searcher = snapshot.searcher
        self._lock = threading.Lock()
        self._places: dict[int, int] = {}
        self._numbers: list[int] = []
        self._sizes: dict[int, int] = {}
        self._json: dict[str, dict[str, object]] = {}
        self._masks: dict[Hashable, int] = {}
        self.forms: dict[str, tuple[str, ...]] = {}
        """The words of the index with the stem of a query's word, by that word."""
        self._buckets = snapshot.count(snapshot.term("type", "s")) + 1024

    def mask_of(self, numbers: Iterable[int]) -> int:
        """Return the set of the sessions with these `snum`s."""
        mask = 0
        places = self._places
        for number in set(numbers):
            place = places.get(number)
            if place is None:
                place = self._new_place(number)
            mask |= 1 << place
        return mask

    def _new_place(self, number: int) -> int:
        with self._lock:  # long answers are made in threads
            place = self._places.get(number)
            if place is None:
                place = len(self._numbers)
                self._numbers.append(number)
                self._places[number] = place
            return place

    def numbers(self, mask: int) -> list[int]:
        """Return the `snum`s of a set."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self._numbers[low.bit_length() - 1])
            mask ^= low
        return found

    def holds(self, mask: int, number: int) -> bool:
        """Tell whether a session is in a set."""
        place = self._places.get(number)
        return place is not None and bool(mask >> place & 1)

    def matching(self, query: Query, key: Hashable | None) -> int:
        """Return the set of the sessions that have a document matching `query`; `key` names it for keeping."""
        if key is not None:
            known = self._masks.get(key)
            if known is not None:
                return known
        hits = self._searcher.search(query, limit=_READ_HITS, count=False, order_by_field="snum").hits
        if len(hits) < _READ_HITS:
            mask = self.mask_of(int(number) for number, _ in hits)
        elif self._buckets <= _MAX_BUCKETS:
            terms = {"field": "snum", "size": self._buckets}
            answer = self._searcher.aggregate(query, {"sessions": {"terms": terms}})
            mask = self.mask_of(int(bucket["key"]) for bucket in answer["sessions"]["buckets"])
        else:
            count = max(self._searcher.num_docs, 1)
            hits = self._searcher.search(query, limit=count, count=False, order_by_field="snum").hits
            mask = self.mask_of(int(number) for number, _ in hits)
        self.keep(key, mask)
        return mask

    def known(self, key: Hashable) -> int | None:
        """Return a set kept under `key`."""
        return self._masks.get(key)

    def sizes(self, snapshot: Snapshot, numbers: list[int]) -> dict[int, int]:
        """Return how many records each session has, by `snum`."""
        unknown = [n for n in numbers if n not in self._sizes]
        if unknown:
            those = Query.term_set_query(snapshot.schema, "snum", unknown)
            query = snapshot.all_of(snapshot.term("type", "s"), those)
            hits = self._searcher.search(query, limit=len(unknown) * 2, count=False).hits
            addresses = [a for _, a in hits]
            found = zip(self.numbers_at(addresses), integers(self._searcher, "size", addresses), strict=True)
            self._sizes.update(found)
        return {n: self._sizes[n] for n in numbers if n in self._sizes}

    def json(self, snapshot: Snapshot, session: StoredSession) -> dict[str, object]:
        """Return SESSION, made once for a snapshot."""
        known = self._json.get(session.skey)
        if known is None:
            if len(self._json) >= _MAX_CACHED:
                self._json.clear()
            known = self._json[session.skey] = answers.session_json(snapshot, session)
        return dict(known)

    def keep(self, key: Hashable | None, mask: int) -> None:
        """Keep a set under a key."""
        if key is None:
            return
        if len(self._masks) >= _MAX_CACHED:
            self._masks.clear()
        self._masks[key] = mask

    def numbers_at(self, addresses: list[DocAddress]) -> list[int]:
        """Return the `snum`s of documents."""
        return integers(self._searcher, "snum", addresses)


def integers(searcher: Searcher, name: str, addresses: list[DocAddress]) -> list[int]:
    """Return the values of an integer fast field, for documents that have it."""
    # The stubs cannot know the field's type.
    return searcher.fast_field_values(name, addresses) if addresses else []  # type: ignore[return-value]


_sessions: WeakKeyDictionary[Snapshot, Sessions] = WeakKeyDictionary()


def sessions_of(snapshot: Snapshot) -> Sessions:
    """Return the sessions of a snapshot, made at the first question to it."""
    found = _sessions.get(snapshot)
    if found is None:
        found = _sessions[snapshot] = Sessions(snapshot)
    return found
