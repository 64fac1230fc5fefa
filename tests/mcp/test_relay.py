"""The relay: what it costs an agent, when it goes, and that a lost daemon is not the agent's trouble."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_kit import RELAY, Client, User, kill
from processes import wait_until_gone
from recall import wire
from recall.mcp import relay

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


# -- what it is made of ------------------------------------------------------------------------------------------------


def test_it_loads_nothing_that_costs_a_start() -> None:
    script = f"import sys; sys.path.insert(0, {str(RELAY)!r}); import relay; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-IS", "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"json", "re", "socket", "signal", "selectors", "typing", "subprocess", "recall", "site", "enum"}


@given(JSON)
def test_messages_are_read_as_the_standard_library_reads_them(value: Any) -> None:
    read = relay.parse(json.dumps(value))
    assert read == (value if isinstance(value, dict) else None)


@given(st.text(max_size=40))
def test_what_is_no_message_is_none(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    assert relay.parse(text) == (value if isinstance(value, dict) else None) or not isinstance(value, dict)


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=6), st.data())
def test_lines_come_out_whole_however_they_are_cut(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(part + b"\n" for part in parts)
    buffer, out = bytearray(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        buffer += stream[:size]
        stream = stream[size:]
        out += relay.lines(buffer)
    assert out == [part + b"\n" for part in parts if part.strip()]
    assert not buffer


@given(st.dictionaries(st.text(max_size=300), st.text(max_size=5000) | st.integers(0, 2**63), max_size=6))
def test_its_request_is_a_frame_of_the_wire(params: dict[str, str | int]) -> None:
    decoder = wire.Decoder()
    decoder.feed(relay.frame(params))
    (message,) = decoder
    assert message["method"] == "mcp"
    if all(len(str(v).encode()) <= 4096 for v in params.values()):
        assert message["params"] == params
    assert msgpack.packb(message)


@given(st.text(max_size=10) | st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_an_id_is_written_as_it_was_read(value: Any) -> None:
    key = relay.key_of({"id": value})
    assert key is not None
    assert json.loads(relay.written(key)) == value


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_is_none_is_no_id(number: str) -> None:
    message = relay.parse(f'{{"id": {number}, "method": "x"}}')
    assert message is not None
    assert relay.key_of(message) is None


@pytest.mark.parametrize(
    ("arguments", "environ", "expected"),
    [
        ([], {}, {"profile": "tools"}),
        (["--context-search"], {}, {"profile": "context-search"}),
        ([], {"CLAUDE_CODE_SESSION_ID": "c"}, {"profile": "tools", "agent": "claude-code", "session": "c"}),
        ([], {"QWEN_CODE_SESSION_ID": "q"}, {"profile": "tools", "agent": "qwen-code", "session": "q"}),
        (
            ["--agent", "qwen-code"],
            {"CLAUDE_CODE_SESSION_ID": "c", "QWEN_CODE_SESSION_ID": "q"},
            {"profile": "tools", "agent": "qwen-code", "session": "q"},
        ),
        (["--agent", "codex"], {"CLAUDE_CODE_SESSION_ID": "c"}, {"profile": "tools", "agent": "codex"}),
    ],
)
def test_it_says_which_session_asks_as_far_as_the_agent_tells(
    arguments: list[str], environ: dict[str, str], expected: dict[str, str]
) -> None:
    told = relay.asker(arguments, environ)
    assert told.pop("cwd") == os.getcwd()
    assert isinstance(told.pop("since"), int)
    assert told == expected


# -- when it goes ------------------------------------------------------------------------------------------------------


def test_it_ends_with_its_stdin(asked: User) -> None:
    with Client(asked) as client:
        client.handshake()
        assert client.close() == 0


def test_it_ends_with_its_stdin_before_anything_was_said(user: User) -> None:
    with Client(user) as client:
        assert client.close() == 0
    assert user.daemon_pid() is None


def test_what_was_asked_before_the_end_of_stdin_is_still_answered(asked: User) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "recall", "mcp"],
        env=asked.env,
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, "two"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_it_ends_at_a_signal(asked: User, number: int) -> None:
    with Client(asked) as client:
        client.handshake()
        client.process.send_signal(number)
        assert client.process.wait(60) == -number


def test_it_ends_when_its_parent_has_been_killed_and_the_pipe_is_still_held(asked: User) -> None:
    """Another process holds the other end of its stdin open: no end of file will ever come."""
    held, theirs = os.pipe()
    ours, out = os.pipe()
    script = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, '-m', 'recall', 'mcp'], stdin={held}, stdout={out})\n"
        "print(p.pid, flush=True)\np.wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], env=asked.env, stdout=subprocess.PIPE, pass_fds=(held, out))
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.write(theirs, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert os.read(ours, 1)  # it is up
    parent.kill()
    parent.wait()
    wait_until_gone(child)
    for descriptor in (held, theirs, ours, out):
        os.close(descriptor)
    parent.stdout.close()


# -- a daemon that is not there, or goes -------------------------------------------------------------------------------


def test_a_daemon_is_started_where_none_runs(user: User) -> None:
    with Client(user) as client:
        assert client.handshake()["serverInfo"]["name"] == "recall"
        assert user.daemon_pid() is not None


@pytest.mark.parametrize("how", ["stopped", "killed", "server killed"])
def test_a_session_outlives_its_daemon(user: User, how: str) -> None:
    user.start()
    with Client(user) as client:
        client.handshake()
        assert "Duplicate charges" in client.text("recall", query="retry")
        if how == "stopped":
            user.recall("stop")
        else:
            pid = user.daemon_pid() if how == "killed" else user.mcp_pid()
            assert pid is not None
            kill(pid)
        answer = client.ask("tools/call", {"name": "recall", "arguments": {"query": "retry"}})
        assert "Duplicate charges" in answer["result"]["content"][0]["text"]
        assert client.ask("ping")["result"] == {}


def test_what_is_under_way_when_the_server_dies_is_asked_again(user: User) -> None:
    user.start()
    daemon = user.daemon_pid()
    assert daemon is not None
    with Client(user) as client:
        client.handshake()
        child = user.mcp_pid()
        os.kill(daemon, signal.SIGSTOP)  # so that nothing can be answered
        number = client.send("tools/call", {"name": "recall", "arguments": {"query": "retry"}})
        kill(child)
        os.kill(daemon, signal.SIGCONT)
        answer = client.receive()
        assert answer["id"] == number
        assert "Duplicate charges" in answer["result"]["content"][0]["text"]


def test_nobody_who_is_silent_brings_a_stopped_daemon_back(user: User) -> None:
    user.start()
    with Client(user) as client:
        client.handshake()
        user.recall("stop")
        assert client.close() == 0
    assert user.daemon_pid() is None


class Daemon:
    """Speaks just enough of the wire to take a relay on, and then does what a test wants with its lines."""

    def __init__(self, user: User, serve: Callable[[socket.socket, int], None], reply: bool = True) -> None:
        user.places.runtime.mkdir(parents=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(user.places.socket))
        self._listener.listen()
        self._serve = serve
        self._reply = reply
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.connections += 1
                decoder = wire.Decoder()
                while not list(decoder):
                    decoder.feed(connection.recv(65536))
                if self._reply:
                    connection.sendall(wire.pack({"id": 1, "ok": True, "result": {}}))
                    self._serve(connection, self.connections)


def lines_of(connection: socket.socket) -> Iterator[dict[str, Any]]:
    with connection.makefile("rb") as file:
        for line in file:
            yield json.loads(line)


def impatient(user: User, *arguments: str, **values: float) -> list[str]:
    """The command of a relay whose constants are `values`, and which can start no daemon."""
    settings = {"socket": str(user.places.socket), "lock": str(user.places.lock), "recall": ["/bin/false"]}
    given = "".join(f"relay.{name} = {value}\n" for name, value in values.items())
    script = f"import sys\nsys.path.insert(0, {str(RELAY)!r})\nimport relay\n{given}"
    script += f"relay.main({list(arguments)!r}, {settings!r}, {{}})"
    return [sys.executable, "-IS", "-c", script]


def test_the_handshake_is_repeated_and_its_second_answer_swallowed(user: User) -> None:
    seen: list[list[str]] = []

    def serve(connection: socket.socket, number: int) -> None:
        seen.append([])
        for message in lines_of(connection):
            seen[-1].append(message["method"])
            if "id" in message:
                reply = {"jsonrpc": "2.0", "id": message["id"], "result": {"connection": number}}
                connection.sendall(json.dumps(reply).encode() + b"\n")
            if message["method"] == "last":
                return

    daemon = Daemon(user, serve)
    with Client(user, command=impatient(user)) as client:
        assert client.ask("initialize")["result"] == {"connection": 1}
        client.notify("notifications/initialized")
        assert client.ask("last")["result"] == {"connection": 1}
        assert client.ask("again")["result"] == {"connection": 2}
    daemon.close()
    handshake = ["initialize", "notifications/initialized"]
    assert seen == [[*handshake, "last"], [*handshake, "again"]]


def test_a_request_that_ends_every_server_is_answered_with_an_error(user: User) -> None:
    def serve(connection: socket.socket, number: int) -> None:
        next(lines_of(connection), None)  # and close

    daemon = Daemon(user, serve)
    with Client(user, command=impatient(user)) as client:
        answer = client.ask("poison")
        assert "several times" in answer["error"]["message"]
    assert daemon.connections == relay.ATTEMPTS + 1
    daemon.close()


def test_where_no_daemon_can_be_had_the_agent_is_told_and_the_relay_lives_on(user: User) -> None:
    with Client(user, command=impatient(user, PATIENCE=0.2)) as client:
        for _ in range(2):
            assert "recall doctor" in client.ask("tools/list")["error"]["message"]


def test_a_cancelled_request_is_not_asked_again_nor_its_late_answer_passed_on(user: User) -> None:
    seen: list[Any] = []

    def serve(connection: socket.socket, number: int) -> None:
        for message in lines_of(connection):
            seen.append(message.get("method"))
            if message["method"] == "notifications/cancelled":
                late = {"jsonrpc": "2.0", "id": message["params"]["requestId"], "result": {"late": True}}
                connection.sendall(json.dumps(late).encode() + b"\n")
                return
            if message["method"] == "quick":
                connection.sendall(b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % message["id"])

    daemon = Daemon(user, serve)
    with Client(user, command=impatient(user)) as client:
        assert client.ask("quick")["result"] == {}
        number = client.send("slow")
        client.notify("notifications/cancelled", {"requestId": number})
        assert client.ask("quick")["result"] == {}
    daemon.close()
    assert seen == ["quick", "slow", "notifications/cancelled", "quick"]


SEARCH = {"name": "context_search", "arguments": {"query": "secret words"}}


def test_a_context_search_is_never_tried_twice(user: User) -> None:
    seen: list[str] = []

    def serve(connection: socket.socket, number: int) -> None:
        seen.append(next(lines_of(connection))["method"])

    daemon = Daemon(user, serve)
    with Client(user, command=impatient(user, "--context-search")) as client:
        result = client.ask("tools/call", SEARCH)["result"]
        assert result == {"content": [{"type": "text", "text": relay.SEARCH_FAILED}], "isError": True}
    daemon.close()
    assert seen == ["tools/call"]


@pytest.mark.parametrize("there", [True, False])
def test_a_context_search_that_takes_too_long_is_given_up(user: User, there: bool) -> None:
    release = threading.Event()

    def serve(connection: socket.socket, number: int) -> None:
        next(lines_of(connection), None)
        release.wait(60)

    daemon = Daemon(user, serve) if there else None
    with Client(user, command=impatient(user, "--context-search", SEARCH_PATIENCE=0.2)) as client:
        result = client.ask("tools/call", SEARCH)["result"]
        assert result == {"content": [{"type": "text", "text": relay.SEARCH_FAILED}], "isError": True}
    release.set()
    if daemon is not None:
        daemon.close()


def test_large_messages_pass_both_ways(user: User) -> None:
    def serve(connection: socket.socket, number: int) -> None:
        for message in lines_of(connection):
            reply = {"jsonrpc": "2.0", "id": message["id"], "result": message["params"]}
            connection.sendall(json.dumps(reply).encode() + b"\n")

    daemon = Daemon(user, serve)
    with Client(user, command=impatient(user)) as client:
        params = {"text": "ä" * 400_000}
        assert client.ask("echo", params)["result"] == params
    daemon.close()


def test_the_launcher_starts_it_as_well(asked: User) -> None:
    from recall.hooks.write import write_launcher

    launcher = write_launcher(asked.places, asked.env)
    bare = {"HOME": asked.env["HOME"], "PATH": asked.env["PATH"]}  # as Codex starts its servers
    command = [str(launcher), "mcp", "--agent", "codex"]
    process = subprocess.Popen(command, env=bare, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=60)
    assert json.loads(out)["id"] == 1
    assert process.returncode == 0
