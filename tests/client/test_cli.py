"""The command line against a real socket: health, errors, signals, and the table of commands."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import pytest

from recall.cli import COMMANDS, cli
from recalld.server.methods import METHODS

# -- health ------------------------------------------------------------------------------------------------


def status_answer(home: Any, **more: Any) -> dict[str, Any]:
    roots = {
        "claude-code": [str(home.root / "claude")],
        "codex": ["/elsewhere"],
        "qwen-code": [str(home.root / "qwen")],
    }
    counts = {"files": 1, "sessions": 2, "records": 3, "skipped_lines": 4}
    return {
        "version": "0.1.0",
        "pid": 5,
        "uptime_s": 3700,
        "records": 12345,
        "sessions": 6,
        "files": 7,
        "pending_bytes": 0,
        "complete": True,
        "last_commit": None,
        "rss_bytes": 50_000_000,
        "agents": {agent: counts | {"roots": paths} for agent, paths in roots.items()},
    } | more


def test_status_and_doctor_start_nothing_and_say_that_none_runs(home: Any) -> None:
    done = home.recall("status", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "unreachable"
    assert "recall start" in done.stderr
    done = home.recall("doctor", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["check"] == "daemon"
    assert not home.places.data.exists()
    assert list(home.places.runtime.iterdir()) == []


def test_without_a_daemon_doctor_looks_at_what_keeps_one_from_starting(home: Any) -> None:
    def found(remedy: str) -> dict[str, str]:
        findings = json.loads(home.recall("doctor", "--json").stdout)["findings"]
        assert len({f["message"] for f in findings}) == len(findings)
        assert findings[0]["remedy"] == remedy
        return {f["check"]: f["message"] for f in findings}

    home.places.config.write_text("[hooks\n")
    home.places.data.write_text("a file")
    told = found("mend what follows, then recall start")
    assert told["daemon"] == "no recalld is running"
    assert "line 1" in told["config"]
    assert "is no directory" in told["data"]
    home.places.data.unlink()
    home.places.config.write_text("[hooks]\nbudget_ms = 'soon'\n")
    assert set(found("recall start")) == {"daemon"}
    assert home.recall("start").returncode == 3
    assert "budget_ms" in found("mend that, then recall start")["daemon"], "why the last one ended"


def test_doctor_does_not_ask_for_an_agent_that_is_switched_off(home: Any, serve: Any) -> None:
    off = status_answer(home, disabled=["codex"])
    del off["agents"]["codex"]
    serve(lambda m, p: {"findings": []} if m == "doctor" else off)
    assert json.loads(home.recall("doctor", "--json").stdout)["findings"] == []


def test_notes_are_told_and_are_nothing_wrong(home: Any, serve: Any) -> None:
    good = status_answer(home)
    good["agents"]["codex"]["roots"] = [str(home.root / "codex")]
    line = {"check": "skipped_line", "path": "/w/a.jsonl", "offset": 7, "message": "not JSON", "remedy": None}
    notes = {"skipped_lines": [line] * 12, "no_agents": ["/h/.codex"]}
    serve(lambda m, p: {"findings": [], "notes": notes} if m == "doctor" else good)
    done = home.recall("doctor")
    assert done.returncode == 0
    for text in ("all is well", "/w/a.jsonl at byte 7: not JSON", "and 2 more", "no agent's directory", "/h/.codex"):
        assert text in done.stdout


def test_status_is_readable(home: Any, serve: Any) -> None:
    serve(lambda m, p: status_answer(home))
    done = home.recall("status")
    assert done.returncode == 0
    for text in ("12,345 records", "complete", "1 h 1 min", "4 lines skipped", "50.0 MB"):
        assert text in done.stdout


def test_doctor_compares_where_the_agents_are_here_and_for_the_daemon(home: Any, serve: Any) -> None:
    finding = {"check": "skipped_lines", "path": "/w/a.jsonl", "offset": 7, "message": "not JSON", "remedy": None}
    answers = {"doctor": {"findings": [finding]}, "status": status_answer(home, version="0.0.9")}
    serve(lambda m, p: answers[m])
    done = home.recall("doctor", "--json")
    findings = json.loads(done.stdout)["findings"]
    assert done.returncode == 1
    assert [f["check"] for f in findings] == ["skipped_lines", "environment", "version"]
    assert findings[1]["path"] == str(home.root / "codex")
    assert "[sources.codex]" in findings[1]["remedy"]
    assert "/w/a.jsonl at byte 7" in home.recall("doctor").stdout


def test_doctor_is_content_where_nothing_is_wrong(home: Any, serve: Any) -> None:
    good = status_answer(home)
    good["agents"]["codex"]["roots"] = [str(home.root / "codex")]
    serve(lambda m, p: {"findings": []} if m == "doctor" else good)
    assert (home.recall("doctor").returncode, home.recall("doctor", "--json").returncode) == (0, 0)


def test_call_sends_one_raw_request(home: Any, serve: Any) -> None:
    server = serve(lambda m, p: {"got": p})
    assert json.loads(home.recall("call", "any", '{"a": [1]}').stdout) == {"got": {"a": [1]}}
    assert json.loads(home.recall("call", "any", "-", stdin='{"b": 2}').stdout) == {"got": {"b": 2}}
    assert [m for m, _ in server.asked] == ["any", "any"]
    assert home.recall("call", "any", "[1]").returncode == 2
    assert home.recall("call", "any", "{").returncode == 2


def test_sync_waits_for_the_daemon(home: Any, serve: Any) -> None:
    server = serve(lambda m, p: {} if m == "sync" else status_answer(home))
    assert home.recall("sync").returncode == 0
    assert json.loads(home.recall("sync", "--json").stdout) == {"schema": 1}
    home.in_terminal("sync")
    assert [m for m, _ in server.asked].count("sync") == 3


def test_sync_on_a_terminal_shows_how_far_it_is(home: Any, serve: Any) -> None:
    looked = threading.Event()

    def handler(method: str, params: dict[str, Any]) -> Any:
        if method == "sync":
            looked.wait(30)
            return {}
        if len(server.asked) > 4:
            looked.set()
        return status_answer(home, complete=False, pending_bytes=40_000_000)

    server = serve(handler)
    assert "reading sessions" in home.in_terminal("sync")


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100])
def test_the_bar_keeps_to_one_line_and_comes_when_there_is_something_to_say(home: Any, serve: Any, columns: int) -> None:
    looked = threading.Event()

    def handler(method: str, params: dict[str, Any]) -> Any:
        if method == "sync":
            looked.wait(30)
            return {}
        if len(server.asked) > 6:
            looked.set()
        return status_answer(home, complete=False, pending_bytes=0 if len(server.asked) < 4 else 123_400_000)

    server = serve(handler)
    out = home.in_terminal("sync", COLUMNS=str(columns))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out)
    rows = [row for row in re.split(r"[\r\n]+", shown) if row.strip()]
    assert rows and all(row.startswith("reading sessions") and len(row.rstrip()) <= columns for row in rows)
    assert "?" not in shown


# -- errors, signals, pipes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ("search", "x", "--limit", "0"),
        ("search", "x", "--since", "soon"),
        ("search", "  "),
        ("show",),
        ("show", ""),
        ("resume", " "),
        ("forget", "--session", ""),
        ("sessions", "--agent", "other"),
        ("service", "nosuch"),
    ],
)
def test_wrong_usage_is_status_2_and_one_line_also_as_json(home: Any, args: tuple[str, ...]) -> None:
    done = home.recall(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    done = home.recall(*args, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "bad_request"


@pytest.mark.parametrize("value", ["0", "many", "10001"])
def test_a_number_that_is_none_is_told_what_it_should_be(home: Any, value: str) -> None:
    told = f"Invalid value for '--limit': '{value}' should be a whole number, from 1 to 10,000"
    assert home.recall("x", "--limit", value).stderr == f"recall: {told}; see `recall search --help`\n"


def test_every_limit_that_is_offered_is_one_that_the_daemon_takes() -> None:
    for name, command in commands():
        limit = next((param.type for param in command.params if param.name == "limit"), None)
        if isinstance(limit, click.IntRange):
            taken = METHODS[name].params["limit"]
            assert (limit.min, limit.max) == (taken.low, taken.high), name


def test_a_group_alone_is_its_help(home: Any) -> None:
    done = home.recall("service")
    assert done.returncode == 0
    assert "uninstall" in done.stdout


def test_a_reader_that_leaves_early_is_not_an_error(home: Any, serve: Any, made: Any) -> None:
    many = {"total": 5000, "sessions": [made.session() for _ in range(5000)]}
    serve(lambda m, p: many)
    for option in ("", "--json"):
        script = f'"$@" {option} 2>err | head -c 10 >/dev/null; test "${{PIPESTATUS[0]}}" = 0 && test ! -s err'
        command = ["bash", "-c", script, "bash", *home.command("sessions")]
        assert subprocess.run(command, env=home.env, cwd=home.work, check=False).returncode == 0


def test_ctrl_c_is_quiet_and_130(home: Any, serve: Any) -> None:
    asked = threading.Event()
    release = threading.Event()

    def handler(method: str, params: dict[str, Any]) -> Any:
        asked.set()
        release.wait(30)
        return {}

    serve(handler)
    process = subprocess.Popen(home.command("x"), env=home.env, cwd=home.work, stdout=-1, stderr=-1)
    assert asked.wait(30)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    release.set()
    assert (process.returncode, out, err) == (130, b"", b"")


def test_names_that_are_no_text_do_no_harm(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: made.found(query=p["query"]))
    done = subprocess.run(
        [*home.command("search", "--json"), b"caf\xe9"], env=home.env, cwd=home.work, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["hits"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("args", [("cache",), ("cache", "--json"), ("sessions",), ("--help",), ("nothing",)])
def test_a_full_output_device_is_one_line_and_status_4(home: Any, serve: Any, made: Any, args: tuple[str, ...]) -> None:
    none = {"hits": [], "total": 0}
    answers = {"sessions": {"total": 1, "sessions": [made.session()]}}
    serve(lambda m, p: answers[m] if m in answers else made.found(**(none if p["query"] == "nothing" else {})))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            home.command(*args), env=home.env, cwd=home.work, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
        assert done.returncode == 4
        assert done.stderr == "recall: input or output failed: No space left on device\n"
        done = subprocess.run(home.command(*args), env=home.env, cwd=home.work, stdout=full, stderr=full, check=False)
        assert done.returncode == 4


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_no_fault(home: Any, serve: Any, made: Any, closed: str) -> None:
    serve(lambda m, p: {"total": 1, "sessions": [made.session()]})
    for option in ("", "--json"):
        script = f'"$@" {option} {closed}'
        command = ["bash", "-c", script, "bash", *home.command("sessions")]
        done = subprocess.run(command, env=home.env, cwd=home.work, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert (done.stdout == "") == (">&-" in closed.replace("2>&-", ""))


# -- the table of commands -------------------------------------------------------------------------------------


def commands() -> list[tuple[str, click.Command]]:
    found = []
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += [(f"{name} {sub}", inner) for sub, inner in command.commands.items()]
        else:
            found.append((name, command))
    return found


def test_the_list_of_a_groups_commands_cuts_no_sentence(home: Any) -> None:
    for group in sorted({name.split()[0] for name, _ in commands() if " " in name}):
        listed = home.recall(group, "--help").stdout.split("Commands:")[1]
        assert "..." not in listed, group


def test_every_command_is_there_has_help_and_answers_in_json() -> None:
    without_json = {"hook", "mcp", "statusline"}  # what they print is the agents' to say
    for name, command in commands():
        assert command.help, name
        flags = [option for param in command.params for option in param.opts]
        assert "--json" in flags or name.split()[0] in without_json, name


def test_help_lists_every_command_and_loads_none(home: Any) -> None:
    code = (
        "import sys\nfrom recall.cli import run\nrun(['--help'])\n"
        "print([m for m in sys.modules if m.startswith(('rich', 'recall.cli.s', 'recall.client', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=home.env, capture_output=True, text=True, check=True)
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_search_without_a_terminal_loads_no_rich(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: made.found())
    code = (
        "import sys\nfrom recall.cli import run\nrun(['cache'])\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'asyncio', 'tomlkit', 'platformdirs')])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=home.env, cwd=home.work, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_completion_script(home: Any, shell: str) -> None:
    done = home.recall("completion", shell)
    assert done.returncode == 0
    assert "_RECALL_COMPLETE" in done.stdout


def test_completion_completes_commands_and_options(home: Any) -> None:
    done = home.recall(_RECALL_COMPLETE="bash_complete", COMP_WORDS="recall se", COMP_CWORD="1")
    assert {"plain,search", "plain,sessions", "plain,service"} <= set(done.stdout.split())
    done = home.recall(_RECALL_COMPLETE="bash_complete", COMP_WORDS="recall search --no", COMP_CWORD="2")
    assert "plain,--not-session" in done.stdout


@pytest.mark.parametrize("command", ["show", "resume"])
def test_completion_completes_the_ids_of_the_newest_sessions(home: Any, serve: Any, made: Any, command: str) -> None:
    sessions = [made.session(), made.session(id="22222222-aaaa", title="second\n\x1b[2Jone")]
    server = serve(lambda m, p: {"total": 2, "sessions": sessions})
    ask = {"COMP_WORDS": f"recall {command} 2", "COMP_CWORD": "2"}
    assert home.recall(_RECALL_COMPLETE="bash_complete", **ask).stdout == "plain,22222222-aaaa\n"
    assert server.asked == [("sessions", {"limit": 200, "sub_agents": True})]
    assert home.recall(_RECALL_COMPLETE="zsh_complete", **ask).stdout == "plain\n22222222-aaaa\nsecond one\n"


def test_completion_is_silent_without_a_daemon_and_starts_none(home: Any) -> None:
    for more in ({}, {"RECALLD_DATA_DIR": "relative"}):
        done = home.recall(_RECALL_COMPLETE="bash_complete", COMP_WORDS="recall show 1", COMP_CWORD="2", **more)
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
    assert not home.places.data.exists()


def test_version_is_the_packages(home: Any) -> None:
    import recall

    assert home.recall("--version").stdout == f"recall {recall.__version__}\n"
    assert json.loads(home.recall("version", "--json").stdout)["version"] == recall.__version__
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'version = "{recall.__version__}"' in text
