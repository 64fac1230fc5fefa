"""What is shown or handed to a model holds nothing unseen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.clean import clean, clean_line, marked

ESC = "\x1b"
NASTY = st.text(
    st.sampled_from(
        [
            *list("ab \n\t\r[]m;0\\8"),
            ESC,
            "\x9b",
            "\x9d",
            "\x07",
            "\u200b",
            "\u200d",
            "\u200c",
            "\u202e",
            "️",
            "👩",
            "🏽",
            "ب",
            "क",
            "�",
            "\U000e0041",
            "\u2028",
        ]
    )
)


@pytest.mark.parametrize(
    ("dirty", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        (f"{ESC}[1;31mred{ESC}[0m", "red"),
        (f"{ESC}]8;;https://evil.example{ESC}\\link{ESC}]8;;{ESC}\\", "link"),
        (f"{ESC}]0;title\x07after", "after"),
        (f"{ESC}]52;c;aGk=", ""),
        (f"a{ESC}]0;no end\nnext", "a\nnext"),
        (f"{ESC}P+q544e{ESC}\\x", "x"),
        (f"{ESC}(Bx{ESC}=y{ESC}7z", "xyz"),
        ("\x9b31mred", "red"),
        ("bell\x07 back\x08 nul\x00", "bell back nul"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("\u2066isolated\u2069 \u200fmark", "isolated mark"),
        ("zero\u200bwidth\u2060\ufeff", "zerowidth"),
        ("tags\U000e0069\U000e0067\U000e006e", "tags"),
        ("hidden\ufe01\ufe02\U000e0101", "hidden"),
        ("soft\u00adhyphen", "softhyphen"),
        ("lone \ud83d surrogate", "lone \ufffd surrogate"),
        ("family 👩‍👩‍👧 ❤️ 1️⃣", "family 👩‍👩‍👧 ❤️ 1️⃣"),
        ("dark 👩🏽‍💻", "dark 👩🏽‍💻"),
        ("می‌خواهم", "می‌خواهم"),
        ("क्‍ष", "क्‍ष"),
        ("pass\u200dword a\u200cb", "password ab"),
        ("Grüße, 世界, Здравствуй, שלום, مرحبا", "Grüße, 世界, Здравствуй, שלום, مرحبا"),
    ],
)
def test_what_is_unseen_goes_and_what_is_seen_stays(dirty: str, shown: str) -> None:
    assert clean(dirty) == shown


@given(st.one_of(st.text(), NASTY))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert clean_line(clean_line(text)) == clean_line(text)


@given(st.one_of(st.text(), NASTY))
def test_no_control_bidi_or_surrogate_survives(text: str) -> None:
    for c in clean(text):
        assert c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"}
        assert c not in "\u200b\u2060\ufeff\u00ad"
        assert not "\u202a" <= c <= "\u202e"
        assert not "\u2066" <= c <= "\u2069"
    clean(text).encode()  # no lone surrogate is left


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_comes_back_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(st.one_of(st.text(), NASTY))
def test_a_line_is_one_line(text: str) -> None:
    line = clean_line(text)
    assert "\n" not in line
    assert line == line.strip()
    assert line.splitlines() in ([], [line])


def test_hostile_text_takes_linear_work() -> None:
    for piece in (ESC + "]", ESC + "[0;", "\u200d", "\ufe0f", "👩\u200d", ESC, "\r", "\x9b" * 2):
        clean(piece * (2_000_000 // len(piece)))


ranges = st.lists(st.lists(st.integers(-5, 70), min_size=2, max_size=2), max_size=5)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60), ranges)
def test_pieces_are_the_whole_text_and_lit_where_the_ranges_are(text: str, highlights: list[list[int]]) -> None:
    pieces = marked(text, highlights)
    assert "".join(piece for piece, _ in pieces) == text
    lit = [flag for piece, flag in pieces for _ in piece]
    assert lit == [any(start <= at < end for start, end in highlights) for at in range(len(text))]


@given(st.text(st.characters(codec=None), max_size=60), ranges)
def test_no_text_and_no_ranges_raise_or_leave_a_line_end(text: str, highlights: list[list[int]]) -> None:
    assert all("\n" not in piece for piece, _ in marked(text, highlights))
