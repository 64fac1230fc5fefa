"""One client's connection: frames in, replies out, in whatever order they become ready.

A client can neither hold up nor fill up the daemon: it gets a bounded share of the loop at a time, it is not read from
while it does not read its replies or has many requests open, and it is dropped when it takes nothing for a while.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, cast

from recall import wire
from recall.errors import (
    FrameTooLarge,
    InternalError,
    ProtocolError,
    RecallError,
    Refused,
    Unavailable,
    UnknownMethod,
    UnsupportedVersion,
    UsageError,
)
from recalld import logs
from recalld.search.answer import MATCHES
from recalld.server.method import Method, Result, S, TakeOver
from recalld.server.outbox import Outbox
from recalld.server.paging import pack_page
from recalld.server.params import check
from recalld.server.peer import peer_uid

if TYPE_CHECKING:
    from recalld.server.server import Server

MAX_OPEN = 32
"""Requests of one client in threads and tasks at a time; further ones stay unread."""
BURST = 16
"""Requests of one client handled before others get their turn,"""
BURST_SECONDS = 0.002
"""or as many as fit into this time."""
MAX_DEADLINE_MS = 7 * 24 * 3_600_000
"""A first build of a huge store, with somebody waiting for it, is over by then."""


class Connection(asyncio.Protocol, Generic[S]):
    """Made by `Server` for each client."""

    def __init__(self, server: Server[S]) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._decoder = wire.Decoder()
        self._tasks: set[asyncio.Task[None]] = set()
        self._continuing = False
        self._reading = True
        self._ended = False
        """The client has sent its last request."""
        self._leaving = False
        """A request is in hand that takes the connection over: what follows is not ours to read."""
        self._request: int | None = None
        """The inline request that is being handled."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._out = Outbox(self._transport, self._server.stall)
        refusal = self._refusal(self._transport.get_extra_info("socket"))
        if refusal is not None:
            self._refuse(refusal)
            return
        self._server.connections.add(self)

    def _refusal(self, connection: socket.socket) -> RecallError | None:
        try:
            uid = peer_uid(connection)
        except OSError as error:
            logs.warning("peer_unknown", error=error.strerror)
            return Refused("the system does not say who is connecting")
        if uid != os.getuid():
            logs.warning("peer_refused", uid=uid)
            return Refused("this recalld belongs to another user")
        if len(self._server.connections) >= self._server.max_connections:
            logs.warning("connections_full", connections=len(self._server.connections))
            return Unavailable(f"recalld has {self._server.max_connections} connections open: close some")
        return None

    def _refuse(self, error: RecallError) -> None:
        self._reply_error(None, error)
        self._out.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        self._out.lost()
        for task in self._tasks:
            task.cancel()

    # -- requests in ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._out.closing:
            return
        self._decoder.feed(data)
        if not self._continuing:
            self._work()

    def eof_received(self) -> bool:
        self._ended = True
        return self._busy()  # True keeps the transport open for replies that are still to come

    def _busy(self) -> bool:
        return bool(self._tasks) or self._continuing or not self._reading

    def _work(self) -> None:
        """Handle what has arrived, as far as this client may go for now."""
        end = self._loop.time() + BURST_SECONDS
        try:
            for turn in range(BURST):
                if self._out.closing:
                    return
                if turn and self._loop.time() > end:
                    break
                if self._leaving or not self._out.has_room() or len(self._tasks) >= MAX_OPEN:
                    self._pause()
                    return
                message = next(iter(self._decoder), None)
                if message is None:
                    self._unpause()
                    return
                self._dispatch(message)
        except (FrameTooLarge, ProtocolError) as error:
            logs.warning("bad_frame", code=error.code)
            self._refuse(error)
            return
        self._pause()
        self._continuing = True
        task = self._loop.create_task(self._continue())
        task.add_done_callback(self._checked)

    async def _continue(self) -> None:
        self._continuing = False
        self._work()
        self._finish()

    def _pause(self) -> None:
        if self._reading:
            self._reading = False
            if not self._ended:
                self._transport.pause_reading()

    def _unpause(self) -> None:
        if not self._reading and not self._out.closing:
            self._reading = True
            if not self._ended:
                self._transport.resume_reading()

    def _resume(self) -> None:
        """Go on after a pause: something that was full is not any more."""
        if not self._reading and not self._continuing:
            self._work()
        self._finish()

    def _finish(self) -> None:
        if self._ended and not self._busy():
            self._out.close()

    def _dispatch(self, message: dict[str, Any]) -> None:
        request = message.get("id")
        if not isinstance(request, int) or isinstance(request, bool):
            self._reply_error(None, UsageError("id: must be a whole number"))
            return
        self._request = request
        try:
            method, params, seconds = self._read(message)
            if method.kind == "inline" and method.call is not None and self._runs_inline(method, params):
                self._reply(request, method.call(self._server.service, params), method, params)
                self._request = None
                return
        except RecallError as error:
            self._request = None
            self._reply_error(request, error)
            return
        self._request = None
        self._leaving = method.take_over is not None
        name = str(message["method"])
        task = self._loop.create_task(self._run(request, name, method, params, seconds))
        self._tasks.add(task)
        task.add_done_callback(partial(self._done, request))

    def _read(self, message: Mapping[str, Any]) -> tuple[Method[S], dict[str, Any], float]:
        if message.get("v") != wire.VERSION:
            raise UnsupportedVersion(f"v: this recalld speaks version {wire.VERSION} of the protocol")
        name, params = message.get("method"), message.get("params")
        if not isinstance(name, str):
            raise UsageError("method: must be text")
        method = self._server.methods.get(name)
        if method is None:
            raise UnknownMethod(f"this recalld has no method {name[:50]!r}: it may be older than the client")
        if params is not None and not isinstance(params, dict):
            raise UsageError("params: must be a map")
        limit = message.get("deadline_ms")
        if limit is None:
            seconds = method.deadline
        elif not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_DEADLINE_MS:
            raise UsageError(f"deadline_ms: must be a whole number from 1 to {MAX_DEADLINE_MS}")
        else:
            seconds = limit / 1000
        return method, check(method.params, params or {}), seconds

    def _runs_inline(self, method: Method[S], params: dict[str, Any]) -> bool:
        if method.needs_index and not self._server.service.is_ready():
            return False
        long = params.get("matches", 0) > MATCHES  # more of each than a page of short answers has
        return method.inline_limit is None or (params.get("limit", 0) <= method.inline_limit and not long)

    # -- work that takes time ---------------------------------------------------------------------------------------

    async def _run(self, request: int, name: str, method: Method[S], params: dict[str, Any], seconds: float) -> None:
        service = self._server.service
        limit = asyncio.timeout(seconds)
        try:
            try:
                async with limit:
                    if method.needs_index:
                        await service.wait_ready()
                    if method.run is not None:
                        result = await method.run(service, params, partial(self._send_item, request))
                    else:
                        result = await self._in_thread(method, params)
            except TimeoutError:
                if not limit.expired():
                    raise  # not ours: a fault of the method
                raise service.late(name) from None
        except RecallError as error:
            self._leaving = False
            await self._out.drain()
            self._reply_error(request, error)
            return
        await self._out.drain()
        self._reply(request, result, method, params)
        if method.take_over is not None:
            await self._hand_over(method.take_over, params)

    async def _in_thread(self, method: Method[S], params: dict[str, Any]) -> Result:
        call = cast("Callable[[S, dict[str, Any]], Result]", method.call)
        return await self._loop.run_in_executor(self._server.pool, call, self._server.service, params)

    async def _hand_over(self, take_over: TakeOver[S], params: dict[str, Any]) -> None:
        """Give the socket away once the reply is out."""
        given = await self._out.give_away()
        if given is not None:
            take_over(self._server.service, params, given, self._decoder.rest)

    async def _send_item(self, request: int, item: Result) -> None:
        await self._out.drain()
        self._out.write(wire.pack({"id": request, "item": item}))

    def _done(self, request: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            failure = task.exception()
            if failure is not None:
                self._fault(request, failure)
        self._resume()

    def _checked(self, task: asyncio.Task[None]) -> None:
        failure = None if task.cancelled() else task.exception()
        if failure is not None:
            self.failed(failure)

    # -- faults -----------------------------------------------------------------------------------------------------

    @property
    def handling(self) -> bool:
        """An inline request is in hand: what was raised is its handler's."""
        return self._request is not None

    def failed(self, failure: BaseException) -> None:
        """Answer the inline request in hand with `internal` and end the connection: a fault of ours, once found, is
        not to be met by everything that stands behind it. The loop's exception handler calls this."""
        self._fault(self._request, failure)
        self._out.close()

    def _fault(self, request: int | None, failure: BaseException) -> None:
        logs.error("request_failed", error=logs.where(failure))
        self._reply_error(request, InternalError("a fault in recalld: its log names the place"))

    # -- replies out ------------------------------------------------------------------------------------------------

    def _reply(self, request: int, result: Result, method: Method[S], params: Mapping[str, Any]) -> None:
        try:
            frame = wire.pack({"id": request, "ok": True, "result": result})
        except FrameTooLarge as error:
            if method.pages is None:
                self._reply_error(request, error)
                return
            try:
                frame = pack_page(request, result, method.pages, params)
            except FrameTooLarge as too_large:
                self._reply_error(request, too_large)
                return
        self._out.write(frame)

    def _reply_error(self, request: int | None, error: RecallError) -> None:
        said = {"code": error.code, "message": error.message}
        self._out.write(wire.pack({"id": request, "ok": False, "error": said}))

    def pause_writing(self) -> None:
        self._out.full()

    def resume_writing(self) -> None:
        self._out.emptied()
        self._resume()

    def end(self) -> None:
        """The daemon stops: what was answered still goes out, what is open does not."""
        for task in self._tasks:
            task.cancel()
        self._out.close()

    def abort(self) -> None:
        """End at once."""
        self._out.abort()
