"""What the known files come to, by agent, without summing up all of them for every answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recalld.index.documents import StoredFile


@dataclass(slots=True)
class _Counts:
    files: int = 0
    skipped: int = 0
    bytes: int = 0


class Tally:
    """Files on disk, their size and their skipped lines; side files and deleted ones do not count."""

    def __init__(self, files: Iterable[StoredFile]) -> None:
        self._sums: dict[str, _Counts] = {}
        self._counted: dict[str, _Counts] = {}
        for file in files:
            self.count(file)

    def count(self, file: StoredFile) -> None:
        """Take a file in as it is now, in place of what it was."""
        if file.kind in ("spill", "meta"):
            return
        now = _Counts() if file.deleted else _Counts(1, file.skipped, file.size)
        before = self._counted.get(file.id, _Counts())
        if now != before:
            self._counted[file.id] = now
            sums = self._sums.setdefault(file.agent, _Counts())
            sums.files += now.files - before.files
            sums.skipped += now.skipped - before.skipped
            sums.bytes += now.bytes - before.bytes

    def agents(self, roots: Mapping[str, Sequence[Path]]) -> dict[str, dict[str, Any]]:
        """Return `files`, `skipped_lines` and `roots` of every agent that is read."""
        found = {agent: self._sums.get(agent, _Counts()) for agent in roots}
        return {
            agent: {"files": c.files, "skipped_lines": c.skipped, "roots": [str(root) for root in roots[agent]]}
            for agent, c in found.items()
        }

    def bytes(self, roots: Mapping[str, Sequence[Path]]) -> int:
        """Return the bytes on disk of all files of the agents that are read."""
        return sum(self._sums[agent].bytes for agent in roots if agent in self._sums)
