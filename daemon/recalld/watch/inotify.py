"""Linux: directory trees on watchdog's inotify descriptor.

watchdog's observer is built for telling what happened: it holds a rename back for half a second to pair its two ends,
and every event behind it; and when the kernel's queue overflows it repairs its watches and tells nobody. A hint needs
neither the pairs nor the order. So this takes watchdog's `InotifyFD` alone, which reads the descriptor in a thread that
sleeps in `poll` without a timeout, and hears each event, and the overflow, at once.

A watch is asked for changes only: opening and reading (which we do ourselves) raise no events.
"""

from __future__ import annotations

import os
import threading
from itertools import count

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyEvent, InotifyFD, Mask, WatchDescriptor

from recalld.watch.backend import Changed, Depth, Lost, WatchLimit

_C = InotifyConstants
ENTRIES = _C.IN_CREATE | _C.IN_DELETE | _C.IN_MOVE | _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_ONLYDIR
FILES = ENTRIES | _C.IN_MODIFY | _C.IN_ATTRIB | _C.IN_EXCL_UNLINK

REMEDY = "raise fs.inotify.max_user_watches (and max_user_instances) with sysctl"


class InotifyTrees:
    """A `Backend`. Raise WatchLimit where the system gives no inotify instance."""

    waits = True

    def __init__(self, changed: Changed, lost: Lost) -> None:
        self._changed = changed
        self._lost = lost
        self._lock = threading.RLock()
        self._bases: dict[str, Depth] = {}
        self._paths: dict[WatchDescriptor, str] = {}  # -> the directory's present path
        self._callbacks: dict[WatchDescriptor, CallbackId] = {}
        self._ids = count(1)
        try:
            self._fd = InotifyFD()
        except OSError as error:
            raise WatchLimit(error.strerror or str(error), REMEDY) from error
        self._fd.start()

    def watch(self, base: str, depth: Depth) -> bool:
        with self._lock:
            known = self._bases.get(base)
            if known is not None and known >= depth:
                return True
            self._bases[base] = depth
            try:
                there = self._add(base, depth, follow=True)
            except WatchLimit:
                self.unwatch(base)
                raise
            if not there:
                del self._bases[base]
            return there

    def unwatch(self, base: str) -> None:
        with self._lock:
            self._bases.pop(base, None)
            self._forget([wd for wd, path in self._paths.items() if not self._wanted(path)])

    def alive(self) -> bool:
        return self._fd.is_alive()

    def stop(self) -> None:
        self._fd.stop()
        self._fd.join()

    # what InotifyFD calls, from its thread

    def on_event(self, event: InotifyEvent) -> None:
        with self._lock:
            directory = self._paths.get(event.wd)
            if directory is None:
                return
            if event.is_delete_self or event.is_move_self:
                if directory in self._bases:
                    self._drop_base(directory)
                return
            path = os.path.join(directory, os.fsdecode(event.name)) if event.name else directory
            is_directory = bool(event.mask & _C.IN_ISDIR)
            if is_directory and event.is_moved_from:
                # its watches go with it: they would tell of another place under this name
                below = path + "/"
                self._forget([wd for wd, known in self._paths.items() if known == path or known.startswith(below)])
                for base in [base for base in self._bases if base == path or base.startswith(below)]:
                    self._drop_base(base)
            elif is_directory and (event.is_create or event.is_moved_to) and self._wanted(path):
                try:
                    self._add(path, Depth.TREE, follow=False)
                except WatchLimit as error:
                    for base in [base for base in self._bases if self._grows(path, base)]:
                        self.unwatch(base)
                        self._lost(base, error)
        self._changed(path, is_directory)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        with self._lock:
            path = self._paths.pop(wd, None)
            self._callbacks.pop(wd, None)
            if path in self._bases:
                self._drop_base(path)

    def on_queue_overflow(self) -> None:
        with self._lock:
            for base, depth in list(self._bases.items()):  # directories may have come that nobody told of
                try:
                    if not self._add(base, depth, follow=True):
                        self._drop_base(base)
                except WatchLimit as error:
                    self.unwatch(base)
                    self._lost(base, error)
        self._changed(None, True)

    # with the lock held

    def _add(self, path: str, depth: Depth, *, follow: bool) -> bool:
        """Watch a directory, then what is below it: what comes in between is seen by one or the other."""
        pending = [path]
        there = self._add_one(path, ENTRIES if depth is Depth.ENTRIES else FILES, follow=follow)
        while pending and there and depth is Depth.TREE:
            try:
                with os.scandir(pending.pop()) as entries:
                    below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue  # removed meanwhile, or unreadable, which the scan reports
            pending += [child for child in below if self._add_one(child, FILES, follow=False)]
        return there

    def _add_one(self, path: str, events: int, *, follow: bool) -> bool:
        # MASK_ADD keeps what a directory that is watched already is watched for
        mask = Mask(events | _C.IN_MASK_ADD | (0 if follow else _C.IN_DONT_FOLLOW))
        callback = CallbackId(next(self._ids))
        try:
            wd = self._fd.add_callback(os.fsencode(path), mask, self, callback)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise WatchLimit(error.strerror or str(error), REMEDY) from error
        if wd == -1 or wd in self._paths:  # -1: permission denied, which InotifyFD passes over
            self._fd.remove_callbacks([(wd, callback)])
        if wd == -1:
            return False
        self._callbacks.setdefault(wd, callback)
        self._paths[wd] = path
        return True

    def _forget(self, wds: list[WatchDescriptor]) -> None:
        for wd in wds:
            del self._paths[wd]
        self._fd.remove_callbacks([(wd, self._callbacks.pop(wd)) for wd in wds])

    def _drop_base(self, base: str) -> None:
        self.unwatch(base)
        self._lost(base, None)

    def _wanted(self, path: str) -> bool:
        """Return whether a directory is to be watched: a base, or below a recursive one."""
        return path in self._bases or any(self._grows(path, base) for base in self._bases)

    def _grows(self, path: str, base: str) -> bool:
        return self._bases[base] is Depth.TREE and path.startswith(base + "/")
