"""The methods `hook` and `statusline`: what agents call, which must never be kept waiting or be given an error."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from recall.errors import IndexFailure
from recalld import analysis, logs
from recalld.hooks.engine import SILENCE, Answer, Engine
from recalld.hooks.payload import fields, parse
from recalld.hooks.scope import project_roots
from recalld.hooks.stats import Stats

if TYPE_CHECKING:
    from recalld.index.reader import Snapshot
    from recalld.server.service import Service

SHARE = 0.8
"""Share of the agent's patience (`budget_ms`) that the daemon takes; the rest is for starting and the way."""
THREADS = 2
EVENTS = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "SessionEnd",
    }
)
"""Events that may be answered; any other is silence. Never Stop: what is said there makes the turn go on."""
SILENT_TOOL = "{}"
"""Silence as the text of an MCP tool: an empty one would be shown to the model."""


class Hooks:
    """The engine, its threads and its counts; one for each daemon."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._engine = Engine()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="hook")

    async def answer(self, service: Service, agent: str, event: str, payload: bytes | str | dict[str, Any]) -> str:
        """Return the JSON that the hook is to print, "" for silence, within the configured time."""
        if event not in EVENTS:
            return ""
        began = time.perf_counter()
        config = service.config.hooks
        answer, failed = SILENCE, True
        try:
            if service.reader is not None:
                call = asyncio.get_running_loop().run_in_executor(
                    self._pool, self._engine.answer, service.reader.snapshot, config, agent, event, payload
                )
                answer = await asyncio.wait_for(call, config.budget_ms / 1000 * SHARE)
                answer.remember()
            failed = False
        except TimeoutError:
            logs.warning("hook_late", agent=agent, hook=event, budget_ms=config.budget_ms)
        except IndexFailure as error:
            logs.error("hook_failed", agent=agent, hook=event, error=logs.where(error))
        finally:
            ms = (time.perf_counter() - began) * 1000
            self.stats.add(agent, event, ms=ms, answered=bool(answer.output), failed=failed)
        self._look(service, answer)
        return answer.output

    def _look(self, service: Service, answer: Answer) -> None:
        """Have the transcript read to its end. Nobody waits: the agent may be ending."""
        if answer.read is not None:
            service.indexer.tell("look", {"path": str(answer.read)})

    def line(self, service: Service, agent: str, payload: bytes | str | dict[str, Any]) -> str:
        """Return the status line, with its line end."""
        if service.reader is None:
            return "recall: starting\n"
        cwd = _directory(agent, payload)
        snapshot = service.reader.snapshot
        parts = [_counted(_sessions(snapshot, None), "session")]
        if cwd is not None:
            here = _sessions(snapshot, cwd)
            parts.append(f"{here:,} in this project" if here else "new project")
        status = service.indexer.status
        total, pending = int(status.get("total_bytes", 0)), int(status.get("pending_bytes", 0))
        if snapshot.complete:
            parts.append("indexed to the last byte")
        elif total:
            parts.append(f"indexing, {100 * max(0, total - pending) // total} %")
        return f"recall: {' · '.join(parts)}\n"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _directory(agent: str, payload: bytes | str | dict[str, Any]) -> str | None:
    """Return the project's directory in a status line's input: agents put it in `workspace`, or in `cwd`."""
    call = parse(agent, "statusline", payload)
    given = fields(payload) if isinstance(payload, bytes | str) else payload
    workspace = given.get("workspace") if given is not None else None
    if isinstance(workspace, dict):
        for key in ("project_dir", "current_dir"):
            path = workspace.get(key)
            if isinstance(path, str) and path.startswith("/"):
                return path
    return call.cwd if call else None


def _sessions(snapshot: Snapshot, cwd: str | None) -> int:
    from tantivy import Occur, Query

    parts = [(Occur.Must, snapshot.term("type", "s")), (Occur.MustNot, snapshot.term("flag", "subagent"))]
    if cwd is not None:
        tokens = [analysis.fold(root) for root in project_roots(cwd)]
        parts.append((Occur.Must, snapshot.any_term("project", tokens)))
    return snapshot.count(Query.boolean_query(parts))
