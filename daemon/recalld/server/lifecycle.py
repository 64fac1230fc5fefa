"""From the lock to the last reply: start, reload, stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path

from recall import __version__
from recall.errors import RecallError, Refused
from recall.hooks.write import refresh_launcher
from recall.places import Places
from recalld import logs
from recalld.config import load
from recalld.lock import DataLock
from recalld.server.indexer import COMMAND
from recalld.server.listen import Listener, listener
from recalld.server.methods import METHODS
from recalld.server.notify import Notifier
from recalld.server.process import raise_descriptor_limit
from recalld.server.server import Server
from recalld.server.service import Service

TOUCH_INTERVAL = 3600.0
"""Seconds between two renewals of the socket's times; cleaners of temporary directories take what is days old."""
GUARD_INTERVAL = 10.0
"""Seconds between two looks at lock and socket, two stats each; a client waits longer for a daemon with the lock."""
SWITCH_INTERVAL = 0.001
"""Seconds after which a thread that computes lets the event loop in; Python's 0.005 would be seen in searches."""


def serve(places: Places, env: MutableMapping[str, str] = os.environ, *, command: Sequence[str] = COMMAND) -> None:
    """Run the daemon until SIGTERM or SIGINT; `command` starts the indexer.

    Raise AlreadyRunning where one runs for this data directory, ConfigError where configuration or places are unfit.
    """
    os.umask(0o077)
    sys.setswitchinterval(SWITCH_INTERVAL)
    raise_descriptor_limit()
    notifier = Notifier(env)
    config = load(places.config, Path(env.get("HOME") or Path.home()))
    lock = DataLock.acquire(places)
    try:
        listening = listener(places, env)
        lock.write(os.fsdecode(listening.path))
        logs.info("listening", socket=listening.path, activated=not listening.ours, version=__version__)
        _refresh_launcher(places)
        for warning in config.warnings:
            logs.warning("config", line=warning.line, message=logs.told(warning.message))
        try:
            service = Service(places, config, env, notifier, command=command)
            asyncio.run(_run(service, listening, lock))
        finally:
            listening.close()
    finally:
        lock.release()
    logs.info("stopped")


def _refresh_launcher(places: Places) -> None:
    """Agents go on calling the same file: what it holds must fit the interpreter and the version that run now."""
    try:
        refresh_launcher(places)
    except (OSError, Refused) as error:
        logs.error("launcher_not_written", error=logs.told(str(error)))


async def _run(service: Service, listening: Listener, lock: DataLock) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()

    def is_ours() -> bool:
        """Take the lock again where its file is gone; stop where another daemon has it now. Asked now and then, and
        before a new indexer is started: it dies of a data directory that was taken away, with the lock in it."""
        try:
            if lock.renew(service.places, os.fsdecode(listening.path)):
                logs.warning("lock_renewed", why="its file was taken away")
        except RecallError as error:
            logs.error("lock_lost", error=error.message)
            stopping.set()
            return False
        return True

    service.indexer.may_restart = is_ours
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    loop.add_signal_handler(signal.SIGHUP, service.reload)
    service.open_last()
    server = Server(service, METHODS)
    await server.start(listening.socket)
    service.indexer.start()
    service.notifier.ready()
    helpers = [
        loop.create_task(_touch(listening)),
        loop.create_task(_guard(is_ours, listening, server, service.places)),
    ]
    if service.notifier.watchdog_interval is not None:
        helpers.append(loop.create_task(_feed(service, service.notifier.watchdog_interval)))
    await stopping.wait()
    logs.info("stopping", connections=len(server.connections))
    service.notifier.stopping()
    for helper in helpers:
        helper.cancel()
    await service.mcp.stop()
    await service.indexer.stop()
    await server.close()
    # What still comes is the same wish, and the loop's handlers end with the loop.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})


async def _touch(listening: Listener) -> None:
    while True:
        await asyncio.sleep(TOUCH_INTERVAL)
        if not listening.touch():
            logs.error("socket_gone", socket=listening.path)


async def _guard(is_ours: Callable[[], bool], listening: Listener, server: Server[Service], places: Places) -> None:
    """Bring back what somebody has taken away under us: the lock's file, the socket's."""
    while True:
        await asyncio.sleep(GUARD_INTERVAL)
        if not is_ours():
            return
        try:
            fresh = listening.renew(places)
        except RecallError as error:
            logs.error("socket_lost", error=error.message)
            continue
        if fresh is not None:
            await server.listen_again(fresh)
            logs.warning("socket_renewed", socket=listening.path)


async def _feed(service: Service, interval: float) -> None:
    """Feed the watchdog, but not while a hung indexer should have been killed and was not."""
    while True:
        if service.indexer.alive:
            service.notifier.alive()
        await asyncio.sleep(interval)
