"""One daemon a data directory: the lock, and the directories that only their owner may enter."""

from __future__ import annotations

import fcntl
import json
import os
import random
import time
from pathlib import Path

from recall import __version__
from recall.errors import AlreadyRunning, ConfigError
from recall.lock import LockInfo, held_exclusively, parse
from recall.places import Places, check_private
from recalld import logs

_PATIENCE = 2.0
"""Seconds for which clients that merely look at the lock (microseconds each) may keep it from us."""


class DataLock:
    """The exclusive lock on a data directory, held for the life of the process. Children do not inherit it."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd = fd
        self.path = path
        self._said = True
        """Who holds it stands in a file that was taken again; that could not be written while the disk was full."""

    @classmethod
    def acquire(cls, places: Places) -> DataLock:
        """Take the lock, making the data directory where needed; raise AlreadyRunning where a daemon holds it."""
        private_directory(places.data)
        try:
            fd = os.open(places.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"cannot open {places.lock} ({error.strerror}): remove it or choose another place") from error
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if held_exclusively(fd) or time.monotonic() > end:
                    holder = parse(os.pread(fd, 4096, 0))
                    os.close(fd)
                    raise AlreadyRunning(_running(holder, places.data)) from None
                time.sleep(random.uniform(0.0005, 0.003))  # somebody looks; two who start must not look in step
                continue
            os.ftruncate(fd, 0)  # the last holder's name must not stand for ours
            os.fchmod(fd, 0o600)
            return cls(fd, places.lock)

    def renew(self, places: Places, socket: str) -> bool:
        """Where the lock's file has been taken away under us, take the lock again; return whether that was so.

        Raise AlreadyRunning where another daemon was quicker, ConfigError where the data directory cannot be made.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            found = None  # gone, with its directory perhaps
        mine = os.fstat(self._fd)
        if found is not None and (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino):
            if not self._said:
                self._say(socket)
            return False
        fresh = DataLock.acquire(places)
        os.close(self._fd)
        self._fd = fresh._fd
        self._say(socket)
        return True

    def _say(self, socket: str) -> None:
        try:
            self.write(socket)
            self._said = True
        except OSError as error:  # a full disk: it is held all the same, and the next look tries again
            logs.error("lock_not_written", error=error.strerror)
            self._said = False

    def write(self, socket: str) -> None:
        """Say who holds the lock and which socket it listens on."""
        text = json.dumps({"pid": os.getpid(), "version": __version__, "socket": socket}).encode() + b"\n"
        os.pwrite(self._fd, text, 0)
        os.ftruncate(self._fd, len(text))

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two daemons lock two files of one name."""
        os.ftruncate(self._fd, 0)
        os.close(self._fd)


def _running(holder: LockInfo, data: Path) -> str:
    who = f"pid {holder.pid}, version {holder.version}" if holder.pid else "it is just starting"
    return f"a recalld is already running for {data} ({who}): use it, or end it with `recall stop`"


def private_directory(path: Path) -> None:
    """Make `path`, and what is missing above it, with mode 0700; tighten it where it is ours and looser.

    Raise ConfigError where it is no directory, is somebody else's, or is shared by design (sticky, like /tmp).
    """
    try:
        _make(path)
        check_private(path)
    except OSError as error:
        raise ConfigError(f"cannot make the directory {path} ({error.strerror}): choose another place") from error
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)


def _make(path: Path) -> None:
    missing: list[Path] = []
    while not path.exists() and not path.is_symlink():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)
