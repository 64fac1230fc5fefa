"""The stored forms: what each kind of document keeps in its `body`, and how it becomes a Tantivy document.

Bodies are msgpack arrays in the order of the fields here; a new field goes to the end, with a default, and needs no new
format as long as its absence means the default.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

import msgpack
import tantivy

from recalld import analysis
from recalld.index.schema import hash_term, hashed, said_term, tag
from recalld.model import Kind, Role

SEPARATOR = "\x1f"


def session_key(agent: str, session: str) -> str:
    """Return the key that names a session across agents."""
    return f"{agent}{SEPARATOR}{session}"


def split_session_key(skey: str) -> tuple[str, str]:
    """Return (agent, internal session id)."""
    agent, _, session = skey.partition(SEPARATOR)
    return agent, session


number_of = lru_cache(maxsize=4096)(hashed)
"""A session key's number: `hashed`, remembered."""


@dataclass(slots=True)
class StoredRecord:
    """A record with its place. `id` is unique within the session; times are epoch ms."""

    skey: str
    id: str
    uid: str
    up: str | None
    """Uid of the parent node, as written."""
    parent: str | None
    """Id of the nearest record above, through bookkeeping nodes."""
    project: str | None
    time: int | None
    role: Role
    kind: Kind
    tool: str | None
    paths: list[str]
    command: str | None
    exit_status: int | None
    is_error: bool | None
    model: str | None
    branch: str | None
    text: str
    truncated: bool
    abandoned: bool
    call: str | None
    side: str | None
    file: str
    offset: int
    length: int
    ord: int
    sub: int
    """Place within the line: 0 for its first record."""
    subagent: bool
    redactor: int
    """Version of the redactor that the text went through."""
    hash: int = 0
    """`hash_of` it: what it says, whoever holds it."""
    seen: int = 1
    """Fragments of the message that the session's own file has shown."""
    merged: int = 1
    """Fragments that are in the text: a fork's file may have shown more of them first."""
    side_at: int | None = None
    """Where in `text` the side file's content begins; None: it has not been read."""

    @property
    def agent(self) -> str:
        return split_session_key(self.skey)[0]

    @property
    def session(self) -> str:
        return split_session_key(self.skey)[1]

    @property
    def key(self) -> str:
        return record_key(self.skey, self.id)


@dataclass(slots=True)
class StoredCopy:
    """A record that this session holds as a copy; its text is the owner's."""

    skey: str
    id: str
    uid: str
    up: str | None
    time: int | None
    role: Role
    kind: Kind
    owner: str
    """The owning session's skey."""
    owner_id: str
    owner_uid: str
    file: str
    offset: int
    length: int
    ord: int
    sub: int
    abandoned: bool
    hash: int = 0
    """`hash_of` the owner's record."""
    seen: int = 1
    """Fragments of the message that the session's own file has shown."""

    @property
    def key(self) -> str:
        return record_key(self.skey, self.id)


@dataclass(slots=True)
class StoredLinks:
    """Bookkeeping nodes of one read of one file."""

    skey: str
    file: str
    nodes: list[tuple[str, str | None, int]]
    """(uid, parent's uid, offset)."""

    @property
    def key(self) -> str:
        return f"l{SEPARATOR}{self.file}{SEPARATOR}{self.nodes[0][2]}{SEPARATOR}{number_of(self.skey)}"


@dataclass(slots=True)
class StoredFacts:
    """What one file tells of one session beside records (`skey` None: of the sessions that hold certain nodes)."""

    file: str
    agent: str
    skey: str | None
    entries: list[tuple[str, Any, str | None, int | None, int]]
    """(name, value, leaf, time, offset) in file order; of what the last one wins, only the last."""

    @property
    def key(self) -> str:
        return f"n{SEPARATOR}{self.file}{SEPARATOR}{self.skey or ''}"


@dataclass(slots=True)
class StoredSession:
    """What is known of a session as a whole: folded from its records, links and facts, and replaced with them."""

    skey: str
    sid: str
    """The id as people use it. Sub-agents: without the parent's in front; two may share one."""
    parent: str | None = None
    """The parent's internal session id (sub-agents)."""
    sub_agent: str | None = None
    """The kind of sub-agent; "" where it is one of no known kind; None for a main session."""
    description: str | None = None
    project: str | None = None
    resume_project: str | None = None
    title: str | None = None
    given_title: bool = False
    started: int | None = None
    updated: int | None = None
    records: int = 0
    copies: int = 0
    branch: str | None = None
    model: str | None = None
    provider: str | None = None
    files: list[str] = field(default_factory=list)
    """Ids of the files that hold it, in conversation order."""
    deleted: bool = False
    """None of its files is on disk any more."""
    prompt_only: bool = False
    live_leaf: str | None = None
    compactions: list[list[Any]] = field(default_factory=list)
    """[time, tokens before, tokens after, messages] each."""
    links: list[str] = field(default_factory=list)
    forked_from: str | None = None
    lineage: list[str] = field(default_factory=list)
    """Skeys of the sessions that it shares records with."""
    first_own: int | None = None
    """Time of the first record that no other session of the lineage holds."""
    places: list[list[str]] = field(default_factory=list)
    """[path, root] of each of `files`, so that showing a session takes one document; empty where one is not known. A
    file that moves has its sessions written again."""

    @property
    def key(self) -> str:
        return f"s{SEPARATOR}{self.skey}"

    @property
    def agent(self) -> str:
        return split_session_key(self.skey)[0]

    @property
    def id(self) -> str:
        return split_session_key(self.skey)[1]


