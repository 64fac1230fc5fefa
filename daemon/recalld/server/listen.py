"""The listening socket: taken over from the service manager, or bound in a directory of our own."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import sys
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from recall.errors import ConfigError
from recall.places import Places
from recalld.lock import private_directory

Socket = socket.socket
BACKLOG = 128
_FIRST_FD = 3
"""SD_LISTEN_FDS_START: descriptors that a service manager passes begin here."""
LAUNCHD_NAME = "Listeners"
"""Key under `Sockets` in the launchd agent's property list."""


@dataclass(slots=True)
class Listener:
    """A listening socket and its place."""

    socket: socket.socket
    path: Path
    ours: bool
    """We bound it and remove it at the end; else it belongs to the service manager."""
    identity: tuple[int, int] | None
    """Device and inode of the socket's file as it was bound."""

    def renew(self, places: Places) -> Socket | None:
        """Where the socket's file was taken away (a runtime directory goes when its user logs out), bind another one
        and return it; the caller listens there and closes the one before. None where nothing is missing, or where the
        socket is the service manager's. Raise ConfigError where it cannot be."""
        if not self.ours or _identity(self.path) is not None:
            return None
        fresh = _bind(places)
        self.socket, self.path, self.identity = fresh.socket, fresh.path, fresh.identity
        return fresh.socket

    def touch(self) -> bool:
        """Renew the file's times, which keeps cleaners of temporary directories off; return whether it is there."""
        try:
            os.utime(self.path)
        except OSError:  # gone, with its directory perhaps
            return False
        return True

    def close(self) -> None:
        """Stop listening; remove the file if it is the one that we made."""
        self.socket.close()
        if self.ours and _identity(self.path) == self.identity:
            self.path.unlink(missing_ok=True)


def listener(places: Places, env: MutableMapping[str, str]) -> Listener:
    """Return the listening socket that the service manager passed, else one bound at `places.socket`.

    The caller holds the data lock: whatever socket lies there then has nobody behind it, and is replaced. Takes the
    activation variables out of `env`, so that no child believes them. Raise ConfigError where it cannot be.
    """
    passed = _activated(env)
    if passed is not None:
        name = passed.getsockname()
        path = Path(os.fsdecode(name))
        return Listener(passed, path, ours=False, identity=None)
    return _bind(places)


def _bind(places: Places) -> Listener:
    path = places.socket
    private_directory(places.runtime)
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise ConfigError(f"{path} is in the way and is not a socket: remove it")
        path.unlink()
    except FileNotFoundError:
        pass  # nothing was left behind
    except OSError as error:
        raise ConfigError(f"{path} is in the way and cannot be removed ({error.strerror})") from error
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bound.bind(str(path))
        path.chmod(0o600)  # the directory keeps everybody else out until then
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise ConfigError(f"cannot listen on {path} ({error.strerror}): set RECALLD_RUNTIME_DIR") from error
    return Listener(bound, path, ours=True, identity=_identity(path))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:  # gone, with its directory perhaps
        return None
    return found.st_dev, found.st_ino


def _activated(env: MutableMapping[str, str]) -> socket.socket | None:
    pid, count = env.pop("LISTEN_PID", ""), env.pop("LISTEN_FDS", "")
    env.pop("LISTEN_FDNAMES", None)
    if pid == str(os.getpid()) and count.isdecimal() and int(count) > 0:
        descriptors = list(range(_FIRST_FD, _FIRST_FD + int(count)))
    elif sys.platform == "darwin" and "XPC_SERVICE_NAME" in env:
        descriptors = _launchd_sockets()
    else:
        return None
    if not descriptors:
        return None
    if len(descriptors) > 1:
        raise ConfigError(f"the service manager passed {len(descriptors)} sockets: recalld takes one")
    os.set_inheritable(descriptors[0], False)
    passed = socket.socket(fileno=descriptors[0])
    listening = passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) if hasattr(socket, "SO_ACCEPTCONN") else 1
    if passed.family != socket.AF_UNIX or passed.type != socket.SOCK_STREAM or not listening:
        raise ConfigError("the service manager passed something other than a listening Unix stream socket")
    return passed


def _launchd_sockets() -> list[int]:
    """Return the descriptors that launchd holds for us; none where it did not start us with sockets.

    Written from the manual page; not yet tried on a Mac.
    """
    libc = ctypes.CDLL(None)
    fds = ctypes.POINTER(ctypes.c_int)()
    count = ctypes.c_size_t()
    status = libc.launch_activate_socket(LAUNCHD_NAME.encode(), ctypes.byref(fds), ctypes.byref(count))
    if status != 0:  # ESRCH: not started by launchd; ENOENT: no such socket in the property list
        return []
    found = [fds[i] for i in range(count.value)]
    libc.free(fds)
    return found
