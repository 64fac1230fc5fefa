"""The known-item set: made-up history, what people type to find one session of it again, and which one that is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from quality.families import MadeSession, Maker, read, write

HERE = Path(__file__).resolve().parent
Half = Literal["dev", "held"]
BACKGROUND = 70
"""Sessions a half that answer nothing."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is typed, of what kind it is, and the id of the session that is meant; None: there is no answer."""

    kind: str
    text: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class SearchSet:
    """One half."""

    sessions: tuple[MadeSession, ...]
    queries: tuple[Query, ...]

    def write(self, root: Path) -> None:
        """Write the transcripts below `root`, into what CLAUDE_CONFIG_DIR, CODEX_HOME and QWEN_HOME would name there:
        `claude/`, `codex/`, `qwen/`."""
        write(root, self.sessions)


@dataclass(slots=True)
class Score:
    """How a search did."""

    ranks: list[tuple[Query, int | None]] = field(default_factory=list)
    """For each query with an answer, its place among the sessions found, from 1; None: not found."""
    invented: list[Query] = field(default_factory=list)
    """Queries without an answer that got one all the same."""
    absent: int = 0

    def hit(self, k: int) -> float:
        """Return the share of the queries whose session is among the first `k`."""
        return sum(r is not None and r <= k for _, r in self.ranks) / len(self.ranks)

    @property
    def mrr(self) -> float:
        """Return the mean reciprocal rank."""
        return sum(1 / r for _, r in self.ranks if r) / len(self.ranks)

    def by_kind(self) -> dict[str, float]:
        """Return hit@1 of each kind of query."""
        kinds = {q.kind for q, _ in self.ranks}
        return {k: _mean([r == 1 for q, r in self.ranks if q.kind == k]) for k in sorted(kinds)}


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)


@cache
def load(half: Half) -> SearchSet:
    """Make one half; the same every time. `held` is opened once, at the end: see README.md."""
    data = read(HERE / f"{half}.toml")
    maker = Maker(f"search/{half}")
    queries = []
    for family in data["family"]:
        for made, variant in maker.family(family):
            queries += [Query(kind, text, made.id) for kind, text in variant["queries"]]
    said = " ".join(q.text for q in queries if q.kind in ("paraphrase", "person"))
    maker.background(BACKGROUND, sorted(set(re.findall(r"[a-z]{5,}", said))))
    queries += [Query(a["kind"], a["text"], None) for a in data["absent"]]
    return SearchSet(tuple(maker.sessions), tuple(queries))


def judge(search: Callable[[str], tuple[Sequence[str], str | None]], queries: Sequence[Query]) -> Score:
    """Ask every query. `search` returns the ids of the sessions found, best first, and the tier of the answer.

    A query without an answer is failed by any hit when it is nonsense, and by a hit in the tiers `exact` or `forms`
    when it names something absent: `close` and `related` may say what comes near.
    """
    score = Score()
    for q in queries:
        found, tier = search(q.text)
        if q.answer is not None:
            score.ranks.append((q, found.index(q.answer) + 1 if q.answer in found else None))
            continue
        score.absent += 1
        if found and (q.kind == "nonsense" or tier in ("exact", "forms")):
            score.invented.append(q)
    return score
