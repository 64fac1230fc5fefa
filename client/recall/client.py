"""The connection to the daemon: `connect()` and `Client`.

**Reconnecting.** A client that lost its connection (the daemon was restarted) connects again at the next request. A
request whose connection broke before its reply came is sent once more over a new connection, unless it changes
something (`CHANGING`): then nobody knows whether it was done, and DaemonUnreachable says so. A request that is
answered with an error, or times out, is never repeated.

**Threads.** A client may be shared by threads; their requests take turns. For requests that overlap use one client a
thread, or `AsyncClient`.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from recall import wire
from recall.errors import DaemonUnreachable, DeadlineExceeded, FrameTooLarge, ProtocolError, RequestError

if TYPE_CHECKING:
    from recall import types

CONNECT_TIMEOUT = 5.0
"""Seconds that connecting may take. A daemon that is up accepts within a millisecond; one that is being started by
socket activation accepts at once and answers when it is ready."""

ANSWER_TIMEOUT = 60.0
"""Seconds to wait for an answer. The daemon's own deadline (10 s) comes first; this one is for a daemon that hangs."""

DEADLINE_MARGIN = 2.0
"""Seconds by which a wait is longer than the deadline sent along, so that the daemon's own reason arrives."""

SYNC_TIMEOUT = 3600.0
"""Seconds to wait for `sync`, which takes as long as there is something to read: the longest that a daemon grants."""

CHANGING = frozenset({"forget", "exclude", "hook", "mcp"})
"""Methods that are not sent twice."""

_RECEIVE = 256 * 1024


