"""The parts of Qwen Code's messages, in the forms of all its versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recalld.sources.jsonl import string
from recalld.sources.tools import rendered

BRIDGE = "tool_call"

Response = tuple[str | None, str | None, str, bool]
"""(call id, tool, text, whether it is an error's) of an output."""


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


def speaker_of(data: Mapping[str, Any]) -> str | None:
    """Return the kind of line that a message is: what its role says, else what the line's type says."""
    kind = data.get("type")
    if kind not in (None, "user", "assistant"):
        return string(kind)
    message = data.get("message")
    role = string(message.get("role")) if isinstance(message, dict) else None
    return _ROLES.get(role or "", string(kind))


_ROLES = {"user": "user", "model": "assistant", "assistant": "assistant"}


def response_of(part: Mapping[str, Any]) -> Response | None:
    """Return what a part says of an output, in the current form or the old one; None where it is none."""
    response = part.get("functionResponse")
    if isinstance(response, dict):
        body = response.get("response")
        text, failed = _response_text(body)
        if not text and isinstance(body, dict) and not any(key in body for key in _ANSWERS):
            text = rendered(body)
        return string(response.get("id")), string(response.get("name")), text, failed
    if "toolCallId" not in part and "toolName" not in part:
        return None
    text, failed = _response_text(part)
    return string(part.get("toolCallId")), string(part.get("toolName")), text, failed


_OUTPUTS = ("output", "result", "content", "text")
_ANSWERS = (*_OUTPUTS, "error")
_MEDIA = ("inlineData", "fileData", "data", "blob")
"""Keys of blocks that hold something else than text."""


def _response_text(body: object) -> tuple[str, bool]:
    if not isinstance(body, dict):
        return _written(body), False
    text = next((text for key in _OUTPUTS if (text := _written(body.get(key)))), "")
    error = body.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        error = error["message"]
    wrong = _written(error) if error else ""
    return "\n".join(part for part in (text, wrong) if part), bool(wrong)


def _written(value: object) -> str:
    """Return what a tool gave back as text: blocks' texts, and anything that is neither text nor media as it is written."""
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _written(item)))
    if isinstance(value, dict):
        inner = value.get("text")
        if isinstance(inner, str):
            return inner
        return "" if any(key in value for key in _MEDIA) else rendered(value)
    return rendered(value)
