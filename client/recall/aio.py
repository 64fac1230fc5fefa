"""`AsyncClient`: the same methods as `Client`, for asyncio. Requests may overlap; answers are matched by id.

A lost connection fails every request that is waiting on it with DaemonUnreachable; the next request connects again.
Nothing is sent twice. One client belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from recall import wire
from recall.client import (
    ANSWER_TIMEOUT,
    CONNECT_TIMEOUT,
    DEADLINE_MARGIN,
    SYNC_TIMEOUT,
    request_frame,
    result_of,
    unreachable,
)
from recall.errors import DaemonUnreachable, DeadlineExceeded, FrameTooLarge, ProtocolError, RequestError

if TYPE_CHECKING:
    from recall import types


class AsyncClient:
    """A connection to one daemon: an async context manager with one coroutine a wire method (`mcp` apart).

    Without a `path` to its socket it is this user's own. Errors are those of `Client`.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, timeout: float = ANSWER_TIMEOUT) -> None:
        self._path = os.fspath(_own_socket() if path is None else path)
        self._timeout = timeout
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._next_id = 1

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection; requests that still wait fail. A later request opens it again."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def request(self, method: str, params: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
        """Send one request and return its result; `see `Client.request` for `timeout`."""
        seconds = self._timeout if timeout is None else timeout + DEADLINE_MARGIN
        writer = await self._open()
        number = self._next_id
        self._next_id += 1
        frame = wire.pack(request_frame(number, method, params or {}, timeout))
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            async with asyncio.timeout(seconds):
                writer.write(frame)
                await writer.drain()
                return await answer
        except TimeoutError as error:
            raise DeadlineExceeded(f"no answer to `{method}` within {seconds:g} s: see `recall doctor`") from error
        except OSError as error:
            raise DaemonUnreachable(f"the connection broke before `{method}` was answered") from error
        finally:
            self._waiting.pop(number, None)

    # -- the methods, by their names on the wire; `params` as in docs/protocol.md ---------------

    async def ping(self, **params: Any) -> dict[str, Any]:
        """Return at once: the daemon is there."""
        return cast("dict[str, Any]", await self.request("ping", params))

    async def status(self, **params: Any) -> types.Status:
        """Return health and counts."""
        return cast("types.Status", await self.request("status", params))

    async def search(self, query: str, **params: Any) -> types.SearchResult:
        """Search; see `docs/search.md` for the query language."""
        return cast("types.SearchResult", await self.request("search", {"query": query, **params}))

    async def show(self, session: str, **params: Any) -> types.ShowResult:
        """Return one session, by id, unique prefix, or either behind `agent:`."""
        return cast("types.ShowResult", await self.request("show", {"session": session, **params}))

    async def sessions(self, **params: Any) -> types.SessionsResult:
        """Return sessions, newest first."""
        return cast("types.SessionsResult", await self.request("sessions", params))

    async def session(self, session: str, **params: Any) -> types.SessionResult:
        """Return one session without its records, named by its id or a unique prefix."""
        return cast("types.SessionResult", await self.request("session", {"session": session, **params}))

    async def resume(self, session: str, **params: Any) -> types.ResumeResult:
        """Return how a session is reopened in its agent."""
        return cast("types.ResumeResult", await self.request("resume", {"session": session, **params}))

    async def context(self, query: str, **params: Any) -> types.ContextResult:
        """Return a digest of the session that answers `query`."""
        return cast("types.ContextResult", await self.request("context", {"query": query, **params}))

    async def blame(self, path: str, **params: Any) -> types.BlameResult:
        """Return the sessions that touched `path`."""
        return cast("types.BlameResult", await self.request("blame", {"path": path, **params}))

    async def how(self, tool: str, **params: Any) -> types.HowResult:
        """Return how a command line tool was called."""
        return cast("types.HowResult", await self.request("how", {"tool": tool, **params}))

    async def fix(self, error: str, **params: Any) -> types.FixResult:
        """Return what was done about an error before."""
        return cast("types.FixResult", await self.request("fix", {"error": error, **params}))

    async def files(self, topic: str, **params: Any) -> types.FilesResult:
        """Return the files that work on a topic touched."""
        return cast("types.FilesResult", await self.request("files", {"topic": topic, **params}))

    async def hook(self, agent: str, event: str, payload: Any, **params: Any) -> types.Output:
        """Return what a hook of an agent is to print. `payload` is what the agent handed to it: text, bytes or a map."""
        asked = {"agent": agent, "event": event, "payload": payload, **params}
        return cast("types.Output", await self.request("hook", asked))

    async def statusline(self, agent: str, **params: Any) -> types.Output:
        """Return the status line for an agent."""
        return cast("types.Output", await self.request("statusline", {"agent": agent, **params}))

    async def doctor(self, **params: Any) -> types.DoctorResult:
        """Return what is wrong."""
        return cast("types.DoctorResult", await self.request("doctor", params))

    async def sync(self, **params: Any) -> dict[str, Any]:
        """Return when all that is on disk now is in the index; takes as long as that takes."""
        return cast("dict[str, Any]", await self.request("sync", params, timeout=SYNC_TIMEOUT))

    async def forget(self, **params: Any) -> dict[str, Any]:
        """Remove for good."""
        return cast("dict[str, Any]", await self.request("forget", params, timeout=SYNC_TIMEOUT))

    async def exclude(self, **params: Any) -> dict[str, Any]:
        """Change or list what is never read."""
        return cast("dict[str, Any]", await self.request("exclude", params, timeout=SYNC_TIMEOUT))

    # -- the connection -----------------------------------------------------------------------

    async def _open(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is not None and self._reading is not None and not self._reading.done():
                return self._writer
            try:
                async with asyncio.timeout(CONNECT_TIMEOUT):
                    reader, writer = await asyncio.open_unix_connection(self._path)
            except OSError as error:  # TimeoutError is one
                raise unreachable(self._path, error) from error
            self._writer = writer
            self._reading = asyncio.create_task(self._read(reader, writer))
            return writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand answers to whoever waits for them, until the connection ends."""
        decoder = wire.Decoder()
        reason = "the daemon closed the connection before it answered"
        try:
            while data := await reader.read(256 * 1024):
                decoder.feed(data)
                for message in decoder:
                    self._deliver(message)
        except (OSError, ProtocolError, FrameTooLarge) as error:
            reason = f"the connection broke: {error}"
        finally:
            writer.close()
            waiting, self._waiting = self._waiting, {}
            for answer in waiting.values():
                if not answer.done():
                    answer.set_exception(DaemonUnreachable(reason))

    def _deliver(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if "ok" not in message:  # an item of a streamed reply; only its end is of interest here
            return
        waiting = [self._waiting.get(number)] if isinstance(number, int) else list(self._waiting.values())
        for answer in waiting:
            if answer is None or answer.done():
                continue
            try:
                answer.set_result(result_of(message))
            except (RequestError, ProtocolError) as error:
                answer.set_exception(error)


async def connect_async(path: str | os.PathLike[str] | None = None, *, timeout: float = ANSWER_TIMEOUT) -> AsyncClient:
    """Return a connected AsyncClient of the daemon on `path`, by default this user's own. It starts none."""
    client = AsyncClient(path, timeout)
    await client.__aenter__()
    return client


def _own_socket() -> str:
    from recall import daemon
    from recall.places import places

    return daemon.socket_path(places())
