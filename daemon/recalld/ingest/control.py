"""The indexer's end of the line to the main process: wire frames over a socket pair.

main → indexer: `{"cmd", "id"?, "params"?}`; indexer → main: `{"event"}`, one of ready, commit, status, done, alive,
renew (end me, and start another), failed (I end, and this is the operating system's error number).
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from typing import Any

from recall import wire
from recall.errors import RecallError


class Control:
    """Sends events, and hands each command to `on_command` from a thread of its own.

    When main closes its end, or dies, this process ends at once: what is not committed will be read again.
    """

    def __init__(self, descriptor: int, on_command: Callable[[dict[str, Any]], None]) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._lock = threading.Lock()
        self._on_command = on_command
        self._thread = threading.Thread(target=self._listen, name="control", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _listen(self) -> None:
        decoder = wire.Decoder()
        while True:
            try:
                data = self._socket.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                os._exit(0)
            decoder.feed(data)
            for message in decoder:
                self._on_command(message)

    def send(self, event: str, **fields: Any) -> None:
        """Send one event."""
        with self._lock:
            try:
                self._socket.sendall(wire.pack({"event": event, **fields}))
            except ConnectionError:
                os._exit(0)

    def done(self, command: dict[str, Any], result: Any) -> None:
        """Answer a command that asked for an answer; an error of ours travels as its code and message."""
        if "id" not in command:
            return
        if isinstance(result, RecallError):
            self.send("done", id=command["id"], error={"code": result.code, "message": result.message})
        else:
            self.send("done", id=command["id"], result=result)
