"""Claude Code: what is a branch or a copy, and what only looks like one."""

from __future__ import annotations

from case_kit import CLAUDE, Case, S, at, cc, encode, result, use

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


def test_a_transcript_under_another_name_is_the_session_of_that_name(case: Case) -> None:
    """A session's id is its file's name: what was said goes with it, and what is appended goes on there."""
    path = case.write(CLAUDE, cc("user", "u1", None, "renamedterm", 0), cc("assistant", "a1", "u1", "fine", 1))
    case.read()
    path.rename(path.with_name(f"{OTHER}.jsonl"))
    case.read()
    assert list(case.sessions()) == case.found("renamedterm") == [OTHER]
    case.append(f"{DIR}/{OTHER}.jsonl", cc("user", "u2", "a1", "and on", 2))
    case.read()
    assert case.lines(OTHER) == ["renamedterm", "fine", "and on"] and case.matches("renamedterm") == 1
    (case.root / DIR).rename(case.root / f"{DIR}-moved")
    case.read()
    assert case.lines(OTHER) == ["renamedterm", "fine", "and on"]
    assert case.sessions()[OTHER]["path"] == str(case.root / f"{DIR}-moved/{OTHER}.jsonl")


def test_two_transcripts_that_swap_their_names_swap_what_they_say(case: Case) -> None:
    one = case.write(CLAUDE, cc("user", "u1", None, "oneterm", 0))
    two = case.write(f"{DIR}/{OTHER}.jsonl", cc("user", "v1", None, "twoterm", 0, sessionId=OTHER))
    case.read()
    spare = one.with_suffix(".swap")
    one.rename(spare)
    two.rename(one)
    spare.rename(two)
    case.read()
    assert case.found("oneterm") == [OTHER] and case.found("twoterm") == [S]
    assert case.matches("oneterm") == 1 and case.matches("twoterm") == 1


def test_a_copy_that_says_nothing_of_its_own_is_titled_by_what_it_shows(case: Case) -> None:
    lines = [cc("user", "u1", None, "title of both", 0), cc("assistant", "a1", "u1", "fine", 1)]
    case.write(CLAUDE, *lines)
    copies = [line | {"sessionId": OTHER, "forkedFrom": {"sessionId": S, "messageUuid": line["uuid"]}} for line in lines]
    case.write(f"{DIR}/{OTHER}.jsonl", *copies)
    case.read()
    assert [(s["title"], s["records"]) for s in case.sessions().values()] == [("title of both", 0), ("title of both", 2)]
    case.append(f"{DIR}/{OTHER}.jsonl", cc("assistant", "b1", "a1", "an answer of its own", 2, sessionId=OTHER))
    case.read()
    assert case.sessions()[OTHER]["title"] == "title of both"
    case.append(f"{DIR}/{OTHER}.jsonl", cc("user", "u2", "b1", "its own prompt", 3, sessionId=OTHER))
    case.read()
    assert case.sessions()[OTHER]["title"] == "its own prompt"


def test_going_back_to_before_a_compaction_leaves_behind_what_came_after_it(case: Case) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "c1",
        "parentUuid": None,
        "logicalParentUuid": "a1",
        "sessionId": S,
        "compactMetadata": {"preTokens": 1000},
    }
    case.write(
        CLAUDE,
        cc("user", "u1", None, "plan", 0),
        cc("assistant", "a1", "u1", "how?", 1),
        boundary,
        cc("user", "s1", "c1", "planning was summed up", 3, isCompactSummary=True),
        cc("user", "u2", "s1", "after the summary", 4),
        cc("assistant", "a2", "u2", "done after it", 5),
    )
    case.read()
    assert case.lines(S) == ["plan", "how?", "planning was summed up", "after the summary", "done after it"]
    case.append(CLAUDE, cc("user", "u3", "a1", "as if it had never been", 6))
    case.read()
    assert case.lines(S) == ["plan", "how?", "as if it had never been"]
    assert [r["id"] for r in case.records(S, all_branches=True) if r["abandoned"]] == ["s1", "u2", "a2"]
    case.append(CLAUDE, cc("assistant", "a3", "u3", "as you say", 7))
    case.read()
    assert case.lines(S)[2:] == ["as if it had never been", "as you say"]


def test_what_was_typed_while_a_compaction_ran_stays(case: Case) -> None:
    case.write(
        CLAUDE,
        cc("user", "u1", None, "plan", 0),
        cc("assistant", "a1", "u1", "how?", 1),
        cc("user", "u2", "a1", "typed meanwhile", 2),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": None, "logicalParentUuid": "a1"},
        cc("user", "s1", "c1", "planning was summed up", 3, isCompactSummary=True),
        cc("assistant", "a2", "s1", "on it", 4),
    )
    case.read()
    assert case.lines(S) == ["plan", "how?", "typed meanwhile", "planning was summed up", "on it"]


