"""What must not come into the index: the decisions of a person, asked about everything that is read.

A forgotten thing can come back in four ways, and each has its own answer:

1. Its own file is read again, or goes on. Session: by the session's key, its sub-agents' included. Project: by the
   record's project and a time up to the decision, but for what stands in a file behind what it held then, or in a
   new one: agents may write what they say now with a time of before. Before T: by the record's time.
2. A fork or a copied file repeats it. Where copies keep a message's id, by a hash of the id; that also holds for a time
   after T or a project that the copy does not tell. Where they do not (Codex), by a hash of what it says, in the part
   with which a forked session begins; and with its time, in any file that begins with it.
3. A side file tells of it: prompt histories, by session and time; titles, by session, or by the message that they are
   about.
4. What a forgotten session says later, and a fork of that. It is dropped by the session's key; its hashes are added to
   the decision, which is written before the commit that skips it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from recalld import analysis
from recalld.decisions import Decisions, Forgotten
from recalld.index.documents import SEPARATOR, StoredFile, StoredRecord, session_key
from recalld.ingest.discard import discard_beginnings, discard_session, discard_uid
from recalld.ingest.nodes import Session
from recalld.model import Fact, Message, is_name
from recalld.patterns import Patterns
from recalld.redact import redact_place
from recalld.sources.base import Source

if TYPE_CHECKING:
    from recalld.ingest.batch import Batch

TEXT_FACTS = frozenset({"title", "sub_agent", "link"})
"""Facts that say something of what was said."""


class Bans:
    """Decides what is dropped, from the decisions and the exclusions as they stand."""

    def __init__(self, decisions: Decisions, patterns: Patterns) -> None:
        self._decisions = decisions
        self._touched: set[int] = set()
        self._where: dict[str, str] = {}
        """Project of a file, as its last message told."""
        self.excluded_sessions: set[str] = set()
        """Sessions of which something lies in an excluded project."""
        self.stale = False
        """Something was read, and written, before it was known that it is not to be: its traces must be erased."""
        self.set_patterns(patterns)
        self.refresh()

    def set_patterns(self, patterns: Patterns) -> None:
        """Take a changed list of exclusions."""
        self.patterns = patterns

    def refresh(self) -> None:
        """Take in what has been decided since."""
        every = self._decisions.standing()
        self._sessions: dict[str, Forgotten] = {}
        self._until: dict[str, int] = {}
        for found in every:
            for skey in found.sessions:
                if found.kind == "session":
                    self._sessions[skey] = found
                else:
                    until = found.made if found.before is None else found.before - 1
                    self._until[skey] = max(self._until.get(skey, 0), until)
        self._before = max((f.before for f in every if f.before is not None), default=None)
        self._projects = [(analysis.fold(f.value).rstrip("/") or "/", f) for f in every if f.kind == "project"]
        self._made: dict[str, list[Forgotten]] = {}
        """The decisions that a project is forgotten by, as far as it has been asked for."""
        self._keys: set[int] = set().union(*(f.keys for f in every))
        self.active = bool(every) or bool(self.patterns)

    def start(self, files: Iterable[StoredFile]) -> None:
        """Take in what the checkpoints of an index tell."""
        self.excluded_sessions = {skey for file in files for skey in file.excluded}
        self._where.clear()

    def save(self) -> None:
        """Write what was learned of forgotten sessions since the last time."""
        for number in self._touched:
            self._decisions.keep(self._decisions.forgotten[number])
        self._touched.clear()

    # -- what is read ------------------------------------------------------------------------------------------------

    def drops(self, batch: Batch, source: Source, file: StoredFile, item: Message | Fact) -> bool:
        """Tell whether an item of a file is not to be taken in; remember what it takes to know it again."""
        if not self.active:
            return False
        if isinstance(item, Fact):
            return self._drops_fact(batch, file, item)
        skey = session_key(file.agent, item.session)
        time = item.time if item.time is not None else file.time
        if self._drops_excluded(batch, file, skey, item.project):
            self._exclude(batch, file, skey)
        elif self._drops_message(batch, source, file, skey, item, time):
            if skey not in file.held_back:
                file.held_back.append(skey)
        else:
            return False
        file.time = time
        return True

    def drops_adopted(self, batch: Batch, source: Source, file: StoredFile, records: Sequence[StoredRecord]) -> bool:
        """As `drops`, for the records of one message out of another index."""
        if not self.active:
            return False
        first = records[0]
        return self.drops_record(first, file) or self._repeats(
            batch.session(first.skey), source, first.uid, first.time, [r.hash for r in records]
        )

    def drops_record(self, record: StoredRecord, file: StoredFile | None) -> bool:
        """Tell whether a stored record is to go, by what it and its file tell of themselves."""
        return (
            self.patterns.project(record.project)
            or (file is not None and self.patterns.path(file.path))
            or self._banned(record.skey) is not None
            or self._in_time(record.skey, record.project, record.time, file, record.offset)
        )

    def _drops_message(
        self, batch: Batch, source: Source, file: StoredFile, skey: str, message: Message, time: int | None
    ) -> bool:
        banned = self._banned(skey)
        if banned is not None:
            self._learn(batch, source, banned, skey, message, time)
            return True
        if self._in_time(skey, message.project, time, file, message.offset):
            return True
        session = batch.session(skey)
        if message.inherited and self._origin_banned(session):
            return True
        if not message.records:
            return node_key(file.agent, message.uid) in self._keys and is_name(message.uid)
        said: list[int] | None = None
        if source.lineage == "prefix" and self._keys and _begins(session):
            said = [batch.texts.hash(r, message.project) for r in message.records]
        return self._repeats(session, source, message.uid, time, said)

    def _in_time(self, skey: str, project: str | None, time: int | None, file: StoredFile | None, offset: int) -> bool:
        """Tell whether a record's project or time is one that is forgotten."""
        if self._before is not None and time is not None and time < self._before:
            return True
        until = self._until.get(skey)
        if until is not None and project is None and (time is None or time <= until):
            return True
        if self._projects and project is not None:
            made = self._made.get(project)
            if made is None:
                tokens = analysis.project_tokens(redact_place(project))
                made = self._made[project] = [found for name, found in self._projects if name in tokens]
            return any((time is None or time <= m.made) and not _is_newer(m, skey, file, offset) for m in made)
        return False

    def _repeats(self, session: Session, source: Source, uid: str, time: int | None, said: Iterable[int] | None) -> bool:
        """Tell whether a message repeats a forgotten one of another session."""
        if not self._keys:
            return False
        if source.lineage == "ids":
            return is_name(uid) and node_key(session.agent, uid) in self._keys
        if said is None or not _begins(session):
            return False
        hashes = tuple(said)
        if copy_key(session.agent, hashes, time) in self._keys:
            return True
        return session.forked_from() is not None and said_key(session.agent, hashes) in self._keys

    def _origin_banned(self, session: Session) -> bool:
        above = session.forked_from()
        return above is not None and self._banned(session_key(session.agent, above)) is not None

    def _banned(self, skey: str) -> Forgotten | None:
        found = self._sessions.get(skey)
        if found is None and self._sessions and "/" in skey:  # a sub-agent's
            return self._sessions.get(skey.split("/", 1)[0])
        return found

    def _learn(self, batch: Batch, source: Source, banned: Forgotten, skey: str, message: Message, time: int | None) -> None:
        """Remember what a forgotten session says now, and take it out of forks that were read first."""
        agent = skey.partition(SEPARATOR)[0]
        if not message.records:
            return
        if source.lineage == "ids":
            if not is_name(message.uid):
                return
            new = {node_key(agent, message.uid)}
        else:
            said = [batch.texts.hash(r, message.project) for r in message.records]
            new = {said_key(agent, said), copy_key(agent, said, time)}
        new -= banned.spared
        if new <= banned.keys:
            return
        banned.keys |= new
        self._keys |= new
        self._touched.add(banned.id)
        if source.lineage == "ids":
            self.stale |= discard_uid(batch, agent, message.uid)
        else:
            self.stale |= discard_beginnings(batch, skey, lambda found: said_key(agent, found) in self._keys)

    # -- facts -------------------------------------------------------------------------------------------------------

    def _drops_fact(self, batch: Batch, file: StoredFile, fact: Fact) -> bool:
        time = fact.time if fact.time is not None else file.time
        if fact.session is None:
            return self._file_excluded(file) or (fact.leaf is not None and node_key(file.agent, fact.leaf) in self._keys)
        skey = session_key(file.agent, fact.session)
        if fact.name == "project" and isinstance(fact.value, str) and file.id not in self._where:
            self._where[file.id] = fact.value
        if fact.name == "parent_session" and isinstance(fact.value, str):
            above = self._banned(session_key(file.agent, fact.value))
            if above is not None and self._banned(skey) is None:
                above.sessions.add(skey)
                self._sessions[skey] = above
                self._touched.add(above.id)
                self.stale |= discard_session(batch, skey)
        if self._file_excluded(file) or (skey in self.excluded_sessions and not batch.session(skey).nodes):
            return True
        return self.drops_fact(skey, fact.name, time)

    def drops_fact(self, skey: str, name: str, time: int | None) -> bool:
        """Tell whether what is told of a session at a time is forgotten; `time` is None where nothing tells."""
        if self._banned(skey) is not None:
            return True
        if name not in TEXT_FACTS:
            return False
        if self._before is not None and time is not None and time < self._before:
            return True
        until = self._until.get(skey)
        return until is not None and (time is None or time <= until)

    # -- exclusions --------------------------------------------------------------------------------------------------

    def _drops_excluded(self, batch: Batch, file: StoredFile, skey: str, project: str | None) -> bool:
        if not self.patterns:
            return False
        if project is not None:
            self._where[file.id] = project
            return self.patterns.project(project)
        if file.kind == "history":
            return skey in self.excluded_sessions and not batch.session(skey).nodes
        return self._file_excluded(file)

    def _file_excluded(self, file: StoredFile) -> bool:
        """Tell whether what tells no project itself lies in an excluded one."""
        if not self.patterns:
            return False
        where = self._where.get(file.id)
        state = file.parser_state() if where is None else None
        if state is not None:
            found = state.get("cwd") or state.get("project")
            where = found if isinstance(found, str) else None
        if where is not None:
            return self.patterns.project(where)
        parts = PurePath(file.path).parts[len(PurePath(file.root).parts) :]
        return len(parts) > 2 and parts[0] == "projects" and self.patterns.directory(parts[1])

    def _exclude(self, batch: Batch, file: StoredFile, skey: str) -> None:
        if skey not in file.excluded:
            file.excluded.append(skey)
        if skey in self.excluded_sessions:
            return
        self.excluded_sessions.add(skey)
        session = batch.session(skey)
        if session.prompt_only or not any(n.held for n in session.nodes.values()):
            self.stale |= discard_session(batch, skey)


