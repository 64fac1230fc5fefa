"""Claude Code's files, from the outside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_kit import CLAUDE, Case, S, at, cc, result, use

DIR = "claude/projects/-srv-shop"
OTHER = "5e551011-0000-4000-8000-0000000000aa"
THIRD = "5e551011-0000-4000-8000-0000000000ab"


def test_every_tool_becomes_the_record_of_what_it_does(case: Case) -> None:
    calls = [
        use("c1", "Bash", command="make lint", description="run the linter"),
        use("c2", "Read", file_path="/srv/shop/cart.py"),
        use("c3", "Edit", file_path="/srv/shop/cart.py", old_string="oldterm", new_string="newterm"),
        use("c4", "Write", file_path="/srv/shop/tax.py", content="vat = 20"),
        use("c5", "MultiEdit", file_path="/srv/shop/a.py", edits=[{"old_string": "x", "new_string": "multiterm"}]),
        use("c6", "NotebookEdit", notebook_path="/srv/shop/n.ipynb", new_source="cellterm"),
        use("c7", "Grep", pattern="grepterm", path="/srv/shop/src"),
        use("c8", "Glob", pattern="**/*.py", path="/srv/shop"),
        use("c9", "Agent", description="look", prompt="find the agentterm", subagent_type="Explore"),
        use("c10", "WebFetch", url="https://example.org/fetchterm"),
        use("c11", "mcp__tracker__list_issues", query="mcpterm"),
    ]
    lines = [cc("user", "u", None, "go on", 0)]
    for n, block in enumerate(calls, 1):
        lines.append(cc("assistant", f"a{n}", f"a{n - 1}" if n > 1 else "u", block, n))
    case.write(CLAUDE, *lines)
    case.read()
    got = [(r["kind"], r["tool"], r["paths"], r["command"]) for r in case.records(S)[1:]]
    assert got == [
        ("command", "Bash", [], "make lint"),
        ("read", "Read", ["/srv/shop/cart.py"], None),
        ("edit", "Edit", ["/srv/shop/cart.py"], None),
        ("edit", "Write", ["/srv/shop/tax.py"], None),
        ("edit", "MultiEdit", ["/srv/shop/a.py"], None),
        ("edit", "NotebookEdit", ["/srv/shop/n.ipynb"], None),
        ("tool_call", "Grep", ["/srv/shop/src"], None),
        ("tool_call", "Glob", ["/srv/shop"], None),
        ("tool_call", "Agent", [], None),
        ("tool_call", "WebFetch", [], None),
        ("tool_call", "mcp__tracker__list_issues", [], None),
    ]
    texts = case.lines(S)
    assert texts[1] == "make lint"
    assert texts[3] == "/srv/shop/cart.py\nnewterm" and texts[4] == "/srv/shop/tax.py\nvat = 20"
    for word in ("multiterm", "cellterm", "grepterm", "agentterm", "fetchterm", "mcpterm"):
        assert case.found(word) == [S], word
    assert case.found("oldterm") == []


@pytest.mark.parametrize("kind", ["api-request", "api-request-shape", "api-request-blob", "attachment", "progress",
                                  "file-history-snapshot", "file-history-delta", "queue-operation", "permission-mode",
                                  "mode", "worktree-state", "relocated", "bridge-session", "tools-used", "cost-state",
                                  "atis-latch", "tomorrows-type"])  # fmt: skip
def test_bookkeeping_is_never_found(case: Case, kind: str) -> None:
    noise = {
        "type": kind,
        "uuid": "x1",
        "parentUuid": "u1",
        "sessionId": S,
        "timestamp": at(1),
        "content": "noiseterm",
        "message": {"role": "user", "content": "noiseterm"},
        "attachment": {"type": "hook_additional_context", "content": ["noiseterm"], "rendered": "noiseterm"},
        "request": {"messages": [{"role": "user", "content": "noiseterm"}]},
        "data": {"message": "noiseterm"},
    }
    case.write(CLAUDE, cc("user", "u1", None, "first", 0), noise, cc("user", "u2", "x1", "second", 2))
    case.read()
    assert case.found("noiseterm") == []
    assert case.lines(S) == ["first", "second"]
    doctor = json.dumps(case.ask("doctor"))
    assert ("tomorrows-type" in doctor) == (kind == "tomorrows-type")


def test_thinking_and_system_lines_make_no_records(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "why?", 0),
        cc("assistant", "a1", "u1", [{"type": "thinking", "thinking": "ponderterm", "signature": "x"}], 1),
        cc("assistant", "a2", "a1", "because", 2),
        {
            "type": "system",
            "subtype": "informational",
            "content": "infoterm",
            "uuid": "y",
            "parentUuid": "a2",
            "timestamp": at(3),
            "sessionId": S,
        },
        cc("user", "u2", "y", "thanks", 4),
    )
    case.read()
    assert case.lines(S) == ["why?", "because", "thanks"]
    assert case.found("ponderterm") == [] and case.found("infoterm") == []


def test_a_users_text_is_what_the_person_said(case: Case) -> None:
    texts = {
        "u1": "<command-name>/review</command-name>\n<command-message>review is running</command-message>\n<command-args>the cart</command-args>",
        "u2": "<local-command-stdout>stdoutterm</local-command-stdout>",
        "u3": "<local-command-caveat>caveatterm</local-command-caveat>",
        "u4": "[Request interrupted by user for tool use]",
        "u5": "before <system-reminder>remindterm\nmore</system-reminder> after",
        "u6": "an <system-reminder> that never ends, proseterm",
        "u7": "<system-reminder>a</system-reminder>x<system-reminder>b</system-reminder>y",
    }
    lines = [cc("user", uid, None if n == 0 else f"u{n}", text, n) for n, (uid, text) in enumerate(texts.items())]
    case.write(CLAUDE, *lines)
    case.read()
    said = case.lines(S)
    assert said[0] == "/review the cart"
    assert [" ".join(t.split()) for t in said[1:]] == ["before after", texts["u6"], "xy"]
    for word in ("stdoutterm", "caveatterm", "remindterm", "interrupted"):
        assert case.found(word) == [], word


def test_a_compaction_is_one_summary_and_the_chain_goes_on_across_it(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "build the invoicer", 0),
        cc("assistant", "a1", "u1", "built", 1),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "b",
            "parentUuid": None,
            "logicalParentUuid": "a1",
            "sessionId": S,
            "timestamp": at(2),
            "content": "Conversation compacted",
            "compactMetadata": {"trigger": "auto", "preTokens": 150000, "postTokens": 9000, "messagesSummarized": 2},
        },
        cc(
            "user",
            "k",
            "b",
            "This session is being continued from a previous conversation that ran out of context.\nThe summaryterm: an invoicer was built.",
            3,
            isCompactSummary=True,
            isVisibleInTranscriptOnly=True,
        ),
        cc("user", "u2", "k", "now mail it", 4),
    )
    case.read()
    got = case.said(S)
    assert [t[:2] for t in got] == [
        ("user", "message"),
        ("assistant", "message"),
        ("system", "summary"),
        ("user", "message"),
    ]
    assert case.found("summaryterm") == [S] and case.found("summaryterm", role="user") == []
    shown = case.ask("show", session=S)
    assert shown["compactions"] == [{"time": at(2), "tokens_before": 150000, "tokens_after": 9000, "messages": 2}]
    assert not any(r["abandoned"] for r in shown["records"])


def test_parallel_calls_are_not_abandoned(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "look at both", 0),
        cc("assistant", "a1", "u1", use("c1", "Read", file_path="/a"), 1)
        | {"message": {"id": "m", "role": "assistant", "content": use("c1", "Read", file_path="/a")}},
        cc("assistant", "a2", "a1", use("c2", "Read", file_path="/b"), 1)
        | {"message": {"id": "m", "role": "assistant", "content": use("c2", "Read", file_path="/b")}},
        cc("user", "r1", "a1", result("c1", "text of a"), 2, sourceToolAssistantUUID="a1"),
        cc("user", "r2", "a2", result("c2", "text of b"), 3, sourceToolAssistantUUID="a2"),
        cc("assistant", "a3", "r2", "both read", 4),
        cc("user", "u2", "a3", "good", 5),
    )
    case.read()
    assert [r["abandoned"] for r in case.records(S, all_branches=True)] == [False] * 7
    assert case.lines(S)[-1] == "good"


def test_a_rewind_of_a_rewind_and_the_live_leaf(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "plan", 0),
        cc("assistant", "a1", "u1", "how?", 1),
        cc("user", "u2", "a1", "first way", 2),
        cc("assistant", "a2", "u2", "first done", 3),
        cc("user", "u3", "a1", "second way", 4),
        cc("assistant", "a3", "u3", "second done", 5),
        cc("user", "u4", "a1", "third way", 6),
    )
    case.read()
    assert case.lines(S) == ["plan", "how?", "third way"]
    case.append(CLAUDE, {"type": "last-prompt", "leafUuid": "a2", "lastPrompt": "first way", "sessionId": S})
    case.read()
    assert case.lines(S) == ["plan", "how?", "first way", "first done"]
    assert sorted(r["id"] for r in case.records(S, all_branches=True) if r["abandoned"]) == ["a3", "u3", "u4"]
    case.append(CLAUDE, cc("user", "u5", "a2", "and on", 8))
    case.read()
    assert case.lines(S) == ["plan", "how?", "first way", "first done", "and on"]


def test_a_parent_that_comes_later_a_missing_one_and_a_cycle(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u2", "a1", "second", 2),
        cc("user", "u1", None, "first", 0),
        cc("assistant", "a1", "u1", "answer", 1),
        cc("user", "u3", "u2", "third", 3),
    )
    case.write(
        f"{DIR}/{OTHER}.jsonl",
        cc("user", "x1", "gone", "lostparent", 0, sessionId=OTHER),
        cc("user", "x2", "x1", "after it", 1, sessionId=OTHER),
    )
    case.write(
        f"{DIR}/{THIRD}.jsonl",
        cc("user", "z1", "z2", "cycle one", 0, sessionId=THIRD),
        cc("assistant", "z2", "z1", "cycle two", 1, sessionId=THIRD),
    )
    case.read()
    assert case.lines(S) == ["first", "answer", "second", "third"]
    assert case.lines(OTHER) == ["lostparent", "after it"]
    assert sorted(case.lines(THIRD)) == ["cycle one", "cycle two"]


def test_titles_custom_over_ai_and_the_last_wins(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "a first prompt that is the title of a session without one", 0))
    case.read()
    assert case.sessions()[S]["title"] == "a first prompt that is the title of a session without one"
    case.append(CLAUDE, {"type": "ai-title", "aiTitle": "Machine title", "sessionId": S})
    case.read()
    assert case.sessions()[S]["title"] == "Machine title"
    case.append(
        CLAUDE,
        {"type": "custom-title", "customTitle": "Mine", "sessionId": S},
        {"type": "ai-title", "aiTitle": "Machine again", "sessionId": S},
    )
    case.read()
    assert case.sessions()[S]["title"] == "Mine"
    case.append(CLAUDE, {"type": "custom-title", "customTitle": "Mine twice", "sessionId": S})
    case.read()
    assert case.sessions()[S]["title"] == "Mine twice"
    assert case.found("twice") == [S]
    [hit] = case.ask("search", query="twice")["hits"]
    assert hit["matches"] == [] and hit["title_highlights"] == [[5, 10]]


def test_a_title_that_nobody_gave_is_cut(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "word " * 60, 0))
    case.read()
    assert len(case.sessions()[S]["title"]) <= 80


def test_the_project_is_the_first_cwd_and_records_keep_their_own(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "shopterm", 0), cc("user", "u2", "u1", "blogterm", 1, cwd="/srv/blog"))
    case.read()
    assert case.sessions()[S]["project"] == "/srv/shop"
    assert [r["project"] for r in case.records(S)] == ["/srv/shop", "/srv/blog"]
    assert case.found("blogterm", project="/srv/blog") == [S] and case.found("shopterm", project="/srv/blog") == []


def test_without_a_cwd_the_directory_name_is_probed_on_disk(case: Case) -> None:
    real = case.path("work/my.app_v3/x").parent
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(real))
    line = cc("user", "u1", None, "probeterm", 0)
    del line["cwd"]
    case.write(f"claude/projects/{name}/{S}.jsonl", line)
    case.read()
    assert case.sessions()[S]["project"] == str(real)


def test_what_recall_answered_is_not_indexed_but_the_call_is(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "have we had this?", 0),
        cc("assistant", "a1", "u1", use("c1", "Bash", command="recall search drifting --json"), 1),
        cc("user", "r1", "a1", result("c1", "echoterm answer"), 2),
        cc("assistant", "a2", "r1", use("c2", "mcp__recall__search", query="drifting"), 3),
        cc("user", "r2", "a2", result("c2", "echoterm answer"), 4),
    )
    case.read()
    assert case.found("echoterm") == []
    assert [r["kind"] for r in case.records(S)] == ["message", "command", "tool_call"]


def test_is_error_and_the_exit_status(case: Case) -> None:
    rows: list[tuple[Any, dict[str, Any]]] = [
        ("Exit code 2\nboom", {"is_error": True}),
        ("fine", {}),
        ("bad", {"is_error": True}),
    ]
    lines = [cc("user", "u0", None, "go", 0)]
    for n, (text, more) in enumerate(rows):
        lines += [
            cc("assistant", f"a{n}", f"u{n}", use(f"c{n}", "Bash", command=f"step {n}"), n),
            cc("user", f"u{n + 1}", f"a{n}", result(f"c{n}", text, **more), n),
        ]
    case.write(CLAUDE, *lines)
    case.read()
    got = [(r["exit_status"], r["is_error"]) for r in case.records(S) if r["kind"] == "output"]
    assert got == [(2, True), (None, None), (None, True)]


def test_names_that_are_not_sessions_are_left_alone(case: Case) -> None:
    line = cc("user", "u1", None, "strayterm", 0)
    for name in (
        f"{DIR}/{S}.jsonl.backup",
        f"{DIR}/memory/notes.md",
        f"{DIR}/memory/{S}.jsonl",
        f"{DIR}/.{S}.jsonl.swp",
        f"claude/{S}.jsonl",
        f"claude/todos/{S}.jsonl",
        f"{DIR}/{S}/tool-results/x.jsonl",
    ):
        case.write(name, line)
    case.read()
    assert case.found("strayterm") == [] and case.sessions() == {}


def test_a_session_of_bookkeeping_alone_is_no_session(case: Case) -> None:
    case.write(
        CLAUDE,
        {"type": "summary", "summary": "Lonely title", "leafUuid": "nowhere"},
        {"type": "mode", "mode": "plan", "sessionId": S},
    )
    case.path(f"{DIR}/{OTHER}.jsonl").touch()
    case.read()
    assert case.sessions() == {} and case.ask("status")["sessions"] == 0


def test_a_pr_link_and_unknown_fields_do_no_harm(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "open a pull request", 0, tomorrow={"x": [1]}),
        {"type": "pr-link", "prNumber": 4, "prUrl": "https://example.org/pr/4", "sessionId": S, "timestamp": at(1)},
    )
    case.read()
    assert case.lines(S) == ["open a pull request"]


@pytest.mark.parametrize("odd", [None, 7, True, [], {}, "text", [[]], [None], [7], [{}], [{"type": None}], {"role": 3}, {"content": {}}, {"content": [{"type": "tool_result", "content": [{"type": "image"}]}]},
                                 {"content": [{"type": "tool_use", "name": 3, "input": []}]}])  # fmt: skip
def test_a_message_of_any_shape_costs_itself_only(case: Case, odd: Any) -> None:
    strange = [cc(kind, f"o{kind}", None, "x", 0) | {"message": odd} for kind in ("user", "assistant")]
    strange += [
        cc("user", "p", None, "x", 0) | {key: odd}
        for key in ("timestamp", "cwd", "gitBranch", "toolUseResult", "forkedFrom", "parentUuid", "sessionId")
    ]
    case.write(CLAUDE, *strange, cc("user", "u9", None, "survivorterm", 2))
    case.read()
    assert case.found("survivorterm") == [S]
    assert case.ask("status")["agents"]["claude-code"]["skipped_lines"] == 0
