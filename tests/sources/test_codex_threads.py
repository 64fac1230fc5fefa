"""Whose a file's lines are: identity, sub-agents, forks, segments, the oldest generation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recalld.model import Message
from sources.codex_lines import (
    CHILD,
    DAY,
    THREAD,
    called,
    event,
    facts,
    file_named,
    file_of,
    gave,
    line,
    meta,
    read,
    records,
    said_event,
    said_item,
    said_response,
    texts,
)


def sessions(items: list[Any]) -> set[str | None]:
    return {one.session for one in items}


def test_only_the_first_meta_of_a_file_is_its_identity() -> None:
    given = [
        meta(CHILD, cwd="/w/child"),
        meta(THREAD, cwd="/w/parent", model_provider="other"),
        said_event("user", "hello"),
    ]
    found = read(given, file_of(CHILD))
    assert sessions(found) == {CHILD}
    assert facts(found)["provider"] == "openai"
    (message,) = [one for one in found if isinstance(one, Message)]
    assert (message.project, message.branch, message.parent) == ("/w/child", "main", None)


def test_the_group_that_a_fork_tree_shares_is_no_identity() -> None:
    assert sessions(read([meta(CHILD, session_id=THREAD), said_event("user", "hello")])) == {CHILD}


def test_the_identity_inside_counts_more_than_the_name() -> None:
    assert sessions(read([meta(CHILD), said_event("user", "hello")], file_of(THREAD))) == {CHILD}


def test_a_file_that_lost_its_first_line_belongs_to_the_thread_in_its_name() -> None:
    assert sessions(read([said_event("user", "hello")], file_of(THREAD))) == {THREAD}


def test_a_thread_that_goes_on_may_say_its_meta_again() -> None:
    again = meta(THREAD, cwd="/w/web", git={"branch": "next"})
    found = read([meta(), said_event("user", "one"), again, said_event("user", "two")])
    places = [(one.project, one.branch) for one in found if isinstance(one, Message)]
    assert places == [("/w/api", "main"), ("/w/web", "next")]
    assert sum(1 for one in found if getattr(one, "name", None) == "provider") == 1


SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1, "agent_role": "explorer"}}}


@pytest.mark.parametrize(
    ("more", "kind", "parent"),
    [
        ({"source": SPAWN}, "explorer", THREAD),
        ({"source": {"subagent": "review"}, "parent_thread_id": THREAD}, "review", THREAD),
        ({"source": {"subagent": "review"}}, "review", None),
        ({"source": {"subagent": {"other": "guardian"}}}, "guardian", None),
        ({"source": {"subagent": {"thread_spawn": {"depth": 1}}}, "parent_thread_id": THREAD}, None, THREAD),
        ({"source": "cli", "thread_source": "subagent"}, None, None),
    ],
)
def test_a_sub_agent_names_its_kind_and_its_parent(more: dict[str, Any], kind: str | None, parent: str | None) -> None:
    told = facts(read([meta(CHILD, **more)]))
    assert told["sub_agent"]["type"] == kind
    assert told.get("parent_session") == parent


@pytest.mark.parametrize("source", ["cli", "exec", "vscode", "mcp", {"custom": "ide"}, None, 7])
def test_a_persons_session_is_no_sub_agent(source: Any) -> None:
    told = facts(read([meta(source=source, thread_source="user")]))
    assert "sub_agent" not in told
    assert "parent_session" not in told


def test_what_a_sub_agent_replays_of_its_parent_is_not_its_own() -> None:
    own = [said_item("user", "i5", "count the marmots"), said_item("assistant", "i6", "seven")]
    replayed = [
        meta(THREAD),
        line("turn_context", {"cwd": "/w/parent", "model": "m-parent"}),
        said_item("user", "i1", "look at the marmots"),
        called("c1", cmd="ls"),
        gave("c1", "a"),
    ]
    first = meta(CHILD, source=SPAWN, subagent_history_start_ordinal=len(replayed) + 1, forked_from_id=THREAD)
    given = [one | {"ordinal": number} for number, one in enumerate([first, *replayed, *own])]
    for sittings in ([], [1], [4]):
        found = read(given, file_of(CHILD), sittings)
        assert texts(found) == ["count the marmots", "seven"]
        assert sessions(found) == {CHILD}
        assert {one.project for one in found if isinstance(one, Message)} == {"/w/api"}
        assert "forked_from" not in facts(found)


def test_a_sub_agent_without_ordinals_loses_nothing() -> None:
    given = [meta(CHILD, source=SPAWN), meta(THREAD), said_item("user", "i1", "one"), said_item("user", "i2", "two")]
    assert texts(read(given, file_of(CHILD))) == ["one", "two"]


def test_a_file_whose_identity_names_no_original_has_the_one_that_it_replays() -> None:
    other = "01a1aaaa-0000-7000-8000-000000000003"
    for more in ({}, {"source": SPAWN}, {"source": SPAWN, "subagent_history_start_ordinal": 3}):
        identity = meta(CHILD, **more)
        given = [identity, meta(THREAD), meta(other), said_item("user", "i1", "one")]
        for sittings in ([], [1], [2]):
            found = read(given, file_of(CHILD), sittings)
            assert [one.value for one in found if getattr(one, "name", None) == "forked_from"] == [THREAD]
    assert facts(read([meta(CHILD, forked_from_id=other), meta(THREAD)], file_of(CHILD)))["forked_from"] == other


def test_a_fork_reads_as_its_original_does_and_names_it() -> None:
    turn = [
        said_response("user", "<environment_context>\n<cwd>/w/api</cwd>\n</environment_context>"),
        said_event("user", "why?"),
        said_response("user", "why?"),
        called("c1", cmd="ls"),
        gave("c1", "Process exited with code 0\nOutput:\na"),
        said_event("assistant", "so"),
        said_response("assistant", "so"),
        event("task_complete", last_agent_message="so"),
    ]
    original = read([meta(), *turn])
    fork = read([meta(CHILD, forked_from_id=THREAD), meta(), *turn, said_event("user", "and now?")], file_of(CHILD))
    assert facts(fork)["forked_from"] == THREAD
    told = [[(r.role, r.kind, r.text) for r in records(one)] for one in (original, fork)]
    assert told[1] == [*told[0], ("user", "message", "and now?")]
    assert sessions(fork) == {CHILD}


def test_a_line_marked_as_inherited_says_so() -> None:
    marked = said_response("user", "from above") | {"metadata": {"inherited_user_message": True}}
    found = [one for one in read([meta(), marked, said_event("user", "mine")]) if isinstance(one, Message)]
    assert [one.inherited for one in found] == [True, False]


def test_a_segment_is_the_same_session_in_another_file_with_ids_of_its_own() -> None:
    segment = file_named(f"{DAY}{THREAD}_7.jsonl")
    assert segment.session == THREAD
    assert segment.logical != file_of().logical
    first = read([meta(), said_event("user", "one")])
    second = read([meta(), said_event("user", "two")], segment)
    assert sessions(first) == sessions(second) == {THREAD}
    assert {r.id for r in records(first)}.isdisjoint(r.id for r in records(second))


def test_ids_that_a_provider_counts_anew_in_a_segment_name_other_records() -> None:
    turn = [called("call_0", cmd="ls"), gave("call_0", "a")]
    given = [meta(), *turn, *turn, called("call_wR5vKc1x", cmd="pwd"), said_item("user", "i1", "one")]
    found = [{r.id for r in records(read(given, file))} for file in (file_of(), file_named(f"{DAY}{THREAD}_7.jsonl"))]
    assert found[0] & found[1] == {"call_wR5vKc1x"}
    assert {"call_0@7", "call_0@7:out", "i1@7"} < found[1]
    assert [len(ids) for ids in found] == [6, 6]


def test_ids_are_the_items_the_calls_or_the_place() -> None:
    given = [
        meta(),
        said_item("user", "i1", "one"),
        said_response("assistant", "two", id="msg_2"),
        called("c1", cmd="ls"),
        gave("c1", "a"),
        said_event("user", "three") | {"ordinal": 40},
        said_event("user", "four"),
    ]
    found = [one for one in read(given) if isinstance(one, Message)]
    assert [one.uid for one in found] == ["i1", "msg_2", "c1", "c1:out", "@40", "@6"]
    assert [one.records[0].id for one in found] == [one.uid for one in found]


def test_the_generation_without_envelopes_is_read() -> None:
    context = "<environment_context>\n<cwd>/w/old</cwd>\n</environment_context>"
    given: list[dict[str, Any]] = [
        {"id": THREAD, "timestamp": "2025-08-20T10:00:00.000Z", "instructions": None, "git": {"branch": "old"}},
        {"record_type": "state"},
        {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": context}]},
        {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "make it green"}]},
        {"record_type": "state"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["ls"]}), "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output": "a", "metadata": {"exit_code": 0}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is green."}]},
    ]
    for sittings in ([], [3], [7]):
        found = read(given, file_of(), sittings)
        assert texts(found) == ["make it green", "ls", "a", "It is green."]
        messages = [one for one in found if isinstance(one, Message)]
        assert {(one.session, one.project, one.branch, one.time) for one in messages} == {
            (THREAD, "/w/old", "old", 1_755_684_000_000)
        }
        assert facts(found)["started"] == 1_755_684_000_000


def test_a_directory_that_the_envelope_names_is_not_overruled_by_a_text() -> None:
    context = "<environment_context>\n<cwd>/w/text</cwd>\n</environment_context>"
    found = read([meta(), said_response("user", context), said_event("user", "hello")])
    assert [one.project for one in found if isinstance(one, Message)] == ["/w/api"]


def test_a_directory_may_be_a_uri() -> None:
    found = read([meta(cwd="file:///w/my%20api"), said_event("user", "hello")])
    assert [one.project for one in found if isinstance(one, Message)] == ["/w/my api"]


def test_a_name_given_in_the_rollout_is_a_title() -> None:
    assert facts(read([meta(), event("thread_name_updated", thread_name="Lemur work")]))["title"] == {
        "text": "Lemur work",
        "rank": 30,
        "at": 1_796_032_800_000,
    }


def test_where_a_session_began_is_told_when_it_goes_elsewhere() -> None:
    began = [meta(), line("turn_context", {"cwd": "/w/api"}), said_event("user", "one")]
    assert "first_project" not in facts(read(began))
    elsewhere = [line("turn_context", {"cwd": at}) for at in ("/w/web", "/w/docs")]
    found = read([meta(), *elsewhere, said_event("user", "two")])
    assert [one.value for one in found if getattr(one, "name", None) == "first_project"] == ["/w/api"]
    assert [one.project for one in found if isinstance(one, Message)] == ["/w/docs"]
