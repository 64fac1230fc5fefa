"""How far the index is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from recall.client import Client

if TYPE_CHECKING:
    from recall.types import Status

_EVERY = 0.1
"""Seconds between two looks."""


def watch(client: Client, stream: TextIO, until: Callable[[], bool]) -> bool:
    """Show the index filling until it is complete or `until()` holds; return whether it is complete."""
    status = client.status()
    bar = _Bar(status) if stream.isatty() and not status["complete"] else None
    try:
        while True:
            if status["complete"] or until():
                return status["complete"]
            if bar is not None:
                bar.show(status)
            time.sleep(_EVERY)
            status = client.status()
    finally:
        if bar is not None:
            bar.close()


class _Bar:
    """A bar with rate and time left. Bytes that are still to be read can grow while it runs: agents are at work."""

    def __init__(self, status: Status) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as Speed

        self._progress = Progress(
            TextColumn("reading sessions"),
            BarColumn(),
            DownloadColumn(),
            Speed(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._most = max(status["pending_bytes"], 1)
        self._task = self._progress.add_task("", total=self._most)
        self._progress.start()

    def show(self, status: Status) -> None:
        self._most = max(self._most, status["pending_bytes"])
        self._progress.update(self._task, total=self._most, completed=self._most - status["pending_bytes"])

    def close(self) -> None:
        self._progress.stop()
