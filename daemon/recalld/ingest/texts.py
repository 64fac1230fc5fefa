"""From a parsed record to its stored form: redaction, limits, and text that lies in a file of its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from recalld.index.documents import StoredFile, StoredRecord, hash_of
from recalld.ingest.nodes import Node, Session
from recalld.model import MAX_TEXT, Message, Record
from recalld.redact import VERSION, Redactor


class Texts:
    """The stage that every text goes through before it is stored or indexed."""

    def __init__(self, redactor: Redactor, *, max_text: int = MAX_TEXT) -> None:
        self._redactor = redactor
        self.max_text = max_text

    @property
    def redact(self) -> Callable[[str], str]:
        """The redactor, for texts that are not records."""
        return self._redactor.redact

    def cut(self, text: str) -> tuple[str, bool]:
        """Return (text within the limit, whether it was cut), on a character boundary."""
        if len(text) * 4 <= self.max_text:
            return text, False
        data = text.encode("utf-8", "replace")
        if len(data) <= self.max_text:
            return text, False
        return data[: self.max_text].decode("utf-8", "ignore"), True

    def join(self, first: str, second: str) -> tuple[str, bool]:
        """Return (a stored text and a new one joined by a newline, whether it was cut)."""
        return self.cut(f"{first}\n{self.redact(second)}" if first else self.redact(second))

    def hash(self, record: Record) -> int:
        """Return the `hash_of` that a record will have once stored, without the text of a side file."""
        return hash_of(record.role, record.kind, self.cut(self.redact(record.text))[0])

    def again(self, record: StoredRecord) -> StoredRecord:
        """Return a stored record as this version's redactor leaves it."""
        command = record.command
        text = self.redact(record.text)
        return replace(
            record,
            text=text,
            command=None if command is None else self.redact(command),
            paths=[self.redact(p) for p in record.paths],
            redactor=VERSION,
            hash=hash_of(record.role, record.kind, text),
        )

    def store(
        self, record: Record, session: Session, node: Node, file: StoredFile, message: Message, identity: str, sub: int
    ) -> StoredRecord:
        """Return the stored form of a record of `message`."""
        text, cut = self.cut(self.redact(record.text))
        side_at: int | None = None
        if record.side is not None:
            spilled = read_side(Path(record.side), Path(file.root), self.max_text)
            if spilled is not None:
                side_at = len(text)
                text, cut = self.join(text, spilled)
        command = record.command
        if command is not None:
            command = text if command == record.text else self.redact(command)
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
            paths=[self.redact(p) for p in record.paths],
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
            hash=hash_of(record.role, record.kind, text),
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
