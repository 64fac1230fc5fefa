"""Reads one file into a batch, a chunk at a time, so that other files can come between."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from recalld.settings import IndexConfig
from recalld.index.documents import StoredFile, StoredRecord, from_body
from recalld.ingest.batch import Batch
from recalld.ingest.texts import Texts, read_side
from recalld.sources import SOURCES
from recalld.sources.base import Line, Parser, SourceFile
from recalld.sources.jsonl import decode
from recalld.tail.lines import LineReader, RawLine

log = logging.getLogger(__name__)

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


def start_over(batch: Batch, file: StoredFile) -> None:
    """Take back what was read of a file; it will be read from its beginning."""
    batch.remove_file(file)
    file.offset = file.crc = file.lines = file.skipped = file.ord = 0
    file.head = file.tail = b""
    file.problems, file.unknown = [], {}
    file.state = file.time = None
    batch.checkpoints[file.id] = file


def read(batch: Batch, file: StoredFile, limits: IndexConfig) -> Iterator[int]:
    """Read `file` on from its offset into `batch`; yield the bytes read after each chunk.

    Between two chunks the checkpoint in `batch.checkpoints` stands exactly behind what the batch holds, so the caller
    may flush, or stop for good. Raises OSError where the file cannot be read.
    """
    if file.kind == "meta":
        yield _read_meta(batch, file)
        return
    if file.kind == "spill":
        yield _read_spill(batch, file)
        return
    source = SOURCES[file.agent]
    parser = source.parser(source_file(file), file.state)
    with LineReader(
        Path(file.path),
        file.offset,
        crc=file.crc,
        compressed=file.compressed,
        max_line=limits.max_line_bytes,
        max_uncompressed=limits.max_uncompressed_bytes,
    ) as reader:
        before = file.offset
        for lines in reader.batches():
            for raw in lines:
                _line(batch, file, parser, raw, limits.max_line_bytes)
            file.offset, file.crc = reader.offset, reader.crc
            file.state = parser.state()
            _keep_stat(file, reader)
            for name, count in parser.unknown.items():
                file.unknown[name] = file.unknown.get(name, 0) + count
            parser.unknown.clear()
            batch.checkpoints[file.id] = file
            yield file.offset - before
            before = file.offset
        _keep_stat(file, reader)
        batch.checkpoints[file.id] = file


def _keep_stat(file: StoredFile, reader: LineReader) -> None:
    stat = reader.stat
    file.dev, file.ino, file.size, file.mtime_ns = stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
    file.head, file.tail = reader.head, reader.tail


def _line(batch: Batch, file: StoredFile, parser: Parser, raw: RawLine, limit: int) -> None:
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
    for data in objects:
        try:
            items = list(parser.feed(Line(raw.offset, raw.length, number, data)))
        except _PARSER_FAULTS as error:
            _skip(file, raw, f"a line of a shape that is not understood ({type(error).__name__})")
            log.warning("parse agent=%s line=%d fault=%s", file.agent, number, type(error).__name__)
            continue
        for item in items:
            batch.add(source, file, item)


def _skip(file: StoredFile, raw: RawLine, why: str) -> None:
    file.skipped += 1
    if len(file.problems) < _KEPT_PROBLEMS:
        file.problems.append([raw.offset, why])


def _read_meta(batch: Batch, file: StoredFile) -> int:
    with open(file.path, "rb") as stream:
        data = stream.read(MAX_META + 1)
    batch.remove_file(file)
    if len(data) <= MAX_META:
        for item in SOURCES[file.agent].meta(source_file(file), data):
            batch.add(SOURCES[file.agent], file, item)
    file.offset = len(data)
    batch.checkpoints[file.id] = file
    return len(data)


def _read_spill(batch: Batch, file: StoredFile) -> int:
    """Put a side file's text into the record that it belongs to, where that has been read before it."""
    text = read_side(Path(file.path), Path(file.root), batch.texts.max_text)
    file.offset = file.size
    batch.checkpoints[file.id] = file
    if text is None:
        return 0
    snapshot = batch.writer.snapshot
    query = snapshot.all_of(snapshot.term("side", file.path), snapshot.term("type", "r"))
    keys = {(r.skey, r.uid, r.id) for r in (from_body(StoredRecord, body) for body in snapshot.bodies(query))}
    keys |= {
        (s.skey, r.uid, r.id) for s in batch.sessions.values() for r in s.pending.values() if r.side == file.path
    }
    for skey, uid, identity in keys:
        session = batch.session(skey)
        node = session.nodes.get(uid)
        record = batch.record(session, identity)
        if node is None or record is None:
            continue
        joined = _with_side(batch.texts, record, text)
        if joined != record.text:
            record.side_at = len(record.text) if record.side_at is None else record.side_at
            record.text = joined
            session.pending[identity] = record
            node.dirty = session.dirty = True
    return len(text)


def _with_side(texts: Texts, record: StoredRecord, text: str) -> str:
    own = record.text if record.side_at is None else record.text[: record.side_at]
    return texts.join(own, text)[0]
