"""What waits to be read by one client: bounded, and given up when the client takes nothing of it."""

from __future__ import annotations

import asyncio
import os
import socket

from recalld import logs

HIGH_WATER = 1024 * 1024
"""Bytes of replies that wait for a client before it is not read from any more. One more frame may come on top."""


class Outbox:
    """The writing side of a connection. `stall`: seconds without progress after which the client is dropped."""

    def __init__(self, transport: asyncio.Transport, stall: float) -> None:
        self._transport = transport
        self._stall = stall
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._room = asyncio.Event()
        self._room.set()
        transport.set_write_buffer_limits(high=HIGH_WATER)

    @property
    def closing(self) -> bool:
        return self._transport.is_closing()

    def has_room(self) -> bool:
        return self._room.is_set()

    async def drain(self) -> None:
        """Return when there is room, or when there is nobody left to write to."""
        while not self._room.is_set():  # another waiter may have filled it again
            await self._room.wait()

    def write(self, frame: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(frame)

    def full(self) -> None:
        """The transport says that more than HIGH_WATER waits."""
        self._room.clear()
        self._watch()

    def emptied(self) -> None:
        """The transport says that most of it has been taken."""
        self._room.set()
        self._unwatch()

    def close(self) -> None:
        """Close once what was written has been taken."""
        if not self._transport.is_closing():
            self._transport.close()
            self._watch()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def lost(self) -> None:
        """The connection is gone: nobody waits for it any more."""
        self._unwatch()
        self._room.set()

    async def give_away(self) -> socket.socket | None:
        """Return the connection's socket, for another to speak on, once all is written; None where it is closed."""
        self._transport.set_write_buffer_limits(high=0)
        await self.drain()
        if self._transport.is_closing():
            return None
        copy = socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno()))
        os.set_inheritable(copy.fileno(), False)
        self._transport.abort()  # closes our descriptor; the connection lives on in the copy
        return copy

    def _watch(self) -> None:
        self._unwatch()
        waiting = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_later(self._stall, self._look, waiting)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, waiting: int) -> None:
        if self._transport.get_write_buffer_size() < waiting:
            self._watch()
            return
        logs.warning("client_dropped", why="does not read", waiting_bytes=waiting)
        self._transport.abort()
