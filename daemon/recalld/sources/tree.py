"""What the parsers of agents whose lines form a tree (uuid and parentUuid) have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recall import frame
from recalld.model import NO_LINKS, Fact, FactName, Message, Record
from recalld.sources import probe
from recalld.sources.base import Line, SourceFile
from recalld.sources.jsonl import cut, epoch_ms, string
from recalld.sources.tools import Calls

MAX_TITLE = 1024
"""Bytes of a title that are kept."""


class TreeParser:
    """Keeps what a line leaves to the lines before it: directory, branch, time, the tools that were called.

    Lines repeat cwd and branch, but not all of them do; a line without gets the last that was given in its file.
    """

    def __init__(self, file: SourceFile, directory: str, state: Mapping[str, Any] | None) -> None:
        kept = state or {}
        self.unknown: dict[str, int] = {}
        self._file = file
        self._directory = directory
        self._calls = Calls(kept.get("calls", {}))
        self._cwd: str | None = kept.get("cwd")
        self._branch: str | None = kept.get("branch")
        self._time: int | None = kept.get("time")
        self._forked: str | None = kept.get("forked")
        self._told: bool = kept.get("told", False)
        self._probed: bool = kept.get("probed", False)

    def state(self) -> dict[str, Any]:
        kept = {
            "calls": self._calls.state(),
            "cwd": self._cwd,
            "branch": self._branch,
            "time": self._time,
            "forked": self._forked,
            "told": self._told,
            "probed": self._probed,
        }
        return {name: value for name, value in kept.items() if value is not None and value is not False}

    def _remember_place(self, data: Mapping[str, Any]) -> None:
        cwd = data.get("cwd")
        if cwd and cwd != self._cwd and isinstance(cwd, str):
            self._cwd = cwd
        if "gitBranch" in data:
            self._branch = string(data["gitBranch"])
        time = epoch_ms(data.get("timestamp"))
        if time is not None:
            self._time = time

    def _node(self, line: Line, session: str, parent: str | None, records: list[Record], inherited: bool) -> Message | None:
        """Return the line's Message; None where it has neither records nor a place in the tree."""
        uid = line.data.get("uuid")
        if not uid or not isinstance(uid, str):
            if not records:
                return None
            uid = f"line-{line.place}"
            parent = parent or NO_LINKS
        elif parent is None and "parentUuid" not in line.data:
            parent = NO_LINKS
        return Message(
            session,
            uid,
            parent,
            self._time,
            line.offset,
            line.length,
            records,
            self._cwd,
            self._branch,
            inherited,
        )

    def _fork(self, line: Line, session: str) -> tuple[bool, list[Fact]]:
        """Return whether the line was copied out of another session, and the fact where it is news."""
        forked = line.data.get("forkedFrom")
        origin = string(forked.get("sessionId")) if isinstance(forked, dict) else None
        if origin is None or origin == session:
            return False, []
        if origin == self._forked:
            return True, []
        self._forked = origin
        return True, [self._fact("forked_from", origin, session, line)]

    def _probe(self, line: Line, session: str) -> list[Fact]:
        """For the first record without a known directory: the one that the project directory's name stands for."""
        if self._probed:
            return []
        self._probed = True
        found = probe.probe(self._directory)
        return [self._fact("project", found, session, line)] if found else []

    def _fact(self, name: FactName, value: Any, session: str | None, line: Line, leaf: str | None = None) -> Fact:
        return Fact(name, value, session, leaf, epoch_ms(line.data.get("timestamp")), line.offset)

    def _title(self, text: object, rank: int, session: str | None, line: Line, leaf: str | None = None) -> list[Fact]:
        if not isinstance(text, str) or not (text := " ".join(frame.strip(text).split())):
            return []
        return [self._fact("title", {"text": cut(text, MAX_TITLE)[0], "rank": rank}, session, line, leaf)]


def message(role: Any, text: str, model: str | None = None) -> Record:
    """Return a record of something said."""
    text, truncated = cut(text)
    return Record(role, "message", text, model=model, truncated=truncated)


def summary(text: str) -> Record:
    """Return a summary's record. Its role is `system`: neither a person nor a reply said it."""
    text, truncated = cut(text)
    return Record("system", "summary", text, truncated=truncated)


def printable_id(name: str) -> str:
    """Return a file's name as an id: names that are not UTF-8 get U+FFFD where they are not."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
