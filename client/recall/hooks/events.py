"""The hooks that an agent is to be given: which events, for which tools, for how long.

Few on purpose: each command hook is a process of the agent's, and some agents hand over a megabyte with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recall.hooks.write import command
from recall.places import Places

TIMEOUT_S = 5
"""Seconds after which the agent gives a hook up; the launcher itself ends within 0.3. All three count in seconds."""
END_TIMEOUT_S = 1
"""At the end of a session Claude Code gives all its hooks 1.5 seconds together."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook. `matcher` is the agent's pattern of tool names, None for events without tools."""

    event: str
    matcher: str | None = None
    timeout_s: int = TIMEOUT_S
    tool_input: tuple[str, ...] = ()
    """Fields of the tool's input that it needs, for hooks that call an MCP tool."""
    output: str | None = None
    """The field with the tool's output that it needs."""
    by_tool: bool = False
    """The agent can call an MCP tool in place of a command on this event."""


_START, _PROMPT = Hook("SessionStart"), Hook("UserPromptSubmit", by_tool=True)
_END = Hook("SessionEnd", timeout_s=END_TIMEOUT_S)

HOOKS: dict[str, tuple[Hook, ...]] = {
    "claude-code": (
        _START,
        _PROMPT,
        Hook("PostToolUseFailure", "Bash", tool_input=("command",), output="error", by_tool=True),
        Hook("PostToolUse", "Read|Edit|MultiEdit|Write|NotebookEdit", tool_input=("file_path",), by_tool=True),
        Hook("PreCompact"),
        _END,
    ),
    # Codex has no event for failures: its PostToolUse fires for every command. It runs no MCP tool at SessionEnd.
    "codex": (_START, _PROMPT, Hook("PostToolUse", "Bash|apply_patch"), Hook("PreCompact"), _END),
    "qwen-code": (
        Hook("SessionStart"),
        Hook("UserPromptSubmit"),
        Hook("PostToolUseFailure", "run_shell_command"),
        Hook("PostToolUse", "read_file|edit|write_file"),
        Hook("PreCompact"),
        _END,
    ),
}
"""By agent. A file is spoken of when it is read: agents read before they write, so what is said comes in time."""


def hook_entries(places: Places, agent: str) -> dict[str, list[dict[str, Any]]]:
    """Return the value of `hooks` in the agent's settings: command hooks for every event."""
    entries: dict[str, list[dict[str, Any]]] = {}
    for hook in HOOKS[agent]:
        handler = {"type": "command", "command": command(places, "hook", agent, hook.event), "timeout": hook.timeout_s}
        entry: dict[str, Any] = {} if hook.matcher is None else {"matcher": hook.matcher}
        entries.setdefault(hook.event, []).append({**entry, "hooks": [handler]})
    return entries


def statusline_command(places: Places, agent: str) -> str:
    """Return the shell command of the status line."""
    return command(places, "statusline", agent)
