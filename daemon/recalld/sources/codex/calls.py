"""Tool calls and their output: commands, patches, everything else; whatever form tells of them."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson

from recall import frame
from recalld.model import Record
from recalld.sources import tools
from recalld.sources.jsonl import cut, integer, string, text_of

SHELL_TOOLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "ksh", "powershell", "pwsh", "powershell.exe", "pwsh.exe"})
_SCRIPT_FLAGS = frozenset({"-lc", "-c", "-ic", "-lic", "-Command"})
PATCH = "*** Begin Patch"
_PATCH_FILE = re.compile(r"\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)")
_OURS_IN_CODE = re.compile(r"\bmcp__recalld?__|cmd[\"']?\s*:\s*[\"'`]\s*recall[\s\"'`]")
"""In a script that calls tools (the tool `exec`): one of our tools, or our program as a command."""


def shell_script(command: object) -> str:
    """Return a command as a person would type it: the script that a shell was given, else the words, quoted."""
    if isinstance(command, str):
        return command
    if not isinstance(command, list):
        return ""
    words = [word for word in command if isinstance(word, str)]
    if len(words) >= 3 and PurePosixPath(words[0]).name in _SHELLS and words[1] in _SCRIPT_FLAGS:
        return words[2]
    return shlex.join(words)


def tool_name(name: object, namespace: object) -> str | None:
    """Return a tool's name; a tool of an MCP server has its server in front: `mcp__server__tool`."""
    tool, space = string(name), string(namespace)
    if tool and space and space.startswith("mcp__") and not tool.startswith("mcp__"):
        return f"{space.rstrip('_')}__{tool}"
    return tool


def is_ours(record: Record) -> bool:
    """Say whether a call asks this project, so that its output must not be indexed again."""
    return tools.is_own(record) or (record.tool == "exec" and _OURS_IN_CODE.search(record.text) is not None)


def call(tool: str | None, arguments: object, project: str | None) -> Record:
    """Return the record of a call. `arguments` is a JSON text, an object, or free text.

    Paths stay as the agent wrote them, unless the command ran in another directory than `project`: then they are joined
    to that directory.
    """
    given = _object(arguments)
    if tool in SHELL_TOOLS:
        script = shell_script(given.get("cmd", given.get("command", given.get("input"))))
        if script:
            workdir = string(given.get("workdir")) or string(given.get("working_directory"))
            return command(tool, script, workdir if workdir != project else None)
    elif tool == "apply_patch":
        patch = string(given.get("input")) or string(given.get("patch")) or string(arguments)
        if patch and (edit := patched(tool, patch, None)):
            return edit
    elif tool == "view_image" and (path := string(given.get("path"))):
        return Record("assistant", "read", path, tool=tool, paths=(path,))
    return tools.call_record(tool or "", given or arguments, None, None)


def command(tool: str | None, script: str, workdir: str | None) -> Record:
    """Return the record of a shell command; a patch that is applied in a shell is an edit."""
    at = script.find(PATCH)
    if at >= 0 and re.search(r"\bapply_?patch\b", script[:at]) and (edit := patched(tool, script[at:], workdir)):
        return edit
    text, truncated = cut(frame.strip(script))
    return Record("assistant", "command", text, tool=tool, command=text, truncated=truncated)


def patched(tool: str | None, patch: str, workdir: str | None) -> Record | None:
    """Return the edit that a patch makes: its files and the lines that it adds. None where it names no file."""
    paths: dict[str, None] = {}
    lines: list[str] = []
    for line in patch.splitlines():
        if line.startswith("+"):
            lines.append(line[1:])
        elif line.startswith("*** ") and (found := _PATCH_FILE.match(line)):
            path = found[1].strip()
            lines.append(path)
            if workdir and workdir.startswith("/"):
                path = str(PurePosixPath(workdir, path))
            paths[path] = None
        elif line.startswith("*** End Patch"):
            break
    return _edit(tool, paths, lines) if paths else None


