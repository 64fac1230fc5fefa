"""What the main process's tests talk through: a bare client, and servers on real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recall import wire
from recall.errors import DeadlineExceeded, RecallError
from recall.places import Places
from recalld.server.listen import listener
from recalld.server.method import Method
from recalld.server.server import Server


class Peer:
    """A client with nothing between the test and the socket."""

    def __init__(self, path: Path | str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self._decoder = wire.Decoder()

    def send(self, method: str, params: Any = None, *, id: Any = 1, **more: Any) -> None:
        self.raw(wire.pack({"v": 1, "id": id, "method": method, "params": params or {}} | more))

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end of the connection."""
        while True:
            message = next(iter(self._decoder), None)
            if message is not None:
                return message
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._decoder.feed(data)

    def ask(self, method: str, params: Any = None, **more: Any) -> dict[str, Any]:
        self.send(method, params, **more)
        reply = self.receive()
        assert reply is not None
        return reply

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Ready:
    """A service that is ready, for servers whose methods need nothing of it."""

    def is_ready(self) -> bool:
        return True

    async def wait_ready(self) -> None:
        return None

    def late(self, method: str) -> RecallError:
        return DeadlineExceeded(f"{method} took too long")


@contextmanager
def running(places: Places, methods: Mapping[str, Method[Any]], service: Any = None, **options: Any) -> Iterator[Path]:
    """Run a server in a thread of its own; yield its socket's path."""
    started = threading.Event()
    stop: list[Callable[[], object]] = []

    async def main() -> None:
        end = asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(end.set))
        loop = asyncio.get_running_loop()
        server = Server(service or Ready(), methods, **options)
        await server.start(listening.socket)
        started.set()
        await end.wait()
        await server.close()

    places.data.mkdir(parents=True, exist_ok=True)
    listening = listener(places, {})
    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    assert started.wait(20)
    try:
        yield listening.path
    finally:
        stop[0]()
        thread.join(20)
        listening.close()
        assert not thread.is_alive()