@dataclass(slots=True)
class StoredFile:
    """A checkpoint: what has been read of a file, and how it is told from others."""

    id: str
    agent: str
    kind: str
    root: str
    path: str
    logical: str
    session: str | None
    compressed: bool = False
    dev: int = 0
    ino: int = 0
    size: int = 0
    """Bytes on disk when last looked at."""
    mtime_ns: int = 0
    offset: int = 0
    """The byte after the last newline whose line is in this commit (of the uncompressed text)."""
    head: bytes = b""
    """Hash of the first 4 KiB, or of what is before `offset` where that is less."""
    tail: bytes = b""
    """Hash of the last 4 KiB before `offset`."""
    crc: int = 0
    """CRC-32 of everything before `offset`."""
    lines: int = 0
    skipped: int = 0
    """Non-blank lines that are not one JSON object, and lines over the limit."""
    problems: list[list[Any]] = field(default_factory=list)
    """The first few skipped lines: [offset, why]."""
    unknown: dict[str, int] = field(default_factory=dict)
    state: bytes | None = None
    """The parser's, msgpack: it is looked at when the file grows, and most never do again."""
    deleted: bool = False
    sessions: list[str] = field(default_factory=list)
    """Skeys of the sessions it holds records of."""
    ord: int = 0
    """Ordinal of the next message."""
    time: int | None = None
    """Time of the last message that had one."""
    verified: bool = True
    """The whole prefix has been compared since the last doubt."""
    held_back: list[str] = field(default_factory=list)
    """Skeys of the sessions of which something in it was forgotten."""
    excluded: list[str] = field(default_factory=list)
    """Skeys of the sessions of which something in it lies in an excluded project."""

    @property
    def key(self) -> str:
        return f"f{SEPARATOR}{self.id}"

    def parser_state(self) -> dict[str, Any] | None:
        """Return what the parser remembers, unpacked."""
        if self.state is None:
            return None
        state: dict[str, Any] = msgpack.unpackb(self.state, strict_map_key=False, unicode_errors="surrogatepass")
        return state

    def remember(self, state: dict[str, Any]) -> None:
        """Keep what the parser remembers, packed."""
        self.state = msgpack.packb(state, unicode_errors="surrogatepass")


def record_key(skey: str, record: str) -> str:
    """Return the key of a record or copy."""
    return f"r{SEPARATOR}{skey}{SEPARATOR}{record}"


Stored = StoredRecord | StoredCopy | StoredLinks | StoredFacts | StoredSession | StoredFile
S = TypeVar("S", StoredRecord, StoredCopy, StoredLinks, StoredFacts, StoredSession, StoredFile)

_VALUES: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    cls: attrgetter(*(f.name for f in fields(cls)))
    for cls in (StoredRecord, StoredCopy, StoredLinks, StoredFacts, StoredSession, StoredFile)
}


def to_body(stored: Stored) -> bytes:
    """Return the msgpack body of a stored form."""
    body: bytes = msgpack.packb(_VALUES[type(stored)](stored), unicode_errors="surrogatepass")
    return body


def from_body(cls: type[S], body: bytes | bytearray | list[int]) -> S:
    """Return the stored form in a body."""
    return cls(*msgpack.unpackb(bytes(body), strict_map_key=False, unicode_errors="surrogatepass"))


@lru_cache(maxsize=256)
def _tags_of(skey: str, file: str, project: str | None, branch: str | None, subagent: bool) -> str:
    """Return the tags that the records of one session have in common."""
    tags = [tag("type", "r"), tag("file", file), tag("skey", skey), tag("agent", split_session_key(skey)[0])]
    if branch:
        tags.append(tag("branch", analysis.fold(branch)))
    if subagent:
        tags.append(tag("flag", "subagent"))
    if project:
        tags += [tag("project", token) for token in analysis.project_tokens(project)]
    return " ".join(tags)


@lru_cache(maxsize=1024)
def _tags_of_kind(role: str, kind: str, tool: str | None, is_error: bool | None, abandoned: bool) -> str:
    """Return the tags that records of one kind have in common."""
    tags = [tag("role", role), tag("kind", kind)]
    if tool:
        tags.append(tag("tool", analysis.fold(tool)))
    if is_error:
        tags.append(tag("flag", "error"))
    if abandoned:
        tags.append(tag("flag", "abandoned"))
    return " ".join(tags)


