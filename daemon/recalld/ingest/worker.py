"""The indexer's loop: from hints and scans to commits.

One thread does everything: it takes what has come in (hints of the watcher, commands of the main process), turns it
into a queue of files to read, reads a chunk, and commits when enough has gathered or nothing is left. Files that a hint
named come first, then the newest; so a live session does not wait for the history behind it.
"""

from __future__ import annotations

import heapq
import itertools
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recall.errors import IndexFailure, RecallError
from recalld import logs
from recalld.index.documents import StoredFile, from_body, session_key
from recalld.index.writer import IndexWriter
from recalld.ingest import reading
from recalld.ingest.bans import Bans
from recalld.ingest.batch import Batch
from recalld.ingest.commits import Commit, Commits
from recalld.ingest.heap import give_back
from recalld.ingest.tally import Tally
from recalld.ingest.texts import Texts
from recalld.settings import Config
from recalld.sources.base import Source
from recalld.tail.actions import Action, Back, Gone, Look, Move, Read, Replace, Trouble, Whole
from recalld.tail.found import Scan
from recalld.tail.table import FileTable
from recalld.watch.scan import scan

STATUS_EVERY_S = 0.5
"""How often progress is told while there is work."""

Hint = set[Path] | None
Send = Callable[..., None]


class Worker:
    """Works over one index directory. `send(event, **fields)` tells the main process."""

    def __init__(
        self,
        writer: IndexWriter,
        name: str,
        sources: Mapping[str, Source],
        roots: Mapping[str, Sequence[Path]],
        config: Config,
        texts: Texts,
        send: Send,
        excluded: Callable[[str], bool],
        bans: Bans | None = None,
    ) -> None:
        self.writer = writer
        self.name = name
        self.sources = sources
        self.roots = roots
        self.config = config
        self.send = send
        self.excluded = excluded
        self.events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        """("hint", paths or None) and ("command", message)."""
        self.files: dict[str, StoredFile] = {}
        self.table = FileTable()
        snapshot = writer.snapshot
        for body in snapshot.bodies(snapshot.term("type", "f")):
            file = from_body(StoredFile, body)
            self.files[file.id] = file
            self.table.add(file)  # one by one: it frees what is there twice
        self.bans = bans
        if bans is not None:
            bans.start(self.files.values())
        self.batch = Batch(writer, self.files, texts, bans)
        self.announce = True
        """Commits are told to the main process: not while an index is being rebuilt beside the current one."""
        self.troubles: dict[str, str] = {}
        self.problems: dict[str, str] = {}
        """What scans could not look at, by path."""
        self.whole: dict[str, StoredFile] = {}
        self.complete = False
        self.commits = Commits(self.batch, config.index.batch_bytes, self._landed)
        self._heap: list[tuple[int, int, int, Read | Replace]] = []
        self._queued: dict[str, int] = {}
        """File ids in the heap, with the number of their newest entry."""
        self._again: set[str] = set()
        """File ids that are to be read from the beginning, whatever a look says of them meanwhile."""
        self._numbers = itertools.count()
        self.pending_bytes = 0
        self._current: tuple[StoredFile, Iterator[int]] | None = None
        self._current_action: Read | Replace | None = None
        """What `_current` was begun with, until its first chunk is read."""
        self._syncs: list[dict[str, Any]] = []
        self._asked: list[dict[str, Any]] = []
        self._began = time.monotonic()
        self._told = 0.0
        self._done_bytes = 0
        self.tally = Tally(self.files.values())
        self._working_since: float | None = None
        self.handlers: dict[str, Callable[[dict[str, Any]], Any]] = {}
        """Commands beside `sync` and `stop`, each with params → result, run between two chunks."""
        self.tidy: Callable[[], None] = _nothing
        """Called when there is nothing left to read and all is committed."""
        self.stopping = False

    # -- the loop ----------------------------------------------------------------------------------------------------

    def run(self, *, until_idle: bool = False) -> None:
        """Work until told to stop, or until there is nothing left to do."""
        while self._take_events(wait=self.complete and not self.busy and not until_idle):
            if self._syncs and not self._asked:
                self._asked, self._syncs = self._syncs, []
                self.look(None)
            if self._step():
                self.commits.go_on(complete=self.complete, urgent_done=self._urgent_done())
                continue
            rest = self.commits.breath()
            if rest > 0 and self.complete and not (self._asked or self._syncs or until_idle):
                self._take_events(wait=False, linger=rest)
                continue
            self.commit()
            self.tidy()
            if not self.complete:
                self.complete = True
                self.batch.built()
                give_back()
                self._tell_status(now=True)
            self._answer()
            if until_idle and not self._syncs:
                return
        self.commit()

    @property
    def busy(self) -> bool:
        """There is something to read, to commit or to answer."""
        return bool(self._current or self._heap or self._syncs or self._asked or self.commits.since is not None or self.whole)

    def _take_events(self, *, wait: bool, linger: float | None = None) -> bool:
        """Take in what has come, after waiting for it if asked to (at most `linger` seconds, where given); return False
        once told to stop."""
        if self.stopping:
            return False
        timeout = linger
        if wait:
            due, seconds = self.table.due()
            if due:
                self.look(set(due))
                return True
            timeout = seconds
        try:
            event = self.events.get(block=wait or linger is not None, timeout=timeout)
        except queue.Empty:
            if wait:
                self.look(set(self.table.due()[0]))
            return True
        hints: set[Path] = set()
        everything = False
        while True:
            kind, value = event
            if kind == "command":
                self._command(value)
            elif value is None:
                everything = True
            else:
                hints |= value
            try:
                event = self.events.get_nowait()
            except queue.Empty:
                break
        if everything:
            self.look(None)
        elif hints:
            self.look(hints, urgent=True)
        return not self.stopping

    def _command(self, message: dict[str, Any]) -> None:
        name = message.get("cmd")
        if name == "stop":
            self.stopping = True
        elif name == "sync":
            self._syncs.append(message)
        elif name in self.handlers:
            try:
                result = self.handlers[name](message.get("params") or {})
            except RecallError as error:
                if isinstance(error, IndexFailure) and error.__cause__ is not None:
                    self._done(message, error)
                    raise  # a writer that has failed is of no use: the next process carries out what was decided
                result = error
            self._done(message, result)
        else:
            logs.warning("unknown_command", name=name)

    def _done(self, message: dict[str, Any], result: Any) -> None:
        if "id" not in message:
            return
        if isinstance(result, RecallError):
            self.send("done", id=message["id"], error={"code": result.code, "message": logs.told(result.message)})
        else:
            self.send("done", id=message["id"], result=result or {})

    def _answer(self) -> None:
        for message in self._asked:
            self._done(message, {})
        self._asked = []

    # -- looking -----------------------------------------------------------------------------------------------------

    def look(self, paths: set[Path] | None, *, urgent: bool = False) -> None:
        """Scan `paths`, or everything, and queue what is to be done."""
        if paths is None:
            found = scan(self.sources, self.roots, excluded=self.excluded, known=self.table.known)
        else:
            found = scan(self.sources, self.roots, only=paths, excluded=self.excluded)
        self._note_problems(found, whole=paths is None)
        for action in self.table.reconcile(found):
            self._plan(action, urgent=urgent)

    def _note_problems(self, found: Scan, *, whole: bool) -> None:
        if whole:
            self.problems = {}
        for problem in found.problems:
            if str(problem.path) not in self.problems:
                logs.warning("scan_problem", why=problem.message)
            self.problems[str(problem.path)] = problem.message

    def _plan(self, action: Action, *, urgent: bool) -> None:
        if isinstance(action, Trouble):
            self.troubles[str(action.path)] = action.message
            return
        file = action.file
        self.files[file.id] = file
        self.tally.count(file)
        self.troubles.pop(file.path, None)
        if isinstance(action, Read | Replace):
            self._enqueue(action, urgent=urgent)
        elif isinstance(action, Whole):
            self.whole[file.id] = file
        elif isinstance(action, Move) and _renamed(file):
            # Its checkpoint is written with what it says now: killed before, the next start finds the move again.
            logs.info("file", change="renamed", agent=file.agent)
            self._again.add(file.id)
            self._enqueue(Replace(file), urgent=urgent)
        else:
            if isinstance(action, Gone | Back | Move):
                logs.info("file", change=type(action).__name__.lower(), agent=file.agent)
                self.batch.refold(file)
                self.batch.checkpoints[file.id] = file
                self.touch()
            elif isinstance(action, Look) and file.id in self.batch.checkpoints:
                self.batch.checkpoints[file.id] = file

    def _enqueue(self, action: Read | Replace, *, urgent: bool) -> None:
        file = action.file
        if file.id in self._again:
            action = Replace(file)
        if self._current is not None and self._current[0].id == file.id and isinstance(action, Read):
            # It grew while it is being read: what is new is read when the reader has come to the end it knew.
            urgent = True
        number = next(self._numbers)
        size = _size(Path(file.path))
        if file.id not in self._queued:
            self.pending_bytes += max(0, size - file.offset)
        self._queued[file.id] = number
        rank = 0 if urgent else 1
        if self.bans is not None and self.bans.patterns and file.kind in ("history", "names", "meta"):
            rank = 2  # only transcripts tell which sessions are excluded
        if file.kind == "spill" and not urgent:
            rank = 2  # a transcript that is read later takes it in by itself
        heapq.heappush(self._heap, (rank, -_mtime(Path(file.path)), number, action))
        if self._working_since is None:
            self._working_since, self._done_bytes = time.monotonic(), 0
            self._began = time.monotonic()

    # -- reading -----------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        """Do one piece of work; return whether there was one."""
        self.commits.look()
        if self._current is None or (self._heap and self._heap[0][0] == 0):
            self._next_file()
        if self._current is None:
            return self._verify_one()
        file, chunks = self._current
        try:
            read = next(chunks, None)
        except IndexFailure:
            raise  # it is not the file's
        except (OSError, RecallError) as error:
            message = error.message if isinstance(error, RecallError) else (error.strerror or str(error))
            self.troubles[file.path] = message
            logs.warning("read_failed", agent=file.agent, kind=file.kind, why=message)
            read = None
        if read is None:
            self._current = None
            self._read_disturbed()
            self.tally.count(file)
            if self.pending_bytes and not self._queued:  # half a line: nothing is committed that would tell
                self.pending_bytes = 0
                self._tell_status(now=True)
        else:
            self._current_action = None
            self.touch()
            self.pending_bytes = max(0, self.pending_bytes - read)
            self._done_bytes += read
        self._tell_status()
        return True

    def _next_file(self) -> None:
        while self._heap:
            _, _, number, action = self._heap[0]
            if self._queued.get(action.file.id) != number:
                heapq.heappop(self._heap)
                continue
            if self._current is not None and self._current[0].id == action.file.id:
                return  # first to the end of what is being read of it
            if self._current is not None:
                self._interrupt()
                return
            self.commits.urgent |= heapq.heappop(self._heap)[0] == 0
            del self._queued[action.file.id]
            file = action.file
            if isinstance(action, Replace):
                self._again.discard(file.id)
                logs.info("file", change="replaced", agent=file.agent)
            chunks = reading.read(self.batch, self.table, file, self.config.index, again=isinstance(action, Replace))
            self._current, self._current_action = (file, chunks), action
            return
        self.pending_bytes = 0 if self._current is None else self.pending_bytes

    def _read_disturbed(self) -> None:
        """Queue what must be read again because of a file that was rewritten."""
        for file in self.batch.disturbed:
            self._again.add(file.id)
            self._enqueue(Replace(file), urgent=False)
        self.batch.disturbed.clear()

    def _interrupt(self) -> None:
        """Put the file that is being read back into the queue, behind what has come first."""
        assert self._current is not None
        file, chunks = self._current
        if file.kind in ("meta", "spill"):
            return
        chunks.close()  # type: ignore[attr-defined]  # it is a generator
        self._current = None
        self._read_disturbed()
        number = next(self._numbers)
        self._queued[file.id] = number
        action = self._current_action or Read(file, "grown")
        heapq.heappush(self._heap, (1, -_mtime(Path(file.path)), number, action))
        self._next_file()

    def _verify_one(self) -> bool:
        """Compare the whole prefix of one file that is in doubt; return whether there was one."""
        if not self.whole or self.commits.since is not None or self._asked or self._syncs:
            return False
        _, file = self.whole.popitem()
        for action in self.table.verify(file):
            self._plan(action, urgent=False)
        return True

    # -- committing --------------------------------------------------------------------------------------------------

    def touch(self) -> None:
        """Note that there is something to commit."""
        self.commits.touch()

    def _urgent_done(self) -> bool:
        return self._current is None and bool(self._queued) and not (self._heap and self._heap[0][0] == 0)

    def read_again(self, files: Iterable[StoredFile]) -> None:
        """Queue files that are on disk to be read from their beginning; meanwhile answers say that the index fills."""
        for file in files:
            if not file.deleted:
                self.complete = False
                if self._current is not None and self._current[0].id == file.id:
                    self._current[1].close()  # type: ignore[attr-defined]  # it is a generator
                    self._current = None
                self._again.add(file.id)
                self._plan(Replace(file), urgent=False)
        self._tell_status(now=True)

    def swap(self, writer: IndexWriter, name: str) -> None:
        """Go on over another index that holds the same, and tell the main process. Everything must be committed."""
        self.writer.close()
        self.writer = self.batch.writer = writer
        self.name = name
        if self.announce:
            self.send("commit", index=name, sessions=None, status=self.status())

    def commit(self, *, everything: bool = False) -> None:
        """Write what has gathered, make it lasting and visible, and tell the main process; with `everything`, that any
        session may have changed."""
        self.commits.commit(everything=everything)

    def _landed(self, commit: Commit) -> None:
        if self._current is None and not self._heap:
            self.pending_bytes = 0
            self._working_since = None
        if self.announce:
            changed = None if commit.everything else commit.changed
            self.send("commit", index=self.name, sessions=changed, status=self.status())

    # -- telling -----------------------------------------------------------------------------------------------------

    def _tell_status(self, *, now: bool = False) -> None:
        if now or time.monotonic() - self._told >= STATUS_EVERY_S:
            self._told = time.monotonic()
            self.send("status", status=self.status())

    def status(self) -> dict[str, Any]:
        """Return progress and counts: `pending_bytes`, `total_bytes`, `rate` (bytes per second), files by agent."""
        elapsed = time.monotonic() - self._working_since if self._working_since is not None else 0.0
        agents = self.tally.agents(self.roots)
        return {
            "pending_bytes": self.pending_bytes,
            "total_bytes": self.tally.bytes(self.roots),
            "complete": self.complete,
            "rate": int(self._done_bytes / elapsed) if elapsed > 0 else 0,
            "files": sum(agent["files"] for agent in agents.values()),
            "agents": agents,
            "last_commit": self.commits.last,
        }


def _nothing() -> None:
    """Nothing is to be done."""


def _renamed(file: StoredFile) -> bool:
    """Return whether a file that has moved is called after another session now than the one that it told of."""
    return bool(file.session and file.sessions) and session_key(file.agent, file.session or "") not in file.sessions


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # it has just gone; the next look says so


def _mtime(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
