"""Changing a file that belongs to somebody else: whole, late, and only if it still says what the change was made for.

The file is read, the change made, the new text written beside it, and the file read once more: an agent may have
written it meanwhile (Claude Code does so all the time), and then the change is made anew from what it says now. Only
then one rename puts it in place. Mode, owner and symbolic links stay.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recall.errors import Refused

BOM = "\ufeff"
MAX_BYTES = 64 * 1024 * 1024
ATTEMPTS = 20
"""How often a file may be rewritten under our hands before we give up."""
PRIVATE = 0o600
"""Mode of a file that we make: these files come to hold keys."""

Change = Callable[[str | None], str | None]
"""From what a file says (None: there is none) to what it is to say (None: there shall be none). May be called again."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a file held before and holds now; None where there was or is none."""

    before: bytes | None
    after: bytes | None


def read(path: Path) -> bytes | None:
    """Return what the file holds, None where there is none; raise Refused where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO would be waited for
        with open(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused(f"{path}: not a regular file")
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise Refused(f"{path}: larger than {MAX_BYTES} bytes")
    return data


def decoded(path: Path, data: bytes | None) -> str | None:
    """Return a file's text without its byte order mark; raise Refused, with the place, where it is not UTF-8."""
    if data is None:
        return None
    try:
        return data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"{path}: not UTF-8 at line {line}, byte {error.start}") from error


def encoded(text: str | None, before: bytes | None) -> bytes | None:
    """Return the bytes of a text, with the byte order mark that was there before."""
    if text is None:
        return None
    mark = BOM.encode() if before is not None and before.startswith(BOM.encode()) else b""
    return mark + text.encode("utf-8")


def planned(path: Path, change: Change) -> Changed:
    """Return what `change` would do, and do nothing. Raise Refused, with the path, where it refuses."""
    before = read(path)
    return Changed(before, encoded(_changed(path, change, before), before))


def apply(path: Path, change: Change, prepare: Callable[[Changed], None] = lambda changed: None) -> Changed:
    """Make the change; return what it was. `prepare` is called before the file is touched, with what is to happen.

    Raise Refused where the file cannot be parsed, written, or does not come to rest.
    """
    target = Path(os.path.realpath(path))
    for _ in range(ATTEMPTS):
        changed = planned(path, change)
        if changed.before == changed.after:
            return changed
        _writable(path, target)
        prepare(changed)
        if _replace(path, target, changed):
            return changed
    raise Refused(f"{path}: is being written all the time: close the agent and repeat")


def _changed(path: Path, change: Change, before: bytes | None) -> str | None:
    try:
        return change(decoded(path, before))
    except Refused as error:
        message = error.message
        raise Refused(message if message.startswith(str(path)) else f"{path}: {message}") from error


def _writable(path: Path, target: Path) -> None:
    """Raise Refused where the file's owner has made it read-only: a rename would not ask."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise Refused(f"{path}: not a regular file")
    if not mode & stat.S_IWUSR:
        raise Refused(f"{path}: is read-only; make it writable (chmod u+w) and repeat, or wire it by hand")


def _replace(path: Path, target: Path, changed: Changed) -> bool:
    """Put the new content in place; return False where the file has changed since it was read."""
    try:
        if changed.after is None:
            if read(path) != changed.before:
                return False
            target.unlink()
            return True
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(changed.after)
                file.flush()
                os.fsync(file.fileno())
            _like(temporary, target)
            if read(path) != changed.before:
                return False
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror or error}") from error
    return True


def _like(temporary: Path, target: Path) -> None:
    """Give the new file the mode and, where that is allowed, the owner of the one it replaces."""
    try:
        was = target.stat()
    except FileNotFoundError:
        temporary.chmod(PRIVATE)
        return
    now = temporary.stat()
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.chown(temporary, was.st_uid, was.st_gid)
        except PermissionError as error:
            raise Refused(f"{target}: belongs to somebody else") from error
    temporary.chmod(stat.S_IMODE(was.st_mode))
