"""Hostile files and names, through the whole service: they cost themselves and nothing else."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
import zstandard
from ingest_kit import codex_meta
from machine import Machine
from talks import OTHER, S, T, claude_file, codex_file, put, talk, thread
from test_forget import hits, session_ids

EVIL = "\x1b]0;owned\x07\x1b[2J\u202egnp\u202c\u200b\u2066x\u2069\ufeff\U000e0041\x9b31m\r\x08"
FORBIDDEN = set(EVIL) - {"x", "g", "n", "p", "o", "w", "e", "d", "0", "2", "J", "3", "1", "m", ";", "]", "["}


def findings(machine: Machine) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(machine.recall("doctor", "--json", ok=(0, 1)).stdout)["findings"]
    return found


def test_links_out_of_the_root_and_fifos_are_left_alone(machine: Machine) -> None:
    outside = machine.root / "outside"
    put(outside / f"{S}.jsonl", *talk(S, "zqoutside"))
    folder = machine.claude / "projects" / "-w-app"
    folder.mkdir(parents=True)
    (folder / f"{S}.jsonl").symlink_to(outside / f"{S}.jsonl")
    (machine.claude / "projects" / "-w-linked").symlink_to(outside)
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    spill = machine.claude / "projects" / "-w-app" / OTHER / "tool-results"
    spill.mkdir(parents=True)
    (outside / "secret.txt").write_text("zqspilled")
    (spill / "a.txt").symlink_to(outside / "secret.txt")
    os.mkfifo(spill / "b.txt")
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"Output saved to: {spill / 'a.txt'}"}
    lines = talk(OTHER, "a good line")
    answer = talk(OTHER, "x", start=2)[0] | {"message": {"role": "user", "content": [result]}}
    answer["toolUseResult"] = {"persistedOutputPath": str(spill / "a.txt")}
    put(claude_file(machine.claude, OTHER), *lines, answer)
    machine.start()
    machine.sync()
    assert session_ids(machine) == {OTHER}
    assert hits(machine, "zqoutside") == hits(machine, "zqspilled") == []
    assert hits(machine, "good") == [OTHER]
    told = {str(f["path"]) for f in findings(machine)}
    assert {str(folder / f"{S}.jsonl"), str(folder / "pipe.jsonl"), str(folder / "loop.jsonl")} <= told


def test_file_names_may_be_any_bytes(machine: Machine) -> None:
    folder = machine.claude / "projects" / "-w-app"
    folder.mkdir(parents=True)
    names = [b"new\nline", b"tab\there", b"esc\x1b[31m", b"not\xffutf8", "\u202erid".encode(), b"a" * 240, b"-dash"]
    for n, name in enumerate(names):
        path = os.fsencode(folder) + b"/" + name + b".jsonl"
        with open(path, "wb") as stream:
            for line in talk(S, f"named-{n}"):
                stream.write(json.dumps(line | {"uuid": f"u-{n}"}).encode() + b"\n")
    machine.start()
    machine.sync()
    with machine.client() as client:
        assert client.status()["sessions"] == len(names)
    for n in range(len(names)):
        assert len(hits(machine, f"named-{n}")) == 1
    for arguments in (["sessions"], ["doctor"], ["named"], ["status"]):
        assert_clean(machine.recall(*arguments, ok=(0, 1)).stdout)


def assert_clean(text: str) -> None:
    bad = {c for c in text if c in FORBIDDEN or (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0}
    assert not bad, f"{sorted(map(hex, map(ord, bad)))} in {text!r}"


def test_what_people_are_shown_is_clean(machine: Machine) -> None:
    """Titles, texts, projects, paths, branches, models, session ids: none of it moves a terminal or a reader's eye."""
    title = {"type": "custom-title", "customTitle": f"title{EVIL}", "sessionId": S}
    put(claude_file(machine.claude, S), title)
    evil = {"cwd": f"/w/pro{EVIL}ject", "gitBranch": f"main{EVIL}"}
    put(claude_file(machine.claude, S), *talk(S, f"findme {EVIL} first", f"answer {EVIL}", **evil))
    tool = {"type": "tool_use", "id": f"t{EVIL}", "name": f"Bash{EVIL}", "input": {"command": f"ls {EVIL}"}}
    read = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": f"/w/{EVIL}/x"}}
    for n, use in enumerate((tool, read)):
        line = talk(S, "x", "y", start=2 + 2 * n, **evil)[1]
        line["message"] = {"role": "assistant", "model": f"m{EVIL}", "content": [use]}
        put(claude_file(machine.claude, S), line)
    put(codex_file(machine.codex, T), codex_meta(f"{T}{EVIL}", cwd=f"/w/{EVIL}"), *thread(T, f"findme {EVIL}")[1:])
    put(claude_file(machine.claude, OTHER), b"not json " + EVIL.encode() + b"\n")
    machine.start()
    machine.sync()
    machine.recall("exclude", "add", f"/nowhere/{EVIL}", "--yes")
    for arguments in (
        ["findme"],
        ["sessions"],
        ["show", S],
        ["show", S, "--all-branches"],
        ["doctor"],
        ["status"],
        ["forget", "--session", S, "--dry-run"],
        ["forget", "--project", f"/w/pro{EVIL}ject", "--dry-run"],
        ["exclude", "list"],
    ):
        done = machine.recall(*arguments, ok=(0, 1))
        assert_clean(done.stdout)
        assert_clean(done.stderr)
    machine.recall("forget", "--project", f"/w/pro{EVIL}ject", "--yes")
    assert_clean(machine.recall("forget", "--list").stdout)
    assert_clean(machine.recall("show", EVIL, ok=(1,)).stderr)


