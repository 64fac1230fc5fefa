"""A person with agents: real command lines from npm, a real daemon, every home in one temporary directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from agents.install import PREFIX
from agents.moves import Move
from agents.stand_in import StandIn
from made.agents import WRITERS
from made.transcript import Agent, Step, Writer, uuid4, uuid7
from processes import end_all
from recall.client import Client, connect
from recall.places import Places

COMMANDS: dict[Agent, str] = {"claude-code": "claude", "codex": "codex", "qwen-code": "qwen"}
# Nothing wider: agents make and remove other files all the while.
TRANSCRIPTS: dict[Agent, str] = {
    "claude-code": "projects/*/*.jsonl",
    "codex": "sessions/*/*/*/*.jsonl",
    "qwen-code": "projects/*/chats/*.jsonl",
}
BIN = PREFIX / "node_modules" / ".bin"
TURN = 120.0
"""Seconds that a turn may take before it is ended."""
SOON = 1.0
"""Seconds from a line in a transcript to its being found."""
LATE = 60.0
"""Seconds after which something that an agent is to do will not come any more."""


def missing(agent: Agent) -> str | None:
    """Return why this agent cannot be run here, None if it can."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    if not (BIN / COMMANDS[agent]).exists():
        return f"{agent} is not installed in {PREFIX.name}/: run `make agents`, which needs npm"
    return None if shutil.which("node", path=path) else f"{agent} needs Node.js"


