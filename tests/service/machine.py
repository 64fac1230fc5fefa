"""A whole recalld as a user runs it: a real process over temporary stores, asked over its socket."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from environment import environment
from processes import end_all
from recall.client import Client, connect
from recall.errors import RecallError
from recall.places import Places

RECALLD = Path(sys.executable).with_name("recalld")
RECALL = Path(sys.executable).with_name("recall")


class Machine:
    """Temporary agent stores, a daemon over them, and a client."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.claude, self.codex, self.qwen = root / "claude", root / "codex", root / "qwen"
        for directory in (self.claude / "projects", self.codex / "sessions", self.qwen / "projects", root / "home"):
            directory.mkdir(parents=True)
        # A socket's path is short, and pytest's directories are not.
        self._runtime = tempfile.TemporaryDirectory(prefix="recalld-")
        self.places = Places(root / "data", Path(self._runtime.name), root / "config.toml")
        self.env = environment(root, self.places) | {"NO_COLOR": "1"}
        self.command = [str(RECALLD)]
        """What `start` runs."""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the daemon; return when it answers."""
        log = (self.root / "log").open("ab")
        self.process = subprocess.Popen(
            self.command, env=self.env, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
        )
        log.close()
        end = time.monotonic() + 30
        while True:
            assert self.process.poll() is None, self.log()
            try:
                with self.client() as client:
                    client.ping()
                return
            except RecallError:
                assert time.monotonic() < end, self.log()
                time.sleep(0.01)

    def client(self) -> Client:
        return connect(self.places.socket)

    def log(self) -> str:
        return (self.root / "log").read_text()[-3000:]

    def sync(self) -> None:
        with self.client() as client:
            client.sync()

    def stop(self) -> int:
        """Ask the daemon to end; return its status."""
        assert self.process is not None
        self.process.terminate()
        status = self.process.wait(20)
        self.process = None
        return status

    def kill(self) -> None:
        """Kill the daemon, as the machine's owner or the kernel would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)
        self.process = None

    def indexer(self) -> psutil.Process | None:
        """Return the daemon's indexing child, if it is up."""
        assert self.process is not None
        try:
            children = psutil.Process(self.process.pid).children()
            return next((c for c in children if "recalld.ingest" in c.cmdline()), None)
        except psutil.NoSuchProcess:
            return None

    def texts(self, session: str) -> list[str]:
        """Return what a session says along its live branch."""
        with self.client() as client:
            found: list[str] = []
            offset: int | None = 0
            while offset is not None:
                page: Any = client.show(session, limit=1000, offset=offset)
                found += [r["text"] for r in page["records"]]
                offset = page["next_offset"]
            return found

    def recall(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        done = subprocess.run(
            [RECALL, *arguments], env=self.env, cwd=self.root, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode in ok, f"recall {arguments}: {done.returncode}: {done.stderr}"
        return done

    def sweep(self) -> None:
        """End everything that this machine started, what a client started for it included."""
        end_all("RECALLD_RUNTIME_DIR", str(self.places.runtime))
        self._runtime.cleanup()
