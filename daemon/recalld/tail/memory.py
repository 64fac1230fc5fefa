"""What the table knows between two looks: checkpoints by all their names, copies, and timestamps too young to trust."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from sys import intern
from typing import TypeVar

from recalld.index.documents import StoredFile
from recalld.sources.base import SourceFile
from recalld.tail.found import Found, Stat

RACY = 2.0
"""Seconds. The coarsest timestamps of a file system in use (FAT, some network mounts)."""

QUIET = 60.0
"""Seconds without growth after which a file that grew is compared as a whole: once a pause, not once a line."""

CHECKED_PER_SECOND = 2**20
"""A file waits for at least a second for each of these bytes before it, so that no pattern of growth costs more."""

MOST_CHECKED = 64 * 2**20
"""Longer prefixes are compared at the next start only: a new line would wait for it (this many bytes take some 60 ms)."""

Key = TypeVar("Key")
First = TypeVar("First")
Name = tuple[str, str]
"""(agent, path) or (agent, logical name)."""


@dataclass(slots=True)
class Copy:
    """A file that is not read, because another one says the same."""

    found: Found
    of: str
    """Id of the checkpoint whose file is read."""
    beside: bool = False
    """It says something else, but lies beside that file as its compressed form: the plain one counts."""


class Memory:
    """The table's state. Checkpoints are changed through it wherever a name of theirs changes."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.by_id: dict[str, StoredFile] = {}
        self.copies: dict[Name, Copy] = {}
        self.unchecked: set[str] = set()
        """Ids whose whole prefix is to be compared: once after start, and when there is doubt."""
        self.told: set[str] = set()
        """Those of them that a `Whole` was given for."""
        self.young: dict[str, float] = {}
        """Path -> when to look again: its timestamp may stand for more than one state."""
        self.grown: dict[str, float] = {}
        """Id -> when its whole prefix is to be compared, because it grew: an append leaves the middle alone, but only
        reading the middle tells."""
        self._now = now
        self._by_path: dict[str, dict[str, str]] = {}
        """Agent -> path -> id."""
        self._by_logical: dict[str, Ids[str]] = {}
        """Agent -> logical name -> ids."""
        self._by_inode: dict[int, Ids[int]] = {}
        """Device -> inode -> ids."""

    def add(self, file: StoredFile) -> None:
        """Take in a checkpoint."""
        _share(file)
        self.by_id[file.id] = file
        self._index(file)

    def remove(self, file: StoredFile) -> None:
        """Forget a checkpoint and its copies."""
        self._unindex(file)
        self.by_id.pop(file.id, None)
        self.unchecked.discard(file.id)
        self.told.discard(file.id)
        self.release(file.id)

    def at(self, agent: str, path: str) -> StoredFile | None:
        """Return the checkpoint of the file at a path: the living one, where several were there one after the other."""
        file_id = self._by_path.get(agent, _NO_PATHS).get(path)
        return None if file_id is None else self.by_id[file_id]

    def all_at(self, path: str) -> list[StoredFile]:
        """Return the checkpoints of every agent at a path."""
        return [file for agent in self._by_path if (file := self.at(agent, path)) is not None]

    def like(self, found: Found) -> list[StoredFile]:
        """Return the checkpoints of the same kind that could be this file by inode or logical name, best first."""
        source, stat = found.source, found.stat
        inode = _ids(self._by_inode, stat.dev, stat.ino)
        logical = _ids(self._by_logical, source.agent, source.logical)
        files = [self.by_id[file_id] for file_id in {*inode, *logical}]
        # a deleted file's inode may be anyone's by now
        fit = [
            f
            for f in files
            if (f.agent, f.kind) == (source.agent, source.kind) and (f.logical == source.logical or not f.deleted)
        ]
        return sorted(fit, key=lambda f: (f.id not in inode, f.deleted, rank(f.path, f.root), f.id))

    def living(self, source: SourceFile) -> list[StoredFile]:
        """Return the checkpoints of files on disk with this logical name, best first."""
        files = [self.by_id[file_id] for file_id in _ids(self._by_logical, source.agent, source.logical)]
        fit = [f for f in files if not f.deleted and f.kind == source.kind]
        return sorted(fit, key=lambda f: (rank(f.path, f.root), f.id))

    def place(self, file: StoredFile, source: SourceFile, stat: Stat) -> None:
        """Put a checkpoint at a path."""
        self._unindex(file)
        file.path, file.root = str(source.path), str(source.root)
        file.logical, file.session, file.compressed = source.logical, source.session, source.compressed
        file.dev, file.ino = stat.dev, stat.ino
        file.deleted = False
        self._index(file)

    def bury(self, file: StoredFile) -> None:
        """Mark a checkpoint's file as deleted."""
        file.deleted = True
        self.young.pop(file.path, None)

    def seen(self, file: StoredFile, stat: Stat) -> None:
        """Take a stat into the checkpoint: nothing is left to read of the file in that state."""
        if (file.dev, file.ino) != (stat.dev, stat.ino):
            self._unindex(file)
            file.dev, file.ino = stat.dev, stat.ino
            self._index(file)
        file.size, file.mtime_ns = stat.size, stat.mtime_ns
        self.note_time(file.path, stat)

    def note_time(self, path: str, stat: Stat) -> None:
        """Remember whether the file's timestamp is too young to be trusted."""
        now = self._now()
        age = now - stat.mtime_ns / 1e9
        if -RACY < age < RACY:
            self.young[path] = now + RACY - max(age, 0.0) + 0.01
        else:
            self.young.pop(path, None)

    def doubtful(self, path: str) -> bool:
        """Return whether an unchanged stat proves nothing, because it was too young when it was taken."""
        return self.young.get(path, inf) <= self._now()

    def unchanged(self, file: StoredFile, stat: Stat) -> bool:
        """Return whether the file at a checkpoint's path is, by a stat that can be trusted, as it was last seen."""
        return (
            (file.size, file.mtime_ns, file.ino, file.dev) == (stat.size, stat.mtime_ns, stat.ino, stat.dev)
            and not file.deleted
            and not self.doubtful(file.path)
        )

    def note_growth(self, file: StoredFile) -> None:
        """Remember that a file grew: what was before is compared when it has come to rest."""
        if 0 < file.offset <= MOST_CHECKED and not file.compressed:
            self.grown[file.id] = self._now() + max(QUIET, file.offset / CHECKED_PER_SECOND)

    def due(self) -> tuple[list[str], float | None]:
        """Return the paths whose time has come, once each, and the seconds until the next one's."""
        now = self._now()
        ready = [path for path, when in self.young.items() if -inf < when <= now]
        for path in ready:
            self.young[path] = -inf  # told once, and overdue until it is looked at
        for file_id in [file_id for file_id, when in self.grown.items() if when <= now]:
            del self.grown[file_id]
            file = self.by_id.get(file_id)
            if file is not None and not file.deleted:
                self.unchecked.add(file_id)
                self.told.discard(file_id)
                ready.append(file.path)
        later = [when - now for when in (*self.young.values(), *self.grown.values()) if when > now]
        return ready, min(later) if later else None

    def release(self, file_id: str) -> None:
        """Forget who is a copy of this file."""
        for name in [name for name, copy in self.copies.items() if copy.of == file_id]:
            del self.copies[name]

    def copies_of(self, file_ids: Iterable[str]) -> list[Found]:
        """Return the copies of any of these."""
        wanted = set(file_ids)
        return [copy.found for copy in self.copies.values() if copy.of in wanted] if wanted else []

    def new(self, source: SourceFile, stat: Stat) -> StoredFile:
        """Return a checkpoint for a file seen for the first time. Its id depends on agent and path, and is unique."""
        attempt = 0
        while True:
            text = f"{source.agent}\x1f{source.path}" + (f"\x1f{attempt}" if attempt else "")
            file_id = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
            if file_id not in self.by_id:
                break
            attempt += 1
        file = StoredFile(
            id=file_id,
            agent=source.agent,
            kind=source.kind,
            root=str(source.root),
            path=str(source.path),
            logical=source.logical,
            session=source.session,
            compressed=source.compressed,
            dev=stat.dev,
            ino=stat.ino,
        )
        self.add(file)
        return file

    def _index(self, file: StoredFile) -> None:
        there = self.at(file.agent, file.path)
        if there is None or there.deleted or not file.deleted:
            self._by_path.setdefault(file.agent, {})[file.path] = file.id
        _note(self._by_logical, file.agent, file.logical, file.id)
        if file.ino:
            _note(self._by_inode, file.dev, file.ino, file.id)

    def _unindex(self, file: StoredFile) -> None:
        paths = self._by_path.get(file.agent, _NO_PATHS)
        if paths.get(file.path) == file.id:
            del paths[file.path]
        _discard(self._by_logical, file.agent, file.logical, file.id)
        _discard(self._by_inode, file.dev, file.ino, file.id)


