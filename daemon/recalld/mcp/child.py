"""The child's loop: take connections, serve each, ask to go when all are silent."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from typing import Any

from recall import wire
from recall.aio import AsyncClient
from recall.daemon import socket_path
from recall.errors import DaemonUnreachable
from recall.places import places
from recalld import logs
from recalld.mcp.asking import Asking
from recalld.mcp.context_search import context_search_server
from recalld.mcp.lines import Lines
from recalld.mcp.server import tools_server

_RECEIVE = 256 * 1024
_MAX_DESCRIPTORS = 16


class Child:
    """Serves MCP on connections that arrive over `control`. `idle` is seconds."""

    def __init__(self, control: socket.socket, client: AsyncClient, idle: float) -> None:
        self._control = control
        self._client = client
        self._idle = idle
        self._decoder = wire.Decoder()
        self._descriptors: deque[int] = deque()
        self._given = 0
        self._open: set[asyncio.Task[None]] = set()
        self._lines: set[Lines] = set()
        self._ended = asyncio.Event()

    async def run(self) -> None:
        """Return when the main process has closed the pipe."""
        loop = asyncio.get_running_loop()
        self._control.setblocking(False)
        loop.add_reader(self._control, self._receive)
        watching = loop.create_task(self._watch())
        await self._ended.wait()
        watching.cancel()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(watching, *self._open, return_exceptions=True)
        await self._client.aclose()

    def _receive(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, _RECEIVE, _MAX_DESCRIPTORS)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            asyncio.get_running_loop().remove_reader(self._control)
            self._ended.set()
            return
        self._descriptors.extend(descriptors)  # they come in the order of their frames
        self._decoder.feed(data)
        for gift in self._decoder:
            self._given += 1
            self._begin(socket.socket(fileno=self._descriptors.popleft()), gift)

    def _begin(self, connection: socket.socket, gift: dict[str, Any]) -> None:
        connection.set_inheritable(False)
        task = asyncio.get_running_loop().create_task(self._serve(connection, gift["params"], gift["rest"]))
        self._open.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._open.discard(task)
        failure = None if task.cancelled() else task.exception()
        if failure is not None:
            logs.error("mcp_connection", error=logs.where(failure))

    async def _serve(self, connection: socket.socket, params: dict[str, Any], rest: bytes) -> None:
        asking = Asking(self._client, params)
        make = context_search_server if params.get("profile") == "context-search" else tools_server
        lines = await Lines.open(connection, rest)
        self._lines.add(lines)
        try:
            await lines.serve(make(asking))
        finally:
            self._lines.discard(lines)
            lines.close()

    async def _watch(self) -> None:
        """Ask to go when nothing is being answered and nothing has been said for a while."""
        loop = asyncio.get_running_loop()
        heard = loop.time()
        while True:
            heard = max([heard, *(lines.heard for lines in self._lines)])
            rest = heard + self._idle - loop.time()
            if any(lines.busy for lines in self._lines):
                rest = self._idle
            if rest > 0:
                await asyncio.sleep(rest)
                continue
            await loop.sock_sendall(self._control, wire.pack({"event": "idle", "given": self._given}))
            heard = loop.time()  # refused, when a connection is under way to us


def run(control: socket.socket, idle: float) -> None:
    """Serve until `control` closes; end at once where the daemon is gone."""
    try:
        path = socket_path(places())
    except DaemonUnreachable as error:
        logs.error("mcp_no_daemon", error=error.message)
        return

    async def serve() -> None:
        await Child(control, AsyncClient(path), idle).run()

    asyncio.run(serve())
    os._exit(0)  # a thread of a library must not hold the process that nobody needs any more
