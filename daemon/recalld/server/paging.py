"""An answer that is too large for one frame becomes a page: part of its list, and `next_offset` to go on from."""

from __future__ import annotations

from typing import Any

from recall import wire
from recall.errors import FrameTooLarge


def pack_page(request: int, result: dict[str, Any], name: str, offset: int) -> bytes:
    """Return the reply frame with as many first items of the list `name` as fit, halving until it does.

    `offset` is the first item's place in the whole answer. Raise FrameTooLarge where not even one item fits.
    """
    items = result.get(name)
    count = len(items) if isinstance(items, list) else 0
    while count > 1:
        count //= 2
        page = result | {name: result[name][:count], "next_offset": offset + count}
        try:
            return wire.pack({"id": request, "ok": True, "result": page})
        except FrameTooLarge:
            continue
    raise FrameTooLarge(f"one answer alone is over the limit of {wire.MAX_FRAME} bytes: ask for less of it")
