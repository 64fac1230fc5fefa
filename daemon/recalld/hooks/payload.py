"""What an agent hands to a hook, in one form for all of them.

Agents share most field names. Whatever is missing or has another shape is None: a hook that cannot be understood is
answered with silence, never with an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recalld.sources import said
from recalld.sources.jsonl import decode

MAX_OUTPUT = 64 * 1024
"""Characters of a tool's output that are looked at: its beginning and its end."""

SHELL = frozenset({"Bash", "run_shell_command", "shell", "exec_command", "local_shell", "unified_exec"})
READ = frozenset({"Read", "NotebookRead", "read_file", "read_many_files"})
EDIT = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "replace", "write_file", "notebook_edit", "apply_patch"}
)
_PATH_KEYS = ("file_path", "absolute_path", "notebook_path", "path")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_EXIT = re.compile(r"(?:^Exit code:?|\bexited with code|^exit status:?|\(exit code) *(-?\d+)", re.IGNORECASE | re.MULTILINE)
_NO_PERSON = ("<task-notification", "<local-command", "<bash-")
MAX_PATHS = 20


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a hook."""

    agent: str
    event: str
    session: str | None = None
    cwd: str | None = None
    transcript: str | None = None
    source: str | None = None
    """Why a session starts: startup, resume, clear, compact, fork."""
    prompt: str | None = None
    """What a person typed; None where nobody did."""
    tool: str | None = None
    tool_input: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    """All texts of the tool's response or error."""
    sub_agent: bool = False

    @property
    def command(self) -> str | None:
        """The shell command that was run, if one was."""
        if self.tool not in SHELL or self.edits:
            return None
        command = self.tool_input.get("command", self.tool_input.get("cmd"))
        if isinstance(command, list):
            command = " ".join(part for part in command if isinstance(part, str))
        return command if isinstance(command, str) and command else None

    @property
    def paths(self) -> list[str]:
        """Absolute paths of the files that the tool read or edited."""
        if self.tool not in READ and not self.edits:
            return []
        found = [value for key in _PATH_KEYS if isinstance(value := self.tool_input.get(key), str) and value]
        for text in self.tool_input.values():
            if isinstance(text, str) and "*** " in text:
                found += _PATCHED.findall(text)
        absolute = [path if path.startswith("/") else os.path.join(self.cwd or "", path) for path in found]
        return [os.path.normpath(p) for p in dict.fromkeys(absolute) if p.startswith("/") and "\0" not in p][:MAX_PATHS]

    @property
    def edits(self) -> bool:
        """The tool changes files. Codex also applies patches by way of the shell."""
        return self.tool in EDIT or (self.tool in SHELL and "*** Begin Patch" in str(self.tool_input.get("command", "")))

    @property
    def exit_status(self) -> int | None:
        """The command's exit status as its output tells it; None where it does not."""
        found = _EXIT.search(self.output)
        return int(found[1]) if found and len(found[1]) < 8 else None


def parse(agent: str, event: str, payload: bytes | str | Mapping[str, Any]) -> Call | None:
    """Return what `payload` (an agent's JSON, or a map with keys such as `tool_input.command`) says; None where it is
    not one JSON object."""
    given = fields(payload) if isinstance(payload, bytes | str) else _nested(payload)
    if given is None:
        return None
    response = given.get("error") if event == "PostToolUseFailure" else given.get("tool_response")
    tool_input = given.get("tool_input")
    return Call(
        agent=agent,
        event=event,
        session=_text(given, "session_id"),
        cwd=_directory(_text(given, "cwd")),
        transcript=_text(given, "transcript_path"),
        source=_text(given, "source"),
        prompt=_typed(agent, given),
        tool=_text(given, "tool_name"),
        tool_input=tool_input if isinstance(tool_input, dict) else {},
        output=texts(response if response is not None else given.get("error")),
        sub_agent=bool(given.get("agent_id")),
    )


def fields(payload: bytes | str) -> dict[str, Any] | None:
    """Return the one JSON object that an agent hands in, None where it is anything else. It is read as transcripts are:
    half a surrogate pair, which JavaScript writes where it cuts a text, costs that character and not the answer."""
    found = decode(payload.encode("utf-8", "surrogatepass") if isinstance(payload, str) else payload)
    return found[0] if isinstance(found, list) and len(found) == 1 else None


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in flat.items():
        outer, _, inner = key.partition(".")
        if inner:
            within = found.setdefault(outer, {})
            if isinstance(within, dict):
                within[inner] = value
        else:
            found[key] = value
    return found


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) and value else None


def _directory(path: str | None) -> str | None:
    return os.path.normpath(path) if path and path.startswith("/") and "\0" not in path else None


def _typed(agent: str, given: Mapping[str, Any]) -> str | None:
    """Return what a person typed. Qwen Code fires for its own continuations too, without `submitted_prompt`; Claude
    Code for notices of sub-agents; a line for the shell (`!`) or a bare slash command asks for nothing."""
    text = _text(given, "submitted_prompt" if agent == "qwen-code" else "prompt")
    if text is None:
        return None
    if text.lstrip().startswith(_NO_PERSON):
        return None
    text = (said.qwen(text) if agent == "qwen-code" else said.claude(text)).strip()
    if text.startswith("/") and re.match(r"/[\w:.-]+(\s|$)", text):
        text = text.partition(" ")[2].strip()
    return None if not text or text.startswith("!") else text


def texts(value: object) -> str:
    """Return all texts within a JSON value, in order, cut in the middle where they are long."""
    found: list[str] = []
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            pending.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            pending.extend(reversed(one))
    text = "\n".join(found)
    half = MAX_OUTPUT // 2
    return text if len(text) <= MAX_OUTPUT else f"{text[:half]}\n{text[-half:]}"
