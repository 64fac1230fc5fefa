"""The search answer: one page of what a tier found, as JSON values."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tantivy import Occur, Query

from recall.errors import UsageError
from recalld import answers
from recalld.index.documents import StoredRecord, StoredSession, from_body
from recalld.index.reader import Snapshot
from recalld.search import snippets
from recalld.search.filters import unmatched
from recalld.search.masks import integers, one_of
from recalld.search.ranking import Match, Ranked
from recalld.search.tiers import Found, Search

MATCHES = 3
"""Matches of a hit at most, where the request does not say."""
MOST_MATCHES = 100
"""Matches of a hit that a request may ask for."""
SHOWN_TEXT = 16 * 1024
"""Characters of a match's text that a search answer carries; a longer one is cut and marked `truncated`, `show` has
all."""
MAX_LIMIT = 10_000
_AT_ONCE = 20
"""Sessions of a page whose matches are looked up together: one look at ten sessions takes 0.1 ms, ten looks 0.4."""
_TOGETHER = 1000
"""Records of such a look; where there are more they are counted in buckets."""
_OFTEN = 2000
"""Documents of the rarest word from which the records of a page's sessions are counted in buckets at once (0.12 ms)
and only those are looked for that a session lacks, a few: else the look finds hundreds (0.35 ms)."""
_ALONE = 16
"""Records of a look at one session, of which three are shown; all are counted."""
_PAGE_CHARACTERS = 3_000_000
"""Text of a page, which must fit a frame of 16 MiB even where a character takes four bytes; what is over goes to the
next."""


def page_of(params: Mapping[str, Any]) -> tuple[int, int]:
    """Return (limit, offset) of a request; raise UsageError where they are no counts."""
    limit, offset = params.get("limit"), params.get("offset")
    limit = 10 if limit is None else limit
    offset = 0 if offset is None else offset
    for name, value in (("limit", limit), ("offset", offset)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise UsageError(f"{name} must be a whole number, 0 or more")
    return min(limit, MAX_LIMIT), offset


def answer(search: Search, found: Found | None, params: Mapping[str, Any], began: float) -> dict[str, Any]:
    """Return the search answer, without `schema`. `began` is the `time.perf_counter()` at the request."""
    limit, offset = page_of(params)
    shown = params.get("matches") or MATCHES
    hits: list[dict[str, Any]] = []
    room = _PAGE_CHARACTERS
    if found:
        for ranked in _completed(search, found, islice(found.ranked, offset, offset + limit), min(shown, MATCHES)):
            if shown > MATCHES:
                _add_matches(search, found, ranked, shown)
            hit, size = _hit(search, found, ranked, shown)
            if hits and size > room:
                break
            room -= size
            hits.append(hit)
    reached = offset + len(hits)
    total = found.total if found else 0
    result: dict[str, Any] = {
        "query": search.parsed.text,
        "tier": found.tier if found else None,
        "total": total,
        "took_ms": 0.0,
        "index": search.snapshot.index_state,
        "hits": hits,
        "next_offset": reached if hits and reached < total else None,
    }
    if not total:
        search.notices += unmatched(search.snapshot, search.filters)
    if search.notices:
        result["notice"] = "; ".join(search.notices)
    result["took_ms"] = round((time.perf_counter() - began) * 1000, 2)
    return result


def _add_matches(search: Search, found: Found, ranked: Ranked, shown: int) -> None:
    """Look for more matches of one session, each text once, until `shown` are known; those that are known stay first."""
    query = found.partial if ranked.spread and found.partial is not None else found.query
    hits = search.snapshot.searcher.search(
        _of(search, query, [ranked]), limit=shown, order_by_field="time" if search.newest else None
    ).hits
    # `related` knows its matches by their place alone
    known = set(integers(search.snapshot.searcher, "hash", [match.address for match in ranked.matches]))
    for (score, address), text_hash in zip(hits, integers(search.snapshot.searcher, "hash", [a for _, a in hits]), strict=True):
        if text_hash not in known and len(ranked.matches) < shown:
            known.add(text_hash)
            ranked.matches.append(Match(0.0 if search.newest else score, address, 0, text_hash))


def _hit(search: Search, found: Found, ranked: Ranked, most: int) -> tuple[dict[str, Any], int]:
    """Return (one hit, the characters of text in it)."""
    snapshot = search.snapshot
    matches: list[dict[str, Any]] = []
    size = 0
    session: StoredSession | None = None
    for match in ranked.matches[:most]:
        record = from_body(StoredRecord, snapshot.searcher.doc(match.address)["body"][0])
        session = session or snapshot.session(record.skey)
        patterns = found.patterns_of(match)
        shown, highlights = snippets.snippet(record.text, patterns)
        if not highlights and record.paths and patterns:
            of_path, path_highlights = snippets.snippet(" ".join(record.paths), patterns)
            if path_highlights:
                shown, highlights = of_path, path_highlights
        as_json = answers.record_json(snapshot, record)
        if len(record.text) > SHOWN_TEXT:
            as_json["text"] = record.text[:SHOWN_TEXT]
            as_json["truncated"] = True
        size += len(as_json["text"]) + 500
        matches.append({"record": as_json, "snippet": shown, "highlights": highlights})
    if session is None:
        session = _session(snapshot, ranked)
    hit = {
        "session": search.sessions.json(snapshot, session),
        "score": round(ranked.score, 3),
        "matches": matches,
        "match_count": ranked.count,
    }
    if ranked.title is not None and session.title:
        hit["title_highlights"] = snippets.marks(session.title, found.patterns)
    return hit, size


def _completed(search: Search, found: Found, page: Iterable[Ranked], least: int) -> Iterator[Ranked]:
    """Yield the sessions of a page with the matches to show (`least`, where there are so many) and their number: what the
    ranking, which looks at the best records of all sessions alone, has not seen of them."""
    rest = iter(page)
    while some := list(islice(rest, _AT_ONCE)):
        open_ones = [r for r in some if not r.whole]
        spread = [r for r in open_ones if r.spread] if found.partial is not None else []
        together = [r for r in open_ones if not (spread and r.spread)]
        for query, ones in ((found.query, together), (found.partial, spread)):
            if query is not None and ones:
                often = len(ones) > 1 and min(map(search.words.frequency, search.clauses), default=0) > _OFTEN
                _count(search, query, ones, least) if often else _complete(search, query, ones, least)
        yield from some


def _count(search: Search, query: Query, some: list[Ranked], least: int) -> None:
    """Do what `_complete` does where there are many records: count them in buckets, and look for those that are still
    to be shown alone."""
    counts = _buckets(search, _of(search, query, some), len(some))
    lacking: list[Ranked] = []
    for ranked in some:
        seen, ranked.count = ranked.count, counts.get(ranked.number, 0)
        if len(ranked.matches) < least and seen < ranked.count:
            lacking.append(ranked)
    if lacking:
        _complete(search, query, lacking, least)


def _complete(search: Search, query: Query, some: list[Ranked], least: int) -> None:
    """Count the records that match `query` in some sessions, and look for those that are still to be shown: in all
    sessions at once, and again in one of which too little was seen."""
    snapshot = search.snapshot
    here = _of(search, query, some)
    alone = len(some) == 1
    order = "time" if search.newest else None
    hits = snapshot.searcher.search(here, limit=_ALONE if alone else _TOGETHER, order_by_field=order)
    total: int = hits.count  # type: ignore[attr-defined]  # missing in the stubs
    found = hits.hits
    seen = search.sessions.numbers_at([a for _, a in found])
    lacking = {r.number: r.matches for r in some if len(r.matches) < least}
    looked_at = [n for n, number in enumerate(seen) if number in lacking]
    hashes = integers(snapshot.searcher, "hash", [found[n][1] for n in looked_at])
    for n, text_hash in zip(looked_at, hashes, strict=True):
        matches = lacking[seen[n]]
        if len(matches) < least and all(m.hash != text_hash for m in matches):
            score, address = found[n]
            matches.append(Match(0.0 if search.newest else score, address, 0, text_hash))
    if alone:
        some[0].count = total
        return
    counts = Counter(seen)
    all_counts = _buckets(search, here, len(some)) if total > len(seen) else counts
    for ranked in some:
        ranked.count = all_counts.get(ranked.number, 0)
        if len(ranked.matches) < least and counts[ranked.number] < ranked.count:
            _complete(search, query, [ranked], least)


def _of(search: Search, query: Query, some: list[Ranked]) -> Query:
    """Return the query for the records of some sessions that match `query`."""
    schema, titles = search.snapshot.schema, search.snapshot.term("type", "s")
    numbers = one_of(schema, [r.number for r in some])
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, numbers), (Occur.MustNot, titles)])


def _buckets(search: Search, query: Query, size: int) -> dict[int, int]:
    """Return how many documents of each of `size` sessions match, by `snum`."""
    asked = {"sessions": {"terms": {"field": "snum", "size": size}}}
    buckets = search.snapshot.searcher.aggregate(query, asked)["sessions"]["buckets"]
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in buckets}


def _session(snapshot: Snapshot, ranked: Ranked) -> StoredSession:
    if ranked.title is not None:
        return from_body(StoredSession, snapshot.searcher.doc(ranked.title)["body"][0])
    sessions = snapshot.all_of(snapshot.term("type", "s"), one_of(snapshot.schema, [ranked.number]))
    return from_body(StoredSession, next(snapshot.bodies(sessions, 1)))
