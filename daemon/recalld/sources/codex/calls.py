"""Tool calls: commands, patches, everything else; whatever form tells of them. `outputs` has what they gave back."""

from __future__ import annotations

import posixpath
import re
import shlex
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import orjson

from recall import frame
from recalld.model import Record
from recalld.sources import tools
from recalld.sources.jsonl import cut, string

SHELL_TOOLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "ksh", "powershell", "pwsh", "cmd"})
_SCRIPT_FLAG = re.compile(r"-[a-z]*c|-command|/[ck]", re.IGNORECASE)
_VALUE_FLAG = re.compile(r"[-+][a-zA-Z]*o|-ExecutionPolicy", re.IGNORECASE)
"""Options of a shell whose value is a word of its own."""
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
    return _script_in(words) or shlex.join(words)


def _script_in(words: list[str]) -> str | None:
    """Return the script where the words call a shell with one, whatever options stand before it."""
    if not words or re.split(r"[/\\]", words[0])[-1].lower().removesuffix(".exe") not in _SHELLS:
        return None
    value = False
    for word, script in pairwise(words[1:]):
        if _SCRIPT_FLAG.fullmatch(word):
            return script
        if not value and not word.startswith(("-", "+", "/")):
            return None
        value = _VALUE_FLAG.fullmatch(word) is not None
    return None


def tool_name(name: object, namespace: object) -> str | None:
    """Return a tool's name; a tool of an MCP server has its server in front: `mcp__server__tool`."""
    tool, space = string(name), string(namespace)
    if tool and space and space.startswith("mcp__") and not tool.startswith("mcp__"):
        return f"{space.rstrip('_')}__{tool}"
    return tool


def is_ours(record: Record) -> bool:
    """Say whether a call asks this project, so that its output must not be indexed again."""
    tool = record.tool or ""
    return (
        tools.is_own(record)
        or tools.is_recall_tool(f"mcp__{tool}")  # older versions: `server__tool`
        or (tool == "exec" and _OURS_IN_CODE.search(record.text) is not None)
    )


def call(tool: str | None, arguments: object, project: str | None) -> Record:
    """Return the record of a call. `arguments` is a JSON text, an object, or free text.

    Paths stay as the agent wrote them, unless the command ran in another directory than `project`: then they are joined
    to that directory.
    """
    given = _object(arguments)
    workdir = string(given.get("workdir")) or string(given.get("working_directory"))
    if tool in SHELL_TOOLS:
        script = shell_script(given.get("cmd", given.get("command", given.get("input"))))
        if script:
            return command(tool, script, workdir, project)
    elif tool == "apply_patch":
        patch = string(given.get("input")) or string(given.get("patch")) or string(arguments)
        if patch and (edit := patched(tool, patch, _elsewhere(workdir, "", project))):
            return edit
    elif tool == "view_image" and (path := string(given.get("path"))):
        return Record("assistant", "read", path, tool=tool, paths=(path,))
    return tools.call_record(tool or "", given or arguments, None, None)


def command(tool: str | None, script: str, workdir: str | None, project: str | None) -> Record:
    """Return the record of a shell command; a patch that is applied in a shell is an edit."""
    at = script.find(PATCH)
    if at >= 0 and re.search(r"\bapply_?patch\b", script[:at]):
        edit = patched(tool, script[at:], _elsewhere(workdir, script[:at], project))
        if edit:
            return edit
    text, truncated = cut(frame.strip(script))
    return Record("assistant", "command", text, tool=tool, command=text, truncated=truncated)


_CD = re.compile(
    r"(?:^|[;&|\n(])[ \t]*cd[ \t]+(?:--[ \t]+)?('[^'\n]+'|\"[^\"$`\\\n]+\"|[^\s;&|'\"$`\\~()]+)(?=[ \t]*(?:&&|;|\n))"
)


def _elsewhere(workdir: str | None, before: str, project: str | None) -> str | None:
    """Return the directory in which a patch is applied, below `workdir` as the `cd` commands in `before` say; None
    where that is the project's."""
    place = workdir or ""
    for found in _CD.finditer(before):
        place = posixpath.join(place, found[1].strip("'\""))
    place = posixpath.normpath(place) if place else ""
    return place if place not in ("", ".", project) else None


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
            if workdir:
                path = str(PurePosixPath(workdir, path))
            paths[path] = None
        elif line.startswith("*** End Patch"):
            break
    return _edit(tool, paths, lines) if paths else None


def changed(changes: object) -> Record | None:
    """Return the edit in a FileChange: {path: {type, content | unified_diff, move_path}}, in older versions with the
    type around the rest, or [{path, kind, diff}]. None where there is none."""
    if isinstance(changes, list):
        changes = {path: one for one in changes if isinstance(one, dict) and (path := string(one.get("path")))}
    if not isinstance(changes, dict):
        return None
    paths: dict[str, None] = {}
    lines: list[str] = []
    for path, change in changes.items():
        paths[path] = None
        lines.append(path)
        if not isinstance(change, dict):
            continue
        kind = change.get("type", change.get("kind"))
        if kind is None and len(change) == 1:
            kind, change = next(iter(change.items()))
            if not isinstance(change, dict):
                continue
        if isinstance(kind, dict):
            change = change | kind
            kind = kind.get("type")
        if moved := string(change.get("move_path")):
            paths[moved] = None
            lines.append(moved)
        diff = string(change.get("unified_diff")) or string(change.get("diff"))
        if kind == "add":
            lines.append(string(change.get("content")) or diff or "")
        elif diff:
            lines += [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++ ")]
    return _edit("apply_patch", paths, lines) if paths else None


def _edit(tool: str | None, paths: dict[str, None], lines: list[str]) -> Record:
    text, truncated = cut("\n".join(lines).rstrip("\n"), tools.MAX_EDIT)
    found = tuple(paths)[: tools.MAX_PATHS]
    return Record("assistant", "edit", frame.strip(text), tool=tool, paths=found, truncated=truncated)


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
