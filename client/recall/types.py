"""The shapes of what the daemon answers, as `docs/protocol.md` gives them.

Unknown is None; times are UTC with milliseconds and `Z`; offsets and sizes are bytes, highlights code points. A later
version may add keys: take what you know.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Agent = Literal["claude-code", "codex", "qwen-code"]
Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["message", "tool_call", "command", "read", "edit", "output", "summary"]
Tier = Literal["exact", "forms", "close", "related"]


class Session(TypedDict):
    """One session of one agent."""

    agent: str
    id: str
    parent: str | None
    sub_agent: str | None
    project: str | None
    title: str | None
    started: str | None
    updated: str | None
    records: int
    branch: str | None
    model: str | None
    provider: str | None
    path: str | None
    source_deleted: bool
    resume: str | None
    """The shell command that reopens it, or None where it cannot be reopened."""


class RecordSource(TypedDict):
    """Where a record lies: bytes of the uncompressed text."""

    path: str
    offset: int
    length: int


class Record(TypedDict):
    """One message, tool call, tool result or summary."""

    agent: str
    session: str
    id: str
    parent: str | None
    project: str | None
    time: str | None
    role: str
    kind: str
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
    source: RecordSource


class Match(TypedDict):
    """One record that matched; highlights are [start, end) in code points of the snippet."""

    record: Record
    snippet: str
    highlights: list[list[int]]


class Hit(TypedDict):
    """One session that was found. `matches` holds at most three, best first, and none if only the title matched."""

    session: Session
    score: float
    matches: list[Match]
    match_count: int
    title_highlights: NotRequired[list[list[int]]]


class IndexState(TypedDict):
    """How far the index is."""

    records: int
    complete: bool
    pending_bytes: int


class SearchResult(TypedDict):
    """The answer to `search`. `total` counts sessions, `tier` is None when nothing is found."""

    query: str
    tier: Tier | None
    total: int
    took_ms: float
    index: IndexState
    hits: list[Hit]
    next_offset: NotRequired[int | None]
    notice: NotRequired[str | None]


class Compaction(TypedDict):
    """A place where the agent compacted its context."""

    time: str | None
    tokens_before: int | None
    tokens_after: int | None
    messages: int | None


class ShowResult(TypedDict):
    """One session along its live branch."""

    session: Session
    records: list[Record]
    compactions: list[Compaction]
    total: NotRequired[int]
    next_offset: NotRequired[int | None]


class SessionsResult(TypedDict):
    """Sessions, newest first."""

    total: int
    sessions: list[Session]
    next_offset: NotRequired[int | None]
    notice: NotRequired[str]


class ResumeResult(TypedDict):
    """How a session is reopened: `argv` in `cwd` (None: any directory), or the `reason` why that cannot work."""

    session: Session
    argv: list[str]
    cwd: str | None
    reason: str | None
    command: NotRequired[str | None]


class AgentStatus(TypedDict):
    """Counts of one agent."""

    files: int
    sessions: int
    records: int
    skipped_lines: int
    roots: list[str]


class HookCounts(TypedDict):
    """What the hooks of one event did since the daemon started; times are in the daemon."""

    answers: int
    silences: int
    failures: int
    p50_ms: float
    p99_ms: float


class IndexerStatus(TypedDict):
    """The process that reads and writes."""

    state: Literal["starting", "running", "waiting", "stopped"]
    pid: int | None
    restarts: int
    last_failure: str | None
    rss_bytes: int
    trouble: NotRequired[str | None]
    """What keeps it from its work, such as a full disk."""


class Status(TypedDict):
    """Health and counts of the daemon."""

    version: str
    pid: int
    uptime_s: float
    records: int
    sessions: int
    files: int
    pending_bytes: int
    complete: bool
    last_commit: str | None
    rss_bytes: int
    agents: dict[str, AgentStatus]
    hooks: NotRequired[dict[str, dict[str, HookCounts]]]
    """By agent, by event."""
    indexer: NotRequired[IndexerStatus]
    disabled: NotRequired[list[str]]
    """Agents that the configuration switches off."""
    total_bytes: NotRequired[int]
    rate: NotRequired[float]


class Finding(TypedDict):
    """One thing that is wrong, and what to do about it."""

    check: str
    path: str | None
    offset: int | None
    message: str
    remedy: str | None


class Notes(TypedDict, total=False):
    """What is no fault and worth knowing; absent where the indexing process did not say."""

    unknown_types: dict[str, dict[str, int]]
    """By agent: lines of types that this version does not know, counted by the type's name."""
    redacted: dict[str, int]
    """Secrets that were taken out since the start, counted by kind."""
    excluded_for_good: int
    """Records that existed nowhere else and went because of the configuration's exclusions, since the start."""
    skipped_lines: list[Finding]
    """Lines that are not what the agent writes: nothing can be done for them."""
    no_agents: list[str]
    """The directories that are waited for where no agent has one."""


class DoctorResult(TypedDict):
    """What is wrong (empty when all is well), and what is worth knowing."""

    findings: list[Finding]
    notes: Notes


class Touch(TypedDict):
    """One session that touched a path."""

    session: Session
    touches: int
    kinds: list[str]
    first: str | None
    last: str | None
    asked: str | None
    records: list[Record]


class BlameResult(TypedDict):
    sessions: list[Touch]
    notice: NotRequired[str]


class CommandUse(TypedDict):
    """One way in which a tool was called."""

    command: str
    runs: int
    sessions: int
    failed: int
    last: str | None
    project: str | None


class HowResult(TypedDict):
    commands: list[CommandUse]
    notice: NotRequired[str]


class Fix(TypedDict):
    """An error, and what was done next; `held` is whether it stayed away."""

    error: str
    time: str | None
    session: Session
    next: list[Record]
    held: bool | None


class FixResult(TypedDict):
    fixes: list[Fix]
    notice: NotRequired[str]


class FileUse(TypedDict):
    path: str
    sessions: int
    touches: int
    last: str | None


class FilesResult(TypedDict):
    files: list[FileUse]
    notice: NotRequired[str]


class ContextResult(TypedDict):
    """A digest of one session for a model, `bytes` of UTF-8 long."""

    tier: NotRequired[Tier | None]
    """How it was found, as in a search."""
    session: Session
    markdown: str
    bytes: int
    truncated: bool
    notice: NotRequired[str]


class SessionResult(TypedDict):
    """Answer of `session`."""

    session: Session


class Output(TypedDict):
    """Answer of `hook` and `statusline`: what is to be printed, "" for nothing."""

    output: str
