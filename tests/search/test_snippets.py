"""A snippet shows the place that answers, and its highlights are what was found."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld import analysis
from recalld.search import snippets

FILLER = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod " * 40


def patterns(*words: str, stem: bool = False) -> list[snippets.Pattern]:
    return [snippets.pattern(n, analysis.tokens(w), stem=stem) for n, w in enumerate(words)]


def marked(text: str, *words: str, stem: bool = False) -> tuple[str, list[str]]:
    shown, highlights = snippets.snippet(text, patterns(*words, stem=stem))
    assert len(shown) <= snippets.WIDTH
    return shown, [shown[a:b] for a, b in highlights]


def test_the_place_with_the_most_different_words_is_shown() -> None:
    text = "alpha alpha alpha " + FILLER + "here alpha meets beta and gamma " + FILLER + "beta beta"
    shown, found = marked(text, "alpha", "beta", "gamma")
    assert "alpha meets beta and gamma" in shown
    assert found == ["alpha", "beta", "gamma"]
    assert shown.startswith("…")
    assert shown.endswith("…")


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("see src/net/http_client.py:42 there", "http_client.py:42", ["http_client.py:42"]),
        ("in C++ and C", "C++", ["C++"]),
        ("a Café, a cafe\u0301", "cafe", ["Café", "cafe\u0301"]),
        ("修改youer服务端", "youer", ["youer"]),
        ("修改youer服务端", "服务", ["服务"]),
        ("ＦＵＬＬ width", "full", ["ＦＵＬＬ"]),
        ("done 🎉 now", "🎉", ["🎉"]),
        ("STRASSE straße", "strasse", ["STRASSE", "straße"]),
        ("데이터베이스 연결", "연결", ["연결"]),
        (unicodedata.normalize("NFD", "데이터 連結 が"), "데이터", [unicodedata.normalize("NFD", "데이터")]),
        ("the word is not in words or sword", "word", ["word"]),
        ("alpha-beta alpha beta alphabeta", "alpha-beta", ["alpha-beta", "alpha beta"]),
    ],
)
def test_what_is_highlighted(text: str, word: str, found: list[str]) -> None:
    assert marked(text, word)[1] == found


def test_word_forms_are_highlighted_whole() -> None:
    assert marked("rotates rotated rotation, rotor", "rotating", stem=True)[1] == ["rotates", "rotated", "rotation"]


def test_parts_of_names_are_highlighted() -> None:
    shown, highlights = snippets.snippet("call getUserProfile now, superuser", [snippets.part_pattern(0, "user")])
    assert [shown[a:b] for a, b in highlights] == ["User"]


def test_no_emoji_is_cut_apart() -> None:
    family = "👩‍👩‍👧‍👦"
    for pad in range(20):
        shown, _ = snippets.snippet("x" * pad + family * 100, [])
        inner = shown.strip("…x")
        assert inner.replace(family, "") == ""


def test_white_space_is_shown_as_single_spaces() -> None:
    shown, found = marked("a\n\n  b\tword \n c", "word")
    assert shown == "a b word c"
    assert found == ["word"]


ALPHABET = st.sampled_from(list("ab AB.\n-éßﬁ修改가\u0301🎉👍🏽\u200d١ "))


@given(st.text(ALPHABET, max_size=700), st.text(ALPHABET, min_size=1, max_size=6))
def test_highlights_lie_within_and_hold_the_word(text: str, word: str) -> None:
    tokens = analysis.tokens(word)
    if not tokens:
        return
    shown, highlights = snippets.snippet(text, [snippets.pattern(0, tokens)])
    assert len(shown) <= snippets.WIDTH
    last = 0
    for start, end in highlights:
        assert last <= start < end <= len(shown)
        assert set(tokens) & set(analysis.terms(shown[start:end]))
        last = end


@given(st.text(max_size=400))
def test_any_text_folds_with_its_places(text: str) -> None:
    low, places = snippets.folded(text)
    if places is None:
        assert len(low) == len(text)
    else:
        assert len(places) == len(low) + 1
        assert places == sorted(places)
        assert places[-1] == len(text)


def test_a_snippet_that_begins_within_a_long_emoji_is_no_longer_than_it_may_be() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    for more in range(12):
        text = family * 60 + " needle in the end" + "x" * more
        shown, highlights = snippets.snippet(text, [snippets.pattern(0, ("needle",))])
        assert len(shown) <= snippets.WIDTH
        assert [shown[a:b] for a, b in highlights] == ["needle"]
