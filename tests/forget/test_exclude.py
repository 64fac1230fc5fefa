"""What `recall exclude` promises, with a real daemon over real files."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from ingest_kit import codex_meta
from machine import Machine
from talks import OTHER, Q, S, T, claude_file, codex_file, put, qwen_talk, talk, thread
from test_forget import lose_the_index, restart, session_ids, word
from traces import traces

from recall.errors import RequestError


def exclude(machine: Machine, **params: Any) -> dict[str, Any]:
    with machine.client() as client:
        return client.exclude(**params)


def write_everything(machine: Machine, secret: str, kept: str) -> None:
    """Sessions of two agents in /w/app, with all that is told of them elsewhere, and others beside them."""
    app = machine.claude / "projects" / "-w-app"
    # what is told before anything says where: a title, a summary of a leaf, a sub-agent's task
    put(app / f"{S}.jsonl", {"type": "custom-title", "customTitle": f"title {secret}", "sessionId": S})
    put(app / f"{S}.jsonl", {"type": "summary", "summary": f"sum {secret}", "leafUuid": f"{S[-4:]}-u1"})
    put(app / f"{S}.jsonl", *talk(S, f"one {secret}", f"two {secret}"))
    folder = app / S / "subagents"
    put(folder / "agent-a1.jsonl", *[x | {"isSidechain": True, "uuid": "a1"} for x in talk(S, f"task {secret}")])
    (folder / "agent-a1.meta.json").write_text(json.dumps({"agentType": "x", "description": f"does {secret}"}))
    put(machine.claude / "history.jsonl", {"display": secret, "sessionId": S, "timestamp": 1, "project": "/w/app"})
    put(machine.claude / "history.jsonl", {"display": kept, "sessionId": OTHER, "timestamp": 1, "project": "/w/else"})
    meta = codex_meta(T, cwd="/w/app/api")
    put(codex_file(machine.codex, T), meta, *thread(T, f"one {secret}", f"two {secret}")[1:])
    put(machine.codex / "history.jsonl", {"session_id": T, "ts": 1, "text": f"one {secret}"})
    named = {"id": T, "thread_name": f"named {secret}", "updated_at": "2026-11-01T00:00:00Z"}
    put(machine.codex / "session_index.jsonl", named)
    put(machine.qwen / "projects" / "-w-web" / "chats" / f"{Q}.jsonl", *qwen_talk(Q, f"web {kept}"))
    put(claude_file(machine.claude, OTHER, "-w-else"), *talk(OTHER, f"else {kept}", cwd="/w/else"))


@pytest.mark.parametrize("pattern", ["/w/app", "app", "/w/a*", "**/app", "/W/APP"])
def test_an_excluded_project_never_reaches_the_index(machine: Machine, pattern: str) -> None:
    secret, kept = word(), word()
    machine.start()
    exclude(machine, add=pattern)
    machine.stop()
    write_everything(machine, secret, kept)
    machine.start()
    machine.sync()
    assert session_ids(machine) == {OTHER, Q}
    assert traces(machine.places.data, secret) == []
    assert secret not in machine.log()
    put(claude_file(machine.claude, S), *talk(S, f"three {secret}", start=2))
    put(machine.codex / "history.jsonl", {"session_id": T, "ts": 2, "text": f"more {secret}"})
    restart(machine)
    put(machine.codex / "history.jsonl", {"session_id": T, "ts": 3, "text": f"still more {secret}"})
    machine.sync()
    lose_the_index(machine)
    assert session_ids(machine) == {OTHER, Q}
    assert traces(machine.places.data, secret) == []


def test_what_is_already_in_goes_and_comes_back_when_the_exclusion_goes(machine: Machine) -> None:
    secret, kept = word(), word()
    write_everything(machine, secret, kept)
    machine.start()
    machine.sync()
    before = session_ids(machine)
    assert {S, T} <= before
    plan = exclude(machine, add="/w/app", dry_run=True)
    assert (plan["records"], session_ids(machine)) == (5, before)
    exclude(machine, add="/w/app")
    assert session_ids(machine) == {OTHER, Q}
    assert traces(machine.places.data, secret) == []
    put(claude_file(machine.claude, S), *talk(S, f"three {secret}", start=2))
    restart(machine)
    assert traces(machine.places.data, secret) == []
    assert exclude(machine)["patterns"] == ["/w/app"]
    exclude(machine, remove="/w/app")
    machine.sync()
    assert session_ids(machine) == before
    assert machine.texts(S) == [f"one {secret}", f"two {secret}", f"three {secret}"]
    assert exclude(machine)["patterns"] == []


def test_it_is_said_before_what_no_file_holds_any_more(machine: Machine) -> None:
    gone = put(claude_file(machine.claude, S), *talk(S, "one", "two"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, "three"))
    machine.start()
    machine.sync()
    gone.unlink()
    machine.sync()
    plan = json.loads(machine.recall("exclude", "add", "/w/app", "--dry-run", "--json").stdout)
    assert (plan["records"], plan["deleted_files"], plan["unrecoverable"]) == (3, 1, 2)
    assert "2 records exist nowhere else" in machine.recall("exclude", "add", "/w/app", "--dry-run").stdout
    assert "deletes" in machine.recall("exclude", "add", "/w/app", ok=(4,)).stderr
    assert session_ids(machine) == {S, OTHER}
    assert exclude(machine, add="/w/app")["unrecoverable"] == 2
    exclude(machine, remove="/w/app")
    machine.sync()
    assert session_ids(machine) == {OTHER}


@pytest.mark.parametrize("running", [True, False])
def test_what_goes_for_good_because_of_the_configuration_is_told(machine: Machine, running: bool) -> None:
    gone = put(claude_file(machine.claude, S), *talk(S, "one", "two"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, "three", cwd="/w/else"))
    machine.start()
    machine.sync()
    gone.unlink()
    machine.sync()
    machine.places.config.write_text('[exclude]\npatterns = ["/w/app"]\n')
    if running:
        assert machine.process is not None
        machine.process.send_signal(signal.SIGHUP)
        machine.sync()
    else:
        restart(machine)
    assert session_ids(machine) == {OTHER}
    assert "warning excluded_for_good records=2" in machine.log()
    with machine.client() as client:
        assert client.doctor()["notes"]["excluded_for_good"] == 2
    assert "2 records of files that are gone went" in machine.recall("doctor", ok=(0, 1)).stdout


def test_an_excluded_path_is_not_looked_at(machine: Machine) -> None:
    secret, kept = word(), word()
    hidden = machine.claude / "projects" / "-w-hidden"
    put(hidden / f"{S}.jsonl", *talk(S, f"one {secret}", cwd="/elsewhere"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, kept))
    machine.start()
    machine.sync()
    exclude(machine, add=str(hidden))
    assert session_ids(machine) == {OTHER}
    assert traces(machine.places.data, secret) == []
    put(hidden / f"{S}.jsonl", *talk(S, f"two {secret}", start=1, cwd="/elsewhere"))
    machine.sync()
    assert traces(machine.places.data, secret) == []
    exclude(machine, remove=str(hidden))
    machine.sync()
    assert machine.texts(S) == [f"one {secret}", f"two {secret}"]


def test_a_session_that_enters_an_excluded_project_keeps_the_rest(machine: Machine) -> None:
    secret, kept = word(), word()
    machine.start()
    exclude(machine, add="/w/secret")
    put(
        claude_file(machine.claude, S),
        *talk(S, f"out {kept}"),
        *talk(S, f"in {secret}", start=1, cwd="/w/secret/deep"),
        *talk(S, f"out again {kept}", start=2),
    )
    machine.sync()
    assert machine.texts(S) == [f"out {kept}", f"out again {kept}"]
    assert traces(machine.places.data, secret) == []


def test_the_configuration_excludes_too(machine: Machine) -> None:
    secret, kept = word(), word()
    write_everything(machine, secret, kept)
    machine.start()
    machine.sync()
    before = session_ids(machine)
    machine.places.config.write_text('[exclude]\npatterns = ["/w/app"]\n')
    restart(machine)
    assert session_ids(machine) == {OTHER, Q}
    assert traces(machine.places.data, secret) == []
    assert exclude(machine) == {"patterns": [], "configured": ["/w/app"]}
    machine.places.config.write_text("")
    assert machine.process is not None
    machine.process.send_signal(signal.SIGHUP)
    machine.sync()
    assert session_ids(machine) == before


def test_a_prompt_of_an_excluded_session_read_before_its_transcript_leaves_no_trace(machine: Machine) -> None:
    """Codex's prompt history does not tell the project; the transcript that does comes later."""
    secret, kept = word(), word()
    machine.start()
    exclude(machine, add="/w/app")
    put(machine.codex / "history.jsonl", {"session_id": T, "ts": 1, "text": f"one {secret}"})
    put(claude_file(machine.claude, OTHER), *talk(OTHER, kept, cwd="/w/else"))
    machine.sync()
    put(codex_file(machine.codex, T), codex_meta(T, cwd="/w/app"), *thread(T, f"one {secret}")[1:])
    machine.sync()
    assert session_ids(machine) == {OTHER}
    assert traces(machine.places.data, secret) == []


