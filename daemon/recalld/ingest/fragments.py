"""Messages that come in several lines: their fragments become one message, whose latest line tells time and model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recalld.index.documents import StoredRecord
from recalld.ingest.nodes import Node, Session
from recalld.ingest.ownership import whose
from recalld.model import Message, Record

if TYPE_CHECKING:
    from recalld.ingest.batch import Batch

_JOINED = ("message", "output")
"""Kinds of records that a further fragment may add to; every other one is a record of its own."""


def take_fragment(batch: Batch, session: Session, node: Node, message: Message) -> None:
    """Take in a further fragment of a message. A fork's file may have shown it before: then the text has it."""
    node.seen += 1
    session.touch(node)
    owner, _, owned = whose(batch, session, node.uid)
    if owned is not None and owned.own and node.seen > owned.merged:
        owned.merged = node.seen
        _merge(batch, owner, owned, message)


def _merge(batch: Batch, session: Session, node: Node, message: Message) -> None:
    """Join a fragment to the records that are there: texts to the text, a call's result to its output, others behind."""
    file = batch.files[node.file]
    message.offset, message.length = node.offset, node.length
    for record in message.records:
        before = _before(batch, session, node, record)
        if before is None:
            batch.make_record(session, node, file, message, record, len(node.held))
        else:
            _join(batch, session, node, before, record)
    model = message.model or next((r.model for r in message.records if r.model), None)
    node.time = message.time
    node.model = model or node.model
    for held in node.held:
        now = batch.record(session, held.id)
        if now is None:
            continue
        said_by = model or now.model if now.role == "assistant" else now.model
        if now.time != message.time or now.model != said_by:
            session.pending[held.id] = replace(now, time=message.time, model=said_by)
    session.touch(node)


def _before(batch: Batch, session: Session, node: Node, record: Record) -> StoredRecord | None:
    """Return the record that `record` is a further part of: the message's text, or the output of the same call."""
    if record.kind not in _JOINED:
        return None
    for held in node.held:
        if held.kind == record.kind:
            found = batch.record(session, held.id)
            if found is not None and (record.kind == "message" or record.call in (None, found.call)):
                return found
    return None


def _join(batch: Batch, session: Session, node: Node, before: StoredRecord, record: Record) -> None:
    text, truncated = before.text, False
    if record.text:
        text, truncated = batch.texts.join(before.text, record.text, before.project)
    merged = replace(
        before,
        text=text,
        hash=batch.texts.hash_stored(before.role, before.kind, text, before.project),
        truncated=before.truncated or truncated or record.truncated,
        exit_status=before.exit_status if record.exit_status is None else record.exit_status,
        is_error=before.is_error if record.is_error is None else record.is_error,
        tool=before.tool or record.tool,
    )
    session.pending[before.id] = merged
    next(h for h in node.held if h.id == before.id).hash = merged.hash
