"""The MCP child as the main process sees it: connections are handed to it, descriptor and all, and forgotten.

It is started for the first connection. When nothing has been said on any connection for a while the child asks to go,
naming how many connections it has been given; if that is all of them, its pipe is closed, which is its end. So none is
ever given to a child that is leaving. A connection that ends this way, or with a child that died, costs its client a
reconnect: the relay makes one at the agent's next word.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from recall import wire
from recall.errors import FrameTooLarge, ProtocolError
from recalld import logs
from recalld.server.spawn import spawn

COMMAND = (sys.executable, "-P", "-m", "recalld.mcp")
STOP = 1.0
"""Seconds that the child gets to end: all it does is answer questions, so there is nothing to lose."""
MAX_REST = 64 * 1024
"""Bytes that a client may have sent behind its `mcp` request. It is meant to wait for the reply."""


@dataclass(slots=True)
class _Gift:
    connection: socket.socket
    frame: bytes


class McpHost:
    """Starts the child when it is needed and hands connections to it. `command` starts it."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._waiting: deque[_Gift] = deque()
        self._control: socket.socket | None = None
        self._decoder = wire.Decoder()
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self.connections = 0
        """How many the living child has been given."""

    @property
    def pid(self) -> int | None:
        """The child's process id, None where none runs."""
        return self._process.pid if self._process is not None else None

    def give(self, connection: socket.socket, params: dict[str, Any], rest: bytes) -> None:
        """Hand over `connection`, on which `rest` has arrived already; it is the child's from here on."""
        if self._stopping or len(rest) > MAX_REST:
            connection.close()
            return
        self._waiting.append(_Gift(connection, wire.pack({"params": params, "rest": rest})))
        self._pass_on()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End the child and return when it is gone."""
        self._stopping = True
        self._refuse_waiting()
        self._leave()
        if self._task is not None:
            try:
                await asyncio.wait_for(asyncio.shield(self._task), STOP)
            except TimeoutError:
                self._kill("did not stop")
                await self._task

    async def _run(self) -> None:
        """Have a child for as long as there is a connection for it."""
        try:
            while self._waiting and not self._stopping:
                await self._live()
        finally:
            self._task = None

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            process, ours = await spawn(self._command)
        except OSError as error:
            logs.error("mcp_failed", how=f"cannot be started: {error.strerror}")
            self._refuse_waiting()
            return
        self._process, self._control, self._decoder, self.connections = process, ours, wire.Decoder(), 0
        loop.add_reader(ours, self._heard, ours)
        logs.info("mcp_started", pid=process.pid)
        self._pass_on()
        if self._stopping:  # asked to stop while it was being made
            self._leave()
        status = await process.wait()
        loop.remove_reader(ours)
        ours.close()
        if self._control is ours:
            self._control = None
        self._process, self.connections = None, 0
        if status == 0:
            logs.info("mcp_ended", pid=process.pid)
        else:
            logs.error("mcp_died", pid=process.pid, status=status)

    def _pass_on(self) -> None:
        while self._control is not None and self._waiting:
            gift = self._waiting.popleft()
            try:
                sent = socket.send_fds(self._control, [gift.frame], [gift.connection.fileno()])
            except OSError as error:
                logs.warning("mcp_not_given", error=error.strerror)
                sent = 0
            gift.connection.close()
            if sent != len(gift.frame):  # it takes nothing: it hangs, or is just dying
                self._kill("takes no connections")
                return
            self.connections += 1

    def _heard(self, control: socket.socket) -> None:
        try:
            data = control.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            loop = asyncio.get_running_loop()
            loop.remove_reader(control)
            if control is self._control:  # it has died, which is seen in a moment, or is of no use
                self._control = None
                loop.call_later(STOP, self._kill_still, self._process)
            return
        self._decoder.feed(data)
        try:
            for event in self._decoder:
                if event.get("event") == "idle" and event.get("given") == self.connections:
                    self._leave()
        except (FrameTooLarge, ProtocolError) as error:
            self._kill(error.code)

    def _leave(self) -> None:
        """Let the child go: it ends when its pipe is closed. What comes from now on is for the next one."""
        if self._control is not None:
            with suppress(OSError):  # it is gone already
                self._control.shutdown(socket.SHUT_WR)
            self._control = None

    def _kill_still(self, process: asyncio.subprocess.Process | None) -> None:
        if process is self._process:
            self._kill("closed its pipe")

    def _kill(self, why: str) -> None:
        self._control = None
        if self._process is not None and self._process.returncode is None:
            logs.error("mcp_killed", pid=self._process.pid, why=why)
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self._process.pid, signal.SIGKILL)  # `Process.kill` looks, and takes its end from the watcher

    def _refuse_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft().connection.close()
