"""The judged set for proactive recall: a history, prompts that it helps with, and prompts that it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from quality.families import MadeSession, Maker, read, write
from quality.search import load as search

HERE = Path(__file__).resolve().parent
Half = Literal["dev", "held"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person types to an agent in a directory, and the id of the session that helps; None: silence is right."""

    kind: str
    cwd: str
    text: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class HookSet:
    """One half."""

    sessions: tuple[MadeSession, ...]
    prompts: tuple[Prompt, ...]

    def write(self, root: Path) -> None:
        """Write the transcripts below `root` (`claude/`, `codex/`, `qwen/`)."""
        write(root, self.sessions)


@dataclass(slots=True)
class Score:
    """How a hook did."""

    helped: list[Prompt] = field(default_factory=list)
    """It named the session that helps."""
    wrong: list[tuple[Prompt, Sequence[str]]] = field(default_factory=list)
    """It named others only, where one helps."""
    missed: list[Prompt] = field(default_factory=list)
    """It was silent, where one helps."""
    noise: list[tuple[Prompt, Sequence[str]]] = field(default_factory=list)
    """It spoke, where silence is right."""
    quiet: list[Prompt] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the prompts with an answer that were helped."""
        return len(self.helped) / (len(self.helped) + len(self.wrong) + len(self.missed))

    @property
    def precision(self) -> float:
        """Share of the times it spoke that it helped; 1 when it never spoke."""
        spoke = len(self.helped) + len(self.wrong) + len(self.noise)
        return len(self.helped) / spoke if spoke else 1.0

    @property
    def silence(self) -> float:
        """Share of the prompts without an answer at which it was silent."""
        return len(self.quiet) / (len(self.quiet) + len(self.noise))


@cache
def load(half: Half) -> HookSet:
    """Make one half; the same every time. `held` is opened once, at the end: see README.md."""
    history = search.load(half).sessions
    ids = {s.name: s.id for s in history}
    data = read(HERE / f"{half}.toml")
    maker, prompts = Maker(f"hooks/{half}"), []
    for family in data["family"]:
        for made, variant in maker.family(family):
            prompts += [Prompt(kind, made.project, text, made.id) for kind, text in variant["prompts"]]
    for p in data["prompt"]:
        prompts.append(Prompt(p["kind"], f"/home/ada/work/{p['project']}", p["text"], ids[p["answer"]]))
    for p in data["quiet"]:
        prompts.append(Prompt(p["kind"], f"/home/ada/work/{p['project']}", p["text"], None))
    return HookSet((*history, *maker.sessions), tuple(prompts))


def judge(hook: Callable[[Prompt], Sequence[str]], prompts: Sequence[Prompt]) -> Score:
    """Put every prompt to `hook`, which returns the ids of the sessions it tells the agent about, none when silent."""
    score = Score()
    for p in prompts:
        told = hook(p)
        if p.answer is None:
            if told:
                score.noise.append((p, told))
            else:
                score.quiet.append(p)
        elif not told:
            score.missed.append(p)
        elif p.answer in told:
            score.helped.append(p)
        else:
            score.wrong.append((p, told))
    return score
