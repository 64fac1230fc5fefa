"""The methods `context`, `blame`, `how`, `fix`, `files`: what each takes. The answers are `recalld.questions`' own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recalld import questions
from recalld.index.reader import Snapshot
from recalld.server.method import Method, Params, Result, pool
from recalld.server.params import Param
from recalld.server.service import Service
from recalld.settings import AGENTS

MAX_LIMIT = 1_000

Answer = Callable[[Snapshot, Mapping[str, Any]], Result]

_FILTERS = {
    "agent": Param("texts", choices=AGENTS),
    "project": Param("texts"),
    "session": Param("texts"),
    "not_session": Param("texts"),
    "since": Param("time"),
    "until": Param("time"),
    "cwd": Param("text"),
    "tz": Param("text"),
    "utc_offset_min": Param("int", low=-24 * 60, high=24 * 60),
    "now": Param("time"),
}
_LIMIT = {"limit": Param("int", low=1, high=MAX_LIMIT)}


def _method(answer: Answer, asked: str, more: Mapping[str, Param], pages: str | None = None) -> Method[Service]:
    def call(service: Service, params: Params) -> Result:
        return answer(service.snapshot, params)

    return pool(call, {asked: Param("text", required=True), **_FILTERS, **more}, needs_index=True, pages=pages)


QUESTIONS: dict[str, Method[Service]] = {
    "context": _method(
        questions.context, "query", {"budget": Param("int", low=200, high=1024 * 1024), "sub_agents": Param("bool")}
    ),
    "blame": _method(questions.blame, "path", _LIMIT, pages="sessions"),
    "how": _method(questions.how, "tool", _LIMIT, pages="commands"),
    "fix": _method(questions.fix, "error", _LIMIT, pages="fixes"),
    "files": _method(questions.files, "topic", _LIMIT, pages="files"),
}
"""They take some milliseconds on a large index, and so run in threads."""
