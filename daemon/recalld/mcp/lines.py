"""One connection: JSON-RPC, one message a line, between a socket and the SDK's pair of streams."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from recalld import logs
from recalld.sources.jsonl import NOT_JSON, decode

MAX_LINE = 4 * 1024 * 1024
"""Bytes of one message from a client. A question is a few hundred; what a hook hands on is held to less than this."""

STALL = 30.0
"""Seconds after which a client that takes nothing is dropped."""


class Lines:
    """Serves one client. `heard` is the loop's time of the last word either way; `busy`: an answer is due."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._due: set[types.RequestId] = set()
        self.heard = asyncio.get_running_loop().time()

    @classmethod
    async def open(cls, connection: socket.socket, rest: bytes) -> Lines:
        """Take over `connection`, on which `rest` has arrived already."""
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MAX_LINE, loop=loop)
        reader.feed_data(rest)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, connection)
        return cls(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    @property
    def busy(self) -> bool:
        return bool(self._due)

    def close(self) -> None:
        self._writer.close()

    async def serve(self, server: Server) -> None:
        """Run `server` until the client leaves."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server)
            tasks.start_soon(self._write, from_server)
            await server.run(from_client, to_client, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _read(self, stream: anyio.abc.ObjectSendStream[SessionMessage | Exception]) -> None:
        async with stream:
            try:
                while line := await self._reader.readline():
                    self.heard = asyncio.get_running_loop().time()
                    message = self._message(line) if line.strip() else None
                    if message is not None:
                        await stream.send(message)
            except ValueError:  # how readline says that a line is over the limit
                logs.warning("mcp_line_too_long", limit=MAX_LINE)
            except (ConnectionError, anyio.BrokenResourceError):
                pass  # the client or the server has left: that is how it says so

    def _message(self, line: bytes) -> SessionMessage | None:
        """Return the message on a line. A line that is none is answered here: who asked must not wait for ever."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            found = decode(line)  # takes half a surrogate pair, which JavaScript writes and the SDK refuses
            try:
                message = types.jsonrpc_message_adapter.validate_python(found[0] if len(found) == 1 else None, by_name=False)
            except ValidationError:
                self._refuse(found)
                return None
        if isinstance(message, types.JSONRPCNotification) and "id" in (found := decode(line))[0]:
            self._refuse(found)  # a request whose id is neither text nor a whole number
            return None
        if isinstance(message, types.JSONRPCRequest):
            self._due.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, int | str):
                self._due.discard(cancelled)
        return SessionMessage(message)

    def _refuse(self, found: list[dict[str, Any]] | str) -> None:
        code, message = (types.INVALID_REQUEST, "the line is no JSON-RPC message")
        if found == NOT_JSON:
            code, message = types.PARSE_ERROR, "the line is no JSON"
        first = found[0] if isinstance(found, list) and found else {}
        if "method" in first and "id" not in first:
            return  # a notification is never answered
        asked = first.get("id")
        number = asked if isinstance(asked, str | int | float) and not isinstance(asked, bool) else None
        answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
        self._writer.write(json.dumps(answer).encode() + b"\n")

    async def _write(self, stream: anyio.abc.ObjectReceiveStream[SessionMessage]) -> None:
        async with stream:
            try:
                async for said in stream:
                    message = said.message
                    if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
                        self._due.discard(message.id)
                    self.heard = asyncio.get_running_loop().time()
                    self._writer.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                    async with asyncio.timeout(STALL):
                        await self._writer.drain()
            except (ConnectionError, TimeoutError) as error:
                logs.info("mcp_client_gone", error=type(error).__name__)
                self._writer.transport.abort()  # which ends the reading side, and so the server
