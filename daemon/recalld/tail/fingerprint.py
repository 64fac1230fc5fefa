"""Is this file the one that the checkpoint is about? Three answers of growing cost.

`head` is a hash of the first 4 KiB before the offset, `tail` of the last 4 KiB before it; both are compared at every
growth. `crc` is a CRC-32 of everything before it, and is compared when there is doubt. An append changes none of them;
a rewrite changes the tail, or nearly always, and what slips through (a change in the middle that leaves both ends and
the size alone) is what the whole comparison is for.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from recalld.index.documents import StoredFile
from recalld.tail.text import MAX_UNCOMPRESSED, Text

EDGE = 4096
"""Bytes at either end of the prefix that are hashed: a page, so that the check costs two page reads, and several
records of every agent."""


def digest(data: bytes) -> bytes:
    """Return the hash that `head` and `tail` hold: 16 bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def matches(path: Path, file: StoredFile, *, whole: bool, max_uncompressed: int = MAX_UNCOMPRESSED) -> bool:
    """Return whether the text at `path` begins with the bytes before `file.offset`.

    Plain: reads 8 KiB, or with `whole` everything before the offset. A path that ends in `.zst` is unpacked up to the
    offset, so it is always the whole comparison. Raise OSError where it cannot be read, and what `Text` raises.
    """
    if file.offset == 0:
        return True
    with Text(path, compressed=is_compressed(path), max_uncompressed=max_uncompressed) as text:
        if whole or text.compressed:
            crc = 0
            for data in text.chunks(file.offset):
                crc = zlib.crc32(data, crc)
            return text.position == file.offset and crc == file.crc
        if text.stat.st_size < file.offset:
            return False
        tail = text.peek(max(0, file.offset - EDGE), file.offset)
        return digest(tail) == file.tail and digest(text.peek(0, min(EDGE, file.offset))) == file.head


def is_compressed(path: Path) -> bool:
    """Return whether `path` names a zstd file."""
    return path.name.endswith(".zst")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two files' texts relate. Lengths are of the complete lines, in bytes."""

    agree: bool
    """One of them begins with the whole of the other."""
    first: int
    second: int


def compare(first: Path, second: Path, *, max_uncompressed: int = MAX_UNCOMPRESSED) -> Comparison:
    """Read both files and return how they relate. Raise OSError, and what `Text` raises. Constant memory."""
    with (
        Text(first, compressed=is_compressed(first), max_uncompressed=max_uncompressed) as a,
        Text(second, compressed=is_compressed(second), max_uncompressed=max_uncompressed) as b,
    ):
        here, there = _Ahead(a), _Ahead(b)
        while here.fill() and there.fill():
            size = min(len(here.data), len(there.data))
            if here.data[:size] != there.data[:size]:
                return Comparison(False, 0, 0)
            here.take(size)
            there.take(size)
        return Comparison(True, here.to_end(), there.to_end())


class _Ahead:
    """A text that two readers walk in step: the bytes read and not yet compared, and where the last line ended."""

    def __init__(self, text: Text) -> None:
        self.data = b""
        self._text = text
        self._taken = 0
        self._lines_end = 0

    def fill(self) -> bool:
        if not self.data:
            self.data = self._text.read(2**20)
        return bool(self.data)

    def take(self, size: int) -> None:
        newline = self.data.rfind(b"\n", 0, size)
        if newline >= 0:
            self._lines_end = self._taken + newline + 1
        self._taken += size
        self.data = self.data[size:]

    def to_end(self) -> int:
        while self.fill():
            self.take(len(self.data))
        return self._lines_end