def record_document(r: StoredRecord) -> tantivy.Document:
    """Return the searchable document of a record."""
    d = tantivy.Document()
    add = d.add_text
    tags = _tags_of(r.skey, r.file, r.project, r.branch, r.subagent)
    tags += " " + _tags_of_kind(r.role, r.kind, r.tool, r.is_error, r.abandoned)
    add("tags", tags if r.side is None else f"{tags} {tag('side', r.side)}")
    for path in r.paths:
        add("path", analysis.plain(path))
    plain, stem, parts = analysis.text_fields(r.text, r.kind)
    add("text", plain)
    if stem:
        add("stem", stem)
    if parts:
        add("parts", parts)
    number = d.add_integer
    number("key", hash_term("key", r.key))
    if r.sub == 0:
        number("uid", hash_term("uid", r.uid))
    if r.call:
        number("call", hash_term("call", r.call))
    if r.kind != "output":
        number("said", said_term(r.hash))
    number("snum", number_of(r.skey))
    number("time", r.time or 0)
    number("ord", r.ord)
    number("place", place_of(r.offset, r.sub))
    number("hash", r.hash)
    number("size", len(r.text))
    number("weight", weight_of(r))
    d.add_bytes("body", to_body(r))
    return d


def place_of(offset: int, sub: int) -> int:
    """Return the sort key of a record within its file."""
    return offset << 8 | min(sub, 255)


KINDS: tuple[Kind, ...] = ("message", "tool_call", "command", "read", "edit", "output", "summary")
ROLES: tuple[Role, ...] = ("user", "assistant", "tool", "system")

SESSION_WEIGHT = 4096
"""`weight` of a session's document, which is found by its title."""
SUB_AGENT_WEIGHT = 512
"""Added to `weight` for what is of a sub-agent."""


def weight_of(r: StoredRecord) -> int:
    """Return place in KINDS + 16 * place in ROLES + 256 if abandoned + SUB_AGENT_WEIGHT of a sub-agent."""
    return KINDS.index(r.kind) + 16 * ROLES.index(r.role) + 256 * r.abandoned + SUB_AGENT_WEIGHT * r.subagent


def hash_of(role: str, kind: str, text: str) -> int:
    """Return a 63-bit hash of what a record says, stable across processes."""
    digest = hashlib.blake2b(f"{role}\x1f{kind}\x1f{text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def document(stored: Stored) -> tantivy.Document:
    """Return the Tantivy document of any stored form."""
    if isinstance(stored, StoredRecord):
        return record_document(stored)
    d = tantivy.Document()
    d.add_integer("key", hash_term("key", stored.key))
    d.add_bytes("body", to_body(stored))
    if isinstance(stored, StoredCopy):
        tags = [tag("type", "c"), tag("skey", stored.skey), tag("file", stored.file)]
        if stored.sub == 0:
            d.add_integer("uid", hash_term("uid", stored.uid))
        d.add_integer("snum", number_of(stored.skey))
        d.add_integer("place", place_of(stored.offset, stored.sub))
        if stored.abandoned:
            tags.append(tag("flag", "abandoned"))
    elif isinstance(stored, StoredLinks):
        tags = [tag("type", "l"), tag("skey", stored.skey), tag("file", stored.file)]
        for uid, _, _ in stored.nodes:
            d.add_integer("uid", hash_term("uid", uid))
    elif isinstance(stored, StoredFacts):
        tags = [tag("type", "n"), tag("file", stored.file)]
        tags.append(tag("skey", stored.skey) if stored.skey else tag("flag", "leaf"))
    elif isinstance(stored, StoredSession):
        tags = _session_fields(d, stored)
    else:
        tags = [tag("type", "f"), tag("file", stored.id), tag("agent", stored.agent)]
    d.add_text("tags", " ".join(tags))
    return d


def _session_fields(d: tantivy.Document, s: StoredSession) -> list[str]:
    """Add what a session is found and ranked by; return its tags."""
    tags = [tag("type", "s"), tag("skey", s.skey), tag("sid", s.sid), tag("agent", s.agent)]
    if s.sub_agent is not None:
        tags.append(tag("flag", "subagent"))
    if s.forked_from:
        tags.append(tag("flag", "forked"))
    if s.branch:
        tags.append(tag("branch", analysis.fold(s.branch)))
    if s.project:
        tags += [tag("project", token) for token in analysis.project_tokens(s.project)]
    if s.title:
        plain, stem, parts = analysis.text_fields(s.title, "message")
        if s.given_title:  # the first prompt is found as a record
            d.add_text("title", plain)
            if stem:
                d.add_text("stem", stem)
            if parts:
                d.add_text("parts", parts)
    d.add_integer("snum", number_of(s.skey))
    d.add_integer("time", s.updated or 0)
    d.add_integer("weight", SESSION_WEIGHT + SUB_AGENT_WEIGHT * (s.sub_agent is not None))
    d.add_integer("size", s.records)
    return tags


def records_of(docs: Iterable[tantivy.Document]) -> list[StoredRecord]:
    """Return the records in documents of type `r`."""
    return [from_body(StoredRecord, d["body"][0]) for d in docs]
