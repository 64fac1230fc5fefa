"""Search: the query language, the tiers, ranking, snippets. `search` is the way in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from recall.errors import UsageError
from recalld.index.reader import Snapshot
from recalld.search import filters, ladder, query, tiers
from recalld.search.answer import answer, page_of
from recalld.search.boundary import guarded

__all__ = ["search"]


@guarded
def search(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the search answer (`docs/protocol.md`) for a request's params.

    `query` is text in the query language; `limit`, `offset`; `agent`, `project`, `session`, `not_session`, `role`,
    `kind`, `tool`, `path`, `branch`: text or a list of texts; `since`, `until`: epoch ms or text; `sub_agents`: bool;
    `sort`: "relevance" or "newest"; `cwd`, `tz`, `utc_offset_min`, `now` (epoch ms): where and when the client is.
    Raises UsageError for params that mean nothing; the query itself always means something.
    """
    began = time.perf_counter()
    text = params.get("query")
    text = "" if text is None else text
    sort = params.get("sort") or "relevance"
    if not isinstance(text, str):
        raise UsageError("query must be text")
    if sort not in ("relevance", "newest"):
        raise UsageError(f"sort is relevance or newest, not {sort!r}")
    page_of(params)
    clock = filters.clock_of(params, int(time.time() * 1000))
    parsed = query.parse(text, clock)
    compiled = filters.compile_filters(snapshot, params, clock, parsed)
    asked = tiers.Search(snapshot, parsed, compiled, clock, newest=sort == "newest")
    return answer(asked, ladder.run(asked), params, began)
