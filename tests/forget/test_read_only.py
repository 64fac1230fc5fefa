"""The service needs no more of the agents' directories than to read them: where it lives, they are mounted read-only.

That is a namespace of mounts of its own; agents go on writing outside. Whatever opened one of their files for writing,
made, moved or removed one would be refused by the kernel, and the work would not be done.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from machine import RECALLD, Machine
from talks import FORK, OTHER, Q, S, T, claude_file, codex_file, forked, put, qwen_talk, talk, thread
from test_forget import forget, hits, lose_the_index, outdate, session_ids, word
from test_private import asks_over_mcp, state
from traces import traces

WRITABLE = 77
"""Status of the script below where a directory can still be written to."""


def read_only(directories: tuple[Path, ...], command: list[str]) -> list[str]:
    """Return the command line that runs `command` where `directories` are mounted read-only.

    Skip the test where that is impossible: it takes root or a user namespace, and `unshare`.
    """
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare is not installed: no namespace of mounts")
    script = "set -e\n"
    for directory in directories:
        name = shlex.quote(str(directory))
        script += f"mount --bind {name} {name}\nmount -o remount,bind,ro {name}\n"
        script += f"if touch {name}/probe 2>/dev/null; then exit {WRITABLE}; fi\n"
    script += f"exec {shlex.join(command)}\n"
    options = ["--mount"] if os.getuid() == 0 else ["--user", "--map-root-user", "--mount"]
    probe = subprocess.run(
        [unshare, *options, "sh", "-c", script.replace(f"exec {shlex.join(command)}", "exit 0")],
        capture_output=True,
        check=False,
    )
    if probe.returncode != 0:
        pytest.skip(f"no mounts can be made here (status {probe.returncode}): {probe.stderr.decode()[:200]}")
    return [unshare, *options, "sh", "-c", script]


@pytest.fixture
def confined(machine: Machine) -> Machine:
    """A machine whose daemon, with all its children, can only read what agents write."""
    machine.command = read_only((machine.claude, machine.codex, machine.qwen), [str(RECALLD)])
    return machine


def found_by_itself(machine: Machine, query: str) -> list[str]:
    """Return what is found once the watcher has told of it: nothing asks for a look."""
    end = time.monotonic() + 60
    while not (found := hits(machine, query)):
        assert time.monotonic() < end, machine.log()
        time.sleep(0.02)  # a commit tells nobody outside the service
    return found


def test_watching_indexing_forgetting_excluding_and_rebuilding_only_read(confined: Machine) -> None:
    machine = confined
    said = talk(S, "one alphaterm", "two")
    put(claude_file(machine.claude, S), *said)
    put(claude_file(machine.claude, FORK), *forked(said, FORK), *talk(FORK, "three betaterm", start=2))
    put(machine.claude / "history.jsonl", {"display": "typed", "sessionId": OTHER, "timestamp": 1, "project": "/w/app"})
    put(codex_file(machine.codex, T), *thread(T, "one gammaterm", "two"))
    put(machine.qwen / "projects" / "-w-web" / "chats" / f"{Q}.jsonl", *qwen_talk(Q, "one deltaterm"))
    machine.start()
    machine.sync()
    assert {hits(machine, w)[0] for w in ("alphaterm", "betaterm", "gammaterm", "deltaterm")} == {S, FORK, T, Q}

    # appended to, and new, outside of the namespace
    put(claude_file(machine.claude, S), *talk(S, "later epsilonterm", start=2))
    assert found_by_itself(machine, "epsilonterm") == [S]
    put(codex_file(machine.codex, T.replace("1", "2")), *thread(T.replace("1", "2"), "new zetaterm"))
    assert found_by_itself(machine, "zetaterm")
    codex_file(machine.codex, T).rename(codex_file(machine.codex, T).with_suffix(".jsonl.old"))
    machine.sync()
    assert hits(machine, "gammaterm") == [T]
    before = [state(root) for root in (machine.claude, machine.codex, machine.qwen)]

    forget(machine, session=S)
    assert hits(machine, "epsilonterm") == []
    assert traces(machine.places.data, "epsilonterm") == []
    forget(machine, session=S, undo=True)
    machine.sync()
    assert hits(machine, "epsilonterm") == [S]
    with machine.client() as client:
        client.exclude(add="/w/web")
        assert hits(machine, "deltaterm") == []
        client.exclude(remove="/w/web")
        client.sync()
    assert hits(machine, "deltaterm") == [Q]
    asks_over_mcp(machine)
    outdate(machine)
    known = session_ids(machine)
    lose_the_index(machine)
    assert session_ids(machine) == known - {T}  # whose file nothing reads any more
    assert hits(machine, "betaterm") == [FORK]
    machine.recall("doctor", ok=(0, 1))
    assert machine.stop() == 0
    assert [state(root) for root in (machine.claude, machine.codex, machine.qwen)] == before


def test_a_file_system_that_is_read_only_as_a_whole_is_read(confined: Machine) -> None:
    """Nothing is ever appended: what there is, is found, and waiting for more costs no error."""
    mine = word()
    put(claude_file(confined.claude, S), *talk(S, f"only {mine}"))
    confined.start()
    confined.sync()
    assert hits(confined, mine) == [S]
    assert " error " not in confined.log()
    assert confined.stop() == 0
