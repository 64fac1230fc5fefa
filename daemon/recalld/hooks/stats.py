"""What hooks did since the daemon started: how long they took, how often they spoke. Kept in memory only."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

KEPT = 2000
"""Durations remembered of one event."""


@dataclass(slots=True)
class Counts:
    """One event of one agent."""

    answers: int = 0
    silences: int = 0
    failures: int = 0
    """Times that the time limit or a fault of ours made it silent; they count as silences too."""
    ms: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))


class Stats:
    """Counts by agent and event."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Counts] = {}

    def add(self, agent: str, event: str, *, ms: float, answered: bool, failed: bool = False) -> None:
        """Count one call that took `ms` milliseconds in the daemon."""
        counts = self._counts.setdefault((agent, event), Counts())
        counts.answers += answered
        counts.silences += not answered
        counts.failures += failed
        counts.ms.append(ms)

    def summary(self) -> dict[str, Any]:
        """Return the `hooks` part of the `status` answer: by agent, by event."""
        found: dict[str, Any] = {}
        for (agent, event), counts in sorted(self._counts.items()):
            ms = sorted(counts.ms)
            found.setdefault(agent, {})[event] = {
                "answers": counts.answers,
                "silences": counts.silences,
                "failures": counts.failures,
                "p50_ms": round(ms[len(ms) // 2], 2),
                "p99_ms": round(ms[min(len(ms) - 1, len(ms) * 99 // 100)], 2),
            }
        return found
