"""The agents: whether they are here, which version, where they keep what."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Name = Literal["claude-code", "codex", "qwen-code"]

VERSION_TIMEOUT = 20.0
"""Seconds that an agent may take to say its version; those that are scripts take one or two on a busy machine."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent in one environment. Paths need not exist."""

    name: Name
    title: str
    command: str
    home: Path
    """Its own directory."""
    settings: Path
    """The file that holds its hooks."""
    servers: Path
    """The file that holds its MCP servers."""
    skill: Path
    found: bool
    """Its own directory exists, or its command is on PATH."""
    mcp_hooks_from: tuple[int, int, int] | None
    """The first version whose hooks can call an MCP tool; None: none can."""


def agents(env: Mapping[str, str] = os.environ) -> list[Agent]:
    """Return the three agents as `env` places them."""
    home = Path(env.get("HOME") or Path.home())
    claude = _directory(env, "CLAUDE_CONFIG_DIR", home / ".claude")
    codex = _directory(env, "CODEX_HOME", home / ".codex")
    qwen = _directory(env, "QWEN_HOME", home / ".qwen")
    # With its own directory moved, Claude Code keeps this file in it, else beside it.
    servers = claude / ".claude.json" if env.get("CLAUDE_CONFIG_DIR") else home / ".claude.json"
    return [
        Agent(
            "claude-code",
            "Claude Code",
            "claude",
            claude,
            claude / "settings.json",
            servers,
            claude / "skills" / "recall" / "SKILL.md",
            _found(env, claude, "claude"),
            (2, 1, 118),
        ),
        Agent(
            "codex",
            "Codex",
            "codex",
            codex,
            codex / "hooks.json",
            codex / "config.toml",
            codex / "skills" / "recall" / "SKILL.md",
            _found(env, codex, "codex"),
            (0, 171, 0),
        ),
        Agent(
            "qwen-code",
            "Qwen Code",
            "qwen",
            qwen,
            qwen / "settings.json",
            qwen / "settings.json",
            qwen / "skills" / "recall" / "SKILL.md",
            _found(env, qwen, "qwen"),
            None,
        ),
    ]


def _directory(env: Mapping[str, str], variable: str, default: Path) -> Path:
    value = env.get(variable)
    return Path(os.path.abspath(os.path.expanduser(value))) if value else default


def _found(env: Mapping[str, str], directory: Path, command: str) -> bool:
    return directory.is_dir() or shutil.which(command, path=env.get("PATH")) is not None


def version(agent: Agent, env: Mapping[str, str] = os.environ) -> tuple[int, int, int] | None:
    """Return what the agent's command says its version is, None where there is none or it says nothing."""
    command = shutil.which(agent.command, path=env.get("PATH"))
    if command is None:
        return None
    try:
        done = subprocess.run(
            [command, "--version"],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None  # it cannot be asked: hooks that every version knows are the answer
    match = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return (int(match[1]), int(match[2]), int(match[3])) if match else None
