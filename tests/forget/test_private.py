"""Nobody else gets at the data directory, agents' files are only ever read, and nothing talks to a network."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from ingest_kit import claude
from machine import RECALL, RECALLD, Machine
from talks import FORK, OTHER, S, T, claude_file, codex_file, forked, put, talk, thread

from recall.errors import RecallError

CHANGES = (
    "creat|rename|renameat|renameat2|unlink|unlinkat|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|truncate|ftruncate"
    "|chmod|fchmod|fchmodat|chown|fchown|lchown|fchownat|utime|utimes|utimensat|futimesat|setxattr|fsetxattr|write|pwrite64"
    "|writev|flock|mknod|mknodat|fallocate|copy_file_range"
)
"""System calls that change a file, its name or what is known of it, and the one that locks it."""


def write_sessions(machine: Machine) -> None:
    said = talk(S, "one", "two")
    put(claude_file(machine.claude, S), *said)
    put(claude_file(machine.claude, FORK), *forked(said, FORK), *talk(FORK, "three", start=2))
    put(codex_file(machine.codex, T), *thread(T, "one", "two"))
    put(machine.claude / "history.jsonl", {"display": "x", "sessionId": OTHER, "timestamp": 1, "project": "/w/app"})


def use(machine: Machine) -> None:
    """Do a bit of everything."""
    for arguments in (
        ["sync"],
        ["one"],
        ["sessions"],
        ["show", S],
        ["resume", S],
        ["status"],
        ["forget", "--session", S, "--yes"],
        ["exclude", "add", "/w/none", "--yes"],
        ["forget", "--undo", "--session", S, "--yes"],
        ["sync"],
    ):
        machine.recall(*arguments)
    machine.recall("doctor", ok=(0, 1))
    asks_over_mcp(machine)
    put(claude_file(machine.claude, S), *talk(S, "five", start=4))
    codex_file(machine.codex, T).rename(codex_file(machine.codex, T).with_suffix(".old"))
    machine.recall("sync")


def asks_over_mcp(machine: Machine) -> None:
    """Have the daemon start its MCP process."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    relay = subprocess.Popen(
        [RECALL, "mcp"], env=machine.env, cwd=machine.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert relay.stdin is not None
    assert relay.stdout is not None
    relay.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
    relay.stdin.flush()
    answers = [json.loads(relay.stdout.readline()) for _ in range(2)]
    relay.stdin.close()
    relay.wait(30)
    relay.stdout.close()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["tools"]


def test_every_directory_is_0700_and_every_file_0600(machine: Machine) -> None:
    write_sessions(machine)
    machine.places.data.mkdir(mode=0o755)  # looser than it should be
    before = os.umask(0)
    try:
        machine.recall("start")
        use(machine)
    finally:
        os.umask(before)
    for top in (machine.places.data, machine.places.runtime):
        for path in (top, *top.rglob("*")):
            mode = path.lstat().st_mode
            wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
            if path.name == "recalld.lock" or stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode):
                assert oct(stat.S_IMODE(mode)) == oct(wanted), path
    machine.recall("stop")


def state(root: Path) -> dict[str, tuple[str, int, int]]:
    found = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        s = path.stat()
        found[str(path)] = (hashlib.sha256(path.read_bytes()).hexdigest(), s.st_mtime_ns, s.st_mode)
    return found


def test_agents_files_are_what_they_were(machine: Machine) -> None:
    write_sessions(machine)
    roots = (machine.claude, machine.codex, machine.qwen)
    before = [state(root) for root in roots]
    machine.start()
    with machine.client() as client:
        client.sync()
        client.forget(session=S)
        client.exclude(add="/w/api")
        client.exclude(remove="/w/api")
        client.forget(session=S, undo=True)
        client.sync()
    assert machine.stop() == 0
    assert [state(root) for root in roots] == before


