"""Takes stored documents of another index into a batch, as if their file had just been read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from recalld.index.documents import StoredCopy, StoredFacts, StoredFile, StoredLinks, StoredRecord, split_session_key
from recalld.index.former import FormerIndex
from recalld.ingest.batch import Batch
from recalld.model import Fact, Message
from recalld.sources import SOURCES

if TYPE_CHECKING:
    from recalld.ingest.worker import Worker


def adopt_file(worker: Worker, file: StoredFile) -> StoredFile:
    """Take a checkpoint over; the file counts as deleted."""
    adopted = replace(file, deleted=True, sessions=[])
    worker.files[adopted.id] = adopted
    worker.table.add(adopted)
    worker.batch.checkpoints[adopted.id] = adopted
    return adopted


def adopt_links(batch: Batch, file: StoredFile, links: Iterable[StoredLinks]) -> None:
    """Take bookkeeping nodes over."""
    source = SOURCES[file.agent]
    for stored in links:
        session = split_session_key(stored.skey)[1]
        for uid, up, offset in stored.nodes:
            batch.add(source, file, Message(session, uid, up, None, offset, 0))


def adopt_nodes(
    batch: Batch, file: StoredFile, records: Iterable[StoredRecord], copies: Iterable[StoredCopy], old: FormerIndex
) -> None:
    """Take records over, and copies with the text of their owners in the old index.

    Whether the session keeps them is decided as for any file: another session of the new index may own them by now.
    """
    nodes: dict[tuple[str, str], list[StoredRecord]] = {}
    for record in records:
        nodes.setdefault((record.skey, record.uid), []).append(record)
    for copy in copies:
        owned = old.owned(copy)
        if owned is not None:
            as_own = replace(
                owned,
                skey=copy.skey,
                id=copy.id,
                uid=copy.uid,
                up=copy.up,
                file=copy.file,
                offset=copy.offset,
                length=copy.length,
                ord=copy.ord,
                sub=copy.sub,
            )
            nodes.setdefault((copy.skey, copy.uid), []).append(as_own)
    for group in sorted(nodes.values(), key=lambda g: g[0].offset):
        batch.adopt(SOURCES[file.agent], file, sorted(group, key=lambda r: r.sub))


def adopt_facts(batch: Batch, file: StoredFile, facts: Iterable[StoredFacts]) -> None:
    """Take facts over."""
    source = SOURCES[file.agent]
    for stored in facts:
        session = split_session_key(stored.skey)[1] if stored.skey else None
        for name, value, leaf, time, offset in stored.entries:
            fact = Fact(name, value, session, leaf, time, offset)  # type: ignore[arg-type]  # it was a FactName
            batch.add(source, file, fact)
