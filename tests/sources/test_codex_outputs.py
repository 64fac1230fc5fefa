"""What a call gave back: the text without what Codex wrote around it, in whatever shape it is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recalld.model import Record
from sources.codex_lines import (
    CODEX,
    called,
    decoded,
    encode,
    event,
    file_of,
    gave,
    item,
    meta,
    read,
    records,
    response,
    texts,
)


def output_of(value: Any, name: str = "exec_command") -> Record:
    return records(read([meta(), called("c", name, cmd="x"), gave("c", value)]))[1]


PARTS = [{"type": "text", "text": 'a "row"'}, {"type": "text", "text": "another"}]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nTotal output lines: 400\nOutput:\none\n[…]\ntwo", "one\n[…]\ntwo"),
        ("Wall time: 1 seconds\nProcess exited with code 0\nOutput:\nTotal output lines: 400\n\none", "one"),
        ("Warning: truncated output (original token count: 9)\nTotal output lines: 400\n\none", "one"),
        ("Script completed\nWall time 0.1 seconds\nOutput:\n\nTotal output lines: 9\n\none", "one"),
        ("Script failed\nWall time 0.1 seconds\nOutput:\nScript error: one", "Script error: one"),
        ("Total output lines: 400", "Total output lines: 400"),
        ("Script completed", "Script completed"),
    ],
)
def test_the_lines_that_codex_writes_around_an_output_are_taken_off(output: str, text: str) -> None:
    assert output_of(output).text == text


def test_a_status_beside_the_text_leaves_the_whole_text_to_the_command() -> None:
    text = "Exit code: 7\nis what the program printed"
    found = output_of(json.dumps({"output": text, "metadata": {"exit_code": 0}}))
    assert (found.text, found.exit_status, found.is_error) == (text, 0, False)


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        (json.dumps(PARTS), 'a "row"\nanother', None),
        ("Wall time: 0.1 seconds\nOutput:\n" + json.dumps(PARTS), 'a "row"\nanother', None),
        (json.dumps({"content": "denied", "success": False}), "denied", True),
        (json.dumps({"content": PARTS, "isError": True}), 'a "row"\nanother', True),
        ({"content": PARTS, "success": True}, 'a "row"\nanother', False),
    ],
)
def test_an_output_in_json_is_its_text(output: Any, text: str, failed: bool | None) -> None:
    found = output_of(output)
    assert (found.text, found.is_error) == (text, failed)


def test_a_result_that_is_text_and_image_keeps_the_text() -> None:
    parts = [
        {"type": "input_text", "text": "a chart"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
    ]
    assert texts(read([meta(), called("c", "look", for_what="x"), gave("c", parts)]))[1] == "a chart"


@pytest.mark.parametrize(
    "printed",
    [
        '{"metadata": {"name": "badger"}, "kind": "Pod"}',
        '{"metadata": {"name": "badger"}, "content": "x"}',
        '{"content": "badger"}',
        '{"output": "badger", "exit_code": 1, "more": 2}',
        '[{"text": "badger"}]',
        '[{"type": "set", "text": "badger", "line": 3}]',
        '{"output": ',
        "[]",
    ],
)
def test_json_that_a_command_printed_is_its_output_as_it_stands(printed: str) -> None:
    assert output_of(printed).text == printed
    assert output_of(f"Exit code: 0\nOutput:\n{printed}").text == printed


def test_an_old_event_of_a_command_has_both_its_streams() -> None:
    given = event("exec_command_end", call_id="c", command=["make"], stdout="built", stderr="warned", exit_code=0)
    assert records(read([meta(), given]))[1].text == "built\nwarned"


def test_a_result_of_an_mcp_tool_without_text_is_what_it_holds_as_an_object() -> None:
    result = {"content": [], "structuredContent": {"rows": ["badger"], "next": None}, "isError": False}
    given = item("McpToolCall", "c", server="db", tool="find", arguments={}, status="completed", result=result)
    assert records(read([meta(), given]))[1].text == 'rows: ["badger"]'


def test_a_call_of_an_mcp_tool_that_failed_without_a_word_has_failed() -> None:
    given = item("McpToolCall", "c", server="db", tool="find", arguments={}, status="failed")
    assert [(r.kind, r.is_error) for r in records(read([meta(), given]))] == [("tool_call", None), ("output", True)]


@pytest.mark.parametrize("text", ["a log\nProcess exited with code 2", "Exit code: 2\nOutput:\na log"])
def test_what_a_tool_of_a_server_tells_of_a_command_is_no_exit_status_of_its_own(text: str) -> None:
    found = output_of(text, "mcp__ci__log")
    assert (found.exit_status, found.is_error) == (None, None)
    assert "a log" in found.text


RUNNING = "Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"
ENDED = "Chunk ID: 2\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\n"


def test_what_our_own_program_says_later_is_not_read_either() -> None:
    given = [
        meta(),
        called("c1", cmd="recall badger"),
        gave("c1", f"{RUNNING}an old answer"),
        called("c2", "write_stdin", session_id=7, chars=""),
        gave("c2", f"{RUNNING}an older answer"),
        called("c3", "write_stdin", session_id=7, chars=""),
        gave("c3", f"{ENDED}the oldest answer"),
        called("c4", cmd="make"),
        gave("c4", f"{RUNNING}compiling"),
        called("c5", "write_stdin", session_id=7, chars=""),
        gave("c5", f"{ENDED}compiled"),
    ]
    for sittings in ([], range(len(given))):
        found = [(r.text, r.exit_status) for r in records(read(given, sittings=sittings)) if r.kind == "output"]
        assert found == [("compiling", None), ("compiled", 0)]


def test_what_a_script_that_calls_our_tools_says_later_is_not_read_either() -> None:
    given = [
        meta(),
        response("custom_tool_call", name="exec", input="text(await tools.mcp__recall__search({}))", call_id="c1"),
        response(
            "custom_tool_call_output", call_id="c1", output="Script running with cell ID 3\nWall time 9.0 seconds\nOutput:\n"
        ),
        called("c2", "wait", cell_id="3"),
        gave("c2", "Script completed\nWall time 1.0 seconds\nOutput:\nan old answer"),
    ]
    assert not any("answer" in text for text in texts(read(given)))


def test_how_a_command_that_ran_on_has_ended_is_told_of_that_command() -> None:
    given = [
        meta(),
        called("c1", cmd="make"),
        gave("c1", f"{RUNNING}compiling"),
        called("c2", "write_stdin", session_id=7, chars=""),
        gave("c2", f"{RUNNING}linking"),
        called("c3", "write_stdin", session_id=7, chars=""),
        gave("c3", ENDED.replace("code 0", "code 2") + "Error: no lemur"),
    ]
    for sittings in ([], range(len(given))):
        found = [(r.id, r.call, r.exit_status) for r in records(read(given, sittings=sittings)) if r.kind == "output"]
        assert found == [("c1:out", "c1", None), ("c2:out", "c1", None), ("c3:out", "c1", 2)]


def test_reading_goes_on_from_what_an_older_version_remembered() -> None:
    first, then = decoded(encode([called("c1", cmd="make"), gave("c1", "Exit code: 2\nOutput:\nno lemur")]))
    parser = CODEX.parser(file_of(), None)
    parser.feed(first)
    state = {name: value for name, value in parser.state().items() if name not in ("running", "moved", "forked")}
    state["calls"] = [call[:4] for call in state["calls"]]
    (output,) = records(CODEX.parser(file_of(), state).feed(then))
    assert (output.id, output.tool, output.exit_status) == ("c1:out", "exec_command", 2)


SEARCH = {"type": "search", "query": "lemur diet"}


def test_a_search_on_the_web_is_one_call_though_not_all_its_forms_have_its_id() -> None:
    told = response("web_search_call", status="completed", action=SEARCH)
    ends = [event("web_search_end", call_id=f"ws_{n}", query="lemur diet", action=SEARCH) for n in range(2)]
    assert texts(read([meta(), told, ends[0]])) == texts(read([meta(), ends[0], told])) == ["type: search\nquery: lemur diet"]
    assert len(texts(read([meta(), told, ends[0], told, ends[1]]))) == 2
    with_ids = [response("web_search_call", id=f"ws_{n}", action=SEARCH) for n in range(2)]
    assert len(texts(read([meta(), with_ids[0], ends[0], with_ids[1], ends[1]]))) == 2


def test_a_search_on_the_web_that_asks_nothing_yet_is_no_call() -> None:
    started = response("web_search_call", id="ws_1", status="in_progress")
    ended = response("web_search_call", id="ws_1", status="completed", action={"type": "search", "queries": ["lemur"]})
    assert texts(read([meta(), started, ended])) == ['type: search\nqueries: ["lemur"]']