@pytest.mark.parametrize(
    "name",
    ["$(touch pwned)", "`touch pwned`", "x; touch pwned", "a'b\"c", "x && touch pwned #", "*", "~", "x|sh", "!!"],
)
def test_resume_never_runs_what_an_id_or_a_directory_says(machine: Machine, name: str) -> None:
    """Neither the printed line, given to a shell, nor `--exec`, which uses none."""
    work = machine.root / f"dir {name}"
    work.mkdir()
    put(machine.claude / "projects" / "-w-app" / f"{name}.jsonl", *talk(S, "hello", cwd=str(work)))
    bin_ = machine.root / "bin"
    bin_.mkdir()
    fake = bin_ / "claude"
    fake.write_text('#!/bin/sh\nprintf "%s\\0" "$PWD" "$@" > "$CALLED"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    called = machine.root / "called"
    machine.env |= {"PATH": f"{bin_}:{os.environ['PATH']}", "CALLED": str(called)}
    machine.start()
    machine.sync()
    wanted = [str(work), "--resume", name]
    line = machine.recall("resume", "--", name).stdout
    subprocess.run(["sh", "-c", line], env=machine.env, cwd=machine.root, check=True)
    assert called.read_text().split("\0")[:-1] == wanted
    called.unlink()
    machine.recall("resume", "--exec", "--", name)
    assert called.read_text().split("\0")[:-1] == wanted
    assert not list(machine.root.rglob("pwned"))


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "$(touch pwned)", "a\nb; touch pwned", "x\x1b[2J`touch pwned`"]
)
def test_resume_takes_an_id_out_of_a_transcript_for_nothing_but_an_id(machine: Machine, name: str) -> None:
    """Codex's ids stand in the file: a path leads nowhere, a command is not run."""
    work = machine.root / "work"
    work.mkdir()
    put(codex_file(machine.codex, T), codex_meta(name, cwd=str(work)), *thread(T, "hello")[1:])
    bin_ = machine.root / "bin"
    bin_.mkdir()
    fake = bin_ / "codex"
    fake.write_text('#!/bin/sh\nprintf "%s\\0" "$PWD" "$@" > "$CALLED"\n')
    fake.chmod(0o755)
    called = machine.root / "called"
    machine.env |= {"PATH": f"{bin_}:{os.environ['PATH']}", "CALLED": str(called)}
    machine.start()
    machine.sync()
    (known,) = session_ids(machine)
    assert "/" not in known  # of a path the last name is left
    done = machine.recall("resume", "--", known, ok=(0, 4))
    assert_clean(done.stdout)
    assert_clean(done.stderr)
    if done.returncode == 0:
        subprocess.run(["sh", "-c", done.stdout], env=machine.env, cwd=machine.root, check=True)
        assert called.read_text().split("\0")[1:-1] == ["resume", name]  # one argument, whatever is in it
    machine.recall("resume", "--exec", "--", known, ok=(0, 4))
    assert not list(machine.root.rglob("pwned"))


