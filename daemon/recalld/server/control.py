"""The pipe between the main process and a child: frames of the wire protocol over a socket pair.

main → child `{"cmd": name, "id": n, "params": {…}}`; child → main `{"event": name, …}`. Each `cmd` with an id is ended
by one `{"event": "done", "id": n, "result": {…}}` or `{"event": "done", "id": n, "error": {"code", "message"}}`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from recall import wire
from recall.errors import FrameTooLarge, ProtocolError
from recalld import logs

Event = dict[str, Any]


class Control(asyncio.Protocol):
    """Main's end. `on_event` gets every event in order; `closed` is set when the child's end is closed or broken."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._decoder = wire.Decoder()
        self._transport: asyncio.Transport | None = None
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._decoder.feed(data)
        try:
            for event in self._decoder:
                self._on_event(event)
        except (FrameTooLarge, ProtocolError) as error:
            logs.error("control_broken", code=error.code)
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.closed.set()

    def send(self, command: dict[str, Any]) -> None:
        """Send a command; nothing happens when the child is gone, which `closed` tells."""
        if self._transport is not None:
            self._transport.write(wire.pack(command))

    def close(self) -> None:
        """Close our end: a child that waits for commands takes that as its end."""
        if self._transport is not None:
            self._transport.abort()
