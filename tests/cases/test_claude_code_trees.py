"""Claude Code: what is a branch or a copy, and what only looks like one."""

from __future__ import annotations

from case_kit import CLAUDE, Case, S, cc

DIR = "claude/projects/-srv-shop"
OTHER = "5e551011-0000-4000-8000-0000000000ba"


def test_typed_prompts_without_a_transcript_are_all_shown(case: Case) -> None:
    """A history of prompts has no tree: none of them takes another's place."""
    prompts = [
        {"display": f"typedterm {n}", "timestamp": 1764320400000 + n, "project": "/srv/shop", "sessionId": S} for n in range(3)
    ]
    case.write("claude/history.jsonl", *prompts[:2])
    case.read()
    assert case.lines(S) == ["typedterm 0", "typedterm 1"]
    case.append("claude/history.jsonl", prompts[2])
    case.read()
    assert case.lines(S) == ["typedterm 0", "typedterm 1", "typedterm 2"]
    case.end()
    case.read()
    assert case.lines(S) == ["typedterm 0", "typedterm 1", "typedterm 2"]


def test_records_without_ids_are_neither_branches_nor_copies_of_others(case: Case) -> None:
    """They are named after their lines, and every file has a line of that number."""
    for session, word in ((S, "northterm"), (OTHER, "southterm")):
        lines = [cc(kind, "", None, f"{word} {n}", n) for n, kind in enumerate(("user", "assistant", "user"))]
        for line in lines:
            del line["uuid"], line["parentUuid"]
        case.write(f"{DIR}/{session}.jsonl", *lines)
    case.read()
    for session, word in ((S, "northterm"), (OTHER, "southterm")):
        assert case.lines(session) == [f"{word} {n}" for n in range(3)]
        assert case.found(word) == [session] and case.matches(word) == 3
        assert case.sessions()[session]["records"] == 3
    assert [r["parent"] for r in case.records(S)] == [None, None, None]


def test_a_record_without_ids_hides_no_rewind(case: Case) -> None:
    stray = cc("user", "", None, "stray", 9)
    del stray["uuid"], stray["parentUuid"]
    case.write(
        CLAUDE,
        cc("user", "u1", None, "plan", 0),
        cc("assistant", "a1", "u1", "how?", 1),
        cc("user", "u2", "a1", "first way", 2),
        cc("user", "u3", "a1", "second way", 3),
        stray,
    )
    case.read()
    assert case.lines(S) == ["plan", "how?", "second way", "stray"]


def test_a_branch_that_starts_with_a_persons_own_command_is_abandoned_too(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "plan", 0),
        cc("assistant", "a1", "u1", "how?", 1),
        cc("user", "b1", "a1", "<bash-input>make</bash-input>", 2),
        cc("user", "b2", "b1", "<bash-stdout>made</bash-stdout><bash-stderr></bash-stderr>", 3),
        cc("user", "u2", "b2", "it is made", 4),
        cc("user", "u3", "a1", "another way", 5),
    )
    case.read()
    assert case.lines(S) == ["plan", "how?", "another way"]
    case.append(CLAUDE, cc("user", "b3", "a1", "<bash-input>make again</bash-input>", 6))
    case.read()
    assert case.lines(S) == ["plan", "how?", "make again"]