@pytest.mark.parametrize("agent", ["claude-code", "codex", "qwen-code"])
def test_an_id_that_is_an_option_is_refused(machine: Machine, agent: str) -> None:
    name = "--dangerously-do-it"
    if agent == "codex":
        put(codex_file(machine.codex, T), codex_meta(name), *thread(T, "hello")[1:])
    elif agent == "claude-code":
        put(machine.claude / "projects" / "-w-app" / f"{name}.jsonl", *talk(S, "hello"))
    else:
        from ingest_kit import qwen

        put(machine.qwen / "projects" / "-w-app" / "chats" / f"{name}.jsonl", qwen("user", "a", None, "hello", 1, name))
    machine.start()
    machine.sync()
    with machine.client() as client:
        found = client.sessions()["sessions"]
    if agent == "qwen-code" and not found:
        return  # Qwen Code's files have ids for names, others are not its sessions
    assert [(s["id"], s["resume"]) for s in found] == [(name, None)]
    for more in ([], ["--exec"]):
        assert "option" in machine.recall("resume", *more, "--", name, ok=(4,)).stderr


def test_monstrous_lines_cost_themselves_only(machine: Machine) -> None:
    path = claude_file(machine.claude, S)
    put(path, *talk(S, "before"))
    deep = b'{"type":"user","message":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}\n"
    nested = b"[" * 200_000 + b"]" * 200_000 + b"\n"
    numbers = b'{"type":"user","uuid":"n","timestamp":1e999,"n":' + b"9" * 20_000 + b"}\n"
    keys = b'{"type":"user",' + b",".join(b'"type":"user"' for _ in range(50_000)) + b"}\n"
    unspaced = talk(S, "x" * 10_000_000, start=1)
    huge = b'{"type":"user","x":"' + b"y" * (33 * 2**20) + b'"}\n'
    put(path, deep, nested, numbers, keys, *unspaced, huge, b"\0" * 1000 + b"\n", b"\xff\xfe\n", b"{\n", b"\n")
    put(path, *talk(S, "after", start=2))
    machine.start()
    machine.sync()
    texts = machine.texts(S)
    assert (texts[0], texts[-1]) == ("before", "after")
    assert any(text.startswith("xxxx") and len(text) <= 256 * 1024 for text in texts)
    with machine.client() as client:
        assert client.status()["agents"]["claude-code"]["skipped_lines"] >= 5
    with machine.client() as client:
        assert len({f["offset"] for f in client.doctor()["notes"]["skipped_lines"]}) >= 5


def test_a_compressed_file_that_grows_without_end_stops_at_the_limit(machine: Machine) -> None:
    machine.places.config.write_text("[index]\nmax_uncompressed_bytes = 67108864\n")
    good = b"".join(json.dumps(x).encode() + b"\n" for x in thread(T, "before the bomb"))
    path = codex_file(machine.codex, T).with_suffix(".jsonl.zst")
    path.parent.mkdir(parents=True)
    compressor = zstandard.ZstdCompressor(level=3).compressobj()
    with path.open("wb") as stream:
        stream.write(compressor.compress(good))
        for _ in range(512):
            stream.write(compressor.compress(b" " * 2**20))
        stream.write(compressor.flush())
    assert path.stat().st_size < 1_000_000
    (path.parent / path.name.replace("01a1aaaa", "01a1bbbb")).write_bytes(b"not zstd at all")
    put(claude_file(machine.claude, S), *talk(S, "beside the bomb"))
    machine.start()
    machine.sync()
    assert hits(machine, "beside") == [S]
    assert str(path) in {f["path"] for f in findings(machine)}
    with machine.client() as client:
        assert client.status()["rss_bytes"] < 600_000_000
    assert machine.stop() == 0


def test_a_shell_gets_nothing_from_completion_or_errors(machine: Machine) -> None:
    """A message that repeats what was asked for is one clean line."""
    machine.start()
    done = machine.recall("show", f"no{EVIL}\nsuch", ok=(1,))
    assert_clean(done.stderr)
    assert done.stderr.count("\n") == 1


def test_a_path_of_a_data_directory_with_hostile_names_is_no_problem(tmp_path: Path) -> None:
    root = tmp_path / "a b'c\"$(x)"
    root.mkdir()
    machine = Machine(root)
    try:
        put(claude_file(machine.claude, S), *talk(S, "hello"))
        machine.start()
        machine.sync()
        machine.recall("forget", "--session", S, "--yes")
        assert session_ids(machine) == set()
    finally:
        machine.sweep()
