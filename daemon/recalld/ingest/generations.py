"""Index directories: one is current; a new one is built beside it when what it was made with has changed.

`index/current` names the current directory and what it was made with. It is replaced atomically, and only when the new
index holds everything, so a crash at any moment leaves a whole index current.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from recalld import analysis, sources
from recalld.index import schema


def made_with() -> dict[str, int]:
    """Return what the documents of an index depend on, beside the files themselves."""
    from recalld.redact import VERSION  # takes 50 ms to load, which the main process, a reader, is spared

    return {"format": schema.FORMAT, "analysis": analysis.VERSION, "redactor": VERSION, "sources": sources.VERSION}


@dataclass(frozen=True, slots=True)
class Generation:
    """One index directory."""

    path: Path
    made_with: dict[str, int]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def outdated(self) -> bool:
        return self.made_with != made_with()

    @property
    def readable(self) -> bool:
        """This version's queries can be asked of it."""
        return self.made_with.get("format") == schema.FORMAT


class Generations:
    """The index directories below one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def current(self) -> Generation | None:
        """Return the current index, if there is one."""
        try:
            told = json.loads((self.root / "current").read_bytes())
            name = str(told["dir"])
            made_with = {str(k): int(v) for k, v in told["made_with"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # none yet, or torn by something that is not us
        path = self.root / name
        if not name.isdigit():
            return None
        return Generation(path, made_with) if (path / "meta.json").exists() else None

    @property
    def pointed(self) -> bool:
        """There has been an index here."""
        return (self.root / "current").exists()

    def every(self) -> list[Path]:
        """Return the index directories there are, current or not, oldest first."""
        found = [p for p in self.root.iterdir() if p.name.isdigit() and p.is_dir()]
        return sorted(found, key=lambda p: int(p.name))

    def new(self) -> Generation:
        """Return a directory for a new index, empty."""
        numbers = [int(p.name) for p in self.root.iterdir() if p.name.isdigit()]
        path = self.root / str(max(numbers, default=0) + 1)
        path.mkdir(mode=0o700)
        return Generation(path, made_with())

    def make_current(self, generation: Generation) -> None:
        """Make a finished index the current one."""
        temporary = self.root / "current.new"
        with open(temporary, "w", encoding="utf-8") as stream:
            json.dump({"dir": generation.name, "made_with": generation.made_with}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, self.root / "current")
        descriptor = os.open(self.root, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)  # before the old index goes: the name must not go back to it
        finally:
            os.close(descriptor)

    def sweep(self, *keep: Generation) -> None:
        """Delete every other index directory: left by a build that was cut short, or replaced."""
        kept = {g.name for g in keep}
        for path in self.root.iterdir():
            if path.is_dir() and path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)
