"""Asking the daemon: with starting it (questions), or without (status, doctor)."""

from __future__ import annotations

import sys
import time
from typing import Any

from recall.client import Client
from recall.places import places

FIRST_WAIT = 5.0
"""Seconds that the first question waits for a new index, at most. Newest sessions come first, so that what is asked
for soon after a session is there before the rest; the answer says when the index is still filling."""


def ask(method: str, params: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
    """Return the daemon's answer. Where none runs, start one, saying so on stderr, and give its index a moment."""
    with reach(look=method not in ("sync", "ping")) as client:
        return client.request(method, params, timeout)


def reach(look: bool = True) -> Client:
    """Return a client of the running daemon, or of one started now; with `look`, one whose index had a moment."""
    from recall import daemon
    from recall.cli.output import warn

    where = places()
    if daemon.running(where) is not None:
        return daemon.reach(where)
    client = daemon.reach(where, say=warn)
    if not look:
        return client
    try:
        _first_look(client)
    except BaseException:
        client.close()
        raise
    return client


def ask_running(method: str, params: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
    """Return the running daemon's answer; raise DaemonUnreachable at once where none runs. Starts nothing."""
    from recall import daemon

    with Client(daemon.socket_path(places())) as client:
        return client.request(method, params, timeout)


def _first_look(client: Client) -> None:
    """Wait for the first build of an index that a question started, for FIRST_WAIT seconds at most.

    An index that has records already answers at once, from what it held when the last daemon ended.
    """
    from recall.cli.progress import watch

    if client.status()["records"]:
        return
    end = time.monotonic() + FIRST_WAIT
    watch(client, sys.stderr, until=lambda: time.monotonic() > end)
