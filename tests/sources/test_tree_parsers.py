"""What both parsers of tree transcripts promise, whatever is in the lines."""

from __future__ import annotations

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recalld.model import MAX_TEXT, Message
from recalld.sources.base import Line
from source_fixtures import ROOT, SOURCES, expectation, feed

# fmt: off
KEYS = st.sampled_from([
    "type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "cwd", "gitBranch",
    "isMeta", "isSidechain", "agentId", "message", "content", "role", "parts", "text", "thought", "name", "input",
    "args", "id", "tool_use_id", "is_error", "toolUseResult", "persistedOutputPath", "stdout", "toolCallResult",
    "callId", "status", "resultDisplay", "functionCall", "functionResponse", "response", "output", "error",
    "systemPayload", "displayText", "customTitle", "summary", "leafUuid", "compactMetadata", "info",
    "compressedHistory", "forkedFrom", "filesRead", "rawCommand", "isCompactSummary", "file_path", "edits",
    "command", "new_string", "paths", "model", "toolCallId", "toolName",
])
WORDS = st.sampled_from([
    "user", "assistant", "system", "tool_result", "tool_use", "text", "summary", "custom-title", "last-prompt",
    "compact_boundary", "chat_compression", "slash_command", "at_command", "turn_result", "session_notes",
    "custom_title", "Bash", "Edit", "Read", "run_shell_command", "replace", "error", "u1", "u2",
    "<bash-input>recall</bash-input>", "<system-reminder>", "</system-reminder>", "<command-name>",
])
# fmt: on
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=8,
)
BLOCKS = st.lists(st.dictionaries(KEYS, VALUES, max_size=6) | VALUES, max_size=3)
LINES = st.fixed_dictionaries(
    {},
    optional={
        "type": WORDS | VALUES,
        "subtype": WORDS | VALUES,
        "uuid": WORDS | VALUES,
        "parentUuid": WORDS | VALUES,
        "isSidechain": st.booleans(),
        "agentId": WORDS,
        "message": st.fixed_dictionaries({"content": BLOCKS | VALUES, "parts": BLOCKS | VALUES}) | BLOCKS | VALUES,
        "toolUseResult": VALUES,
        "toolCallResult": VALUES,
        "systemPayload": VALUES,
        "forkedFrom": VALUES,
        "timestamp": VALUES,
        "cwd": st.just("/w/app") | VALUES,
        "gitBranch": VALUES,
        "leafUuid": VALUES,
        "summary": VALUES,
        "compactMetadata": VALUES,
    },
)
FILES = [
    (agent, row)
    for agent in SOURCES
    for row in ("transcript", "sub-agent", "sub-agent-old", "history")
    if not (agent == "qwen-code" and row in ("sub-agent-old", "history"))
]


def opened(agent, row="transcript"):
    source = SOURCES[agent]
    file = source.classify(ROOT, ROOT / expectation(agent, row)["paths"][0])
    assert file is not None
    return source, file


@pytest.mark.parametrize(("agent", "row"), FILES)
@settings(max_examples=40)
@given(objects=st.lists(LINES, max_size=6), breaks=st.sets(st.integers(0, 6)))
@example(objects=[{"type": "user", "timestamp": 0}, {"type": "user", "uuid": "u1"}], breaks={1})
def test_no_object_raises_and_any_split_yields_the_same(agent, row, objects, breaks):
    source, file = opened(agent, row)
    lines = [Line(n * 10, 10, n, {"cwd": "/w/app"} | value) for n, value in enumerate(objects)]
    whole = feed(source, file, lines)
    assert repr(feed(source, file, lines, breaks)) == repr(whole)
    for item in whole:
        if isinstance(item, Message):
            assert item.session
            assert item.uid
            assert all(isinstance(r.text, str) and (r.tool is None or isinstance(r.tool, str)) for r in item.records)
            assert all(isinstance(path, str) for r in item.records for path in r.paths)
            assert item.project is None or isinstance(item.project, str)
        else:
            msgpack.packb(item.value)


@pytest.mark.parametrize("agent", SOURCES)
def test_state_stays_small_however_long_the_file(agent):
    source, file = opened(agent)
    parser = source.parser(file, None)
    for n in range(3000):
        calls = [{"type": "tool_use", "id": f"toolu_{n:020}", "name": "Bash", "input": {"command": "ls"}}]
        parts = [{"text": f"answer {n}"}, {"functionCall": {"id": f"call_{n:020}", "name": "glob", "args": {}}}]
        list(
            parser.feed(Line(n, 1, n, {"type": "assistant", "uuid": f"{n:036}", "message": {"content": calls, "parts": parts}}))
        )
        side = {"type": "user", "isSidechain": True, "uuid": f"s{n:035}", "message": {"content": "x"}}
        list(parser.feed(Line(n, 1, n, side | {"parentUuid": f"s{n - 1:035}"})))
    assert len(msgpack.packb(parser.state())) < 24 * 1024


@pytest.mark.parametrize("agent", SOURCES)
def test_a_long_text_is_cut_and_marked(agent):
    source, file = opened(agent)
    text = "wörd " * 100_000
    line = Line(0, 1, 0, {"type": "user", "uuid": "u1", "message": {"content": text, "parts": [{"text": text}]}})
    [message] = [item for item in source.parser(file, None).feed(line) if isinstance(item, Message)]
    [record] = message.records
    assert record.truncated
    assert len(record.text.encode()) <= MAX_TEXT
    assert text.startswith(record.text)


@pytest.mark.parametrize("agent", SOURCES)
def test_the_answer_to_a_question_asked_of_recall_is_dropped_across_sittings(agent):
    source, file = opened(agent)
    call = {
        "type": "assistant",
        "uuid": "a1",
        "message": {
            "content": [{"type": "tool_use", "id": "c1", "name": "mcp__recall__search", "input": {"query": "x"}}],
            "parts": [{"functionCall": {"id": "c1", "name": "mcp__recall__search", "args": {"query": "x"}}}],
        },
    }
    answer = {
        "type": "user" if agent == "claude-code" else "tool_result",
        "uuid": "t1",
        "message": {
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "older words"}],
            "parts": [{"functionResponse": {"id": "c1", "name": "mcp__recall__search", "response": {"output": "older"}}}],
        },
    }
    lines = [Line(n, 1, n, {"cwd": "/w"} | value) for n, value in enumerate((call, answer, answer))]
    for breaks in ((), (1,), (1, 2)):
        messages = [item for item in feed(source, file, lines, breaks) if isinstance(item, Message)]
        assert [len(message.records) for message in messages] == [1, 0, 0]
