"""What `recall forget` promises, with a real daemon over real files."""

from __future__ import annotations

import json
import os
import pty
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ingest_kit import codex_meta
from machine import RECALL, RECALLD, Machine
from talks import FORK, OTHER, T_FORK, S, T, claude_file, codex_file, copied, forked, put, talk, thread
from traces import traces

from recall.errors import RequestError


def word() -> str:
    """A word that nothing else holds, and that no compression makes shorter."""
    return "zq" + secrets.token_hex(12)


def hits(machine: Machine, query: str) -> list[str]:
    with machine.client() as client:
        return [hit["session"]["id"] for hit in client.search(query, sub_agents=True)["hits"]]


def session_ids(machine: Machine) -> set[str]:
    with machine.client() as client:
        return {s["id"] for s in client.sessions(sub_agents=True)["sessions"]}


def forget(machine: Machine, **params: Any) -> dict[str, Any]:
    with machine.client() as client:
        return client.forget(**params)


def restart(machine: Machine) -> None:
    machine.stop()
    machine.start()
    machine.sync()


def lose_the_index(machine: Machine) -> None:
    machine.stop()
    shutil.rmtree(machine.places.data / "index")
    machine.start()
    machine.sync()


def outdate(machine: Machine) -> None:
    """Have the next start build the index anew, as another version of the redactor does."""
    current = machine.places.data / "index" / "current"
    machine.stop()
    told = json.loads(current.read_bytes())
    told["made_with"]["redactor"] = 0
    current.write_text(json.dumps(told))
    machine.start()
    machine.sync()


def test_a_forgotten_session_is_gone_from_every_answer_and_from_the_disk(machine: Machine) -> None:
    mine, title, kept = word(), word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"the plan {mine}", f"agreed {mine}"))
    put(claude_file(machine.claude, S), {"type": "custom-title", "customTitle": f"about {title}", "sessionId": S})
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"another matter {kept}", "yes"))
    machine.start()
    machine.sync()
    assert hits(machine, mine) == [S]
    assert hits(machine, title) == [S]
    result = forget(machine, session=S)
    assert (result["sessions"], result["records"], result["files"]) == (1, 2, 1)
    assert hits(machine, mine) == hits(machine, title) == []
    assert session_ids(machine) == {OTHER}
    assert traces(machine.places.data, mine, title) == []
    assert hits(machine, kept) == [OTHER]
    assert traces(machine.places.data, kept) != []  # the test's own eyes are open
    with machine.client() as client, pytest.raises(RequestError, match="no session"):
        client.show(S)


@pytest.mark.parametrize("again", [restart, lose_the_index, outdate])
def test_what_was_forgotten_stays_gone(machine: Machine, again: Any) -> None:
    mine, later, kept = word(), word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}", f"two {mine}"))
    put(codex_file(machine.codex, T), *thread(T, f"one {mine}", f"two {mine}"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, kept))
    machine.start()
    machine.sync()
    forget(machine, session=S)
    forget(machine, session=T)
    again(machine)
    put(claude_file(machine.claude, S), *talk(S, f"three {later}", start=2))
    put(codex_file(machine.codex, T), *thread(T, f"three {later}", start=5)[1:])
    machine.sync()
    assert session_ids(machine) == {OTHER}
    assert traces(machine.places.data, mine, later) == []
    again(machine)
    assert session_ids(machine) == {OTHER}
    assert traces(machine.places.data, mine, later) == []


@pytest.mark.parametrize("original_is_gone", [False, True])
@pytest.mark.parametrize("again", [None, lose_the_index])
def test_forks_and_copies_do_not_bring_it_back(machine: Machine, original_is_gone: bool, again: Any) -> None:
    """Neither those that were there nor those that are read later."""
    mine, after, own = word(), word(), word()
    said = talk(S, f"one {mine}", f"two {mine}")
    put(claude_file(machine.claude, S), *said)
    put(claude_file(machine.claude, FORK), *forked(said, FORK), *talk(FORK, f"own {own}", start=2))
    threads = thread(T, f"one {mine}", f"two {mine}")
    put(codex_file(machine.codex, T), *threads)
    texts = (f"one {mine}", f"two {mine}", f"own {own}")
    put(codex_file(machine.codex, T_FORK), *thread(T_FORK, *texts, forked_from_id=T))
    machine.start()
    machine.sync()
    forget(machine, session=S)
    forget(machine, session=T)
    assert traces(machine.places.data, mine) == []
    assert set(hits(machine, own)) == {FORK, T_FORK}
    if original_is_gone:
        claude_file(machine.claude, S).unlink()
        codex_file(machine.codex, T).unlink()
    if again is not None:
        again(machine)
    late = "11111111-1111-4111-8111-444444444444"
    put(claude_file(machine.claude, late), *copied(said, late), *talk(late, f"later {after}", start=2))
    late_fork = "01a1aaaa-0000-7000-8000-000000000003"
    put(
        codex_file(machine.codex, late_fork),
        *thread(late_fork, f"one {mine}", f"two {mine}", f"later {after}", start=90, forked_from_id=T),
    )
    machine.sync()
    assert traces(machine.places.data, mine) == []
    assert set(hits(machine, after)) == {late, late_fork}
    assert set(hits(machine, own)) == {FORK, T_FORK}


