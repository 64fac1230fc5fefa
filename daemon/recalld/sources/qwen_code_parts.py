"""The parts of Qwen Code's messages, in the forms of all its versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recalld.sources.jsonl import string, text_of

BRIDGE = "tool_call"


def parts_of(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message: `{role, parts}`, or a bare list in old files."""
    found = data.get("message")
    parts = found.get("parts", found.get("content")) if isinstance(found, dict) else found
    if isinstance(parts, str):
        return [{"text": parts}]
    if not isinstance(parts, list):
        return []
    return [part if isinstance(part, dict) else {"text": part} for part in parts]


def call_of(part: Mapping[str, Any]) -> tuple[str, object, str | None] | None:
    """Return (tool, arguments, call id) of a call, in the current form or the old one."""
    call = part.get("functionCall")
    if isinstance(call, dict):
        tool, arguments = _without_bridge(string(call.get("name")) or "unknown", call.get("args"))
        return tool, arguments, string(call.get("id"))
    name = string(part.get("toolName"))
    if name is None:
        return None
    return name, part.get("args", part.get("input")), string(part.get("toolCallId"))


def _without_bridge(tool: str, arguments: object) -> tuple[str, object]:
    """Return the tool that is meant and its arguments: 0.24 lists MCP tools by name and calls them through another."""
    if tool == BRIDGE and isinstance(arguments, dict):
        meant = string(arguments.get("name"))
        if meant is not None:
            return meant, arguments.get("arguments")
    return tool, arguments


def response_of(part: Mapping[str, Any]) -> tuple[str | None, str | None, str, bool] | None:
    """Return (call id, tool, text, whether it is an error's) of an output, in the current form or the old one."""
    response = part.get("functionResponse")
    if isinstance(response, dict):
        body = response.get("response")
        text, failed = _response_text(body)
        return string(response.get("id")), string(response.get("name")), text, failed
    if "toolCallId" not in part and "toolName" not in part:
        return None
    text, failed = _response_text(part)
    return string(part.get("toolCallId")), string(part.get("toolName")), text, failed


def _response_text(body: object) -> tuple[str, bool]:
    if not isinstance(body, dict):
        return text_of(body), False
    for key in ("output", "result", "content", "text"):
        if text := text_of(body.get(key)):
            return text, False
    error = body.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    return (error, True) if isinstance(error, str) and error else ("", False)
