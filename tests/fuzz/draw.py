"""Values out of the bytes that a fuzzer gives: a header that makes choices, and the rest, which is the input itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Reads from the front. Beyond the end everything is zero, so that a short input is a valid one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def number(self, size: int = 2) -> int:
        """Return an unsigned number of `size` bytes."""
        return int.from_bytes(bytes(self.byte() for _ in range(size)), "big")

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        return self.number() % limit

    def pick(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def flag(self) -> bool:
        return bool(self.byte() & 1)

    def more(self) -> bool:
        """Tell whether anything is left."""
        return self._at < len(self._data)

    def rest(self) -> bytes:
        at, self._at = self._at, max(self._at, len(self._data))
        return self._data[at:]

    def text(self) -> str:
        """Return the rest as text, lone surrogates included."""
        return text_of(self.rest())


def text_of(data: bytes) -> str:
    """Return bytes as text: surrogates stay, what is no UTF-8 becomes Latin-1."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")
