"""What comes out of the bytes of one line."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import msgpack
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.model import MAX_TEXT
from recalld.sources.jsonl import (
    MAX_UNKNOWN,
    NOT_AN_OBJECT,
    NOT_JSON,
    TOO_DEEP,
    count_unknown,
    cut,
    decode,
    epoch_ms,
    exit_status,
    text_of,
)

TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=5)


@given(st.binary(max_size=200))
def test_no_bytes_raise(line):
    found = decode(line)
    assert isinstance(found, list) or found in (NOT_JSON, NOT_AN_OBJECT, TOO_DEEP)
    if isinstance(found, list):
        assert all(isinstance(value, dict) for value in found)
        orjson.dumps(found)
        msgpack.packb(found)


@given(
    st.lists(OBJECTS, min_size=1, max_size=4),
    st.sampled_from(["", " ", "\t", "\r"]),
    st.sampled_from(["\n", "\r\n", ""]),
    st.booleans(),
)
def test_objects_glued_in_any_way_all_come_back(objects, between, end, mark):
    line = ("\ufeff" if mark else "") + between.join(json.dumps(value, ensure_ascii=False) for value in objects) + end
    assert decode(line.encode()) == objects


@given(OBJECTS.map(lambda value: json.dumps(value).encode()), st.binary(max_size=3), st.integers(0, 200))
def test_a_damaged_line_is_read_or_refused_and_never_raises(line, damage, place):
    assert isinstance(decode(line[:place] + damage + line[place:]), list | str)


@given(st.text(st.characters(codec=None, categories=["Cs", "Ll", "Lo"]), max_size=8))
def test_lone_surrogates_become_replacement_characters(text):
    [found] = decode(json.dumps({"0": text, text: [text]}).encode())
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert found["0"] == whole
    assert found.get(whole) is not None
    msgpack.packb(found)
    assert decode(json.dumps({"a": text}, ensure_ascii=False).encode("utf-8", "surrogatepass")) == [{"a": whole}]


@pytest.mark.parametrize("line", [b"", b"\n", b"\r\n", b"  \t \n"])
def test_a_blank_line_holds_nothing(line):
    assert decode(line) == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"type": "user", broken\n', NOT_JSON),
        (b"\xff\xfe\x00\n", NOT_JSON),
        (b"\x00\x00\x00\n", NOT_JSON),
        (b"[1, 2]\n", NOT_AN_OBJECT),
        (b'"text"', NOT_AN_OBJECT),
        (b"7", NOT_AN_OBJECT),
        (b'{"a":1}[2]', NOT_AN_OBJECT),
        (b'{"a":1}{"b":', NOT_JSON),
        (b'{"a":' * 100_000, TOO_DEEP),
        (b"[" * 100_000 + b"]" * 100_000, TOO_DEEP),
    ],
)
def test_what_is_no_object_says_why_and_does_not_quote_it(line, why):
    assert decode(line) == why


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'\x00\x00{"a":1}\x00\n', {"a": 1}),
        (b'{"a":"x\x00y"}', {"a": "x\0y"}),
        (b'{"a":"x\xffy"}', {"a": "x\ufffdy"}),
        (b'{"a":NaN,"b":-Infinity,"c":1e999}', {"a": None, "b": None, "c": None}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":123456789012345678901234567890}', {"a": 123456789012345678901234567890.0}),
        (
            b'{"a":NaN,"b":123456789012345678901234567890,"c":' + b"9" * 5000 + b"}",
            {"a": None, "b": 1.2345678901234568e29, "c": None},
        ),
        (b'{"a":"\\ud83d\\ude00 \\ud83d"}', {"a": "\U0001f600 \ufffd"}),
    ],
)
def test_what_agents_write_beside_the_standard_is_read(line, value):
    assert decode(line) == [value]


@given(st.datetimes(datetime(1970, 1, 2), datetime(9999, 1, 1)), st.sampled_from(["Z", "+00:00", ""]))
def test_a_time_is_read_with_and_without_zone(moment, zone):
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert epoch_ms(moment.isoformat() + zone) == round(moment.replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        ("2026-11-30T12:00:00+02:00", 1796032800000),
        (1796032800, 1796032800000),
        (1796032800.25, 1796032800250),
        (1796032800123, 1796032800123),
        ("1796032800", 1796032800000),
        ("1796032800123", 1796032800123),
        ("20261130", 1795996800000),
        (0, 0),
    ],
)
def test_seconds_and_milliseconds_as_number_or_text(value, ms):
    assert epoch_ms(value) == ms


@pytest.mark.parametrize(
    "value", [None, True, "", "soon", "nan", "inf", math.nan, math.inf, -1, 10**30, "9" * 400, [], {}, "0001-01-01"]
)
def test_what_is_no_time_is_unknown(value):
    assert epoch_ms(value) is None


@given(st.none() | st.text() | st.floats() | st.integers() | st.booleans())
def test_no_value_raises_as_a_time(value):
    found = epoch_ms(value)
    assert found is None or 0 <= found < 2**62


@given(TEXTS, st.integers(4, 40))
def test_text_is_cut_on_a_character_boundary(text, limit):
    kept, was_cut = cut(text, limit)
    assert text.startswith(kept)
    assert len(kept.encode()) <= limit
    assert was_cut == (len(text.encode()) > limit)
    assert not was_cut or len(kept.encode()) > limit - 4


def test_a_record_keeps_256_kib():
    assert cut("é" * MAX_TEXT) == ("é" * (MAX_TEXT // 2), True)


def test_the_text_of_blocks():
    assert text_of("a") == "a"
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}, "b", 7]) == "a\nb"
    assert text_of(None) == text_of({"text": "a"}) == text_of(7) == ""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Exit code 2\nno rule", 2),
        ("Error: Exit code 127", 127),
        ("Output: x\nExit Code: 1\nSignal: (none)", 1),
        ("Exit Code: 0\nlater\nExit Code: 3 \r\n", 3),
        ("it said Exit code 2", None),
        ("Exit Code: (none)", None),
        ("", None),
    ],
)
def test_the_exit_status_in_output(text, status):
    assert exit_status(text) == status


@given(st.lists(st.text() | st.none(), max_size=200))
def test_unknown_types_are_counted_under_bounded_printable_names(names):
    unknown: dict[str, int] = {}
    for name in names:
        count_unknown(unknown, name)
    assert sum(unknown.values()) == len(names)
    assert len(unknown) <= MAX_UNKNOWN + 1
    assert all(name.isprintable() and 0 < len(name) <= 60 for name in unknown)
