"""Reads the set of everyday work: sessions as plain text, and what is asked of them. README.md explains the files."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from made.agents import WRITERS
from made.chatter import chatter
from made.text import Text
from made.transcript import Agent, Step, Writer, uuid4, uuid7

HERE = Path(__file__).parent
DAY_MS = 86_400_000
AGENTS: dict[str, Agent] = {"claude-code": "claude-code", "codex": "codex", "qwen-code": "qwen-code"}


@dataclass(slots=True)
class Session:
    """One session of the set."""

    name: str
    agent: Agent
    project: str
    days: int
    """How many days ago it was."""
    steps: list[Step] = field(default_factory=list)
    id: str = ""

    def writer(self, now: int) -> Writer:
        """Return the transcript, small talk before and after what it is about; `now` in milliseconds."""
        rng = Random(self.name)
        started = now - self.days * DAY_MS
        self.id = uuid7(rng, started) if self.agent == "codex" else uuid4(rng)
        text = Text(Random(1), 20_000)
        writer = WRITERS[self.agent](rng, self.id, self.project, started, noise=True)
        writer.steps(self.steps)
        writer.steps(chatter(rng, text, 6))
        return writer


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: to `search` (kind is the kind of query) or to the question that `kind` names."""

    kind: str
    wanted: tuple[str, ...]
    """Sessions of which one must come first, or what the first entries of the answer must hold; none: nothing is there."""
    text: str


def sessions() -> list[Session]:
    """Return every session of the set."""
    found: list[Session] = []
    for name in ("sessions-en.txt", "sessions-other.txt"):
        for block in re.split(r"^# ", (HERE / name).read_text(), flags=re.MULTILINE)[1:]:
            head, *lines = block.rstrip().split("\n")
            key, agent, project, days = head.split()
            found.append(Session(key, AGENTS[agent], project, int(days), list(_steps(lines))))
    return found


def _steps(lines: list[str]) -> Iterator[Step]:
    """Yield the steps that `lines` tell: a mark, a space, and a text; the lines marked `|`, `!` and `+` belong to the one before."""
    at = 0
    while at < len(lines):
        mark, text = lines[at][:1], lines[at][2:]
        at += 1
        more: list[str] = []
        status = 0
        while at < len(lines) and lines[at][:1] in "|!+":
            line = lines[at][2:]
            if lines[at][0] == "!":
                code, _, line = line.partition(" ")
                status = int(code)
            more.append(line)
            at += 1
        body = "\n".join(more)
        if mark in "><":
            yield Step("user" if mark == ">" else "assistant", text.strip())
        elif mark == "$":
            yield Step("shell", body, text, exit_status=status)
        elif mark == "R":
            yield Step("read", body, text)
        elif mark == "G":
            yield Step("grep", body, text)
        elif mark == "E":
            yield Step("edit", "The file has been updated.", text, body)
        else:
            raise ValueError(f"no step is marked {mark!r}")


def write(root: Path) -> dict[str, str]:
    """Write the transcripts below `root`; return the sessions' names by their ids."""
    now = int(time.time() * 1000)
    made = sessions()
    for s in made:
        s.writer(now).save(root)
    return {s.id: s.name for s in made}


def _rows(name: str) -> Iterator[list[str]]:
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield [cell.strip() for cell in line.split(" | ", 2)]


def queries() -> list[Asked]:
    """Return what is asked of `search`."""
    return [Asked(kind, () if wanted == "-" else tuple(wanted.split(",")), text) for kind, wanted, text in _rows("queries.txt")]


def questions() -> list[Asked]:
    """Return what is asked of the other questions."""
    return [Asked(method, () if wanted == "-" else (wanted,), text) for method, text, wanted in _rows("questions.txt")]
