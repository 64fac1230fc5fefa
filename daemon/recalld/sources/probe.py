"""The working directory behind a project directory's name, for sessions whose records carry none.

Claude Code and Qwen Code name it after the path with every character outside `[A-Za-z0-9]` as `-`. That loses too much
to be undone by looking at the name; but the disk tells which directories would have got it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_OTHER = re.compile("[^A-Za-z0-9]")
_MAX_LOOKS = 2000
"""Directories opened for one name; a name that fits more is not worth the time."""
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
    pending = [(base, name)]
    looks = 0
    while pending and len(found) < 2 and looks < _MAX_LOOKS:
        directory, rest = pending.pop()
        looks += 1
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    encoded = "-" + directory_name(entry.name)
                    if not rest.startswith(encoded) or not entry.is_dir(follow_symlinks=False):
                        continue
                    if rest == encoded:
                        found.append(entry.path)
                    elif rest[len(encoded)] == "-":
                        pending.append((Path(entry.path), rest[len(encoded) :]))
        except OSError:
            continue  # not ours to look into: it cannot be told from a directory that is not there
    return found[0] if len(found) == 1 else None
