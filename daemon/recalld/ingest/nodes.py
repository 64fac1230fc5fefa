"""A session as the ingest works on it: the tree of its messages, and what files have told of it.

Everything here can be read back from the index; a `Session` lives in memory only while its session is active.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from recalld.index.documents import (
    StoredCopy,
    StoredFacts,
    StoredLinks,
    StoredRecord,
    StoredSession,
    from_body,
    split_session_key,
)
from recalld.index.reader import Snapshot
from recalld.model import NO_LINKS, Kind, Role

Entry = tuple[str, Any, str | None, int | None, int]
"""A fact: (name, value, leaf, time, offset)."""

LeafTitle = tuple[str, str, int]
"""A title that a file gave to whatever session holds a node: (text, file id, offset)."""

TITLE_CHARS = 80
"""A title that nobody gave is the first prompt, cut here."""

KEPT_ALL = frozenset({"compaction", "rolled_back", "link"})
"""Facts of which every one counts; of the others the last one wins."""


@dataclass(slots=True)
class Held:
    """One record of a node, without its text."""

    id: str
    role: Role
    kind: Kind
    hash: int


@dataclass(slots=True)
class Node:
    """One message of the conversation; without `held`, a bookkeeping node that parent links run through."""

    uid: str
    up: str | None
    file: str
    offset: int
    length: int
    ord: int
    time: int | None
    held: list[Held]
    person: bool = False
    """It is what a person said."""
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    owner: tuple[str, str] | None = None
    """(skey, uid) of the node that owns the text, where this one is a copy."""
    abandoned: bool = False
    parent: str | None = None
    """Uid of the nearest node above that holds records."""
    seen: int = 1
    """Fragments of the message that the session's file has shown."""
    merged: int = 1
    """Fragments that the records' text is made of, where the node owns them."""
    fresh: bool = True
    """The index does not hold it yet."""

    @property
    def own(self) -> bool:
        return self.owner is None and bool(self.held)

    @property
    def linked(self) -> bool:
        """Whether it has a place in the tree."""
        return self.up != NO_LINKS

    @property
    def turn(self) -> bool:
        """Whether a branch can start here: a person said it, or did it (a command of their own)."""
        return any(h.role == "user" for h in self.held)

    @property
    def summary(self) -> bool:
        """Whether it sums up what lies above it."""
        return any(h.kind == "summary" for h in self.held)


@dataclass(slots=True)
class Branches:
    """What is known of a session's branches, so that an append need not look at all of it."""

    live: set[str]
    """The nodes from the live end up to a root."""
    leaf: str | None
    turns: dict[str | None, int]
    """How many things that a person said or did, and summaries, hang below each node."""


@dataclass(slots=True)
class Totals:
    """What a session's nodes come to."""

    nodes: int = 0
    """How many nodes of the order have been summed up."""
    own: int = 0
    copies: int = 0
    first: int | None = None
    last: int | None = None
    """Times of the session's own records; of copies while there are no own ones."""
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    files: dict[str, None] = field(default_factory=dict)
    """Files that hold records, in conversation order."""


