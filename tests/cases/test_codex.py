"""Codex's files, from the outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_kit import CODEX, Case, T, agent, at, call, cx, event, item, meta, output, person, response

U = "01a1beef-0000-7000-8000-0000000000d4"


def test_every_tool_becomes_the_record_of_what_it_does(case: Case) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old\n+patchterm\n*** Add File: b.py\n+x\n*** Delete File: c.py\n*** Update File: d.py\n*** Move to: e.py\n*** End Patch"
    case.write(
        CODEX,
        meta(),
        *person("go", 1),
        call("c1", "exec_command", {"cmd": "cargo test"}, 2),
        call("c2", "shell", {"command": ["bash", "-lc", "cargo build"]}, 3),
        call("c3", "shell_command", {"command": "cargo fmt"}, 4),
        cx(
            "response_item",
            {
                "type": "local_shell_call",
                "call_id": "c4",
                "status": "completed",
                "action": {"type": "exec", "command": ["ls", "-l"]},
            },
            5,
        ),
        cx("response_item", {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c5"}, 6),
        cx(
            "response_item",
            {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "webterm"}},
            7,
        ),
        call("c7", "update_plan", {"plan": [{"step": "planterm", "status": "pending"}]}, 8),
    )
    case.read()
    got = [(r["kind"], r["tool"], r["command"], r["paths"]) for r in case.records(T)[1:]]
    assert got[0] == ("command", "exec_command", "cargo test", [])
    assert got[1] == ("command", "shell", "cargo build", [])
    assert got[2] == ("command", "shell_command", "cargo fmt", [])
    assert got[3][0] == "command" and got[3][2] == "ls -l"
    assert got[4][:2] == ("edit", "apply_patch")
    assert sorted(got[4][3]) == ["b.py", "c.py", "d.py", "e.py", "src/a.py"]
    assert case.found("patchterm") == [T] and case.found("webterm") == [T] and case.found("planterm") == [T]


def test_exit_status_in_each_form(case: Case) -> None:
    outputs: list[tuple[Any, int | None]] = [
        ("Process exited with code 3\nOutput:\nx", 3),
        ("Exit code: 4\nWall time: 1 s\nOutput:\nx", 4),
        (json.dumps({"output": "jsonterm", "metadata": {"exit_code": 5, "duration_seconds": 0.1}}), 5),
        ([{"type": "input_text", "text": "partterm"}], None),
        ("Process exited with code 0\nOutput:\nfine", 0),
        ("plain", None),
    ]
    lines = [meta(), *person("go", 1)]
    for n, (text, _) in enumerate(outputs):
        lines += [call(f"c{n}", "exec_command", {"cmd": f"step {n}"}, n + 2), output(f"c{n}", text, n + 2)]
    case.write(CODEX, *lines)
    case.read()
    got = case.records(T, kind="output")
    assert [r["exit_status"] for r in got] == [status for _, status in outputs]
    assert [r["is_error"] for r in got] == [None if s is None else s != 0 for _, s in outputs]
    assert [r["id"] for r in got] == [f"c{n}:out" for n in range(len(outputs))]
    assert case.found("jsonterm") == [T] and case.found("partterm", role="tool") == [T]


def test_items_and_their_response_copies_are_one_record(case: Case) -> None:
    done = {
        "type": "CommandExecution",
        "id": "c1",
        "command": ["bash", "-lc", "pytest -q"],
        "cwd": "/srv/api",
        "aggregated_output": "ranterm",
        "exit_code": 1,
        "status": "failed",
    }
    case.write(
        CODEX,
        meta(history_mode="paginated"),
        *person("run the tests", 1),
        call("c1", "exec_command", {"cmd": "pytest -q"}, 2),
        cx("event_msg", {"type": "item_completed", "item": done}, 3),
        output("c1", "Process exited with code 1\nOutput:\nranterm", 3),
        cx(
            "event_msg",
            {
                "type": "item_completed",
                "item": {"type": "Reasoning", "id": "r", "summary_text": ["ponderterm"], "raw_content": []},
            },
            4,
        ),
        cx(
            "response_item",
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "ponderterm"}],
                "encrypted_content": "x",
            },
            4,
        ),
        *agent("two fail", 5),
        event("task_complete", 6, last_agent_message="two fail"),
    )
    case.read()
    assert [(r["role"], r["kind"]) for r in case.records(T)] == [
        ("user", "message"),
        ("assistant", "command"),
        ("tool", "output"),
        ("assistant", "message"),
    ]
    assert case.matches("ranterm") == 1 and case.found("ponderterm") == []
    assert case.records(T, kind="output")[0]["exit_status"] == 1


def test_a_turn_said_twice_by_a_person_counts_twice(case: Case) -> None:
    case.write(CODEX, meta(), *person("yes", 1), *agent("done", 2), *person("yes", 3), *agent("done", 4))
    case.read()
    assert case.lines(T) == ["yes", "done", "yes", "done"]


def test_words_without_an_event_are_taken_from_the_response(case: Case) -> None:
    case.write(
        CODEX,
        meta(),
        response("user", "only response", 1),
        response("assistant", "only answer", 2),
        response("developer", "devterm", 3),
    )
    case.read()
    assert case.lines(T) == ["only response", "only answer"] and case.found("devterm") == []


def test_the_bare_lines_of_old_versions(case: Case) -> None:
    case.write(
        CODEX,
        {"id": T, "timestamp": at(0), "instructions": "instructionterm", "git": {"branch": "oldbranch"}},
        {"record_type": "state"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {
                    "type": "input_text",
                    "text": "<environment_context>\nCurrent working directory: /srv/old\n</environment_context>",
                }
            ],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "bareterm"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"a.py","metadata":{"exit_code":0}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "bare answer"}]},
    )
    case.read()
    s = case.sessions()[T]
    assert s["project"] == "/srv/old" and s["started"] == at(0)
    assert [(r["role"], r["kind"]) for r in case.records(T)] == [
        ("user", "message"),
        ("assistant", "command"),
        ("tool", "output"),
        ("assistant", "message"),
    ]
    assert case.found("instructionterm") == [] and case.ask("status")["agents"]["codex"]["skipped_lines"] == 0


@pytest.mark.parametrize("tag", ["environment_context", "user_instructions", "permissions instructions", "skills_instructions", "apps_instructions", "collaboration_mode", "turn_aborted"])  # fmt: skip
def test_injected_blocks_go_from_the_head_only(case: Case, tag: str) -> None:
    block = f"<{tag}>\ninjectterm\n</{tag}>"
    case.write(
        CODEX,
        meta(),
        response("user", block, 1),
        response("user", f"{block}\n\nheadterm words", 2),
        response("user", f"what does {block} do, tailterm", 3),
    )
    case.read()
    assert case.lines(T) == ["headterm words", f"what does {block} do, tailterm"]


def test_nested_instructions_and_marked_content(case: Case) -> None:
    nested = "# AGENTS.md instructions for /srv/api\n\n<INSTRUCTIONS>\nuse <INSTRUCTIONS>innerterm</INSTRUCTIONS> always restterm\n</INSTRUCTIONS>"
    case.write(
        CODEX,
        meta(),
        response("user", nested, 1),
        cx(
            "response_item",
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "kindterm"}, {"type": "input_text", "text": "realterm"}],
                "content_item_kinds": ["agents_md", "user.text"],
            },
            2,
        ),
    )
    case.read()
    for word in ("innerterm", "restterm"):
        assert case.found(word) == [], word
    assert case.found("realterm") == [T]


def test_a_compaction_keeps_its_message_and_not_its_replay(case: Case) -> None:
    case.write(
        CODEX,
        meta(),
        *person("long work", 1),
        cx(
            "compacted",
            {
                "message": "summaryterm of the work",
                "replacement_history": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "replayterm"}]}
                ],
            },
            2,
        ),
        event("context_compacted", 2),
        *person("go on", 3),
    )
    case.read()
    assert case.said(T) == [
        ("user", "message", "long work"),
        ("system", "summary", "summaryterm of the work"),
        ("user", "message", "go on"),
    ]
    assert case.found("replayterm") == [] and len(case.ask("show", session=T)["compactions"]) == 1


def test_rollback_marks_the_last_turns(case: Case) -> None:
    case.write(
        CODEX,
        meta(),
        *person("one", 1),
        *agent("a one", 2),
        *person("two", 3),
        *agent("a two", 4),
        *person("three", 5),
        *agent("a three", 6),
        event("thread_rolled_back", 7, num_turns=2),
        *person("four", 8),
    )
    case.read()
    assert case.lines(T) == ["one", "a one", "four"]
    assert [r["text"] for r in case.records(T, all_branches=True) if r["abandoned"]] == [
        "two",
        "a two",
        "three",
        "a three",
    ]
    case.append(CODEX, event("thread_rolled_back", 9, num_turns=1))
    case.read()
    assert case.lines(T) == ["one", "a one"]


def test_records_without_ids_are_named_by_their_place(case: Case) -> None:
    case.write(
        CODEX,
        meta(),
        response("user", "by line", 1),
        response("assistant", "by ordinal", 2, ordinal=None) | {"ordinal": 7},
    )
    case.read()
    assert [r["id"] for r in case.records(T)] == ["@1", "@7"]


def test_item_ids_name_records(case: Case) -> None:
    case.write(CODEX, meta(), *person("with an id", 1), call("c9", "exec_command", {"cmd": "ls"}, 2), output("c9", "x", 2))
    case.read()
    assert [r["id"] for r in case.records(T)] == ["item1", "c9", "c9:out"]


@pytest.mark.parametrize("odd", [None, 7, "text", [], {}, {"type": None}, {"type": "message", "content": 3}, {"type": "message", "role": "user", "content": [None, 3, {}]}, {"type": "function_call", "arguments": 3}, {"type": "function_call", "name": "exec_command", "arguments": "{broken", "call_id": "x"}, {"type": "function_call_output", "output": None}, {"type": "item_completed", "item": None}, {"type": "item_completed", "item": {"type": "CommandExecution", "command": 3}}, {"type": "thread_rolled_back", "num_turns": "x"}])  # fmt: skip
def test_a_payload_of_any_shape_costs_itself_only(case: Case, odd: Any) -> None:
    kinds = (
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "token_usage_record",
        "inter_agent_communication",
        "new_kind",
        "session_meta",
    )
    case.write(CODEX, meta(), *[cx(kind, odd, 1) for kind in kinds], *person("survivorterm", 2))
    case.read()
    assert case.found("survivorterm") == [T]
    assert case.ask("status")["agents"]["codex"]["skipped_lines"] == 0


def test_auth_is_never_read(case: Case) -> None:
    secret = case.write("codex/auth.json", {"tokens": {"access_token": "authterm"}})
    before = secret.stat().st_atime_ns
    case.write(CODEX, meta(), *person("x", 1))
    case.read()
    assert case.found("authterm") == [] and secret.stat().st_atime_ns == before


def test_an_interrupted_turn_and_images(case: Case) -> None:
    picture = cx(
        "response_item",
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "see this"},
                {"type": "input_image", "image_url": "data:image/png;base64,imageterm"},
            ],
        },
        1,
    )
    case.write(CODEX, meta(), picture, event("turn_aborted", 2, reason="interrupted"), item("UserMessage", 3, "again"))
    case.read()
    assert case.lines(T) == ["see this", "again"] and case.found("imageterm") == []
