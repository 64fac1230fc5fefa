"""Made-up conversations, written the way the three agents write theirs.

One `Writer` an agent (`made.agents`) turns `Step`s into JSONL lines. With `noise=True` it also writes what the agents
write beside the conversation (telemetry, snapshots, progress, reasoning, usage); without it, only what carries the
conversation. Everything random comes from the `random.Random` that is handed in: the same seed makes the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal

import orjson

Agent = Literal["claude-code", "codex", "qwen-code"]
AGENTS: tuple[Agent, ...] = ("claude-code", "codex", "qwen-code")
StepKind = Literal["user", "assistant", "shell", "read", "edit", "grep", "summary"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens in a session.

    `text` is what was said, or what a tool gave back; `target` is the command, path or pattern that a tool was called
    with; `new` is the text that an edit wrote.
    """

    kind: StepKind
    text: str
    target: str = ""
    new: str = ""
    exit_status: int = 0


def uuid4(rng: Random) -> str:
    """Return a random UUID of version 4."""
    h = f"{rng.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[rng.getrandbits(2)]}{h[17:20]}-{h[20:]}"


def uuid7(rng: Random, ms: int) -> str:
    """Return a UUID of version 7 for the time `ms` (milliseconds since the epoch)."""
    t, h = f"{ms:012x}", f"{rng.getrandbits(76):019x}"
    return f"{t[:8]}-{t[8:]}-7{h[:3]}-{'89ab'[rng.getrandbits(2)]}{h[3:6]}-{h[6:18]}"


def iso(ms: int) -> str:
    """Return ISO 8601 in UTC with milliseconds and `Z`."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}Z"


def directory_name(cwd: str) -> str:
    """Return the name that Claude Code and Qwen Code give a project's directory."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


class Writer:
    """Collects one session's lines. `at` is the time of the next line; every line moves it on a little."""

    agent: ClassVar[Agent]

    def __init__(
        self,
        rng: Random,
        session: str,
        cwd: str,
        started: int,
        *,
        branch: str = "main",
        model: str = "m",
        noise: bool = False,
        parent: str | None = None,
        fork_of: str | None = None,
    ) -> None:
        self.rng, self.session, self.cwd, self.at = rng, session, cwd, started
        self.started, self.branch, self.model, self.noise = started, branch, model, noise
        self.parent, self.fork_of = parent, fork_of
        """`parent` is the id of the session that started this one as a sub-agent."""
        self.lines: list[bytes] = []
        self.size = 0
        self.side: dict[str, bytes] = {}
        """Other files of the session, by path relative to the transcript's directory."""

    @property
    def path(self) -> str:
        """Where the transcript lies, relative to the directory that holds `claude/`, `codex/` and `qwen/`."""
        raise NotImplementedError

    def emit(self, record: dict[str, Any]) -> None:
        """Append one line."""
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        self.lines.append(line)
        self.size += len(line)

    def tick(self, low: int = 200, high: int = 20_000) -> str:
        """Move the clock by `low` to `high` milliseconds and return the time."""
        self.at += low + int(self.rng.random() * (high - low))
        return iso(self.at)

    def steps(self, steps: Iterable[Step]) -> None:
        """Write every step in order."""
        for s in steps:
            self.step(s)

    def step(self, step: Step) -> None:
        """Write one step."""
        raise NotImplementedError

    def title(self, text: str) -> None:
        """Give the session a title, where the agent keeps titles in the transcript."""

    def save(self, root: Path) -> Path:
        """Write the transcript and its side files below `root`; return the transcript's path."""
        p = root / self.path
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_bytes(b"".join(self.lines))
        for name, content in self.side.items():
            q = p.parent / name
            q.parent.mkdir(parents=True, exist_ok=True)
            q.write_bytes(content)
        return p
