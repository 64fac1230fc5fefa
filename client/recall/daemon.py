"""Is a daemon running, start one, stop it, reach it.

The lock in the data directory is looked at first: under socket activation every connect would succeed and start a
daemon, so only the lock tells whether one runs.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recall.client import ANSWER_TIMEOUT, Client
from recall.errors import AlreadyRunning, ConfigError, DaemonUnreachable, DataUnusable, RecallError
from recall.lock import LockInfo, read_lock, unusable
from recall.places import Places

if TYPE_CHECKING:
    import subprocess

START_TIMEOUT = 30.0
"""Seconds that a start may take: opening an index takes tenths, a cold disk some seconds."""

STOP_TIMEOUT = 15.0
"""Seconds that a stop may take; the daemon promises 5."""

LOG_LIMIT = 4 * 1024 * 1024
"""Bytes of `recalld.log` from which a start sets it aside as `recalld.log.1`."""

_GRACE = 2.0
"""Seconds in which a daemon that we did not start may take the lock before it counts as gone."""

LOCATION_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "QWEN_RUNTIME_DIR",
    "QWEN_HOME",
    "RECALLD_DATA_DIR",
    "RECALLD_RUNTIME_DIR",
    "RECALLD_CONFIG",
)
"""Every environment variable that says where something lies."""

_LOOK = 0.02
"""Seconds between two looks at a daemon that is starting or stopping."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Started:
    """How a daemon came to run."""

    how: Literal["running", "service", "background"]
    lock: LockInfo


def running(places: Places) -> LockInfo | None:
    """Return who holds the lock, or None. Never waits."""
    return read_lock(places)


def socket_path(places: Places) -> str:
    """Return the socket to connect to; raise DaemonUnreachable where no daemon holds the lock."""
    lock = read_lock(places)
    if lock is None:
        raise DaemonUnreachable("no recalld is running: start it with `recall start`")
    return lock.socket or str(places.socket)


def reach(places: Places, *, say: Say = lambda line: None, timeout: float = ANSWER_TIMEOUT) -> Client:
    """Return a client of the running daemon, starting one where none runs; `say` gets a line when that happens."""
    if read_lock(places) is None:
        start(places, say=say)
    return wait_for(places, None, timeout)


def start(places: Places, *, say: Say = lambda line: None) -> Started:
    """Start a daemon and wait until it listens; raise DaemonUnreachable where it does not come up.

    Through the service manager where the service is installed for these places, else as a background process that
    writes to `recalld.log` in the data directory.
    """
    _ = places.socket  # one that is too long is told here, before a daemon is started that could only tell its log
    if read_lock(places) is not None:
        return _started("running", places, None)
    from recall import service

    manager = service.manager(os.environ)
    if manager is not None and manager.serves(places, os.environ):
        try:
            manager.start()
        except RecallError as error:
            say(f"recall: the service did not start ({error.message}); starting recalld in the background")
        else:
            say("recall: starting recalld through its service")
            return _started("service", places, None)
    say("recall: starting recalld in the background")
    return _started("background", places, launch(places))


def stop(places: Places, *, say: Say = lambda line: None) -> bool:
    """Stop the daemon and wait until its lock is free; return whether there was anything to stop.

    The socket unit goes first: it would start the daemon again at the next connect. Raise RecallError where the
    daemon does not end.
    """
    from recall import service

    stopped = read_lock(places) is not None
    manager = service.manager(os.environ)
    if manager is not None and manager.serves(places, os.environ) and manager.active():
        manager.stop()
        stopped = True
        say(f"recall: stopped {manager.what}; `recall start` brings it back")
    told = 0
    end = time.monotonic() + STOP_TIMEOUT
    while (lock := read_lock(places)) is not None:
        if lock.pid > 0 and lock.pid != told:  # 0: it has just taken the lock and not yet written who it is
            _terminate(lock.pid)
            told = lock.pid
        if time.monotonic() > end:
            raise RecallError(f"recalld (pid {lock.pid}) did not end within {STOP_TIMEOUT:g} s: see `recall doctor`")
        time.sleep(_LOOK)
    return stopped


