"""What a person decided: which history is forgotten, and which projects and paths are never read.

Each is a small file below `decisions/` in the data directory, written before the index acts on it and independent of
the index: a lost one is built anew without what was forgotten. A file is replaced whole (written beside, synced,
renamed, the directory synced), so a crash leaves the old state or the new one. It has a checksum, so damage is noticed:
a decision that cannot be read stops the service, since going on would bring back what was to be gone.

A decision knows whether it has been carried out (`erased`). One that has not been is carried out at the next start,
before anything is answered. One that was taken back stays, `lifted`, until the files that it was about have been read
again.
"""

from __future__ import annotations

import os
import zlib
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgpack

from recall.errors import DecisionsDamaged, Unavailable

Kind = Literal["session", "project", "before"]
T = TypeVar("T")

VERSION = 1
_FORGET = "forget-"
_EXCLUDE = "exclude"
_SUFFIX = ".decision"
_BESIDE = ".new"


@dataclass(slots=True)
class Forgotten:
    """One `recall forget`."""

    id: int
    kind: Kind
    value: str
    """The session's id, the project as it was asked for, or the time as ISO 8601."""
    made: int
    """When, in epoch ms. A project is forgotten as it was then: `read` tells what is newer, whatever time it tells."""
    before: int | None = None
    """Epoch ms: records before it are forgotten (kind `before`)."""
    sessions: set[str] = field(default_factory=set)
    """Session keys. Kind `session`: whatever they ever say is forgotten; else they lost what they had until `made`."""
    keys: set[int] = field(default_factory=set)
    """Hashes that tell what was forgotten when it comes back under another name (`ingest.bans`)."""
    spared: set[int] = field(default_factory=set)
    """Hashes of what a forgotten session only held copies of: those stay with whoever they belong to."""
    files: list[list[Any]] = field(default_factory=list)
    """[path, records] of every file that held forgotten records."""
    records: int = 0
    erased: bool = False
    """It is out of the index, and out of its files."""
    lifted: bool = False
    """It was taken back, and the files that it was about are being read again."""
    read: dict[int, int] = field(default_factory=dict)
    """Kind `project`: how far every file went, in bytes, by hashes of its path and name; and 0 by hashes of the sessions
    that lost something (`ingest.bans`). Empty where not everything had been read: then times alone tell what is newer."""


@dataclass(slots=True)
class Excluded:
    """What `recall exclude` keeps, and how far that, and the configuration's list, have been carried out."""

    patterns: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    """Patterns, of both lists, of which nothing is left in the index."""
    lifting: bool = False
    """Something was taken off a list, and the files that it was about are being read again."""


