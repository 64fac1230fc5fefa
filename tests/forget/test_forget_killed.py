"""`recall forget`, killed between any two of its steps: all or nothing, and never half a decision.

A hook of the interpreter in the indexing process counts what it does to files in the data directory from the moment that
it writes down the decision, and kills the process before the n-th.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import psutil
from machine import Machine
from recall.errors import RecallError
from talks import OTHER, S, T, claude_file, codex_file, put, talk, thread
from test_forget import hits, session_ids, word
from traces import traces

HOOK = '''
import os, signal, sys

if "recalld.ingest" in " ".join(sys.orig_argv):
    data, once, at = os.environ["RECALLD_DATA_DIR"], os.environ["KILL_ONCE"], int(os.environ["KILL_AT"])
    seen = {"steps": 0, "begun": False}
    EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"}

    def hook(event, arguments):
        if event not in EVENTS or os.path.exists(once):
            return
        path = os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes)) else ""
        if not path and event in ("os.remove", "os.rmdir"):
            path = data
        if event == "open" and not (arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        if event == "open" and path.endswith(".new") and "decisions" in path:
            seen["begun"] = True
        if seen["begun"] and (path.startswith(data) or event in ("os.remove", "os.rmdir")):
            seen["steps"] += 1
            if seen["steps"] == at:
                os.close(os.open(once, os.O_CREAT))
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
'''


def test_killed_at_every_step_it_is_all_or_nothing(tmp_path: Path) -> None:
    outcomes: list[str] = []
    for step in itertools.count(1):
        root = tmp_path / str(step)
        root.mkdir()
        machine = Machine(root)
        try:
            outcome = _killed_at(machine, step)
        finally:
            machine.sweep()
        outcomes.append(outcome)
        if outcome == "done":
            break
    assert outcomes[0] == "nothing", outcomes  # the decision was not written
    assert set(outcomes[2:-1]) == {"gone"}, outcomes  # from its writing on, there is no way back
    assert len(outcomes) > 8, outcomes


def _killed_at(machine: Machine, step: int) -> str:
    mine, kept = word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}", f"two {mine}"))
    put(codex_file(machine.codex, T), *thread(T, f"kept {kept}"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"kept {kept}"))
    once = machine.root / "killed"
    hook = machine.root / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    machine.env |= {"PYTHONPATH": str(hook), "KILL_ONCE": str(once), "KILL_AT": str(step)}
    machine.start()
    machine.sync()
    claude_file(machine.claude, OTHER).unlink()  # what only the index still holds must not be lost on the way
    machine.sync()
    failed = False
    with machine.client() as client:
        try:
            client.forget(session=S)
        except RecallError:
            failed = True
    assert failed == once.exists()
    machine.kill()
    decided = any((machine.places.data / "decisions").glob("forget-*.decision"))
    machine.start()
    with machine.client() as client:  # the very first answer, before anything else has happened
        first = [hit["session"]["id"] for hit in client.search(mine)["hits"]]
    assert first == ([] if decided else [S])
    machine.sync()
    assert set(hits(machine, kept)) == {OTHER, T}
    assert session_ids(machine) == ({OTHER, T} if decided else {OTHER, S, T})
    assert (traces(machine.places.data, mine) == []) == decided
    assert machine.stop() == 0
    return "done" if not failed else "gone" if decided else "nothing"


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
