"""Builds a new index beside an outdated one, from the files, and from the old index what the files no longer hold.

The main process answers from the old index until the new one is whole. What a file that is gone said exists nowhere
else, so its documents are taken over: read from the old bodies, redacted again, analysed anew. A crash leaves the old
index current, and the half-built one is swept away at the next start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recalld import logs
from recalld.index.documents import (
    StoredCopy,
    StoredFacts,
    StoredFile,
    StoredLinks,
    StoredRecord,
)
from recalld.index.former import FormerIndex
from recalld.ingest.adopt import adopt_facts, adopt_file, adopt_links, adopt_nodes
from recalld.ingest.generations import Generation, Generations
from recalld.tail.memory import put_away

if TYPE_CHECKING:
    from recalld.ingest.worker import Worker


def rebuild(generations: Generations, old: Generation, make_builder: Callable[[Generation], Worker]) -> Generation:
    """Build a new generation, make it current, and return it. The builder's writer is closed again."""
    generations.sweep(old)
    new = generations.new()
    logs.info("rebuild", old=old.name, new=new.name, made_with=old.made_with, wanted=new.made_with)
    worker = make_builder(new)
    worker.look(None)
    worker.run(until_idle=True)
    if worker.stopping:
        raise SystemExit(0)
    kept = carry_over(FormerIndex(old.path), worker)
    worker.commit()
    worker.writer.close()
    generations.make_current(new)
    logs.info("rebuilt", index=new.name, kept_files=kept)
    return new


def carry_over(old: FormerIndex, worker: Worker) -> int:
    """Take over from `old` what came from files that are not on disk any more; return how many files that were."""
    kept = 0
    present = {(f.agent, f.path) for f in worker.files.values()}
    namesakes: dict[tuple[str, str], list[StoredFile]] = {}
    for f in worker.files.values():
        namesakes.setdefault((f.agent, f.logical), []).append(f)
    for file in old.all_of(StoredFile, "f"):
        if (file.agent, file.path) in present or file.id in worker.files:
            continue
        if any(_became(file, other) for other in namesakes.get((file.agent, file.logical), ())):
            continue
        adopted = adopt_file(worker, file)
        adopt_links(worker.batch, adopted, old.all_of(StoredLinks, "l", file=file.id))
        copies = list(old.all_of(StoredCopy, "c", file=file.id))
        adopt_nodes(worker.batch, adopted, old.all_of(StoredRecord, "r", file=file.id), copies, old)
        adopt_facts(worker.batch, adopted, old.all_of(StoredFacts, "n", file=file.id))
        kept += 1
        worker.touch()
        if worker.batch.text_bytes >= worker.config.index.batch_bytes:
            worker.commit()
    return kept


def _became(file: StoredFile, other: StoredFile) -> bool:
    """Return whether a file of the old index is, by all that a name and a place can tell, the one that is on disk now
    under the same name. A name alone does not say so: another project's directory, and another root, may have it too."""
    moved = not file.deleted and (file.dev, file.ino) == (other.dev, other.ino)
    copied = (file.offset, file.crc) == (other.offset, other.crc)
    return moved or copied or put_away(file, other.root, other.path)
