"""A home with every location inside a temporary directory, and a real socket server that speaks the wire."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from environment import environment
from recall import wire
from recall.errors import RecallError
from recall.lock import read_lock
from recall.places import Places

Handler = Callable[[str, dict[str, Any]], Any]
DROP = object()
"""What a handler returns to have the connection closed without a reply."""


class Home:
    """One user: an environment in which every place lies below `root`, and the `recall` command in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "work"
        for name in ("home", "work", "bin", "run"):
            (root / name).mkdir()
        self.places = Places(root / "data", root / "run", root / "config.toml")
        self.env = environment(root, self.places) | {
            "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUTF8": "1",
            "XDG_CONFIG_HOME": str(root / "home" / ".config"),
            "TZ": "UTC",
        }

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "recall", *args]

    def recall(self, *args: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*args),
            env=self.env | env,
            cwd=self.work,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def in_terminal(self, *args: str, **env: str) -> str:
        """Run `recall` on a terminal; return what it wrote there."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            self.command(*args),
            env=self.env | {"TERM": "xterm-256color"} | env,
            cwd=self.work,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        out = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                data = os.read(ours, 65536)
            except OSError:  # how a terminal says that its other end is closed
                break
            if not data:
                break
            out += data
        os.close(ours)
        process.wait(60)
        return out.decode()

    def program(self, name: str, text: str) -> Path:
        """Put an executable on PATH."""
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
        return path


class WireServer:
    """Speaks the protocol on a real socket, holds the lock as a daemon does, and remembers what it was asked."""

    def __init__(self, places: Places, handler: Handler) -> None:
        self.path = places.socket
        self.handler = handler
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.connections = 0
        self._open: list[socket.socket] = []
        places.data.mkdir(parents=True, exist_ok=True)
        self._lock = places.lock.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        json.dump({"pid": os.getpid(), "version": "0.1.0", "socket": str(self.path)}, self._lock)
        self._lock.flush()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        for connection in self._open:
            connection.close()
        self._lock.close()

    def drop_connections(self) -> None:
        for connection in self._open:
            connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        decoder = wire.Decoder()
        try:
            while data := connection.recv(65536):
                decoder.feed(data)
                for request in decoder:
                    if not self._answer(connection, request):
                        connection.shutdown(socket.SHUT_RDWR)
                        return
        except OSError:
            return

    def _answer(self, connection: socket.socket, request: dict[str, Any]) -> bool:
        self.asked.append((request["method"], request["params"]))
        try:
            result = self.handler(request["method"], request["params"])
        except RecallError as error:
            reply = {"id": request["id"], "ok": False, "error": {"code": error.code, "message": error.message}}
        else:
            if result is DROP:
                return False
            reply = {"id": request["id"], "ok": True, "result": result}
        connection.sendall(wire.pack(reply))
        return True


@pytest.fixture
def home() -> Iterator[Home]:
    root = Path(tempfile.mkdtemp(prefix="recall-", dir="/tmp")).resolve()  # short: a socket's path may have 103 bytes
    user = Home(root)
    yield user
    lock = read_lock(user.places)
    if lock is not None and lock.pid not in (0, os.getpid()):  # a daemon that a test left running
        os.kill(lock.pid, signal.SIGTERM)
        with user.places.lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # until it has ended
    shutil.rmtree(root)


@pytest.fixture
def serve(home: Home) -> Iterator[Callable[[Handler], WireServer]]:
    """Start a server with the given handler in the place of this home's daemon."""
    servers: list[WireServer] = []

    def start(handler: Handler) -> WireServer:
        servers.append(WireServer(home.places, handler))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def session(**more: Any) -> dict[str, Any]:
    """A SESSION, made up."""
    return {
        "agent": "claude-code",
        "id": "11111111-1111-4111-8111-111111111111",
        "parent": None,
        "sub_agent": None,
        "project": "/w/app",
        "title": "Cache invalidation",
        "started": "2026-01-15T10:00:00.000Z",
        "updated": "2026-01-15T11:00:00.000Z",
        "records": 4,
        "branch": "main",
        "model": "m-1",
        "provider": None,
        "path": "/w/s.jsonl",
        "source_deleted": False,
        "resume": "cd /w/app && claude --resume 11111111-1111-4111-8111-111111111111",
    } | more


def record(**more: Any) -> dict[str, Any]:
    """A RECORD, made up."""
    return {
        "agent": "claude-code",
        "session": "11111111-1111-4111-8111-111111111111",
        "id": "u1",
        "parent": None,
        "project": "/w/app",
        "time": "2026-01-15T10:00:00.000Z",
        "role": "user",
        "kind": "message",
        "tool": None,
        "paths": [],
        "command": None,
        "exit_status": None,
        "is_error": None,
        "model": None,
        "branch": "main",
        "text": "why is the cache stale",
        "truncated": False,
        "abandoned": False,
        "source": {"path": "/w/s.jsonl", "offset": 0, "length": 10},
    } | more


def found(*matches: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A search answer with one hit."""
    return {
        "query": "cache",
        "tier": "exact",
        "total": 1,
        "took_ms": 0.3,
        "index": {"records": 4, "complete": True, "pending_bytes": 0},
        "hits": [{"session": session(), "score": 7.1, "matches": list(matches), "match_count": len(matches)}],
        "next_offset": None,
    } | more


@pytest.fixture
def made() -> Any:
    """The makers of made-up answers: `made.session(…)`, `made.record(…)`, `made.found(…)`."""

    class Made:
        pass

    makers = Made()
    makers.session, makers.record, makers.found, makers.DROP = session, record, found, DROP  # type: ignore[attr-defined]
    return makers
