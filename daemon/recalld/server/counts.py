"""How many records and sessions there are, by agent, without counting them for every answer.

Every session's document says how many records it has, so a snapshot's counts are a sum over sessions: half a millisecond
for 5,000 of them, where counting 62,000 records takes three. It is made in a thread, where Tantivy holds no interpreter
lock; until that is done the counts before stand. They are not moved by what a commit changed: the state that is read may
be ahead of the commit that was told, and its difference would be taken once too little, for good.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from recall.errors import IndexFailure
from recalld import logs
from recalld.index.reader import Snapshot
from recalld.search.boundary import guarded

Counted = dict[str, tuple[int, int]]
"""(records, sessions) by agent."""


class Counts:
    """Follows the snapshots of one index; `agents` are all that there are. `on_counted` is called with every new count."""

    def __init__(self, agents: Iterable[str], on_counted: Callable[[], None] = lambda: None) -> None:
        self._agents = tuple(agents)
        self._on_counted = on_counted
        self.by_agent: Counted = {}
        self.known = asyncio.Event()
        """They have been counted once."""
        self._task: asyncio.Task[None] | None = None
        self._next: Snapshot | None = None

    @property
    def records(self) -> int:
        return sum(records for records, _ in self.by_agent.values())

    @property
    def sessions(self) -> int:
        return sum(sessions for _, sessions in self.by_agent.values())

    def moved(self, snapshot: Snapshot) -> None:
        """Take in a new snapshot."""
        self._next = snapshot
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._count())

    async def settled(self) -> None:
        """Return when the counts are those of the newest snapshot."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _count(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._next is not None:
                snapshot, self._next = self._next, None
                try:
                    self.by_agent = await loop.run_in_executor(None, guarded(count), snapshot, self._agents)
                except (IndexFailure, ValueError, OSError) as error:  # a damaged index: the counts before stand
                    logs.error("count_failed", error=logs.where(error))
                self.known.set()
                self._on_counted()
        finally:
            self._task = None


def count(snapshot: Snapshot, agents: tuple[str, ...]) -> Counted:
    """Return the counts of a snapshot."""
    asked = {"records": {"sum": {"field": "size"}}, "sessions": {"value_count": {"field": "size"}}}
    counted: Counted = {}
    for agent in agents:
        sessions = snapshot.all_of(snapshot.term("type", "s"), snapshot.term("agent", agent))
        found = snapshot.searcher.aggregate(sessions, asked)
        counted[agent] = int(found["records"]["value"]), int(found["sessions"]["value"])
    return counted
