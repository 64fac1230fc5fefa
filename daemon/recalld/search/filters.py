"""Filters: what a record must be, whatever it says. They become unscored parts of every query of every tier."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import tantivy
from tantivy import Occur, Query

from recall.errors import UsageError
from recalld import analysis
from recalld.index.reader import Snapshot
from recalld.search import times
from recalld.search.query import AGENT_NAMES, FIELDS, LONGEST_PHRASE, ParsedQuery, valid_value

Part = tuple[Occur, Query]

_LAST_NOW = 221_845_392_000_000
"""The beginning of the year 9000, in epoch ms."""
_MS = re.compile(r"-?\d{5,15}", re.ASCII)
"""Epoch milliseconds as text; what is longer is more than an index can hold."""

_SHOWN = 100
"""Characters of a value that are repeated in a notice."""

NOTHING_INDEXED = "nothing is indexed yet: `recall doctor` says where agents' files are looked for"

_NAMED_SESSIONS = 1000
"""Sessions that one beginning of an id may name."""


@dataclass(slots=True)
class Filters:
    """The compiled filters of one question."""

    parts: list[Part] = field(default_factory=list)
    """For records, and for sessions found by their titles: those have no role, kind, tool or path."""
    without_sub_agents: bool = False
    only_that: bool = True
    """`parts` say no more than `without_sub_agents`, which the fast field `weight` tells too."""
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What must be: fields and their values, of which one will do."""
    cwd: str | None = None
    key: tuple[object, ...] = ()
    """Equal keys mean equal parts, in later snapshots too."""


def clock_of(params: Mapping[str, Any], now: int) -> times.Clock:
    """Return the clock of a request: `now` (epoch ms), `tz` and `utc_offset_min` as the client sends them.

    Raise UsageError where `now` is no time that a clock can show and still count some years on from.
    """
    given, zone, offset = params.get("now"), params.get("tz"), params.get("utc_offset_min")
    zone_info = times.zone_of(zone if isinstance(zone, str) else None, offset if isinstance(offset, int) else None)
    moment = given if isinstance(given, int) else now
    if not 0 <= moment < _LAST_NOW:
        raise UsageError("now: must be a time of the years 1970 to 8999")
    return times.Clock(moment, zone_info or times.local_zone())


def compile_filters(
    snapshot: Snapshot,
    params: Mapping[str, Any],
    clock: times.Clock,
    parsed: ParsedQuery | None = None,
    *,
    sub_agents: bool = False,
) -> Filters:
    """Return the filters of a request's params and of its query.

    Params narrow further; values of one field within either mean "or". Raises UsageError where a param has a value that
    means nothing. `sub_agents` counts sub-agents in whatever the params say.
    """
    groups: list[tuple[str, tuple[str, ...]]] = []
    against: list[tuple[str, tuple[str, ...]]] = []
    for name in (n for n in FIELDS if n != "is"):
        values = _values(params.get(name), name)
        if values:
            groups.append((name, tuple(_canonical(name, v, clock) for v in values)))
    excluded = _values(params.get("not_session"), "not_session")
    if excluded:
        against.append(("session", tuple(excluded)))
    if parsed:
        groups += parsed.filters.items()
        against += parsed.minus_filters.items()
    cwd = params.get("cwd")
    cwd = cwd if isinstance(cwd, str) and cwd else None
    build = _Builder(snapshot, cwd)
    found = Filters()
    for name, wanted in groups:
        found.parts.append((Occur.Must, Query.const_score_query(build.any_of(name, wanted), 0.0)))
    for name, unwanted in against:
        found.parts.append((Occur.MustNot, build.any_of(name, unwanted)))
    names_sub_agents = any(n == "session" or (n == "is" and "subagent" in v) for n, v in groups)
    without = not (sub_agents or params.get("sub_agents") or names_sub_agents)
    if without and snapshot.frequency("flag", "subagent"):
        found.parts.append((Occur.MustNot, snapshot.term("flag", "subagent")))
    found.without_sub_agents = without
    found.groups, found.cwd = tuple(groups), cwd
    found.only_that = not (groups or against)
    # Which sessions the beginning of an id names may change with any other session.
    commit = snapshot.commit if any(n == "session" for n, _ in (*groups, *against)) else None
    relative = any(n == "project" and any(map(_is_relative, v)) for n, v in (*groups, *against))
    found.key = (tuple(groups), tuple(against), without, cwd if relative else None, commit)
    return found


