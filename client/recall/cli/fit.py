"""Lines fitted to the width of a terminal, in cells: a CJK letter takes two. Loaded for terminals only: rich measures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from recall.cli.output import Line

_NARROWEST = 20
"""Cells under which nothing is fitted: a column of single words helps nobody."""
_BLANKS = re.compile(r"\s+|\S+")
_GAPS = re.compile(r"\s{2,}|(?:\S|\s(?!\s))+")


def cut(line: Line, width: int) -> Line:
    """Return the line cut to `width` cells, with `…` at the end of what was cut."""
    if width < _NARROWEST or _size(line) <= width:
        return line
    kept: Line = []
    room = width - 1
    for text, style in line:
        size = cell_len(text)
        if size > room:
            return [*kept, (set_cell_size(text, room).rstrip() + "…", style)]
        kept.append((text, style))
        room -= size
    return kept


def wrapped(line: Line, width: int, gaps: bool = False) -> Iterator[Line]:
    """Yield the line wrapped at blanks (with `gaps` only at several together) to `width` cells, each part indented as
    the line itself begins. A word that is longer than a line is divided."""
    start = "".join(text for text, _ in line)
    indent = len(start) - len(start.lstrip(" "))
    if width < _NARROWEST + indent or _size(line) <= width:
        yield line
        return
    margin: Line = [(" " * indent, "")]
    row, used = [*margin], indent
    blank: Line = []
    for word in _words(line, _GAPS if gaps else _BLANKS):
        if word[0][0].isspace():
            blank = word if used > indent else []
            continue
        if used > indent and used + _size(blank) + _size(word) > width:
            yield row
            row, used, blank = [*margin], indent, []
        for text, style in [*blank, *word]:
            while used + cell_len(text) > width:
                head = _head(text, width - used)
                yield [*row, (head, style)]
                row, used, text = [*margin], indent, text[len(head) :]
            row.append((text, style))
            used += cell_len(text)
        blank = []
    yield row


def _words(line: Line, pieces: re.Pattern[str]) -> Iterator[Line]:
    """Yield the line's blanks and words; a word may have several styles."""
    word: Line = []
    for text, style in line:
        for piece in pieces.findall(text):
            if word and (piece.isspace() or word[-1][0].isspace()):
                yield word
                word = []
            word.append((piece, style))
    if word:
        yield word


def _head(text: str, room: int) -> str:
    size = 0
    for n, letter in enumerate(text):
        size += cell_len(letter)
        if size > room:
            return text[: max(n, 1)]
    return text


def _size(line: Line) -> int:
    return sum(cell_len(text) for text, _ in line)
