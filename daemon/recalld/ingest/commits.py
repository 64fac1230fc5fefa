"""When what has been read is written and committed, and telling of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from recalld import logs
from recalld.ingest.batch import Batch

FIRST_COMMIT_S = 0.1
"""The first commit of a build comes this soon, so that something can be found at once."""

COMMIT_S = 2.0
"""Later ones come when the batch is full, or after this time."""

BUILD_COMMIT_S, BUILD_COMMIT_BYTES = 5.0, 24 * 2**20
"""While everything on disk is read and no session goes on, they come after this time, or after so many characters of
text: every commit begins a segment, and many small segments are merged at once. It is also what a crash costs."""

READ_ON = 1.5
"""While a commit is being made, reading goes on until the batch holds so many times what makes it full: whoever writes
to the index meanwhile waits."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: the sessions that it changed, characters of text in it, when it was begun (monotonic)."""

    changed: list[str]
    text: int
    started: float
    everything: bool
    """Any session may have changed."""


class Commits:
    """The commits of one batch's index. `landed` is told of each once it is lasting and visible."""

    def __init__(self, batch: Batch, batch_bytes: int, landed: Callable[[Commit], None]) -> None:
        self._batch = batch
        self._landed = landed
        self.batch_bytes = batch_bytes
        """Characters of text that make a batch full."""
        self.since: float | None = None
        """When the first of what waits to be committed was read; None where nothing waits."""
        self.last: int | None = None
        """Epoch ms of the last commit."""
        self.urgent = False
        """Something that a hint named has been read since the last commit was begun."""
        self._flying: Commit | None = None
        self._written: list[str] = []
        self._written_text = 0
        """Sessions and characters that were written since the last commit was begun."""
        self._ended = self._took = 0.0
        """When the last commit ended, and how long it took."""

    def touch(self) -> None:
        """Note that there is something to commit."""
        if self.since is None:
            self.since = time.monotonic()

    def breath(self) -> float:
        """Return the seconds until the next commit is due where lines keep coming: commits take at most half of the
        time, and what comes between two of them shares one. The first line after a pause does not wait."""
        if self.since is None:
            return 0.0
        return self._ended + self._took - time.monotonic()

    def go_on(self, *, complete: bool, urgent_done: bool) -> None:
        """Write or commit what has been read, if it is time. `complete`: everything on disk has been read once;
        `urgent_done`: of what hints have named nothing is left to read, but there is more."""
        if self.since is None:
            return
        text, waited = self._batch.text_bytes, time.monotonic() - self.since
        if complete:
            full = text >= self.batch_bytes
            if full or waited >= COMMIT_S or (urgent_done and self.breath() <= 0):
                self.commit()
            return
        if self.last is None and self._flying is None:
            longest = FIRST_COMMIT_S
        else:
            longest = COMMIT_S if self.urgent else BUILD_COMMIT_S
        full = text >= self.batch_bytes * (1 if self._batch.writer.settled else READ_ON)
        if waited >= longest or (full and (self.urgent or self._written_text >= BUILD_COMMIT_BYTES)):
            self.commit(wait=False)
        elif full:
            self.land()
            self._write()
            self._batch.writer.hold()

    def commit(self, *, everything: bool = False, wait: bool = True) -> None:
        """Write what has gathered, make it lasting and visible, and tell of it; with `everything`, that any session may
        have changed. Without `wait` the next lines are read while the commit is being made."""
        self.land()
        if self.since is None:
            return
        started = time.monotonic()
        self._write()
        self._batch.writer.commit(wait=wait)
        self._flying = Commit(list(dict.fromkeys(self._written)), self._written_text, started, everything)
        self._written, self._written_text, self.urgent, self.since = [], 0, False, None
        if wait:
            self.land()

    def _write(self) -> None:
        self._written_text += self._batch.text_bytes
        self._written += self._batch.flush()

    def look(self) -> None:
        """Tell of the commit that is being made if it has ended."""
        if self._flying is not None and self._batch.writer.settled:
            self.land()

    def land(self) -> None:
        """Wait for the commit that is being made, if there is one, and tell of it."""
        if self._flying is None:
            return
        flown, self._flying = self._flying, None
        self._batch.writer.settle()
        self.last = int(time.time() * 1000)
        self._ended = time.monotonic()
        self._took = self._ended - flown.started
        logs.info("commit", sessions=len(flown.changed), text=flown.text, ms=self._took * 1000)
        self._landed(flown)
