"""What any client may do to the socket server, and what it gets."""

from __future__ import annotations

import asyncio
import os
import queue
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall import wire
from recall.errors import Refused
from recall.places import Places
from recalld.server.method import Method, Send, inline, pool, task
from recalld.server.paging import pack_page
from recalld.server.params import Param
from server.kit import Peer, running

gate = threading.Event()


def echo(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {"said": params.get("text")}


def large(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {"text": "x" * params["bytes"]}


def wait_for_gate(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    assert gate.wait(20)
    return {"passed": True}


def refuse(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    raise Refused("it cannot be done:\nsay why")


def broken(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    raise ZeroDivisionError("secret words")


def records(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    total, offset = 40, params.get("offset", 0)
    page = [{"n": n, "text": "y" * 1_000_000} for n in range(offset, total)]
    return {"records": page, "total": total, "next_offset": None}


async def count(service: Any, params: dict[str, Any], send: Send) -> dict[str, Any]:
    for n in range(params["to"]):
        await send({"n": n})
    return {"counted": params["to"]}


async def forever(service: Any, params: dict[str, Any], send: Send) -> dict[str, Any]:
    await asyncio.Event().wait()
    return {}


handed: queue.Queue[tuple[socket.socket, bytes]] = queue.Queue()


async def leave(service: Any, params: dict[str, Any], send: Send) -> dict[str, Any]:
    if params.get("refuse"):
        raise Refused("not now")
    return {"yours": True}


METHODS: dict[str, Method[Any]] = {
    "echo": inline(echo, {"text": Param("text"), "flag": Param("bool"), "limit": Param("int", low=1, high=5)}),
    "large": inline(large, {"bytes": Param("int", required=True)}),
    "slow": pool(wait_for_gate),
    "refuse": inline(refuse),
    "broken": inline(broken),
    "broken_slowly": pool(broken),
    "records": pool(records, {"offset": Param("int")}, pages="records"),
    "count": task(count, {"to": Param("int", required=True)}),
    "forever": task(forever),
    "leave": task(leave, {"refuse": Param("bool")}, take_over=lambda service, params, sock, rest: handed.put((sock, rest))),
}


@pytest.fixture
def path(places: Places) -> Iterator[Path]:
    gate.clear()
    with running(places, METHODS) as path:
        yield path
        gate.set()


def code(reply: dict[str, Any] | None) -> str:
    assert reply is not None
    assert reply["ok"] is False
    return str(reply["error"]["code"])


def test_a_reply_carries_the_id_and_the_result(path: Path) -> None:
    with Peer(path) as peer:
        assert peer.ask("echo", {"text": "hello"}, id=77) == {"id": 77, "ok": True, "result": {"said": "hello"}}


def test_pipelined_requests_are_answered_as_they_become_ready_and_matched_by_id(path: Path) -> None:
    with Peer(path) as peer:
        peer.send("slow", id=1)
        for n in range(2, 200):
            peer.send("echo", {"text": str(n)}, id=n)
        quick = [peer.receive() for _ in range(2, 200)]
        assert [(m["id"], m["result"]["said"]) for m in quick if m] == [(n, str(n)) for n in range(2, 200)]
        gate.set()
        assert peer.receive() == {"id": 1, "ok": True, "result": {"passed": True}}


def test_fifty_clients_at_once_each_get_their_own_answers(path: Path) -> None:
    peers = [Peer(path) for _ in range(50)]
    for round_ in range(5):
        for n, peer in enumerate(peers):
            peer.send("echo", {"text": f"{n}.{round_}"}, id=round_)
        for n, peer in enumerate(peers):
            reply = peer.receive()
            assert reply is not None
            assert (reply["id"], reply["result"]["said"]) == (round_, f"{n}.{round_}")
    for peer in peers:
        peer.close()


def test_a_client_that_floods_requests_does_not_keep_another_waiting_for_its_last(path: Path) -> None:
    with Peer(path) as flood, Peer(path) as other:
        frame = wire.pack({"v": 1, "id": 1, "method": "echo", "params": {"text": "x"}})
        sender = threading.Thread(target=flood.raw, args=(frame * 20_000,))
        sender.start()
        assert other.ask("echo", {"text": "mine"})["result"] == {"said": "mine"}
        assert sum(1 for _ in range(20_000) if flood.receive()) == 20_000
        sender.join(20)


def test_a_client_that_does_not_read_is_dropped_and_hurts_nobody(places: Places) -> None:
    with running(places, METHODS, stall=0.2) as path, Peer(path) as silent, Peer(path) as other:
        for n in range(50):
            silent.send("large", {"bytes": 4_000_000}, id=n)
        assert other.ask("echo", {"text": "mine"})["result"] == {"said": "mine"}
        silent.socket.setblocking(True)
        silent.socket.settimeout(20)
        poll_hangup(silent.socket)
        assert other.ask("echo", {"text": "still"})["result"] == {"said": "still"}


def poll_hangup(peer: socket.socket) -> None:
    """Wait until the other side has closed, reading nothing."""
    import select

    poll = select.poll()
    poll.register(peer, 0)
    assert poll.poll(20_000), "it was not dropped"


def test_a_slow_reader_gets_everything(path: Path) -> None:
    with Peer(path) as peer:
        for n in range(12):
            peer.send("large", {"bytes": 3_000_000}, id=n)
        for n in range(12):
            reply = peer.receive()
            assert reply is not None
            assert (reply["id"], len(reply["result"]["text"])) == (n, 3_000_000)


def test_half_a_frame_waits_for_its_other_half(path: Path) -> None:
    frame = wire.pack({"v": 1, "id": 5, "method": "echo", "params": {"text": "slowly"}})
    with Peer(path) as peer, Peer(path) as other:
        for byte in range(len(frame) - 1):
            peer.raw(frame[byte : byte + 1])
        assert other.ask("echo")["ok"]
        peer.raw(frame[-1:])
        reply = peer.receive()
        assert reply is not None
        assert reply["result"] == {"said": "slowly"}


def test_half_a_frame_and_goodbye_is_no_fault(path: Path) -> None:
    with Peer(path) as peer:
        peer.raw(b"\0\0\0\x10abc")
    with Peer(path) as other:
        assert other.ask("echo")["ok"]


def test_replies_still_come_after_the_client_has_sent_its_last_request(path: Path) -> None:
    with Peer(path) as peer:
        peer.send("slow", id=1)
        peer.send("echo", id=2)
        peer.socket.shutdown(socket.SHUT_WR)
        first = peer.receive()
        assert first is not None
        assert first["id"] == 2
        gate.set()
        second = peer.receive()
        assert second is not None
        assert second["id"] == 1
        assert peer.receive() is None


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n\r\n" * 10, struct.pack(">I", 5) + b"\xc1\xc1\xc1\xc1\xc1"])
def test_garbage_is_answered_with_an_error_and_ends_that_connection_alone(path: Path, garbage: bytes) -> None:
    with Peer(path) as peer, Peer(path) as other:
        peer.raw(garbage)
        reply = peer.receive()
        assert code(reply) in ("protocol", "frame_too_large")
        assert reply is not None
        assert reply["id"] is None
        assert peer.receive() is None
        assert other.ask("echo")["ok"]


def test_a_frame_over_the_limit_is_refused_as_soon_as_its_length_is_known(path: Path) -> None:
    with Peer(path) as peer, Peer(path) as other:
        peer.raw(struct.pack(">I", wire.MAX_FRAME + 1))
        assert code(peer.receive()) == "frame_too_large"
        assert peer.receive() is None
        assert other.ask("echo")["ok"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda b: struct.pack(">I", len(b)) + b))
def test_no_bytes_from_one_client_keep_another_from_its_answer(path: Path, data: bytes) -> None:
    with Peer(path) as peer, Peer(path) as other:
        peer.raw(data)
        peer.socket.shutdown(socket.SHUT_WR)
        while (reply := peer.receive()) is not None:
            assert reply["ok"] is False
        assert other.ask("echo", {"text": "mine"})["result"] == {"said": "mine"}


@pytest.mark.parametrize(
    ("request_", "expected", "field"),
    [
        ({"method": "nonsense"}, "unknown_method", "nonsense"),
        ({"method": 5}, "bad_request", "method"),
        ({"method": "echo", "params": [1]}, "bad_request", "params"),
        ({"method": "echo", "params": {"text": 5}}, "bad_request", "text"),
        ({"method": "echo", "params": {"limit": 6}}, "bad_request", "limit"),
        ({"method": "echo", "params": {"limit": True}}, "bad_request", "limit"),
        ({"method": "echo", "params": {"flag": 1}}, "bad_request", "flag"),
        ({"method": "large"}, "bad_request", "bytes"),
        ({"method": "echo", "deadline_ms": 0}, "bad_request", "deadline_ms"),
        ({"method": "echo", "v": 2}, "unsupported_version", "v"),
        ({"method": "echo", "id": "one"}, "bad_request", "id"),
    ],
)
def test_a_bad_request_names_the_field_and_the_connection_goes_on(
    path: Path, request_: dict[str, Any], expected: str, field: str
) -> None:
    with Peer(path) as peer:
        peer.raw(wire.pack({"v": 1, "id": 3, "params": {}} | request_))
        reply = peer.receive()
        assert code(reply) == expected
        assert reply is not None
        assert field in reply["error"]["message"]
        assert peer.ask("echo", {"text": "on"})["result"] == {"said": "on"}


def test_unknown_fields_and_parameters_are_ignored(path: Path) -> None:
    with Peer(path) as peer:
        assert peer.ask("echo", {"text": "a", "colour": "red"}, tomorrow=[1])["result"] == {"said": "a"}


def test_an_error_raised_on_purpose_has_its_code_and_one_line(path: Path) -> None:
    with Peer(path) as peer:
        reply = peer.ask("refuse")
        assert reply["error"] == {"code": "refused", "message": "it cannot be done: say why"}


@pytest.mark.parametrize("method", ["broken", "broken_slowly"])
def test_a_fault_is_answered_as_internal_and_tells_nothing_of_what_it_was_about(path: Path, method: str) -> None:
    with Peer(path) as peer, Peer(path) as other:
        reply = peer.ask(method, id=9)
        assert (reply["id"], code(reply)) == (9, "internal")
        assert "secret" not in reply["error"]["message"]
        assert other.ask("echo")["ok"]


@pytest.mark.parametrize("method", ["slow", "forever"])
def test_a_request_is_answered_at_its_deadline(path: Path, method: str) -> None:
    with Peer(path) as peer:
        assert code(peer.ask(method, deadline_ms=50)) == "deadline"
        assert peer.ask("echo")["ok"]


def test_a_streamed_reply_sends_items_and_ends_with_the_reply(path: Path) -> None:
    with Peer(path) as peer:
        peer.send("count", {"to": 3}, id=4)
        assert [peer.receive() for _ in range(4)] == [
            {"id": 4, "item": {"n": 0}},
            {"id": 4, "item": {"n": 1}},
            {"id": 4, "item": {"n": 2}},
            {"id": 4, "ok": True, "result": {"counted": 3}},
        ]


def test_an_answer_over_the_frame_limit_comes_in_pages_that_lose_nothing(path: Path) -> None:
    seen: list[int] = []
    with Peer(path) as peer:
        offset: int | None = 0
        while offset is not None:
            result = peer.ask("records", {"offset": offset})["result"]
            seen += [record["n"] for record in result["records"]]
            assert result["total"] == 40
            offset = result["next_offset"]
    assert seen == list(range(40))


def test_a_page_around_a_record_goes_on_where_it_was_cut() -> None:
    page = [{"n": n, "text": "y" * 1_000_000} for n in range(100, 140)]
    for following, total in ((140, 500), (None, 140)):
        answer = {"records": page, "total": total, "next_offset": following}
        decoder = wire.Decoder()
        decoder.feed(pack_page(1, answer, "records", {"around": "r120", "offset": 0}))
        result = next(iter(decoder))["result"]
        assert result["records"] == page[: len(result["records"])]
        assert result["next_offset"] == 100 + len(result["records"])


def test_an_answer_that_cannot_be_paged_and_is_too_large_is_an_error(path: Path) -> None:
    with Peer(path) as peer:
        assert code(peer.ask("large", {"bytes": wire.MAX_FRAME})) == "frame_too_large"
        assert peer.ask("echo")["ok"]


def test_more_requests_than_may_be_open_wait_for_their_turn(path: Path) -> None:
    with Peer(path) as peer:
        for n in range(100):
            peer.send("slow", id=n)
        gate.set()
        assert sorted(m["id"] for m in (peer.receive() for _ in range(100)) if m) == list(range(100))


def test_clients_over_the_limit_are_told_so(places: Places) -> None:
    with running(places, METHODS, max_connections=2) as path, Peer(path) as one, Peer(path) as two:
        assert one.ask("echo")["ok"]
        assert two.ask("echo")["ok"]
        with Peer(path) as three:
            assert code(three.receive()) == "unavailable"
            assert three.receive() is None


def test_a_connection_that_is_handed_over_speaks_on_with_its_new_owner(path: Path) -> None:
    with Peer(path) as peer:
        first = wire.pack({"v": 1, "id": 1, "method": "large", "params": {"bytes": 5_000_000}})
        last = wire.pack({"v": 1, "id": 2, "method": "leave", "params": {}})
        peer.raw(first + last + b"a line of another protocol\n")
        replies = [peer.receive(), peer.receive()]
        assert [reply["id"] for reply in replies if reply] == [1, 2]
        sock, rest = handed.get(timeout=20)
        with sock:
            assert rest == b"a line of another protocol\n"
            peer.raw(b"more")
            assert sock.recv(4) == b"more"
            sock.sendall(b"an answer")
            assert peer.socket.recv(100) == b"an answer"
        assert peer.socket.recv(100) == b""


def test_a_connection_that_is_not_handed_over_after_all_goes_on_as_before(path: Path) -> None:
    with Peer(path) as peer:
        peer.send("leave", {"refuse": True}, id=1)
        peer.send("echo", {"text": "still here"}, id=2)
        assert code(peer.receive()) == "refused"
        reply = peer.receive()
        assert reply is not None
        assert reply["result"] == {"said": "still here"}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_is_refused_even_where_the_files_would_let_them_in(path: Path) -> None:
    for place in (path.parent.parent, path.parent):
        place.chmod(0o755)
    path.chmod(0o777)
    intruder = """
import os, socket, sys
os.setgroups([]); os.setgid(54321); os.setuid(54321)
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
try:
    s.sendall(bytes.fromhex(sys.argv[2]))
except BrokenPipeError:
    pass
data = b""
try:
    while piece := s.recv(4096):
        data += piece
except ConnectionResetError:
    pass
print(data.hex())
"""
    frame = wire.pack({"v": 1, "id": 1, "method": "echo", "params": {"text": "theirs"}})
    done = subprocess.run(
        [sys.executable, "-c", intruder, str(path), frame.hex()], capture_output=True, text=True, check=True, timeout=20
    )
    decoder = wire.Decoder()
    decoder.feed(bytes.fromhex(done.stdout.strip()))
    replies = list(decoder)
    assert [code(reply) for reply in replies] == ["refused"]