def changed(changes: object) -> Record | None:
    """Return the edit in a FileChange: {path: {type, content | unified_diff, move_path}}. None where there is none."""
    if not isinstance(changes, dict):
        return None
    paths: dict[str, None] = {}
    lines: list[str] = []
    for path, change in changes.items():
        paths[path] = None
        lines.append(path)
        if not isinstance(change, dict):
            continue
        if moved := string(change.get("move_path")):
            paths[moved] = None
            lines.append(moved)
        if change.get("type") == "add":
            lines.append(string(change.get("content")) or "")
        elif diff := string(change.get("unified_diff")):
            lines += [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++ ")]
    return _edit("apply_patch", paths, lines) if paths else None


def _edit(tool: str | None, paths: dict[str, None], lines: list[str]) -> Record:
    text, truncated = cut("\n".join(lines).rstrip("\n"), tools.MAX_EDIT)
    found = tuple(paths)[: tools.MAX_PATHS]
    return Record("assistant", "edit", frame.strip(text), tool=tool, paths=found, truncated=truncated)


_HEADER = re.compile(
    r"(?:Chunk ID: [^\n]*|Duration: [\d.]+ seconds|Wall time: [^\n]*|Original token count: [^\n]*"
    r"|Process running with session ID [^\n]*|Process exited with code (-?\d{1,10})|Exit code: (-?\d{1,10})"
    r"|(Output:))[ \r]*(?:\n|\Z)"
)
_SECOND_HEADER = re.compile(r"Exit code: -?\d{1,10}\r?\nWall time: ")
_STATUS_LINE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")


class Output(NamedTuple):
    """What a tool gave back."""

    text: str
    exit_status: int | None
    is_error: bool | None


def output(value: object) -> Output:
    """Return what the `output` of a call holds: a text, parts with texts, or an object (also as a JSON text).

    The lines that Codex writes above a command's output are taken off; the exit status is read from them.
    """
    status: int | None = None
    failed: bool | None = None
    if isinstance(value, str) and value.startswith("{") and ('"metadata"' in value or '"exit_code"' in value):
        value = _object(value) or value
    if isinstance(value, dict):
        metadata = value.get("metadata")
        status = integer(metadata.get("exit_code") if isinstance(metadata, dict) else value.get("exit_code"))
        success = value.get("success")
        failed = not success if isinstance(success, bool) else None
        content = next((value[name] for name in ("output", "content", "body") if name in value), None)
        text = text_of(content)
    else:
        text = text_of(value)
    text, told = _without_header(text)
    if status is None:
        status = told
    return Output(text, status, status != 0 if failed is None and status is not None else failed)


def _without_header(text: str) -> tuple[str, int | None]:
    at, status, whole = 0, None, False
    while line := _HEADER.match(text, at):
        at = line.end()
        if found := line[1] or line[2]:
            status = int(found)
        if line[3]:
            whole = True
            if not _SECOND_HEADER.match(text, at):
                break
    if whole or status is not None:
        return text[at:], status
    last = text.rstrip()
    if found_last := _STATUS_LINE.fullmatch(last, last.rfind("\n") + 1):
        return text, int(found_last[1])
    return text, None


def mcp_result(value: Any) -> Output:
    """Return what an MCP tool gave back: {content, isError}, {"Ok": that} or {"Err": text}; {message} is an error."""
    if not isinstance(value, dict):
        return Output(text_of(value), None, None)
    if "Err" in value:
        return Output(string(value["Err"]) or "", None, True)
    if isinstance(inner := value.get("Ok"), dict):
        value = inner
    if message := string(value.get("message")):
        return Output(message, None, True)
    flag = value.get("isError", value.get("is_error"))
    return Output(text_of(value.get("content")), None, flag if isinstance(flag, bool) else None)


def directory(value: object) -> str | None:
    """Return a working directory, which may be a path or a `file:` URI."""
    path = string(value)
    return unquote(path[7:]) if path and path.startswith("file:///") else path


def _object(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            found = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}  # free text that only looks like JSON: the caller has it as it is
        return found if isinstance(found, dict) else {}
    return {}
