"""Works out what common questions need while nothing is asked: after a start, and when many sessions have changed."""

from __future__ import annotations

import asyncio

from recall.errors import IndexFailure
from recalld import logs
from recalld.index.reader import Snapshot
from recalld.search import warming

_QUIET = 0.05
"""Seconds without a question before it goes on. A step takes up to some milliseconds, of which half a millisecond holds
the interpreter lock."""


class Warmer:
    """Follows the snapshots of an index."""

    def __init__(self) -> None:
        self._warmed: Snapshot | None = None
        self._next: Snapshot | None = None
        self._task: asyncio.Task[None] | None = None
        self._asked = 0.0

    def asked(self) -> None:
        """Note that a question is being answered."""
        self._asked = asyncio.get_running_loop().time()

    def moved(self, snapshot: Snapshot) -> None:
        """Take in a snapshot of an index that is complete: one that still fills changes faster than it can be followed."""
        if snapshot is self._warmed or not warming.is_due(snapshot, self._warmed):
            return
        self._next = snapshot
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def settled(self) -> None:
        """Return when there is nothing left to work out."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._next is not None:
                self._warmed, self._next = self._next, None
                steps = warming.warm(self._warmed)
                try:
                    while await loop.run_in_executor(None, warming.step, steps):
                        while (rest := self._asked + _QUIET - loop.time()) > 0:
                            await asyncio.sleep(rest)
                except (IndexFailure, ValueError, OSError) as error:  # a damaged index: a question will say so
                    logs.error("warming_failed", error=logs.where(error))
        finally:
            self._task = None
