"""What the watcher needs of a system's file events. `inotify` and `observer` implement it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from recall.errors import RecallError

Changed = Callable[[str | None, bool], None]
"""Called with a path that changed and whether it is a directory; with None when events were lost. Called from the
backend's thread; it must not block for long."""

Lost = Callable[[str, str | None], None]
"""Called with a watched base that can no longer be watched: why, or None where it was removed or moved."""


class WatchLimit(RecallError):
    """The system refuses more watches."""

    code = "watch_limit"


class Backend(Protocol):
    """Directories under watch. A base is a directory that was asked for; everything found below it is the backend's."""

    waits: bool
    """Whether watching a parent for a child to appear costs nothing while nothing happens in it."""

    def watch(self, base: str, *, recursive: bool) -> bool:
        """Watch a directory, its whole tree where `recursive`; return False where there is no such directory. Watching
        one again does nothing. Raise WatchLimit."""
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
