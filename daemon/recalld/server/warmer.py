"""Works out what common questions need while nothing is asked: after a start, and when many sessions have changed."""

from __future__ import annotations

import asyncio
import time
import weakref

from recall.errors import IndexFailure
from recalld import logs
from recalld.index.reader import Changes, Snapshot
from recalld.search import warming

_QUIET = 0.05
"""Seconds without a question before it goes on. A step takes up to some milliseconds, of which half a millisecond holds
the interpreter lock."""


class Warmer:
    """Follows the snapshots of an index, and holds none for longer than it works: one that is held keeps files on the disk
    that are no longer of the index, and what was forgotten in them."""

    def __init__(self) -> None:
        self._warmed: tuple[weakref.ref[Changes], int] | None = None
        """The last commit that was begun with."""
        self._next: Snapshot | None = None
        self._task: asyncio.Task[None] | None = None
        self._asked = 0.0

    def asked(self) -> None:
        """Note that a question is being answered, in whatever thread."""
        self._asked = time.monotonic()

    def moved(self, snapshot: Snapshot) -> None:
        """Take in a snapshot of an index that is complete: one that still fills changes faster than it can be followed."""
        changes, commit = (self._warmed[0](), self._warmed[1]) if self._warmed else (None, 0)
        if self._next is None and not warming.is_due(snapshot, changes, commit):
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
                self._warmed = weakref.ref(self._next.changes), self._next.commit
                steps = warming.warm(self._next)
                self._next = None
                try:
                    # A newer snapshot that is due ends the work on this one: what was done is kept, if it is of one index.
                    while self._next is None and await loop.run_in_executor(None, warming.step, steps):
                        while self._next is None and (rest := self._asked + _QUIET - time.monotonic()) > 0:
                            await asyncio.sleep(rest)
                except (IndexFailure, ValueError, OSError) as error:  # a damaged index: a question will say so
                    logs.error("warming_failed", error=logs.where(error))
                steps.close()
        finally:
            self._task = None
