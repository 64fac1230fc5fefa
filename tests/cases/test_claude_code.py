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


def test_the_older_and_the_oldest_place_of_sub_agents(case: Case) -> None:
    case.write(f"{DIR}/agent-0ld.jsonl", cc("user", "s1", None, "olderterm task", 1, isSidechain=True, agentId="0ld"))
    case.write(
        CLAUDE,
        cc("user", "u1", None, "do it", 0),
        cc("user", "i1", None, "inlineterm task", 2, isSidechain=True),
        cc("assistant", "i2", "i1", "inlineterm done", 3, isSidechain=True),
        cc("assistant", "a1", "u1", "it is done", 4),
    )
    case.read()
    sessions = case.sessions()
    assert sessions["agent-0ld"]["parent"] == S
    [inline] = case.found("inlineterm")
    assert inline != S and sessions[inline]["parent"] == S
    assert case.lines(S) == ["do it", "it is done"]
    assert list(case.sessions(sub_agents=False)) == [S]


def test_a_sub_agent_before_its_parent_and_its_meta_file_later(case: Case) -> None:
    base = f"{DIR}/{S}/subagents/agent-7f"
    case.write(base + ".jsonl", cc("user", "s1", None, "childterm", 1, isSidechain=True, agentId="7f"))
    case.read()
    assert case.sessions()["agent-7f"]["parent"] == S and S not in case.sessions()
    case.path(base + ".meta.json").write_text(
        json.dumps({"agentType": "Plan", "description": "plan it", "toolUseId": "c1"})
    )
    case.read()
    assert case.sessions()["agent-7f"]["sub_agent"] == "Plan"
    case.write(CLAUDE, cc("user", "u1", None, "parent", 0))
    case.read()
    assert set(case.sessions()) == {S, "agent-7f"}
    case.path(base + ".meta.json").write_text(json.dumps({"agentType": "Explore", "description": "other"}))
    case.read()
    assert case.sessions()["agent-7f"]["sub_agent"] == "Explore"


def test_one_agent_id_under_two_parents(case: Case) -> None:
    for parent, word in ((S, "northterm"), (OTHER, "southterm")):
        case.write(
            f"{DIR}/{parent}/subagents/agent-9.jsonl",
            cc("user", f"s{parent}", None, word, 1, isSidechain=True, agentId="9", sessionId=parent),
        )
    case.read()
    assert set(case.sessions()) == {f"{S}-agent-9", f"{OTHER}-agent-9"}
    assert case.found("northterm") == [f"{S}-agent-9"]
    assert case.lines(f"{OTHER}-agent-9") == ["southterm"]
    assert json.loads(case.recall("show", "--json", f"{S}-agent-9").stdout)["session"]["parent"] == S


def test_a_spilled_output_belongs_to_its_record_whichever_comes_first(case: Case) -> None:
    spill = case.root / DIR / S / "tool-results" / "c1.txt"
    lines = [
        cc("user", "u1", None, "run it", 0),
        cc("assistant", "a1", "u1", use("c1", "Bash", command="./run"), 1),
        cc(
            "user",
            "r1",
            "a1",
            result("c1", "<persisted-output> preview"),
            2,
            toolUseResult={"stdout": "", "persistedOutputPath": str(spill)},
        ),
    ]
    case.write(CLAUDE, *lines)
    case.read()
    assert case.found("spillterm") == []
    spill.parent.mkdir(parents=True)
    spill.write_text("line\nspillterm here\n")
    case.read()
    assert case.found("spillterm") == [S] and case.found("spillterm", role="tool") == [S]
    assert len(case.records(S)) == 3
    spill.unlink()
    case.read()
    assert case.found("spillterm") == [S]


def test_a_spill_path_outside_the_root_is_not_read(case: Case) -> None:
    secret = case.path("elsewhere/tool-results/x.txt")
    secret.write_text("privateterm")
    for n, path in enumerate(
        (
            str(secret),
            f"{case.root}/{DIR}/{S}/tool-results/../../../../../elsewhere/tool-results/x.txt",
            "/etc/hostname",
        )
    ):
        sid = f"5e551011-0000-4000-8000-00000000010{n}"
        case.write(
            f"{DIR}/{sid}.jsonl",
            cc(
                "user",
                f"r{n}",
                None,
                result("c", "short"),
                1,
                sessionId=sid,
                toolUseResult={"persistedOutputPath": path},
            ),
        )
    link = case.path(f"{DIR}/{S}/tool-results/link.txt")
    link.symlink_to(secret)
    case.write(
        CLAUDE, cc("user", "r9", None, result("c", "short"), 1, toolUseResult={"persistedOutputPath": str(link)})
    )
    case.read()
    assert case.found("privateterm") == []


