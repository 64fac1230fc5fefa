"""Carries out what `lineage` decides: moves records between sessions and puts copies in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from recalld.index.documents import SEPARATOR, StoredRecord, session_key
from recalld.ingest import lineage
from recalld.ingest.lineage import Holding, Place
from recalld.ingest.nodes import Held, Node, Session, is_person, title_of
from recalld.model import Record
from recalld.sources import SOURCES

if TYPE_CHECKING:
    from recalld.ingest.batch import Batch

_COPIES = 10
"""Copies of copies that are followed, until ownership is decided: two may say it of each other."""


def decide(batch: Batch) -> None:
    """Bring the ownership of every lineage that changed up to date, in memory."""
    done: set[str] = set()
    for skey, session in list(batch.used.items()):
        if skey in done or not session.dirty or not _concerned(batch, session):
            continue
        group = _group(batch, session)
        done |= set(group)
        if len(group) > 1 or session.lineage:
            _apply(batch, group)
        for member in group.values():
            member.regroup = False


def whose(batch: Batch, session: Session, uid: str) -> tuple[Session, str, Node | None]:
    """Return (session, uid, node) of the message that has the text of this one: its own, or what it is a copy of. There
    is no node where a file that is read anew no longer holds it."""
    node = session.nodes.get(uid)
    for _ in range(_COPIES):
        if node is None or node.owner is None:
            break
        session, uid = batch.session(node.owner[0]), node.owner[1]
        node = session.nodes.get(uid)
    return session, uid, node


class Said:
    """What a message says that is being taken in, worked out once for all the sessions that may hold it too."""

    def __init__(self, batch: Batch, records: list[Record], project: str | None, *, fragments: bool) -> None:
        self._batch = batch
        self._records = records
        self._project = project
        self._fragments = fragments

    @cached_property
    def _texts(self) -> list[str]:
        return [self._batch.texts.as_stored(record, self._project) for record in self._records]

    @cached_property
    def _hashes(self) -> list[int]:
        hash_stored = self._batch.texts.hash_stored
        said = zip(self._records, self._texts, strict=True)
        return [hash_stored(record.role, record.kind, text, self._project) for record, text in said]

    def by(self, holder: Session, uid: str) -> bool:
        """Return whether the message `uid` of `holder` says it: an id alone makes no copy, or a message would be lost
        wherever two unrelated ones are called the same."""
        holder, uid, node = whose(self._batch, holder, uid)
        theirs: Sequence[Held | StoredRecord] = self._batch.orphans.get((holder.skey, uid), ())
        if node is not None and node.own:
            theirs = node.held
        if not theirs:
            return True  # its text is on the way from one session to another
        found = [self._is_one(holder, held, n) for n, held in enumerate(theirs[: len(self._records)])]
        return any(found) if self._fragments else all(found) and len(theirs) == len(self._records)

    def _is_one(self, holder: Session, held: Held | StoredRecord, n: int) -> bool:
        """Return whether a record of `holder` and the `n`th one here are one, but for what came behind it: what a side
        file holds, or, where the agent writes a message in fragments, the further ones."""
        batch, record = self._batch, self._records[n]
        if (held.role, held.kind) != (record.role, record.kind):
            return False
        if held.hash == self._hashes[n]:
            return True
        stored = held if isinstance(held, StoredRecord) else batch.record(holder, held.id)
        if stored is None and isinstance(held, Held):  # written, and not committed
            batch.writer.commit_held()
            stored = batch.record(holder, held.id)
        if stored is None:
            return False
        new = self._texts[n]
        if stored.side_at is not None and stored.text[: stored.side_at] == new:
            return True
        return self._fragments and (stored.text.startswith(f"{new}\n") or new.startswith(f"{stored.text}\n"))


def leave_behind(batch: Batch, session: Session, uid: str) -> None:
    """A file that is read anew says something else under this id: what it said stays with the copies of it."""
    said = batch.orphans.pop((session.skey, uid), None)
    if said is None:
        return
    before = (session.skey, uid + SEPARATOR)
    batch.orphans[before] = said
    for skey in session.lineage:
        copy = batch.session(skey).nodes.get(uid)
        if copy is not None and copy.owner == (session.skey, uid):
            copy.owner = before


def _concerned(batch: Batch, session: Session) -> bool:
    if session.regroup:
        return True
    if SOURCES[session.agent].lineage == "prefix":
        return session.forked_from() is not None or session.skey in batch.forks
    return bool(session.lineage) and session.first_own is None


def _group(batch: Batch, start: Session) -> dict[str, Session]:
    """Return every session that shares records with `start`, directly or through others."""
    group: dict[str, Session] = {}
    waiting = [start.skey]
    by_prefix = SOURCES[start.agent].lineage == "prefix"
    while waiting:
        skey = waiting.pop()
        if skey in group:
            continue
        session = batch.session(skey)
        if skey != start.skey and not session.nodes:
            continue
        group[skey] = session
        if by_prefix:
            above = session.forked_from()
            waiting += [session_key(session.agent, above)] if above else []
            waiting += batch.forks.get(skey, ())
        else:
            waiting += session.lineage
    for session in group.values():
        others = set(group) - {session.skey}
        if session.lineage != others:
            session.lineage, session.dirty = others, True
    return group


def _apply(batch: Batch, group: dict[str, Session]) -> None:
    agent = next(iter(group.values())).agent
    holdings: dict[str, Holding] = {}
    for skey, session in group.items():
        above = session.forked_from()
        holdings[skey] = Holding(
            forked_from=session_key(agent, above) if above else None,
            nodes=tuple(
                (n.uid, n.time, tuple(hash((h.role, h.kind, h.hash)) for h in n.held))
                for n in batch.in_order(session)
                if n.held or n.owner is not None
            ),
            copied={n.uid: _places_of(group, n.owner)[-1] for n in session.nodes.values() if n.owner is not None},
        )
    rule = lineage.by_prefix if SOURCES[agent].lineage == "prefix" else lineage.by_ids
    outcome = rule(holdings)
    for skey, session in group.items():
        if session.first_own != outcome.first_own[skey]:
            session.first_own = outcome.first_own[skey]
            session.dirty = True
    _move_texts(batch, group, outcome.copies)
    _settle_copies(group, outcome.copies)


def _places_of(group: dict[str, Session], place: Place) -> list[Place]:
    """Return where the text can be that a copy says is at `place`: until it is decided, there may be another copy, that
    says it is elsewhere. The last one is where it is, unless two say it of each other: a file was read anew."""
    places: list[Place] = []
    at: Place | None = place
    while at is not None and at not in places:
        places.append(at)
        holder = group.get(at[0])
        node = holder.nodes.get(at[1]) if holder is not None else None
        at = node.owner if node is not None else None
    return places if at is None else [*places, min(places)]


def _move_texts(batch: Batch, group: dict[str, Session], copies: dict[Place, Place]) -> None:
    """Give each record to its owner, from whoever has its text now."""
    for skey, session in group.items():
        for node in list(session.nodes.values()):
            target = copies.get((skey, node.uid))
            if target is None:
                if node.owner is not None:
                    _take_over(batch, group, session, node)
                continue
            owner = group[target[0]]
            theirs = owner.nodes[target[1]]
            if node.own and theirs.owner is not None:
                _fill(batch, owner, theirs, _texts(batch, session, node))
            if node.own:
                for held in node.held:
                    session.pending.pop(held.id, None)
                if session.first_prompt and session.first_prompt[0] == node.uid:
                    session.first_prompt = None
                session.touch(node)


def _take_over(batch: Batch, group: dict[str, Session], session: Session, node: Node) -> None:
    """Make a copy the record itself: its owner no longer holds it, or is younger."""
    assert node.owner is not None
    records: list[StoredRecord] | None = None
    for skey, uid in _places_of(group, node.owner):
        records = batch.orphans.get((skey, uid))
        holder = group.get(skey)
        theirs = holder.nodes.get(uid) if holder is not None else None
        if records is None and holder is not None and theirs is not None and theirs.own:
            records = _texts(batch, holder, theirs)
        if records is not None:
            break
    uid = node.owner[1]
    if records is None:
        records = next((r for (_, u), r in batch.orphans.items() if u == uid), None)
    if records is None:
        for other in group.values():
            theirs = other.nodes.get(uid)
            if theirs is not None and theirs.own:
                records = _texts(batch, other, theirs)
                break
    if records:
        _fill(batch, session, node, records)


def _texts(batch: Batch, session: Session, node: Node) -> list[StoredRecord]:
    found = [r for h in node.held if (r := batch.record(session, h.id)) is not None]
    for record in found:
        record.merged = node.merged
    return found


def _fill(batch: Batch, session: Session, node: Node, records: list[StoredRecord]) -> None:
    """Make `node` own `records`, at its own place."""
    ids = [h.id for h in node.held] if len(node.held) == len(records) else [r.id for r in records]
    first = records[0]
    node.held = []
    node.owner = None
    for identity, record in zip(ids, records, strict=True):
        session.pending[identity] = replace(
            record,
            skey=session.skey,
            id=identity,
            uid=node.uid,
            up=node.up,
            file=node.file,
            offset=node.offset,
            length=node.length,
            ord=node.ord,
            subagent=session.sub_agent,
        )
        batch.text_bytes += len(record.text)
        node.held.append(Held(identity, record.role, record.kind, record.hash))
    node.person = is_person(node.held)
    if node.uid == first.uid:
        node.time, node.merged = first.time, first.merged
    node.project, node.branch = node.project or first.project, node.branch or first.branch
    node.model = next((r.model for r in records if r.model), None)
    session.touch(node)
    if node.person and session.first_prompt is None:
        session.first_prompt = (node.uid, title_of(first.text))


def _settle_copies(group: dict[str, Session], copies: dict[Place, Place]) -> None:
    """Write down, in every copy, what it is a copy of."""
    for (skey, uid), target in copies.items():
        session = group[skey]
        node = session.nodes[uid]
        theirs = group[target[0]].nodes[target[1]]
        held = [replace(h) for h in theirs.held]
        if len(node.held) == len(held):
            for mine, h in zip(node.held, held, strict=True):
                h.id = mine.id
        time = theirs.time if target[1] == uid else node.time  # of the last fragment, where there are several
        if node.owner != target or node.held != held or node.time != time:
            node.owner, node.held, node.time = target, held, time
            node.person = theirs.person
            session.touch(node)