class Decisions:
    """The decisions below one data directory, as on disk. One process writes them."""

    def __init__(self, data: Path) -> None:
        """Read them. Raise DecisionsDamaged where one cannot be read."""
        self.directory = data / "decisions"
        self.forgotten: dict[int, Forgotten] = {}
        self.excluded = Excluded()
        self._last = 0
        try:
            names = sorted(os.listdir(self.directory))
        except FileNotFoundError:
            return
        for name in names:
            if name == _EXCLUDE + _SUFFIX:
                self.excluded = _read(self.directory / name, _excluded)
            elif name.startswith(_FORGET) and name.endswith(_SUFFIX):
                found = _read(self.directory / name, _forgotten)
                self.forgotten[found.id] = found
                self._last = max(self._last, found.id)

    def pending(self, configured: Iterable[str]) -> bool:
        """Tell whether something decided has not been carried out. `configured` are the configuration's patterns."""
        if any(not found.erased and not found.lifted for found in self.forgotten.values()):
            return True
        return bool({*self.excluded.patterns, *configured} - set(self.excluded.applied))

    def next_id(self) -> int:
        """Return the number of a new decision."""
        return self._last + 1

    def keep(self, decision: Forgotten) -> None:
        """Write a decision, new or changed; it lasts when this returns. Raise Unavailable where it cannot be."""
        self._write(f"{_FORGET}{decision.id:06d}", _values(decision))
        self._last = max(self._last, decision.id)
        self.forgotten[decision.id] = decision

    def change(self, decision: Forgotten, **values: Any) -> None:
        """Write a decision with other values. Where it cannot be written it stays as it was, in memory as on disk."""
        before = _set(decision, values)
        try:
            self.keep(decision)
        except Unavailable:
            _set(decision, before)
            raise

    def standing(self) -> list[Forgotten]:
        """Return what is forgotten: all decisions but those that were taken back."""
        return [found for found in self.forgotten.values() if not found.lifted]

    def lifting(self) -> bool:
        """Tell whether something was taken back whose files have not all been read again."""
        return self.excluded.lifting or any(found.lifted for found in self.forgotten.values())

    def lifted(self) -> None:
        """Note that the files of everything that was taken back have been read again."""
        for found in [found for found in self.forgotten.values() if found.lifted]:
            self._remove(found)
        if self.excluded.lifting:
            self.change_excluded(lifting=False)

    def _remove(self, decision: Forgotten) -> None:
        os.unlink(self.directory / f"{_FORGET}{decision.id:06d}{_SUFFIX}")
        _sync(self.directory)
        del self.forgotten[decision.id]

    def keep_excluded(self) -> None:
        """Write the list of what is never read."""
        self._write(_EXCLUDE, [self.excluded.patterns, self.excluded.applied, self.excluded.lifting])

    def change_excluded(self, **values: Any) -> None:
        """Write the list with other values. Where it cannot be written it stays as it was, in memory as on disk."""
        before = _set(self.excluded, values)
        try:
            self.keep_excluded()
        except Unavailable:
            _set(self.excluded, before)
            raise

    def sweep(self) -> None:
        """Delete what a crash left of a decision that was being written. For the one process that writes them."""
        for left in self.directory.glob(f"*{_BESIDE}"):
            left.unlink(missing_ok=True)

    def _write(self, name: str, values: list[Any]) -> None:
        try:
            self._replace(name, values)
        except OSError as error:
            why = error.strerror or "unknown"
            raise Unavailable(f"the decision cannot be written ({why}): check {self.directory}, repeat") from error

    def _replace(self, name: str, values: list[Any]) -> None:
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = msgpack.packb(values, unicode_errors="surrogatepass")
        path = self.directory / f"{name}{_SUFFIX}"
        beside = self.directory / f"{name}{_BESIDE}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(msgpack.packb([VERSION, zlib.crc32(content), content]))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        _sync(self.directory)


def _sync(directory: Path) -> None:
    """Have a directory's names last: a rename is else still lost with the power."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path, made: Callable[[list[Any]], T]) -> T:
    """Return what `made` makes of a file's values; raise DecisionsDamaged where the file cannot be read, or holds what
    this version does not know: another one wrote it."""
    try:
        version, checksum, content = msgpack.unpackb(path.read_bytes())
        if version != VERSION or zlib.crc32(content) != checksum:
            raise ValueError("its checksum does not fit")
        return made(msgpack.unpackb(content, unicode_errors="surrogatepass", use_list=True))
    except (OSError, ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise DecisionsDamaged(
            f"the decision in {path} cannot be read ({error}): restore it from a backup, or remove it and give up what"
            " it forgot or excluded"
        ) from error


def _set(target: Forgotten | Excluded, values: dict[str, Any]) -> dict[str, Any]:
    """Set attributes; return what they were."""
    before = {name: getattr(target, name) for name in values}
    for name, value in values.items():
        setattr(target, name, value)
    return before


def _values(decision: Forgotten) -> list[Any]:
    values = [getattr(decision, f.name) for f in fields(Forgotten)]
    return [_packed(v, f.name) if isinstance(v, set | dict) else v for f, v in zip(fields(Forgotten), values, strict=True)]


def _packed(values: set[Any] | dict[int, int], name: str) -> Any:
    if isinstance(values, dict):
        return [array("Q", values).tobytes(), array("Q", values.values()).tobytes()]
    return sorted(values) if name == "sessions" else array("Q", sorted(values)).tobytes()


def _excluded(values: list[Any]) -> Excluded:
    found = Excluded(*values)
    for listed in (found.patterns, found.applied):
        if not isinstance(listed, list) or not all(isinstance(pattern, str) for pattern in listed):
            raise TypeError("it holds no list of patterns")
    return found


def _forgotten(values: list[Any]) -> Forgotten:
    found = Forgotten(*values)
    if not isinstance(found.id, int) or not isinstance(found.made, int) or not isinstance(found.value, str):
        raise TypeError("it holds no decision")
    found.sessions = set(found.sessions)
    found.keys, found.spared = set(_unpacked(found.keys)), set(_unpacked(found.spared))
    if found.read:  # a decision of an earlier version has none
        keys, ends = found.read
        found.read = dict(zip(_unpacked(keys), _unpacked(ends), strict=True))
    return found


def _unpacked(data: Any) -> array[int]:
    found = array("Q")
    found.frombytes(data)
    return found