def test_two_messages_that_are_only_called_the_same_are_two(case: Case) -> None:
    """An id alone makes no copy: nothing that was said may be lost for it, nor be shown in another session."""
    for session, word in ((S, "northterm"), (OTHER, "southterm")):
        case.write(
            f"{DIR}/{session}.jsonl",
            cc("user", "u1", None, f"{word} asked", 0, sessionId=session),
            cc("assistant", "a1", "u1", "one answer to both", 1, sessionId=session),
            cc("user", "u2", "a1", f"{word} again", 2, sessionId=session),
        )
    fork = "5e551011-0000-4000-8000-0000000000bb"
    origin = {"forkedFrom": {"sessionId": OTHER, "messageUuid": "u1"}, "sessionId": fork}
    case.write(
        f"{DIR}/{fork}.jsonl", cc("user", "u1", None, "southterm asked", 0, **origin), cc("user", "u9", "u1", "forked", 9)
    )
    for _ in range(2):
        case.read()
        assert case.lines(S) == ["northterm asked", "one answer to both", "northterm again"]
        assert case.lines(OTHER) == ["southterm asked", "one answer to both", "southterm again"]
        assert case.lines(fork) == ["southterm asked", "forked"]
        assert case.found("northterm") == [S] and case.matches("northterm") == 2
        assert case.found("southterm") == [OTHER] and case.matches("southterm") == 2
        case.end()


def test_a_fork_of_an_output_whose_rest_lies_beside_is_a_copy_whenever_the_rest_appears(case: Case) -> None:
    spill = case.path(f"{DIR}/{S}/tool-results/c1.txt")
    lines = [
        cc("assistant", "a1", None, use("c1", "Bash", command="./big"), 0),
        cc("user", "t1", "a1", result("c1", "bigterm preview"), 1, toolUseResult={"persistedOutputPath": str(spill)}),
    ]
    copies = [line | {"sessionId": OTHER, "forkedFrom": {"sessionId": S, "messageUuid": line["uuid"]}} for line in lines]
    case.write(f"{DIR}/{OTHER}.jsonl", *copies, cc("user", "u2", "t1", "on", 2, sessionId=OTHER))
    case.read()
    spill.write_text("restterm")
    case.read()
    case.write(CLAUDE, *lines)
    case.read()
    assert case.found("bigterm") == case.found("restterm") == [S] and case.matches("bigterm") == 1
    assert case.lines(OTHER)[:2] == case.lines(S)


def test_an_original_that_is_rewritten_says_what_is_new_and_its_copies_what_they_said(case: Case) -> None:
    def lines(word: str, session: str, **more: object) -> list[dict[str, object]]:
        first = cc("user", "u1", None, word, 0, sessionId=session, **more)
        return [first, cc("assistant", "a1", "u1", "fine", 1, sessionId=session, **more)]

    origin = {"forkedFrom": {"sessionId": S, "messageUuid": "u1"}}
    case.write(CLAUDE, *lines("oldterm", S))
    case.write(f"{DIR}/{OTHER}.jsonl", *lines("oldterm", OTHER, **origin), cc("user", "u2", "a1", "on", 5, sessionId=OTHER))
    case.read()
    assert case.found("oldterm") == [S]
    case.write(CLAUDE, *lines("newterm", S))
    case.read()
    assert case.lines(S) == ["newterm", "fine"] and case.lines(OTHER) == ["oldterm", "fine", "on"]
    assert case.found("newterm") == [S] and case.found("oldterm") == [OTHER] and case.matches("fine") == 1
    case.write(CLAUDE, *lines("oldterm", S))
    case.read()
    assert case.found("oldterm") == [S] and case.matches("oldterm") == 1 and case.found("newterm") == []


def test_records_without_ids_that_are_glued_on_one_line_are_all_there(case: Case) -> None:
    glued = [{"type": "user", "timestamp": at(n), "message": {"role": "user", "content": f"gluedterm {n}"}} for n in range(3)]
    typed = [{"display": f"typedterm {n}", "timestamp": 1764320400000 + n, "sessionId": OTHER} for n in range(2)]
    case.path(CLAUDE).write_bytes(b"".join(encode(line).rstrip() for line in glued) + b"\n")
    case.path("claude/history.jsonl").write_bytes(b"".join(encode(line).rstrip() for line in typed) + b"\n")
    case.read()
    assert case.lines(S) == ["gluedterm 0", "gluedterm 1", "gluedterm 2"]
    assert case.lines(OTHER) == ["typedterm 0", "typedterm 1"]
