"""The socket server: accepts clients and owns what they share. It knows no method by name."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic

from recalld import logs
from recalld.server.connection import Connection
from recalld.server.method import Method, S

POOL_THREADS = 4
STALL = 30.0
"""Seconds after which a client that has taken nothing of its waiting replies is dropped."""
MAX_CONNECTIONS = 400
"""Well under the 1,024 descriptors that a process may have by default, and over what a person's agents open."""


class Server(Generic[S]):
    """Answers `methods` on a listening Unix socket with `service` as their first argument.

    `stall`: seconds after which a client that does not read is dropped.
    """

    def __init__(
        self,
        service: S,
        methods: Mapping[str, Method[S]],
        *,
        stall: float = STALL,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        self.service = service
        self.methods = methods
        self.stall = stall
        self.max_connections = max_connections
        self.connections: set[Connection[S]] = set()
        self.pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="answer")
        self._listening: asyncio.Server | None = None

    async def start(self, listening: socket.socket) -> None:
        """Accept clients on `listening`."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._exception)
        # create_server, since create_unix_server would remove the service manager's socket at the end (Python 3.13)
        self._listening = await loop.create_server(lambda: Connection(self), sock=listening, backlog=128)

    async def listen_again(self, listening: socket.socket) -> None:
        """Accept clients on another socket; those that are connected stay."""
        before = self._listening
        await self.start(listening)
        if before is not None:
            before.close()

    async def close(self, grace: float = 0.5) -> None:
        """Stop accepting, give replies that are written `grace` seconds to get out, end every connection."""
        if self._listening is not None:
            self._listening.close()
        for connection in list(self.connections):
            connection.end()
        loop = asyncio.get_running_loop()
        end = loop.time() + grace
        while self.connections and loop.time() < end:
            await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.abort()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What no handler caught: a fault in a connection's callback ends that connection, nothing else."""
        failure, protocol = context.get("exception"), context.get("protocol")
        if failure is None:
            logs.warning("loop", message=context.get("message"))
        elif isinstance(protocol, Connection) and protocol.handling:
            protocol.failed(failure)
        else:
            logs.error("loop", message=context.get("message"), error=logs.where(failure))