def unmatched(snapshot: Snapshot, filters: Filters) -> list[str]:
    """Return a sentence for every value that nothing in the index has, or one for an index that has nothing: why an
    answer is empty, or may be.

    Of times nothing is said: that nothing is so old or so new is no slip.
    """
    if not snapshot.frequency("type", "r"):
        return [NOTHING_INDEXED]
    build = _Builder(snapshot, filters.cwd)
    told: list[str] = []
    for name, values in filters.groups:
        for value in values if name not in ("since", "until") else ():
            query = snapshot.all_of(snapshot.term("type", "r"), build.any_of(name, [value]))
            if not snapshot.searcher.search(query, limit=1, count=False).hits:
                told.append(_nothing_has(name, value))
    return told


def _nothing_has(name: str, value: str) -> str:
    shown = value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
    if not value.strip():
        return f"{name}: is empty, which nothing is"
    if name == "session":
        return f"session:{shown}: no session's id begins so"
    if name == "project" and "/" in value and not value.startswith(("/", "~", "./", "../")):
        how = "give an absolute path, one that begins with ./, or a single name"
        return f"project:{shown}: nothing in the index has it; {how}"
    return f"{name}:{shown}: nothing in the index has it"


def _values(given: Any, name: str) -> list[str]:
    if given is None or given == "" or given == []:
        return []
    listed = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(v, str | int) and not isinstance(v, bool) for v in listed):
        raise UsageError(f"{name} must be text")
    return [str(v) for v in listed]


def _canonical(name: str, value: str, clock: times.Clock) -> str:
    if name in ("since", "until") and _MS.fullmatch(value):
        return value
    canonical = valid_value(name, value, clock)
    if canonical is None:
        known = {"since": "a date, a time, 7d, 12h, 30m or yesterday", "until": "a date, a time, 7d or yesterday"}
        raise UsageError(f"{name} does not take {value!r}" + (f"; give {known[name]}" if name in known else ""))
    return canonical


_MAY_HOLD_A_SECRET = re.compile(r":[^/]*@|://|=|gh[a-z]_|github_pat_|glpat-|(?<![a-z])sk-|AKIA|xox[a-z]-")
"""Directories that may stand in the index without a part of their name. Only for them is the redactor loaded here."""


class _Builder:
    def __init__(self, snapshot: Snapshot, cwd: str | None) -> None:
        self._snapshot = snapshot
        self._cwd = cwd

    def any_of(self, name: str, values: Iterable[str]) -> Query:
        """Return the query for a field that has one of `values`."""
        if name == "since":
            return self._times(min(int(v) for v in values), None)
        if name == "until":
            return self._times(1, max(int(v) for v in values))
        if name == "project":
            return _either([self._project(v) for v in values])
        if name == "path":
            return _either([phrase(self._snapshot, "path", analysis.tokens(v)) for v in values])
        if name == "session":
            keys = [s.skey for v in values for s in self._snapshot.find_sessions(v, limit=_NAMED_SESSIONS)]
            return self._set("skey", keys)
        if name == "agent":
            return self._set("agent", [AGENT_NAMES.get(v, v) for v in values])
        return self._set("flag" if name == "is" else name, list(values))

    def _set(self, name: str, values: list[str]) -> Query:
        if len(values) == 1:
            return self._snapshot.term(name, values[0])
        return self._snapshot.any_term(name, values) if values else Query.empty_query()

    def _times(self, low: int, high: int | None) -> Query:
        return Query.range_query(self._snapshot.schema, "time", tantivy.FieldType.Integer, low, high)

    def _project(self, value: str) -> Query:
        value = os.path.expanduser(value)
        if _MAY_HOLD_A_SECRET.search(value):
            from recalld.redact import redact_place  # takes 80 ms to load

            value = redact_place(value)
        if _is_relative(value):
            if self._cwd is None:
                return Query.empty_query()
            value = os.path.join(self._cwd, value)
        if value.startswith("/"):
            return self._snapshot.term("project", analysis.fold(os.path.normpath(value)).replace("//", "/"))
        names = [c for c in analysis.fold(value).split("/") if c]
        if not names:
            return Query.empty_query()
        return self._snapshot.all_of(*(self._snapshot.term("project", c) for c in names))


def _is_relative(project: str) -> bool:
    """Tell whether the name of a project means a place beside the client's directory."""
    return project in (".", "..") or project.startswith(("./", "../"))


def _either(queries: list[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, q) for q in queries])


def phrase(snapshot: Snapshot, name: str, tokens: tuple[str, ...]) -> Query:
    """Return the query for `tokens` side by side in a text field."""
    if len(tokens) == 1:  # Tantivy panics on a phrase of one
        return Query.term_query(snapshot.schema, name, tokens[0])
    return Query.phrase_query(snapshot.schema, name, list(tokens[:LONGEST_PHRASE]))
