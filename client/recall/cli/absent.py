"""What `doctor` finds where no daemon runs to ask: a configuration or directories with which none could start."""

from __future__ import annotations

import os
from pathlib import Path

from recall.daemon import last_line, log_path
from recall.errors import DaemonUnreachable, RecallError
from recall.places import Places
from recall.types import Finding


def findings(places: Places, error: DaemonUnreachable) -> list[Finding]:
    """Return that no daemon is reached, as `error` says, and what keeps one from starting."""
    found = [*_config(places.config), *_places(places)]
    said = last_line(log_path(places)) if not found else ""
    # A daemon that could not start leaves this as its last word; one that was stopped logs an event.
    why = said.removeprefix("recalld: ") if said.startswith("recalld: ") else None
    # The remedy says how to start one: the message need not.
    text = error.message.partition(": start ")[0] + (f"; the last start ended with: {why}" if why else "")
    first = "mend what follows, then " if found else "mend that, then " if why else ""
    return [_finding("daemon", text, f"{first}recall start", None), *found]


def _config(path: Path) -> list[Finding]:
    import tomllib

    try:
        tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return []
    except OSError as error:
        return [_finding("config", f"it cannot be read ({error.strerror})", "make it readable, or remove it", path)]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return [_finding("config", f"not valid TOML: {error}", "correct the file", path)]
    return []


def _places(places: Places) -> list[Finding]:
    found: list[Finding] = []
    for check, directory, variable in (
        ("data", places.data, "RECALLD_DATA_DIR"),
        ("runtime", places.runtime, "RECALLD_RUNTIME_DIR"),
    ):
        why = _why_unusable(directory)
        if why is not None:
            text = f"the {check} directory cannot be used: {why}"
            found.append(_finding(check, text, f"mend that, or set {variable}", directory))
    try:
        _ = places.socket
    except RecallError as error:
        found.append(_finding("runtime", error.message.partition(": set ")[0], "set RECALLD_RUNTIME_DIR", places.runtime))
    return found


def _why_unusable(directory: Path) -> str | None:
    """Return why a directory cannot be written to, or be made, or None."""
    place = Path(os.path.abspath(directory))
    while True:
        try:
            made = place.stat()
            break
        except FileNotFoundError:
            place = place.parent
        except OSError as error:
            return f"{place}: {error.strerror}"
    if not place.is_dir():
        return f"{place} is no directory"
    if not os.access(place, os.W_OK | os.X_OK):
        return f"{place} may not be written to"
    if place == Path(os.path.abspath(directory)) and made.st_uid != os.getuid():
        return f"{place} belongs to another user"
    return None


def _finding(check: str, message: str, remedy: str, path: Path | None) -> Finding:
    where = None if path is None else os.fsdecode(path)
    return {"check": check, "path": where, "offset": None, "message": message, "remedy": remedy}
