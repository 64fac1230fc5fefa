"""The launcher: an answer where there is one; whatever goes wrong, exit status 0, no output, and soon."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.hooks_history import ASKED, PROJECT, context
from hooks.hooks_machine import Machine
from made.problems import POOL
from recall import wire
from recall.hooks import launch
from recall.hooks.write import launcher_text, refresh_launcher, write_launcher
from recall.lock import read_lock

HOOK = ("hook", "claude-code", "UserPromptSubmit")


def payload(session: str = "asks", **more: Any) -> dict[str, Any]:
    return {"session_id": session, "cwd": PROJECT, "prompt": ASKED} | more


# -- with a daemon -----------------------------------------------------------------------------------------------------


def test_a_hook_prints_what_an_earlier_session_solved_and_nothing_else(machine: Machine) -> None:
    solved = machine.session(*POOL)
    machine.start()
    for agent in ("claude-code", "codex", "qwen-code"):
        said = machine.hook(agent, "UserPromptSubmit", payload(submitted_prompt=ASKED))
        assert solved.session in context(said, "UserPromptSubmit")
        assert machine.hook(agent, "UserPromptSubmit", payload(submitted_prompt=ASKED)) == ""
    by_hand = machine.recall("hook", "codex", "UserPromptSubmit", stdin=json.dumps(payload("other")).encode())
    assert (by_hand.returncode, by_hand.stderr) == (0, b"")
    assert solved.session in context(by_hand.stdout.decode(), "UserPromptSubmit")


def test_an_answer_comes_while_stdin_is_still_open(machine: Machine) -> None:
    machine.session(*POOL)
    machine.start()
    process = machine.launch(*HOOK)
    assert process.stdin is not None
    assert process.stdout is not None
    data = json.dumps(payload(note='a brace } and a quote " and a backslash \\')).encode()
    for n in range(0, len(data), 40):
        process.stdin.write(data[n : n + 40])
        process.stdin.flush()
    assert context(process.stdout.read().decode(), "UserPromptSubmit")
    assert process.wait(60) == 0
    process.stdin.close()


@pytest.mark.parametrize("half", [b"", b"{", b'{"prompt": "}', b'{"a": {}', b"null"])
def test_a_value_that_never_ends_is_given_up(machine: Machine, half: bytes) -> None:
    machine.start()
    process = machine.launch(*HOOK)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(half)
    process.stdin.flush()
    assert process.stdout.read() == b""
    assert process.wait(60) == 0
    process.stdin.close()


@pytest.mark.parametrize("given", [b"", b"\n", b"[1]", b"nonsense", b"{}{}", b"\xff\xfe", b'{"prompt": 7, "cwd": []}'])
def test_what_is_no_hook_s_input_is_met_with_silence(machine: Machine, given: bytes) -> None:
    machine.start()
    assert machine.run(*HOOK, stdin=given) == ""


_SENT = json.dumps(payload()).encode()


@pytest.mark.parametrize(
    "given",
    [
        json.dumps(payload(prompt=f"{ASKED} \ud83d")).encode(),
        b"\xef\xbb\xbf" + _SENT,
        _SENT.replace(b'"}', b' \xe9"}'),
        json.dumps(payload(number=float("nan"))).encode(),
    ],
    ids=["half a surrogate pair", "byte order mark", "not UTF-8", "NaN"],
)
def test_what_a_transcript_may_hold_a_hook_may_be_handed(machine: Machine, given: bytes) -> None:
    machine.session(*POOL)
    machine.start()
    assert context(machine.run(*HOOK, stdin=given), "UserPromptSubmit")


def test_more_than_four_mebibytes_are_met_with_silence(machine: Machine) -> None:
    machine.session(*POOL)
    machine.start()
    assert machine.run(*HOOK, stdin=payload(padding="x" * 5 * 1024 * 1024)) == ""
    assert machine.run(*HOOK, stdin=payload(padding="x" * 3 * 1024 * 1024)) != ""


@pytest.mark.parametrize("words", [["hook"], ["hook", "codex"], ["hook", "no-agent", "Stop"], ["statusline"]])
def test_wrong_arguments_block_nobody(machine: Machine, words: list[str]) -> None:
    machine.start()
    assert machine.run(*words, stdin=payload()) == ""
    assert machine.recall(*words, stdin=b"{}").returncode == 0


@pytest.mark.parametrize(
    "words", [["codex", "Stop", "--bogus"], ["--json", "codex", "Stop"], ["-hx"], ["a", "b", "c"], [], ["codex"]]
)
def test_the_command_has_no_usage_error_which_would_block_a_prompt(machine: Machine, words: list[str]) -> None:
    machine.session(*POOL)
    machine.start()
    done = machine.recall("hook", *words, stdin=json.dumps(payload()).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_reader_that_is_gone_is_no_error(machine: Machine) -> None:
    machine.session(*POOL)
    machine.start()
    reading, writing = os.pipe()
    os.close(reading)
    process = machine.launch(*HOOK, stdout=writing)
    os.close(writing)
    _, err = process.communicate(json.dumps(payload()).encode(), timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk that can be written to is Linux's")
def test_a_full_disk_behind_stdout_is_no_error(machine: Machine) -> None:
    machine.session(*POOL)
    machine.start()
    with Path("/dev/full").open("wb") as full:
        process = machine.launch(*HOOK, stdout=full)
    _, err = process.communicate(json.dumps(payload()).encode(), timeout=60)
    assert (process.returncode, err) == (0, b"")


# -- without one -------------------------------------------------------------------------------------------------------


def test_without_a_daemon_it_is_silent_and_one_is_started_in_the_background(machine: Machine) -> None:
    machine.session(*POOL)
    assert machine.run(*HOOK, stdin=payload()) == ""
    with machine.client() as client:
        client.sync()
    assert read_lock(machine.places) is not None
    assert machine.run(*HOOK, stdin=payload()) != ""


def test_a_start_is_asked_for_once_a_minute(machine: Machine) -> None:
    stamp = machine.places.data / "start-asked"
    stamp.touch()
    before = stamp.stat().st_mtime_ns
    assert machine.run(*HOOK, stdin=payload()) == ""
    assert stamp.stat().st_mtime_ns == before
    assert read_lock(machine.places) is None
    os.utime(stamp, (1, 1))
    assert machine.run(*HOOK, stdin=payload()) == ""
    assert stamp.stat().st_mtime_ns != before
    machine.client().close()


def test_a_status_line_tells_that_no_daemon_runs_and_starts_none(machine: Machine) -> None:
    told = "recall: not running (recall start)\n"
    assert machine.run("statusline", "claude-code", stdin={"cwd": PROJECT}) == told
    assert machine.recall("statusline", "qwen-code", stdin=b"{}").stdout.decode() == told
    assert not (machine.places.data / "start-asked").exists()


def test_where_nothing_can_be_written_it_is_silent_and_starts_nothing(machine: Machine) -> None:
    stamp = machine.places.data / "start-asked"
    stamp.mkdir()  # opening it for writing fails, as on a full disk
    os.utime(stamp, (1, 1))
    assert machine.run(*HOOK, stdin=payload()) == ""
    assert read_lock(machine.places) is None


def test_a_daemon_that_was_killed_is_none(machine: Machine) -> None:
    machine.start()
    assert machine.process is not None
    machine.process.kill()
    machine.process.wait(20)
    machine.process = None
    (machine.places.data / "start-asked").touch()
    assert machine.run(*HOOK, stdin=payload()) == ""


# -- with one that misbehaves ------------------------------------------------------------------------------------------

Answer = Callable[[socket.socket], None]


@contextmanager
def posing(machine: Machine, answer: Answer) -> Iterator[None]:
    """Listen in the place of a daemon, with its lock; `answer` gets each connection once its request is in."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(machine.places.socket))
    listener.listen()
    machine.places.lock.write_text(json.dumps({"pid": os.getpid(), "version": "9", "socket": str(machine.places.socket)}))
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            connection, _ = listener.accept()
            with connection:
                if connection.recv(65536):
                    answer(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        over.set()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(machine.places.socket))
        thread.join(20)
        listener.close()
        machine.places.lock.unlink()


