"""What `recall doctor` says of files, formats and watching."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from recalld.redact import redact_message

if TYPE_CHECKING:
    from recalld.ingest.worker import Worker
    from recalld.redact import Redactor
    from recalld.watch.watcher import Watcher

Finding = dict[str, Any]

WATCH_REMEDY = (
    "nothing is lost, a change is found a few seconds later; where a limit is named, raise it"
    " (sysctl fs.inotify.max_user_watches)"
)

_MOST = 200
"""Findings of one check that are listed; the rest is counted in the last one."""


def finding(check: str, message: str, remedy: str | None, path: str | None = None, offset: int | None = None) -> Finding:
    """Return one FINDING. Secrets in a message, or in a file's name, are taken out."""
    return {
        "check": check,
        "path": None if path is None else redact_message(path),
        "offset": offset,
        "message": redact_message(message),
        "remedy": remedy,
    }


def findings(worker: Worker, watcher: Watcher | None, recovered: Iterable[str] = ()) -> list[Finding]:
    """Return everything that is wrong or worth knowing; `recovered` is what became of indexes that were damaged."""
    found: list[Finding] = []
    found += [finding("index", text, "nothing: it is told until the next start", None) for text in recovered]
    found += [
        finding("unreadable", message, "make it readable for your user, or exclude it", path)
        for path, message in [*worker.troubles.items(), *worker.problems.items()]
    ]
    if watcher is not None:
        for place in watcher.watched():
            if place.mode == "scan":
                why = f"changes of {place.agent} are found by scanning, not by events: {place.reason}"
                found.append(finding("watching", why, WATCH_REMEDY, str(place.directory)))
    return found


def notes(worker: Worker, redactor: Redactor, lost: int) -> dict[str, Any]:
    """Return what is no fault: record types that are not known; secrets that were redacted, counted by kind since this
    process started (what was read twice since then counts twice); `lost`, the records that existed nowhere else and
    went because of the configuration's exclusions, since then; lines that were skipped, for which nobody can do
    anything."""
    unknown: dict[str, dict[str, int]] = {}
    for file in worker.files.values():
        for name, count in file.unknown.items():
            by_name = unknown.setdefault(file.agent, {})
            shown = redact_message(name)
            by_name[shown] = by_name.get(shown, 0) + count
    return {
        "unknown_types": unknown,
        "redacted": dict(redactor.counts),
        "excluded_for_good": lost,
        "skipped_lines": _bad_lines(worker),
    }


def _bad_lines(worker: Worker) -> list[Finding]:
    found: list[Finding] = []
    more = 0
    for file in sorted(worker.files.values(), key=lambda f: f.path):
        for offset, why in file.problems:
            if len(found) < _MOST:
                found.append(finding("skipped_line", why, None, file.path, offset))
            else:
                more += 1
        more += file.skipped - len(file.problems)
    if more:
        found.append(finding("skipped_line", f"{more} more lines were skipped", None))
    return found
