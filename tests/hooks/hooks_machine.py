"""A real daemon and a real launcher in a temporary place."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from environment import environment
from hooks.hooks_history import PROJECT, STARTED
from made.agents import WRITERS
from made.transcript import Agent, Step, Writer, uuid4
from recall.client import Client, connect
from recall.errors import RecallError
from recall.hooks.write import write_launcher
from recall.lock import read_lock
from recall.places import Places


class Machine:
    """Stores of three agents below `root`, the places of one recalld, and its launcher."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runtime = tempfile.TemporaryDirectory(prefix="recalld-")  # a socket's path is short
        self.places = Places(root / "data", Path(self._runtime.name), root / "config.toml")
        self.places.data.mkdir()
        (root / "home").mkdir()
        self.env = environment(root, self.places)
        self.launcher = write_launcher(self.places, self.env)
        self.process: subprocess.Popen[bytes] | None = None
        self.rng = Random(11)

    def close(self) -> None:
        """End the daemon, whoever started it."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
        elif read_lock(self.places) is not None:
            self.recall("stop")
        self._runtime.cleanup()

    def start(self) -> None:
        """Start the daemon; return when everything on disk is in its index."""
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "recalld"], env=self.env, cwd=self.root, stdin=subprocess.DEVNULL, stderr=log
            )
        with self.client() as client:
            client.sync()

    def client(self) -> Client:
        """Return a client of the daemon that runs or is coming up."""
        end = time.monotonic() + 60
        while True:
            try:
                return connect(self.places.socket)
            except RecallError:
                assert time.monotonic() < end, (self.root / "log").read_text()
                time.sleep(0.02)  # nothing tells when a socket appears

    def session(self, *steps: Step, agent: Agent = "codex", project: str = PROJECT) -> Writer:
        writer = WRITERS[agent](self.rng, uuid4(self.rng), project, STARTED)
        writer.steps(steps)
        writer.save(self.root)
        return writer

    def launch(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        """Start the launcher with open pipes."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([self.launcher, *arguments], env=self.env, cwd=self.root, **(pipes | more))

    def hook(self, agent: str, event: str, payload: Any) -> str:
        """Run a hook as an agent does; return what it printed. It always ends with 0 and says nothing on stderr."""
        return self.run("hook", agent, event, stdin=payload)

    def run(self, *arguments: str, stdin: Any = b"") -> str:
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        process = self.launch(*arguments)
        try:
            out, err = process.communicate(data, timeout=60)
        except BrokenPipeError:
            process.wait(60)
            out, err = b"", b""
        assert (process.returncode, err) == (0, b"")
        return out.decode()

    def recall(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "recall", *arguments],
            env=self.env,
            cwd=self.root,
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
