"""Reads families of made-up sessions (TOML) and makes transcripts of them. README.md of `search/` explains the file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from made.agents import WRITERS
from made.chatter import chatter
from made.text import Text
from made.transcript import AGENTS, Agent, Step, StepKind, Writer, uuid4, uuid7

FIRST_MS = int(datetime(2025, 12, 1, tzinfo=UTC).timestamp() * 1000)
LAST_MS = int(datetime(2026, 11, 29, tzinfo=UTC).timestamp() * 1000)
"""Sessions without a date of their own start between these."""
KINDS: Mapping[str, StepKind] = {"U": "user", "A": "assistant", "S": "shell", "R": "read", "E": "edit", "G": "grep"}
EDITED = "The file has been updated."


@dataclass(frozen=True, slots=True)
class MadeSession:
    """One session of a set. `core` is what it is about; `steps` has the small talk around it too."""

    name: str
    """`family/number`, `family/echo` or `background/number`."""
    agent: Agent
    id: str
    project: str
    started: int
    """Milliseconds since the epoch."""
    core: tuple[Step, ...]
    steps: tuple[Step, ...]

    def writer(self) -> Writer:
        """Return the transcript."""
        rng = Random(f"write/{self.id}")
        w = WRITERS[self.agent](rng, self.id, self.project, self.started)
        w.steps(self.steps)
        return w


def script(lines: str, values: Mapping[str, str]) -> list[Step]:
    """Return the steps of a script with its slots filled."""
    steps = []
    for line in lines.strip().split("\n"):
        mark, _, rest = line.partition(": ")
        first, arrow, second = rest.partition(" =>")
        target, text = (part.replace("\\n", "\n").format(**values) for part in (first, second.removeprefix(" ")))
        kind = KINDS[mark[0]]
        if not arrow:
            steps.append(Step(kind, target))
        elif kind == "edit":
            steps.append(Step(kind, EDITED, target, new=text))
        else:
            steps.append(Step(kind, text, target, exit_status=int(mark[1:] or 0)))
    return steps


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "it"


class Maker:
    """Makes the sessions of one set, the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self.rng = Random(seed)
        self.text = Text(Random(seed + "/words"), 4_000)
        self.sessions: list[MadeSession] = []

    def session(self, name: str, project: str, core: Iterable[Step], date: str | None = None, around: int = 4) -> MadeSession:
        """Make one session: the core's steps in order, `around` steps of small talk between them at most."""
        rng, core = self.rng, tuple(core)
        started = FIRST_MS + rng.randrange(LAST_MS - FIRST_MS)
        if date:
            started = int(datetime.fromisoformat(date + "T09:00:00+00:00").timestamp() * 1000) + rng.randrange(7_200_000)
        agent = AGENTS[len(self.sessions) % 3]
        ident = uuid7(rng, started) if agent == "codex" else uuid4(rng)
        steps: list[Step] = []
        for i, step in enumerate(core):
            steps.append(step)
            # the answer to a tool's output follows at once; between turns other things happen
            steps += chatter(rng, self.text, rng.randrange(around) if i else 0)
        steps += chatter(rng, self.text, rng.randrange(3, 12))
        made = MadeSession(name, agent, ident, f"/home/ada/work/{project}", started, core, tuple(steps))
        self.sessions.append(made)
        return made

    def family(self, family: Mapping[str, Any]) -> list[tuple[MadeSession, Mapping[str, Any]]]:
        """Make every variant of a family, and where its sessions have no dates, two echoes: the same script without
        what makes a variant the answer."""
        out = []
        for n, variant in enumerate(family["variant"]):
            values = {k: v for k, v in variant.items() if isinstance(v, str)}
            made = self.session(
                f"{family['name']}/{n}", family["project"], script(family["script"], values), variant.get("date")
            )
            out.append((made, variant))
        if not any("date" in v for v in family["variant"]):
            for n in range(2):
                core = [_blank(line) for line in family["script"].strip().split("\n") if line[0] in "UA"]
                self.session(f"{family['name']}/echo{n}", family["project"], [s for s in core if s.text != "it"])
        return out

    def background(self, n: int, words: list[str]) -> None:
        """Make `n` sessions about nothing, in which single words of the questions occur."""
        frames = (
            "what about the {0} in the {1} module?",
            "I looked at {0}; it has nothing to do with {1}.",
            "please rename {0} to {1}",
            "The {0} part is fine, {1} is for another day.",
        )
        for i in range(n):
            core = []
            for k in range(self.rng.randrange(3, 9)):
                kind: StepKind = "assistant" if k % 2 else "user"
                core.append(Step(kind, self.rng.choice(frames).format(*self.rng.sample(words, 2))))
            self.session(f"background/{i}", f"misc-{i % 9}", core, around=7)


def _blank(line: str) -> Step:
    mark, _, rest = line.partition(": ")
    return Step(KINDS[mark[0]], rest.replace("\\n", "\n").format_map(_Blank()))


def read(path: Path) -> dict[str, Any]:
    """Read a file of families."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def write(root: Path, sessions: Iterable[MadeSession]) -> None:
    """Write the transcripts below `root` (`claude/`, `codex/`, `qwen/`)."""
    for s in sessions:
        s.writer().save(root)
