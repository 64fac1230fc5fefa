"""How far the index is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from recall.client import Client

if TYPE_CHECKING:
    from rich.progress import Task

    from recall.types import Status

_EVERY = 0.1
"""Seconds between two looks."""
_WORDS = 32
"""Cells of the words, of how much is read, and of the blanks beside the bar."""
_RATE = 20
"""Cells of rate and time left, which a narrow terminal goes without."""


def watch(client: Client, stream: TextIO, until: Callable[[], bool]) -> bool:
    """Show the index filling until it is complete or `until()` holds; return whether it is complete."""
    status = client.status()
    bar: _Bar | None = None
    try:
        while True:
            if status["complete"] or until():
                return status["complete"]
            if bar is None and stream.isatty() and status["pending_bytes"]:
                bar = _Bar(status)  # before that nobody knows how much there is
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
        from rich.progress import TransferSpeedColumn as Rate
        from rich.table import Column
        from rich.text import Text

        class Speed(Rate):
            def render(self, task: Task) -> Text:
                """Nothing before there is a rate, where rich shows a question mark."""
                return super().render(task) if task.finished_speed or task.speed else Text("")

        def whole() -> Column:
            return Column(no_wrap=True)

        console = Console(stderr=True)
        room = console.width - _WORDS
        columns = [BarColumn(min(40, room)), DownloadColumn(table_column=whole())] if room > 1 else []
        if room - _RATE > 1:
            columns[0] = BarColumn(min(40, room - _RATE))
            columns += [Speed(table_column=whole()), TimeRemainingColumn(table_column=whole())]
        words = TextColumn("reading sessions", table_column=whole())
        self._progress = Progress(words, *columns, console=console, transient=True)
        self._most = status["pending_bytes"]
        self._task = self._progress.add_task("", total=self._most)
        self._progress.start()

    def show(self, status: Status) -> None:
        self._most = max(self._most, status["pending_bytes"])
        self._progress.update(self._task, total=self._most, completed=self._most - status["pending_bytes"])

    def close(self) -> None:
        self._progress.stop()
