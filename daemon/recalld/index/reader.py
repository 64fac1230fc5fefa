"""Reading the index: snapshots of the last commit, and the lookups that every answer is made of.

The reading process holds one `IndexReader` for its life and reloads it when the writing process tells of a commit. A
`Snapshot` is one consistent state; it stays readable after newer ones exist.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import tantivy

from recall.errors import IndexFailure
from recalld.index.documents import (
    SEPARATOR,
    StoredCopy,
    StoredFile,
    StoredLinks,
    StoredRecord,
    StoredSession,
    from_body,
    number_of,
    record_key,
)
from recalld.index.schema import TAGS, build_schema, register_tokenizers, tag, term_of

_CACHED_SESSIONS = 20_000
"""Sessions kept decoded, about 1 KB each: most stores fit whole."""
_COUNTED = 10_000
"""Ids that are looked at to count those with one beginning."""
_HEXADECIMAL = re.compile("[0-9A-Fa-f-]+")
_REMEMBERED_CHANGES = 4096
"""Sessions of which it is known when they last changed, those that did last: about 150 bytes each."""


class Changes:
    """Which sessions the commits changed, and when: what was worked out of one snapshot holds in another one for all
    sessions that did not change between the two.

    One object belongs to all snapshots between two openings of the index, or commits that may have changed any session.
    """

    def __init__(self) -> None:
        self.commit = 0
        """The number of the newest commit read."""
        self._last: OrderedDict[int, int] = OrderedDict()
        """The commit that last changed each session, by `snum`, the newest at the end."""
        self._forgotten = 0
        """The newest commit of which some sessions are not in `_last` any more."""
        self._lock = threading.Lock()  # long answers are made in threads

    def add(self, skeys: Iterable[str]) -> None:
        """Note a commit by the sessions that it changed."""
        with self._lock:
            self.commit += 1
            for number in map(number_of, skeys):
                self._last[number] = self.commit
                self._last.move_to_end(number)
            while len(self._last) > _REMEMBERED_CHANGES:
                self._forgotten = self._last.popitem(last=False)[1]

    def since(self, commit: int) -> list[int] | None:
        """Return the `snum`s of the sessions that changed after a commit; None where that is not known any more."""
        with self._lock:
            if commit < self._forgotten:
                return None
            return [number for number, _ in takewhile(lambda item: item[1] > commit, reversed(self._last.items()))]

    def same(self, number: int, commit: int, other: int) -> bool:
        """Tell whether a session, by its `snum`, is known to be the same in two commits."""
        if commit == other:
            return True
        with self._lock:
            return self._last.get(number, self._forgotten) <= min(commit, other)


class Place(NamedTuple):
    """Where a file of an agent lies."""

    path: str
    root: str


class Snapshot:
    """One committed state of the index."""

    def __init__(
        self,
        searcher: tantivy.Searcher,
        schema: tantivy.Schema,
        sessions: dict[str, StoredSession],
        changes: Changes | None = None,
    ) -> None:
        self.searcher = searcher
        self.schema = schema
        self.changes = changes or Changes()
        self.commit = self.changes.commit
        """Its number in `changes`."""
        self.complete = False
        """The index holds everything that was on disk when it was last looked at."""
        self.pending_bytes = 0
        self.records: int | None = None
        """How many records there are, as whoever holds the reader has counted; None: counted when asked for."""
        self._sessions = sessions
        self._places: dict[str, Place] = {}

    # -- queries -----------------------------------------------------------------------------------------------------

    def term(self, name: str, value: str) -> tantivy.Query:
        """Return the query for one tag or id, unscored."""
        query = tantivy.Query.term_query(self.schema, *term_of(name, value), index_option="basic")
        return tantivy.Query.const_score_query(query, 0.0)

    def any_term(self, name: str, values: Iterable[str]) -> tantivy.Query:
        """Return the query for any of some tags or ids of one name, unscored."""
        terms = [term_of(name, value) for value in values]
        return tantivy.Query.term_set_query(self.schema, terms[0][0], [term for _, term in terms])

    def frequency(self, name: str, value: str) -> int:
        """Return how many documents have a tag or id."""
        return int(self.searcher.doc_freq(*term_of(name, value)))

    def values(self, name: str, beginning: str, limit: int) -> list[str]:
        """Return the values of one kind of tag that begin so, in order, at most `limit`."""
        found = self.searcher.terms_with_prefix("tags", tag(name, beginning), limit=limit)
        return [term[len(TAGS[name]) :] for term, _ in found]

    def all_of(self, *queries: tantivy.Query) -> tantivy.Query:
        """Return the conjunction of `queries`."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, q) for q in queries])

    def count(self, query: tantivy.Query) -> int:
        """Return how many documents match."""
        count: int = self.searcher.search(query, limit=1).count  # type: ignore[attr-defined]  # missing in the stubs
        return count

    def bodies(self, query: tantivy.Query, limit: int | None = None) -> Iterator[bytes]:
        """Yield the bodies of the documents that match, in no particular order."""
        size = limit or self.count(query)
        if size:
            for _, address in self.searcher.search(query, limit=size, count=False).hits:
                yield bytes(self.searcher.doc(address)["body"][0])

    def body(self, key: str) -> bytes | None:
        """Return the body of the document with this key."""
        for _, address in self.searcher.search(self.term("key", key), limit=1, count=False).hits:
            return bytes(self.searcher.doc(address)["body"][0])
        return None

    # -- things ------------------------------------------------------------------------------------------------------

    @cached_property
    def record_count(self) -> int:
        """How many records there are: counted once, it takes 1 ms for 250,000."""
        return self.count(self.term("type", "r"))

    @property
    def index_state(self) -> dict[str, object]:
        """The `index` part of a search answer."""
        return {
            "records": self.record_count if self.records is None else self.records,
            "complete": self.complete,
            "pending_bytes": self.pending_bytes,
        }

    def session(self, skey: str) -> StoredSession | None:
        """Return a session by its key."""
        found = self._sessions.get(skey)
        if found is None:
            body = self.body(f"s{SEPARATOR}{skey}")
            if body is None:
                return None
            found = from_body(StoredSession, body)
            if len(self._sessions) >= _CACHED_SESSIONS:
                self._sessions.clear()
            self._sessions[skey] = found
        return found

    def record(self, skey: str, record: str) -> StoredRecord | StoredCopy | None:
        """Return a record, or the copy that stands in its place, by its session and id."""
        query = self.term("key", record_key(skey, record))
        for _, address in self.searcher.search(query, limit=1, count=False).hits:
            return _record(self.searcher.doc(address))
        return None

    def holders(self, uid: str) -> set[str]:
        """Return the keys of the sessions that hold a node of this id, as a record, a copy or a link."""
        held = self.term("uid", uid)
        found: set[str] = set()
        records = (from_body(StoredRecord, body) for body in self.bodies(self.all_of(held, self.term("type", "r"))))
        found |= {record.skey for record in records if record.uid == uid}
        copies = (from_body(StoredCopy, body) for body in self.bodies(self.all_of(held, self.term("type", "c"))))
        found |= {copy.skey for copy in copies if copy.uid == uid}
        links = (from_body(StoredLinks, body) for body in self.bodies(self.all_of(held, self.term("type", "l"))))
        return found | {link.skey for link in links if any(node[0] == uid for node in link.nodes)}

    def owned(self, held: StoredRecord | StoredCopy) -> StoredRecord | None:
        """Return the record itself, following a copy to its owner."""
        if isinstance(held, StoredRecord):
            return held
        found = self.record(held.owner, held.owner_id)
        return found if isinstance(found, StoredRecord) else None

    def place(self, file: str, skey: str) -> Place | None:
        """Return where the file with this id lies, of which a session is made."""
        session = self.session(skey)
        if session is not None and session.places and file in session.files:
            path, root = session.places[session.files.index(file)]
            return Place(path, root)
        known = self._places.get(file)
        if known is None:
            body = self.body(f"f{SEPARATOR}{file}")
            if body is None:
                return None
            stored = from_body(StoredFile, body)
            known = self._places[file] = Place(stored.path, stored.root)
        return known

    def held_query(self, session: StoredSession, *, abandoned: bool, extra: Iterable[tantivy.Query] = ()) -> tantivy.Query:
        """Return the query for what a session holds: its own records, and what it inherited, which a sub-agent does not
        show: that was its parent's."""
        t = tantivy
        kinds = self.any_term("type", ["r"] if session.sub_agent is not None else ["r", "c"])
        parts = [(t.Occur.Must, self.term("skey", session.skey)), (t.Occur.Must, kinds)]
        parts += [(t.Occur.Must, q) for q in extra]
        if not abandoned:
            parts.append((t.Occur.MustNot, self.term("flag", "abandoned")))
        return t.Query.boolean_query(parts)

    def held(
        self, session: StoredSession, *, abandoned: bool = True, offset: int = 0, limit: int | None = None
    ) -> tuple[list[StoredRecord | StoredCopy], int]:
        """Return (a page of what a session holds in conversation order, how many there are in all)."""
        found: list[StoredRecord | StoredCopy] = []
        total = 0
        for file in session.files:
            query = self.held_query(session, abandoned=abandoned, extra=[self.term("file", file)])
            count = self.count(query)
            start = max(0, offset - total)
            wanted = count if limit is None else min(count, limit - len(found))
            total += count
            if start >= count or wanted <= 0:
                continue
            hits = self.searcher.search(
                query, limit=wanted, count=False, order_by_field="place", offset=start, order=tantivy.Order.Asc
            ).hits
            found += [_record(self.searcher.doc(address)) for _, address in hits]
        return found, total

    def find_sessions(self, text: str, *, limit: int = 10) -> list[StoredSession]:
        """Return the sessions that an id or a unique beginning of one names: the exact one alone if there is one.

        Ids are the agents' own, so two of them can have one; `agent:id` names one agent's. What is an id as it stands
        comes before that reading. Hexadecimal digits may be small or capital, where no id begins with them as they are.
        """
        for spelling in _spellings(text):
            if found := self._named(spelling, limit):
                return found
        agent, _, rest = text.partition(":")
        for spelling in _spellings(rest) if rest else ():
            if found := [s for s in self._named(spelling, limit * 4, agent) if s.agent == agent]:
                return found[:limit]
        return []

    def newest_named(self, text: str, limit: int) -> tuple[list[StoredSession], int]:
        """Return (the newest of the sessions that a beginning of their ids names, `agent:` in front or not; how many it
        names): of up to `_COUNTED` ids."""
        of_type = self.term("type", "s")
        agent, _, rest = text.partition(":")
        for beginning, parts in ((text, [of_type]), (rest, [of_type, self.term("agent", agent)])):
            for spelling in _spellings(beginning) if beginning else ():
                if names := self.values("sid", spelling, _COUNTED):
                    query = self.all_of(*parts, self.any_term("sid", names))
                    hits = self.searcher.search(query, limit=limit, count=False, order_by_field="time").hits
                    found = [from_body(StoredSession, bytes(self.searcher.doc(at)["body"][0])) for _, at in hits]
                    if found:
                        return found, self.count(query)
        return [], 0

    def _named(self, text: str, limit: int, agent: str | None = None) -> list[StoredSession]:
        exact = self._by_ids([text]) or self._by_long_id(text)
        if any(agent in (None, s.agent) for s in exact):
            return exact
        names = self.values("sid", text, limit * 4) if text else []
        return self._by_ids(names)[: None if agent else limit]

    def _by_ids(self, names: list[str]) -> list[StoredSession]:
        if not names:
            return []
        query = self.all_of(self.term("type", "s"), self.any_term("sid", names))
        return [from_body(StoredSession, body) for body in self.bodies(query)]

    def _by_long_id(self, text: str) -> list[StoredSession]:
        parent, _, agent = text.rpartition("-agent-")
        if not parent:
            return []
        internal = f"{SEPARATOR}{parent}/agent-{agent}"
        return [s for s in self._by_ids([f"agent-{agent}"]) if s.skey.endswith(internal)]

    def public_id(self, session: StoredSession) -> str:
        """Return the id that people use: a sub-agent's own, with its parent's in front where two share it."""
        if "/" not in session.id:
            return session.id
        same = self.all_of(self.term("type", "s"), self.term("sid", session.sid))
        return session.sid if self.count(same) < 2 else session.id.replace("/", "-")

    def choosing_id(self, session: StoredSession) -> str:
        """Return what names this session and no other: its public id, as `agent:id` where another agent has that too."""
        name = self.public_id(session)
        return name if len(self._named(name, 2)) < 2 else f"{session.agent}:{name}"


