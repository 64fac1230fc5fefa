"""Session text made safe for a terminal. It was written by models, web pages and programs: none of it is trusted."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls: escape sequences, carriage returns, the C1 set (tab and newline stay)
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of text, or hides in it
    "\u2028\u2029\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"  # lone surrogates: no encoding takes them
    "\U000e0000-\U000e007f]"  # tags: invisible letters
)
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return `text` without what a terminal would act on or hide; lines and tabs stay."""
    return _UNSAFE.sub("", text)


def one_line(text: str) -> str:
    """Return `text` cleaned, on one line, every run of white space one space."""
    return _SPACES.sub(" ", clean(text)).strip()


def marked(text: str, highlights: list[list[int]]) -> list[tuple[str, bool]]:
    """Cut `text` at `highlights` ([start, end) in code points of `text`) into cleaned pieces: (piece, is highlighted).

    Ranges that overlap, lie outside or are out of order do no harm. Line ends become spaces.
    """
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in sorted((int(h[0]), int(h[1])) for h in highlights if len(h) == 2):
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        pieces.append((text[at:start], False))
        pieces.append((text[start:end], True))
        at = end
    pieces.append((text[at:], False))
    flat = [(_SPACES.sub(" ", clean(piece)), lit) for piece, lit in pieces]
    return [(piece, lit) for piece, lit in flat if piece]