BAD = {
    "nothing": b"",
    "garbage": b"\x00\x00\x00\x04\xff\xff\xff\xff",
    "half a frame": b"\x00\x00\x01\x00\x83",
    "a length of four gigabytes": b"\xff\xff\xff\xff" + b"x" * 1000,
    "an error": wire.pack({"id": 1, "ok": False, "error": {"code": "internal", "message": "\u00e9output"}}),
    "a number": wire.pack({"id": 1, "ok": True, "result": {"output": 7}}),
    "another result": wire.pack({"id": 1, "ok": True, "result": {"hits": []}}),
    "text": b"HTTP/1.1 200 OK\r\n\r\n",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_silence(machine: Machine, name: str) -> None:
    with posing(machine, lambda connection: connection.sendall(BAD[name])):
        assert machine.run(*HOOK, stdin=payload()) == ""


def test_a_daemon_that_never_answers_is_not_waited_for(machine: Machine) -> None:
    over = threading.Event()
    with posing(machine, lambda connection: over.wait(60) and None):
        assert machine.run(*HOOK, stdin=payload()) == ""
        over.set()


def test_a_socket_that_nobody_listens_on_is_silence(machine: Machine) -> None:
    machine.places.lock.write_text(json.dumps({"pid": os.getpid(), "version": "9", "socket": str(machine.places.socket)}))
    assert machine.run(*HOOK, stdin=payload()) == ""
    machine.places.lock.write_text("{")
    (machine.places.data / "start-asked").touch()
    assert machine.run(*HOOK, stdin=payload()) == ""


# -- the file ----------------------------------------------------------------------------------------------------------


def test_its_path_stays_and_what_it_holds_follows_the_installation(machine: Machine) -> None:
    before = machine.launcher.stat().st_ino
    assert write_launcher(machine.places, machine.env) == machine.launcher
    assert machine.launcher.stat().st_ino == before  # nothing has changed: the file is left alone
    machine.launcher.write_text("#!/no/such/interpreter\n")
    machine.start()
    assert machine.run("statusline", "codex", stdin={}) != ""
    assert machine.launcher.stat().st_mode & 0o777 == 0o700


def test_no_launcher_is_made_where_nobody_asked_for_one(machine: Machine) -> None:
    machine.launcher.unlink()
    refresh_launcher(machine.places, machine.env)
    assert not machine.launcher.exists()


@pytest.mark.parametrize("name", ["py thon", "x" * 150, "it's here", "py'''thon here"])
def test_an_interpreter_at_any_path_is_found(machine: Machine, tmp_path: Path, name: str) -> None:
    directory = tmp_path / name
    directory.mkdir()
    interpreter = directory / "python"
    interpreter.symlink_to(Path(getattr(sys, "_base_executable", sys.executable)))
    code = "from recall.places import places; from recall.hooks.write import write_launcher; write_launcher(places())"
    client = str(Path(launch.__file__).parents[2])
    subprocess.run([interpreter, "-S", "-c", code], env=machine.env | {"PYTHONPATH": client}, check=True)
    assert machine.launcher.read_bytes().startswith(b"#!/bin/sh\n")
    machine.session(*POOL)
    machine.launcher.rename(machine.launcher.with_name("kept"))
    machine.start()
    machine.launcher.with_name("kept").rename(machine.launcher)
    assert machine.run(*HOOK, stdin=payload()) != ""


def test_it_imports_only_what_is_built_in(machine: Machine) -> None:
    imported = {
        line.split()[1] for line in launcher_text(machine.places).decode().splitlines() if line.strip().startswith("import ")
    }
    assert {"posix", "sys", "_signal", "_socket"} <= imported
    assert imported - {"relay"} == {"posix", "sys", "_signal", "_socket"}


_OBJECT = st.dictionaries(
    st.text(max_size=6),
    st.recursive(
        st.none() | st.integers() | st.text(st.characters(codec="utf-8") | st.sampled_from('{}"\\'), max_size=12),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(value=_OBJECT, ascii_only=st.booleans(), space=st.sampled_from(["", "\n", " \r\n"]))
def test_a_value_is_whole_when_its_last_byte_is_there_and_not_before(value: Any, ascii_only: bool, space: str) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert launch.is_whole(data + space.encode())
    assert not any(launch.is_whole(data[:n]) for n in range(len(data)))


@given(
    names=st.lists(st.text(st.characters(codec="utf-8"), max_size=40), min_size=1, max_size=2),
    data=st.binary(max_size=300),
)
def test_a_request_is_a_frame_of_the_wire(names: list[str], data: bytes) -> None:
    (message,) = _decoded(launch.frame("hook", names, data))
    expected: dict[str, Any] = dict(zip(("agent", "event"), names, strict=False))
    assert message == {"v": 1, "id": 1, "method": "hook", "params": expected | {"payload": data}}


@given(text=st.text(st.characters(codec="utf-8")) | st.integers(0, 70_000).map(lambda n: "x" * n))
def test_the_output_of_a_reply_is_taken_out_whole(text: str) -> None:
    assert launch.output(wire.pack({"id": 1, "ok": True, "result": {"output": text}})) == text.encode()


@given(data=st.binary(max_size=60))
def test_no_reply_is_an_error(data: bytes) -> None:
    launch.output(data)
    launch.output(b"\x83\xa2id\x01\xa2ok\xc3\xa6result\x81\xa6output" + data)


def _decoded(data: bytes) -> list[dict[str, Any]]:
    decoder = wire.Decoder()
    decoder.feed(data)
    return list(decoder)
