"""Keeps what other files hold when one of them is read anew.

A session may lie in several files that begin alike and went on apart (a transcript that was copied, and both go on). A
message that all of them hold was taken in from the one that was read first. When that one is rewritten and no longer says
it, it is still on disk in the others, and they are read again.
"""

from __future__ import annotations

from collections.abc import Iterable

from recalld.index.documents import StoredFile
from recalld.ingest.batch import Batch


class Beside:
    """What is lost of the sessions of a file that is read anew, and who may still hold it.

    From the moment that the file's messages are taken out, the checkpoints of the others answer to no text: whatever
    ends this process, or the reading, meanwhile, they are read again. `settle` makes them good where nothing is lost.
    """

    def __init__(self, batch: Batch, file: StoredFile, alike: Iterable[StoredFile]) -> None:
        """Must come before the file's messages are taken out. `alike`: files on disk of the same name, of which nothing
        may have been taken in because this one says it too."""
        self._batch = batch
        self._held: dict[str, set[str]] = {}
        """By session, the messages that the file held."""
        self._others: dict[str, tuple[bytes, bytes, int]] = {}
        """By file id, what a checkpoint said before."""
        named = {f.id for f in alike}
        for skey in file.sessions:
            nodes = batch.session(skey).nodes.values()
            others = {n.file for n in nodes} | {f for f in named if skey in batch.files[f].sessions}
            others = {f for f in others - self._others.keys() if f != file.id and _reads_on(batch.files.get(f))}
            self._held[skey] = {n.uid for n in nodes if n.file == file.id} if others else set()
            for other in (batch.files[f] for f in others):
                self._others[other.id] = other.head, other.tail, other.crc
                other.head = other.tail = b""
                other.crc = ~other.crc & 0xFFFFFFFF
                batch.checkpoints[other.id] = other

    def settle(self, *, whole: bool) -> list[StoredFile]:
        """Return the files that are to be read again. `whole`: the file has been read to its end."""
        if whole and all(uids <= self._batch.session(skey).nodes.keys() for skey, uids in self._held.items()):
            for file_id, told in self._others.items():
                other = self._batch.files.get(file_id)
                if other is not None and not other.head:  # it has not been read again meanwhile
                    other.head, other.tail, other.crc = told
                    self._batch.checkpoints[file_id] = other
            return []
        return [f for f in map(self._batch.files.get, self._others) if f is not None and not f.head]


def _reads_on(file: StoredFile | None) -> bool:
    """Return whether a file is on disk and read by offset, and something of it has been read."""
    return file is not None and not file.deleted and file.kind == "transcript" and bool(file.head)
