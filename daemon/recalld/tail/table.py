"""Telling files apart: from what a scan found and what the checkpoints know to what is to be done.

The rules, in the order in which they are tried for one scan:

1. *Stay.* The path is known, and the text there begins with what the checkpoint covers: the same file, whatever its
   device or inode number. Where nothing of its stat changed since the last look, it is not opened. Where the inode is
   another one, the whole prefix is compared, not the edges alone.
2. *Move.* What is left over on disk is compared with the checkpoints that are left over: those with its inode, and
   those with its logical name (archived, compressed, unpacked). The text decides; device and inode only say what to
   compare.
3. *Copies.* A file with the logical name of one that is still there, of which one begins with the whole of the other,
   is a copy. One of them is read, the others are kept in mind: the one with more complete lines; among equals the
   plain one, then the one that is not archived, then the first by path. When it goes, another one takes over by rule
   2. So it does not matter which was seen first. Where a plain file and its compressed form in the same directory say
   different things, the plain one is read, and the other one left alone while it is there.
4. *Replace.* A known path with another text: truncated and written anew, rewritten in place, or replaced. It is read
   from the start. A file cut to nothing keeps what it said until it has a line again.
5. *Rewritten and put away.* A file in an archive, or compressed, or back from there, of whose logical name a checkpoint
   is left that no file answers to: what was read of it before is replaced, as if the rewriting had been seen where it
   was.
6. *New.* Everything else on disk that is not empty.
7. *Gone.* Checkpoints whose path was looked at and which no file answers to.

A timestamp proves nothing while it is young: a file changed within `RACY` of the look can change again and keep size
and mtime. Such a file is due for another look, in which its edges are compared even if its stat says that nothing
changed.

Growth leaves a prefix as it was, and the edges of it are all that is compared then. A change in the middle of a file that
also grew shows only when the whole is read, so that is done once the file has been quiet for a while (`QUIET`), at a
bounded cost (`CHECKED_PER_SECOND`, `MOST_CHECKED`).

The table reads files to compare them, and writes nothing. It changes the identity fields of its checkpoints (path,
device, inode, logical name, deleted) as it decides, so the same finding is not told twice; `size` and `mtime_ns` are
those of the last time that the file was read to its end (`advance`) or nothing was left to read. A crash in between
leaves the old ones in the last commit, and the finding is made again. One thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

from recall.errors import RecallError
from recalld.index.documents import StoredFile
from recalld.tail.actions import Action, Replace
from recalld.tail.decide import WHOLE_KINDS, Round, source_of, trouble
from recalld.tail.fingerprint import matches
from recalld.tail.found import Found, Scan, Stat, single
from recalld.tail.lines import LineReader
from recalld.tail.memory import Memory


class FileTable:
    """The checkpoints, by id, path, logical name and inode.

    `files` are the committed ones; all that are not deleted get one `Whole` with the first look at them. `now` gives
    seconds since the epoch.
    """

    def __init__(self, files: Iterable[StoredFile] = (), *, now: Callable[[], float] = time.time) -> None:
        self._memory = Memory(now)
        for file in files:
            self.add(file)

    def files(self) -> list[StoredFile]:
        """Return all checkpoints."""
        return list(self._memory.by_id.values())

    def get(self, file_id: str) -> StoredFile | None:
        """Return the checkpoint with that id."""
        return self._memory.by_id.get(file_id)

    def at(self, agent: str, path: str) -> StoredFile | None:
        """Return the checkpoint of the file at that path: the one on disk, where there were several."""
        return self._memory.at(agent, path)

    def alike(self, file: StoredFile) -> list[StoredFile]:
        """Return the checkpoints of the files on disk that have a file's logical name, its own among them."""
        return self._memory.living(source_of(file))

    def copies(self) -> list[Found]:
        """Return the files that are not read because another one says the same."""
        return [copy.found for copy in self._memory.copies.values()]

    def add(self, file: StoredFile) -> None:
        """Take in a committed checkpoint."""
        self._memory.add(file)
        if file.offset and not file.deleted and file.kind not in WHOLE_KINDS:
            self._memory.unchecked.add(file.id)

    def drop(self, file: StoredFile) -> None:
        """Forget a checkpoint: the next look finds a new file there."""
        self._memory.remove(file)

    def known(self, agent: str, path: str, stat: Stat) -> str | None:
        """Return the id of the checkpoint whose file is at a path in a state in which nothing is left to do, or None."""
        file = self._memory.at(agent, path)
        return file.id if file is not None and self._memory.unchanged(file, stat) else None

    def examine(self, found: Found) -> list[Action]:
        """Return what is to be done about one file that is there."""
        return self.reconcile(single([found]))

    def reconcile(self, scan: Scan) -> list[Action]:
        """Return what is to be done after a scan, whole or partial. `Read` and `Replace` come last.

        A `Read` or `Replace` that has not been carried out is given again by the next look.
        """
        return Round(self._memory, scan).decide()

    def verify(self, file: StoredFile) -> list[Action]:
        """Compare the whole prefix; return nothing, or that the file is to be replaced. Reads `file.offset` bytes."""
        self._memory.unchecked.discard(file.id)
        self._memory.told.discard(file.id)
        if file.deleted or file.kind in WHOLE_KINDS:
            return []
        try:
            same = matches(Path(file.path), file, whole=True)
        except FileNotFoundError:
            return []  # the next scan tells
        except (OSError, RecallError) as error:
            return [trouble(file.path, error)]
        if same:
            file.verified = True
            return []
        self._memory.release(file.id)
        return [Replace(file)]

    def advance(self, file: StoredFile, reader: LineReader) -> None:
        """Take the reader's place and stat into the checkpoint: the file was read to the end that it had when opened.

        `lines` and `skipped` are the caller's.
        """
        file.offset, file.crc, file.head, file.tail = reader.offset, reader.crc, reader.head, reader.tail
        self.seen(file, Stat.of(reader.stat))

    def seen(self, file: StoredFile, stat: Stat) -> None:
        """Take a stat into the checkpoint: nothing is left to read of the file in that state."""
        self._memory.seen(file, stat)

    def due(self) -> tuple[list[Path], float | None]:
        """Return the paths to look at again now, and the seconds until the next ones are due (None: there are none)."""
        ready, wait = self._memory.due()
        return [Path(path) for path in ready], wait


def restart(file: StoredFile) -> None:
    """Reset a checkpoint to that of a file of which nothing was read. Identity, size, mtime and `sessions` stay."""
    f = file
    fresh = StoredFile(f.id, f.agent, f.kind, f.root, f.path, f.logical, f.session, f.compressed)
    for field in fields(StoredFile):
        if field.name not in ("dev", "ino", "size", "mtime_ns", "sessions"):
            setattr(file, field.name, getattr(fresh, field.name))
