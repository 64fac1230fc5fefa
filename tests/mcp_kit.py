"""What the tests of MCP talk through: a user with made-up sessions and a real daemon, and a client of the relay."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from environment import environment
from processes import end_all, wait_until_gone
from recall.lock import read_lock
from recall.places import Places

ROOT = Path(__file__).resolve().parents[1]
SESSIONS = ROOT / "client" / "recall" / "demo" / "sessions"
RELAY = ROOT / "client" / "recall" / "mcp"
PATIENCE = 60.0


class User:
    """A home below `root` with the demo's sessions of Claude Code and Qwen Code, and `recall` run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.places = Places(root / "data", root / "run", root / "config.toml")
        shutil.copytree(SESSIONS / "claude-code", root / "claude")
        shutil.copytree(SESSIONS / "qwen-code", root / "qwen")
        for name in ("home", "codex"):
            (root / name).mkdir()
        code = os.pathsep.join([str(ROOT / "daemon"), str(ROOT / "client")])
        self.env = environment(root, self.places) | {"PYTHONPATH": code}

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

    def start(self) -> None:
        """Start the daemon and have it read everything."""
        assert self.recall("start").returncode == 0
        assert self.recall("sync").returncode == 0

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self.recall("status", "--json").stdout))

    def daemon_pid(self) -> int | None:
        lock = read_lock(self.places)
        return lock.pid if lock is not None else None

    def mcp_pid(self) -> int:
        """The MCP child's process."""
        pid = json.loads(self.recall("call", "status").stdout)["mcp"]["pid"]
        assert isinstance(pid, int)
        return pid

    def end(self) -> None:
        self.recall("stop")
        end_all("HOME", self.env["HOME"])


class Client:
    """An agent's side of `recall mcp`: a process and its two pipes."""

    def __init__(self, user: User, *arguments: str, command: list[str] | None = None, **env: str) -> None:
        self.process = subprocess.Popen(
            [*(command or [sys.executable, "-m", "recall", "mcp"]), *arguments],
            env=user.env | env,
            cwd=user.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._number = 0
        self._buffer = bytearray()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> int:
        """Close stdin, as an agent that ends; return the exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    def raw(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request; return its id."""
        self._number += 1
        self.raw(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}))
        return self._number

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}))

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        end = time.monotonic() + PATIENCE
        while b"\n" not in self._buffer:
            assert select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0], "no answer"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the relay has ended"
            self._buffer += data
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return dict(json.loads(line))

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the message that answers it, which must be the next to come."""
        number = self.send(method, params)
        message = self.receive()
        assert message["id"] == number
        return message

    def handshake(self, revision: str = "2025-11-25") -> dict[str, Any]:
        """Do what an agent does first; return what the server said of itself."""
        hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        result = self.ask("initialize", hello)["result"]
        self.notify("notifications/initialized")
        return dict(result)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        return dict(self.ask("tools/call", {"name": tool, "arguments": arguments})["result"])

    def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool; return its one text."""
        (block,) = self.call(tool, **arguments)["content"]
        return str(block["text"])


def kill(pid: int) -> None:
    """Kill a process and return when it is gone."""
    os.kill(pid, signal.SIGKILL)
    wait_until_gone(pid)
