"""What a look at the disk found: the input of every decision about files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from recalld.sources.base import SourceFile


@dataclass(frozen=True, slots=True)
class Stat:
    """The part of a stat result that tells one state of a file from another."""

    dev: int
    ino: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, result: os.stat_result) -> Stat:
        return cls(result.st_dev, result.st_ino, result.st_size, result.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Found:
    """One of the agent's files that is on disk, a regular file."""

    source: SourceFile
    stat: Stat


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not read, and why, for people."""

    path: Path
    message: str


@dataclass(slots=True)
class Scan:
    """What one look found, and where it looked: only what was looked at can be missing."""

    found: list[Found] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    """Paths that were looked at, with all that is below them."""
    flat: set[str] = field(default_factory=set)
    """Directories whose own files were looked at, and nothing below them."""
    blind: set[str] = field(default_factory=set)
    """Paths below covered ones that could not be read or are excluded: nothing is known of what is below them."""
    problems: list[Problem] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    """Ids of checkpoints whose files are there, and in the state that was seen last."""

    def covers(self, path: str) -> bool:
        """Return whether a file at `path` would have been found."""
        covered = path.rpartition("/")[0] in self.flat
        while True:
            if path in self.blind:
                return False
            covered = covered or path in self.covered
            parent = path.rpartition("/")[0]
            if not parent:
                return covered or "/" in self.covered
            path = parent


def single(found: Iterable[Found]) -> Scan:
    """Return the scan that looked at these files alone."""
    entries = list(found)
    return Scan(entries, {os.fspath(entry.source.path) for entry in entries})
