"""`recall forget` and `recall exclude`, killed between any two steps: all or nothing, never half a decision.

A hook of the interpreter in the indexing process counts what it does to files in the data directory from the moment
that it writes down a decision, and kills the process before the n-th.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from machine import Machine
from talks import OTHER, S, T, claude_file, codex_file, put, talk, thread
from test_forget import hits, session_ids, word
from traces import traces

from recall.client import Client
from recall.errors import RecallError

HOOK = '''
import os, signal, sys

if "recalld.ingest" in " ".join(sys.orig_argv):
    data, once, at = os.environ["RECALLD_DATA_DIR"], os.environ["KILL_ONCE"], int(os.environ["KILL_AT"])
    armed = os.environ["KILL_ARMED"]
    seen = {"steps": 0, "begun": False}
    EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"}

    def hook(event, arguments):
        if event not in EVENTS or os.path.exists(once) or not os.path.exists(armed):
            return
        path = os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes)) else ""
        if not path.startswith("/") and event in ("os.remove", "os.rmdir"):
            path = data  # relative to a directory's descriptor
        if event == "open" and not (arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        if event == "open" and path.endswith(".new") and "decisions" in path:
            seen["begun"] = True
        if seen["begun"] and path.startswith(data):
            seen["steps"] += 1
            if seen["steps"] == at:
                os.close(os.open(once, os.O_CREAT))
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
'''


def forgetting(client: Client) -> None:
    client.forget(session=S)


def excluding(client: Client) -> None:
    client.exclude(add="/w/secret")


@pytest.mark.parametrize("act", [forgetting, excluding])
def test_killed_at_every_step_it_is_all_or_nothing(tmp_path: Path, act: Callable[[Client], None]) -> None:
    outcomes: list[str] = []
    for step in itertools.count(1):
        root = tmp_path / str(step)
        root.mkdir()
        machine = Machine(root)
        try:
            outcome = _killed_at(machine, step, act)
        finally:
            machine.sweep()
        outcomes.append(outcome)
        if outcome == "done":
            break
    assert outcomes[:2] == ["nothing", "nothing"], outcomes  # the decision was not written
    assert set(outcomes[2:-1]) == {"gone"}, outcomes  # from its writing on, there is no way back
    assert len(outcomes) > 8, outcomes


def _start(machine: Machine, step: int, secret: str, kept: str) -> Path:
    put(claude_file(machine.claude, S), *talk(S, f"one {secret}", f"two {secret}", cwd="/w/secret"))
    put(codex_file(machine.codex, T), *thread(T, f"kept {kept}"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"kept {kept}"))
    once = machine.root / "killed"
    hook = machine.root / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    armed = machine.root / "armed"
    machine.env |= {"PYTHONPATH": str(hook), "KILL_ONCE": str(once), "KILL_AT": str(step), "KILL_ARMED": str(armed)}
    machine.start()
    machine.sync()
    return once


def _fails(machine: Machine, act: Callable[[Client], None]) -> bool:
    (machine.root / "armed").touch()
    with machine.client() as client:
        try:
            act(client)
        except RecallError:
            return True
    return False


def _killed_at(machine: Machine, step: int, act: Callable[[Client], None]) -> str:
    secret, kept = word(), word()
    once = _start(machine, step, secret, kept)
    claude_file(machine.claude, OTHER).unlink()  # what only the index still holds must not be lost on the way
    machine.sync()
    failed = _fails(machine, act)
    assert failed == once.exists()
    machine.kill()
    decided = any((machine.places.data / "decisions").glob("*.decision"))
    machine.start()
    with machine.client() as client:  # the very first answer, before anything else has happened
        first = [hit["session"]["id"] for hit in client.search(secret)["hits"]]
    assert first == ([] if decided else [S])
    machine.sync()
    assert set(hits(machine, kept)) == {OTHER, T}
    assert session_ids(machine) == ({OTHER, T} if decided else {OTHER, S, T})
    assert (traces(machine.places.data, secret) == []) == decided
    assert machine.stop() == 0
    return "done" if not failed else "gone" if decided else "nothing"


@pytest.mark.parametrize("kind", ["forget", "exclude"])
def test_taking_it_back_killed_at_every_step_reads_everything_again(tmp_path: Path, kind: str) -> None:
    for step in itertools.count(1):
        root = tmp_path / str(step)
        root.mkdir()
        machine = Machine(root)
        try:
            failed = _taken_back_at(machine, step, kind)
        finally:
            machine.sweep()
        if not failed:
            break
    assert step > 3


def _taken_back_at(machine: Machine, step: int, kind: str) -> bool:
    secret = word()
    once = _start(machine, step, secret, word())
    with machine.client() as client:
        (forgetting if kind == "forget" else excluding)(client)

    def take_back(client: Client) -> None:
        if kind == "forget":
            client.forget(session=S, undo=True)
        else:
            client.exclude(remove="/w/secret")
        client.sync()

    _fails(machine, take_back)
    failed = once.exists()
    machine.kill()
    machine.start()
    machine.sync()
    with machine.client() as client:
        left: list[object] = client.forget(list=True)["forgotten"] or client.exclude()["patterns"]
    if left:  # it was killed before it was taken back
        assert (failed, step < 3, hits(machine, secret)) == (True, True, [])
    else:
        assert machine.texts(S) == [f"one {secret}", f"two {secret}"]
    return failed


def test_killed_with_the_daemon_and_the_index_lost_it_stays_forgotten(machine: Machine) -> None:
    mine = word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}"))
    machine.start()
    machine.sync()
    with machine.client() as client:
        client.forget(session=S)
    process = machine.indexer()
    assert process is not None
    process.kill()
    psutil.wait_procs([process])
    machine.kill()
    (machine.places.data / "index" / "current").unlink()
    machine.start()
    machine.sync()
    assert hits(machine, mine) == []
    assert traces(machine.places.data, mine) == []