def traced(tmp_path: Path, *what: str) -> list[str]:
    """Return the options that trace a program and its children; skip the test where that is impossible."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    out = tmp_path / "probe"
    probe = subprocess.run([strace, "-f", "-o", out, "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip(f"tracing is not allowed here: {probe.stderr.decode()[:200]}")
    return [strace, "-f", "-y", "-s", "4096", *what]


def run_traced(machine: Machine, tmp_path: Path, options: list[str]) -> list[str]:
    """Run a daemon and its clients under a trace, from start to stop; return the trace's lines."""
    write_sessions(machine)
    daemon = subprocess.Popen(
        [*options, "-o", str(tmp_path / "daemon.trace"), str(RECALLD)],
        env=machine.env,
        cwd=machine.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while daemon.poll() is None:
            try:
                with machine.client() as client:
                    client.ping()
                break
            except RecallError:
                continue
        use(machine)
        clients = []
        for n, arguments in enumerate((["two"], ["sessions"], ["status"], ["doctor"])):
            trace = tmp_path / f"client-{n}.trace"
            command = [*options, "-o", str(trace), str(RECALL), *arguments]
            subprocess.run(command, env=machine.env, cwd=machine.root, capture_output=True, timeout=120, check=False)
            clients += trace.read_text(errors="replace").splitlines()
        machine.recall("stop")
        daemon.wait(30)
    finally:
        if daemon.poll() is None:
            daemon.kill()
    return (tmp_path / "daemon.trace").read_text(errors="replace").splitlines() + clients


def test_no_agents_file_is_opened_for_writing_or_changed_or_locked(machine: Machine, tmp_path: Path) -> None:
    options = traced(tmp_path, "-e", f"trace=open,openat,openat2,{CHANGES.replace('|', ',?')}")
    lines = run_traced(machine, tmp_path, options)
    roots = "|".join(re.escape(str(root)) for root in (machine.claude, machine.codex, machine.qwen))
    ours = [line for line in lines if re.search(roots, line)]
    assert any("openat(" in line and "O_RDONLY" in line for line in ours)  # the trace sees what it should
    guilty = []
    for line in ours:
        call = re.match(r"\d+ +(\w+)\((.*)", line)
        if call is None:
            continue
        name, rest = call.groups()
        if re.fullmatch("open(at|at2)?", name):
            if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", rest):
                guilty.append(line)
        elif re.fullmatch(CHANGES, name):
            first = rest.split(", ")[0]
            if name not in ("write", "pwrite64", "writev") or re.search(f"<(?:{roots})", first):
                guilty.append(line)
    assert guilty == []


def test_no_directory_is_listed_for_a_session_that_names_none(machine: Machine, tmp_path: Path) -> None:
    project = tmp_path / "some.where" / "my_project"
    (project / "inside").mkdir(parents=True)
    (tmp_path / "msgpack.py").write_text("raise SystemExit(7)")  # and none of it is imported either
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(project))
    line = claude("user", "u1", None, "unplaced words", 1, OTHER)
    del line["cwd"]
    put(claude_file(machine.claude, OTHER, name), line)
    options = traced(tmp_path, "-e", "trace=open,openat,openat2")
    lines = run_traced(machine, tmp_path, options)
    opened = [line for line in lines if re.search(r"O_DIRECTORY", line)]
    assert any(str(machine.claude) in line for line in opened)  # the trace sees what it should
    assert [line for line in opened if f'"{tmp_path}"' in line or "some.where" in line] == []
    assert [line for line in lines if re.search(r'"/(home|srv|root)?", [^)]*O_DIRECTORY', line)] == []


def test_no_socket_but_unix_ones_from_start_to_stop(machine: Machine, tmp_path: Path) -> None:
    lines = run_traced(machine, tmp_path, traced(tmp_path, "-e", "trace=socket,connect,bind,sendto"))
    families = {found[1] for line in lines if (found := re.search(r"\bsocket\((AF_\w+|PF_\w+)", line))}
    assert families == {"AF_UNIX"}
