"""What a test lays out for the stand-in model, and how each agent's own tools are called to do it."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """Answer with a text; with `when`, only once that is set. `asked` is set when the agent waits for it."""

    text: str
    when: threading.Event | None = None
    asked: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Shell:
    """Run a command."""

    command: str


@dataclass(frozen=True)
class Create:
    """Write a new file of one line at an absolute path."""

    path: str
    line: str


@dataclass(frozen=True)
class Open:
    """Read a file that begins with `line`; where the agent has no tool for that (Codex), change that line."""

    path: str
    line: str


@dataclass(frozen=True)
class Ask:
    """Call a tool of our MCP server."""

    tool: str
    arguments: dict[str, Any]


Move = Say | Shell | Create | Open | Ask


@dataclass(frozen=True)
class Tool:
    """A tool that a request offers. Codex puts those of an MCP server into a namespace, and has free-text ones."""

    name: str
    namespace: str | None = None
    free_text: bool = False


@dataclass(frozen=True)
class Call:
    """A tool call to answer with; `arguments` is a text for a free-text tool."""

    tool: Tool
    arguments: dict[str, Any] | str


WAITS = 20
"""How often a tool that is not offered yet is waited for: Codex asks its model before its servers have told theirs."""


def play(move: Move, tools: dict[str, Tool], text: str, looked_up: set[str], waits: list[Ask]) -> tuple[Call | str, bool]:
    """Return the answer that makes a move, and whether it is made by that.

    `text` is the request's. Two agents list the tools of MCP servers by name only, and are asked for one first: the
    names that were asked for are kept in `looked_up`, and in `waits` the times that nothing was offered.
    """
    if isinstance(move, Say):
        return move.text, True
    if isinstance(move, Ask):
        return _ask(move, tools, text, looked_up, waits)
    for name, arguments in _ways(move).items():
        if name in tools:
            return Call(tools[name], arguments), True
    return f"No tool for {move}: {sorted(tools)}", True


def _ask(move: Ask, tools: dict[str, Tool], text: str, looked_up: set[str], waits: list[Ask]) -> tuple[Call | str, bool]:
    offered = [name for name in tools if re.fullmatch(rf"mcp__\w+__{move.tool}", name)]
    if offered:
        return Call(tools[offered[0]], move.arguments), True
    listed = re.search(rf"\bmcp__\w+?__{move.tool}\b", text)
    search = tools.get("tool_search") or tools.get("ToolSearch")
    if listed is None or search is None:
        if len(waits) == WAITS:
            return f"No tool {move.tool}: {sorted(tools)}", True
        waits.append(move)
        return play(Shell("sleep 0.3"), tools, text, looked_up, waits)[0], False
    if listed[0] not in looked_up:
        looked_up.add(listed[0])
        return Call(search, {"query": f"select:{listed[0]}"}), False
    if "tool_call" in tools:
        return Call(tools["tool_call"], {"name": listed[0], "arguments": move.arguments}), True
    return f"{listed[0]} was looked up and is not offered: {sorted(tools)}", True


def _ways(move: Shell | Create | Open) -> dict[str, dict[str, Any] | str]:
    """Return the arguments that make a move, by the names that the tools for it have."""
    if isinstance(move, Shell):
        described = {"command": move.command, "description": "as the test says"}
        return {
            "run_shell_command": described | {"is_background": False},
            "exec_command": {"cmd": move.command},
            "shell_command": {"command": move.command},
            "Bash": described,
        }
    if isinstance(move, Create):
        whole = {"file_path": move.path, "content": f"{move.line}\n"}
        change = f"*** Add File: {move.path}\n+{move.line}"
        return {"write_file": whole, "Write": whole} | _patch(change)
    change = f"*** Update File: {move.path}\n@@\n-{move.line}\n+{move.line} # seen"
    return {"read_file": {"file_path": move.path}, "Read": {"file_path": move.path}} | _patch(change)


def _patch(change: str) -> dict[str, dict[str, Any] | str]:
    patch = f"*** Begin Patch\n{change}\n*** End Patch"
    # Codex takes this command as a patch where the model is offered no tool for one.
    return {"apply_patch": patch, "exec_command": {"cmd": f"apply_patch <<'PATCH'\n{patch}\nPATCH"}}