def _is_newer(decision: Forgotten, skey: str, file: StoredFile | None, offset: int) -> bool:
    """Tell whether what stands at `offset` of a file was not there when a project was forgotten."""
    if file is None or not decision.read:
        return False
    for key in file_keys(file):
        end = decision.read.get(key)
        if end is not None:
            return offset >= end
    return _changed_ns(file) > decision.made * 1_000_000 and held_key(skey) not in decision.read


def _changed_ns(file: StoredFile) -> int:
    """Return when a file was last written to; a checkpoint tells that from its first commit on."""
    if file.mtime_ns:
        return file.mtime_ns
    try:
        return os.stat(file.path).st_mtime_ns
    except OSError:
        return 0


def _begins(session: Session) -> bool:
    """Tell whether a session holds no record yet: what comes next may be the beginning that it has in common."""
    return not any(node.held for node in session.nodes.values())


def node_key(agent: str, uid: str) -> int:
    """Return what tells a message by its id, in whatever session."""
    return _key("n", agent, uid)


def said_key(agent: str, said: Iterable[int]) -> int:
    """Return what tells a message by what its records say (`hash_of` each)."""
    return _key("s", agent, *map(str, said))


def copy_key(agent: str, said: Iterable[int], time: int | None) -> int:
    """Return what tells a message by what it says and when."""
    return _key("c", agent, str(time), *map(str, said))


def file_keys(file: StoredFile) -> tuple[int, int]:
    """Return what tells a file: where it is, and by its name wherever it is put."""
    return _key("p", file.agent, file.path), _key("f", file.agent, file.logical)


def held_key(skey: str) -> int:
    """Return what tells a session."""
    return _key("h", skey)


def _key(*parts: str) -> int:
    text = SEPARATOR.join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
