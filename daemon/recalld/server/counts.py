"""How many records and sessions there are, by agent, without counting them for every answer.

Counting 250,000 records takes 3 ms, an answer a tenth of that, and while an agent works there is a commit before nearly
every answer. So a commit that names a few changed sessions moves the counts by their difference, and any other is
counted anew in a thread, where Tantivy holds no interpreter lock; until that is done the counts before stand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from recall.errors import IndexFailure
from recalld import logs
from recalld.index.documents import split_session_key
from recalld.index.reader import Snapshot
from recalld.search.boundary import guarded

FEW = 50
"""Changed sessions whose difference is taken at once, at about 0.03 ms each; it happens between two answers."""

Counted = dict[str, tuple[int, int]]
"""(records, sessions) by agent."""


class Counts:
    """Follows the snapshots of one index; `agents` are all that there are."""

    def __init__(self, agents: Iterable[str]) -> None:
        self._agents = tuple(agents)
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

    def moved(self, before: Snapshot | None, after: Snapshot, changed: list[str] | None) -> None:
        """Take in a new snapshot; `changed` are the keys of the sessions that differ from `before`, None: any."""
        if before is not None and changed is not None and len(changed) <= FEW and self._task is None:
            for skey in set(changed):
                self._differ(before, after, skey)
            return
        self._next = after
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._count())

    async def settled(self) -> None:
        """Return when the counts are those of the newest snapshot."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def _differ(self, before: Snapshot, after: Snapshot, skey: str) -> None:
        agent, _ = split_session_key(skey)
        old, new = before.session(skey), after.session(skey)
        records, sessions = self.by_agent.get(agent, (0, 0))
        records += (new.records if new else 0) - (old.records if old else 0)
        sessions += (new is not None) - (old is not None)
        self.by_agent[agent] = records, sessions

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
        finally:
            self._task = None


def count(snapshot: Snapshot, agents: tuple[str, ...]) -> Counted:
    """Return the counts of a snapshot."""
    return {
        agent: (
            snapshot.count(snapshot.all_of(snapshot.term("type", "r"), snapshot.term("agent", agent))),
            snapshot.count(snapshot.all_of(snapshot.term("type", "s"), snapshot.term("agent", agent))),
        )
        for agent in agents
    }
