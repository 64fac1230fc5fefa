"""The scan: which of the agents' files are on disk, and in what state. Stats only, nothing is opened.

Symbolic links: the root and the directories that a source names below it may be links, they are places that a person
chose. Below them a link to a directory is not followed, and a link to a file is read only where its target lies in the
same root (once: a target with a name of its own is read under that). A link that leads out of the root or nowhere is
reported. FIFOs, sockets and devices are left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from recalld.sources.base import Source, SourceFile
from recalld.tail.found import Found, Problem, Scan, Stat


def nothing(path: str) -> bool:
    """Exclude nothing."""
    return False


def unknown(agent: str, path: str, state: Stat) -> str | None:
    """Know no file."""
    return None


def classified(source: Source, root: Path, path: str) -> SourceFile | None:
    """Return what a source says of a path.

    It is not remembered: that took 9 MB for 7,600 files. What costs time is to take paths apart, and that is done once
    a directory, whose files a scan meets one after the other.
    """
    directory, _, name = path.rpartition("/")
    return source.classify(root, _directory(directory or "/") / name)


@lru_cache(maxsize=64)
def _directory(path: str) -> Path:
    return Path(path)


@dataclass(frozen=True, slots=True)
class Place:
    """One directory with an agent's files: a root without what is below it, or a tree."""

    agent: str
    root: Path
    directory: Path
    recursive: bool


def places(sources: Mapping[str, Source], roots: Mapping[str, Sequence[Path]]) -> list[Place]:
    """Return where the agents' files lie: every root's own files, and the trees that the source names below it."""
    result: list[Place] = []
    for agent, source in sources.items():
        for root in dict.fromkeys(roots.get(agent, ())):
            result.append(Place(agent, root, root, False))
            result += [Place(agent, root, path, True) for path in source.watched(root) if path != root]
    return result


def scan(
    sources: Mapping[str, Source],
    roots: Mapping[str, Sequence[Path]],
    *,
    only: Iterable[Path] | None = None,
    excluded: Callable[[str], bool] = nothing,
    known: Callable[[str, str, Stat], str | None] = unknown,
) -> Scan:
    """Return every file of the agents below their roots, or of those at or below the paths in `only`.

    `known(agent, path, state)` returns the id of a checkpoint whose file is there in just that state, or None: such a
    file is told by that id alone (`Scan.same`), since taking its path apart is most of a scan's time and memory.
    `excluded` is asked about every file's and directory's path; what it refuses is not looked at, nor held to be
    missing. A directory that cannot be read is a problem, not an error; one that does not exist is empty. File names
    are any bytes (`surrogateescape`).
    """
    walk = _Walk(sources, excluded, known)
    wanted = None if only is None else [os.fspath(path) for path in only]
    for place in places(sources, roots):
        walk.place(place, wanted)
    return walk.scan


def scan_place(sources: Mapping[str, Source], place: Place, *, excluded: Callable[[str], bool] = nothing) -> Scan:
    """Return the files of one place."""
    walk = _Walk(sources, excluded)
    walk.place(place, None)
    return walk.scan