def test_a_fork_of_what_a_forgotten_session_said_later_does_not_bring_it_back(machine: Machine) -> None:
    """In whatever order the two files are read."""
    mine, later = word(), word()
    said = talk(S, f"one {mine}", f"two {mine}")
    put(claude_file(machine.claude, S), *said)
    put(codex_file(machine.codex, T), *thread(T, f"one {mine}"))
    machine.start()
    machine.sync()
    forget(machine, session=S)
    forget(machine, session=T)
    more = talk(S, f"three {later}", f"four {later}", start=2)
    fork = copied([*said, *more], FORK)  # not even marked as a fork
    put(claude_file(machine.claude, FORK), *fork, *talk(FORK, "the fork's own", start=4))
    put(codex_file(machine.codex, T_FORK), *thread(T_FORK, f"one {mine}", f"three {later}", "own", forked_from_id=T))
    machine.sync()
    put(claude_file(machine.claude, S), *more)
    put(codex_file(machine.codex, T), *thread(T, "not written", f"three {later}", start=2)[2:])
    machine.sync()
    assert hits(machine, later) == []
    assert traces(machine.places.data, mine, later) == []
    assert session_ids(machine) == {FORK, T_FORK}


def test_its_sub_agents_and_its_prompts_go_with_it(machine: Machine) -> None:
    mine, kept = word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"start {mine}"))
    folder = claude_file(machine.claude, S).with_suffix("") / "subagents"
    sub = [x | {"isSidechain": True, "agentId": "a1"} for x in talk(S, f"task {mine}", f"done {mine}")]
    put(folder / "agent-a1.jsonl", *[x | {"uuid": f"sub-{n}"} for n, x in enumerate(sub)])
    (folder / "agent-a1.meta.json").write_text(json.dumps({"agentType": "x", "description": f"does {mine}"}))
    child = "01a1aaaa-0000-7000-8000-00000000000c"
    put(codex_file(machine.codex, T), *thread(T, f"start {mine}"))
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": T, "depth": 1}}}
    put(codex_file(machine.codex, child), *thread(child, f"task {mine}", source=spawned))
    history = machine.claude / "history.jsonl"
    put(history, {"display": f"start {mine}", "sessionId": S, "timestamp": 1, "project": "/w/app"})
    put(history, {"display": f"other {kept}", "sessionId": OTHER, "timestamp": 1, "project": "/w/app"})
    put(machine.codex / "history.jsonl", {"session_id": T, "ts": 1, "text": f"start {mine}"})
    named = {"id": T, "thread_name": f"named {mine}", "updated_at": "2026-11-01T00:00:00Z"}
    put(machine.codex / "session_index.jsonl", named)
    machine.start()
    machine.sync()
    plan = forget(machine, session=S, dry_run=True)
    assert (plan["sessions"], plan["sub_agents"], plan["records"]) == (2, 1, 3)
    assert S in session_ids(machine)  # nothing has happened
    forget(machine, session=S)
    result = forget(machine, session=T)
    assert (result["sessions"], result["sub_agents"]) == (2, 1)
    assert traces(machine.places.data, mine) == []
    claude_file(machine.claude, S).unlink()
    lose_the_index(machine)
    assert traces(machine.places.data, mine) == []
    assert session_ids(machine) == {OTHER}


