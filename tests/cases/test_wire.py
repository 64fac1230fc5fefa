"""The socket, spoken to without any client of ours."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgpack
import pytest
from case_kit import CLAUDE, Case, S, cc

MAX = 16 * 2**20


@contextmanager
def wire(case: Case) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(30)
        s.connect(str(case.places.socket))
        yield s


def frame(message: Any) -> bytes:
    data = msgpack.packb(message)
    return struct.pack(">I", len(data)) + data


def exactly(s: socket.socket, n: int) -> bytes:
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def reply(s: socket.socket) -> dict[str, Any]:
    (n,) = struct.unpack(">I", exactly(s, 4))
    found: dict[str, Any] = msgpack.unpackb(exactly(s, n))
    return found


def closed(s: socket.socket) -> bool:
    try:
        while s.recv(65536):
            pass
    except ConnectionResetError:
        return True
    return True


@pytest.fixture
def full(case: Case) -> Case:
    case.write(CLAUDE, *[cc("user", f"u{n}", f"u{n - 1}" if n else None, f"wireterm {n}", n) for n in range(30)])
    case.read()
    return case


def test_requests_in_one_packet_are_all_answered_by_id(full: Case) -> None:
    with wire(full) as s:
        s.sendall(
            b"".join(
                frame({"v": 1, "id": n, "method": "search", "params": {"query": f"wireterm {n % 30}"}}) for n in range(100)
            )
        )
        got = {r["id"]: r for r in (reply(s) for _ in range(100))}
    assert set(got) == set(range(100)) and all(r["ok"] is True for r in got.values())
    assert all(r["result"]["total"] == 1 for r in got.values())


def test_a_frame_in_single_bytes(full: Case) -> None:
    with wire(full) as s:
        for byte in frame({"v": 1, "id": 5, "method": "ping", "params": {}}):
            s.sendall(bytes([byte]))
        assert reply(s)["id"] == 5


def test_unknown_fields_are_ignored_and_unknown_methods_are_not(full: Case) -> None:
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 1, "method": "ping", "params": {"odd": 1}, "more": [1]}))
        assert reply(s)["ok"] is True
        s.sendall(frame({"v": 1, "id": 2, "method": "nothing", "params": {}}))
        answer = reply(s)
        assert answer["ok"] is False and answer["error"]["code"] == "unknown_method" and answer["error"]["message"]
        s.sendall(frame({"v": 99, "id": 3, "method": "ping"}))
        assert reply(s)["error"]["code"] == "unsupported_version"
        s.sendall(frame({"v": 1, "id": 4, "method": "ping"}))
        assert reply(s)["ok"] is True


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("search", {}),
        ("search", {"query": 7}),
        ("search", {"query": "x", "limit": 0}),
        ("search", {"query": "x", "limit": -1}),
        ("search", {"query": "x", "limit": 10**9}),
        ("search", {"query": "x", "limit": "many"}),
        ("search", {"query": "x", "offset": -1}),
        ("search", {"query": "x", "agent": "nobody"}),
        ("search", {"query": "x", "role": "king"}),
        ("search", {"query": "x", "kind": 3}),
        ("search", {"query": "x", "sort": "upwards"}),
        ("search", {"query": "x", "since": "sometime"}),
        ("show", {}),
        ("show", {"session": ["x"]}),
        ("sessions", {"limit": True}),
    ],
)
def test_params_that_are_wrong_name_the_field(full: Case, method: str, params: dict[str, Any]) -> None:
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 1, "method": method, "params": params}))
        error = reply(s)["error"]
    assert error["code"] == "bad_request"
    names = list(params) or ["query" if method == "search" else "session"]
    assert error["message"].startswith(names[-1])


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        struct.pack(">I", MAX + 1),
        frame([1, 2]),
        frame("text"),
        frame(7),
        struct.pack(">I", 3) + b"\xc1\xc1\xc1",
        struct.pack(">I", 0),
    ],
)
def test_what_is_no_frame_ends_that_connection_only(full: Case, data: bytes) -> None:
    with wire(full) as other, wire(full) as s:
        s.sendall(data)
        assert closed(s)
        other.sendall(frame({"v": 1, "id": 1, "method": "ping"}))
        assert reply(other)["ok"] is True


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"v": 1},
        {"v": 1, "id": "x", "method": "ping"},
        {"v": 1, "id": 1},
        {"v": 1, "id": 1, "method": 3},
        {"v": 1, "id": 1, "method": "ping", "params": []},
        {"v": 1, "id": 1, "method": "ping", "params": "x"},
        {1: 2},
        {b"v": 1},
        {"v": 1, "id": 2**70 % 2**64, "method": "ping"},
    ],
)
def test_a_map_that_is_no_request_is_answered(full: Case, message: Any) -> None:
    with wire(full) as s:
        s.sendall(frame(message))
        answer = reply(s)
        if not answer["ok"]:
            assert answer["error"]["code"] in ("bad_request", "unsupported_version", "protocol")


def test_a_deeply_nested_frame(full: Case) -> None:
    with wire(full) as s:
        data = b"\x81\xa1x" + b"\x91" * 200_000 + b"\x01"
        s.sendall(struct.pack(">I", len(data)) + data)
        closed(s)
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 1, "method": "ping"}))
        assert reply(s)["ok"]


def test_a_half_closed_client_still_gets_its_answer(full: Case) -> None:
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 1, "method": "search", "params": {"query": "wireterm"}}))
        s.shutdown(socket.SHUT_WR)
        assert reply(s)["result"]["total"] == 1


def test_clients_that_leave_in_the_middle(full: Case) -> None:
    for n in range(50):
        with wire(full) as s:
            data = frame({"v": 1, "id": n, "method": "show", "params": {"session": S}})
            s.sendall(data[: n % len(data)] if n % 2 else data)
    assert full.found("wireterm") == [S]


def test_many_clients_at_once(full: Case) -> None:
    failures: list[str] = []

    def ask(number: int) -> None:
        try:
            with wire(full) as s:
                for n in range(20):
                    s.sendall(frame({"v": 1, "id": n, "method": "search", "params": {"query": f"wireterm {number % 30}"}}))
                    if reply(s)["result"]["total"] != 1:
                        failures.append(f"{number}.{n}")
        except (OSError, EOFError, KeyError) as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_answer_over_the_frame_limit_is_a_page(case: Case) -> None:
    text = "pageterm " + "é" * 120_000
    case.write(CLAUDE, *[cc("user", f"u{n}", f"u{n - 1}" if n else None, f"{n} {text}", n) for n in range(120)])
    case.read()
    got: list[str] = []
    offset: int | None = 0
    pages = 0
    while offset is not None:
        page = case.ask("show", session=S, limit=1000, offset=offset)
        assert page["total"] == 120
        got += [r["id"] for r in page["records"]]
        offset = page["next_offset"]
        pages += 1
    assert got == [f"u{n}" for n in range(120)] and pages > 1
    printed = case.json("show", S, "--limit", "1000")
    assert printed["records"] and printed["total"] == 120


def test_a_streamed_sync_ends_with_a_reply(full: Case) -> None:
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 9, "method": "sync", "params": {"progress": True}}))
        while "item" in (answer := reply(s)):
            assert answer["id"] == 9
        assert answer["id"] == 9 and answer["ok"] is True


def test_a_deadline_that_is_too_short_is_said(full: Case) -> None:
    with wire(full) as s:
        s.sendall(frame({"v": 1, "id": 1, "method": "sync", "deadline_ms": 1}))
        answer = reply(s)
        assert answer["ok"] or answer["error"]["code"] == "deadline"
        for bad in (-1, "x", 0, 10**15):
            s.sendall(frame({"v": 1, "id": 2, "method": "ping", "deadline_ms": bad}))
            answer = reply(s)
            assert answer["ok"] or answer["error"]["code"] in ("bad_request", "deadline")


def test_text_that_is_not_utf8_or_holds_nul_is_searched_all_the_same(full: Case) -> None:
    with wire(full) as s:
        body = b"\x84\xa1v\x01\xa2id\x01\xa6method\xa6search\xa6params\x81\xa5query" + b"\xa6\xff\xfe\x00abc"
        s.sendall(struct.pack(">I", len(body)) + body)
        answer = reply(s)
        assert answer["id"] == 1 and "ok" in answer