class World:
    """One person's machine: the agents' directories, a project, recalld's places, and the model behind the agents."""

    def __init__(self, root: Path, *, named: bool = True) -> None:
        """`named`: variables say where everything lies; else it lies where it does for who has set none."""
        self.root = root.resolve()
        self.project = self.root / "orders"
        self.home = self.root / "home"
        short = {a: a.partition("-")[0] for a in COMMANDS}
        self.stores = {a: self.root / name if named else self.home / f".{name}" for a, name in short.items()}
        for directory in (self.project, self.home, *self.stores.values()):
            directory.mkdir(parents=True)
        # A socket's path is short.
        self._runtime = tempfile.TemporaryDirectory(prefix="recalld-")
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TZ") if name in os.environ}
        self.env = kept | {
            "PATH": os.pathsep.join([str(BIN), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "HOME": str(self.home),
            "TMPDIR": str(self.root),
            "TERM": "dumb",
            "NO_COLOR": "1",
        }
        if named:
            self.env |= {
                "CLAUDE_CONFIG_DIR": str(self.stores["claude-code"]),
                "CODEX_HOME": str(self.stores["codex"]),
                "QWEN_HOME": str(self.stores["qwen-code"]),
                "QWEN_RUNTIME_DIR": str(self.stores["qwen-code"]),
                "RECALLD_DATA_DIR": str(self.root / "data"),
                "RECALLD_RUNTIME_DIR": self._runtime.name,
                "RECALLD_CONFIG": str(self.root / "config.toml"),
            }
        else:
            self.env["XDG_RUNTIME_DIR"] = self._runtime.name
            for name, store in zip(short.values(), self.stores.values(), strict=True):
                (self.root / name).symlink_to(store)  # where made-up sessions are written
        self.places = self._places()
        self._rng = Random(5)

    def _places(self) -> Places:
        ask = "from recall.places import places; p = places(); print(p.data, p.runtime, p.config, sep='\\n')"
        done = subprocess.run([sys.executable, "-c", ask], env=self.env, capture_output=True, text=True, check=True)
        return Places(*map(Path, done.stdout.splitlines()))

    # -- recalld -------------------------------------------------------------------------------------

    def recall(self, *arguments: str) -> str:
        """Run the command line; return what it printed. It has to end with 0."""
        done = subprocess.run(
            [sys.executable, "-m", "recall", *arguments],
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TURN,
            check=False,
        )
        assert done.returncode == 0, f"recall {arguments}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def client(self) -> Client:
        return connect(self.places.socket)

    def found(self, query: str) -> set[tuple[str, str]]:
        """Return agent and id of each session that holds just what is asked for, when all that is on disk was read."""
        with self.client() as client:
            client.sync()
            result = client.search(query, limit=50)
        exact = result["hits"] if result["tier"] == "exact" else []
        return {(hit["session"]["agent"], hit["session"]["id"]) for hit in exact}

    # -- sessions of before --------------------------------------------------------------------------

    def session(self, agent: Agent, *steps: Step, minutes_ago: float = 3 * 24 * 60) -> Writer:
        """Write a made-up earlier session of this project."""
        started = int((time.time() - minutes_ago * 60) * 1000)
        ident = uuid7(self._rng, started) if agent == "codex" else uuid4(self._rng)
        writer = WRITERS[agent](self._rng, ident, str(self.project), started)
        writer.steps(steps)
        writer.save(self.root)
        return writer

    # -- turns of the real agents --------------------------------------------------------------------

    def turn(
        self,
        agent: Agent,
        model: StandIn,
        prompt: str,
        *moves: Move,
        resume: str | None = None,
        codex: Mapping[str, str] | None = None,
    ) -> Turn:
        """Start a turn of a real agent that the model answers with `moves`.

        `resume`: in that session. `codex`: settings of Codex that are to be others, the values in TOML.
        """
        model.turn(prompt, *moves)
        arguments, more = LAUNCHES[agent](model.url, self, resume, codex or {})
        return Turn(self, agent, [str(BIN / COMMANDS[agent]), *arguments, prompt], self.env | more)

    def close(self) -> None:
        """End everything that was started for this person."""
        end_all("HOME", str(self.home))
        self._runtime.cleanup()


class Turn:
    """A turn that an agent is at."""

    def __init__(self, world: World, agent: Agent, command: list[str], env: dict[str, str]) -> None:
        self.world, self.agent = world, agent
        self._began = time.time()
        self._output = world.root / f"{agent}.out"
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                env=env,
                cwd=world.project,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def end(self) -> None:
        """Return when the agent has ended, and ended well."""
        try:
            status = self._process.wait(TURN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"{self.agent} takes more than {TURN:g} s: {self.output()}") from None
        assert status == 0, self.output()

    def output(self) -> str:
        return self._output.read_text(errors="replace")[-4000:]

    def written(self, text: str) -> tuple[str, float]:
        """Return the session in whose transcript `text` stands as something said, and when it was seen there."""
        end = time.monotonic() + LATE
        while True:
            for path in self.transcripts():
                lines = path.read_bytes().splitlines(keepends=True)
                if any(text.encode() in line and line.endswith(b"\n") and said(self.agent, line) for line in lines):
                    return path.stem[-36:], time.monotonic()
            assert time.monotonic() < end, f"{text!r} is never written by {self.agent}: {self.output()}"
            time.sleep(0.005)  # an event of the file system would come by way of what is tested

    def transcripts(self) -> Iterable[Path]:
        """Return the transcripts that this agent has written to since the turn began."""
        for path in self.world.stores[self.agent].glob(TRANSCRIPTS[self.agent]):
            if path.stat().st_mtime >= self._began - 1:
                yield path

    def is_found(self, text: str) -> tuple[str, float]:
        """Wait until a search finds `text`, which is being written; return the session and how long it took, seconds."""
        session, seen = self.written(text)
        with self.world.client() as client:
            while True:
                hits = client.search(f'"{text}"', agent=self.agent)["hits"]
                took = time.monotonic() - seen
                if any(hit["session"]["id"] == session for hit in hits):
                    return session, took
                assert took < LATE, f"{text!r} of {self.agent} is never found"
                time.sleep(0.005)


def said(agent: Agent, line: bytes) -> bool:
    """Tell whether a transcript's line is one of those that carry what was said; agents write it elsewhere besides."""
    record: dict[str, Any] = json.loads(line)
    if agent == "codex":
        return bool(record["type"] == "event_msg")
    return record["type"] in ("user", "assistant")


# -- how each agent is started: arguments and environment; the prompt comes last ---------------------------

Launch = tuple[list[str], dict[str, str]]


def _claude(url: str, world: World, resume: str | None, codex: Mapping[str, str]) -> Launch:
    # For root it refuses its flag that allows everything.
    allowed = ["Bash", "Edit", "Write", "Read", "mcp__recall"]
    settings = {"permissions": {"allow": allowed}, "enableAllProjectMcpServers": True}
    quiet = ("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
    env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"} | dict.fromkeys(quiet, "1")
    return [*_resumed(resume), "--settings", json.dumps(settings), "-p"], env


def _codex(url: str, world: World, resume: str | None, codex: Mapping[str, str]) -> Launch:
    provider = f'{{name = "stand-in", base_url = "{url}/v1", wire_api = "responses", env_key = "STAND_IN_KEY"}}'
    settings = {
        "model": '"stand-in"',
        "model_provider": '"stand-in"',
        "model_providers.stand-in": provider,
        "analytics.enabled": "false",
        "check_for_update_on_startup": "false",
        "features.plugins": "false",  # else it asks the network for catalogues
        f'projects."{world.project}".trust_level': '"trusted"',
    }
    # The trust in hooks that a person gives in /hooks cannot be given here: the flag stands for it.
    flags = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    given = [part for name, value in {**settings, **codex}.items() for part in ("-c", f"{name}={value}")]
    again = ["resume", resume] if resume is not None else []
    return ["exec", "--skip-git-repo-check", *flags, *given, *again], {"STAND_IN_KEY": "none"}


def _qwen(url: str, world: World, resume: str | None, codex: Mapping[str, str]) -> Launch:
    system = world.root / "qwen-system.json"
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
    }
    system.write_text(json.dumps(settings))
    env = {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "stand-in",
        "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(system),
    }
    return [*_resumed(resume), "--auth-type", "openai", "--yolo", "-p"], env


def _resumed(session: str | None) -> list[str]:
    return ["--resume", session] if session is not None else []


LAUNCHES = {"claude-code": _claude, "codex": _codex, "qwen-code": _qwen}
