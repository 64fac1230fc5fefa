"""Takes sessions, messages and facts out of a batch and its index. Nothing is gone before the next commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from recalld.index.documents import SEPARATOR, StoredFacts, StoredFile, from_body, record_key
from recalld.ingest.nodes import Session

if TYPE_CHECKING:
    from recalld.ingest.batch import Batch


def discard_session(batch: Batch, skey: str) -> bool:
    """Take a whole session out; return whether the index held anything of it."""
    session = batch.session(skey)
    held = session.stored is not None or any(not n.fresh for n in session.nodes.values())
    held = held or bool(session.facts)
    for other in session.lineage:
        shared = batch.session(other)
        shared.lineage.discard(skey)
        shared.regroup = shared.dirty = True
    for forks in batch.forks.values():
        forks.discard(skey)
    batch.writer.delete("skey", skey)
    for uid in session.nodes:
        batch.new_uids.get(uid, set()).discard(skey)
    batch.sessions[skey] = Session(skey)  # else it would be read back from the last commit
    batch.session(skey)
    return held


def discard_nodes(batch: Batch, skey: str, uids: Iterable[str]) -> bool:
    """Take messages out of a session; return whether the index held any of them."""
    session = batch.session(skey)
    gone = [session.nodes[uid] for uid in uids if uid in session.nodes]
    for node in gone:
        for held in node.held:
            batch.writer.delete("key", record_key(skey, held.id))
        batch.new_uids.get(node.uid, set()).discard(skey)
    session.remove(gone)
    session.regroup = session.regroup or bool(session.lineage)
    return any(not node.fresh for node in gone)


def discard_uid(batch: Batch, agent: str, uid: str) -> bool:
    """Take a message out of every session that holds it; return whether the index held it."""
    stale = False
    for skey in {*batch.new_uids.get(uid, ()), *batch.writer.snapshot.holders(uid)}:
        if skey.startswith(agent + SEPARATOR) and uid in batch.session(skey).nodes:
            stale |= discard_nodes(batch, skey, [uid])
    discard_leaves(batch, agent, {uid})
    return stale


def discard_beginnings(batch: Batch, skey: str, known: Callable[[list[int]], bool]) -> bool:
    """Take out of the forks of a session what they begin with, as long as `known` knows it (by the hashes of its
    records); return whether the index held any of it."""
    stale = False
    for fork in list(batch.forks.get(skey, ())):
        session = batch.session(fork)
        gone: list[str] = []
        for node in batch.in_order(session):
            if node.held:
                if not known([h.hash for h in node.held]):
                    break
                gone.append(node.uid)
        if gone:
            stale |= discard_nodes(batch, fork, gone)
    return stale


def discard_facts(batch: Batch, skey: str, drops: Callable[[str, str, int | None], bool]) -> None:
    """Take out what is told of a session, where `drops(skey, name, time)`. A fact without a time has that of the
    message before it."""
    session = batch.session(skey)
    for file, entries in session.facts.items():
        times = sorted((n.offset, n.time) for n in session.nodes.values() if n.file == file and n.time is not None)
        kept = []
        for entry in entries:
            time = entry[3]
            if time is None:
                time = next((t for offset, t in reversed(times) if offset <= entry[4]), None)
            if not drops(skey, entry[0], time):
                kept.append(entry)
        if len(kept) != len(entries):
            entries[:] = kept
            session.dirty_facts.add(file)
            session.dirty = True


def discard_leaves(batch: Batch, agent: str, uids: set[str]) -> None:
    """Take out the titles that files gave to whatever session holds one of these messages."""
    snapshot = batch.writer.snapshot
    if not uids & batch.leaves(agent).keys():
        return
    for uid in uids:
        batch.leaves(agent).pop(uid, None)
    for file, entries in batch.leaf_entries.items():
        entries[:] = [e for e in entries if e[2] not in uids]
        batch.dirty_leaf_files.add(file)
    for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "n"), snapshot.term("flag", "leaf"))):
        facts = from_body(StoredFacts, body)
        if facts.agent == agent and facts.file not in batch.leaf_entries and any(e[2] in uids for e in facts.entries):
            facts.entries = [e for e in facts.entries if e[2] not in uids]
            batch.writer.replace(facts)


def drop_file(batch: Batch, file: StoredFile) -> None:
    """Take out all that is kept of a file, its checkpoint included."""
    batch.writer.delete("file", file.id)
    batch.checkpoints.pop(file.id, None)
    batch.leaf_entries.pop(file.id, None)
    batch.dirty_leaf_files.discard(file.id)