@pytest.mark.parametrize("pattern", ["", "/", "*", "**", "/*", "~", "a/b", "x\0y"])
def test_a_pattern_that_means_everything_or_nothing_is_refused(machine: Machine, pattern: str) -> None:
    machine.start()
    with pytest.raises(RequestError) as error:
        exclude(machine, add=pattern)
    assert error.value.code == "bad_request"
    with pytest.raises(RequestError) as error:
        exclude(machine, add="/w/else", remove=pattern)
    assert error.value.code == "bad_request" and exclude(machine)["patterns"] == []
    assert exclude(machine)["patterns"] == []


def test_the_command_line(machine: Machine, tmp_path: Path) -> None:
    put(claude_file(machine.claude, S), *talk(S, "one"))
    machine.start()
    machine.sync()
    machine.recall("exclude", "list", ok=(1,))
    assert "--yes" in machine.recall("exclude", "add", "/w/app", ok=(4,)).stderr
    assert "1 record" in machine.recall("exclude", "add", "/w/app", "--dry-run").stdout
    machine.recall("exclude", "add", "/w/app", "--yes")
    assert machine.recall("exclude", "list").stdout == "/w/app\n"
    assert session_ids(machine) == set()
    machine.recall("exclude", "remove", "/w/app")
    machine.recall("exclude", "remove", "/w/app", ok=(1,))
    machine.sync()
    assert session_ids(machine) == {S}
    machine.recall("exclude", "add", ".", "--yes")
    assert json.loads(machine.recall("exclude", "list", "--json").stdout)["patterns"] == [str(tmp_path.resolve())]
