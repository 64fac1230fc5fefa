"""What goes into an agent's files, part by part: an MCP server, hooks, a status line, a skill.

A part can put itself into a text, take itself out again, and say how it stands there. It knows its own entries and
touches no other.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any, Literal, Protocol

from recall.errors import Refused
from recall.install import edit, toml
from recall.install.agents import Agent
from recall.install.hooks import HOOKS, SERVER, group, is_ours, runs
from recall.install.jsonc import parse

State = Literal["wired", "stale", "missing", "other"]
"""`stale`: ours, but not as it is to be; `other`: something of somebody else's has the place."""

Keep = Callable[[edit.Path], bool]
"""Tells whether an object or list that is left empty was there without us, and stays."""

PASSED = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_HOME", "QWEN_RUNTIME_DIR", "RECALLD_DATA_DIR", "RECALLD_RUNTIME_DIR")
PASSED_ON = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
"""Codex hands none of its environment on. The first say where things lie, and are written down; these two are another
at every login, and are named: with them the daemon can be started as a service."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is wired: the launcher's path, and whether hooks call the MCP tool where the agent's version can."""

    launcher: str
    tool_hooks: bool
    env: Mapping[str, str]
    either: bool = False
    """A hook of either kind counts as wired."""


class Part(Protocol):
    """One thing in one file."""

    what: str

    def state(self, text: str) -> State: ...
    def put(self, text: str) -> str: ...
    def take(self, text: str, keep: Keep) -> str: ...


def _taken(text: str, path: edit.Path, keep: Keep) -> str:
    """Take out what is at `path`, and the objects and lists around it that this leaves empty."""
    text = edit.remove(text, path)
    for length in range(len(path) - 1, 0, -1):
        if edit.get(text, path[:length]) not in ({}, []) or keep(path[:length]):
            break
        text = edit.remove(text, path[:length])
    return text


class Server:
    """Our MCP server in a JSON file."""

    what = "MCP server"
    _path = ("mcpServers", SERVER)

    def __init__(self, agent: Agent, setup: Setup) -> None:
        self._launcher = setup.launcher
        entry: dict[str, Any] = {"command": setup.launcher, "args": ["mcp", "--agent", agent.name]}
        self._entry = {"type": "stdio", **entry} if agent.name == "claude-code" else entry

    def state(self, text: str) -> State:
        try:
            found = edit.get(text, self._path)
        except KeyError:
            return "missing"
        if not isinstance(found, dict) or found.get("command") != self._launcher:
            return "other"
        # What a person added (a time limit, trust) is theirs.
        return "wired" if all(found.get(key) == value for key, value in self._entry.items()) else "stale"

    def put(self, text: str) -> str:
        return edit.put(text, self._path, self._entry)

    def take(self, text: str, keep: Keep) -> str:
        return _taken(text, self._path, keep)


class CodexServer:
    """Our MCP server in Codex's TOML."""

    what = "MCP server"
    _path = ("mcp_servers", SERVER)

    def __init__(self, setup: Setup) -> None:
        self._launcher = setup.launcher
        self._entry: dict[str, Any] = {"command": setup.launcher, "args": ["mcp", "--agent", "codex"]}
        given = {name: setup.env[name] for name in (*PASSED, "RECALLD_CONFIG") if setup.env.get(name)}
        if given:
            self._entry["env"] = given
        self._entry["env_vars"] = list(PASSED_ON)

    def state(self, text: str) -> State:
        servers = toml.parse(text).get("mcp_servers")
        found = servers.get(SERVER) if isinstance(servers, dict) else None
        if found is None:
            return "missing"
        if not isinstance(found, dict) or found.get("command") != self._launcher:
            return "other"
        return "wired" if all(found.get(key) == value for key, value in self._entry.items()) else "stale"

    def put(self, text: str) -> str:
        return toml.put_table(text, self._path, self._entry)

    def take(self, text: str, keep: Keep) -> str:
        return toml.remove_table(text, self._path)


