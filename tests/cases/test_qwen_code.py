"""Qwen Code's files, from the outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_kit import QWEN, Case, Q, at, encode, qw
from qwen_lines import CHATS, OTHER, answer, calls, system


def test_every_tool_becomes_the_record_of_what_it_does(case: Case) -> None:
    parts = [
        calls("c1", "run_shell_command", command="npm test"),
        calls("c2", "read_file", absolute_path="/srv/site/a.ts"),
        calls("c3", "read_file", file_path="/srv/site/b.ts"),
        calls("c4", "write_file", file_path="/srv/site/c.ts", content="writtenterm"),
        calls("c5", "edit", file_path="/srv/site/d.ts", old_string="oldterm", new_string="newterm"),
        calls("c6", "replace", file_path="/srv/site/e.ts", old_string="x", new_string="replaceterm"),
        calls("c7", "read_many_files", paths=["/srv/site/f.ts", "/srv/site/g.ts"]),
        calls("c8", "glob", pattern="*.ts", path="/srv/site"),
        calls("c9", "grep_search", pattern="grepterm", path="/srv/site/src"),
        calls("c10", "task", description="look", prompt="taskterm", subagent_type="helper"),
        calls("c11", "mcp__tracker__find", query="mcpterm"),
    ]
    case.write(QWEN, qw("user", "u", None, "go", 0), qw("assistant", "a", "u", [{"text": "On it."}, *parts], 1, model="qwen3"))
    case.read()
    got = [(r["id"], r["kind"], r["tool"], r["paths"]) for r in case.records(Q)[1:]]
    assert got == [
        ("a", "message", None, []),
        ("a#1", "command", "run_shell_command", []),
        ("a#2", "read", "read_file", ["/srv/site/a.ts"]),
        ("a#3", "read", "read_file", ["/srv/site/b.ts"]),
        ("a#4", "edit", "write_file", ["/srv/site/c.ts"]),
        ("a#5", "edit", "edit", ["/srv/site/d.ts"]),
        ("a#6", "edit", "replace", ["/srv/site/e.ts"]),
        ("a#7", "read", "read_many_files", ["/srv/site/f.ts", "/srv/site/g.ts"]),
        ("a#8", "tool_call", "glob", ["/srv/site"]),
        ("a#9", "tool_call", "grep_search", ["/srv/site/src"]),
        ("a#10", "tool_call", "task", []),
        ("a#11", "tool_call", "mcp__tracker__find", []),
    ]
    for word in ("writtenterm", "newterm", "replaceterm", "grepterm", "taskterm", "mcpterm"):
        assert case.found(word) == [Q], word
    assert case.found("oldterm") == []
    assert {r["model"] for r in case.records(Q, role="assistant")} == {"qwen3"}


@pytest.mark.parametrize("subtype", ["ui_telemetry", "attribution_snapshot", "file_history_snapshot", "session_artifact",
                                     "session_context", "parent_session", "branch_checkpoint", "goal_set",
                                     "agent_started", "rewind", "something_new"])  # fmt: skip
def test_system_lines_are_links_and_no_records(case: Case, subtype: str) -> None:
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        system("y", "u", subtype, {"text": "noiseterm", "content": "noiseterm"}, 1),
        qw("assistant", "a", "y", "done", 2),
    )
    case.read()
    assert case.found("noiseterm") == [] and case.lines(Q) == ["go", "done"]
    assert ("something_new" in json.dumps(case.ask("doctor"))) == (subtype == "something_new")


def test_what_was_typed_counts_and_what_a_hook_added_does_not(case: Case) -> None:
    context = "<qwen:user-prompt-submit-context>\nhookterm\n</qwen:user-prompt-submit-context>"
    case.write(
        QWEN,
        qw("user", "u1", None, f"typed one\n{context}", 0, systemPayload={"displayText": "typed one"}),
        qw("user", "u2", "u1", f"typed two\n\n{context}", 1),
        qw("user", "u3", "u2", "cron prompt body", 2, subtype="cron", systemPayload={"displayText": "labelterm"}),
        qw(
            "user",
            "u4",
            "u3",
            "mid turn words",
            3,
            subtype="mid_turn_user_message",
            systemPayload={"displayText": "labelterm"},
        ),
        qw("user", "u5", "u4", "why does <qwen:user-prompt-submit-context> show up?", 4),
    )
    case.read()
    assert case.found("hookterm") == [] and case.found("labelterm") == []
    assert case.lines(Q) == [
        "typed one",
        "typed two",
        "cron prompt body",
        "mid turn words",
        "why does <qwen:user-prompt-submit-context> show up?",
    ]


def test_commands_paths_notes_and_titles_of_system_lines(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u", None, "go", 0),
        system("s1", "u", "slash_command", {"phase": "invocation", "rawCommand": "/stats model"}, 1),
        system(
            "s2",
            "s1",
            "slash_command",
            {"phase": "result", "rawCommand": "/stats model", "outputHistoryItems": [{"text": "resultterm"}]},
            2,
        ),
        system("s3", "s2", "at_command", {"filesRead": ["/srv/site/at.ts"], "status": "success"}, 3),
        system("s4", "s3", "session_notes", {"notes": "notesterm of the day"}, 4),
        system("s5", "s4", "custom_title", {"customTitle": "Earlier"}, 5),
        system("s6", "s5", "custom_title", {"customTitle": "Later title"}, 6),
        system("s7", "s6", "session_notes", {"notes": "notesterm of the day"}, 7),
    )
    case.read()
    got = [(r["role"], r["kind"], r["text"]) for r in case.records(Q)]
    assert got[1] == ("user", "message", "/stats model") and got[2][1:] == ("read", "/srv/site/at.ts")
    assert [g for g in got if g[1] == "summary"] == [("system", "summary", "notesterm of the day")]
    assert case.sessions()[Q]["title"] == "Later title" and case.found("resultterm") == []


def test_sub_agents_lie_in_a_folder_of_their_own(case: Case) -> None:
    base = f"qwen/projects/-srv-site/subagents/{Q}/agent-k1"
    case.write(base + ".jsonl", qw("user", "s1", None, "subterm", 1, isSidechain=True, agentId="k1", agentName="helper"))
    case.path(base + ".meta.json").write_text(
        json.dumps({"agentType": "helper", "parentSessionId": Q, "status": "done", "depth": 1})
    )
    case.write(QWEN, qw("user", "u", None, "parent", 0))
    case.read()
    assert case.sessions()["agent-k1"]["parent"] == Q and case.sessions()["agent-k1"]["sub_agent"] == "helper"
    assert set(case.sessions(sub_agents=False)) == {Q} and case.found("subterm", sub_agents=False) == []
    assert case.json("resume", "agent-k1", ok=(4,)).get("error")
    case.write(f"qwen/projects/-srv-site/subagents/{Q}/agent-k2.jsonl", qw("user", "s2", None, "x", 1, agentName="scout"))
    case.read()
    assert case.sessions()["agent-k2"]["sub_agent"] == "scout"


def test_both_trees_are_read_and_only_session_names(case: Case) -> None:
    line = qw("user", "u1", None, "treeterm", 0)
    case.write(f"qwen/tmp/projects/-srv-site/chats/{Q}.jsonl", line)
    for name in (
        "notes.jsonl",
        "12345678.jsonl",
        f"{OTHER}.ledger.jsonl",
        f"{OTHER}x.jsonl",
        f"deep/{OTHER}.jsonl",
        f"{OTHER}.json",
        "z" * 32 + ".jsonl",
    ):
        case.write(f"{CHATS}/{name}", line | {"uuid": name, "message": {"parts": [{"text": "strayterm"}]}})
    case.write(
        f"{CHATS}/{'a' * 32}.jsonl",
        line | {"uuid": "x", "sessionId": "a" * 32, "message": {"parts": [{"text": "hexterm"}]}},
    )
    case.read()
    assert case.found("treeterm") == [Q] and case.found("strayterm") == [] and case.found("hexterm") == ["a" * 32]


def test_two_directories_that_share_a_name_stay_two_projects(case: Case) -> None:
    case.write(QWEN, qw("user", "u", None, "first", 0, cwd="/srv/site"))
    case.write(f"{CHATS}/{OTHER}.jsonl", qw("user", "v", None, "second", 0, cwd="/srv.site", sessionId=OTHER))
    case.read()
    assert {s["id"]: s["project"] for s in case.sessions().values()} == {Q: "/srv/site", OTHER: "/srv.site"}


def test_glued_objects_are_both_read_and_not_counted(case: Case) -> None:
    one, two = encode(qw("user", "u", None, "glueone", 0)), encode(qw("assistant", "a", "u", "gluetwo", 1))
    case.write(QWEN, one.rstrip(b"\n") + two)
    case.read()
    assert case.lines(Q) == ["glueone", "gluetwo"]
    assert case.ask("status")["agents"]["qwen-code"]["skipped_lines"] == 0


def test_a_fork_names_its_origin_and_shares_its_records(case: Case) -> None:
    first = [qw("user", "u", None, "sharedterm", 0), qw("assistant", "a", "u", "shared answer", 1)]
    copies = [r | {"sessionId": OTHER, "forkedFrom": {"sessionId": Q, "messageUuid": r["uuid"]}} for r in first]
    case.write(f"{CHATS}/{OTHER}.jsonl", *copies, qw("user", "n", "a", "fork goes on", 5, sessionId=OTHER))
    case.read()
    assert case.found("sharedterm") == [OTHER]
    case.write(QWEN, *first)
    case.read()
    assert case.found("sharedterm") == [Q] and case.matches("sharedterm") == 1
    assert case.lines(OTHER) == ["sharedterm", "shared answer", "fork goes on"]
    assert case.sessions()[OTHER]["records"] == 1
    case.write(QWEN, qw("user", "z", None, "rewritten and otherwise", 0))
    case.read()
    assert case.found("sharedterm") == [OTHER] and case.sessions()[OTHER]["records"] == 3


def test_cd_moves_the_transcript_and_resume_follows(case: Case) -> None:
    f = case.write(QWEN, qw("user", "u", None, "here", 0))
    case.read()
    case.append(QWEN, qw("user", "v", "u", "there", 1, cwd="/srv/other place"))
    new = case.path(f"qwen/projects/-srv-other-place/chats/{Q}.jsonl")
    f.rename(new)
    case.append(
        f"qwen/projects/-srv-other-place/chats/{Q}.jsonl",
        qw("user", "w", "v", "still there", 2, cwd="/srv/other place"),
    )
    case.read()
    s = case.sessions()[Q]
    assert s["project"] == "/srv/site" and s["resume"] == f"cd '/srv/other place' && qwen --resume {Q}"
    assert s["path"] == str(new) and s["source_deleted"] is False and s["records"] == 3
    assert case.ask("status")["sessions"] == 1


def test_a_rewind_and_a_compression_on_the_chain(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u1", None, "start", 0),
        qw("assistant", "a1", "u1", "ok", 1),
        qw("user", "u2", "a1", "wrong way", 2),
        system("r", "a1", "rewind", {"truncatedCount": 1}, 3),
        qw("user", "u3", "r", "right way", 4),
        system(
            "k",
            "u3",
            "chat_compression",
            {
                "info": {"originalTokenCount": 5000, "newTokenCount": 400},
                "compressedHistory": [{"role": "user", "parts": [{"text": "zipterm"}]}],
            },
            5,
        ),
        qw("user", "u4", "k", "after", 6),
    )
    case.read()
    assert case.lines(Q) == ["start", "ok", "right way", "after"]
    assert [r["id"] for r in case.records(Q, all_branches=True) if r["abandoned"]] == ["u2"]
    assert case.found("zipterm") == []
    assert case.ask("show", session=Q)["compactions"] == [
        {"time": at(5), "tokens_before": 5000, "tokens_after": 400, "messages": 1}
    ]


def test_a_rewind_counts_before_anything_else_is_said(case: Case) -> None:
    case.write(
        QWEN,
        qw("user", "u1", None, "start", 0),
        qw("assistant", "a1", "u1", "ok", 1),
        qw("user", "u2", "a1", "wrong way", 2),
        qw("assistant", "a2", "u2", "as you wish", 3),
    )
    case.read()
    case.append(QWEN, system("r", "a1", "rewind", {"truncatedCount": 1}, 4), system("y", "r", "ui_telemetry", {}, 5))
    case.read()
    assert case.lines(Q) == ["start", "ok"]
    assert [r["id"] for r in case.records(Q, all_branches=True) if r["abandoned"]] == ["u2", "a2"]
    case.append(QWEN, qw("user", "u3", "y", "right way", 6))
    case.read()
    assert case.lines(Q) == ["start", "ok", "right way"]
    case.append(QWEN, system("r2", None, "rewind", {"truncatedCount": 2}, 7))
    case.read()
    assert case.lines(Q) == [] and len(case.records(Q, all_branches=True)) == 5


def test_what_hangs_beside_the_chain_is_abandoned_and_what_calls_gave_back_is_not(case: Case) -> None:
    two = [calls("c1", "read_file", file_path="/a"), calls("c2", "read_file", file_path="/b")]
    case.write(
        QWEN,
        qw("user", "u1", None, "start", 0),
        qw("assistant", "a1", "u1", "first answer", 1),
        qw("assistant", "a2", "a1", "and on", 2),
    )
    case.read()
    case.append(QWEN, qw("assistant", "a3", "u1", [{"text": "second answer"}, *two], 3))
    case.read()
    assert case.lines(Q) == ["start", "second answer", "/a", "/b"]
    case.append(
        QWEN,
        qw("tool_result", "t1", "a3", answer("c1", "read_file", output="A"), 4),
        qw("tool_result", "t2", "a3", answer("c2", "read_file", output="B"), 5),
        qw("assistant", "a4", "t2", "done", 6),
    )
    case.read()
    assert case.lines(Q) == ["start", "second answer", "/a", "/b", "A", "B", "done"]
    assert [r["id"] for r in case.records(Q, all_branches=True) if r["abandoned"]] == ["a1", "a2"]
    case.append(QWEN, qw("user", "n", "u1", "all is done", 7, subtype="notification"))
    case.read()
    assert case.lines(Q) == ["start", "all is done"]


def test_the_last_title_counts_whoever_gave_it(case: Case) -> None:
    titles = [{"customTitle": "Given", "titleSource": "manual"}, {"customTitle": "Made anew", "titleSource": "auto"}]
    case.write(
        QWEN, qw("user", "u", None, "go", 0), *(system(f"s{n}", "u", "custom_title", t, n) for n, t in enumerate(titles))
    )
    case.read()
    assert case.sessions()[Q]["title"] == "Made anew"


@pytest.mark.parametrize(
    "odd",
    [
        None,
        7,
        "text",
        [],
        [[]],
        {"parts": None},
        {"parts": [None, 3, {}]},
        {"parts": [{"functionCall": None}, {"functionCall": {"name": 3}}, {"functionResponse": []}, {"text": None}]},
    ],
)
def test_a_message_of_any_shape_costs_itself_only(case: Case, odd: Any) -> None:
    strange = [qw(kind, f"o{kind}", None, None, 0, message=odd) for kind in ("user", "assistant", "tool_result")]
    strange += [
        qw("system", "y", None, None, 0, subtype=odd, systemPayload=odd),
        qw("system", "y2", None, None, 0, subtype="chat_compression", systemPayload=odd),
    ]
    strange += [qw("tool_result", "tt", None, None, 0, toolCallResult=odd)]
    case.write(QWEN, *strange, qw("user", "z", None, "survivorterm", 2))
    case.read()
    assert case.found("survivorterm") == [Q]
    assert case.ask("status")["agents"]["qwen-code"]["skipped_lines"] == 0


def test_writing_continues_while_it_is_read(case: Case) -> None:
    """Qwen Code fails when anybody else touches the file: inode, size, mode and times stay as they were."""
    f = case.write(QWEN, qw("user", "u", None, "untouched", 0))
    before = f.stat()
    case.read()
    case.found("untouched")
    after = f.stat()
    assert (before.st_ino, before.st_size, before.st_mtime_ns, before.st_ctime_ns, before.st_mode) == (
        after.st_ino,
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
        after.st_mode,
    )
