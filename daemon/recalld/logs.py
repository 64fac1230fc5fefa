"""Log lines: one an event, `name key=value …`, to stderr. What sessions say never gets into one.

Under systemd each line carries its priority in front (`<6>`) and no time: the journal has its own.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping

LEVELS = ("debug", "info", "warning", "error")

_LOGGER = logging.getLogger("recalld")
_PLAIN = re.compile(r"[^\s\"=\\]+")
_PRIORITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
_OS_ERROR = re.compile(r"\(os error (\d{1,4})\)|\bOs \{ code: (\d{1,4}),")
"""How Rust writes an error of the operating system: for people, and in a panic."""

_MAX_VALUE = 400
"""Characters of one value; an error text may quote a path of any length."""


_redact: Callable[[str], str] | None = None
"""What takes secrets out of every value, where the process has it loaded anyway."""


def setup(level: str, env: Mapping[str, str] = os.environ, redact: Callable[[str], str] | None = None) -> None:
    """Send log lines of `level` and above to stderr, their values through `redact` where there is one."""
    global _redact
    _redact = redact
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(journal="JOURNAL_STREAM" in env))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)  # libraries
    _LOGGER.setLevel(level.upper())
    logging.raiseExceptions = False  # a log that cannot be written must not be answered with its arguments on stderr
    sys.excepthook = lambda kind, failure, trace: _uncaught(failure)
    threading.excepthook = lambda caught: _uncaught(caught.exc_value)


def debug(event: str, **values: object) -> None:
    _log(logging.DEBUG, event, values)


def info(event: str, **values: object) -> None:
    _log(logging.INFO, event, values)


def warning(event: str, **values: object) -> None:
    _log(logging.WARNING, event, values)


def error(event: str, **values: object) -> None:
    _log(logging.ERROR, event, values)


def told(text: str) -> str:
    """Return a text that may quote a file's name, the configuration or a session, without its secrets.

    The redactor takes some 80 ms to load in a process that has none: only for what tells of something wrong.
    """
    from recalld.redact import redact_message

    return redact_message(text)


def where(failure: BaseException) -> str:
    """Return an exception's type and the place it was raised, without its text, which may quote a session."""
    frames = traceback.extract_tb(failure.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(failure).__name__}{place}"


def errno_of(failure: BaseException) -> int | None:
    """Return the operating system's error number behind a failure, None where there is none: an OSError's, or the one
    that a text of Tantivy's ends with. A number quotes nothing, so it can be told where a text must not be."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:
            return cause.errno
        named = _OS_ERROR.search(str(cause))
        if named is not None:
            return int(named[1] or named[2])
        cause = cause.__cause__
    return None


def _uncaught(failure: BaseException | None) -> None:
    """What ends a process or a thread, by where it came from: a traceback would quote the text."""
    if failure is None or isinstance(failure, KeyboardInterrupt):
        return
    frames = traceback.extract_tb(failure.__traceback__)
    trace = " ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames[-12:])
    number = errno_of(failure)
    error("fault", error=type(failure).__name__, why=None if number is None else os.strerror(number), trace=trace)


def line(event: str, values: Mapping[str, object]) -> str:
    """Return an event as one line. None is left out; what holds spaces, quotes or control characters is quoted."""
    return " ".join([event, *(f"{key}={_value(value)}" for key, value in values.items() if value is not None)])


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    text = str(value)
    if len(text) > _MAX_VALUE:
        text = text[:_MAX_VALUE] + "…"
    if text.isprintable() and _PLAIN.fullmatch(text):
        return text
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.replace("\\", "\\\\"))
    return '"' + escaped.replace('"', '\\"') + '"'


def _log(level: int, event: str, values: Mapping[str, object]) -> None:
    if _LOGGER.isEnabledFor(level):
        if _redact is not None:
            values = {k: _redact(str(v)) if isinstance(v, str | os.PathLike) else v for k, v in values.items()}
        _LOGGER.log(level, "%s", line(event, values))


class _Formatter(logging.Formatter):
    def __init__(self, *, journal: bool) -> None:
        super().__init__()
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        if record.name == _LOGGER.name:
            text = record.getMessage()
        else:  # a library's own words may quote what it was given
            failure = record.exc_info[1] if record.exc_info else None
            what = {"logger": record.name, "at": f"{record.filename}:{record.lineno}"}
            text = line("library", what | ({"error": where(failure)} if failure else {}))
        if self._journal:
            return f"<{_PRIORITY.get(record.levelno, 6)}>{text}"
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{stamp}.{int(record.msecs):03d}Z {record.levelname.lower()} {text}"
