"""What Qwen Code's messages say, in all the shapes and pieces they come in, from the outside."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import QWEN, Case, Q, at, qw
from qwen_lines import CHATS, OTHER, answer, calls, system


def test_results_their_status_and_their_forms(case: Case) -> None:
    names = [calls(f"c{n}", "run_shell_command", command=f"step {n}") for n in range(5)]
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        qw("assistant", "a", "u", names, 1),
        qw(
            "tool_result",
            "t0",
            "a",
            answer("c0", "run_shell_command", output="outterm"),
            2,
            toolCallResult={"callId": "c0", "status": "success"},
        ),
        qw("tool_result", "t1", "t0", answer("c1", "run_shell_command", error="errorterm"), 3),
        qw(
            "tool_result",
            "t2",
            "t1",
            answer("c2", "run_shell_command", output=""),
            4,
            toolCallResult={"callId": "c2", "status": "error", "resultDisplay": "displayterm"},
        ),
        qw("tool_result", "t3", "t2", [{"toolCallId": "c3", "toolName": "run_shell_command", "text": "legacyterm"}], 5),
        qw(
            "tool_result",
            "t4",
            "t3",
            [*answer("c4", "run_shell_command", output=""), {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}],
            6,
            toolCallResult={"callId": "c4", "status": "success"},
        ),
    )
    case.read()
    got = [(r["role"], r["kind"], r["tool"], r["is_error"]) for r in case.records(Q, kind="output")]
    assert got[:3] == [("tool", "output", "run_shell_command", e) for e in (False, True, True)] or got[:3] == [
        ("tool", "output", "run_shell_command", e) for e in (None, True, True)
    ]
    for word in ("outterm", "errorterm", "displayterm", "legacyterm"):
        assert case.found(word, role="tool") == [Q] and case.found(word, role="user") == [], word
    assert len(got) == 5


@pytest.mark.parametrize(
    ("body", "text", "failed"),
    [
        ("plainterm", "plainterm", None),
        ({"output": 42}, "42", None),
        ({"output": {"rows": [1, 2], "note": "noteterm"}}, "rows: [1,2]\nnote: noteterm", None),
        ({"output": [{"text": "one"}, "two", {"inlineData": {"data": "AAAA"}}]}, "one\ntwo", None),
        ({"content": [{"type": "text", "text": "blockterm"}]}, "blockterm", None),
        ({"stdout": "looseterm"}, "stdout: looseterm", None),
        ({"error": {"message": "wrongterm", "code": 3}}, "wrongterm", True),
        ({"error": {"code": "codeterm"}}, "code: codeterm", True),
        ({"error": ["listterm"]}, "listterm", True),
        ({"output": "half", "error": "thenterm"}, "half\nthenterm", True),
        ({"output": "fine", "error": None}, "fine", None),
        ({"output": ""}, "", None),
        ({}, "", None),
    ],
)
def test_what_a_tool_gave_back_is_text_in_any_shape(case: Case, body: Any, text: str, failed: bool | None) -> None:
    part = {"functionResponse": {"id": "c", "name": "mcp__db__ask", "response": body}}
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        qw("assistant", "a", "u", [calls("c", "mcp__db__ask", query="x")], 1),
        qw("tool_result", "t", "a", [part], 2),
    )
    case.read()
    assert [(r["text"], r["is_error"], r["tool"]) for r in case.records(Q, kind="output")] == [(text, failed, "mcp__db__ask")]


def test_a_result_in_a_persons_line_is_output_and_a_role_goes_before_a_type(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u", None, [{"text": "typedterm"}, *answer("c", "read_file", output="outterm")], 0),
        qw("user", "m", "u", None, 1, message={"role": "model", "parts": [{"text": "modelterm"}]}),
    )
    case.read()
    assert case.said(Q) == [
        ("user", "message", "typedterm"),
        ("tool", "output", "outterm"),
        ("assistant", "message", "modelterm"),
    ]


def test_files_behind_a_prompt_are_not_what_was_typed(case: Case) -> None:
    parts = ["look at @a.ts", "\n--- Content from referenced files ---", "\nContent from @a.ts:\n", "bodyterm"]
    case.write(
        QWEN,
        qw("user", "u", None, [{"text": text} for text in (*parts, "\n--- End of content ---")], 0),
        qw("user", "v", "u", "what does --- Content from referenced files --- mean?", 1),
    )
    case.read()
    assert case.lines(Q) == ["look at @a.ts", "what does --- Content from referenced files --- mean?"]
    assert case.found("bodyterm") == []


def test_what_stands_around_a_shell_command_s_output_is_no_error(case: Case) -> None:
    def ran(uid: str, above: str, command: str, printed: str, code: int, n: int) -> list[dict[str, Any]]:
        report = f"Command: {command}\nDirectory: (root)\nOutput: {printed}\nError: (none)\nExit Code: {code}\nSignal: (none)"
        shell = "run_shell_command"
        return [
            qw("assistant", f"a{uid}", above, [calls(uid, shell, command=command)], n),
            qw("tool_result", uid, f"a{uid}", answer(uid, shell, output=report), n + 1),
        ]

    broken = "stripeload: cannot parse stripe 7 of the manifest"
    case.write(
        QWEN,
        qw("user", "u", None, "load the stripes", 0),
        *ran("t1", "u", "ls stripes", "a b", 0, 1),
        *ran("t2", "t1", "stripeload all", broken, 1, 3),
        *ran("t3", "t2", "stripefix --manifest", "fixed", 0, 5),
        *ran("t4", "t3", "stripeload all", "(empty)", 0, 7),
    )
    case.read()
    pasted = f"Command: stripeload all\nDirectory: (root)\nOutput: {broken}\nError: (none)\nExit Code: 1\nSignal: (none)"
    for asked in (broken, pasted):
        (found,) = case.ask("fix", error=asked)["fixes"]
        assert (found["error"], found["held"]) == (broken, True)
        assert [r["command"] for r in found["next"]] == ["stripefix --manifest", "stripeload all"]
    assert case.ask("fix", error="Error: (none)")["fixes"] == []


def test_roles_that_are_missing_and_legacy_lists(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u1", None, None, 0, message=[{"type": "text", "text": "listterm"}]),
        qw("assistant", "a1", "u1", None, 1, message={"parts": [{"text": "rolelessterm"}]}),
        qw("assistant", "a2", "a1", None, 2, message=[{"type": "text", "text": "listanswer"}]),
        qw(
            "user",
            "u2",
            "a2",
            None,
            3,
            message={"role": "user", "parts": [{"fileData": {"fileUri": "x"}}, {"text": "withfile"}]},
        ),
    )
    case.read()
    assert case.said(Q) == [
        ("user", "message", "listterm"),
        ("assistant", "message", "rolelessterm"),
        ("assistant", "message", "listanswer"),
        ("user", "message", "withfile"),
    ]


def test_fragments_are_merged_across_sittings(case: Case) -> None:
    case.write(QWEN, qw("user", "u", None, "go", 0), qw("assistant", "a", "u", "one", 1, model="small"))
    case.read()
    case.append(QWEN, qw("assistant", "a", "u", [{"text": "two"}, calls("c", "read_file", file_path="/x")], 2, model="large"))
    case.read()
    case.end()
    case.append(
        QWEN,
        qw("assistant", "a", "u", [{"text": "three"}], 3),
        qw("tool_result", "t", "a", answer("c", "read_file", output="x"), 4),
    )
    case.read()
    got = case.records(Q)
    assert [(r["id"], r["kind"]) for r in got] == [("u", "message"), ("a", "message"), ("a#1", "read"), ("t", "output")]
    assert got[1]["text"].split() == ["one", "two", "three"] and got[1]["model"] == "large"
    assert [r["time"] for r in got] == [at(0), at(3), at(3), at(4)]
    assert case.sessions()[Q]["records"] == 4


def test_a_message_whose_first_fragment_is_a_thought_is_all_there(case: Case) -> None:
    thought = [{"text": "mullterm", "thought": True}]
    first = [qw("user", "u", None, "go", 0), qw("assistant", "a", "u", thought, 1), system("y", "a", "ui_telemetry", {}, 2)]
    case.write(QWEN, *first)
    case.read()
    case.append(QWEN, qw("assistant", "a", "u", "firstterm", 3), qw("assistant", "b", "y", thought, 4))
    case.append(QWEN, qw("assistant", "b", "b", "secondterm", 5), qw("user", "v", "b", "thanks", 6))
    case.read()
    assert [(r["id"], r["parent"]) for r in case.records(Q)] == [("u", None), ("a", "u"), ("b", "a"), ("v", "b")]
    assert case.lines(Q) == ["go", "firstterm", "secondterm", "thanks"] and case.found("mullterm") == []
    source = case.records(Q)[1]["source"]
    assert b"firstterm" in case.path(QWEN).read_bytes()[source["offset"] :][: source["length"]]
    copies = [r | {"sessionId": OTHER, "forkedFrom": {"sessionId": Q, "messageUuid": r["uuid"]}} for r in first]
    case.write(f"{CHATS}/{OTHER}.jsonl", *copies, qw("assistant", "a", "u", "firstterm", 3, sessionId=OTHER))
    case.end()
    case.read()
    assert case.matches("firstterm") == 1 and case.lines(OTHER) == ["go", "firstterm"]
    case.path(QWEN).unlink()
    case.read()
    case.append(f"{CHATS}/{OTHER}.jsonl", qw("user", "w", "a", "the fork goes on", 7, sessionId=OTHER))
    case.read()
    assert case.lines(OTHER) == ["go", "firstterm", "the fork goes on"]


def test_the_last_fragment_tells_time_model_and_result(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        qw("assistant", "a", "u", [{"text": "on it"}, calls("c", "run_shell_command", command="make")], 1, model="small"),
        qw("assistant", "a", "u", None, 2, model="large", usageMetadata={"totalTokenCount": 3}),
        qw("tool_result", "t", "a", answer("c", "run_shell_command", output="boomterm"), 3),
        qw("tool_result", "t", "a", None, 4, toolCallResult={"callId": "c", "status": "error"}),
    )
    case.read()
    got = [(r["id"], r["time"], r["model"], r["is_error"]) for r in case.records(Q)[1:]]
    assert got == [("a", at(2), "large", None), ("a#1", at(2), "large", None), ("t", at(4), None, True)]
    assert case.found("boomterm") == [Q]


def test_a_thought_is_not_indexed_and_an_answer_beside_it_is(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        qw("assistant", "a", "u", [{"text": "mullterm", "thought": True}], 1),
        qw("assistant", "b", "a", [{"text": "mullterm", "thought": True}, {"text": "sayterm"}], 2),
    )
    case.read()
    assert case.found("mullterm") == [] and case.lines(Q) == ["go", "sayterm"]
