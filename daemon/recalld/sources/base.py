"""What a source is: everything recalld knows about one agent's files. A source knows no index.

Adding an agent is one module here with a `Source`, an entry in `recalld.sources.SOURCES`, a format page under
`docs/formats/` and fixtures under `tests/fixtures/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from recalld.model import Item

FileKind = Literal[
    "transcript",  # JSONL, read by offset; makes records
    "history",  # JSONL of typed prompts; makes records of sessions that have no transcript
    "names",  # JSONL of facts about sessions (titles)
    "meta",  # one small JSON document, read whole each time; facts about one session
    "spill",  # text that belongs to a record of a transcript (Record.side names it)
]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of an agent, as its path tells."""

    agent: str
    root: Path
    path: Path
    kind: FileKind
    session: str | None
    """The session id that the path tells (its own, or the one a meta file is about); None if only content tells."""
    logical: str
    """What stays the same when the file is archived, moved or compressed: the same `logical` name is a candidate for
    being the same file. Unique within the agent for different files, as far as names can tell."""
    parent: str | None = None
    """The parent session's id where the path tells it (sub-agents)."""
    compressed: bool = False
    """zstd; offsets are of the uncompressed text."""


@dataclass(frozen=True, slots=True)
class Line:
    """One JSON object out of a transcript line. `offset` and `length` are the line's, in bytes, newline included."""

    offset: int
    length: int
    number: int
    """0-based number of the line in the file."""
    data: dict[str, Any]
    part: int = 0
    """Which of several objects that are glued together on the line."""

    @property
    def place(self) -> str:
        """What an object without an id of its own is called after."""
        return f"{self.number}.{self.part}" if self.part else str(self.number)


class Parser(Protocol):
    """Reads one file's lines in order. Fed in any number of sittings: `state()` is kept in the file's checkpoint and
    handed to `Source.parser` when reading goes on, so a parser that is fed a file in two sittings yields what one
    that is fed it in one does."""

    unknown: dict[str, int]
    """Lines of types this parser does not know, counted by type name since it was made."""

    def feed(self, line: Line) -> Iterable[Item]:
        """Yield what the line holds. Never raises on any JSON object: what has not the expected shape is left out."""
        ...

    def state(self) -> dict[str, Any]:
        """Return what must be remembered, msgpack-able and small (kilobytes at most, whatever the file's size)."""
        ...


@dataclass(frozen=True, slots=True)
class Resume:
    """How a session is reopened in its agent."""

    argv: tuple[str, ...]
    cwd: str | None
    """Directory that the command must be run in; None: any."""
    reason: str | None = None
    """Why it cannot work, or None. `argv` is then what would be tried."""


class SessionView(Protocol):
    """What a source may look at to say how a session is resumed."""

    @property
    def id(self) -> str: ...
    @property
    def project(self) -> str | None: ...
    @property
    def resume_project(self) -> str | None: ...
    @property
    def provider(self) -> str | None: ...
    @property
    def sub_agent(self) -> bool: ...
    @property
    def source_deleted(self) -> bool: ...
    @property
    def root(self) -> Path | None: ...


class Source(Protocol):
    """One agent."""

    name: str
    """The agent's name on the command line: `claude-code`, `codex`, `qwen-code`."""
    fragments: bool
    """Several lines with one uid are parts of one message, to be merged; else they are repetitions, to be ignored."""
    linear: bool
    """A conversation is one chain from its end up to a root; else calls made side by side may hang beside it."""
    lineage: Literal["ids", "prefix"]
    """How a fork's copies are told: by the nodes' uids, or by the longest common beginning with the forked session."""
    command: str
    """The agent's executable, to be looked for on PATH."""

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """Return the agent's own directories as its environment variables and settings say, existing or not."""
        ...

    def classify(self, root: Path, path: Path) -> SourceFile | None:
        """Return what `path` (below `root`) is to this agent, from its name alone, or None. Touches no disk."""
        ...

    def watched(self, root: Path) -> list[Path]:
        """Return the directories below `root` (or files' directories) that hold the agent's session files; they need
        not exist yet. Everything else below root is never looked at."""
        ...

    def parser(self, file: SourceFile, state: Mapping[str, Any] | None) -> Parser:
        """Return a parser for a transcript, history or names file, new or with the state of an earlier one."""
        ...

    def meta(self, file: SourceFile, data: bytes) -> Iterable[Item]:
        """Yield what a `meta` file says. Empty where it does not parse."""
        ...

    def resume(self, session: SessionView) -> Resume:
        """Return how `session` is reopened."""
        ...
