"""The daemon's lock, as others see it: is one running, which, and where does it listen.

The lock is an exclusive `flock` on `recalld.lock` in the data directory; the system lifts it when its holder dies,
however it dies. The file's text says who holds it and means nothing while nobody does. Light: hooks read it.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path

from recall.errors import DataUnusable
from recall.places import Places


@dataclass(frozen=True, slots=True)
class LockInfo:
    """Who holds the lock."""

    pid: int
    """0 in the instant between a daemon's taking the lock and writing its name into it."""
    version: str
    socket: str
    """Path of the socket that it listens on."""


def read_lock(places: Places) -> LockInfo | None:
    """Return who holds the lock of this data directory, or None where nobody does. Never waits, never creates.

    Raise DataUnusable where it cannot be looked at: the directory is another user's.
    """
    try:
        return read_lock_file(places.lock)
    except OSError as error:
        raise unusable(places, error) from error


def unusable(places: Places, error: OSError) -> DataUnusable:
    """Return the error for a data directory that the system keeps from us."""
    return DataUnusable(f"the data directory {places.data} cannot be used: {error.strerror}; set RECALLD_DATA_DIR")


def read_lock_file(path: Path) -> LockInfo | None:
    """As `read_lock`, for one lock file. Raise OSError where the file is there and cannot be opened."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if not held_exclusively(fd):
            return None
        return parse(os.pread(fd, 4096, 0))
    finally:
        os.close(fd)


def held_exclusively(fd: int) -> bool:
    """Tell whether another process holds the exclusive lock of an open lock file.

    A shared lock is taken for the moment of the look: others who look do not stand in each other's way, and a
    starting daemon tells a look from a holder the same way.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def parse(text: bytes) -> LockInfo:
    """Return what a lock file says; pid 0 and empty texts where it says nothing yet."""
    try:
        said = json.loads(text or b"{}")
        return LockInfo(int(said["pid"]), str(said["version"]), str(said["socket"]))
    except (ValueError, KeyError, TypeError):
        return LockInfo(0, "", "")
