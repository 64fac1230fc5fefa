"""The watcher: hints that something changed, and where.

It promises less than it gives: a hint may be missing (a full queue, a network file system), late, or about nothing. The
scan is the truth; a hint only says that now is a good time for one. So the watcher falls back without ceremony: a
directory that cannot be watched is scanned, stats only, at an interval that follows its activity; and whatever happens,
every `SAFETY` seconds there is a hint to scan everything.

    events   created, modified, moved, deleted, of the agents' files and of directories; where the place does not exist
             yet, its nearest parent is watched until it does
    scan     size, mtime, inode of every file, every 1 to 10 s

Threads: the backend's, which sleeps until the system has events, and one here, which sleeps until there is something to
tell or a time has come. With everything in `events` mode that is once in `SAFETY` seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recalld.sources.base import Source
from recalld.tail.found import Stat
from recalld.watch.backend import Backend, Changed, Depth, Lost, WatchLimit
from recalld.watch.mounts import why_not_events
from recalld.watch.scan import Place, classified, nothing, places, scan_place

SAFETY = 300.0
"""Seconds between hints to scan everything. A scan of 10,000 files takes a tenth of a second."""

PATROL = 30.0
"""Seconds between looks at the bases themselves where the backend does not tell of their coming and going."""

FASTEST, SLOWEST = 1.0, 10.0
"""Seconds between two scans of a place in scan mode: while changes come, and when none came for a while."""

GAP = 0.01
"""Seconds between two hints. The first of a burst goes out at once, the others are gathered."""

MANY = 4096
"""Paths in one hint beyond which a scan of everything is cheaper."""

Hint = Callable[[set[Path] | None], None]
"""Called with the files and directories to look at, or None: scan everything. From the watcher's thread."""

@dataclass(frozen=True, slots=True)
class Watched:
    """How one directory is watched, for people."""

    agent: str
    root: Path
    directory: Path
    mode: Literal["events", "scan"]
    reason: str | None
    """Why it is not `events`."""
    remedy: str | None
    """What a person can do about it."""
    exists: bool


@dataclass(slots=True)
class _Base:
    """A directory that a source names."""

    place: Place
    path: str
    mode: Literal["events", "scan", "waiting"] = "waiting"
    reason: str | None = None
    remedy: str | None = None
    parent: str | None = None
    """What is watched in its stead while it does not exist."""
    identity: tuple[int, int] | None = None
    snapshot: dict[str, Stat] | None = None
    interval: float = FASTEST
    next_scan: float = 0.0


def system_backend(changed: Changed, lost: Lost) -> Backend:
    """Return the backend of this system. Raise WatchLimit where it gives none."""
    # imported here: only the process that watches pays for watchdog
    if os.uname().sysname == "Linux":
        from recalld.watch.inotify import InotifyTrees

        return InotifyTrees(changed, lost)
    from recalld.watch.observer import ObservedTrees

    return ObservedTrees(changed, lost)


