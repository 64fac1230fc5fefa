"""What is to be done about files: the output of every decision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recalld.index.documents import StoredFile
from recalld.sources.base import SourceFile


@dataclass(frozen=True, slots=True)
class Read:
    """Go on reading at `file.offset`. A file seen for the first time has a checkpoint with offset 0 and no state. Files
    of kind `meta` and `spill` are read whole."""

    file: StoredFile
    reason: Literal["new", "grown", "changed"]


@dataclass(frozen=True, slots=True)
class Replace:
    """The file says something else now: read it from 0. What it said before goes with its first complete line, and not
    before: `restart` the checkpoint then."""

    file: StoredFile


@dataclass(frozen=True, slots=True)
class Move:
    """The file has another path (renamed, archived, compressed, unpacked, or a copy took over). The checkpoint has been
    changed already; its records' file id stays the same."""

    file: StoredFile
    source: SourceFile
    was: str
    """The path that it had."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The file was deleted; `file.deleted` is set. Its records stay."""

    file: StoredFile


@dataclass(frozen=True, slots=True)
class Back:
    """A deleted file is there again with what it held; `file.deleted` is cleared."""

    file: StoredFile


@dataclass(frozen=True, slots=True)
class Look:
    """Nothing but stat fields changed; the checkpoint has been refreshed and may be committed with the next batch."""

    file: StoredFile


@dataclass(frozen=True, slots=True)
class Whole:
    """The prefix is in doubt: call `FileTable.verify` when there is nothing better to do."""

    file: StoredFile


@dataclass(frozen=True, slots=True)
class Trouble:
    """The file cannot be compared now (permissions, damage); every scan tries again."""

    path: Path
    message: str


Action = Read | Replace | Move | Gone | Back | Look | Whole | Trouble
