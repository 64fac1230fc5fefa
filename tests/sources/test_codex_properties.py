"""What must hold for any lines: sittings do not matter, nothing raises, state stays small, ids are unique."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgpack
from hypothesis import given
from hypothesis import strategies as st

from recalld.model import Message
from recalld.sources.base import Line
from recalld.sources.codex.lines import EVENTS, ITEMS, LINES, RESPONSES
from sources.codex_lines import (
    CODEX,
    Json,
    called,
    decoded,
    encode,
    event,
    file_named,
    file_of,
    gave,
    item,
    line,
    meta,
    ran,
    read,
    records,
    response,
    resumed,
    said_event,
    said_item,
    said_response,
    texts,
)

WORDS = st.sampled_from(["go on", "why?", "yes", "fix the cache", "<environment_context>x</environment_context> so"])
ROLES = st.sampled_from(["user", "assistant"])
CALLS = st.sampled_from(["c1", "c2", "c3"])
IDS = st.sampled_from([f"i{number}" for number in range(9)])
COMMANDS = st.sampled_from(["ls", "recall lemur", "apply_patch '*** Begin Patch\n*** Add File: a\n+b\n*** End Patch'"])

PLAUSIBLE = st.one_of(
    st.builds(said_event, ROLES, WORDS),
    st.builds(said_item, ROLES, IDS, WORDS),
    st.builds(said_response, ROLES, WORDS),
    st.builds(lambda text: event("task_complete", last_agent_message=text), WORDS),
    st.builds(lambda id, cmd: called(id, cmd=cmd), CALLS, COMMANDS),
    st.builds(gave, CALLS, st.sampled_from(["a", "Process exited with code 1\nOutput:\na"])),
    st.builds(ran, CALLS, COMMANDS, st.just("a"), st.integers(0, 2)),
    st.builds(lambda cwd, model: line("turn_context", {"cwd": cwd, "model": model}), WORDS, WORDS),
    st.builds(lambda text: line("compacted", {"message": text}), WORDS),
    st.just(event("task_started")),
    st.just(event("context_compacted")),
    st.just(event("thread_rolled_back", num_turns=1)),
    st.just(event("token_count", info={"last_token_usage": {"total_tokens": 7}})),
    st.just(meta()),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    (
        *("id", "cwd", "git", "source", "content", "role", "name", "namespace", "arguments", "call_id", "output"),
        *("action", "item", "message", "text", "changes", "status", "exit_code", "command", "server", "tool", "result"),
        *("error", "invocation", "last_agent_message", "num_turns", "thread_settings", "info", "type", "payload"),
        *("metadata", "timestamp", "ordinal", "record_type", "session_id", "ts", "thread_name", "updated_at"),
    )
)
PAYLOADS = st.dictionaries(FIELDS, VALUES | st.text(max_size=8) | st.dictionaries(FIELDS, VALUES, max_size=4), max_size=6)


def typed(wrap: Callable[[Json], Json], kinds: Iterable[str]) -> st.SearchStrategy[Json]:
    return st.builds(lambda kind, more: wrap(more | {"type": kind}), st.sampled_from(list(kinds)), PAYLOADS)


ODD = st.one_of(
    PAYLOADS,
    st.builds(line, st.sampled_from(list(LINES)), PAYLOADS),
    typed(lambda payload: line("event_msg", payload), EVENTS),
    typed(lambda payload: line("response_item", payload), RESPONSES),
    typed(lambda payload: event("item_completed", item=payload), ITEMS),
)


@given(st.lists(PLAUSIBLE, max_size=30), st.sets(st.integers(1, 30)))
def test_any_split_into_sittings_gives_the_same_items(lines: list[Json], sittings: set[int]) -> None:
    given = [meta(), *lines]
    assert read(given, sittings=sittings) == read(given)


@given(st.lists(PLAUSIBLE, max_size=30))
def test_ids_are_unique_within_a_session_and_records_have_their_messages(lines: list[Json]) -> None:
    given = [meta(), *(one | {"ordinal": number} for number, one in enumerate(lines, 1))]
    messages = [one for one in read(given) if isinstance(one, Message)]
    uids = [one.uid for one in messages if not one.uid.endswith(":exit")]
    assert len(set(uids)) == len(uids)
    assert all(record.id == one.uid and len(one.records) == 1 for one in messages for record in one.records)
    assert all(one.parent is None for one in messages)


@given(st.lists(ODD, max_size=8), st.sampled_from([file_of().logical, "history.jsonl", "session_index.jsonl"]))
def test_no_json_object_makes_the_parser_fail(lines: list[Json], name: str) -> None:
    file = file_named(name if "rollout" not in name else f"archived_sessions/{name}")
    parser = CODEX.parser(file, None)
    for number, data in enumerate(lines):
        for one in parser.feed(Line(number, 1, number, data)):
            assert one.session is not None
        parser = resumed(file, parser)


@given(st.permutations(["event", "item", "response"]), st.integers(1, 4), st.data())
def test_a_sentence_said_n_times_is_n_records_however_its_copies_are_shuffled_within_a_turn(
    forms: list[str], times: int, data: st.DataObject
) -> None:
    used = forms[: data.draw(st.integers(1, 3))]
    given = [meta()]
    for number in range(times):
        told = {"event": said_event("user", "yes"), "response": said_response("user", "yes")}
        told["item"] = said_item("user", f"i{number}", "yes")
        given += [told[form] for form in data.draw(st.permutations(used))]
    assert texts(read(given)) == ["yes"] * times


def test_what_must_be_remembered_of_a_long_file_is_small() -> None:
    parser = CODEX.parser(file_of(), None)
    lines = [meta()]
    for number in range(2_000):
        lines += [said_response("user", f"question {number}", id=f"msg_01a1aaaa-0000-7000-8000-{number:012}")]
        lines += [called(f"call_{number:030}", cmd="ls"), gave(f"call_{number:030}", "x" * 1_000)]
    for one in decoded(encode(lines)):
        parser.feed(one)
    assert len(msgpack.packb(parser.state())) < 16 * 1024


def test_deep_arguments_are_survived() -> None:
    deep: Any = "lemur"
    for _ in range(400):
        deep = [deep]
    found = records(read([meta(), item("McpToolCall", "c", server="maps", tool="find", arguments={"at": deep})]))
    assert [record.kind for record in found] == ["tool_call"]
    odd = response("function_call", name="exec_command", arguments='{"cmd": ' + "[" * 400 + "]" * 400 + "}", call_id="c")
    assert [record.kind for record in records(read([meta(), odd]))] == ["tool_call"]
