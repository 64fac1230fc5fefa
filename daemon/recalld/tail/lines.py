"""Complete lines of one file from a byte offset on.

A line is complete when its newline is there; what follows the last newline waits. Reading goes by chunks: each is split
at once, so that no Python runs for a byte, and memory is a chunk, or the longest line that may be read.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from types import TracebackType

from recalld.index.documents import StoredFile
from recalld.tail.fingerprint import EDGE, digest
from recalld.tail.text import MAX_UNCOMPRESSED, Text

MAX_LINE = 32 * 2**20
"""Bytes of a line, newline included. The longest line seen is 2.1 MB."""

CHUNK = 2**18
"""Bytes of one read. Measured on 1 GiB of 1 KB lines: 256 KiB stays in the processor's cache."""


@dataclass(slots=True)
class RawLine:
    """One line. `offset` is of its first byte, `length` counts the newline; both in bytes of the uncompressed text."""

    offset: int
    length: int
    data: bytes | None
    """Without the newline (a CR before it belongs to the line). None: the line is over the limit and was skipped."""


class LineReader:
    """A context manager that yields the complete lines from `offset` on, a list a chunk.

    `crc` is that of everything before `offset`. `limit`: bytes at and after this offset are not read. After any batch,
    `offset`, `crc`, `head`, `tail` and `lines` describe the text up to its last line, as a checkpoint needs them.

    Raise OSError where the file cannot be read, and NotRegular, Damaged, TooLarge (see `Text`; the lines before the
    damage or the limit have been yielded then). A file shorter than `offset` yields nothing.
    """

    def __init__(
        self,
        path: Path,
        offset: int,
        *,
        crc: int = 0,
        compressed: bool = False,
        max_line: int = MAX_LINE,
        chunk: int = CHUNK,
        limit: int | None = None,
        max_uncompressed: int = MAX_UNCOMPRESSED,
    ) -> None:
        self.path = path
        self.offset = offset
        """The byte after the last complete line that was yielded or skipped."""
        self.crc = crc
        """CRC-32 of everything before `offset`."""
        self.lines = 0
        """Complete lines since `offset` at the start."""
        self._max_line = max_line
        self._chunk = chunk
        self._limit = limit
        self._text = Text(path, compressed=compressed, max_uncompressed=max_uncompressed)
        self._head = b""
        self._tail = b""
        self._reaches = True
        try:
            self._seek(offset)
        except BaseException:
            self._text.close()
            raise

    def __enter__(self) -> LineReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._text.close()

    @property
    def stat(self) -> os.stat_result:
        """What fstat said when the file was opened."""
        return self._text.stat

    @property
    def bytes_read(self) -> int:
        """Bytes of uncompressed text read so far, those before the first offset that the fingerprint needs included."""
        return self._text.bytes_read

    @property
    def head(self) -> bytes:
        """Hash of the first 4 KiB before `offset`."""
        return digest(self._head)

    @property
    def tail(self) -> bytes:
        """Hash of the last 4 KiB before `offset`."""
        return digest(self._tail)

    def continues(self, file: StoredFile) -> bool:
        """Return whether the open file still has the edges of the checkpoint that reading goes on from.

        To be asked before the first batch. It closes the gap between a decision by path and the opening of that path.
        """
        return file.offset == 0 or (self._reaches and (self.head, self.tail) == (file.head, file.tail))

    def batches(self) -> Iterator[list[RawLine]]:
        """Yield the complete lines, in order; no list is empty."""
        if not self._reaches:
            return
        crc32 = zlib.crc32
        parts: list[bytes] = []  # an unfinished line's pieces, while it may still be read
        unfinished = 0  # its bytes so far
        crc = self.crc  # of everything read, the unfinished line included
        skipping = False
        first, last = b"", b""  # the edges of the unfinished line, while it is skipped
        for data in self._text.chunks(self._limit, self._chunk):
            end = data.rfind(b"\n") + 1
            if not end:
                crc = crc32(data, crc)
                unfinished += len(data)
                parts.append(data)
                if skipping or unfinished >= self._max_line:
                    skipping = True
                    first, last = _first(first, *parts), _last(last, *parts)
                    parts = []
                continue
            self.crc = crc32(memoryview(data)[:end], crc)
            crc = crc32(memoryview(data)[end:], self.crc)
            pieces = data.split(b"\n")
            rest = pieces.pop()
            lengths = [len(piece) + 1 for piece in pieces]
            before = b"".join(parts)
            self._remember(first or before, last or before, data, end)
            if unfinished:
                lengths[0] += unfinished
                pieces[0] = before + pieces[0]
            batch = list(map(RawLine, accumulate(lengths, initial=self.offset), lengths, pieces))
            if skipping:
                batch[0].data = None
            if len(data) + unfinished > self._max_line:
                for line in batch:
                    if line.length > self._max_line:
                        line.data = None
            self.offset += sum(lengths)
            self.lines += len(batch)
            parts = [rest] if rest else []
            unfinished = len(rest)
            skipping = unfinished >= self._max_line
            first, last = b"", b""
            if skipping:
                first, last = _first(rest), _last(rest)
                parts = []
            yield batch

    def _seek(self, offset: int) -> None:
        """Go to the first offset and take in the edges before it."""
        text = self._text
        if not text.compressed:
            self._reaches = text.seek(offset)
            if self._reaches and offset:
                self._tail = text.peek(max(0, offset - EDGE), offset)
                self._head = text.peek(0, min(EDGE, offset))
            return
        for data in text.chunks(offset):
            self._head = _first(self._head, data)
            self._tail = _last(self._tail, data)
        self._reaches = text.position == offset

    def _remember(self, first: bytes, last: bytes, data: bytes, end: int) -> None:
        """Move the edges on to `end` of `data`; `first` and `last` are the edges of the unfinished line before it."""
        if len(self._head) < EDGE:
            self._head = _first(self._head, first, data[: min(end, EDGE)])
        self._tail = data[end - EDGE : end] if end >= EDGE else _last(self._tail, last, data[:end])


def _first(*parts: bytes) -> bytes:
    """Return the first EDGE bytes of `parts` together."""
    return b"".join(part[:EDGE] for part in parts)[:EDGE] if len(parts[0]) < EDGE else parts[0][:EDGE]


def _last(*parts: bytes) -> bytes:
    """Return the last EDGE bytes of `parts` together."""
    return b"".join(part[-EDGE:] for part in parts)[-EDGE:]
