"""macOS, and wherever there is no inotify: watchdog's own observer (FSEvents).

It tells of no lost events and watches only what exists; the watcher looks after both by stat, twice a minute.
"""

from __future__ import annotations

import os

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from recalld.watch.backend import Changed, Depth, Lost, WatchLimit

READS = frozenset({"opened", "closed_no_write"})
"""Events that our own reading raises."""


class ObservedTrees:
    """A `Backend`."""

    waits = False

    def __init__(self, changed: Changed, lost: Lost) -> None:
        self._lost = lost
        self._changed = changed
        self._watches: dict[str, ObservedWatch] = {}
        self._observer = Observer()
        self._observer.start()

    def watch(self, base: str, depth: Depth) -> bool:
        if base in self._watches:
            return True
        if not os.path.isdir(base):
            return False
        try:
            real = os.path.realpath(base)  # FSEvents tells of real paths, whatever was asked for
            handler = _Handler(self._changed, real, base)
            self._watches[base] = self._observer.schedule(handler, real, recursive=depth is Depth.TREE)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise WatchLimit(f"the system refuses to watch {base}: {error.strerror}") from error
        return True

    def unwatch(self, base: str) -> None:
        watch = self._watches.pop(base, None)
        if watch is not None:
            self._observer.unschedule(watch)

    def alive(self) -> bool:
        return self._observer.is_alive()

    def stop(self) -> None:
        self._observer.stop()
        self._observer.join()


class _Handler(FileSystemEventHandler):
    """Turns real paths into those below the base's own name."""

    def __init__(self, changed: Changed, real: str, base: str) -> None:
        self._changed = changed
        self._real = real
        self._base = base

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in READS:
            return
        if event.is_directory and event.event_type == "modified":
            return  # an entry of it changed, which has an event of its own
        for path in (event.src_path, event.dest_path):
            name = os.fsdecode(path)
            if name == self._real or name.startswith(self._real + "/"):
                self._changed(self._base + name[len(self._real) :], event.is_directory)