@dataclass(slots=True)
class Session:
    """One session in memory."""

    skey: str
    nodes: dict[str, Node] = field(default_factory=dict)
    facts: dict[str, list[Entry]] = field(default_factory=dict)
    """By file id, in file order."""
    leaf_titles: dict[str, LeafTitle] = field(default_factory=dict)
    """Titles that other files gave to a node of this session: uid → (text, file id, offset)."""
    stored: StoredSession | None = None
    pending: dict[str, StoredRecord] = field(default_factory=dict)
    """Records with their text, by id, that wait for the next commit."""
    new_links: dict[str, list[tuple[str, str | None, int]]] = field(default_factory=dict)
    dirty_facts: set[str] = field(default_factory=set)
    lineage: set[str] = field(default_factory=set)
    first_own: int | None = None
    regroup: bool = False
    """Who owns what must be decided again."""
    unresolved: set[str] = field(default_factory=set)
    """Nodes whose parent has not been seen."""
    relinked: bool = False
    """A link has become a message: what hangs below it gets another parent, worked out once for all of them."""
    dirty_nodes: dict[str, Node] = field(default_factory=dict)
    """Nodes whose documents must be written in the next commit."""
    order: list[Node] | None = field(default_factory=list)
    """The nodes in conversation order; None where that must be worked out anew."""
    branches: Branches | None = None
    """Which nodes are live; None where that must be worked out anew."""
    appended: list[Node] = field(default_factory=list)
    """Nodes that came behind all others since `branches` was right."""
    totals: Totals | None = None
    """What `fold` sums up; None where it must be summed up anew."""
    first_prompt: tuple[str, str] | None = None
    """(uid, title made of it) of the first thing that a person said in a record of the session's own."""
    copied_prompt: str | None = None
    """The title that the first thing a person said gives, where all of that are copies."""
    told_sub_agent: bool | None = None
    """`sub_agent`, once it has been worked out from the facts as they are."""
    prompt_only: bool = False
    """Known from a prompt history alone."""
    dirty: bool = False

    @property
    def agent(self) -> str:
        return split_session_key(self.skey)[0]

    @property
    def id(self) -> str:
        return split_session_key(self.skey)[1]

    @property
    def sub_agent(self) -> bool:
        """Whether its id or a file says that it is a sub-agent's."""
        if self.told_sub_agent is None:
            told = (e[0] == "sub_agent" for entries in self.facts.values() for e in entries)
            self.told_sub_agent = "/" in self.skey or any(told)
        return self.told_sub_agent

    def forked_from(self) -> str | None:
        """Return the session id that a file says this one was forked from."""
        for entries in self.facts.values():
            for name, value, *_ in entries:
                if name == "forked_from" and value != self.id:
                    return str(value)
        return None

    def insert(self, node: Node) -> None:
        """Add a node; the caller has seen to it that its uid is new."""
        last = self.order[-1] if self.order else None
        if self.order is not None and (last is None or (last.file == node.file and last.offset <= node.offset)):
            self.order.append(node)
            self.appended.append(node)
        else:
            self.rethink()
        self.nodes[node.uid] = node
        self.dirty_nodes[node.uid] = node
        self.dirty = True
        self.resolve(node)

    def remove(self, nodes: list[Node]) -> None:
        """Take nodes out."""
        for node in nodes:
            del self.nodes[node.uid]
            self.dirty_nodes.pop(node.uid, None)
            self.unresolved.discard(node.uid)
            for held in node.held:
                self.pending.pop(held.id, None)
            if self.first_prompt and self.first_prompt[0] == node.uid:
                self.first_prompt = None
        self.unresolved.update(n.uid for n in self.nodes.values() if n.up and n.up not in self.nodes)
        self.rethink()

    def take_back(self, node: Node) -> None:
        """Take a link out, since records come in its place. Documents that name it stay: `load` lets records go first."""
        if self.order and self.order[-1] is node:
            self.order.pop()
            if self.appended and self.appended[-1] is node:
                self.appended.pop()
            if self.totals is not None:
                self.totals.nodes = min(self.totals.nodes, len(self.order))
        else:
            self.relinked = True
            self.rethink()
        del self.nodes[node.uid]
        self.dirty_nodes.pop(node.uid, None)
        self.unresolved.discard(node.uid)
        links = self.new_links.get(node.file)
        if links and links[-1][0] == node.uid:
            links.pop()

    def holds(self, uid: str) -> bool:
        """Return whether it has a message of this id, its own or a copy: a link alone is none."""
        node = self.nodes.get(uid)
        return node is not None and (bool(node.held) or node.owner is not None)

    def touch(self, node: Node) -> None:
        """Have a node's documents written again; what it says or whose it is has changed."""
        self.dirty_nodes[node.uid] = node
        self.totals = None
        self.dirty = True

    def rethink(self) -> None:
        """Have order, branches and sums worked out anew."""
        self.order = self.branches = self.totals = None
        self.appended.clear()
        self.dirty = True

    def resolve(self, node: Node) -> bool:
        """Work out `node.parent`; return whether it changed. A parent that has not been seen leaves it unresolved."""
        up, seen = node.up, 0
        parent: str | None = None
        while up:
            above = self.nodes.get(up)
            if above is None or seen > len(self.nodes):
                self.unresolved.add(node.uid)
                break
            if above.held or above.owner is not None:
                parent = above.uid
                self.unresolved.discard(node.uid)
                break
            up, seen = above.up, seen + 1
        else:
            self.unresolved.discard(node.uid)
        changed, node.parent = node.parent != parent, parent
        return changed

    def ordered(self, rank: dict[str, int]) -> list[Node]:
        """Return the nodes in conversation order; `rank` orders the files."""
        if self.order is None:
            self.order = sorted(self.nodes.values(), key=lambda n: (rank.get(n.file, 0), n.offset))
        return self.order

    def add_fact(self, file: str, entry: Entry) -> None:
        """Take a fact in; of those that the last one of a file wins, the earlier ones go."""
        entries = self.facts.setdefault(file, [])
        name = entry[0]
        if name == "title":
            rank = entry[1]["rank"]
            entries[:] = [e for e in entries if e[0] != name or e[1]["rank"] != rank]
        elif name in KEPT_ALL:
            if entry in entries:
                return
        else:
            entries[:] = [e for e in entries if e[0] != name]
        entries.append(entry)
        self.told_sub_agent = None
        self.dirty_facts.add(file)
        self.dirty = True

    def all_facts(self, rank: dict[str, int]) -> Iterator[tuple[str, Entry]]:
        """Yield (file id, fact) in conversation order."""
        for file in sorted(self.facts, key=lambda f: (rank.get(f, 0), f)):
            for entry in sorted(self.facts[file], key=lambda e: e[4]):
                yield file, entry


