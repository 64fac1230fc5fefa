"""What commands print: JSON for scripts, styled lines for people.

A line is a list of (text, style) spans. On a terminal with colours rich paints it; elsewhere it is the bare text and
rich is never imported.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any

SCHEMA = 1
"""Version of the JSON that commands print."""

Line = list[tuple[str, str]]
"""Spans of one printed line: text and rich style (""), in order."""


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object with its `schema` in front, on one line."""
    write_json({"schema": SCHEMA, **answer})


def write_json(value: Any) -> None:
    """Print `value` as it is, as JSON on one line."""
    import orjson

    try:
        text = orjson.dumps(value)
    except TypeError:  # a lone surrogate out of an argument or a file name
        import json

        text = json.dumps(value).encode("ascii")
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def colourful(stream: Any) -> bool:
    """Tell whether `stream` is a terminal that takes colours."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the columns of the terminal that stdout is, or None where it is none: nothing is fitted there."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_lines(lines: Iterable[Line]) -> None:
    """Print styled lines to stdout. The texts must be clean (`recall.clean`): they are never read as markup."""
    if colourful(sys.stdout):
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False, soft_wrap=True)
        for line in lines:
            console.print(Text.assemble(*line))
        return
    out = sys.stdout
    encoding = out.encoding or "ascii"
    for line in lines:
        text = "".join(span for span, _ in line)
        out.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def warn(line: str) -> None:
    """Print one line to stderr."""
    from recall.clean import clean_line

    text = clean_line(line)
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stderr.flush()
