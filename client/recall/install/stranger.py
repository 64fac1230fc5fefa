"""Another MCP server under our name: hooks that call our tool would hand it what is typed."""

from __future__ import annotations

from recall.errors import RecallError
from recall.install.agents import Agent
from recall.install.files import decoded, read
from recall.install.wiring import Setup, files


def why_not_tool(agent: Agent, setup: Setup) -> str | None:
    """Return why hooks must not call the agent's MCP server `recall`, or None where that one is ours or will be."""
    for file in files(agent, setup, hooks=False):
        try:
            text = file.begin(decoded(file.path, read(file.path)))
            foreign = any(part.what == "MCP server" and part.state(text) == "other" for part in file.parts)
        except RecallError:
            if file.path == agent.servers:
                return f"the hooks run commands: whose MCP server `recall` is in {file.path} cannot be told"
            continue  # the skill is no server
        if foreign:
            return f"the hooks run commands: the MCP server `recall` in {file.path} is not ours"
    return None
