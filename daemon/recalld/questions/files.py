"""`files`: the files that work on a topic touched."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tantivy import Query

from recalld import analysis, answers
from recalld.index.documents import StoredRecord, number_of
from recalld.index.reader import Snapshot
from recalld.questions import common
from recalld.search import query, tiers
from recalld.search.boundary import guarded
from recalld.search.ladder import run
from recalld.search.masks import integers

_SESSIONS = 12
"""Sessions on the topic whose files are looked at."""
_TOUCHES = 600
"""Reads and edits that are looked at: 6 ms."""
_NEAR = 25
"""Messages between what speaks of the topic and what it led to."""
_EDIT, _READ = 1.5, 1.0
_ELSEWHERE = 0.2
"""Share of what was touched in other sessions, where the path has a word of the topic in it."""
_NAMED = 3.0
"""A path that has a word of the topic in it counts so much more."""


@dataclass(slots=True)
class _File:
    path: str
    score: float = 0.0
    touches: int = 0
    last: int = 0
    sessions: set[str] = field(default_factory=set)


@guarded
def files(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"topic", "files": [{"path", "sessions", "touches", "last"}], "total"}`, the likeliest files first.

    `topic` is in the query language. Paths are absolute where a record tells its directory. Other params: `agent`,
    `project`, `since`, `until`, `limit`.
    """
    topic = common.required(params, "topic")
    limit = common.limit_of(params, 20)
    clock = common.clock_of(params)
    parsed = query.parse(topic, clock)
    chosen = common.compiled(snapshot, params)
    asked = tiers.Search(snapshot, parsed, common.merged(snapshot, params, parsed), clock)
    found = run(asked)
    by_path: dict[str, _File] = {}
    seen: set[str] = set()
    stems = {analysis.stem(t) for clause in parsed.clauses for word in clause for t in word.tokens if len(t) > 2}
    if found:
        places: dict[int, list[int]] = {}
        shares: dict[int, float] = {}
        for n, ranked in enumerate(found.ranked):
            if n == _SESSIONS:
                break
            shares[ranked.number] = 1.0 / (1 + n / 4)
            addresses = [m.address for m in ranked.matches]
            places[ranked.number] = integers(snapshot.searcher, "ord", addresses)
        those = Query.term_set_query(snapshot.schema, "snum", list(shares))
        touching = common.within(chosen, those, common.kinds(snapshot, "edit", "read"))
        for record in common.newest(snapshot, touching, _TOUCHES):
            seen.add(record.key)
            number = number_of(record.skey)
            near = min((abs(record.ord - at) for at in places.get(number, [])), default=_NEAR)
            _add(by_path, record, shares.get(number, 0.0) / (1 + near / _NEAR), stems)
    if stems:
        tokens = [t for clause in parsed.clauses for word in clause for t in word.tokens if len(t) > 2]
        known = [t for t in dict.fromkeys(tokens) if snapshot.searcher.doc_freq("path", t)]
        if known:
            named = Query.term_set_query(snapshot.schema, "path", known)
            touching = common.within(chosen, named, common.kinds(snapshot, "edit", "read"))
            for record in common.newest(snapshot, touching, _TOUCHES // 3):
                if record.key not in seen:
                    _add(by_path, record, _ELSEWHERE, stems)
    ranked_files = sorted(by_path.values(), key=lambda f: (-f.score, -f.last, f.path))
    answer = {
        "topic": topic,
        "files": [
            {"path": f.path, "sessions": len(f.sessions), "touches": f.touches, "last": answers.iso(f.last or None)}
            for f in ranked_files[:limit]
        ],
        "total": len(ranked_files),
    }
    return common.noticed(answer, snapshot, asked.filters, bool(ranked_files), asked.notices)


def _add(by_path: dict[str, _File], record: StoredRecord, share: float, stems: set[str]) -> None:
    for written in record.paths:
        path = posixpath.normpath(posixpath.join(record.project or "", written))
        file = by_path.get(path)
        if file is None:
            file = by_path[path] = _File(path)
        weight = (_EDIT if record.kind == "edit" else _READ) * share
        if stems and any(analysis.stem(t) in stems for t in analysis.tokens(posixpath.basename(path))):
            weight *= _NAMED
        file.score += weight
        file.touches += 1
        file.last = max(file.last, record.time or 0)
        file.sessions.add(record.skey)
