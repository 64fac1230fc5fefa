"""The format pages, row by row: what they promise has a fixture, and the fixture holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.model import Message
from source_fixtures import (
    ROOT,
    SOURCES,
    compact,
    compact_file,
    content,
    documented_rows,
    expectation,
    feed,
    fixture_rows,
    lines,
)

ALL = [(agent, row) for agent in SOURCES for row in fixture_rows(agent)]
FED = [(agent, row) for agent, row in ALL if "unknown" in expectation(agent, row)]


@pytest.mark.parametrize("agent", SOURCES)
def test_every_row_of_the_format_page_has_a_fixture_and_every_fixture_a_row(agent):
    documented = documented_rows(agent)
    assert len(documented) > 20
    assert sorted(documented) == fixture_rows(agent)


@pytest.mark.parametrize(("agent", "row"), ALL)
def test_a_file_is_told_by_its_path(agent, row):
    expected = expectation(agent, row)
    for path in expected["paths"]:
        assert compact_file(SOURCES[agent].classify(ROOT, ROOT / path)) == expected["file"], path


@pytest.mark.parametrize(("agent", "row"), FED)
def test_lines_become_what_the_page_says(agent, row):
    expected = expectation(agent, row)
    source = SOURCES[agent]
    file = source.classify(ROOT, ROOT / expected["paths"][0])
    assert file is not None
    parser = source.parser(file, None)
    items = [item for line in lines(content(agent, row)) for item in parser.feed(line)]
    assert compact(items) == expected["items"]
    assert parser.unknown == expected["unknown"]


@pytest.mark.parametrize("agent", SOURCES)
def test_a_meta_file_says_what_the_page_says(agent):
    expected = expectation(agent, "sub-agent-meta")
    source = SOURCES[agent]
    file = source.classify(ROOT, ROOT / expected["paths"][0])
    assert file is not None
    assert compact(list(source.meta(file, content(agent, "sub-agent-meta")))) == expected["items"]
    for broken in (b"", b"{", b"[1]", b"\xff"):
        assert list(source.meta(file, broken)) == []


def mixed(agent):
    """All fixtures of the main transcript, one after another, as one file."""
    source = SOURCES[agent]
    path = expectation(agent, "transcript")["paths"][0]
    file = source.classify(ROOT, ROOT / path)
    assert file is not None
    data = b"".join(content(agent, row) for name, row in FED if name == agent and expectation(agent, row)["paths"] == [path])
    return source, file, lines(data)


MIXED = {agent: mixed(agent) for agent in SOURCES}


@pytest.mark.parametrize("agent", SOURCES)
@given(data=st.data())
def test_any_split_into_sittings_yields_the_same(agent, data):
    source, file, given_lines = MIXED[agent]
    breaks = data.draw(st.sets(st.integers(0, len(given_lines))))
    assert feed(source, file, given_lines, breaks) == feed(source, file, given_lines)


@pytest.mark.parametrize(("agent", "row"), FED)
def test_every_fixture_survives_a_break_before_each_line(agent, row):
    source = SOURCES[agent]
    file = source.classify(ROOT, ROOT / expectation(agent, row)["paths"][0])
    assert file is not None
    given_lines = lines(content(agent, row))
    assert feed(source, file, given_lines, range(len(given_lines))) == feed(source, file, given_lines)


@pytest.mark.parametrize("agent", SOURCES)
def test_every_message_points_at_its_line(agent):
    source, file, given_lines = MIXED[agent]
    places = {line.offset: line.length for line in given_lines}
    messages = [item for item in feed(source, file, given_lines) if isinstance(item, Message)]
    assert messages
    assert all(places[message.offset] == message.length for message in messages)
    assert {line.offset for line in given_lines} >= {message.offset for message in messages}