def test_a_project_is_forgotten_as_it_is_now(machine: Machine) -> None:
    mine, later, kept = word(), word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}", f"two {mine}"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"elsewhere {kept}", cwd="/w/else"))
    mixed = "11111111-1111-4111-8111-555555555555"
    put(
        claude_file(machine.claude, mixed),
        *talk(mixed, f"outside {kept}", cwd="/w/else"),
        *talk(mixed, f"inside {mine}", cwd="/w/app/deep", start=1),
    )
    put(codex_file(machine.codex, T), *thread(T, f"api {kept}"))
    put(machine.claude / "history.jsonl", {"display": mine, "sessionId": S, "timestamp": 1, "project": "/w/app"})
    machine.start()
    machine.sync()
    result = forget(machine, project="/w/app")
    assert (result["sessions"], result["touched"], result["records"]) == (1, 1, 3)
    assert traces(machine.places.data, mine) == []
    assert set(hits(machine, kept)) == {OTHER, mixed, T}
    later_time = {"timestamp": "2099-01-01T00:00:00.000Z"}
    put(claude_file(machine.claude, S), *[x | later_time for x in talk(S, f"new {later}", start=2)])
    machine.sync()
    assert hits(machine, later) == [S]
    lose_the_index(machine)
    assert hits(machine, later) == [S]
    assert traces(machine.places.data, mine) == []


def test_what_is_older_than_a_time_goes_by_record_time(machine: Machine) -> None:
    old, new = word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"old {old}", f"old {old}", f"new {new}", f"new {new}"))
    put(codex_file(machine.codex, T), *thread(T, f"old {old}", f"new {new}"))
    put(codex_file(machine.codex, T_FORK), *thread(T_FORK, f"old {old}", f"own {new}", start=90, forked_from_id=T))
    machine.start()
    machine.sync()
    result = forget(machine, before="2026-11-01T00:02:00Z")  # minutes 0 and 1
    assert result["records"] == 3
    assert traces(machine.places.data, old) == []
    assert set(hits(machine, new)) == {S, T, T_FORK}
    lose_the_index(machine)
    assert traces(machine.places.data, old) == []
    assert set(hits(machine, new)) == {S, T, T_FORK}


def test_undo_reads_again_what_the_files_hold_and_says_what_cannot_return(machine: Machine) -> None:
    mine, lost = word(), word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}", f"two {mine}"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"three {lost}"))
    machine.start()
    machine.sync()
    claude_file(machine.claude, OTHER).unlink()
    machine.sync()
    forget(machine, session=S)
    plan = forget(machine, session=OTHER, dry_run=True)
    assert (plan["unrecoverable"], plan["deleted_files"]) == (1, 1)
    forget(machine, session=OTHER)
    listed = forget(machine, list=True)["forgotten"]
    assert [(d["kind"], d["value"], d["unrecoverable"]) for d in listed] == [("session", S, 0), ("session", OTHER, 1)]
    put(claude_file(machine.claude, S), *talk(S, f"later {mine}", start=2))
    machine.sync()
    assert hits(machine, mine) == []
    assert forget(machine, session=S, undo=True)["unrecoverable"] == 0
    assert forget(machine, id=2, undo=True)["unrecoverable"] == 1
    machine.sync()
    assert machine.texts(S) == [f"one {mine}", f"two {mine}", f"later {mine}"]
    assert forget(machine, list=True) == {"forgotten": []}
    restart(machine)
    assert machine.texts(S) == [f"one {mine}", f"two {mine}", f"later {mine}"]


def test_records_that_a_forgotten_fork_only_copied_stay_with_their_owner(machine: Machine) -> None:
    shared, own = word(), word()
    said = talk(S, f"one {shared}", f"two {shared}")
    put(claude_file(machine.claude, S), *said)
    put(claude_file(machine.claude, FORK), *forked(said, FORK), *talk(FORK, f"own {own}", start=2))
    machine.start()
    machine.sync()
    plan = forget(machine, session=FORK, dry_run=True)
    assert (plan["records"], plan["spared"]) == (1, 2)
    forget(machine, session=FORK)
    assert traces(machine.places.data, own) == []
    lose_the_index(machine)
    assert session_ids(machine) == {S}
    assert machine.texts(S) == [f"one {shared}", f"two {shared}"]
    assert traces(machine.places.data, own) == []


