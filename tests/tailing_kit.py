"""A small agent for the tests of tailing and watching, and an index that is a dictionary.

The agent keeps `live/**/<name>.jsonl[.zst]`, `archive/<name>.jsonl[.zst]` and `history.jsonl` in its root.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recalld.index.documents import StoredFile, from_body, to_body
from recalld.sources.base import Parser, Resume, SessionView, SourceFile
from recalld.tail.actions import Action, Gone, Move, Read, Replace, Trouble, Whole
from recalld.tail.found import Found, Scan, Stat
from recalld.tail.lines import LineReader
from recalld.tail.table import FileTable, restart
from recalld.watch.scan import scan

AGENT = "plain"


class PlainAgent:
    """The simplest source there can be: where files lie is all that it knows."""

    name = AGENT
    fragments = False
    linear = False
    lineage = "ids"
    command = "plain"

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        return [home / ".plain"]

    def classify(self, root: Path, path: Path) -> SourceFile | None:
        try:
            relative = path.relative_to(root)
        except ValueError:
            return None
        if relative == Path("history.jsonl"):
            return SourceFile(AGENT, root, path, "history", None, "history")
        if relative.parts[0] not in ("live", "archive"):
            return None
        if path.name.endswith(".meta.json"):
            return SourceFile(AGENT, root, path, "meta", path.name[:-10], path.name)
        name = path.name.removesuffix(".zst")
        if not name.endswith(".jsonl"):
            return None
        session = name.removesuffix(".jsonl")
        return SourceFile(AGENT, root, path, "transcript", session, f"session/{session}", compressed=path.name.endswith(".zst"))

    def watched(self, root: Path) -> list[Path]:
        return [root / "live", root / "archive"]

    def parser(self, file: SourceFile, state: Mapping[str, Any] | None) -> Parser:
        raise NotImplementedError("these tests read lines, not records")

    def meta(self, file: SourceFile, data: bytes) -> Iterable[Any]:
        return ()

    def resume(self, session: SessionView) -> Resume:
        return Resume((self.command,), None)


SOURCES: Mapping[str, Any] = {AGENT: PlainAgent()}


def look(root: Path, *only: Path, table: FileTable | None = None) -> Scan:
    """Scan the agent's root, or parts of it; the whole of it as an indexer does, that tells what its `table` knows."""
    if table is None or only:
        return scan(SOURCES, {AGENT: [root]}, only=only or None)
    return scan(SOURCES, {AGENT: [root]}, known=table.known)


def found(root: Path, path: Path) -> Found:
    """Return what a scan says of one file."""
    source = PlainAgent().classify(root, path)
    assert source is not None
    return Found(source, Stat.of(path.stat()))


class Store:
    """Carries out actions as an ingest would. `lines` is what is known: the lines by file id, in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.table = FileTable()
        self.lines: dict[str, list[bytes]] = {}
        self.actions: list[Action] = []
        self.committed: list[bytes] = []
        self.bytes_read = 0

    def sync(self, *only: Path) -> list[Action]:
        """Look, carry out, and look again until nothing is left to do; return what was done."""
        done: list[Action] = []
        for _ in range(5):
            actions = self.table.reconcile(look(self.root, *only, table=self.table))
            done += actions
            self.carry_out(actions)
            if not any(isinstance(a, (Read, Replace, Move, Gone)) for a in actions):
                break
        else:
            raise AssertionError(f"it never comes to rest: {actions}")
        self.actions += done
        return done

    def carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            assert not isinstance(action, Trouble), action
            if isinstance(action, Whole):
                self.carry_out(self.table.verify(action.file))
            elif isinstance(action, Read) and action.file.kind == "meta":
                self.table.seen(action.file, Stat.of(Path(action.file.path).stat()))
            elif isinstance(action, (Read, Replace)):
                self._read(action.file, anew=isinstance(action, Replace))
        self.committed = [to_body(file) for file in self.table.files()]

    def _read(self, file: StoredFile, *, anew: bool) -> None:
        start, crc = (0, 0) if anew else (file.offset, file.crc)
        with LineReader(Path(file.path), start, crc=crc, compressed=file.compressed) as reader:
            assert anew or reader.continues(file)
            for batch in reader.batches():
                if anew:
                    restart(file)
                    self.lines[file.id] = []
                    anew = False
                self.lines.setdefault(file.id, []).extend(line.data or b"" for line in batch)
            if anew:
                self.table.seen(file, Stat.of(reader.stat))
            else:
                self.table.advance(file, reader)
            self.bytes_read += reader.bytes_read

    def restart(self) -> None:
        """Go on from the last commit, as after a crash."""
        self.table = FileTable(from_body(StoredFile, body) for body in self.committed)

    def known(self) -> dict[str, set[bytes]]:
        """Return the lines known of each session."""
        result: dict[str, set[bytes]] = {}
        for file in self.table.files():
            result.setdefault(file.logical, set()).update(self.lines.get(file.id, []))
        return {logical: lines for logical, lines in result.items() if lines}

    def kinds(self, actions: list[Action]) -> list[str]:
        """Return the names of what changes something."""
        return [type(a).__name__ for a in actions if isinstance(a, (Read, Replace, Move, Gone)) or _back(a)]


def _back(action: Action) -> bool:
    return type(action).__name__ == "Back"


def lines(*names: str, size: int = 20) -> bytes:
    return b"".join(name.encode().ljust(size, b".") + b"\n" for name in names)


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def age(path: Path, seconds: float = 60.0) -> None:
    """Make a file's timestamp old enough to be trusted."""
    then = time.time_ns() - int(seconds * 1e9)
    os.utime(path, ns=(then, then))


def said(store: Store, name: str = "a") -> list[str]:
    """Return the names of the lines known of a session, over all its files, in order."""
    result: list[str] = []
    for file in store.table.files():
        if file.logical == f"session/{name}":
            result += [line.decode().rstrip(".") for line in store.lines.get(file.id, [])]
    return result
