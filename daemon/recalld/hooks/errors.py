"""What a failed command printed that names its failure: the lines worth looking up, and what in them is the same the
next time."""

from __future__ import annotations

import re

from recalld import analysis
from recalld.hooks.words import FUNCTION_WORDS
from recalld.shell_report import is_printed

MAX_LINES = 8
MAX_LINE = 600
"""Characters of a line that are looked at."""
LEAST = 3
"""Words that must be left of a line."""
MOST = 16

_NAMES_FAILURE = re.compile(
    r"\b(?:error|errors|exception|fatal|panic|panicked|traceback|failed|failure|cannot|can't|could not|couldn't|unable|"
    r"denied|refused|not found|no such|undefined|unresolved|unknown|invalid|unexpected|missing|mismatch|conflict|"
    r"timed out|timeout|killed|segmentation fault|abort(?:ed)?|unsupported|incompatible|forbidden|unauthorized|"
    r"permission|does not exist|already exists|already in use|expected|E\d{3,5}|ERR!|ERR_\w+)\b"
    r"|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
_HEADER = re.compile(r"^\s*(?:Traceback \(most recent call last\):|Error:?|error:?|Exit code:? \d+|FAILED|stderr:?)\s*$")
# What differs from one time to the next: times, durations, addresses, hashes, line numbers, temporary paths.
_VOLATILE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]?[\d:.,]*Z?|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|KB|MB|GB|bytes)\b|\b0x[0-9a-fA-F]+\b|"
    r"\b[0-9a-f]{7,64}\b|:\d+(?::\d+)?\b|/(?:tmp|var/folders|private)/\S+|\bpid \d+|\bport \d+|\x1b\[[\d;]*m"
)


_LABEL = re.compile(r"^(?:Output|Error|stdout|stderr):\s*(?=\S)")


def error_lines(output: str) -> list[str]:
    """Return the lines that name a failure, the telling ones first: the last ones of a trace, then from the top."""
    lines = [line.strip()[:MAX_LINE] for line in output.splitlines() if line.strip()]
    lines = [_LABEL.sub("", line) for line in lines if is_printed(line)]
    named = [line for line in lines if _NAMES_FAILURE.search(line) and not _HEADER.match(line)]
    ordered = [*named[-2:][::-1], *named[:-2]]
    return list(dict.fromkeys(ordered))[:MAX_LINES]


def looks_failed(output: str) -> bool:
    """Tell whether the output of a command whose exit status is not known names a failure."""
    return bool(error_lines(output))


def lasting(line: str) -> list[str]:
    """Return the terms of a line that will be there the next time too, each once; [] where too few are left."""
    kept = _VOLATILE.sub(" ", line)
    terms = [t for t in dict.fromkeys(analysis.terms(kept)) if len(t) > 1 and not t.isdigit()]
    telling = [t for t in terms if t not in FUNCTION_WORDS]
    return telling[:MOST] if len(telling) >= LEAST else []
