"""What a mistyped command or option may have meant. Both are searched for all the same: a query may hold any word."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 4
"""Letters of a command from which another word counts as it mistyped: `now` is no `how`."""


def command_meant(words: list[str], commands: Iterable[str]) -> str | None:
    """Return the command that the first word of an implicit search is (options stood in front), or is one edit away
    from; `--help` for the word `help` alone; None where it is none."""
    if words == ["help"]:
        return "--help"
    known = [name for name in commands if len(name) >= _SHORTEST]
    first = next(iter(words), "")
    return first if first in known else next((name for name in known if one_edit(first, name)), None)


def option_meant(word: str, options: Iterable[str]) -> str | None:
    """Return the long option that a word of a query is one edit away from, or None."""
    if not word.startswith("--"):
        return None
    return next((name for name in options if name.startswith("--") and one_edit(word.split("=", 1)[0], name)), None)


def one_edit(a: str, b: str) -> bool:
    """Tell whether one letter more, less or other, or two neighbours exchanged, makes `a` of `b`."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        longer, shorter = (a, b) if len(a) > len(b) else (b, a)
        return longer[at + 1 :] == shorter[at:]
    return a[at + 1 :] == b[at + 1 :] or (a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :])
