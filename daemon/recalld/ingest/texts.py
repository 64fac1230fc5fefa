"""From a parsed record to its stored form: redaction, limits, and text that lies in a file of its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from recalld.index.documents import StoredFile, StoredRecord, hash_of
from recalld.ingest.nodes import Node, Session
from recalld.model import MAX_TEXT, Kind, Message, Record, Role
from recalld.redact import VERSION, Redactor
from recalld.settings import RedactConfig

STATE_PLACES = frozenset({"cwd", "project", "branch", "git_branch"})
"""What parsers call the names of directories and branches in their states."""
FACT_PLACES = frozenset({"project", "first_project", "resume_project"})
"""Facts that name a directory: without their secrets they read as a record's does."""
MAX_PLACES = 4096
"""Names of directories and branches that are kept beside what is left of them; a history has some hundreds."""


class Texts:
    """The stage that every text goes through before it is stored or indexed.

    `switches` says what is left as it is, everywhere and by project; without it, what `redactor` says, everywhere.
    """

    def __init__(self, redactor: Redactor, *, max_text: int = MAX_TEXT, switches: RedactConfig | None = None) -> None:
        self._redactor = redactor
        self.max_text = max_text
        self._by_project: dict[str, Redactor] = {}
        self._places: dict[str, str] = {}
        self.configure(switches or RedactConfig(disabled=tuple(redactor.disabled)))

    def configure(self, switches: RedactConfig) -> None:
        """Take in what is left as it is, for all that is read from here on."""
        self._switches = switches
        self._redactor.disabled = frozenset(switches.disabled)
        self._uncounted = Redactor(disabled=self._redactor.disabled)
        self._by_project.clear()
        self._places.clear()

    @property
    def redact(self) -> Callable[[str], str]:
        """The redactor, for texts of which no project is known, such as titles."""
        return self._redactor.redact

    def redactor(self, project: str | None) -> Redactor:
        """Return the redactor for the texts of a project."""
        if project is None or not self._switches.projects:
            return self._redactor
        found = self._by_project.get(project)
        if found is None:
            disabled = self._switches.disabled_in(project)
            found = self._redactor
            if disabled != found.disabled:
                found = Redactor(disabled=disabled, counts=self._redactor.counts)
            self._by_project[project] = found
        return found

    def place(self, name: str | None) -> str | None:
        """Return a directory's or a branch's name without its secrets. There are few, and every message names them."""
        if name is None:
            return None
        found = self._places.get(name)
        if found is None:
            if len(self._places) >= MAX_PLACES:
                self._places.clear()
            found = self._places[name] = self._redactor.redact_place(name)
        return found

    def kept(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return what a parser wants to be remembered, its directory's and its branch's name without their secrets."""
        names = {k: self.place(v) for k, v in state.items() if k in STATE_PLACES and isinstance(v, str)}
        return state | names if names else state

    def cut(self, text: str) -> tuple[str, bool]:
        """Return (text within the limit, whether it was cut), on a character boundary."""
        if len(text) * 4 <= self.max_text:
            return text, False
        data = text.encode("utf-8", "replace")
        if len(data) <= self.max_text:
            return text, False
        return data[: self.max_text].decode("utf-8", "ignore"), True

    def join(self, first: str, second: str, project: str | None) -> tuple[str, bool]:
        """Return (a stored text and a new one joined by a newline, whether it was cut)."""
        new = self.redactor(project).redact(second)
        return self.cut(f"{first}\n{new}" if first else new)

    def as_stored(self, record: Record, project: str | None) -> str:
        """Return the text that a record will have once stored, without that of a side file. Counts nothing."""
        own = self.redactor(project)
        redactor = self._uncounted if own is self._redactor else Redactor(disabled=own.disabled)
        return self.cut(redactor.redact(record.text))[0]

    def hash(self, record: Record, project: str | None) -> int:
        """Return the `hash_of` that a record will have once stored, without the text of a side file. Counts nothing."""
        return self.hash_stored(record.role, record.kind, self.as_stored(record, project), project)

    def hash_stored(self, role: Role, kind: Kind, text: str, project: str | None) -> int:
        """Return the `hash_of` for a stored text. A fork that goes on in another project, under other switches, must
        still be known by it, so it is that of the text under the switches for everywhere."""
        if self.redactor(project) is not self._redactor:
            text = self._uncounted.redact(text)
        return hash_of(role, kind, text)

    def again(self, record: StoredRecord) -> StoredRecord:
        """Return a stored record as this version's redactor leaves it."""
        command = record.command
        redact = self.redactor(record.project).redact
        text = redact(record.text)
        return replace(
            record,
            text=text,
            command=None if command is None else redact(command),
            paths=[redact(p) for p in record.paths],
            project=self.place(record.project),
            branch=self.place(record.branch),
            redactor=VERSION,
            hash=self.hash_stored(record.role, record.kind, text, record.project),
        )

    def store(
        self, record: Record, session: Session, node: Node, file: StoredFile, message: Message, identity: str, sub: int
    ) -> StoredRecord:
        """Return the stored form of a record of `message`."""
        redact = self.redactor(message.project).redact
        text, cut = self.cut(redact(record.text))
        side_at: int | None = None
        if record.side is not None:
            spilled = read_side(Path(record.side), Path(file.root), self.max_text)
            if spilled is not None:
                side_at = len(text)
                text, cut = self.join(text, spilled, message.project)
        command = record.command
        if command is not None:
            command = text if command == record.text else redact(command)
        return StoredRecord(
            skey=session.skey,
            id=identity,
            uid=node.uid,
            up=node.up,
            parent=node.parent,
            project=message.project,
            time=message.time,
            role=record.role,
            kind=record.kind,
            tool=record.tool,
            paths=[redact(p) for p in record.paths],
            command=command,
            exit_status=record.exit_status,
            is_error=record.is_error,
            model=record.model,
            branch=message.branch,
            text=text,
            truncated=cut or record.truncated,
            abandoned=False,
            call=record.call,
            side=record.side,
            file=file.id,
            offset=message.offset,
            length=message.length,
            ord=node.ord,
            sub=sub,
            subagent=session.sub_agent,
            redactor=VERSION,
            hash=self.hash_stored(record.role, record.kind, text, message.project),
            side_at=side_at,
        )


def read_side(path: Path, root: Path, limit: int) -> str | None:
    """Return the beginning of a file that holds a record's text; None if it is not there, no regular file, or lies
    outside `root` when links are followed."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve(strict=True)):
            return None
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError, RuntimeError):  # gone, unreadable, a NUL in the name, a loop of links
        return None
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return stream.read(limit).decode("utf-8", "replace")