class Watcher:
    """Watch the agents' files below `roots` and call `on_hint`. A context manager.

    `excluded` is asked about paths, as in `scan`.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        roots: Mapping[str, Sequence[Path]],
        on_hint: Hint,
        *,
        excluded: Callable[[str], bool] = nothing,
        backend: Callable[[Changed, Lost], Backend] = system_backend,
        why_not: Callable[[Path], str | None] = why_not_events,
        safety: float = SAFETY,
        patrol: float = PATROL,
        fastest: float = FASTEST,
        slowest: float = SLOWEST,
    ) -> None:
        self._sources = sources
        self._roots = roots
        self._on_hint = on_hint
        self._excluded = excluded
        self._make_backend = backend
        self._why_not = why_not
        self._safety, self._patrol = safety, patrol
        self._fastest, self._slowest = fastest, slowest
        self._bases = [_Base(place, os.fspath(place.directory)) for place in places(sources, roots)]
        self._backend: Backend | None = None
        self._refused: WatchLimit | None = None
        self._wake = threading.Condition()
        # guarded by the condition, for the backend's thread writes them:
        self._pending: set[str] = set()
        self._everything = False
        self._broken: dict[str, WatchLimit | None] = {}
        self._appeared = False
        self._stopping = False
        self._waiting: frozenset[str] = frozenset()  # paths whose appearance matters
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def __enter__(self) -> Watcher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Return when all watches stand. What changes from then on is told."""
        self._open_backend()
        for base in self._bases:
            self._establish(base)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; no hint is given after it returns (unless it is called from one)."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        if self._backend is not None:
            self._backend.stop()

    def watched(self) -> list[Watched]:
        """Return how every place is watched now: each root's own files, and each tree below it."""
        return [
            Watched(
                agent=base.place.agent,
                root=base.place.root,
                directory=base.place.directory,
                mode="scan" if base.mode == "scan" else "events",
                reason=base.reason,
                remedy=base.remedy,
                exists=base.identity is not None,
            )
            for base in self._bases
        ]

    # from the backend's thread

    def _changed(self, path: str | None, is_directory: bool) -> None:
        if path is not None:
            if path in self._pending:
                return
            if path in self._waiting:
                with self._wake:
                    self._appeared = True
                    self._wake.notify()
            if not self._relevant(path, is_directory):
                return
        with self._wake:
            if path is None or len(self._pending) >= MANY:
                self._everything = True
            else:
                self._pending.add(path)
            self._wake.notify()

    def _lost(self, base: str, why: WatchLimit | None) -> None:
        with self._wake:
            self._broken[base] = why
            self._wake.notify()

    def _relevant(self, path: str, is_directory: bool) -> bool:
        """Return whether a change of `path` can matter to an agent's files."""
        for base in self._bases:
            inside = path.startswith(base.path + "/")
            if path == base.path or (is_directory and inside and base.place.recursive):
                return not self._excluded(path)
            if not inside or is_directory or not (base.place.recursive or "/" not in path[len(base.path) + 1 :]):
                continue
            if classified(self._sources[base.place.agent], base.place.root, path) is not None:
                return not self._excluded(path)
        return False

    # in the watcher's thread

    def _run(self) -> None:
        now = time.monotonic()
        safety, patrol = now + self._safety, now + self._patrol
        earliest = 0.0
        while True:
            with self._wake:
                while not self._stopping:
                    now = time.monotonic()
                    if self._broken or self._appeared or ((self._pending or self._everything) and now >= earliest):
                        break
                    times = [base.next_scan for base in self._bases if base.mode == "scan"]
                    times.append(safety)
                    if self._patrols():
                        times.append(patrol)
                    if self._pending or self._everything:
                        times.append(earliest)
                    if min(times) <= now:
                        break
                    self._wake.wait(min(times) - now)
                if self._stopping:
                    return
                pending, everything, broken, appeared = self._pending, self._everything, self._broken, self._appeared
                self._pending, self._everything, self._broken, self._appeared = set(), False, {}, False
            if broken:
                self._repair(broken, pending)
                self._look_after(pending)  # what was moved may hold other places
            if appeared:
                self._retry(pending)
            now = time.monotonic()
            if now >= patrol:
                patrol = now + self._patrol
                self._look_after(pending)
            if now >= safety:
                safety = now + self._safety
                everything = True
                self._improve()
                self._look_after(pending)
            for base in self._bases:
                if base.mode == "scan" and base.next_scan <= now:
                    self._poll(base, pending)
            if pending or everything:
                self._on_hint(None if everything else {Path(path) for path in pending})
                earliest = time.monotonic() + GAP

    def _patrols(self) -> bool:
        """Return whether the bases need looking after between the safety scans."""
        return self._backend is not None and not self._backend.waits

    def _open_backend(self) -> None:
        try:
            self._backend, self._refused = self._make_backend(self._changed, self._lost), None
        except WatchLimit as error:
            self._backend, self._refused = None, error

    def _establish(self, base: _Base) -> None:
        """Watch a base by the best means there is."""
        parent, base.parent = base.parent, None
        base.identity = _identity(base.path)
        base.reason = base.remedy = base.snapshot = None
        reason = self._why_not(base.place.directory)
        if self._backend is None or reason is not None:
            self._scan_mode(base, self._refused or reason)
            return
        depth = Depth.TREE if base.place.recursive else Depth.FILES
        try:
            if base.identity is not None and self._backend.watch(base.path, depth):
                base.mode = "events"
            else:
                base.mode = "waiting"
                if self._backend.waits:
                    self._await(base)
        except WatchLimit as error:
            self._scan_mode(base, error)
        self._release(parent)
        self._note_waiting()

    def _await(self, base: _Base) -> None:
        """Watch the nearest parent of a base that exists. Raise WatchLimit."""
        assert self._backend is not None
        child, parent = base.path, os.path.dirname(base.path)
        while parent != child:
            if self._backend.watch(parent, Depth.ENTRIES):
                base.parent = parent
                if self._backend.watch(child, Depth.ENTRIES):  # it came before its parent's watch stood
                    with self._wake:
                        self._appeared = True
                        self._wake.notify()
                return
            child, parent = parent, os.path.dirname(parent)

    def _note_waiting(self) -> None:
        steps: set[str] = set()
        for base in self._bases:
            path = base.path
            while base.parent is not None and len(path) > len(base.parent):
                steps.add(path)
                path = os.path.dirname(path)
        self._waiting = frozenset(steps)

    def _scan_mode(self, base: _Base, why: WatchLimit | str | None) -> None:
        base.mode, base.parent = "scan", None
        base.reason, base.remedy = (why.message, why.remedy) if isinstance(why, WatchLimit) else (why, None)
        base.interval, base.next_scan, base.snapshot = self._fastest, time.monotonic() + self._fastest, None
        self._note_waiting()

    def _retry(self, pending: set[str]) -> None:
        """Something appeared on the way to a base that is waited for."""
        for base in self._bases:
            if base.mode == "waiting":
                self._establish(base)
                if base.identity is not None:
                    pending.add(base.path)  # what was in it before its watch stood

    def _release(self, parent: str | None) -> None:
        """Stop watching a parent that nobody waits at any more."""
        if parent is None or self._backend is None:
            return
        used = {base.parent for base in self._bases} | {base.path for base in self._bases if base.mode == "events"}
        if parent not in used:
            self._backend.unwatch(parent)

    def _repair(self, broken: Mapping[str, WatchLimit | None], pending: set[str]) -> None:
        for path, why in broken.items():
            for base in self._bases:
                if path not in (base.path, base.parent):
                    continue
                if why is None:
                    self._establish(base)
                else:
                    self._scan_mode(base, why)
                pending.add(base.path)  # what was lost with the watch, and what came before the new one stood

    def _look_after(self, pending: set[str]) -> None:
        """See that what is watched is what lies at the path, and that the backend lives."""
        if self._backend is not None and not self._backend.alive():
            self._backend.stop()
            self._open_backend()
            for base in self._bases:
                self._establish(base)
            pending.update(base.path for base in self._bases)
        for base in self._bases:
            if base.mode == "scan" or _identity(base.path) == base.identity:
                continue
            if self._backend is not None:
                self._backend.unwatch(base.path)
            self._establish(base)
            pending.add(base.path)

    def _improve(self) -> None:
        """Ask again for the watches that the system refused."""
        if self._backend is None:
            self._open_backend()
        for base in self._bases:
            if base.mode == "scan" and self._backend is not None and self._why_not(base.place.directory) is None:
                self._establish(base)

    def _poll(self, base: _Base, pending: set[str]) -> None:
        """Scan one base, and note what is not as it was."""
        found = scan_place(self._sources, base.place, excluded=self._excluded).found
        snapshot = {os.fspath(entry.source.path): entry.stat for entry in found}
        before = base.snapshot
        if before is None:
            changed = {base.path}
        else:
            changed = {path for path, stat in snapshot.items() if before.get(path) != stat}
            changed.update(before.keys() - snapshot.keys())
        base.snapshot = snapshot
        base.interval = self._fastest if changed else min(base.interval * 1.5, self._slowest)
        base.next_scan = time.monotonic() + base.interval
        pending.update(changed)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        result = os.stat(path)
    except OSError:
        return None
    return result.st_dev, result.st_ino
