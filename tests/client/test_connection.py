"""The library: what a client does with answers, errors, and connections that break."""

from __future__ import annotations

import asyncio
import inspect
import socket
import subprocess
import sys
import threading
from typing import Any

import pytest

import recall
from recall import wire
from recall.aio import AsyncClient
from recall.client import Client
from recall.errors import DeadlineExceeded, FrameTooLarge, NotFound, ProtocolError


def test_a_result_comes_back_as_the_daemon_gave_it(home: Any, serve: Any) -> None:
    serve(lambda method, params: {"echo": [method, params]})
    with Client(home.places.socket) as client:
        assert client.search("größe 🦎", limit=3) == {"echo": ["search", {"query": "größe 🦎", "limit": 3}]}


def test_connect_finds_the_daemon_by_its_lock(home: Any, serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in home.env.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(recall.DaemonUnreachable, match="recall start"):
        recall.connect()
    serve(lambda method, params: {})
    with recall.connect() as client:
        assert client.ping() == {}

    async def ask() -> Any:
        async with recall.AsyncClient() as client:
            return await client.ping()

    assert asyncio.run(ask()) == {}


def test_an_error_carries_the_daemons_code_and_its_exit_status(home: Any, serve: Any) -> None:
    def handler(method: str, params: dict[str, Any]) -> Any:
        raise NotFound("no session has the id 'x'")

    serve(handler)
    with Client(home.places.socket) as client:
        with pytest.raises(recall.RequestError, match="no session") as caught:
            client.show("x")
        assert (caught.value.code, caught.value.exit_status) == ("not_found", 1)


def test_no_socket_is_unreachable_and_says_what_to_do(home: Any) -> None:
    with pytest.raises(recall.DaemonUnreachable, match="recall start"):
        Client(home.places.socket)


def test_a_question_is_asked_again_when_the_connection_broke(home: Any, serve: Any) -> None:
    server = serve(lambda method, params: {"n": len(server.asked)})
    with Client(home.places.socket) as client:
        assert client.status() == {"n": 1}
        server.drop_connections()
        assert client.status() == {"n": 2}
        assert server.connections == 2


def test_a_question_that_breaks_the_connection_is_asked_twice_at_most(home: Any, serve: Any, made: Any) -> None:
    server = serve(lambda method, params: made.DROP)
    with Client(home.places.socket) as client, pytest.raises(recall.DaemonUnreachable):
        client.search("x")
    assert len(server.asked) == 2


def test_what_changes_something_is_never_sent_twice(home: Any, serve: Any, made: Any) -> None:
    server = serve(lambda method, params: made.DROP)
    with Client(home.places.socket) as client, pytest.raises(recall.DaemonUnreachable, match="not known"):
        client.forget(session="x")
    assert len(server.asked) == 1


def test_a_late_answer_is_never_taken_for_another_requests(home: Any, serve: Any) -> None:
    release = threading.Event()

    def handler(method: str, params: dict[str, Any]) -> Any:
        if method == "search":
            release.wait(20)
        return {"method": method}

    serve(handler)
    with Client(home.places.socket, timeout=0.05) as client:
        with pytest.raises(DeadlineExceeded):
            client.search("slow")
        release.set()
        assert client.ping() == {"method": "ping"}


def test_threads_may_share_a_client(home: Any, serve: Any) -> None:
    serve(lambda method, params: params)
    wrong: list[Any] = []

    def work(number: int) -> None:
        for turn in range(20):
            answer: Any = client.search(f"{number}-{turn}")
            if answer != {"query": f"{number}-{turn}"}:
                wrong.append(answer)

    with Client(home.places.socket) as client:
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_an_answer_of_many_megabytes_arrives_whole(home: Any, serve: Any) -> None:
    text = "x" * (wire.MAX_FRAME - 1000)
    serve(lambda method, params: {"text": text})
    with Client(home.places.socket) as client:
        answer: Any = client.ping()
        assert answer["text"] == text


def test_after_a_frame_that_cannot_be_read_the_next_request_has_a_connection_of_its_own(home: Any) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(home.root / "odd"))
    listening.listen()
    said = [b"\xff\xff\xff\xff", b"\0\0\0\1\xc0", wire.pack({"id": 3, "ok": True, "result": {"n": 3}})]

    def answer() -> None:
        for frame in said:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(frame)
                connection.recv(65536)  # until the client has gone

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    with Client(home.root / "odd") as client:
        with pytest.raises(FrameTooLarge):
            client.ping()
        with pytest.raises(ProtocolError):
            client.ping()
        assert client.ping() == {"n": 3}
    thread.join()
    listening.close()


def test_overlapping_async_requests_get_their_own_answers(home: Any, serve: Any) -> None:
    serve(lambda method, params: params)

    async def scenario() -> None:
        async with AsyncClient(home.places.socket) as client:
            answers = await asyncio.gather(*(client.search(str(n)) for n in range(50)))
            assert answers == [{"query": str(n)} for n in range(50)]

    asyncio.run(scenario())


def test_a_broken_connection_fails_waiting_async_requests_and_the_next_one_connects(home: Any, serve: Any, made: Any) -> None:
    serve(lambda method, params: made.DROP if method == "search" else {})

    async def scenario() -> None:
        async with AsyncClient(home.places.socket) as client:
            with pytest.raises(recall.DaemonUnreachable):
                await client.search("x")
            assert await client.ping() == {}

    asyncio.run(scenario())


def test_async_errors_and_deadlines_are_those_of_the_other_client(home: Any, serve: Any) -> None:
    release = threading.Event()

    def handler(method: str, params: dict[str, Any]) -> Any:
        if method == "show":
            raise NotFound("nothing")
        release.wait(20)
        return {}

    serve(handler)

    async def scenario() -> None:
        async with AsyncClient(home.places.socket, timeout=0.05) as client:
            with pytest.raises(recall.RequestError) as caught:
                await client.show("x")
            assert caught.value.code == "not_found"
            with pytest.raises(DeadlineExceeded):
                await client.ping()
        release.set()
        with pytest.raises(recall.DaemonUnreachable):
            await AsyncClient(str(home.root / "none.sock")).ping()

    asyncio.run(scenario())


def test_both_clients_have_the_same_methods() -> None:
    def methods(cls: type) -> dict[str, list[str]]:
        found = inspect.getmembers(cls, inspect.isfunction)
        return {
            name: list(inspect.signature(function).parameters)
            for name, function in found
            if not name.startswith("_") and name not in ("close", "aclose")
        }

    assert methods(Client) == methods(AsyncClient)


def test_a_client_has_every_method_of_the_wire_but_the_one_that_takes_the_connection_over(home: Any, serve: Any) -> None:
    from recalld.server.methods import METHODS

    server = serve(lambda method, params: {"echo": [method, params]})
    with Client(home.places.socket) as client:
        for name, method in METHODS.items():
            if method.take_over is None:
                needed = {key: "x" for key, param in method.params.items() if param.required}
                assert getattr(client, name)(**needed) == {"echo": [name, needed]}
    assert len(server.asked) == len(METHODS) - 1


def test_importing_recall_loads_nothing_heavy() -> None:
    code = "import sys, recall; print([m for m in ('msgpack', 'asyncio', 'click', 'rich', 'socket') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_client_imports_neither_the_daemon_nor_its_libraries() -> None:
    code = (
        "import sys, pkgutil, importlib, recall\n"
        "for m in pkgutil.walk_packages(recall.__path__, 'recall.'):\n"
        "    if not m.name.endswith('__main__'): importlib.import_module(m.name)\n"
        "print([m for m in ('recalld', 'tantivy', 'watchdog') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
