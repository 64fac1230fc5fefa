"""What the watcher needs of a system's file events. `inotify` and `observer` implement it."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Protocol

from recall.errors import RecallError

Changed = Callable[[str | None, bool], None]
"""Called with a path that changed and whether it is a directory; with None when events were lost. Called from the
backend's thread; it must not block for long."""

Lost = Callable[[str, "WatchLimit | None"], None]
"""Called with a watched base that is watched no more: why, or None where it was removed or moved."""


class WatchLimit(RecallError):
    """The system refuses more watches. `remedy` says what a person can do."""

    code = "watch_limit"

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class Depth(IntEnum):
    """How much of a directory is watched; more includes less."""

    ENTRIES = 0
    """What comes and goes directly in it."""
    FILES = 1
    """Its own files' changes, too."""
    TREE = 2
    """Everything below it."""


class Backend(Protocol):
    """Directories under watch. A base is a directory that was asked for; everything found below it is the backend's."""

    waits: bool
    """Whether watching a parent for a child to appear costs nothing while nothing happens in it."""

    def watch(self, base: str, depth: Depth) -> bool:
        """Watch a directory, or more of one that is watched already; return False where there is none. Raise
        WatchLimit."""
        ...

    def unwatch(self, base: str) -> None:
        """Stop watching a base."""
        ...

    def alive(self) -> bool:
        """Return whether events still arrive."""
        ...

    def stop(self) -> None:
        """Stop watching, and wait for the threads to end."""
        ...
