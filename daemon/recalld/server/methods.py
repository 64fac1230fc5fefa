"""The table of methods: what each takes and what it calls. Handlers are thin; the work is in the libraries.

Shapes of results are in `docs/protocol.md`.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any

from recall import __version__, wire
from recall.errors import Unavailable, UsageError
from recalld import answers
from recalld.search import search
from recalld.search.answer import MOST_MATCHES
from recalld.search.listing import listed
from recalld.server.hooks import SILENT_TOOL
from recalld.server.method import Method, Send, inline, pool, task
from recalld.server.params import Param
from recalld.server.questions import QUESTIONS
from recalld.server.service import Service
from recalld.settings import AGENTS

ROLES = ("user", "assistant", "tool", "system")
KINDS = ("message", "tool_call", "command", "read", "edit", "output", "summary")
MAX_LIMIT = 10_000
INLINE_LIMIT = 50
"""Longer answers take more than a millisecond and go to a thread."""
DOCTOR_PATIENCE = 8.0
"""Seconds that `doctor` waits for the indexer's part: less than a request's deadline, since no answer is a finding."""
SYNC_DEADLINE = 24 * 3600.0
"""Seconds. A sync takes as long as there is something to read."""

MAX_PATH = 4096
"""Characters; what the MCP child is told with a connection must fit into its pipe at once."""

Params = dict[str, Any]
Result = dict[str, Any]

TEXT = Param("text")
REQUIRED = Param("text", required=True)
FLAG = Param("bool")
LIMIT = Param("int", low=1, high=MAX_LIMIT)
OFFSET = Param("int")


def _ping(service: Service, params: Params) -> Result:
    return {"version": __version__, "protocol": wire.VERSION, "pid": os.getpid()}


async def _status(service: Service, params: Params, send: Send) -> Result:
    return await service.status()


def _search(service: Service, params: Params) -> Result:
    service.warmer.asked()
    return search(service.snapshot, params)


def _show(service: Service, params: Params) -> Result:
    snapshot = service.snapshot
    chosen = {name: value for name, value in params.items() if name != "session"}
    return answers.show(snapshot, answers.resolve(snapshot, params["session"]), **chosen)


def _sessions(service: Service, params: Params) -> Result:
    return listed(service.snapshot, params)


def _session(service: Service, params: Params) -> Result:
    snapshot = service.snapshot
    return {"session": answers.session_json(snapshot, answers.resolve(snapshot, params["session"]))}


def _resume(service: Service, params: Params) -> Result:
    snapshot = service.snapshot
    session = answers.resolve(snapshot, params["session"])
    resume = answers.resume_of(snapshot, session)
    return {
        "session": answers.session_json(snapshot, session),
        "argv": list(resume.argv),
        "cwd": resume.cwd,
        "reason": resume.reason,
        "command": answers.command_line(resume) if resume.reason is None else None,
    }


async def _doctor(service: Service, params: Params, send: Send) -> Result:
    findings = service.findings()
    if service.indexer.running or service.indexer.renewing:
        why = f"the indexing process did not answer within {DOCTOR_PATIENCE:g} s"
        try:
            async with asyncio.timeout(DOCTOR_PATIENCE):
                told = await service.indexer.ask("doctor")
                notes = told.get("notes", {})
                if before := service.indexer.redacted:
                    now = notes.get("redacted", {})
                    notes["redacted"] = {kind: before.get(kind, 0) + now.get(kind, 0) for kind in {**before, **now}}
                return {"findings": findings + told["findings"], "notes": notes | service.notes()}
        except TimeoutError:
            remedy = "it may be busy with one huge file: repeat in a minute; if it stays, restart recalld"
        except Unavailable as error:
            if service.indexer.trouble is not None:  # it died over this question, and is known to by now
                return {"findings": service.findings(), "notes": {}}
            why, remedy = error.message, "repeat; if it stays, see the log around `indexer_died`"
        findings.append({"check": "indexer", "path": None, "offset": None, "message": why, "remedy": remedy})
    return {"findings": findings, "notes": service.notes()}


async def _sync(service: Service, params: Params, send: Send) -> Result:
    asked = asyncio.ensure_future(service.indexer.ask("sync"))
    try:
        while params.get("progress") and not asked.done():
            moved = asyncio.ensure_future(service.moved())
            await asyncio.wait({asked, moved}, return_when=asyncio.FIRST_COMPLETED)
            if moved.done() and not asked.done():
                await send(dict(service.indexer.status))
            moved.cancel()
        result = await asked
        await service.settled()
        return result
    finally:
        asked.cancel()


async def _hook(service: Service, params: Params, send: Send) -> Result:
    output = await service.hooks.answer(service, params["agent"], params["event"], params["payload"])
    return {"output": output or (SILENT_TOOL if params.get("for_tool") else "")}


def _statusline(service: Service, params: Params) -> Result:
    return {"output": service.hooks.line(service, params["agent"], params.get("payload", {}))}


async def _mcp(service: Service, params: Params, send: Send) -> Result:
    for name in ("session", "cwd"):
        if len(params.get(name, "")) > MAX_PATH:
            raise UsageError(f"{name}: is longer than {MAX_PATH} characters")
    return {}


def _mcp_begins(service: Service, params: Params, connection: socket.socket, rest: bytes) -> None:
    service.mcp.give(connection, params, rest)


async def _forget(service: Service, params: Params, send: Send) -> Result:
    result = await service.indexer.ask("forget", params)
    await service.settled()
    return result


async def _exclude(service: Service, params: Params, send: Send) -> Result:
    result = await service.indexer.ask("exclude", params)
    await service.settled()
    return result


METHODS: dict[str, Method[Service]] = {
    "ping": inline(_ping),
    "status": task(_status),
    "search": inline(
        _search,
        {
            "query": REQUIRED,
            "limit": LIMIT,
            "offset": OFFSET,
            "matches": Param("int", low=1, high=MOST_MATCHES),
            "agent": Param("texts", choices=AGENTS),
            "project": Param("texts"),
            "session": Param("texts"),
            "not_session": Param("texts"),
            "role": Param("texts", choices=ROLES),
            "kind": Param("texts", choices=KINDS),
            "since": Param("time"),
            "until": Param("time"),
            "sub_agents": FLAG,
            "sort": Param("text", choices=("relevance", "newest")),
            "cwd": TEXT,
            "tz": TEXT,
            "utc_offset_min": Param("int", low=-24 * 60, high=24 * 60),
            "now": Param("time"),
        },
        needs_index=True,
        pages="hits",
        inline_limit=INLINE_LIMIT,
    ),
    "show": pool(
        _show,
        {
            "session": REQUIRED,
            "all_branches": FLAG,
            "around": TEXT,
            "role": Param("text", choices=ROLES),
            "kind": Param("text", choices=KINDS),
            "limit": LIMIT,
            "offset": OFFSET,
        },
        needs_index=True,
        pages="records",
    ),
    "sessions": inline(
        _sessions,
        {
            "agent": Param("text", choices=AGENTS),
            "project": TEXT,
            "cwd": TEXT,
            "since": Param("time"),
            "sub_agents": FLAG,
            "limit": LIMIT,
            "offset": OFFSET,
        },
        needs_index=True,
        pages="sessions",
        inline_limit=INLINE_LIMIT,
    ),
    "session": inline(_session, {"session": REQUIRED}, needs_index=True),
    "resume": inline(_resume, {"session": REQUIRED}, needs_index=True),
    **QUESTIONS,
    "hook": task(
        _hook,
        {
            "agent": Param("text", required=True, choices=AGENTS),
            "event": REQUIRED,
            "payload": Param("payload", required=True),
            "for_tool": FLAG,
        },
    ),
    "statusline": inline(_statusline, {"agent": Param("text", required=True, choices=AGENTS), "payload": Param("payload")}),
    "mcp": task(
        _mcp,
        {
            "profile": Param("text", choices=("tools", "context-search")),
            "agent": Param("text", choices=AGENTS),
            "session": TEXT,
            "cwd": TEXT,
            "since": Param("time"),
        },
        take_over=_mcp_begins,
    ),
    "doctor": task(_doctor),
    "forget": task(
        _forget,
        {
            "session": TEXT,
            "project": TEXT,
            "before": Param("time"),
            "dry_run": FLAG,
            "list": FLAG,
            "undo": FLAG,
            "id": Param("int", low=1),
        },
        deadline=SYNC_DEADLINE,
    ),
    "exclude": task(_exclude, {"add": TEXT, "remove": TEXT, "dry_run": FLAG}, deadline=SYNC_DEADLINE),
    "sync": task(_sync, {"progress": FLAG}, deadline=SYNC_DEADLINE),
}
"""Every method of the wire."""
