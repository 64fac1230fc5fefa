"""The tool that hooks of the type `mcp_tool` call: the daemon's `hook` method, without a process in between.

Agents put the event's fields into flat text arguments; here they become the JSON that a command hook reads on stdin.
"""

from __future__ import annotations

import json
from typing import Any

from recall.errors import RecallError
from recalld import logs
from recalld.mcp.asking import Asking
from recalld.mcp.shapes import input_of
from recalld.settings import AGENTS

SILENCE = "{}"
"""What says nothing: an empty text would leave a line in Claude Code's request."""

PATIENCE = 2.0
"""Seconds after which a hook has nothing to say: the agent waits for it."""

_TEXT = {"type": "string"}
_FLAT = (
    "session_id",
    "transcript_path",
    "cwd",
    "source",
    "prompt",
    "tool_name",
    "error",
    "agent_id",
    "trigger",
    "reason",
)
"""Fields of an event that arrive under their own names."""
_OF_TOOL_INPUT = ("command", "file_path", "notebook_path")
"""Fields of `tool_input`, which arrive one by one."""

HOOK_CONTEXT = input_of(
    {
        "agent": {"type": "string", "enum": list(AGENTS)},
        "event": _TEXT,
        **dict.fromkeys((*_FLAT, *_OF_TOOL_INPUT), _TEXT),
        "tool_input": {},
        "tool_response": {},
    },
    ("agent", "event"),
)


def payload(given: dict[str, Any]) -> dict[str, Any]:
    """Return the event as a command hook would read it. An empty text is a field that the event does not have."""
    event: dict[str, Any] = {"hook_event_name": given["event"]}
    event |= {name: given[name] for name in _FLAT if given.get(name)}
    asked = {name: given[name] for name in _OF_TOOL_INPUT if given.get(name)}
    if given.get("tool_input") or asked:
        whole = given.get("tool_input")
        event["tool_input"] = {**whole, **asked} if isinstance(whole, dict) else (asked or whole)
    if given.get("tool_response"):
        event["tool_response"] = given["tool_response"]
    return event


async def hook_context(asking: Asking, given: dict[str, Any]) -> str:
    """Return the JSON that a hook prints, or SILENCE: whatever goes wrong must never be the agent's trouble."""
    if given.get("session_id") and not given.get("agent_id"):
        asking.told(given["session_id"])
    event = json.dumps(payload(given)).encode()
    params = {"agent": given["agent"], "event": given["event"], "payload": event, "for_tool": True}
    try:
        answer = await asking.ask("hook", params, timeout=PATIENCE)
    except RecallError as error:
        logs.warning("mcp_hook", hook=given["event"], code=error.code)
        return SILENCE
    return str(answer.get("output") or SILENCE)
