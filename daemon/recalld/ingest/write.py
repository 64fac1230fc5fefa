"""Writes the documents of a session that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recalld.index.documents import SEPARATOR, StoredCopy, StoredFacts, StoredLinks, split_session_key
from recalld.ingest import branches
from recalld.ingest.fold import file_rank, fold, live_leaf, sum_up
from recalld.ingest.nodes import Branches, Node, Session, title_of
from recalld.sources import SOURCES

if TYPE_CHECKING:
    from recalld.ingest.batch import Batch

_LINKS_A_DOCUMENT = 2000


def settle_session(batch: Batch, session: Session) -> None:
    """Work out what is new or different of a session, before anything is written."""
    rank = file_rank(session, batch.files)
    order = session.ordered(rank)
    loose, session.relinked = [*(session.nodes if session.relinked else session.unresolved)], False
    for uid in loose:
        node = session.nodes.get(uid)
        if node is None:
            session.unresolved.discard(uid)
        elif session.resolve(node):
            session.branches = None
            session.touch(node)
    _mark_abandoned(session, order, rank)
    _find_first_prompt(batch, session, order)


def write_session(batch: Batch, session: Session) -> None:
    """Write what `settle_session` found, and the session's own document; it is clean afterwards."""
    rank = file_rank(session, batch.files)
    for node in session.dirty_nodes.values():
        _write_node(batch, session, node)
        node.fresh = False
    for file, links in session.new_links.items():
        for start in range(0, len(links), _LINKS_A_DOCUMENT):
            batch.writer.add(StoredLinks(session.skey, file, links[start : start + _LINKS_A_DOCUMENT]))
    for file in session.dirty_facts:
        if file in session.facts:
            batch.writer.replace(StoredFacts(file, session.agent, session.skey, session.facts[file]))
    _write_summary(batch, session, session.ordered(rank), rank)
    session.pending.clear()
    session.dirty_nodes.clear()
    session.new_links.clear()
    session.dirty_facts.clear()
    session.dirty = False


def _mark_abandoned(session: Session, order: list[Node], rank: dict[str, int]) -> None:
    new, session.appended = session.appended, []
    if SOURCES[session.agent].lineage == "prefix":
        marks = [(f, e[4], int(e[1])) for f, e in session.all_facts(rank) if e[0] == "rolled_back"]
        if not marks and session.branches is None:
            return  # no rollback has ever been seen
        gone = branches.rolled_back(order, marks, rank)
        session.branches = Branches(set(), None, {})
    else:
        leaf = live_leaf(session, order, rank)
        known, linear = session.branches, SOURCES[session.agent].linear
        if known is not None and leaf is None and branches.extend(known, session.nodes, new, linear=linear):
            return
        session.branches, gone = branches.work_out(session.nodes, order, leaf, linear=linear)
        if leaf is not None:
            session.branches = None  # the next node will move the live end
    for node in order:
        if node.abandoned != (node.uid in gone):
            node.abandoned = not node.abandoned
            session.touch(node)


def _find_first_prompt(batch: Batch, session: Session, order: list[Node]) -> None:
    if session.first_prompt is not None and session.totals is not None:
        return  # nothing has changed but what was appended
    first = next((n for n in order if n.person and n.own), None)
    session.copied_prompt = None
    if first is None:
        session.first_prompt = None
        session.copied_prompt = _copied_prompt(batch, session, order)
    elif session.first_prompt is None or session.first_prompt[0] != first.uid:
        said = next(h for h in first.held if h.role == "user" and h.kind == "message")
        record = batch.record(session, said.id)
        session.first_prompt = (first.uid, title_of(record.text)) if record is not None else None


def _copied_prompt(batch: Batch, session: Session, order: list[Node]) -> str | None:
    copy = next((n for n in order if n.person and n.owner), None)
    if copy is None or copy.owner is None or session.sub_agent:  # a sub-agent does not show what it inherited
        return None
    owner = batch.session(copy.owner[0])
    theirs = owner.nodes.get(copy.owner[1])
    said = next((h for h in theirs.held if h.role == "user" and h.kind == "message"), None) if theirs else None
    record = batch.record(owner, said.id) if said else None
    return title_of(record.text) if record else None


def _write_node(batch: Batch, session: Session, node: Node) -> None:
    put = batch.writer.add if node.fresh else batch.writer.replace
    for sub, held in enumerate(node.held):
        if node.owner is None:
            record = batch.record(session, held.id)
            if record is None:  # its text went with a file that was taken back in this batch
                continue
            record.abandoned = node.abandoned
            record.parent = node.parent
            record.seen, record.merged = node.seen, node.merged
            put(record)
        else:
            skey, uid = node.owner
            theirs = held.id
            if skey in batch.sessions:
                owned = batch.sessions[skey].nodes.get(uid)
                if owned is not None and sub < len(owned.held):
                    theirs = owned.held[sub].id
            put(
                StoredCopy(
                    skey=session.skey,
                    id=held.id,
                    uid=node.uid,
                    up=node.up,
                    time=node.time,
                    role=held.role,
                    kind=held.kind,
                    owner=skey,
                    owner_id=theirs,
                    owner_uid=uid,
                    file=node.file,
                    offset=node.offset,
                    length=node.length,
                    ord=node.ord,
                    sub=sub,
                    abandoned=node.abandoned,
                    hash=held.hash,
                    seen=node.seen,
                )
            )


def _write_summary(batch: Batch, session: Session, order: list[Node], rank: dict[str, int]) -> None:
    if not sum_up(session, order).files:
        if session.stored is not None:
            batch.writer.delete("key", f"s{SEPARATOR}{session.skey}")
            session.stored = None
        return
    summary = fold(session, order, rank, batch.files)
    if summary != session.stored:
        batch.writer.replace(summary)
        session.stored = summary
        above = summary.forked_from
        if above is not None:
            agent = split_session_key(session.skey)[0]
            batch.forks.setdefault(f"{agent}{SEPARATOR}{above}", set()).add(session.skey)
