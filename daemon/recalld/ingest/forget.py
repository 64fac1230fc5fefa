"""Takes forgotten and excluded history out of the index.

`gather` finds what is to go, `take_out` removes it from the index as it is (answers are right from the commit that
follows), `erase` removes it from the disk: a deleted document's text stays in its segment, and no merge can be forced,
so the living documents are written into a new index beside, which takes the old one's place.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recall.errors import IndexFailure
from recalld import logs
from recalld.decisions import Forgotten
from recalld.index.documents import (
    SEPARATOR,
    StoredCopy,
    StoredFacts,
    StoredFile,
    StoredLinks,
    StoredRecord,
    StoredSession,
    from_body,
    split_session_key,
)
from recalld.index.reader import Snapshot
from recalld.index.writer import IndexWriter
from recalld.ingest.bans import Bans, copy_key, node_key, said_key
from recalld.ingest.discard import discard_facts, discard_leaves, discard_nodes, discard_session, drop_file
from recalld.ingest.generations import Generations
from recalld.model import is_name
from recalld.sources import SOURCES

if TYPE_CHECKING:
    from recalld.ingest.worker import Worker

SIGN_EVERY_S = 2.0
"""How often a long copy shows that it is alive."""

STORED: tuple[tuple[str, Any], ...] = (
    ("r", StoredRecord),
    ("c", StoredCopy),
    ("l", StoredLinks),
    ("n", StoredFacts),
    ("s", StoredSession),
    ("f", StoredFile),
)
"""The kinds of documents, and what their bodies hold."""


@dataclass(slots=True)
class _Node:
    """One message that is to go: (place, hash) of its records, and whether another session owns them."""

    time: int | None
    said: list[tuple[int, int]]
    file: str
    copied: bool


@dataclass(slots=True)
class Targets:
    """What is to go."""

    nodes: dict[str, dict[str, _Node]] = field(default_factory=dict)
    """Messages by skey and uid."""
    whole: set[str] = field(default_factory=set)
    """Sessions of which no record stays."""
    links: dict[str, set[str]] = field(default_factory=dict)
    """Uids of the bookkeeping nodes of whole sessions."""
    records: int = 0
    copies: int = 0
    files: dict[str, int] = field(default_factory=dict)
    """Records by file id."""

    @property
    def sessions(self) -> set[str]:
        return set(self.nodes) | self.whole


def gather(snapshot: Snapshot, drops: Callable[[StoredRecord], bool], whole: set[str]) -> Targets:
    """Return what `drops` says is to go, the copies of it in other sessions, and all of the sessions in `whole`."""
    found = Targets()
    total: dict[str, int] = {}
    for body in snapshot.bodies(snapshot.term("type", "r")):
        r = from_body(StoredRecord, body)
        total[r.skey] = total.get(r.skey, 0) + 1
        if r.skey in whole or drops(r):
            _mark(found, r, copied=False)
            found.records += 1
            found.files[r.file] = found.files.get(r.file, 0) + 1
    for body in snapshot.bodies(snapshot.term("type", "c")):
        c = from_body(StoredCopy, body)
        total[c.skey] = total.get(c.skey, 0) + 1
        if c.skey in whole or c.owner_uid in found.nodes.get(c.owner, ()):
            own = c.skey in whole and c.owner_uid not in found.nodes.get(c.owner, ())
            _mark(found, c, copied=own)
            found.copies += 1
            found.files.setdefault(c.file, 0)
    found.whole |= whole
    for skey, nodes in found.nodes.items():
        if sum(len(node.said) for node in nodes.values()) == total[skey]:
            found.whole.add(skey)
    for body in snapshot.bodies(snapshot.term("type", "l")):
        links = from_body(StoredLinks, body)
        if links.skey in found.whole:
            found.links.setdefault(links.skey, set()).update(uid for uid, _, _ in links.nodes)
            found.files.setdefault(links.file, 0)
    return found


def _mark(found: Targets, r: StoredRecord | StoredCopy, *, copied: bool) -> None:
    nodes = found.nodes.setdefault(r.skey, {})
    node = nodes.get(r.uid)
    if node is None:
        node = nodes[r.uid] = _Node(r.time, [], r.file, copied)
    node.said.append((r.sub, r.hash))


def remember(decision: Forgotten, targets: Targets) -> None:
    """Give a decision what it takes to know again what is to go."""
    for skey, nodes in targets.nodes.items():
        agent = split_session_key(skey)[0]
        by_id = SOURCES[agent].lineage == "ids"
        for uid, node in nodes.items():
            said = [h for _, h in sorted(node.said)]
            keys = {node_key(agent, uid)} if by_id else {said_key(agent, said), copy_key(agent, said, node.time)}
            if by_id and not is_name(uid):
                continue
            (decision.spared if node.copied else decision.keys).update(keys)
    for skey, uids in targets.links.items():
        agent = split_session_key(skey)[0]
        decision.keys.update(node_key(agent, uid) for uid in uids if is_name(uid))
    decision.keys -= decision.spared


def take_out(worker: Worker, targets: Targets, bans: Bans) -> None:
    """Remove what is to go from the index as it is. The caller commits."""
    batch = worker.batch
    leaves: dict[str, set[str]] = {}
    for skey in targets.sessions:
        agent = split_session_key(skey)[0]
        uids = {*targets.nodes.get(skey, ()), *targets.links.get(skey, ())}
        leaves.setdefault(agent, set()).update(u for u in uids if is_name(u))
        if skey in targets.whole:
            discard_session(batch, skey)
        else:
            discard_facts(batch, skey, bans.drops_fact)
            discard_nodes(batch, skey, uids)
    for agent, uids in leaves.items():
        discard_leaves(batch, agent, uids)
    for file in worker.files.values():
        lost = [skey for skey in file.sessions if skey in targets.whole]
        if lost or file.id in targets.files:
            file.sessions = [skey for skey in file.sessions if skey not in targets.whole]
            batch.checkpoints[file.id] = file
    gone = [f for f in worker.files.values() if f.deleted and f.id in targets.files and not f.sessions]
    for file in gone:  # nothing on disk and nothing in the index: not even its path is kept
        drop_file(batch, file)
        worker.table.drop(file)
        del worker.files[file.id]
    worker.touch()


def hold_back(worker: Worker, targets: Targets, *, excluded: bool) -> None:
    """Note in the checkpoints which files hold what was taken out, so that it can be read again one day."""
    for skey, nodes in targets.nodes.items():
        for file_id in {node.file for node in nodes.values()}:
            file = worker.files.get(file_id)
            if file is not None:
                names = file.excluded if excluded else file.held_back
                if skey not in names:
                    names.append(skey)


def erase(worker: Worker, generations: Generations, alive: Callable[[], None]) -> None:
    """Write what lives into a new index, make it the current one, and delete the old one's files.

    The old index is current until the new one is whole. Raise IndexFailure where the old one's files cannot be deleted.
    """
    started = told = time.monotonic()
    old = worker.writer.snapshot
    new = generations.new()
    writer = IndexWriter(new.path, heap_bytes=worker.config.index.writer_heap_bytes)
    documents = 0
    for kind, cls in STORED:
        for body in old.bodies(old.term("type", kind)):
            writer.add(from_body(cls, body))
            documents += 1
            if documents % 256 == 0 and time.monotonic() - told > SIGN_EVERY_S:
                told = time.monotonic()
                alive()
    writer.commit()
    generations.make_current(new)
    worker.swap(writer, new.name)
    generations.sweep(new)
    left = [p.name for p in generations.root.iterdir() if p.is_dir() and p.name != new.name]
    if left:
        raise IndexFailure(
            f"the old index {generations.root / left[0]} cannot be deleted, and holds what was forgotten: remove it"
        )
    logs.info("erased", index=new.name, documents=documents, ms=(time.monotonic() - started) * 1000)


def sub_agents(snapshot: Snapshot, skey: str) -> set[str]:
    """Return the keys of the sessions that a session, or a sub-agent of it, has started."""
    children: dict[str, set[str]] = {}
    flagged = snapshot.all_of(snapshot.term("type", "s"), snapshot.term("flag", "subagent"))
    for body in snapshot.bodies(flagged):
        found = from_body(StoredSession, body)
        parent = f"{found.agent}{SEPARATOR}{found.parent}" if found.parent else found.skey.partition("/")[0]
        children.setdefault(parent, set()).add(found.skey)
        if "/" in found.skey:
            children.setdefault(found.skey.partition("/")[0], set()).add(found.skey)
    result: set[str] = set()
    waiting = [skey]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in result and child != skey:
                result.add(child)
                waiting.append(child)
    return result
