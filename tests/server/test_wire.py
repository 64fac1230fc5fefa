"""Framing: whatever pieces a stream arrives in, the same messages come out."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import wire
from recall.errors import FrameTooLarge, ProtocolError

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
messages = st.lists(st.dictionaries(st.text(), values, max_size=4), max_size=6)


@given(messages, st.lists(st.integers(1, 40), min_size=1))
def test_any_split_of_a_stream_gives_the_same_messages(sent: list[dict[str, Any]], sizes: list[int]) -> None:
    stream = b"".join(wire.pack(message) for message in sent)
    decoder = wire.Decoder()
    received: list[dict[str, Any]] = []
    position = turn = 0
    while position < len(stream):
        size = sizes[turn % len(sizes)]
        decoder.feed(stream[position : position + size])
        received += decoder
        position, turn = position + size, turn + 1
    assert received == sent
    assert decoder.rest == b""


@given(messages, st.binary(max_size=3))
def test_what_is_not_a_whole_frame_yet_stays(sent: list[dict[str, Any]], start: bytes) -> None:
    decoder = wire.Decoder()
    decoder.feed(b"".join(wire.pack(message) for message in sent) + start)
    assert list(decoder) == sent
    assert decoder.rest == start


@given(st.binary(max_size=200))
def test_any_payload_is_a_map_or_a_protocol_error(payload: bytes) -> None:
    decoder = wire.Decoder()
    decoder.feed(struct.pack(">I", len(payload)) + payload)
    try:
        found = list(decoder)
    except ProtocolError:
        return
    assert all(isinstance(message, dict) for message in found)


@given(st.integers(wire.MAX_FRAME + 1, 2**32 - 1))
def test_a_length_over_the_limit_is_refused_before_its_payload_comes(length: int) -> None:
    decoder = wire.Decoder()
    decoder.feed(struct.pack(">I", length))
    with pytest.raises(FrameTooLarge):
        next(iter(decoder))


def test_a_message_over_the_limit_is_not_packed() -> None:
    with pytest.raises(FrameTooLarge):
        wire.pack({"text": "x" * wire.MAX_FRAME})


def test_deep_nesting_is_a_protocol_error_and_no_crash() -> None:
    payload = b"\x81\xa1a" * 100_000 + b"\xc0"
    with pytest.raises(ProtocolError):
        wire.unpack(payload)
