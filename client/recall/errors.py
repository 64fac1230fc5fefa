"""The one family of errors, shared by both sides of the socket.

Every error has a stable `code`, which travels over the wire and in `--json` output, and the exit status that the
command line ends with. Messages are one line and say what to do.
"""

from __future__ import annotations

from typing import ClassVar

LONGEST_MESSAGE = 2000
"""Characters of a message; of a longer one, which repeats what it was given, the middle is left out."""


class RecallError(Exception):
    """Base of all errors that this project raises on purpose. `code` is stable, `exit_status` is the command's."""

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 4

    @property
    def message(self) -> str:
        """The text for people: one line, without control characters, whatever file's or caller's words are in it."""
        from recall.clean import clean_line  # most runs have no error to tell

        text = clean_line(str(self))
        return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 403]} … {text[-400:]}"


class UsageError(RecallError):
    """The caller asked for something that has no meaning: a bad value, a bad combination."""

    code = "bad_request"
    exit_status = 2


class UnknownMethod(RecallError):
    """The daemon has no method of that name (a newer client, or a typing error)."""

    code = "unknown_method"


class UnsupportedVersion(RecallError):
    """The request's `v` is not one that this daemon speaks."""

    code = "unsupported_version"


class InternalError(RecallError):
    """A fault in the daemon. Its log has the place."""

    code = "internal"


class NotFound(RecallError):
    """A named thing (a session, a record) does not exist."""

    code = "not_found"
    exit_status = 1


class Ambiguous(RecallError):
    """An id or a prefix names more than one session; `agent:id` may choose."""

    code = "ambiguous"


class FrameTooLarge(RecallError):
    """A frame is over `wire.MAX_FRAME` bytes."""

    code = "frame_too_large"


class ProtocolError(RecallError):
    """What came over the socket is not a frame of this protocol."""

    code = "protocol"


class DeadlineExceeded(RecallError):
    """The answer took longer than the request's deadline."""

    code = "deadline"


class DaemonUnreachable(RecallError):
    """No daemon answers, and none could be started."""

    code = "unreachable"
    exit_status = 3


class DataUnusable(DaemonUnreachable):
    """The system keeps the data directory from us: whether a daemon runs there cannot be told, and none can be started."""


class AlreadyRunning(RecallError):
    """Another daemon holds the lock of this data directory."""

    code = "already_running"
    exit_status = 5


class ConfigError(RecallError):
    """The configuration file cannot be used; the message names the line."""

    code = "bad_config"


class DecisionsDamaged(RecallError):
    """What a person decided to forget or to exclude cannot be read; the message names the file."""

    code = "decisions"


class IndexFailure(RecallError):
    """The index cannot be opened, read or written."""

    code = "index"


class Unavailable(RecallError):
    """The daemon runs, but cannot do this now: its indexing process or its index is being replaced."""

    code = "unavailable"


class Refused(RecallError):
    """What was asked for cannot work or is not allowed; the message says why."""

    code = "refused"


class RequestError(RecallError):
    """The daemon answered with an error. `code` is the daemon's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code  # type: ignore[misc]  # the daemon's code takes the place of the class's
        self.exit_status = EXIT_STATUS.get(code, 4)  # type: ignore[misc]


def _exit_statuses() -> dict[str, int]:
    found: dict[str, int] = {}
    pending: list[type[RecallError]] = [RecallError]
    while pending:
        cls = pending.pop()
        found.setdefault(cls.code, cls.exit_status)
        pending.extend(cls.__subclasses__())
    return found


EXIT_STATUS: dict[str, int] = _exit_statuses()
"""Exit status by error code, for codes that came over the wire."""
