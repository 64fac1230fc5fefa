"""What `recall doctor` says of the agents: wired, stale, missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from recall.errors import RecallError
from recall.hooks.write import launcher_path, launcher_text
from recall.install.agents import Agent, agents
from recall.install.files import decoded, read
from recall.install.ledger import Ledger
from recall.install.run import absolute_launcher
from recall.install.wiring import Hooks, Setup, files
from recall.places import Places
from recall.types import Finding

Standing = Literal["wired", "stale", "missing", "not installed"]


def standing(places: Places, env: Mapping[str, str] = os.environ) -> tuple[dict[str, Standing], list[Finding]]:
    """Return how each agent that is found is wired, and what is wrong with that.

    An agent into which nothing was ever wired is no finding: not everybody wants that.
    """
    states: dict[str, Standing] = {}
    found: list[Finding] = []
    try:
        ledger = Ledger(places)
    except RecallError as error:
        return {}, [_finding("install", error.message, "mend that, or remove the file", None)]
    for agent in agents(env):
        if agent.found:
            states[agent.name], more = _agent(agent, ledger, places, env)
            found += more
    if any(state != "not installed" for state in states.values()):
        found += _launcher(places, env)
    return states, found


def _agent(agent: Agent, ledger: Ledger, places: Places, env: Mapping[str, str]) -> tuple[Standing, list[Finding]]:
    setup = Setup(str(absolute_launcher(places)), tool_hooks=False, env=env, either=True)
    remedy = f"recall install {agent.name}"
    found: list[Finding] = []
    seen: set[str] = set()
    foreign, calls = False, False
    for file in files(agent, setup):
        path = str(file.path)
        try:
            text = file.begin(decoded(file.path, read(file.path)))
            states = {part.what: part.state(text) for part in file.parts}
            calls = calls or any(isinstance(part, Hooks) and part.calls_tool(text) for part in file.parts)
        except RecallError as error:
            found.append(_finding("install", f"{agent.title}: {error.message}", "correct the file", path))
            continue
        seen |= set(states.values())
        foreign = foreign or states.get("MCP server") == "other"
        for what, state in states.items():
            if state == "stale":
                found.append(_finding("stale", f"{agent.title}: the {what} is of another version", remedy, path))
            elif state == "missing" and file.path in ledger and not _partly(states):
                found.append(_finding("missing", f"{agent.title}: the {what} is gone from its file", remedy, path))
    if not seen & {"wired", "stale"} and not found:
        return "not installed", []
    if foreign:
        says = "and hooks of ours call it with what is typed" if calls else "so the agent cannot ask recall"
        remedy = remedy if calls else f"give that server another name, then {remedy}"
        text = f"{agent.title}: the MCP server `recall` is not ours, {says}"
        found.append(_finding("server", text, remedy, str(agent.servers)))
    if any(finding["check"] == "missing" for finding in found):
        return "missing", found
    return ("stale" if any(finding["check"] != "server" for finding in found) else "wired"), found


def _partly(states: Mapping[str, str]) -> bool:
    """Something of ours is in the file: what is not there was left out on purpose (`--no-hooks`, `--no-mcp`)."""
    return bool({"wired", "stale"} & set(states.values()))


def _launcher(places: Places, env: Mapping[str, str]) -> list[Finding]:
    path = launcher_path(places)
    try:
        data = read(path)
    except RecallError as error:
        return [_finding("launcher", error.message, "recall install", str(path))]
    if data is None:
        return [_finding("missing", "the launcher that the agents call is gone", "recall install", str(path))]
    if data != launcher_text(places, env) or not os.access(path, os.X_OK):
        return [_finding("stale", "the launcher is of another version or place", "recall install", str(path))]
    return []


def _finding(check: str, message: str, remedy: str, path: str | None) -> Finding:
    return {"check": check, "path": path, "offset": None, "message": message, "remedy": remedy}
