"""The one record model. Sources produce it, the index stores it, every answer is made of it.

`docs/records.md` says what each field means for each agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["message", "tool_call", "command", "read", "edit", "output", "summary"]

_PLACES = ("line-", "history-", "@")

MAX_TEXT = 256 * 1024
"""Text of one record beyond this many bytes of UTF-8 is cut and the record marked `truncated`."""


NO_LINKS = ""
"""What stands for the parent's uid where a line says nothing of the tree: it is neither a root nor a branch of it."""


def is_name(uid: str) -> bool:
    """Return whether a node's id is its name, which its copies have too. Nodes that got none are called after their
    place in a file, and those of other files have the same."""
    return not uid.startswith(_PLACES)


@dataclass(slots=True)
class Record:
    """One message, tool call, tool result or summary, before it gets its place in a session.

    Times are milliseconds since the epoch, UTC; None is unknown.
    """

    role: Role
    kind: Kind
    text: str
    tool: str | None = None
    paths: tuple[str, ...] = ()
    """Paths as the agent wrote them (absolute or relative to `Message.project`)."""
    command: str | None = None
    exit_status: int | None = None
    is_error: bool | None = None
    call: str | None = None
    """The agent's id of the tool call: on the call and on its output alike."""
    side: str | None = None
    """Absolute path of a file that holds the rest of this record's text (a spilled tool result)."""
    id: str | None = None
    """The record's own id where the source gives one; else it gets its message's uid, and `#1`, `#2`, … behind it."""
    model: str | None = None
    truncated: bool = False


@dataclass(slots=True)
class Message:
    """What one line of a transcript holds: a node of the conversation's tree, with no, one or several records.

    Without records it is a link: bookkeeping through which the tree's parent links run.
    """

    session: str
    """Id of the session it belongs to, within its agent."""
    uid: str
    """The node's id, unique within the session. Where the source says `lineage = "ids"`, copies have it too."""
    parent: str | None
    """The parent node's uid as written; it may be missing, or come later. None at a root, NO_LINKS outside the tree."""
    time: int | None
    offset: int
    length: int
    records: list[Record] = field(default_factory=list)
    project: str | None = None
    branch: str | None = None
    inherited: bool = False
    """The line is marked by its agent as copied out of the session that this one was forked from."""
    model: str | None = None
    """Of a fragment without records: the model that the whole message is said to be of."""


FactName = Literal[
    "title",  # value: {"text": str, "rank": int, "at": epoch ms, may be missing}: the highest rank wins, then the last of
    # its file; of several files' the latest, else the last file's
    "live_leaf",  # value: uid of the node that the agent calls the live end of the conversation
    "sub_agent",  # value: {"type", "description", "call"}, each str | None; marks the session a sub-agent
    "parent_session",  # value: session id of the parent (sub-agents)
    "forked_from",  # value: session id that this one was forked from
    "provider",  # value: str
    "link",  # value: a URL kept on the session (a pull request)
    "compaction",  # value: {"before": int | None, "after": int | None, "messages": int | None}
    "rolled_back",  # value: int, how many turns of a person were taken back at this place
    "project",  # value: str, the session's working directory where no message tells it
    "first_project",  # value: str, the directory that the session itself says it began in
    "branch",  # value: str
    "model",  # value: str
    "started",  # value: epoch ms, where the session itself says it
    "prompt_only",  # value: True: the session is known from a prompt history alone
    "resume_project",  # value: str, the directory that resuming needs where it is not the first
]


@dataclass(slots=True)
class Fact:
    """Something a file says of a session that is not a record: its title, its parent, its provider, …"""

    name: FactName
    value: Any
    """msgpack-able."""
    session: str | None
    """The session it is about; None when only `leaf` tells which."""
    leaf: str | None = None
    """A node's uid: the fact is about the session that holds that node, in whatever file."""
    time: int | None = None
    offset: int = 0


Item = Message | Fact
"""What a parser yields."""