def _terminate(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass  # it ended between the look at its lock and the signal
    except PermissionError as error:
        raise RecallError(f"recalld (pid {pid}) belongs to another user: stop it as that user") from error


def command() -> list[str]:
    """Return the command that runs the daemon of this very installation."""
    beside = Path(sys.executable).with_name("recalld")
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "recalld"]


def log_path(places: Places) -> Path:
    """Return the file that a background daemon logs to."""
    return places.data / "recalld.log"


def last_line(path: Path) -> str:
    """Return the last line of a log that says anything, or ""."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def launch(places: Places, env: Mapping[str, str] = os.environ) -> subprocess.Popen[bytes]:
    """Start recalld in a session of its own, so that neither Ctrl-C nor a closed terminal ends it.

    It logs to `recalld.log`. Raise DaemonUnreachable where it cannot be run.
    """
    import subprocess  # here: most commands find a daemon and need none of it

    try:
        places.check_data()
        places.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        log = log_path(places)
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_name("recalld.log.1"))
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except ConfigError as error:
        raise DataUnusable(f"{error.message}; RECALLD_DATA_DIR says which") from error
    except OSError as error:
        raise unusable(places, error) from error
    try:
        return subprocess.Popen(
            command(),
            stdin=subprocess.DEVNULL,
            stdout=target,
            stderr=target,
            cwd="/",  # it must not hold on to a directory that someone wants to unmount
            env={**env, **_absolute_places(env)},
            start_new_session=True,
        )
    except OSError as error:
        raise DaemonUnreachable(f"recalld cannot be run: {error.strerror}; install recalld again") from error
    finally:
        os.close(target)


def _absolute_places(env: Mapping[str, str]) -> dict[str, str]:
    """The location variables that are relative, made absolute: the daemon has another working directory."""
    return {name: os.path.abspath(value) for name in LOCATION_VARIABLES if (value := env.get(name))}


def _started(
    how: Literal["running", "service", "background"], places: Places, process: subprocess.Popen[bytes] | None
) -> Started:
    with wait_for(places, process) as client:
        client.ping()  # a service manager's socket takes connections before the daemon is there
    lock = read_lock(places)  # now it says who holds it
    if lock is None:
        raise DaemonUnreachable(_why_it_died(places))
    return Started(how, lock)


def wait_for(places: Places, process: subprocess.Popen[bytes] | None, timeout: float = ANSWER_TIMEOUT) -> Client:
    """Connect, waiting while a daemon is coming up: `process`, which `launch` gave, or the one that holds the lock.

    Raise DaemonUnreachable with the last line of its log where it ends instead.
    """
    end = time.monotonic() + START_TIMEOUT
    while True:
        lock = read_lock(places)
        path = lock.socket if lock is not None and lock.socket else str(places.socket)
        try:
            if process is not None and lock is None:
                # Whoever may listen there has lost its data directory, and goes when the new one takes the lock.
                raise DaemonUnreachable(f"no daemon holds the lock in {places.data} yet")
            return Client(path, timeout)
        except DaemonUnreachable as error:
            if process is not None and process.poll() is not None:
                if process.returncode != AlreadyRunning.exit_status:  # else another start was faster: wait for that one
                    raise DaemonUnreachable(_why_it_died(places)) from error
                process = None
            if process is None and lock is None and time.monotonic() > end - START_TIMEOUT + _GRACE:
                raise DaemonUnreachable(_why_it_died(places)) from error
            if time.monotonic() > end:
                raise DaemonUnreachable(f"recalld did not answer within {START_TIMEOUT:g} s: see {log_path(places)}") from error
        time.sleep(_LOOK)


def _why_it_died(places: Places) -> str:
    log = log_path(places)
    said = last_line(log)
    return f"recalld ended at its start: {said} (log: {log})" if said else f"recalld ended at its start: see {log}"