class Hooks:
    """Our hooks in a JSON file."""

    what = "hooks"

    def __init__(self, agent: Agent, setup: Setup) -> None:
        self._agent = agent
        self._launcher = setup.launcher
        self._wanted = [
            (hook.event, group(setup.launcher, agent.name, hook, tool=setup.tool_hooks)) for hook in HOOKS[agent.name]
        ]
        self._other_kind: list[tuple[str, dict[str, Any]]] = []
        if setup.either:
            self._other_kind = [
                (hook.event, group(setup.launcher, agent.name, hook, tool=not setup.tool_hooks)) for hook in HOOKS[agent.name]
            ]

    def state(self, text: str) -> State:
        ours = [(event, item) for event, _, item in self._ours(text)]
        if not ours:
            return "missing"
        standing = 0
        for number, wanted in enumerate(self._wanted):
            kinds = [wanted, *self._other_kind[number : number + 1]]
            standing += sum(found in kinds for found in ours)
        return "wired" if standing == len(self._wanted) == len(ours) else "stale"

    def put(self, text: str) -> str:
        for event, item in self._wanted:
            text = edit.append(text, ("hooks", event), item)
        return text

    def take(self, text: str, keep: Keep) -> str:
        while found := self._ours(text):
            event, number, item = found[-1]
            handlers = item["hooks"]
            mine = [n for n, handler in enumerate(handlers) if is_ours(handler, self._launcher)]
            if len(mine) == len(handlers):
                text = _taken(text, ("hooks", event, number), keep)
            else:  # somebody has put a handler of theirs beside ours
                text = edit.remove(text, ("hooks", event, number, "hooks", mine[-1]))
        return text

    def calls_tool(self, text: str) -> bool:
        """Tell whether a hook of ours calls the MCP server."""
        handlers = [handler for _, _, item in self._ours(text) for handler in item["hooks"]]
        return any(h.get("type") == "mcp_tool" and is_ours(h, self._launcher) for h in handlers if isinstance(h, dict))

    def _ours(self, text: str) -> list[tuple[str, int, dict[str, Any]]]:
        """Return the groups that hold a handler of ours: event, place in its list, and the group."""
        root = parse(text).value
        hooks = root.get("hooks") if isinstance(root, dict) else None
        found: list[tuple[str, int, dict[str, Any]]] = []
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            for number, item in enumerate(groups if isinstance(groups, list) else ()):
                handlers = item.get("hooks") if isinstance(item, dict) else None
                if isinstance(handlers, list) and any(is_ours(handler, self._launcher) for handler in handlers):
                    found.append((event, number, item))
        return found


class StatusLine:
    """Our status line in a JSON file. One that is there already stays."""

    what = "status line"

    def __init__(self, agent: Agent, setup: Setup) -> None:
        self._launcher = setup.launcher
        self._path: edit.Path = ("statusLine",) if agent.name == "claude-code" else ("ui", "statusLine")
        line = shlex.join([setup.launcher, "statusline", agent.name])
        more = {"padding": 0} if agent.name == "claude-code" else {"refreshInterval": 10}
        self._entry = {"type": "command", "command": line, **more}

    def state(self, text: str) -> State:
        try:
            found = edit.get(text, self._path)
        except KeyError:
            return "missing"
        if not isinstance(found, dict) or not runs(found.get("command"), self._launcher):
            return "other"
        return "wired" if found.get("command") == self._entry["command"] else "stale"

    def put(self, text: str) -> str:
        return edit.put(text, self._path, self._entry)

    def take(self, text: str, keep: Keep) -> str:
        return _taken(text, self._path, keep)


MARK = "recalld wrote this file"
"""What our skill says of itself in every version: a file that does not is somebody else's."""


def skill_text() -> str:
    """Return the skill as this version has it."""
    return (package_files("recall.install") / "SKILL.md").read_text(encoding="utf-8")


class Skill:
    """The skill file, which is ours as a whole."""

    what = "skill"

    def state(self, text: str) -> State:
        if not text:
            return "missing"
        if MARK not in text:
            return "other"
        return "wired" if text == skill_text() else "stale"

    def put(self, text: str) -> str:
        return skill_text()

    def take(self, text: str, keep: Keep) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class File:
    """One file of an agent's and our parts in it. `empty` is how it begins where there is none."""

    path: Path
    parts: Sequence[Part]
    empty: str

    def begin(self, text: str | None) -> str:
        """Return the text to work on; raise Refused where it is not what the agent keeps there."""
        if text is None or not text.strip():
            return self.empty
        if self.empty.startswith("{") and not isinstance(parse(text).value, dict):
            raise Refused("line 1, column 1: not a JSON object")
        return text

    def is_empty(self, text: str) -> bool:
        """Tell whether a text says nothing."""
        if not text.strip():
            return True
        return self.empty.startswith("{") and parse(text).value == {}


def files(agent: Agent, setup: Setup, *, hooks: bool = True, mcp: bool = True) -> list[File]:
    """Return an agent's files with the parts that are wired into each."""
    running: list[Part] = [Hooks(agent, setup)] if hooks else []
    if hooks and agent.name != "codex":
        running.append(StatusLine(agent, setup))
    skill = File(agent.skill, [Skill()], "")
    json = "{}\n"
    if agent.name == "codex":
        servers: list[Part] = [CodexServer(setup)] if mcp else []
        return [File(agent.servers, servers, ""), File(agent.settings, running, json), skill]
    servers = [Server(agent, setup)] if mcp else []
    if agent.servers == agent.settings:
        return [File(agent.settings, [*servers, *running], json), skill]
    return [File(agent.servers, servers, json), File(agent.settings, running, json), skill]