class _Walk:
    def __init__(
        self,
        sources: Mapping[str, Source],
        excluded: Callable[[str], bool],
        known: Callable[[str, str, Stat], str | None] = unknown,
    ) -> None:
        self._known = known
        self.scan = Scan()
        self._sources = sources
        self._excluded = excluded
        self._seen: set[tuple[str, str]] = set()  # (agent, path): places of one source may overlap

    def place(self, place: Place, wanted: list[str] | None) -> None:
        """Look at one place, or at the part of it that is wanted."""
        target = os.fspath(place.directory)
        if wanted is None:
            self._start(place, target, whole=place.recursive)
            return
        for path in wanted:
            if target == path or target.startswith(path + "/"):
                self._start(place, target, whole=place.recursive)
            elif _within(place, target, path) and not _through_link(target, path):
                self._start(place, path, whole=True)

    def _start(self, place: Place, path: str, *, whole: bool) -> None:
        (self.scan.covered if whole else self.scan.flat).add(path)
        if self._excluded(path):
            self.scan.blind.add(path)
            return
        chosen = path == os.fspath(place.directory)
        try:
            result = os.stat(path) if chosen else os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._unreadable(path, error)
            return
        if not stat.S_ISDIR(result.st_mode):
            self._file(place, path, result)
            return
        if whole and not place.recursive:
            return  # a directory beside the files that this place is about
        pending = [path]
        while pending:
            for entry in self._entries(pending.pop()):
                if entry.is_dir(follow_symlinks=False):
                    if not whole:
                        continue
                    if self._excluded(entry.path):
                        self.scan.blind.add(entry.path)
                    else:
                        pending.append(entry.path)
                    continue
                self._entry(place, entry)

    def _entries(self, directory: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(directory) as entries:
                yield from entries
        except FileNotFoundError:
            return  # removed since its parent was read
        except OSError as error:
            self._unreadable(directory, error)

    def _entry(self, place: Place, entry: os.DirEntry[str]) -> None:
        try:
            result = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._unreadable(entry.path, error)
            return
        self._file(place, entry.path, result)

    def _file(self, place: Place, path: str, result: os.stat_result) -> None:
        if stat.S_ISREG(result.st_mode):
            same = self._known(place.agent, path, Stat.of(result))
            if same is not None and not self._excluded(path):
                self.scan.same.add(same)
                return
        if (place.agent, path) in self._seen:
            return
        source = classified(self._sources[place.agent], place.root, path)
        if source is None and not stat.S_ISLNK(result.st_mode):
            return
        if stat.S_ISLNK(result.st_mode):
            target = self._target(place, path, is_file=source is not None)
            if source is None or target is None:
                return
            result = target
        if not stat.S_ISREG(result.st_mode) or source is None:
            self.scan.problems.append(Problem(Path(path), "not a regular file: it is left alone"))
            return
        if self._excluded(path):
            self.scan.blind.add(path)
            return
        self._seen.add((place.agent, path))
        self.scan.found.append(Found(source, Stat.of(result)))

    def _target(self, place: Place, path: str, *, is_file: bool) -> os.stat_result | None:
        """Return the stat of a link's target where it is to be read."""
        real = os.path.realpath(path)
        root, directory = os.path.realpath(place.root), os.path.realpath(place.directory)
        try:
            result = os.stat(path)
        except OSError as error:
            if is_file:
                self.scan.problems.append(Problem(Path(path), f"a link that leads nowhere ({error.strerror})"))
            return None
        if stat.S_ISDIR(result.st_mode):
            self.scan.problems.append(Problem(Path(path), "a link to a directory: it is not followed"))
            return None
        if not is_file:
            return None
        if not real.startswith((root + "/", directory + "/")):
            self.scan.problems.append(
                Problem(Path(path), f"a link out of {place.root}: not followed; add its target as a root of its own")
            )
            return None
        named = place.root / os.path.relpath(real, root) if real.startswith(root + "/") else Path(real)
        return None if self._sources[place.agent].classify(place.root, named) is not None else result

    def _unreadable(self, path: str, error: OSError) -> None:
        self.scan.blind.add(path)
        self.scan.problems.append(Problem(Path(path), f"cannot be read ({error.strerror}): check its permissions"))


def _within(place: Place, target: str, path: str) -> bool:
    """Return whether a path lies in what a place is about."""
    return path.startswith(target + "/") and (place.recursive or "/" not in path[len(target) + 1 :])


def _through_link(base: str, path: str) -> bool:
    """Return whether a directory between `base` and `path` is a link: nothing is followed through it."""
    parent = path.rpartition("/")[0]
    while len(parent) > len(base):
        if os.path.islink(parent):
            return True
        parent = parent.rpartition("/")[0]
    return False