def _spellings(text: str) -> list[str]:
    """Return the ways to look for an id: as it is written, and where it is hexadecimal with small and capital digits."""
    if not _HEXADECIMAL.fullmatch(text):
        return [text]
    return list(dict.fromkeys([text, text.lower(), text.upper()]))


def _record(doc: tantivy.Document) -> StoredRecord | StoredCopy:
    body = bytes(doc["body"][0])
    # The number of fields tells a copy's body from a record's without a second stored field.
    fields = body[0] & 0x0F if body[0] & 0xF0 == 0x90 else int.from_bytes(body[1:3], "big")
    return from_body(StoredCopy, body) if fields < 20 else from_body(StoredRecord, body)


class IndexReader:
    """The reading side of one index directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._index = tantivy.Index.open(str(path))
        except (ValueError, OSError) as error:
            raise IndexFailure(f"cannot open the index at {path}: {error}") from error
        register_tokenizers(self._index)
        self._index.config_reader("manual", 0)
        self._index.reload()
        self._schema = build_schema()
        self._sessions: dict[str, StoredSession] = {}
        self._changes = Changes()
        self.snapshot = Snapshot(self._index.searcher(), self._schema, self._sessions, self._changes)

    def reload(self, changed: Iterable[str] | None = None) -> Snapshot:
        """Read the last commit. `changed`: keys of the sessions that differ from the snapshot before; None: any may."""
        self._index.reload()
        if changed is None:
            self._sessions = {}
            self._changes = Changes()
        else:
            changed = set(changed)
            self._changes.add(changed)
            self._sessions = dict(self._sessions)
            for skey in changed:
                self._sessions.pop(skey, None)
        before = self.snapshot
        self.snapshot = Snapshot(self._index.searcher(), self._schema, self._sessions, self._changes)
        self.snapshot.complete = before.complete
        self.snapshot.pending_bytes = before.pending_bytes
        self.snapshot.records = before.records
        return self.snapshot
