"""The list of sessions, with a project as the filter of a search means it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from tantivy import Occur, Query

from recalld import answers
from recalld.index.reader import Snapshot
from recalld.search.boundary import guarded
from recalld.search.filters import clock_of, compile_filters, unmatched
from recalld.search.masks import one_of, sessions_of


@guarded
def listed(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `sessions` answer to a request's params, with a `notice` where a filter fits nothing in the index."""
    cwd, project = params.get("cwd"), params.get("project")
    asked = {name: value for name, value in params.items() if name not in ("cwd", "project")}
    if project == "":
        answer: dict[str, Any] = {"total": 0, "sessions": [], "next_offset": None}
    else:
        answer = answers.sessions(snapshot, among=_in_project(snapshot, project, cwd) if project else None, **asked)
    if not answer["total"]:
        clock = clock_of(params, int(time.time() * 1000))
        named = {name: [params[name]] for name in ("agent", "project") if name in params}
        if told := unmatched(snapshot, compile_filters(snapshot, named | {"cwd": cwd}, clock)):
            answer["notice"] = "; ".join(told)
    return answer


def _in_project(snapshot: Snapshot, project: str, cwd: str | None) -> Query:
    """Return the query for the sessions that began in a project, and for those that went there later."""
    clock = clock_of({}, int(time.time() * 1000))
    found = compile_filters(snapshot, {"project": project, "cwd": cwd}, clock, sub_agents=True)
    within = Query.boolean_query(found.parts)
    began = snapshot.all_of(within, snapshot.term("type", "s"))
    sessions = sessions_of(snapshot)
    later = sessions.matching(within, ("in", found.key)) & ~sessions.matching(began, ("began in", found.key))
    if not later:
        return within
    return Query.boolean_query([(Occur.Should, within), (Occur.Should, one_of(snapshot.schema, sessions.numbers(later)))])
