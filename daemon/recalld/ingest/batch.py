"""From items to documents: what is read between two commits, and how it becomes one.

`Batch.add` takes what parsers yield, file by file in any order, and keeps it in memory; `Batch.flush` decides ownership
and branches for the sessions that changed and writes their documents and the files' checkpoints. The caller commits.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping

from recalld.index.documents import (
    SEPARATOR,
    StoredFacts,
    StoredFile,
    StoredRecord,
    StoredSession,
    from_body,
    record_key,
    session_key,
)
from recalld.index.writer import IndexWriter
from recalld.ingest.bans import Bans
from recalld.ingest.fold import file_rank
from recalld.ingest.fragments import take_fragment
from recalld.ingest.nodes import Entry, Held, LeafTitle, Node, Session, is_person, load, title_of
from recalld.ingest.ownership import Said, decide, leave_behind
from recalld.ingest.texts import FACT_PLACES, Texts
from recalld.ingest.write import settle_session, write_session
from recalld.model import Fact, Message, Record, is_name
from recalld.sources.base import Source

_KEPT_NODES = 15_000
"""Nodes of sessions that are kept in memory between commits, about 1 KB each: what is written to now."""


class Batch:
    """The unwritten state over one index."""

    def __init__(self, writer: IndexWriter, files: Mapping[str, StoredFile], texts: Texts, bans: Bans | None = None) -> None:
        self.writer = writer
        self.bans = bans
        """What must not be taken in."""
        self.files = files
        """Every known file by id, kept up to date by the caller."""
        self.texts = texts
        self.sessions: OrderedDict[str, Session] = OrderedDict()
        self.used: dict[str, Session] = {}
        """The sessions that were asked for since the last flush: no other one can have changed."""
        self._sizes: dict[str, int] = {}
        self._kept = 0
        """Nodes of the sessions in memory, by session and in all, as of the last flush."""
        self.checkpoints: dict[str, StoredFile] = {}
        self.disturbed: list[StoredFile] = []
        """Files that must be read again, for what they share with one that was rewritten: the caller sees to it."""
        self.text_bytes = 0
        """Characters of text that wait to be written."""
        self.new_uids: dict[str, set[str]] = {}
        """Sessions that hold a uid, as far as the index does not know it yet."""
        self.orphans: dict[tuple[str, str], list[StoredRecord]] = {}
        """Records whose file no longer holds them, while a copy of them may: by (skey, uid)."""
        self.seen_uids: dict[int, str] | None = None
        """By the hash of every uid there is, the session that was first seen to hold it, while an index is built from
        nothing: spares the lookups."""
        self.known: set[str] | None = None
        """Every session that there is, while an index is built from nothing: spares the lookups for new ones."""
        self._leaf_facts: dict[str, dict[str, LeafTitle]] = {}
        """By agent, then by uid."""
        self.dirty_leaf_files: set[str] = set()
        self.leaf_entries: dict[str, list[Entry]] = {}
        self.forks: dict[str, set[str]] = {}
        """Skeys of the forks of a session, as files tell them."""
        self._load_known()

    def _load_known(self) -> None:
        snapshot = self.writer.snapshot
        leaves = snapshot.all_of(snapshot.term("type", "n"), snapshot.term("flag", "leaf"))
        for body in snapshot.bodies(leaves):
            facts = from_body(StoredFacts, body)
            for entry in facts.entries:
                self._know_leaf(facts.agent, facts.file, (entry[0], entry[1], entry[2], entry[3], entry[4]))
        forked = snapshot.all_of(snapshot.term("type", "s"), snapshot.term("flag", "forked"))
        for body in snapshot.bodies(forked):
            stored = from_body(StoredSession, body)
            self.forks.setdefault(session_key(stored.agent, stored.forked_from or ""), set()).add(stored.skey)
        if snapshot.searcher.num_docs == 0:
            self.seen_uids, self.known = {}, set()

    def built(self) -> None:
        """The first build is over: from now on a lookup in the index is cheap enough."""
        self.seen_uids = self.known = None

    # -- taking in ---------------------------------------------------------------------------------------------------

    def session(self, skey: str) -> Session:
        """Return a session, from memory or from the index."""
        found = self.sessions.get(skey)
        if found is None:
            new = self.known is not None and skey not in self.known
            found = self.sessions[skey] = Session(skey) if new else load(self.writer.snapshot, skey)
            leaves = self._leaf_facts.get(found.agent)
            if leaves and found.nodes:
                found.leaf_titles.update({uid: leaves[uid] for uid in leaves.keys() & found.nodes.keys()})
        self.sessions.move_to_end(skey)
        self.used[skey] = found
        return found

    def add(self, source: Source, file: StoredFile, item: Message | Fact) -> None:
        """Take one item of `file` in, unless it is forgotten or excluded."""
        if self.bans is not None and self.bans.drops(self, source, file, item):
            return
        if isinstance(item, Message):
            item.project, item.branch = self.texts.place(item.project), self.texts.place(item.branch)
            self._message(source, file, item)
        else:
            self._fact(file, item)

    def remove_file(self, file: StoredFile) -> None:
        """Take back everything that came from `file`, which is going to be read anew or is to be forgotten."""
        self._take_back_leaves(file)
        for skey in file.sessions:
            session = self.session(skey)
            gone = [n for n in session.nodes.values() if n.file == file.id]
            if session.lineage:
                session.regroup = True
                self._keep_orphans(session, gone)
            session.remove(gone)
            session.new_links.pop(file.id, None)
            session.facts.pop(file.id, None)
            session.told_sub_agent = None
        self.writer.delete("file", file.id)
        file.sessions = []

    def _keep_orphans(self, session: Session, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.own:
                records = [r for h in node.held if (r := self.record(session, h.id)) is not None]
                self.orphans[session.skey, node.uid] = records

    def record(self, session: Session, record: str) -> StoredRecord | None:
        """Return one of a session's own records with its text, from this batch or from the index."""
        found = session.pending.get(record)
        if found is not None:
            return found
        stored = self.writer.snapshot.record(session.skey, record)
        return stored if isinstance(stored, StoredRecord) else None

    def _message(self, source: Source, file: StoredFile, message: Message) -> None:
        if message.time is None:
            message.time = file.time
        else:
            file.time = message.time
        if any(r.kind == "message" for r in message.records):
            file.ord += 1
        session = self._session_for(file, session_key(file.agent, message.session))
        if session is None:
            return
        known = session.nodes.get(message.uid)
        if known is not None:
            if not source.fragments or known.file != file.id:
                return
            if known.held or known.owner is not None:
                take_fragment(self, session, known, message)
                return
            if not message.records:
                return
            message.parent = known.up  # the first fragment's, which had nothing to index: a thought
            session.take_back(known)
        node = Node(
            uid=message.uid,
            up=message.parent,
            file=file.id,
            offset=message.offset,
            length=message.length,
            ord=file.ord,
            time=message.time,
            held=[],
            project=message.project,
            branch=message.branch,
        )
        if message.records:
            said = Said(self, message.records, message.project, fragments=source.fragments)
            self._enter(source, session, node, said, lambda: self._make_records(session, node, file, message))
        else:
            session.insert(node)
            session.new_links.setdefault(file.id, []).append((node.uid, node.up, node.offset))
            self._name_leaf(session, node.uid)

    def adopt(self, source: Source, file: StoredFile, records: list[StoredRecord]) -> None:
        """Take in the records of one message that another index held; they are redacted again."""
        first = records[0]
        if self.bans is not None and self.bans.drops_adopted(self, source, file, records):
            return
        session = self._session_for(file, first.skey)
        if session is None:
            return
        known = session.nodes.get(first.uid)
        if known is not None:
            if known.held or known.owner is not None:
                return
            session.take_back(known)
        node = Node(
            uid=first.uid,
            up=first.up,
            file=file.id,
            offset=first.offset,
            length=first.length,
            ord=first.ord,
            time=first.time,
            held=[],
            project=self.texts.place(first.project),
            branch=self.texts.place(first.branch),
        )
        again = [self.texts.again(record) for record in records]
        told = [Record(r.role, r.kind, r.text if r.side_at is None else r.text[: r.side_at]) for r in again]
        said = Said(self, told, first.project, fragments=source.fragments)
        self._enter(source, session, node, said, lambda: self._take_records(session, node, again))

    def _session_for(self, file: StoredFile, skey: str) -> Session | None:
        """Return the session that a message of `file` goes to; None where a prompt history has nothing to add."""
        session = self.session(skey)
        if file.kind == "history":
            if session.nodes and not session.prompt_only:
                return None  # the transcript has what was typed
            session.prompt_only = True
        elif session.prompt_only:
            self._drop_prompts(session)
        if skey not in file.sessions:
            file.sessions.append(skey)
        return session

    def _enter(self, source: Source, session: Session, node: Node, said: Said, fill: Callable[[], None]) -> None:
        """Insert a node with records: as a copy where another session holds it, else with what `fill` puts into it."""
        elsewhere = self._elsewhere(session, node.uid, said) if source.lineage == "ids" and is_name(node.uid) else set()
        if elsewhere:
            # Whoever turns out to own it, the text is already there once.
            session.lineage |= elsewhere
            session.regroup = True
            node.owner = (min(elsewhere), node.uid)
        else:
            fill()
            leave_behind(self, session, node.uid)
        session.insert(node)
        self._know_uid(session.skey, node.uid)
        self._name_leaf(session, node.uid)

    def _name_leaf(self, session: Session, uid: str) -> None:
        title = self._leaf_facts.get(session.agent, {}).get(uid)
        if title is not None:
            session.leaf_titles[uid] = title

    def _drop_prompts(self, session: Session) -> None:
        """A transcript has appeared: what a prompt history told of the session goes."""
        prompts = [n for n in session.nodes.values() if n.file in self.files and self.files[n.file].kind == "history"]
        for node in prompts:
            for held in node.held:
                self.writer.delete("key", record_key(session.skey, held.id))
        session.remove(prompts)
        session.prompt_only = False

    def _take_records(self, session: Session, node: Node, records: list[StoredRecord]) -> None:
        for record in records:
            session.pending[record.id] = record
            self.text_bytes += len(record.text)
            node.held.append(Held(record.id, record.role, record.kind, record.hash))
        node.person = is_person(node.held)
        node.model = next((r.model for r in records if r.model), None)

    def _make_records(self, session: Session, node: Node, file: StoredFile, message: Message) -> None:
        for n, record in enumerate(message.records):
            self.make_record(session, node, file, message, record, n)
        node.person = is_person(node.held)
        node.model = next((r.model for r in message.records if r.model), None)
        if node.person and session.first_prompt is None:
            said = next(session.pending[h.id] for h in node.held if h.role == "user" and h.kind == "message")
            session.first_prompt = (node.uid, title_of(said.text))

    def make_record(self, session: Session, node: Node, file: StoredFile, message: Message, record: Record, sub: int) -> None:
        """Make a record of `message` the last one of `node`."""
        identity = record.id or (message.uid if sub == 0 else f"{message.uid}#{sub}")
        stored = self.texts.store(record, session, node, file, message, identity, sub)
        session.pending[identity] = stored
        self.text_bytes += len(stored.text)
        node.held.append(Held(identity, record.role, record.kind, stored.hash))

    # -- who else holds it -------------------------------------------------------------------------------------------

    def _know_uid(self, skey: str, uid: str) -> None:
        if self.seen_uids is not None:
            self.seen_uids.setdefault(hash(uid), skey)
        self.new_uids.setdefault(uid, set()).add(skey)

    def _elsewhere(self, session: Session, uid: str, said: Said) -> set[str]:
        """Return the other sessions that hold this message."""
        first = None if self.seen_uids is None else self.seen_uids.get(hash(uid), "")
        if first == "":
            return set()  # by far the most, in a first build

        def holds(skey: str) -> bool:
            there = self.session(skey)
            return there.holds(uid) and said.by(there, uid)

        known = {s for s in session.lineage if holds(s)}
        if known:  # the others of the lineage are reached through these
            return known
        agent = session.agent + SEPARATOR
        if first and first.startswith(agent) and first != session.skey and holds(first):
            return {first}
        found = {*self.new_uids.get(uid, ()), *self.writer.snapshot.holders(uid)}
        found.discard(session.skey)
        # Sessions whose node has since been taken back, in this very batch, do not count.
        return {s for s in found if s.startswith(agent) and holds(s)}

    # -- facts -------------------------------------------------------------------------------------------------------

    def _fact(self, file: StoredFile, fact: Fact) -> None:
        value = fact.value
        if isinstance(value, str):
            value = self.texts.place(value) if fact.name in FACT_PLACES else self.texts.redact(value)
        elif isinstance(value, dict):
            value = {k: self.texts.redact(v) if isinstance(v, str) else v for k, v in value.items()}
        entry: Entry = (fact.name, value, fact.leaf, fact.time, fact.offset)
        if fact.session is None:
            if fact.leaf is not None:
                self.leaf_entries.setdefault(file.id, self._stored_leaves(file)).append(entry)
                self.dirty_leaf_files.add(file.id)
                self._know_leaf(file.agent, file.id, entry)
                self._tell_leaf(file.agent, fact.leaf)
            return
        skey = session_key(file.agent, fact.session)
        if skey not in file.sessions:
            file.sessions.append(skey)
        session = self.session(skey)
        session.add_fact(file.id, entry)
        if fact.name == "forked_from" and isinstance(value, str) and value != fact.session:
            above = session_key(file.agent, value)
            self.forks.setdefault(above, set()).add(skey)
            session.regroup = True

    def _stored_leaves(self, file: StoredFile) -> list[Entry]:
        body = self.writer.snapshot.body(StoredFacts(file.id, file.agent, None, []).key)
        if body is None:
            return []
        return [(e[0], e[1], e[2], e[3], e[4]) for e in from_body(StoredFacts, body).entries]

    def _know_leaf(self, agent: str, file: str, entry: Entry) -> None:
        if entry[2] is not None:
            self._leaf_facts.setdefault(agent, {})[entry[2]] = (entry[1]["text"], file, entry[4])

    def _tell_leaf(self, agent: str, leaf: str) -> None:
        """Give a leaf's title, or that it has none any more, to the sessions that hold the leaf already."""
        title = self._leaf_facts.get(agent, {}).get(leaf)
        for session in [s for s in self.sessions.values() if s.agent == agent and leaf in s.nodes]:
            if title is None:
                session.leaf_titles.pop(leaf, None)
            else:
                session.leaf_titles[leaf] = title
            self.session(session.skey).dirty = True
        for skey in self.writer.snapshot.holders(leaf):
            if skey.startswith(agent + SEPARATOR) and skey not in self.sessions:
                self.session(skey).dirty = True

    def _take_back_leaves(self, file: StoredFile) -> None:
        """Take back the titles that a file gave to messages; those that other files gave them come in their place."""
        self.leaf_entries[file.id] = []  # not what the index holds of it until the next commit
        self.dirty_leaf_files.discard(file.id)
        known = self._leaf_facts.get(file.agent, {})
        gone = [uid for uid, (_, teller, _) in known.items() if teller == file.id]
        if not gone:
            return
        for uid in gone:
            del known[uid]
        for other, entries in self._all_leaves(file.agent):
            for entry in entries:
                if entry[2] in gone:
                    self._know_leaf(file.agent, other, entry)
        for uid in gone:
            self._tell_leaf(file.agent, uid)

    def _all_leaves(self, agent: str) -> Iterator[tuple[str, list[Entry]]]:
        """Yield what every file calls messages of other files: (file id, entries)."""
        snapshot = self.writer.snapshot
        for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "n"), snapshot.term("flag", "leaf"))):
            facts = from_body(StoredFacts, body)
            if facts.agent == agent and facts.file not in self.leaf_entries:
                yield facts.file, [(e[0], e[1], e[2], e[3], e[4]) for e in facts.entries]
        yield from (
            (id, entries) for id, entries in self.leaf_entries.items() if id in self.files and self.files[id].agent == agent
        )

    def leaves(self, agent: str) -> dict[str, LeafTitle]:
        """Return the titles that files gave to messages of an agent, by uid."""
        return self._leaf_facts.setdefault(agent, {})

    def in_order(self, session: Session) -> list[Node]:
        """Return a session's nodes in conversation order."""
        return session.ordered(file_rank(session, self.files))

    def refold(self, file: StoredFile) -> None:
        """Have the sessions of a file summed up anew: something about the file itself has changed."""
        for skey in file.sessions:
            self.session(skey).dirty = True

    # -- writing -----------------------------------------------------------------------------------------------------

    def flush(self) -> list[str]:
        """Write everything that waits; return the keys of the sessions that changed. The caller commits."""
        if self.bans is not None:
            self.bans.save()  # a decision is on disk before the index acts on it
        decide(self)
        changed = [skey for skey, s in self.used.items() if s.dirty]
        for skey in changed:
            settle_session(self, self.sessions[skey])
        if any(not node.fresh for skey in changed for node in self.sessions[skey].dirty_nodes.values()):
            self.writer.commit_held()  # their texts are read back: not in the middle of writing
        self.writer.resume()
        for skey in changed:
            write_session(self, self.sessions[skey])
        for file in self.dirty_leaf_files:
            agent = self.files[file].agent if file in self.files else self.checkpoints[file].agent
            self.writer.replace(StoredFacts(file, agent, None, self.leaf_entries[file]))
        for checkpoint in self.checkpoints.values():
            self.writer.replace(checkpoint)
        self.dirty_leaf_files.clear()
        self.leaf_entries.clear()
        self.checkpoints.clear()
        self.orphans.clear()
        self.new_uids.clear()
        self.text_bytes = 0
        self._let_go()
        return changed

    def _let_go(self) -> None:
        """Drop the sessions that were used longest ago."""
        if self.known is not None:
            self.known.update(self.used)
        for skey, session in self.used.items():
            self._kept += len(session.nodes) - self._sizes.get(skey, 0)
            self._sizes[skey] = len(session.nodes)
        self.used.clear()
        while self._kept > _KEPT_NODES and len(self.sessions) > 1:
            skey, _ = self.sessions.popitem(last=False)
            self._kept -= self._sizes.pop(skey, 0)