def title_of(text: str) -> str:
    """Return the title that a first prompt gives."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def is_person(held: list[Held]) -> bool:
    """Return whether records are what a person said."""
    return any(h.role == "user" and h.kind == "message" for h in held)


def load(snapshot: Snapshot, skey: str) -> Session:
    """Return a session as the index holds it; empty if it holds none."""
    session = Session(skey)
    stored = snapshot.session(skey)
    of_session = snapshot.term("skey", skey)

    for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "n"), of_session)):
        facts = from_body(StoredFacts, body)
        session.facts[facts.file] = [(e[0], e[1], e[2], e[3], e[4]) for e in facts.entries]
    if stored is None:
        return session
    session.stored = stored
    session.lineage = set(stored.lineage)
    session.first_own = stored.first_own
    session.prompt_only = stored.prompt_only

    by_uid: dict[str, list[StoredRecord | StoredCopy]] = {}
    for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "r"), of_session)):
        r = from_body(StoredRecord, body)
        by_uid.setdefault(r.uid, []).append(r)
    for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "c"), of_session)):
        c = from_body(StoredCopy, body)
        by_uid.setdefault(c.uid, []).append(c)
    nodes = [_node_of(sorted(group, key=lambda r: r.sub)) for group in by_uid.values()]
    for body in snapshot.bodies(snapshot.all_of(snapshot.term("type", "l"), of_session)):
        links = from_body(StoredLinks, body)
        nodes += [_link(uid, up, links.file, offset) for uid, up, offset in links.nodes if uid not in by_uid]
    rank = {file: n for n, file in enumerate(stored.files)}
    for node in sorted(nodes, key=lambda n: (rank.get(n.file, 0), n.offset)):
        if node.uid not in session.nodes:
            session.insert(node)
        if node.person and node.own and session.first_prompt is None:
            first = by_uid[node.uid][0]
            if isinstance(first, StoredRecord):
                session.first_prompt = (node.uid, title_of(first.text))
    for uid in list(session.unresolved):
        session.resolve(session.nodes[uid])
    for node in session.nodes.values():
        node.fresh = False
    session.dirty_nodes.clear()
    session.dirty = False
    return session


def _node_of(group: list[StoredRecord | StoredCopy]) -> Node:
    first = group[0]
    return Node(
        uid=first.uid,
        up=first.up,
        file=first.file,
        offset=first.offset,
        length=first.length,
        ord=first.ord,
        time=first.time,
        held=[Held(r.id, r.role, r.kind, r.hash) for r in group],
        person=any(r.role == "user" and r.kind == "message" for r in group),
        project=first.project if isinstance(first, StoredRecord) else None,
        branch=first.branch if isinstance(first, StoredRecord) else None,
        model=next((r.model for r in group if isinstance(r, StoredRecord) and r.model), None),
        owner=(first.owner, first.owner_uid) if isinstance(first, StoredCopy) else None,
        abandoned=first.abandoned,
        seen=first.seen,
        merged=first.merged if isinstance(first, StoredRecord) else 0,
        parent=first.parent if isinstance(first, StoredRecord) else None,
    )


def _link(uid: str, up: str | None, file: str, offset: int) -> Node:
    return Node(uid=uid, up=up, file=file, offset=offset, length=0, ord=0, time=None, held=[])
