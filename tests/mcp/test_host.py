"""The main process and its MCP child: started at first use, gone when it is not needed, never a connection lost."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from typing import Any

import pytest

from mcp_kit import Client, User, kill
from processes import wait_until_gone
from recall import RequestError, connect
from recalld.server.mcp_host import COMMAND, McpHost

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'


class Peer:
    """A connection that was given to the child."""

    def __init__(self, host: McpHost) -> None:
        ours, theirs = socket.socketpair()
        host.give(theirs, {"profile": "tools"}, b"")
        ours.setblocking(False)
        self._ours = ours
        self._buffer = b""

    async def ping(self, number: int) -> dict[str, Any]:
        """Ask and return the answer; {} where the connection is closed."""
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._ours, PING % number)
            return await self.receive()
        except ConnectionError:
            return {}

    async def receive(self) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            data = await asyncio.get_running_loop().sock_recv(self._ours, 65536)
            if not data:
                return {}
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return dict(json.loads(line))

    def close(self) -> None:
        self._ours.close()


@pytest.fixture
def places_of(asked: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child finds its daemon through the environment."""
    for name, value in asked.env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("places_of")
def test_a_child_that_hears_nothing_goes_and_the_next_connection_gets_a_new_one() -> None:
    async def run() -> None:
        host = McpHost([*COMMAND, "--idle", "0.1"])
        assert host.pid is None
        first = Peer(host)
        assert (await first.ping(1))["id"] == 1
        pid = host.pid
        assert pid is not None
        assert await first.receive() == {}  # closed: that is how a relay learns of it
        await asyncio.to_thread(wait_until_gone, pid)
        second = Peer(host)
        assert (await second.ping(2))["id"] == 2
        first.close()
        second.close()
        await host.stop()
        assert host.pid is None

    asyncio.run(run())


@pytest.mark.usefixtures("places_of")
def test_connections_given_while_the_child_is_about_to_go_are_all_served() -> None:
    async def run() -> None:
        host = McpHost([*COMMAND, "--idle", "0.02"])  # it asks to go nearly all the time
        for number in range(1, 7):
            peer = Peer(host)
            answer = await peer.ping(number)
            while not answer:  # it was taken on and let go before it could speak: as a relay does, once more
                peer.close()
                peer = Peer(host)
                answer = await peer.ping(number)
            assert answer["id"] == number
            peer.close()
        await host.stop()

    asyncio.run(run())


@pytest.mark.usefixtures("places_of")
def test_a_child_that_was_killed_is_replaced() -> None:
    async def run() -> None:
        host = McpHost()
        first = Peer(host)
        assert await first.ping(1)
        assert host.pid is not None
        await asyncio.to_thread(kill, host.pid)
        assert await first.receive() == {}
        second = Peer(host)
        assert (await second.ping(2))["id"] == 2
        first.close()
        second.close()
        await host.stop()

    asyncio.run(run())


def test_where_no_child_can_be_started_connections_are_closed() -> None:
    async def run() -> None:
        host = McpHost(["/nonexistent/python"])
        peer = Peer(host)
        assert await peer.receive() == {}
        peer.close()
        await host.stop()

    asyncio.run(run())


def test_who_asks_is_told_in_bounds(asked: User) -> None:
    with connect(asked.places.socket) as daemon, pytest.raises(RequestError, match="cwd: is longer than 4096"):
        daemon.request("mcp", {"cwd": "/x" * 4096})


def test_the_child_dies_with_a_daemon_that_is_killed(user: User) -> None:
    user.start()
    with Client(user) as client:
        client.handshake()
        child, daemon = user.mcp_pid(), user.daemon_pid()
        assert daemon is not None
        kill(daemon)
        wait_until_gone(child)


def test_the_main_process_never_loads_the_sdk() -> None:
    script = "import sys, recalld.__main__, recalld.server.lifecycle; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"mcp", "mcp_types", "pydantic", "starlette", "jsonschema"} & set(done.stdout.split())


def test_a_client_that_leaves_without_a_word_leaves_nothing_behind(asked: User) -> None:
    with Client(asked) as client:
        client.handshake()
        client.send("tools/call", {"name": "recall", "arguments": {"query": "retry"}})
        client.process.kill()
    with Client(asked) as client:
        client.handshake()
        assert client.text("recall", query="retry")
