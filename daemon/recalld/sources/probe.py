"""The working directory behind a project directory's name, for sessions whose records carry none.

Claude Code and Qwen Code name it after the path with every character outside `[A-Za-z0-9]` as `-`. That loses too much
to be undone by looking at the name; but the disk tells which of the spellings is a directory.

It is outside of what we were given to read, so no directory is listed: the disk is asked (`lstat`, nothing is opened, no
link followed) for names that the agent's own file spells, with the characters that people put into names. A directory
with another character in it is not found, and its session has no project.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import product
from pathlib import Path

_OTHER = re.compile("[^A-Za-z0-9]")
_JOINTS = "-_. "
"""What a `-` may stand for inside a name, beside the end of it."""
_FREE_JOINTS = 3
"""With more joints than this in one name, at most one is of another kind than the rest."""
_MOST_JOINTS = 12
_MOST_ASKED = 10_000
"""Questions for one name, 2 µs each; a name that asks for more is not worth the time."""
MAX_NAME = 200
"""Longer names are cut and hashed by Claude Code."""


def directory_name(path: str) -> str:
    """Return the name that agents give the project directory of `path`."""
    return _OTHER.sub("-", path)


def probe(name: str, base: Path = Path("/")) -> str | None:
    """Return the directory below `base` whose path encodes as `name`, or None where there is none, or several."""
    if not name.startswith("-") or len(name) > MAX_NAME:
        return None
    found: list[str] = []
    asked = 0
    pending = [(os.fspath(base), name[1:].split("-"))]
    while pending:
        directory, words = pending.pop()
        for size in range(1, min(len(words), _MOST_JOINTS + 1) + 1):
            for spelling in _spellings(words[:size]):
                asked += 1
                if asked > _MOST_ASKED:
                    return None
                path = os.path.join(directory, spelling)
                if not _is_directory(path):
                    continue
                if size < len(words):
                    pending.append((path, words[size:]))
                else:
                    found.append(path)
    return found[0] if len(found) == 1 else None


def _spellings(words: list[str]) -> Iterator[str]:
    """Yield the names of one directory that `words` may have been, the likeliest first."""
    joints = len(words) - 1
    if joints <= _FREE_JOINTS:
        chosen: Iterator[tuple[str, ...]] = product(_JOINTS, repeat=joints)
    else:
        chosen = _one_kind(joints)
    for between in chosen:
        name = words[0] + "".join(a + b for a, b in zip(between, words[1:], strict=True))
        if name not in ("", ".", ".."):
            yield name


def _one_kind(joints: int) -> Iterator[tuple[str, ...]]:
    for usual in _JOINTS:
        yield (usual,) * joints
        for other in _JOINTS:
            if other != usual:
                for place in range(joints):
                    yield (*(usual,) * place, other, *(usual,) * (joints - place - 1))


def _is_directory(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False  # not ours to look into: it cannot be told from a directory that is not there
