"""The wire: a frame is a 4-byte big-endian length and a msgpack map. Both sides import this; it must stay light.

`docs/protocol.md` describes it for other languages.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import msgpack

from recall.errors import FrameTooLarge, ProtocolError

VERSION = 1
"""Protocol version, the `v` of every request."""

MAX_FRAME = 16 * 1024 * 1024
"""The largest payload of one frame, in bytes."""

_LENGTH = struct.Struct(">I")
_MAX_DEPTH_ERRORS = (ValueError, msgpack.UnpackException, RecursionError)


def pack(message: dict[str, Any]) -> bytes:
    """Return `message` as one frame; raise FrameTooLarge when it is over MAX_FRAME."""
    payload: bytes = msgpack.packb(message, use_bin_type=True, unicode_errors="surrogatepass")
    if len(payload) > MAX_FRAME:
        raise FrameTooLarge(f"a frame of {len(payload)} bytes is over the limit of {MAX_FRAME}")
    return _LENGTH.pack(len(payload)) + payload


def unpack(payload: bytes | bytearray | memoryview) -> dict[str, Any]:
    """Return the map in a frame's payload; raise ProtocolError when it holds anything else."""
    try:
        message = msgpack.unpackb(payload, raw=False, strict_map_key=True, unicode_errors="replace")
    except _MAX_DEPTH_ERRORS as error:
        raise ProtocolError(f"a frame does not hold msgpack: {type(error).__name__}") from error
    if not isinstance(message, dict):
        raise ProtocolError("a frame holds something other than a map")
    return message


class Decoder:
    """Cuts a byte stream into messages, whatever the sizes of the pieces it arrives in.

    `feed` takes bytes, iteration yields whole messages. A length over MAX_FRAME raises FrameTooLarge as soon as its
    four bytes are there; the stream cannot be used after that.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._buffer = bytearray()
        self._limit = limit

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        self._buffer += data

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while len(self._buffer) >= 4:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > self._limit:
                raise FrameTooLarge(f"a frame of {length} bytes is over the limit of {self._limit}")
            if len(self._buffer) < 4 + length:
                return
            with memoryview(self._buffer) as view:
                payload = bytes(view[4 : 4 + length])
            del self._buffer[: 4 + length]
            yield unpack(payload)

    @property
    def rest(self) -> bytes:
        """Bytes that were fed and do not belong to a yielded message."""
        return bytes(self._buffer)
