"""A made-up user with agents, everything below one temporary directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall.places import Places

ROOT = Path(__file__).resolve().parents[2]


class User:
    """A home, the agents in it, and the `recall` command run there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.bin = root / "bin"
        for directory in (self.home, self.bin):
            directory.mkdir()
        self.places = Places(root / "data", root / "run", root / "config.toml")
        self.env = {
            "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "daemon"), str(ROOT / "client")]),
            "PYTHONUTF8": "1",
            "HOME": str(self.home),
            "TMPDIR": str(root),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "CODEX_HOME": str(self.home / ".codex"),
            "QWEN_HOME": str(self.home / ".qwen"),
            "QWEN_RUNTIME_DIR": str(self.home / ".qwen"),
            "RECALLD_DATA_DIR": str(self.places.data),
            "RECALLD_RUNTIME_DIR": str(self.places.runtime),
            "RECALLD_CONFIG": str(self.places.config),
        }
        self.launcher = self.places.data / "launcher"

    def agent(self, name: str, version: str | None = None) -> Path:
        """Give this user an agent: its directory and, with a version, its command. Return the directory."""
        directory = self.home / {"claude": ".claude", "codex": ".codex", "qwen": ".qwen"}[name]
        directory.mkdir(exist_ok=True)
        if version is not None:
            command = self.bin / name
            command.write_text(f"#!/bin/sh\necho '{version}'\n")
            command.chmod(0o755)
        return directory

    def recall(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "recall", *arguments],
            env=self.env,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def json(self, *arguments: str) -> dict[str, Any]:
        return dict(json.loads(self.recall(*arguments, "--json").stdout))

    def tree(self) -> dict[str, bytes | str]:
        """Every file of the home and what it holds, every link and where it leads."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if path.is_symlink():
                found[name] = os.readlink(path)
            elif path.is_file():
                found[name] = path.read_bytes()
            else:
                found[name] = "directory"
        return found


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)
