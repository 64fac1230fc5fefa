"""Which hooks each agent gets, and as what: a command, or a call of our MCP tool where the agent's hooks can make one.

One handler an event, never two. The command line names agent and event and nothing else, and never changes: the trust
that Codex asks for hangs on every letter of it.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from recall.install.agents import Name

SERVER = "recall"
"""Name of our MCP server in the agents' files; their transcripts are told by it."""
TOOL = "hook_context"

TIMEOUT = 5
"""Seconds. The launcher gives up after 0.3; this only holds if the machine hangs."""
END_TIMEOUT = 1
"""Seconds for SessionEnd: agents allow it 1.5 to 3 in all."""

_COMMON = {"session_id": "${session_id}", "cwd": "${cwd}", "transcript_path": "${transcript_path}"}
_PROMPT = {**_COMMON, "prompt": "${prompt}"}
_CLAUDE_FILE = {
    **_COMMON,
    "tool_name": "${tool_name}",
    "file_path": "${tool_input.file_path}",
    "notebook_path": "${tool_input.notebook_path}",
}
_CLAUDE_FAILURE = {**_COMMON, "tool_name": "${tool_name}", "command": "${tool_input.command}", "error": "${error}"}
# Codex fails a hook that names a field which the event has not, and keeps a lone field's JSON type.
_CODEX_FILE = {**_COMMON, "tool_name": "${tool_name}", "tool_input": "${tool_input}"}
_CODEX_OUTPUT = {**_CODEX_FILE, "tool_response": "${tool_response}"}
_SUB_AGENT = {"agent_id": "${agent_id}"}
"""In Claude Code "" where it is no sub-agent."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One event of one agent. `fields`: what the tool is called with; None where only a command is run."""

    event: str
    matcher: str | None = None
    fields: dict[str, str] | None = None


HOOKS: dict[Name, tuple[Hook, ...]] = {
    "claude-code": (
        Hook("SessionStart"),
        Hook("UserPromptSubmit", fields=_PROMPT | _SUB_AGENT),
        Hook("PreToolUse", "Read|Edit|MultiEdit|Write|NotebookEdit", _CLAUDE_FILE | _SUB_AGENT),
        Hook("PostToolUseFailure", "Bash", _CLAUDE_FAILURE | _SUB_AGENT),
        Hook("PreCompact"),
        Hook("SessionEnd"),
    ),
    "codex": (
        Hook("SessionStart"),
        Hook("UserPromptSubmit", fields=_PROMPT),
        # Bash too: models that Codex offers no patch tool patch through the shell, and then only this event is fired.
        Hook("PreToolUse", "apply_patch|Edit|Write|Bash", _CODEX_FILE),
        Hook("PostToolUse", "Bash", _CODEX_OUTPUT),
        Hook("PreCompact"),
        Hook("SessionEnd"),
    ),
    "qwen-code": (
        Hook("SessionStart"),
        Hook("UserPromptSubmit"),
        # Seen with 0.24.4: what PreToolUse adds does not reach the model, and failures fire PostToolUseFailure instead.
        Hook("PostToolUse", "read_file|edit|write_file"),
        Hook("PostToolUseFailure", "run_shell_command"),
        Hook("PreCompact"),
        Hook("SessionEnd"),
    ),
}


def group(launcher: str, agent: Name, hook: Hook, *, tool: bool) -> dict[str, Any]:
    """Return the matcher group that holds our handler for one event: the agents' files have lists of these."""
    timeout = END_TIMEOUT if hook.event == "SessionEnd" else TIMEOUT
    handler: dict[str, Any]
    if tool and hook.fields is not None:
        fields = {"agent": agent, "event": hook.event, **hook.fields}
        handler = {"type": "mcp_tool", "server": SERVER, "tool": TOOL, "input": fields, "timeout": timeout}
    else:
        line = shlex.join([launcher, "hook", agent, hook.event])
        handler = {"type": "command", "command": line, "timeout": timeout}
    return {"hooks": [handler]} if hook.matcher is None else {"matcher": hook.matcher, "hooks": [handler]}


def is_ours(handler: Any, launcher: str) -> bool:
    """Tell whether a handler in an agent's file is one of ours: it calls our tool, or this launcher."""
    if not isinstance(handler, dict):
        return False
    if handler.get("type") == "mcp_tool":
        return handler.get("server") == SERVER and handler.get("tool") == TOOL
    return runs(handler.get("command"), launcher)


def runs(command: Any, launcher: str) -> bool:
    """Tell whether a shell command runs this launcher."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:  # quotes that do not close: not written by us
        return False
    return bool(words) and words[0] == launcher
