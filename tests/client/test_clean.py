"""Text out of sessions does nothing to a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from recall.clean import clean, marked, one_line

anything = st.text(st.characters(codec=None), max_size=60)
ranges = st.lists(st.lists(st.integers(-5, 70), min_size=2, max_size=2), max_size=5)


@given(anything)
def test_no_control_or_direction_character_is_left(text: str) -> None:
    for letter in clean(text):
        assert letter in "\n\t" or unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(letter) not in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
    assert "\n" not in one_line(text)


def test_an_escape_sequence_becomes_harmless_text() -> None:
    assert clean("a\x1b]0;owned\x07\x1b[2Jb\u202ec") == "a]0;owned[2Jbc"


@given(st.text(st.characters(categories=["L", "N", "P"]), max_size=60), ranges)
def test_pieces_are_the_whole_text_and_lit_where_the_ranges_are(text: str, highlights: list[list[int]]) -> None:
    pieces = marked(text, highlights)
    assert "".join(piece for piece, _ in pieces) == text
    lit = [flag for piece, flag in pieces for _ in piece]
    assert lit == [any(start <= at < end for start, end in highlights) for at in range(len(text))]


@given(anything, ranges)
def test_no_text_and_no_ranges_raise_or_leave_a_line_end(text: str, highlights: list[list[int]]) -> None:
    assert all("\n" not in piece for piece, _ in marked(text, highlights))
