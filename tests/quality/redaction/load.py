"""Reads the judged set for redaction and says how a redactor did on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import orjson

HERE = Path(__file__).resolve().parent
Half = Literal["dev", "opened", "trial", "final", "last", "fresh"]


@dataclass(frozen=True, slots=True)
class Item:
    """One text to redact. `secrets` must not survive in it, `must_survive` must; an innocent text stays as it is."""

    kind: str
    text: str
    secrets: tuple[str, ...] = ()
    must_survive: tuple[str, ...] = ()


@dataclass(slots=True)
class Score:
    """What a redactor did: how many secrets went, which stayed, which innocent texts and words it hurt."""

    secrets: int = 0
    innocents: int = 0
    leaked: list[tuple[Item, str]] = field(default_factory=list)
    """(item, what the redactor made of it)"""
    alarms: list[tuple[Item, str]] = field(default_factory=list)
    lost_words: list[tuple[Item, str]] = field(default_factory=list)
    """Secrets that went, and took words around them along: reported apart, neither a leak nor a false alarm."""

    @property
    def recall(self) -> float:
        """Share of the items with secrets of which nothing stayed."""
        return 1 - len(self.leaked) / self.secrets

    @property
    def false_alarms(self) -> float:
        """Share of the innocent texts that were changed."""
        return len(self.alarms) / self.innocents


def items(half: Half) -> Iterator[Item]:
    """Yield the items of the set of that name. See README.md for which may be looked at."""
    with (HERE / f"{half}.jsonl").open("rb") as lines:
        for line in lines:
            x = orjson.loads(line)
            text, values = x["text"], tuple(v[::-1] for v in x.get("hidden", ()))
            for i, value in enumerate(values):
                text = text.replace(f"\ue000{i}\ue001", value)
            yield Item(x["kind"], text, values, tuple(x.get("must_survive", ())))


def survives(secret: str, redacted: str) -> bool:
    """Tell whether `secret` can still be used or guessed from `redacted`: all of it is there, or, of a secret of 12
    characters and more, a run of half of it (a prefix that names the vendor may stay)."""
    if len(secret) < 12:
        return secret in redacted
    run = max(8, len(secret) // 2)
    return any(secret[i : i + run] in redacted for i in range(len(secret) - run + 1))


def judge(redact: Callable[[str], str], over: Iterable[Item]) -> Score:
    """Run `redact` over the items and count."""
    score = Score()
    for item in over:
        out = redact(item.text)
        if not item.secrets:
            score.innocents += 1
            if out != item.text:
                score.alarms.append((item, out))
            continue
        score.secrets += 1
        if any(survives(s, out) for s in item.secrets):
            score.leaked.append((item, out))
        elif not all(word in out for word in item.must_survive):
            score.lost_words.append((item, out))
    return score