# Nearly every name has one checkpoint, and there are thousands: one id stands for itself, and no pair is kept as a key.

Ids = dict[Key, str | tuple[str, ...]]

_NO_PATHS: dict[str, str] = {}


def _ids(table: dict[First, Ids[Key]], first: First, key: Key) -> tuple[str, ...]:
    held = table.get(first, {}).get(key, ())
    return (held,) if isinstance(held, str) else held


def _note(table: dict[First, Ids[Key]], first: First, key: Key, file_id: str) -> None:
    held = _ids(table, first, key)
    if file_id not in held:
        table.setdefault(first, {})[key] = (*held, file_id) if held else file_id


def _discard(table: dict[First, Ids[Key]], first: First, key: Key, file_id: str) -> None:
    held = _ids(table, first, key)
    if file_id in held:
        left = tuple(other for other in held if other != file_id)
        if left:
            table[first][key] = left if len(left) > 1 else left[0]
        else:
            del table[first][key]


def _share(file: StoredFile) -> None:
    """Have equal values of a checkpoint that came out of the index be one object: a fifth of what it takes."""
    file.agent, file.kind, file.root = intern(file.agent), intern(file.kind), intern(file.root)
    if file.session == file.logical:
        file.session = file.logical
    if file.offset == file.size:
        file.offset = file.size
    if file.tail == file.head:
        file.tail = file.head


def beside(first: str, second: str) -> bool:
    """Say whether two paths are a plain file's and its compressed form's, in one directory."""
    return first == f"{second}.zst" or second == f"{first}.zst"


def rank(path: str, root: str) -> tuple[bool, bool, str]:
    """Return the order in which equal copies are preferred: plain before zstd, live before archived, then by path."""
    parts = path.removeprefix(root).split("/")
    return path.endswith(".zst"), not ARCHIVES.isdisjoint(parts), path


def put_away(file: StoredFile, root: str, path: str) -> bool:
    """Return whether the way from a checkpoint's path to another one, below `root`, is one that agents take files:
    compressed, into an archive, or back."""
    return file.root == root and rank(file.path, root)[:2] != rank(path, root)[:2]


ARCHIVES = frozenset({"archive", "archived_sessions"})
"""Names of directories into which agents move sessions that a person put away."""
