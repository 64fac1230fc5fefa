"""Codex's files, from the outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_kit import CODEX, ROLLOUT, Case, T, agent, at, call, cx, event, item, meta, output, person, response, zst

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


def test_only_the_first_session_meta_is_the_identity(case: Case) -> None:
    case.write(CODEX, meta(), meta(U, cwd="/srv/other", model_provider="elsewhere"), *person("mine", 1))
    case.read()
    assert (
        set(case.sessions()) == {T}
        and case.sessions()[T]["project"] == "/srv/api"
        and case.sessions()[T]["provider"] == "openai"
    )


def test_the_thread_id_inside_counts_not_the_file_name(case: Case) -> None:
    case.write(f"{ROLLOUT}{U}.jsonl", meta(T), *person("insideterm", 1))
    case.read()
    assert set(case.sessions()) == {T}


def test_a_fork_without_ordinals_shares_its_beginning(case: Case) -> None:
    first = [*person("the queue stalls", 1), *agent("a lock is held", 2)]
    case.write(f"{ROLLOUT}{U}.jsonl", meta(U, forked_from_id=T), meta(T), *first, *person("fork question", 9))
    case.read()
    assert case.found("stalls") == [U]
    case.write(CODEX, meta(T), *first, *person("original goes on", 3))
    case.read()
    assert case.found("stalls") == [T] and case.matches("stalls") == 1
    assert case.lines(U) == ["the queue stalls", "a lock is held", "fork question"]
    assert case.sessions()[U]["records"] == 1 and case.sessions()[T]["records"] == 3
    case.path(CODEX).unlink()
    case.read()
    assert case.lines(U) == ["the queue stalls", "a lock is held", "fork question"] and case.matches("stalls") == 1


def test_segments_of_one_thread_are_one_session(case: Case) -> None:
    case.write(CODEX, meta(T), *person("segment one", 1))
    case.write(
        f"codex/sessions/2026/11/29/rollout-2026-11-29T09-00-00-{T}_{U}.jsonl", meta(T), *person("segment two", 5)
    )
    case.read()
    assert set(case.sessions()) == {T} and case.lines(T) == ["segment one", "segment two"]


def test_names_last_wins_whatever_comes_first(case: Case) -> None:
    case.write(
        "codex/session_index.jsonl",
        {"id": T, "thread_name": "First name", "updated_at": at(1)},
        {"id": T, "thread_name": "Second name", "updated_at": at(2)},
        {"id": U, "thread_name": "No such", "updated_at": at(2)},
    )
    case.read()
    assert case.sessions() == {}
    case.write(CODEX, meta(), *person("hello", 1))
    case.read()
    assert case.sessions()[T]["title"] == "Second name" and case.found("second") == [T]
    case.append("codex/session_index.jsonl", {"id": T, "thread_name": "Third name", "updated_at": at(3)})
    case.read()
    assert case.sessions()[T]["title"] == "Third name" and set(case.sessions()) == {T}


def test_history_gives_way_to_the_rollout(case: Case) -> None:
    case.write(
        "codex/history.jsonl",
        {"session_id": T, "ts": 1764320400, "text": "typedterm"},
        {"session_id": U, "ts": 1764320401, "text": "orphanterm"},
    )
    case.read()
    assert case.sessions()[T]["source_deleted"] is True and case.found("typedterm") == [T]
    assert case.records(T)[0]["time"] == "2025-11-28T09:00:00.000Z"
    case.write(CODEX, meta(), *person("typedterm", 1))
    case.read()
    assert case.matches("typedterm") == 1 and case.sessions()[T]["source_deleted"] is False
    assert case.found("orphanterm") == [U]


def test_compressed_then_unpacked_then_appended_is_one_session(case: Case) -> None:
    f = case.write(CODEX, meta(), *person("packedterm", 1))
    case.read()
    z = f.with_name(f.name + ".zst")
    z.write_bytes(zst(f.read_bytes()))
    case.read()
    assert case.matches("packedterm") == 1 and case.sessions()[T]["path"] == str(f)
    f.unlink()
    case.read()
    assert (
        case.matches("packedterm") == 1
        and case.sessions()[T]["path"] == str(z)
        and case.sessions()[T]["source_deleted"] is False
    )
    archived = case.path(f"codex/archived_sessions/{z.name}")
    z.rename(archived)
    case.read()
    assert case.sessions()[T]["path"] == str(archived)
    import zstandard

    f.write_bytes(zstandard.decompress(archived.read_bytes()))
    archived.unlink()
    case.append(CODEX, *person("appendedterm", 2))
    case.read()
    assert case.lines(T) == ["packedterm", "appendedterm"] and case.matches("packedterm") == 1
    record = case.records(T)[1]
    data = f.read_bytes()
    at_, length = record["source"]["offset"], record["source"]["length"]
    assert b"appendedterm" in data[at_ : at_ + length] and data[at_ + length - 1 : at_ + length] == b"\n"
    assert case.ask("status")["sessions"] == 1


def test_a_rollout_first_seen_compressed(case: Case) -> None:
    case.path(CODEX + ".zst").write_bytes(
        zst(b"".join(__import__("case_kit").encode(x) for x in (meta(), *person("coldterm", 1))))
    )
    case.read()
    assert case.found("coldterm") == [T]


def test_a_damaged_archive_is_reported_and_harms_nothing_else(case: Case) -> None:
    whole = zst(__import__("case_kit").encode(meta(), *person("cutterm", 1)))
    case.path(CODEX + ".zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"garbage" * 20)
    case.path(f"{ROLLOUT}{U}.jsonl.zst").write_bytes(whole[: len(whole) // 2])
    other = "01a1beef-0000-7000-8000-0000000000e5"
    case.write(f"{ROLLOUT}{other}.jsonl", meta(other), *person("soundterm", 1))
    case.read()
    assert case.found("soundterm") == [other]
    assert T in json.dumps(case.findings())


def test_legacy_rewritten_as_paginated_under_the_same_path(case: Case) -> None:
    case.write(
        CODEX,
        meta(history_mode="legacy"),
        event("user_message", 1, message="migrateterm"),
        response("user", "migrateterm", 1),
        event("agent_message", 2, message="answerterm"),
        response("assistant", "answerterm", 2),
    )
    case.read()
    before = case.said(T)
    tmp = case.write(CODEX + ".tmp", meta(history_mode="paginated"), *person("migrateterm", 1), *agent("answerterm", 2))
    tmp.rename(case.path(CODEX))
    case.read()
    assert case.said(T) == before == [("user", "message", "migrateterm"), ("assistant", "message", "answerterm")]


@pytest.mark.parametrize(("source", "kind"), [({"subagent": "review"}, "review"), ({"subagent": {"thread_spawn": {"parent_thread_id": U, "depth": 1, "agent_role": "explorer"}}}, "explorer"), ({"subagent": {"other": "guardian"}}, "guardian")])  # fmt: skip
def test_sub_agents_are_told_by_their_source(case: Case, source: Any, kind: str) -> None:
    case.write(CODEX, meta(source=source, parent_thread_id=U), *person("sub work", 1))
    case.read()
    s = case.sessions()[T]
    assert s["sub_agent"] == kind and s["parent"] == U
    assert case.sessions(sub_agents=False) == {}


@pytest.mark.parametrize("source", ["cli", "exec", "vscode", "mcp", None, 7, {"odd": []}])
def test_any_other_source_is_a_main_session(case: Case, source: Any) -> None:
    case.write(CODEX, meta(source=source), *person("main work", 1))
    case.read()
    assert set(case.sessions(sub_agents=False)) == {T}


def test_a_sub_agent_does_not_show_what_it_inherited(case: Case) -> None:
    first = [*person("parentterm", 1), *agent("delegating", 2)]
    replay = [meta(T), *first]
    start = 1 + len(replay)
    lines = [
        meta(
            U,
            parent_thread_id=T,
            subagent_history_start_ordinal=start,
            source={"subagent": {"thread_spawn": {"parent_thread_id": T, "depth": 1}}},
        ),
        *replay,
        *person("subtaskterm", 3),
    ]
    case.write(f"{ROLLOUT}{U}.jsonl", *[x | {"ordinal": n} for n, x in enumerate(lines)])
    case.read()
    assert case.lines(U) == ["subtaskterm"] and case.found("parentterm") == []
    case.write(CODEX, meta(T), *first)
    case.read()
    assert case.found("parentterm") == [T] and case.lines(U) == ["subtaskterm"]


def test_the_provider_and_how_to_resume_it(case: Case) -> None:
    case.write(CODEX, meta(model_provider="relay"), *person("providerterm", 1))
    case.write(f"{ROLLOUT}{U}.jsonl", meta(U), *person("plain", 1))
    case.read()
    assert (
        case.sessions()[T]["resume"] == f"codex resume -c model_provider=relay {T}"
        or "model_provider=relay" in case.sessions()[T]["resume"]
    )
    assert "model_provider" not in case.sessions()[U]["resume"]
    case.path("codex/config.toml").write_text('model_provider = "relay"\n')
    assert "model_provider" not in case.sessions()[T]["resume"]
    assert "model_provider=openai" in case.sessions()[U]["resume"]


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
    case.write(
        CODEX, meta(), *person("with an id", 1), call("c9", "exec_command", {"cmd": "ls"}, 2), output("c9", "x", 2)
    )
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