def test_history_alone_makes_a_session_and_gives_way_to_the_transcript(case: Case) -> None:
    case.write(
        "claude/history.jsonl",
        {
            "display": "historyterm one",
            "pastedContents": {},
            "timestamp": 1764320400000,
            "project": "/srv/shop",
            "sessionId": S,
        },
        {
            "display": "historyterm two [Pasted text #1 +2 lines]",
            "pastedContents": {"1": {"id": 1, "type": "text", "content": "pastedterm"}},
            "timestamp": 1764320460000,
            "project": "/srv/shop",
            "sessionId": S,
        },
        {"display": "older form", "timestamp": 1764320460000, "project": "/srv/shop"},
    )
    case.read()
    s = case.sessions()[S]
    assert s["source_deleted"] is True and s["project"] == "/srv/shop" and s["records"] == 2 and s["resume"] is None
    assert case.found("historyterm") == [S] and case.found("pastedterm") == [S]
    case.write(CLAUDE, cc("user", "u1", None, "historyterm one", 0))
    case.read()
    s = case.sessions()[S]
    assert s["source_deleted"] is False and s["records"] == 1 and case.lines(S) == ["historyterm one"]
    assert case.found("pastedterm") == []
    case.append(
        "claude/history.jsonl",
        {"display": "historyterm three", "timestamp": 1764320500000, "project": "/srv/shop", "sessionId": S},
    )
    case.read()
    assert case.lines(S) == ["historyterm one"]
    case.path(CLAUDE).unlink()
    case.read()
    assert case.lines(S) == ["historyterm one"] and case.sessions()[S]["source_deleted"] is True


def test_a_fork_rewound_whose_original_is_deleted(case: Case) -> None:
    first = [cc("user", "u1", None, "the ledger drifts", 0), cc("assistant", "a1", "u1", "rounding of the ledger", 1)]
    case.write(CLAUDE, *first)
    copies = [r | {"sessionId": OTHER, "forkedFrom": {"sessionId": S, "messageUuid": r["uuid"]}} for r in first]
    case.write(
        f"{DIR}/{OTHER}.jsonl",
        *copies,
        cc("user", "u2", "a1", "use decimals", 5, sessionId=OTHER),
        cc("user", "u3", "a1", "use cents", 6, sessionId=OTHER),
    )
    case.read()
    assert case.matches("ledger") == 2
    case.path(CLAUDE).unlink()
    case.read()
    assert case.matches("ledger") == 2 and case.found("ledger") == [S]
    assert case.lines(OTHER) == ["the ledger drifts", "rounding of the ledger", "use cents"]
    case.end()
    case.read()
    assert case.matches("ledger") == 2 and case.lines(S) == ["the ledger drifts", "rounding of the ledger"]


def test_a_resume_that_repeats_history_without_saying_so(case: Case) -> None:
    """Old versions copied the history into a new file and named no origin."""
    first = [cc("user", "u1", None, "copiedterm", 0), cc("assistant", "a1", "u1", "fine", 1)]
    case.write(
        f"{DIR}/{OTHER}.jsonl",
        *[r | {"sessionId": OTHER} for r in first],
        cc("user", "n1", "a1", "new here", 9, sessionId=OTHER),
    )
    case.read()
    assert case.found("copiedterm") == [OTHER]
    case.write(CLAUDE, *first, cc("user", "u2", "a1", "went on", 2))
    case.read()
    assert case.matches("copiedterm") == 1 and case.found("copiedterm") == [S]
    assert case.lines(OTHER) == ["copiedterm", "fine", "new here"]


def test_a_message_written_twice_or_four_times_is_one_record(case: Case) -> None:
    line = cc("user", "u1", None, "stutterterm", 0)
    case.write(CLAUDE, line, line, cc("assistant", "a1", "u1", "ok", 1), line, line)
    case.read()
    assert case.lines(S) == ["stutterterm", "ok"]
    case.append(CLAUDE, line)
    case.read()
    assert case.lines(S) == ["stutterterm", "ok"] and case.matches("stutterterm") == 1


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
