"""Secrets in names and faults reach neither log nor doctor; kinds are switched off by project; doctor counts by kind."""

from __future__ import annotations

import json
import secrets
import signal
import string
import sys
from pathlib import Path
from typing import Any

import pytest
from machine import Machine
from talks import OTHER, T_FORK, S, T, claude_file, codex_file, put, talk, thread

PROMPT = "deploy with"


def drawn() -> str:
    return "ghp_" + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(36))


def findings(machine: Machine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(machine.recall("doctor", "--json", ok=(0, 1)).stdout)["findings"]
    return found


def doctor(machine: Machine) -> str:
    """Return all that doctor says, for programs and for people."""
    return machine.recall("doctor", "--json", ok=(0, 1)).stdout + machine.recall("doctor", ok=(0, 1)).stdout


def log(machine: Machine) -> str:
    return (machine.root / "log").read_text()


def reload(machine: Machine, event: str) -> None:
    """Have the daemon read its configuration again; return when it and the indexer have."""
    assert machine.process is not None
    machine.process.send_signal(signal.SIGHUP)
    with machine.client() as client:
        for _ in range(10_000):  # each asks and is answered, so this waits on the daemon and not on a clock
            if event in log(machine):
                break
            client.ping()
    assert event in log(machine)
    machine.sync()  # behind the reload in the indexer's queue


def test_a_secret_in_a_file_name_or_a_fault_reaches_neither_log_nor_doctor(machine: Machine) -> None:
    token = drawn()
    within = claude_file(machine.claude, S, f"-w-{token}")
    put(within, b"not json\n", {"type": f"odd-{token}", "sessionId": S}, *talk(S, "hello"))
    (within.parent / f"{OTHER}.jsonl").symlink_to(machine.root / "nowhere" / token)
    damaged = machine.codex / "sessions" / token / codex_file(machine.codex, OTHER).with_suffix(".jsonl.zst").name
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 64)
    machine.start()
    machine.sync()
    told = doctor(machine)
    assert token not in told
    assert "[redacted:github-token]" in told
    assert "unreadable" in {f["check"] for f in findings(machine)}
    assert "skipped_line" in told
    assert machine.stop() == 0
    assert "read_failed" in log(machine)
    assert token not in log(machine)


def test_a_secret_in_the_configuration_reaches_neither_log_nor_doctor(machine: Machine) -> None:
    token = drawn()
    machine.places.config.write_text(f"{token} = 1\n")
    machine.start()
    machine.sync()
    told = doctor(machine)
    assert "unknown key [redacted:github-token]" in told
    machine.places.config.write_text(f'[exclude]\npatterns = ["{token}/x"]\n')
    reload(machine, "config_refused")
    told += doctor(machine)
    assert "not in use since it cannot be read" in told
    assert token not in told
    assert machine.stop() == 0
    assert "config_refused" in log(machine)
    assert token not in log(machine)


def test_kinds_are_left_in_one_project_alone_and_what_is_read_after_a_reload_goes_by_the_new_switches(
    machine: Machine,
) -> None:
    token = drawn()
    machine.places.config.write_text('[redact.projects."/w/app"]\ndisabled = ["github-token"]\n')
    put(claude_file(machine.claude, S), *talk(S, f"{PROMPT} {token} here", cwd="/w/app/lib"))
    put(claude_file(machine.claude, OTHER, "-w-other"), *talk(OTHER, f"{PROMPT} {token} here", cwd="/w/other"))
    machine.start()
    machine.sync()
    assert machine.texts(S) == [f"{PROMPT} {token} here"]
    assert machine.texts(OTHER) == [f"{PROMPT} [redacted:github-token] here"]
    machine.places.config.write_text("")
    reload(machine, "config_loaded")
    put(claude_file(machine.claude, S), *talk(S, f"and {token} there", start=1, cwd="/w/app/lib"))
    machine.sync()
    assert machine.texts(S)[1] == "and [redacted:github-token] there"


def test_a_fork_that_goes_on_in_another_project_is_known_whatever_is_switched_off_there(machine: Machine) -> None:
    token = drawn()
    machine.places.config.write_text('[redact.projects."/w/app"]\ndisabled = ["github-token"]\n')
    texts = (f"{PROMPT} {token}", "done")
    put(codex_file(machine.codex, T), *thread(T, *texts, cwd="/w/app"))
    put(codex_file(machine.codex, T_FORK), *thread(T_FORK, *texts, "more", cwd="/w/other", forked_from_id=T))
    machine.start()
    machine.sync()
    with machine.client() as client:
        assert {s["id"]: s["records"] for s in client.sessions()["sessions"]} == {T: 2, T_FORK: 1}
        assert [hit["session"]["id"] for hit in client.search(PROMPT)["hits"]] == [T]


def test_doctor_counts_what_was_taken_out_by_kind_since_the_indexing_process_started(machine: Machine) -> None:
    put(claude_file(machine.claude, S), *talk(S, f"one {drawn()} two {drawn()}", "password=Tulip-77-x"))
    machine.start()
    machine.sync()
    notes = json.loads(machine.recall("doctor", "--json", ok=(0, 1)).stdout)["notes"]
    assert notes["redacted"] == {"github-token": 2, "password": 1}
    said = " ".join(machine.recall("doctor", ok=(0, 1)).stdout.split())
    assert "3 secrets taken out since the indexing process started: github-token (2), password (1)" in said
    assert machine.stop() == 0
    machine.start()
    machine.sync()
    assert json.loads(machine.recall("doctor", "--json", ok=(0, 1)).stdout)["notes"]["redacted"] == {}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_process_that_answers_does_not_load_the_redactor(machine: Machine) -> None:
    put(claude_file(machine.claude, S), *talk(S, f"one {drawn()}", "two"))
    machine.start()
    machine.sync()
    for arguments in (["two"], ["sessions"], ["show", S], ["status"]):
        machine.recall(*arguments)
    machine.recall("doctor", ok=(0, 1))
    assert machine.process is not None
    assert "ahocorasick" not in Path(f"/proc/{machine.process.pid}/maps").read_text()
    indexer = machine.indexer()
    assert indexer is not None
    assert "ahocorasick" in Path(f"/proc/{indexer.pid}/maps").read_text()
