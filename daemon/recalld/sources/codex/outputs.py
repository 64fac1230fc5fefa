"""What tools gave back: the text of an output without what Codex wrote around it, and how the call ended."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

from recalld.sources import tools
from recalld.sources.jsonl import integer, string, text_of

_HEADER = re.compile(
    r"(?:Chunk ID: [^\n]*|Duration: [\d.]+ seconds|Wall time: [^\n]*|Original token count: [^\n]*"
    r"|Total output lines: \d+|Process running with session ID (\S+)"
    r"|Process exited with code (-?\d{1,10})|Exit code: (-?\d{1,10})|(Output:))[ \r]*(?:\n|\Z)"
)
_SECOND_HEADER = re.compile(r"Exit code: -?\d{1,10}\r?\nWall time: ")
_STATUS_LINE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")
_SCRIPT_HEADER = re.compile(
    r"Script (?:running with cell ID (\S+)|[a-z]+)\r?\nWall time [\d.]+ seconds\r?\n(?:Output:\r?\n|\Z)"
)
"""Above what a script of the tool `exec` gave back."""
_CUT = re.compile(r"\s*(?:Warning: truncated output [^\n]*\n)?Total output lines: \d+\r?\n\r?\n")
"""In front of an output that Codex has cut in the middle."""


class Output(NamedTuple):
    """What a tool gave back."""

    text: str
    exit_status: int | None
    failed: bool | None
    """What Codex says of it beside the text, if anything."""
    running: str | None = None
    """What goes on behind the output, and is asked for by this name (`continued`)."""

    def ended(self, tool: str | None) -> tuple[int | None, bool | None]:
        """Return (exit status, whether it is an error). A tool of an MCP server ran no command, whatever its text says
        of one."""
        status = None if tool is not None and tool.startswith("mcp__") else self.exit_status
        return status, status != 0 if self.failed is None and status is not None else self.failed


def output(value: object) -> Output:
    """Return what the `output` of a call holds: a text, parts with texts, or an object; each also as a JSON text.

    The lines that Codex writes above a command's output are taken off; the exit status is read from them.
    """
    status: int | None = None
    failed: bool | None = None
    if isinstance(value, str) and value.startswith(("{", "[")):
        value = _result_in(value)
    if isinstance(value, dict):
        metadata = value.get("metadata")
        status = integer(metadata.get("exit_code") if isinstance(metadata, dict) else value.get("exit_code"))
        failed = _flag(value)
        text = text_of(next((value[name] for name in _TEXT_KEYS if name in value), None))
    else:
        text = text_of(value)
    if status is not None:  # told beside the text, so all of it is the command's own
        text = text[cut.end() :] if (cut := _CUT.match(text)) else text
        return Output(text, status, failed)
    text, status, running = _without_header(text)
    if text.startswith("[") and isinstance(parts := _result_in(text), list):
        text = text_of(parts)
    return Output(text, status, failed, running)


_TEXT_KEYS = ("output", "content", "body")
_RESULT_KEYS = frozenset({*_TEXT_KEYS, "metadata", "exit_code", "success", "isError", "is_error", "_meta"})
_RESULT_KEYS |= {"structuredContent", "structured_content", "duration_seconds"}
_METADATA_KEYS = frozenset({"exit_code", "duration_seconds"})
_PART_KEYS = frozenset({"type", "text", "annotations", "image_url", "data", "mimeType", "mime_type", "_meta", "detail"})


def _result_in(text: str) -> Any:
    """Return the parts, or the object with a result, that `text` is the JSON of; else `text`: what a command printed
    may be JSON as well."""
    if '"text"' not in text and not any(f'"{name}"' in text for name in _TEXT_KEYS):
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    if isinstance(value, list):
        return value if value and all(_is_part(part) for part in value) else text
    if not isinstance(value, dict) or not value.keys() <= _RESULT_KEYS or value.keys().isdisjoint(_TEXT_KEYS):
        return text
    metadata = value.get("metadata")
    told = isinstance(metadata, dict) and metadata.keys() <= _METADATA_KEYS
    return value if told or _flag(value) is not None or integer(value.get("exit_code")) is not None else text


def _is_part(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("type"), str) and part.keys() <= _PART_KEYS


def _flag(value: dict[str, Any]) -> bool | None:
    """Return whether an object with a result says that it is an error."""
    success = value.get("success")
    flag = not success if isinstance(success, bool) else value.get("isError", value.get("is_error"))
    return flag if isinstance(flag, bool) else None


def _without_header(text: str) -> tuple[str, int | None, str | None]:
    """Return (text without the lines above it, exit status, what is still running)."""
    at, status, whole, running = 0, None, False, None
    if script := _SCRIPT_HEADER.match(text):
        at, whole = script.end(), True
        running = f"cell {script[1]}" if script[1] else None
    else:
        while line := _HEADER.match(text, at):
            at = line.end()
            if line[1]:
                running = f"session {line[1]}"
            if found := line[2] or line[3]:
                status = int(found)
            if line[4]:
                whole = True
                if not _SECOND_HEADER.match(text, at):
                    break
    known = whole or status is not None
    if cut := _CUT.match(text, at if known else 0):
        at, known = cut.end(), True
    if known:
        return text[at:], status, running
    last = text.rstrip()
    if found_last := _STATUS_LINE.fullmatch(last, last.rfind("\n") + 1):
        return text, int(found_last[1]), running
    return text, None, running


_CONTINUES = {"write_stdin": ("session", "session_id"), "wait": ("cell", "cell_id")}


def continued(tool: str | None, arguments: object) -> str | None:
    """Return the name of what is still running (`Output.running`), where a call is to give more of it."""
    named = _CONTINUES.get(tool or "")
    if isinstance(arguments, str) and named:
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return None
    if named is None or not isinstance(arguments, dict):
        return None
    given = arguments.get(named[1])
    return f"{named[0]} {given}" if isinstance(given, str | int) else None


def mcp_result(value: Any) -> Output:
    """Return what an MCP tool gave back: {content, isError}, {"Ok": that} or {"Err": text}; {message} is an error.

    Where the content has no text, what it holds as an object is the text.
    """
    if not isinstance(value, dict):
        return Output(text_of(value), None, None)
    if "Err" in value:
        return Output(string(value["Err"]) or "", None, True)
    if isinstance(inner := value.get("Ok"), dict):
        value = inner
    if message := string(value.get("message")):
        return Output(message, None, True)
    text = text_of(value.get("content"))
    structured = value.get("structuredContent", value.get("structured_content"))
    if not text and isinstance(structured, dict):
        text = tools.rendered(structured)
    return Output(text, None, _flag(value))
