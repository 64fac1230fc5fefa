"""Claude Code: sessions that several files tell of: sub-agents, spilled outputs, prompt history, forks."""

from __future__ import annotations

import json

from case_kit import CLAUDE, Case, S, cc, result, use

DIR = "claude/projects/-srv-shop"
OTHER = "5e551011-0000-4000-8000-0000000000aa"
THIRD = "5e551011-0000-4000-8000-0000000000ab"


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
    case.path(base + ".meta.json").write_text(json.dumps({"agentType": "Plan", "description": "plan it", "toolUseId": "c1"}))
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


def test_a_spill_path_through_what_the_root_is_a_link_to_is_inside_the_root(case: Case) -> None:
    real = case.root / "real"
    case.claude.rename(real)
    case.claude.symlink_to(real)
    spill = case.path(f"{DIR}/{S}/tool-results/c1.txt")
    spill.write_text("spillterm early")
    line = cc("user", "r1", None, result("c1", "preview"), 2, toolUseResult={"persistedOutputPath": str(spill.resolve())})
    case.write(CLAUDE, line)
    case.read()
    assert case.found("spillterm") == [S]
    spill.write_text("spillterm late")
    case.read()
    assert case.lines(S) == ["preview\nspillterm late"]


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
    case.write(CLAUDE, cc("user", "r9", None, result("c", "short"), 1, toolUseResult={"persistedOutputPath": str(link)}))
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
