"""What becomes of text on its way into the index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld import analysis


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("call getUserProfileById soon", ["get", "user", "profile", "by", "id"]),
        ("HTTPServer parseJSON", ["http", "server", "parse", "json"]),
        ("plain words, snake_case, UPPER and a/b.py", []),
        ("iPhone x86Arch", ["phone", "86", "arch"]),
        ("é getÄrger fooBar", ["foo", "bar"]),
        ("", []),
    ],
)
def test_identifiers_are_taken_apart(text: str, parts: list[str]) -> None:
    assert sorted(analysis.identifier_parts(text)) == sorted(parts)


def test_encoded_data_is_no_identifier() -> None:
    assert analysis.identifier_parts("aB" * 500) == []


@given(st.text(max_size=200))
def test_any_text_is_analysed_and_again_to_the_same(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    once = analysis.terms(text)
    assert all(once)
    assert analysis.terms(" ".join(once)) == once
    analysis.identifier_parts(text)


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_ascii_comes_back_as_it_is_but_for_operators(text: str) -> None:
    if "++" not in text and "#" not in text:
        assert analysis.plain(text) is text


def test_only_what_is_said_is_stemmed() -> None:
    assert analysis.text_fields("running getUser", "message") == ("running getUser", "running getUser", "get user")
    assert analysis.text_fields("running getUser", "output") == ("running getUser", "", "get user")


def test_projects_are_filtered_by_directory_and_by_name() -> None:
    assert set(analysis.project_tokens("/w/Über/app/")) == {"/", "/w", "/w/uber", "/w/uber/app", "w", "uber", "app"}
