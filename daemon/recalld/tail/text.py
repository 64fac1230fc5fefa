"""The bytes of a session file, plain or zstd, as one stream of uncompressed text. Files are opened read-only."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import zstandard

from recall.errors import RecallError

MAX_UNCOMPRESSED = 4 * 2**30
"""Bytes that one compressed file may unpack to. The largest transcripts are some hundred megabytes; a bomb is cut."""

MAX_WINDOW = 2**27
"""Bytes of memory that a zstd frame may ask for: what `zstd --ultra -22` needs, and `zstd -d` gives by default."""


class NotRegular(RecallError):
    """The path names no regular file (a FIFO, a socket, a device, a directory)."""

    code = "not_regular"


class Damaged(RecallError):
    """A compressed file does not unpack. What came before the damage has been read."""

    code = "damaged_file"


class TooLarge(RecallError):
    """A compressed file unpacks to more than it may. What came before the limit has been read."""

    code = "file_too_large"


class Text:
    """An open session file. Raises OSError where it cannot be opened, NotRegular where it is no regular file.

    `read` returns up to that many bytes of uncompressed text, b"" at the end (a truncated zstd file ends where its last
    whole block ends); it raises Damaged and TooLarge. Memory is bounded by the size asked for and `MAX_WINDOW`.
    """

    def __init__(self, path: Path, *, compressed: bool = False, max_uncompressed: int = MAX_UNCOMPRESSED) -> None:
        self.path = path
        self.compressed = compressed
        self.position = 0
        """Offset in the uncompressed text of the byte that `read` returns next."""
        self.bytes_read = 0
        """Bytes of uncompressed text that went through this object, probes included."""
        self._left = max_uncompressed
        # O_NONBLOCK: opening a FIFO that has no writer must not wait for one
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        self._raw: io.FileIO | None = None
        self._stream: zstandard.ZstdDecompressionReader | None = None
        try:
            self.stat = os.fstat(self._fd)
            if not stat.S_ISREG(self.stat.st_mode):
                raise NotRegular(f"{path} is not a regular file: it is left alone")
            if compressed:
                self._raw = io.FileIO(self._fd, "rb", closefd=False)
                decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
                self._stream = decompressor.stream_reader(self._raw, read_across_frames=True, closefd=False)
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._fd >= 0:
            if self._stream is not None:
                self._stream.close()  # type: ignore[no-untyped-call]  # zstandard's stub leaves it out
            if self._raw is not None:
                self._raw.close()
            os.close(self._fd)
            self._fd = -1

    def seek(self, offset: int) -> bool:
        """Go to `offset`, only forwards where the file is compressed; return whether the text reaches that far."""
        if not self.compressed:
            os.lseek(self._fd, offset, os.SEEK_SET)
            self.position = offset
            return offset <= self.stat.st_size
        while self.position < offset:
            if not self.read(min(2**20, offset - self.position)):
                return False
        return True

    def read(self, size: int) -> bytes:
        """Return the next bytes of the text: at most `size`, b"" at its end."""
        data = self._unpack(size) if self._stream is not None else os.read(self._fd, size)
        self.position += len(data)
        self.bytes_read += len(data)
        return data

    def peek(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end` without moving; plain files only."""
        data = os.pread(self._fd, end - start, start)
        self.bytes_read += len(data)
        return data

    def chunks(self, end: int | None = None, chunk: int = 2**20) -> Iterator[bytes]:
        """Yield the text from here to `end`, or to its end."""
        while end is None or self.position < end:
            data = self.read(chunk if end is None else min(chunk, end - self.position))
            if not data:
                return
            yield data

    def _unpack(self, size: int) -> bytes:
        assert self._stream is not None
        if self._left <= 0:
            raise TooLarge(
                f"{self.path} unpacks to more than {self.position} bytes: only these are read; raise the limit in the"
                " configuration if the file is genuine"
            )
        try:
            # read1: what came out before the damage is handed over, not lost with the error
            data = self._stream.read1(min(size, self._left))
        except zstandard.ZstdError as error:
            raise Damaged(f"{self.path} is damaged after {self.position} bytes of its text: {error}") from error
        self._left -= len(data)
        return data
