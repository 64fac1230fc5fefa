"""An answer that is too large for one frame becomes a page: part of its list, and `next_offset` to go on from.

An answer without `next_offset` has no further pages: it says in `notice` what it was cut to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recall import wire
from recall.errors import FrameTooLarge


def pack_page(request: int, result: dict[str, Any], name: str, params: Mapping[str, Any]) -> bytes:
    """Return the reply frame with as many first items of the list `name` as fit, halving until it does.

    `params` are the request's. Raise FrameTooLarge where not even one item fits.
    """
    count = len(result[name])
    goes_on = "next_offset" in result
    offset = params.get("offset", 0)
    if "around" in params:  # the page began where the answer chose to, and ends before the next one or at the end
        end = result["next_offset"] if result["next_offset"] is not None else result["total"]
        offset = end - count
    while count > 1:
        count //= 2
        page = result | {name: result[name][:count]}
        if goes_on:
            page["next_offset"] = offset + count
        else:
            said = [result["notice"]] if "notice" in result else []
            page["notice"] = "; ".join([*said, f"only the first {count} fit into an answer: ask for less with a filter"])
        try:
            return wire.pack({"id": request, "ok": True, "result": page})
        except FrameTooLarge:
            continue
    raise FrameTooLarge(f"one answer alone is over the limit of {wire.MAX_FRAME} bytes: ask for less of it")