class Client:
    """A connection to one daemon: a context manager with one method a wire method (`mcp` apart: it takes the
    connection over).

    Raise DaemonUnreachable when the daemon cannot be reached or goes away, RequestError when it answers with an
    error, DeadlineExceeded when no answer comes within `timeout` seconds.
    """

    def __init__(self, path: str | os.PathLike[str], timeout: float = ANSWER_TIMEOUT) -> None:
        self._path = os.fspath(path)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._sock: socket.socket | None = None
        self._decoder = wire.Decoder()
        self._next_id = 1
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. A later request opens it again."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None

    def request(self, method: str, params: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
        """Send one request and return its result.

        `timeout` (seconds) becomes the request's deadline in the daemon; without it the daemon's own holds, and the
        client's `timeout` only ends the wait for a daemon that hangs.
        """
        with self._lock:
            try:
                return self._exchange(method, params or {}, timeout)
            except _Broken as error:
                if method in CHANGING:
                    raise DaemonUnreachable(
                        f"the daemon went away before it answered `{method}`; whether it was done is not known"
                    ) from error
            try:
                return self._exchange(method, params or {}, timeout)
            except _Broken as error:
                raise DaemonUnreachable(
                    f"the daemon went away twice before it answered `{method}`: see `recall doctor`"
                ) from error

    # -- the methods, by their names on the wire; `params` as in docs/protocol.md ---------------

    def ping(self, **params: Any) -> dict[str, Any]:
        """Return at once: the daemon is there."""
        return cast("dict[str, Any]", self.request("ping", params))

    def status(self, **params: Any) -> types.Status:
        """Return health and counts."""
        return cast("types.Status", self.request("status", params))

    def search(self, query: str, **params: Any) -> types.SearchResult:
        """Search; see `docs/search.md` for the query language."""
        return cast("types.SearchResult", self.request("search", {"query": query, **params}))

    def show(self, session: str, **params: Any) -> types.ShowResult:
        """Return one session, by id, unique prefix, or either behind `agent:`."""
        return cast("types.ShowResult", self.request("show", {"session": session, **params}))

    def sessions(self, **params: Any) -> types.SessionsResult:
        """Return sessions, newest first."""
        return cast("types.SessionsResult", self.request("sessions", params))

    def session(self, session: str, **params: Any) -> types.SessionResult:
        """Return one session without its records, named by its id or a unique prefix."""
        return cast("types.SessionResult", self.request("session", {"session": session, **params}))

    def resume(self, session: str, **params: Any) -> types.ResumeResult:
        """Return how a session is reopened in its agent."""
        return cast("types.ResumeResult", self.request("resume", {"session": session, **params}))

    def context(self, query: str, **params: Any) -> types.ContextResult:
        """Return a digest of the session that answers `query`."""
        return cast("types.ContextResult", self.request("context", {"query": query, **params}))

    def blame(self, path: str, **params: Any) -> types.BlameResult:
        """Return the sessions that touched `path`."""
        return cast("types.BlameResult", self.request("blame", {"path": path, **params}))

    def how(self, tool: str, **params: Any) -> types.HowResult:
        """Return how a command line tool was called."""
        return cast("types.HowResult", self.request("how", {"tool": tool, **params}))

    def fix(self, error: str, **params: Any) -> types.FixResult:
        """Return what was done about an error before."""
        return cast("types.FixResult", self.request("fix", {"error": error, **params}))

    def files(self, topic: str, **params: Any) -> types.FilesResult:
        """Return the files that work on a topic touched."""
        return cast("types.FilesResult", self.request("files", {"topic": topic, **params}))

    def hook(self, agent: str, event: str, payload: Any, **params: Any) -> types.Output:
        """Return what a hook of an agent is to print. `payload` is what the agent handed to it: text, bytes or a map."""
        asked = {"agent": agent, "event": event, "payload": payload, **params}
        return cast("types.Output", self.request("hook", asked))

    def statusline(self, agent: str, **params: Any) -> types.Output:
        """Return the status line for an agent."""
        return cast("types.Output", self.request("statusline", {"agent": agent, **params}))

    def doctor(self, **params: Any) -> types.DoctorResult:
        """Return what is wrong."""
        return cast("types.DoctorResult", self.request("doctor", params))

    def sync(self, **params: Any) -> dict[str, Any]:
        """Return when all that is on disk now is in the index; takes as long as that takes."""
        return cast("dict[str, Any]", self.request("sync", params, timeout=SYNC_TIMEOUT))

    def forget(self, **params: Any) -> dict[str, Any]:
        """Remove for good."""
        return cast("dict[str, Any]", self.request("forget", params, timeout=SYNC_TIMEOUT))

    def exclude(self, **params: Any) -> dict[str, Any]:
        """Change or list what is never read."""
        return cast("dict[str, Any]", self.request("exclude", params, timeout=SYNC_TIMEOUT))

    # -- one exchange -------------------------------------------------------------------------

    def _exchange(self, method: str, params: dict[str, Any], deadline: float | None) -> Any:
        timeout = self._timeout if deadline is None else deadline + DEADLINE_MARGIN
        end = time.monotonic() + timeout
        sock = self._sock or self._open()
        number = self._next_id
        self._next_id += 1
        frame = wire.pack(request_frame(number, method, params, deadline))
        try:
            sock.settimeout(timeout)
            sock.sendall(frame)
            while True:
                for message in self._decoder:
                    if message.get("id") == number and "ok" in message:
                        return result_of(message)
                    if message.get("id") is None and message.get("ok") is False:  # about the connection as a whole
                        return result_of(message)
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                sock.settimeout(left)
                data = sock.recv(_RECEIVE)
                if not data:
                    self.close()
                    raise _Broken
                self._decoder.feed(data)
        except TimeoutError as error:
            self.close()  # the late answer must not be taken for another request's
            raise DeadlineExceeded(f"no answer to `{method}` within {timeout:g} s: see `recall doctor`") from error
        except OSError as error:
            self.close()
            raise _Broken from error
        except KeyboardInterrupt:
            self.close()
            raise
        except (ProtocolError, FrameTooLarge):
            self.close()  # nobody knows where the next frame begins
            raise

    def _open(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(CONNECT_TIMEOUT)
            sock.connect(self._path)
        except OSError as error:
            sock.close()
            raise unreachable(self._path, error) from error
        self._sock = sock
        self._decoder = wire.Decoder()
        return sock


class _Broken(Exception):
    """The connection ended before the reply came."""


def request_frame(number: int, method: str, params: dict[str, Any], deadline: float | None) -> dict[str, Any]:
    """Return the request as the wire wants it, with its `deadline` (seconds) where there is one."""
    frame: dict[str, Any] = {"v": wire.VERSION, "id": number, "method": method, "params": params}
    if deadline is not None:
        frame["deadline_ms"] = max(1, int(deadline * 1000))
    return frame


def result_of(message: dict[str, Any]) -> Any:
    """Return a reply's result; raise RequestError for an error, ProtocolError for what is neither."""
    if message.get("ok") is True:
        return message.get("result")
    error = message.get("error")
    if not isinstance(error, dict):
        raise ProtocolError("the daemon answered with neither a result nor an error")
    raise RequestError(str(error.get("code", "error")), str(error.get("message", "the daemon gave no reason")))


def unreachable(path: str, error: OSError) -> DaemonUnreachable:
    """Return the error for a connection that did not come about, saying what to do."""
    if isinstance(error, FileNotFoundError | ConnectionRefusedError):
        return DaemonUnreachable(f"no daemon listens on {path}: start one with `recall start`")
    if isinstance(error, PermissionError):
        return DaemonUnreachable(f"{path} belongs to another user: check RECALLD_RUNTIME_DIR")
    reason = error.strerror or type(error).__name__
    return DaemonUnreachable(f"cannot connect to {path}: {reason}")


def connect(path: str | os.PathLike[str] | None = None, *, start: bool = False, timeout: float = ANSWER_TIMEOUT) -> Client:
    """Return a client of the daemon that listens on `path`, by default this user's own.

    With `start`, start a daemon where none runs. Raise DaemonUnreachable where none can be reached.
    """
    if path is not None:
        return Client(path, timeout)
    from recall import daemon
    from recall.places import places

    where = places()
    if start:
        return daemon.reach(where, timeout=timeout)
    return Client(daemon.socket_path(where), timeout)
