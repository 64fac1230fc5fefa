"""What `install` did to which file, so that `uninstall` can give the very bytes back.

In the data directory, `install/`: `ledger.json`, and a copy of each file as it was. Both are private: the files may
hold keys. Without it `uninstall` still takes out what it recognises as ours.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recall.errors import Refused
from recall.places import Places

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: how it was without us (name of the copy, None: it was not there), and the hash of how we left it."""

    before: str | None
    after: str
    backup: str | None = None
    """The `.bak` that we made, if we did."""


class Ledger:
    """The record of one recalld's installation."""

    def __init__(self, places: Places) -> None:
        self.directory = places.data / "install"
        self._path = self.directory / "ledger.json"
        self._entries = self._load()

    def _load(self) -> dict[str, Entry]:
        try:
            said = json.loads(self._path.read_bytes())
            return {path: Entry(**entry) for path, entry in said["files"].items()}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise Refused(f"{self._path}: cannot be read ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(f"{self._path} is damaged: remove it; what is ours is then recognised by itself") from error

    def __contains__(self, path: Path) -> bool:
        return str(path) in self._entries

    def paths(self) -> list[Path]:
        """Return the files that were changed or made."""
        return [Path(path) for path in self._entries]

    def entry(self, path: Path) -> Entry | None:
        return self._entries.get(str(path))

    def unchanged(self, path: Path, data: bytes | None) -> bool:
        """Tell whether a file still is as we left it."""
        entry = self._entries.get(str(path))
        return entry is not None and data is not None and entry.after == digest(data)

    def base(self, path: Path) -> bytes | None:
        """Return what the file held without us, None where it was not there. Only for a file in the ledger."""
        entry = self._entries[str(path)]
        return None if entry.before is None else (self.directory / entry.before).read_bytes()

    def note(self, path: Path, base: bytes | None, after: bytes, backup: Path | None) -> None:
        """Write down that `path` was `base` and is now `after`. The file on disk comes before what it tells of."""
        name = None
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if base is not None:
            name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
            _write(self.directory / name, base)
        was = self._entries.get(str(path))
        kept = str(backup) if backup is not None else (was.backup if was is not None else None)
        self._entries[str(path)] = Entry(name, digest(after), kept)
        self._save()

    def drop(self, path: Path) -> None:
        """Forget a file that is without us again."""
        entry = self._entries.pop(str(path), None)
        if entry is None:
            return
        self._save()
        if entry.before is not None:
            (self.directory / entry.before).unlink(missing_ok=True)

    def _save(self) -> None:
        if not self._entries:
            self._path.unlink(missing_ok=True)
            return
        said: dict[str, Any] = {"schema": SCHEMA, "files": {path: asdict(e) for path, e in self._entries.items()}}
        _write(self._path, json.dumps(said, indent=1).encode())


def digest(data: bytes) -> str:
    """Return the hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
