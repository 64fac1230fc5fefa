"""What scripts rely on: JSON shapes, exit statuses, paging, options, places."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from case_kit import CLAUDE, CODEX, DIR, QWEN, Case, Q, S, T, at, call, cc, meta, output, person, qw, result, use
from machine import RECALL, RECALLD

SESSION = {"agent", "id", "parent", "sub_agent", "project", "title", "started", "updated", "records", "branch", "model", "provider", "path", "source_deleted", "resume"}  # fmt: skip
RECORD = {"agent", "session", "id", "parent", "project", "time", "role", "kind", "tool", "paths", "command", "exit_status", "is_error", "model", "branch", "text", "truncated", "abandoned", "source"}  # fmt: skip
SUB = f"{DIR}/{S}/subagents/agent-e1"


@pytest.fixture
def full(case: Case) -> Case:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "why does checkout fail?", 0),
        cc("assistant", "a1", "u1", "Running checkout.", 1),
        cc("assistant", "a2", "a1", use("c1", "Bash", command="make checkout"), 2),
        cc("user", "r1", "a2", result("c1", "checkout: boom", is_error=True), 3),
        cc("user", "u2", "r1", "and the basket?", 4, gitBranch="fix"),
    )
    case.write(SUB + ".jsonl", cc("user", "s1", None, "sub checkout", 5, isSidechain=True, agentId="e1"))
    case.path(SUB + ".meta.json").write_text('{"agentType": "Explore"}')
    case.write(CODEX, meta(), *person("checkout queue", 6), call("c1", "exec_command", {"cmd": "ls"}, 7), output("c1", "x", 7))
    case.write(QWEN, qw("user", "q1", None, "checkout page", 8))
    case.read()
    return case


def run(case: Case, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RECALL, *arguments],
        env=case.env,
        cwd=more.pop("cwd", case.root),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **more,
    )


def test_the_shape_of_a_search(full: Case) -> None:
    got = full.json("search", "checkout")
    assert got["schema"] == 1 and got["query"] == "checkout" and got["tier"] == "exact" and got["total"] == 3
    assert set(got["index"]) >= {"records", "complete", "pending_bytes"} and isinstance(got["took_ms"], int | float)
    assert got["index"] == {"records": 10, "complete": True, "pending_bytes": 0}
    assert got["next_offset"] is None
    assert {h["session"]["id"] for h in got["hits"]} == {S, T, Q}
    for hit in got["hits"]:
        assert set(hit) >= {"session", "score", "matches", "match_count"}
        assert set(hit["session"]) == SESSION and 1 <= len(hit["matches"]) <= 3
        for match in hit["matches"]:
            assert set(match) == {"record", "snippet", "highlights"} and set(match["record"]) == RECORD
            assert [match["snippet"][a:b].lower() for a, b in match["highlights"]] == ["checkout"] * len(match["highlights"])
            assert match["highlights"]
    [mine] = [h for h in got["hits"] if h["session"]["id"] == S]
    assert mine["match_count"] == 4 and len(mine["matches"]) == 3


def test_the_bare_query_is_a_search(full: Case) -> None:
    a, b = full.json("checkout"), full.json("search", "checkout")
    assert [h["session"]["id"] for h in a["hits"]] == [h["session"]["id"] for h in b["hits"]]
    assert full.json("why", "does", "checkout", "fail")["query"] == "why does checkout fail"


def test_the_shape_of_a_session_and_of_records(full: Case) -> None:
    got = full.json("show", S)
    assert got["schema"] == 1 and set(got) >= {"session", "records", "compactions", "total", "next_offset"}
    s = got["session"]
    assert s == {
        "agent": "claude-code", "id": S, "parent": None, "sub_agent": None, "project": "/srv/shop",
        "title": "why does checkout fail?", "started": at(0), "updated": at(4), "records": 5, "branch": s["branch"],
        "model": "opal-4", "provider": None, "path": str(full.path(CLAUDE)), "source_deleted": False,
        "resume": f"cd /srv/shop && claude --resume {S}",
    }  # fmt: skip
    command = got["records"][2]
    data = full.path(CLAUDE).read_bytes()
    offset = data.index(b'{"type": "assistant", "uuid": "a2"')
    assert command == {
        "agent": "claude-code", "session": S, "id": "a2", "parent": "a1", "project": "/srv/shop", "time": at(2),
        "role": "assistant", "kind": "command", "tool": "Bash", "paths": [], "command": "make checkout",
        "exit_status": None, "is_error": None, "model": "opal-4", "branch": "main", "text": "make checkout",
        "truncated": False, "abandoned": False,
        "source": {"path": str(full.path(CLAUDE)), "offset": offset, "length": data.index(b"\n", offset) + 1 - offset},
    }  # fmt: skip
    assert got["records"][4]["branch"] == "fix" and got["records"][3]["is_error"] is True


def test_the_shape_of_sessions_status_and_doctor(full: Case) -> None:
    got = full.json("sessions")
    assert got["schema"] == 1 and got["total"] == 3 and [s["id"] for s in got["sessions"]] == [Q, T, S]
    assert all(set(s) == SESSION for s in got["sessions"])
    assert [s["id"] for s in full.json("sessions", "--sub-agents")["sessions"]] == [Q, T, "agent-e1", S]
    status = full.json("status")
    assert set(status) >= {
        "schema",
        "version",
        "pid",
        "uptime_s",
        "records",
        "sessions",
        "files",
        "pending_bytes",
        "complete",
        "last_commit",
        "rss_bytes",
        "agents",
    }
    assert (status["records"], status["sessions"], status["files"]) == (10, 4, 4)
    assert set(status["agents"]) == {"claude-code", "codex", "qwen-code"}
    for agent in status["agents"].values():
        assert set(agent) >= {"files", "sessions", "records", "skipped_lines", "roots"}
    assert status["agents"]["claude-code"]["roots"] == [str(full.claude)]
    doctor = full.json("doctor", ok=(0, 1))
    assert doctor["schema"] == 1
    for found in doctor["findings"]:
        assert set(found) == {"check", "path", "offset", "message", "remedy"}
    assert run(full, "doctor").returncode == (1 if doctor["findings"] else 0)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--agent", "codex"], [T]),
        (["--agent", "codex", "--agent", "qwen-code"], sorted([Q, T])),
        (["--project", "/srv/shop"], [S]),
        (["--project", "/srv"], sorted([S, T, Q])),
        (["--project", "shop"], [S]),
        (["--project", "sho"], []),
        (["--session", S], [S]),
        (["--session", T[:20]], [T]),
        (["--not-session", S], sorted([Q, T])),
        (["--role", "tool"], [S]),
        (["--role", "user"], sorted([S, T, Q])),
        (["--kind", "command"], [S]),
        (["--kind", "message"], sorted([S, T, Q])),
        (["--since", at(5)], sorted([T, Q])),
        (["--until", at(3)], [S]),
        (["--since", "2026-11-28", "--until", "2026-11-28"], sorted([S, T, Q])),
        (["--since", "2030-01-01"], []),
        (["--sub-agents"], sorted([S, T, Q, "agent-e1"])),
        (["--limit", "1", "--sort", "newest"], [Q]),
        (["--limit", "1", "--offset", "1", "--sort", "newest"], [T]),
    ],
)
def test_options_of_search(full: Case, arguments: list[str], wanted: list[str]) -> None:
    full.env["TZ"] = "UTC"
    done = run(full, "search", "--json", *arguments, "checkout")
    got = json.loads(done.stdout)
    assert sorted(h["session"]["id"] for h in got["hits"]) == wanted, got
    assert done.returncode == (0 if wanted else 1) and "error" not in got
    assert done.stderr == ""


def test_options_of_show(full: Case) -> None:
    ids = ["u1", "a1", "a2", "r1", "u2"]
    page = full.json("show", S, "--limit", "2", "--offset", "1")
    assert [r["id"] for r in page["records"]] == ids[1:3] and page["total"] == 5 and page["next_offset"] == 3
    assert full.json("show", S, "--limit", "2", "--offset", "3")["next_offset"] is None
    assert [r["id"] for r in full.json("show", S, "--role", "user")["records"]] == ["u1", "u2"]
    assert [r["id"] for r in full.json("show", S, "--kind", "command")["records"]] == ["a2"]
    around = full.json("show", S, "--around", "a2", "--limit", "3")
    assert [r["id"] for r in around["records"]] == ["a1", "a2", "r1"]
    assert full.json("show", T[:13])["session"]["id"] == T
    assert full.json("show", S, "--around", "zz", ok=(1, 4))["error"]["code"] == "not_found"
    beyond = full.json("show", S, "--offset", "99")
    assert beyond["records"] == [] and "error" not in beyond


def test_options_of_sessions(full: Case) -> None:
    def ids(*arguments: str) -> list[str]:
        return [s["id"] for s in full.json("sessions", *arguments)["sessions"]]

    assert ids("--agent", "codex") == [T] and ids("--project", "/srv/site") == [Q] and ids("--project", "site") == [Q]
    assert ids("--since", at(6)) == [Q, T] and ids("--limit", "1") == [Q]
    assert run(full, "sessions", "--since", "2030-01-01", "--json").returncode == 1
    assert json.loads(run(full, "sessions", "--project", "/nowhere", "--json").stdout)["sessions"] == []


def test_nothing_found_is_an_answer(full: Case) -> None:
    done = run(full, "search", "--json", "zzyzxnothing")
    got = json.loads(done.stdout)
    assert done.returncode == 1 and got["hits"] == [] and got["tier"] is None and got["total"] == 0 and "error" not in got
    assert run(full, "zzyzxnothing").returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "many"],
        ["search", "x", "--agent", "nobody"],
        ["search", "x", "--role", "king"],
        ["search", "x", "--sort", "upwards"],
        ["search", "x", "--since", "sometime"],
        ["show"],
        ["sessions", "--since", "whenever"],
        ["call"],
        ["call", "ping", "not json"],
        ["call", "ping", "[1]"],
    ],
)
def test_wrong_usage_is_two(full: Case, arguments: list[str]) -> None:
    done = run(full, *arguments)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.strip()
    done = run(full, *arguments, "--json")
    if arguments[0] != "call":
        got = json.loads(done.stdout)
        assert done.returncode == 2 and got["schema"] == 1 and set(got["error"]) == {"code", "message"}


def test_errors_are_one_line_on_stderr(full: Case) -> None:
    for arguments in (["show", "nosuch"], ["resume", "nosuch"], ["call", "nosuch"]):
        done = run(full, *arguments)
        assert done.returncode in (1, 4) and done.stdout == "" and done.stderr.count("\n") == 1
        assert "Traceback" not in done.stderr
        if arguments[0] != "call":
            got = json.loads(run(full, *arguments, "--json").stdout)
            assert got["error"]["code"] == "not_found"


def test_an_argument_that_looks_like_an_option_is_query_text(full: Case) -> None:
    assert sorted(h["session"]["id"] for h in full.json("search", "checkout", "-queue", "-page")["hits"]) == [S]
    assert full.json("checkout", "-queue")["query"] == "checkout -queue"
    assert json.loads(run(full, "search", "--json", "--", "--json").stdout)["query"] == "--json"
    assert full.json("--unknown-flag-word")["hits"] == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        '"',
        "(",
        "[error] E0382",
        "https://x.example/a?b=c&d",
        "AND OR NOT",
        "a OR",
        "-",
        "--",
        '-"',
        "field:",
        ":",
        "project:",
        "since:never",
        "is:odd",
        "*",
        "a*b*",
        "\\",
        "'",
        "💥",
        "\x00",
        "a" * 5000,
        "x " * 400,
        "agent:codex agent:qwen-code",
        "\ud800",
    ],
)
def test_nothing_a_user_types_is_a_syntax_error(full: Case, query: str) -> None:
    if "\x00" in query or "\ud800" in query:
        answer = full.ask("search", query=query.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
        assert "hits" in answer
        return
    done = run(full, "search", "--json", "--", query)
    assert done.returncode in (0, 1, 2), done.stderr
    assert ("error" not in json.loads(done.stdout)) or query.strip() == ""


def test_dot_is_the_current_directory(case: Case) -> None:
    here = case.path("work/app/x").parent
    case.write(CLAUDE, cc("user", "u1", None, "hereterm", 0, cwd=str(here)))
    case.write(QWEN, qw("user", "q1", None, "hereterm", 0))
    case.read()
    got = json.loads(run(case, "search", "--json", "--project", ".", "hereterm", cwd=here).stdout)
    assert [h["session"]["id"] for h in got["hits"]] == [S]
    got = json.loads(run(case, "search", "--json", "project:. hereterm", cwd=here.parent).stdout)
    assert [h["session"]["id"] for h in got["hits"]] == [S]
    got = json.loads(run(case, "sessions", "--json", "--project", ".", cwd=here).stdout)
    assert [s["id"] for s in got["sessions"]] == [S]


def test_resume_prints_runs_and_refuses(full: Case) -> None:
    done = run(full, "resume", S)
    assert done.returncode == 0 and done.stdout.strip() == f"cd /srv/shop && claude --resume {S}"
    sub = run(full, "resume", "agent-e1")
    assert sub.returncode == 4 and sub.stderr.count("\n") == 1 and sub.stdout == ""
    here = full.path("work/x").parent
    tool = full.path("bin/claude")
    tool.write_text('#!/bin/sh\npwd\necho "$@"\n')
    tool.chmod(0o755)
    sid = "5e551011-0000-4000-8000-0000000000fa"
    full.write(f"{DIR}/{sid}.jsonl", cc("user", "x1", None, "resumable", 0, sessionId=sid, cwd=str(here)))
    full.read()
    full.env["PATH"] = f"{tool.parent}:{full.env['PATH']}"
    done = run(full, "resume", "--exec", sid)
    assert done.returncode == 0 and done.stdout.split("\n")[:2] == [str(here), f"--resume {sid}"]
    full.path(f"{DIR}/{sid}.jsonl").unlink()
    full.read()
    assert run(full, "resume", sid).returncode == 4


def test_without_a_daemon_status_and_doctor_start_none(case: Case) -> None:
    assert run(case, "status").returncode == 3 and run(case, "status", "--json").returncode == 3
    got = json.loads(run(case, "status", "--json").stdout)
    assert got["schema"] == 1 and got["error"]["code"]
    done = run(case, "doctor", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["findings"][0]["check"] == "daemon"
    assert run(case, "stop").returncode in (0, 3)
    assert not case.places.socket.exists()


def test_a_question_starts_a_daemon_and_says_so(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "autoterm", 0))
    done = run(case, "search", "--json", "autoterm")
    assert done.returncode == 0 and "starting" in done.stderr
    assert [h["session"]["id"] for h in json.loads(done.stdout)["hits"]] == [S]
    pid = json.loads(run(case, "status", "--json").stdout)["pid"]
    lock = json.loads(case.places.lock.read_text())
    assert lock["pid"] == pid and lock["socket"] == str(case.places.socket) and lock["version"]
    assert run(case, "stop").returncode == 0
    assert not case.places.socket.exists() and run(case, "status").returncode == 3


def test_when_no_daemon_can_be_started_it_is_three(case: Case) -> None:
    case.env["RECALLD_RUNTIME_DIR"] = str(case.root / ("r" * 120))
    done = run(case, "search", "--json", "x")
    assert done.returncode in (3, 4) and json.loads(done.stdout)["error"]["message"]
    case.env["RECALLD_RUNTIME_DIR"] = str(case.places.runtime)
    case.places.config.write_text("[broken")
    done = run(case, "search", "x")
    assert done.returncode in (3, 4) and str(case.places.config) in done.stderr and done.stdout == ""


def test_call_prints_the_reply(full: Case) -> None:
    done = run(full, "call", "search", '{"query": "checkout", "limit": 1}')
    assert done.returncode == 0 and len(json.loads(done.stdout)["hits"]) == 1
    assert json.loads(run(full, "call", "ping").stdout)["pid"] == full.process.pid  # type: ignore[union-attr]
    done = run(full, "call", "search", "-", input='{"query": "checkout"}')
    assert json.loads(done.stdout)["total"] == 3


def test_output_that_nobody_reads_to_the_end(full: Case) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{RECALL} show {S} | head -c 1 >/dev/null; {RECALL} search --json checkout | true"],
        env=full.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_control_characters_never_reach_a_terminal(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "escterm \x1b[31mred\x1b]0;title\x07 \x9b1m bell\x07", 0))
    case.read()
    for arguments in (["escterm"], ["show", S], ["sessions"]):
        out = run(case, *arguments).stdout
        assert not [c for c in out if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) <= 0x9F], arguments


def test_nothing_outside_the_places_is_read_or_written(full: Case) -> None:
    home = Path(full.env["HOME"])
    assert list(home.rglob("*")) == []
    for arguments in (["search", "checkout"], ["status"], ["doctor"], ["sessions"]):
        run(full, *arguments)
    assert list(home.rglob("*")) == []


def test_times_without_a_zone_are_the_clients(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "zoneterm", 0) | {"timestamp": "2026-11-28T01:30:00.000Z"})
    case.read()
    case.env["TZ"] = "America/New_York"  # it is still the 27th there
    assert len(case.json("search", "zoneterm", "--until", "2026-11-27")["hits"]) == 1
    assert case.json("search", "zoneterm", "--since", "2026-11-28")["hits"] == []
    case.env["TZ"] = "UTC"
    assert case.json("search", "zoneterm", "--until", "2026-11-27")["hits"] == []
    assert len(case.json("search", "zoneterm since:2026-11-28 until:2026-11-28")["hits"]) == 1


def test_ids_of_several_records_of_one_message(case: Case) -> None:
    blocks = [
        {"type": "text", "text": "first I look"},
        *use("c1", "Read", file_path="/a"),
        *use("c2", "Bash", command="ls"),
    ]
    case.write(CLAUDE, cc("user", "u1", None, "go", 0), cc("assistant", "a1", "u1", blocks, 1))
    case.read()
    assert [(r["id"], r["parent"]) for r in case.records(S)] == [
        ("u1", None),
        ("a1", "u1"),
        ("a1#1", "u1"),
        ("a1#2", "u1"),
    ] or [r["id"] for r in case.records(S)] == ["u1", "a1", "a1#1", "a1#2"]


def test_an_ambiguous_prefix_names_the_candidates(case: Case) -> None:
    for end in ("a1", "a2", "a3", "a4", "a5", "a6", "a7"):
        sid = f"5e551011-0000-4000-8000-0000000000{end}"
        case.write(f"{DIR}/{sid}.jsonl", cc("user", f"u{end}", None, "twice", 0, sessionId=sid))
    case.read()
    done = run(case, "show", "5e551011")
    assert done.returncode == 4 and "claude-code:5e551011-0000-4000-8000-0000000000a" in done.stderr
    assert "names 7 sessions" in done.stderr and done.stderr.count(" (twice)") == 5 and "and 2 more\n" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert json.loads(run(case, "show", "--json", S).stdout)["session"]["id"] == S


@pytest.mark.parametrize("asked", [("search", "anything"), ("sessions",), ("blame", "a.py"), ("context", "anything")])
def test_an_empty_index_says_that_it_is_empty(case: Case, asked: tuple[str, ...]) -> None:
    case.read()
    done = run(case, *asked)
    assert done.returncode == 1 and "nothing is indexed yet: `recall doctor`" in done.stdout
    case.write(CLAUDE, cc("user", "u1", None, "something", 0))
    case.read()
    assert "nothing is indexed" not in run(case, *asked).stdout


@pytest.mark.parametrize("agent", ["", "claude-code:"])
def test_of_many_candidates_the_newest_are_named(case: Case, agent: str) -> None:
    for second in range(50):  # ids that begin with the time, as Codex makes them: the first by id are the oldest
        sid = f"5e55{second:04}-0000-4000-8000-00000000000a"
        case.write(f"{DIR}/{sid}.jsonl", cc("user", f"u{second}", None, "often", second, sessionId=sid))
    case.read()
    said = run(case, "show", agent + "5e55").stderr
    assert "names 50 sessions" in said and "and 45 more\n" in said
    assert [f"5e55{second:04}" for second in (49, 48, 47, 46, 45)] == re.findall("5e55[0-9]{4}", said)


@pytest.mark.parametrize("agent", ["", "claude-code:"])
def test_a_hexadecimal_id_is_found_in_small_and_in_capital_digits(case: Case, agent: str) -> None:
    for sid in ("5e55aaaa-0000-4000-8000-00000000000a", "5E55BBBB-0000-4000-8000-00000000000B"):
        case.write(f"{DIR}/{sid}.jsonl", cc("user", f"u{sid}", None, "hexterm", 0, sessionId=sid))
    case.read()
    for said, found in (("5E55AAAA", "5e55aaaa"), ("5e55bbbb", "5E55BBBB"), ("5e55Aa", "5e55aaaa")):
        assert case.json("show", agent + said)["session"]["id"].startswith(found)
    assert len(case.ask("search", query="hexterm", session=["5E55A"])["hits"]) == 1


def test_an_interrupt_ends_the_client_quietly(full: Case) -> None:
    process = subprocess.Popen(
        [RECALL, "mcp"], env=full.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert "Traceback" not in told


@pytest.mark.parametrize("program", [[RECALL, "--help"], [RECALLD, "--help"], [RECALL, "--version"], [RECALLD, "--version"]])
def test_help_and_version_touch_nothing(case: Case, program: list[Any]) -> None:
    done = subprocess.run(program, env=case.env, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0 and done.stdout and done.stderr == ""
    assert not case.places.data.exists()
