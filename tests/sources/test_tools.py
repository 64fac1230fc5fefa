"""Tool calls as records, and which of them ask us."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.model import Record
from recalld.sources.tools import MAX_ARGUMENTS, MAX_EDIT, Calls, call_record, is_recall_tool, runs_recall


@pytest.mark.parametrize(
    "command",
    [
        "recall x",
        "recall",
        "cd /w && recall search 'a b' | head",
        "make; recall fix",
        "FOO=1 /usr/local/bin/recall show a",
        "sudo -E recall doctor",
        "uv run recall status",
        "bash -lc 'recall search x'",
        "echo $(recall search x)",
        "ls\nrecall search x",
        "(recall search x)",
        "cat > notes <<E\n" + "words " * 5000 + "\nE\nrecall search x",
        "cat <<'X'\nit's\nX\nrecall y",
    ],
)
def test_a_command_line_that_asks_recall(command):
    assert runs_recall(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo recall",
        "grep -r recall .",
        "recalld --log-level debug",
        "git commit -m 'make; recall it'",
        "cd recall && ls",
        "./recall-tests",
        "bash -c 'echo recall'",
        "pip install recall",
        "cat recall/wire.py; ls src/recall",
    ],
)
def test_a_command_line_that_only_mentions_it(command):
    assert not runs_recall(command)


@given(st.text(st.sampled_from("recall ;|&'\"\\\n()$-c bash=/"), max_size=40))
def test_no_command_line_raises(command):
    assert runs_recall(command) in (True, False)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("mcp__recall__search", True),
        ("mcp__recalld__search", True),
        ("mcp__plugin_recall_recall__search", True),
        ("mcp__recaller__search", False),
        ("mcp__other__recall", False),
        ("recall", False),
        ("mcp__my_recall__x", False),
    ],
)
def test_our_own_mcp_tools(name, own):
    assert is_recall_tool(name) is own


def test_an_edit_is_its_path_and_the_new_text_cut():
    record = call_record("Edit", {"file_path": "/a", "old_string": "gone", "new_string": "é" * MAX_EDIT}, "c", "m")
    assert record.kind == "edit"
    assert record.paths == ("/a",)
    assert record.truncated
    assert record.text.startswith("/a\né")
    assert "gone" not in record.text
    assert len(record.text.encode()) <= MAX_EDIT


def test_arguments_are_bounded_and_readable():
    record = call_record("mcp__x__y", {"q": "a" * 100_000, "n": {"k": [1, 2]}}, None, None)
    assert record.text.startswith("q: aaa")
    assert len(record.text) == MAX_ARGUMENTS
    assert record.truncated
    assert call_record("mcp__x__y", {"n": {"k": [1, True]}, "none": None}, None, None).text == 'n: {"k":[1,true]}'


def test_arguments_nested_beyond_measure_are_still_a_call():
    deep: dict = {}
    for _ in range(900):
        deep = {"d": deep}
    assert call_record("mcp__x__y", {"n": deep}, None, None).text == "n: (nested too deeply)"


@given(
    st.sampled_from(["Bash", "Read", "Edit", "Grep", "x"]),
    st.none()
    | st.integers()
    | st.text()
    | st.lists(st.text())
    | st.dictionaries(
        st.sampled_from(["command", "file_path", "paths", "edits", "content", "url"]),
        st.none() | st.text() | st.lists(st.text() | st.integers()),
    ),
)
def test_no_arguments_raise(name, arguments):
    record = call_record(name, arguments, None, None)
    assert record.tool == name
    assert record.kind != "command" or record.command == record.text


def call(number: int) -> Record:
    return Record("assistant", "tool_call", "", tool=f"T{number}", call=f"c{number}")


def test_an_output_finds_its_tool_as_long_as_the_call_is_among_the_last_256_unanswered():
    calls = Calls({})
    for number in range(300):
        calls.add(call(number))
    assert calls.answer("c43") == (None, False)
    assert calls.answer("c44") == ("T44", False)
    assert calls.answer("c299") == ("T299", False)
    assert calls.answer("c299") == ("T299", False)  # lines are sometimes written twice
    assert calls.answer(None) == (None, False)
    assert len(calls.state()["open"]) == 254
