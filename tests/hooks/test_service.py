"""Hooks in the daemon: counts, the transcript read to its end, the status line, the answer for MCP tools."""

from __future__ import annotations

import json

from hooks.hooks_history import ASKED, OTHER, PROJECT, context
from hooks.hooks_machine import Machine
from made.problems import POOL
from made.transcript import Step


def test_answers_silences_and_times_are_counted_by_agent_and_event(machine: Machine) -> None:
    machine.session(*POOL)
    machine.start()
    machine.hook("codex", "UserPromptSubmit", {"session_id": "s", "cwd": PROJECT, "prompt": ASKED})
    machine.hook("codex", "UserPromptSubmit", {"session_id": "s", "cwd": PROJECT, "prompt": "ok, continue"})
    machine.hook("qwen-code", "SessionStart", {"session_id": "s", "cwd": "/nowhere"})
    status = json.loads(machine.recall("status", "--json").stdout)
    counts = status["hooks"]["codex"]["UserPromptSubmit"]
    assert (counts["answers"], counts["silences"], counts["failures"]) == (1, 1, 0)
    assert 0 < counts["p50_ms"] <= counts["p99_ms"]
    assert status["hooks"]["qwen-code"]["SessionStart"]["silences"] == 1
    assert "hooks" in machine.recall("status").stdout.decode()


def test_the_end_of_a_session_and_a_compaction_read_its_transcript_at_once(machine: Machine) -> None:
    writer = machine.session(*OTHER, agent="claude-code")
    machine.start()
    for n, event in enumerate(("PreCompact", "SessionEnd")):
        writer.step(Step("assistant", f"The very last words are marmalade{n}."))
        path = writer.save(machine.root)
        given = {"session_id": writer.session, "cwd": PROJECT, "transcript_path": str(path), "trigger": "auto"}
        assert machine.hook("claude-code", event, given) == ""
        with machine.client() as client:
            client.sync()
            assert client.search(f"marmalade{n}")["total"] == 1


def test_a_transcript_outside_of_the_agents_directories_is_not_read(machine: Machine) -> None:
    writer = machine.session(Step("user", "a marmalade secret"), agent="claude-code")
    moved = (machine.root / writer.path).rename(machine.root / "elsewhere.jsonl")
    machine.start()
    given = {"session_id": "s", "cwd": PROJECT, "transcript_path": str(moved)}
    assert machine.hook("claude-code", "SessionEnd", given) == ""
    with machine.client() as client:
        client.sync()
        assert client.search("marmalade")["total"] == 0


def test_an_mcp_tool_gets_the_same_answer_as_text_and_braces_for_silence(machine: Machine) -> None:
    solved = machine.session(*POOL)
    machine.start()
    fields = {"session_id": "s", "cwd": PROJECT, "prompt": ASKED}
    asked = {"agent": "claude-code", "event": "UserPromptSubmit", "for_tool": True}
    with machine.client() as client:
        first = client.request("hook", asked | {"payload": fields})
        second = client.request("hook", asked | {"payload": fields})
        as_text = client.request("hook", asked | {"payload": json.dumps(fields | {"session_id": "t"})})
    assert solved.session in context(first["output"], "UserPromptSubmit")
    assert second["output"] == "{}"
    assert as_text["output"] == first["output"]


def test_what_was_forgotten_is_not_spoken_of(machine: Machine) -> None:
    solved = machine.session(*POOL)
    machine.start()
    given = {"session_id": "s", "cwd": PROJECT, "prompt": ASKED}
    assert machine.recall("forget", "--session", solved.session, "--yes").returncode == 0
    assert machine.hook("claude-code", "UserPromptSubmit", given) == ""
    assert machine.hook("claude-code", "SessionStart", given | {"source": "startup"}) == ""


def test_an_answer_that_takes_too_long_is_silence_and_is_counted(machine: Machine) -> None:
    machine.session(*POOL)
    machine.places.config.write_text("[hooks]\nbudget_ms = 1\n")
    machine.start()
    padding = "x" * 3_000_000
    given = {"session_id": "s", "cwd": PROJECT, "prompt": f"{ASKED} {padding}"}
    with machine.client() as client:
        answer = client.request("hook", {"agent": "codex", "event": "UserPromptSubmit", "payload": json.dumps(given).encode()})
        counts = client.request("status", {})["hooks"]["codex"]["UserPromptSubmit"]
    assert answer == {"output": ""}
    assert (counts["answers"], counts["silences"], counts["failures"]) == (0, 1, 1)


def test_the_status_line_says_how_much_there_is_and_that_it_is_all_there(machine: Machine) -> None:
    machine.session(*POOL)
    machine.session(*OTHER, project="/home/ada/work/web")
    machine.start()
    given = {"session_id": "s", "cwd": "/", "workspace": {"current_dir": PROJECT, "project_dir": PROJECT}}
    line = machine.run("statusline", "claude-code", stdin=given)
    assert line == "recall: 2 sessions · 1 in this project · indexed to the last byte\n"
    assert machine.recall("statusline", "qwen-code", stdin=b'{"cwd": "/new"}').stdout.decode() == (
        "recall: 2 sessions · new project · indexed to the last byte\n"
    )
