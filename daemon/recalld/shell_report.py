"""What Qwen Code puts around what a shell command printed, a line each: `Command: …`, `Output: …`, `Error: (none)`,
`Exit Code: 1`, …: every result has them, so they say nothing of an error."""

from __future__ import annotations

import re

_AROUND = re.compile(
    r"(?:Command|Directory|Background PIDs|Process Group PGID|Exit Code): |Signal: (?:\(none\)|\d+)\s*$"
    r"|(?:Output|Error|Stdout|Stderr): \((?:none|empty)\)\s*$"
)
_OUTPUT = "Output: "


def is_printed(line: str) -> bool:
    """Tell whether a line of a command's output is the command's own."""
    return not _AROUND.match(line)


def without_label(line: str) -> str:
    """Return a line without the label that stands before the first one printed."""
    return line.removeprefix(_OUTPUT)
