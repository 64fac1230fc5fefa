"""Reads one file into a batch, a chunk at a time, so that other files can come between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from recalld import logs
from recalld.index.documents import StoredFile, StoredRecord, from_body
from recalld.ingest.batch import Batch
from recalld.ingest.beside import Beside
from recalld.ingest.texts import Texts, read_side
from recalld.model import Item, Message
from recalld.settings import IndexConfig
from recalld.sources import SOURCES
from recalld.sources.base import Line, Parser, SourceFile
from recalld.sources.jsonl import decode
from recalld.tail.found import Stat
from recalld.tail.lines import LineReader, RawLine
from recalld.tail.table import FileTable, restart

MAX_META = 1 << 20
"""A `meta` file over this many bytes is not one."""

_KEPT_PROBLEMS = 20
"""Skipped lines that a checkpoint names; the rest is only counted."""

_PARSER_FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)
"""What a line of a shape that nobody foresaw may raise in a parser: it costs that line, and doctor says so."""


def source_file(file: StoredFile) -> SourceFile:
    """Return what its path tells of a file."""
    told = SOURCES[file.agent].classify(Path(file.root), Path(file.path))
    if told is not None:
        return told
    return SourceFile(
        agent=file.agent,
        root=Path(file.root),
        path=Path(file.path),
        kind=file.kind,  # type: ignore[arg-type]  # it was a FileKind when it was stored
        session=file.session,
        logical=file.logical,
        compressed=file.compressed,
    )


def read(batch: Batch, table: FileTable, file: StoredFile, limits: IndexConfig, *, again: bool = False) -> Iterator[int]:
    """Read `file` on from its offset into `batch`; yield the bytes read after each chunk.

    Between two chunks the checkpoint in `batch.checkpoints` stands exactly behind what the batch holds, so the caller
    may flush, or stop for good. `again`: the file says something else now; what it said before is taken back with its
    first complete line, and it is read from its beginning. Raises OSError or a RecallError where it cannot be read.
    """
    if file.kind == "meta":
        yield _read_meta(batch, table, file)
    elif file.kind == "spill":
        yield _read_spill(batch, table, file)
    else:
        yield from _read_lines(batch, table, file, limits, again)


def _read_lines(batch: Batch, table: FileTable, file: StoredFile, limits: IndexConfig, again: bool) -> Iterator[int]:
    with LineReader(
        Path(file.path),
        0 if again else file.offset,
        crc=0 if again else file.crc,
        compressed=file.compressed,
        max_line=limits.max_line_bytes,
        max_uncompressed=limits.max_uncompressed_bytes,
    ) as reader:
        if not again and not reader.continues(file):
            return  # replaced since it was looked at: the watcher has told of that too
        parser: Parser | None = None
        beside: Beside | None = None
        whole = False
        try:
            for lines in reader.batches():
                if again:
                    beside = Beside(batch, file, table.alike(file))
                    batch.remove_file(file)
                    restart(file)
                    again = False
                if parser is None:
                    parser = SOURCES[file.agent].parser(source_file(file), file.parser_state())
                before = file.offset
                _take(batch, file, parser, lines, limits.max_line_bytes)
                file.offset, file.crc, file.head, file.tail = reader.offset, reader.crc, reader.head, reader.tail
                batch.checkpoints[file.id] = file
                yield file.offset - before
            whole = True
        finally:
            if beside is not None:
                batch.disturbed += beside.settle(whole=whole)
        if again:
            return  # no line yet: what it said before stays
        table.advance(file, reader)
        batch.checkpoints[file.id] = file


def _take(batch: Batch, file: StoredFile, parser: Parser, lines: list[RawLine], limit: int) -> None:
    """Take the lines of one chunk in."""
    early: list[Item] = []
    for raw in lines:
        _line(batch, file, parser, raw, limit, early)
    if early:
        _take_early(batch, file, early, os.stat(file.path).st_mtime_ns // 1_000_000)
    file.remember(batch.texts.kept(parser.state()))
    for name, count in parser.unknown.items():
        file.unknown[name] = file.unknown.get(name, 0) + count
    parser.unknown.clear()


def _line(batch: Batch, file: StoredFile, parser: Parser, raw: RawLine, limit: int, early: list[Item]) -> None:
    """Take one line in. What a file says before its first time goes to `early`, to get that one."""
    number = file.lines
    file.lines += 1
    if raw.data is None:
        _skip(file, raw, f"a line of {raw.length} bytes is over the limit of {limit}")
        return
    objects = decode(raw.data)
    if isinstance(objects, str):
        _skip(file, raw, objects)
        return
    source = SOURCES[file.agent]
    for part, data in enumerate(objects):
        try:
            items = list(parser.feed(Line(raw.offset, raw.length, number, data, part)))
        except _PARSER_FAULTS as error:
            _skip(file, raw, f"a line of a shape that is not understood ({type(error).__name__})")
            logs.warning("parse_failed", agent=file.agent, line=number, fault=logs.where(error))
            continue
        if file.time is None:
            first = next((item.time for item in items if isinstance(item, Message) and item.time is not None), None)
            if first is None:
                early += items
                continue
            _take_early(batch, file, early, first)
        for item in items:
            batch.add(source, file, item)


def _take_early(batch: Batch, file: StoredFile, early: list[Item], time: int) -> None:
    """Take in what came before anything with a time: at the neighbour's, or where there is none at the file's."""
    for item in early:
        if isinstance(item, Message):
            item.time = time
        batch.add(SOURCES[file.agent], file, item)
    early.clear()


def _skip(file: StoredFile, raw: RawLine, why: str) -> None:
    file.skipped += 1
    if len(file.problems) < _KEPT_PROBLEMS:
        file.problems.append([raw.offset, why])


def _read_meta(batch: Batch, table: FileTable, file: StoredFile) -> int:
    with open(file.path, "rb") as stream:
        now = Stat.of(os.fstat(stream.fileno()))
        data = stream.read(MAX_META + 1)
    if file.offset:  # it has been read before
        batch.remove_file(file)
    if len(data) <= MAX_META:
        for item in SOURCES[file.agent].meta(source_file(file), data):
            batch.add(SOURCES[file.agent], file, item)
    _settle(batch, table, file, now)
    return len(data)


def _settle(batch: Batch, table: FileTable, file: StoredFile, now: Stat) -> None:
    """Note that a file that is read whole has been."""
    file.offset = now.size
    table.seen(file, now)
    batch.checkpoints[file.id] = file


def _read_spill(batch: Batch, table: FileTable, file: StoredFile) -> int:
    """Put a side file's text into the record that it belongs to, where that has been read before it."""
    now = Stat.of(os.stat(file.path))
    text = read_side(Path(file.path), Path(file.root), batch.texts.max_text)
    _settle(batch, table, file, now)
    if text is None:
        return 0
    snapshot = batch.writer.snapshot
    query = snapshot.all_of(snapshot.term("side", file.path), snapshot.term("type", "r"))
    keys = {(r.skey, r.uid, r.id) for r in (from_body(StoredRecord, body) for body in snapshot.bodies(query))}
    keys |= {(s.skey, r.uid, r.id) for s in batch.sessions.values() for r in s.pending.values() if r.side == file.path}
    for skey, uid, identity in keys:
        session = batch.session(skey)
        node = session.nodes.get(uid)
        record = batch.record(session, identity)
        if node is None or record is None:
            continue
        joined = _with_side(batch.texts, record, text)
        if joined != record.text:
            record.side_at = len(record.text) if record.side_at is None else record.side_at
            record.text, record.hash = joined, batch.texts.hash_stored(record.role, record.kind, joined, record.project)
            session.pending[identity] = record
            for held in node.held:
                held.hash = record.hash if held.id == identity else held.hash
            session.touch(node)
    return len(text)


def _with_side(texts: Texts, record: StoredRecord, text: str) -> str:
    own = record.text if record.side_at is None else record.text[: record.side_at]
    return texts.join(own, text, record.project)[0]