def test_the_command_asks_before_it_forgets(machine: Machine, tmp_path: Path) -> None:
    put(claude_file(machine.claude, S), *talk(S, "one", "two"))
    machine.start()
    machine.sync()
    assert machine.recall("forget", ok=(2,)).stderr.startswith("recall: say what to forget")
    assert "--yes" in machine.recall("forget", "--session", S, ok=(4,)).stderr
    assert "2 records of 1 file" in machine.recall("forget", "--session", S[:6], "--dry-run").stdout
    assert session_ids(machine) == {S}
    done = json.loads(machine.recall("forget", "--session", S, "--yes", "--json").stdout)
    assert (done["schema"], done["id"], done["records"]) == (1, 1, 2)
    assert S in machine.recall("forget", "--list").stdout
    assert machine.recall("forget", "--session", "nosuch", "--yes", ok=(1,)).stderr
    assert machine.recall("forget", "--project", "/nowhere", "--yes", ok=(1,)).stdout
    assert "taken back" in machine.recall("forget", "--undo", "--session", S, "--yes").stdout
    machine.sync()
    assert session_ids(machine) == {S}


def test_a_copied_thread_under_another_id_does_not_bring_it_back(machine: Machine) -> None:
    """Codex's copies carry no common ids, and a plain copy names no original: what they say, and when, tells them."""
    mine, own = word(), word()
    said = thread(T, f"one {mine}", f"two {mine}")
    put(codex_file(machine.codex, T), *said)
    machine.start()
    machine.sync()
    forget(machine, session=T)
    other = [codex_meta(T_FORK), *said[1:], *thread(T_FORK, f"own {own}", start=9)[1:]]
    put(codex_file(machine.codex, T_FORK), *other)
    same_words = "01a1aaaa-0000-7000-8000-00000000000d"  # somebody says the same again, at another time
    put(codex_file(machine.codex, same_words), *thread(same_words, f"one {mine}", start=70))
    machine.sync()
    assert hits(machine, own) == [T_FORK]
    assert machine.texts(T_FORK) == [f"own {own}"]
    assert machine.texts(same_words) == [f"one {mine}"]


def test_the_terminal_is_asked_and_no_is_the_default(machine: Machine) -> None:
    put(claude_file(machine.claude, S), *talk(S, "one", "two"))
    machine.start()
    machine.sync()
    for answer, left in (("", {S}), ("n", {S}), ("y", set())):
        out, status = in_terminal(machine, answer, "forget", "--session", S)
        assert "2 records of 1 file" in out
        assert ("nothing was forgotten" in out, status) == ((True, 1) if left else (False, 0))
        assert session_ids(machine) == left
    for answer, status in (("n", 1), ("y", 0)):
        assert in_terminal(machine, answer, "forget", "--undo", "--session", S)[1] == status
    machine.sync()
    for answer, left in (("n", {S}), ("y", set())):
        out, status = in_terminal(machine, answer, "exclude", "add", "app")
        assert ("nothing was excluded" in out, status) == ((True, 1) if left else (False, 0))
        assert session_ids(machine) == left


def in_terminal(machine: Machine, answer: str, *arguments: str) -> tuple[str, int]:
    """Run `recall` on a terminal on which a person types `answer`; return what it wrote there, and its status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [RECALL, *arguments], env=machine.env, cwd=machine.root, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, answer.encode() + b"\n")
    out = b""
    try:
        while data := os.read(ours, 65536):
            out += data
    except OSError:  # how a terminal says that its other end is closed
        pass
    os.close(ours)
    return out.decode(), process.wait(30)


def test_a_damaged_decision_stops_the_service_with_a_message(machine: Machine) -> None:
    """Going on without it would bring back what was to be gone."""
    mine = word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}"))
    machine.start()
    machine.sync()
    forget(machine, session=S)
    machine.stop()
    file = machine.places.data / "decisions" / "forget-000001.decision"
    whole = file.read_bytes()
    for damaged in (b"", whole[:20], whole[:-1], bytes([*whole[:-5], whole[-5] ^ 1, *whole[-4:]]), b"\xff" * 30):
        file.write_bytes(damaged)
        done = subprocess.run([RECALLD], env=machine.env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 4
        assert str(file) in done.stderr.splitlines()[-1]
    file.write_bytes(whole)
    machine.start()
    machine.sync()
    assert hits(machine, mine) == []


def test_a_decision_that_cannot_be_written_changes_nothing(machine: Machine) -> None:
    mine = word()
    put(claude_file(machine.claude, S), *talk(S, f"one {mine}"))
    machine.start()
    machine.sync()
    (machine.places.data / "decisions").write_text("in the way")
    with pytest.raises(RequestError, match="cannot be written"):
        forget(machine, session=S)
    assert hits(machine, mine) == [S]
    assert forget(machine, list=True) == {"forgotten": []}
    (machine.places.data / "decisions").unlink()
    forget(machine, session=S)
    assert hits(machine, mine) == []
