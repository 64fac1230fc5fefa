"""What on the command line is an option and what is query text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall.cli import COMMANDS, routed
from recall.cli.search import split_query

FLAGS, VALUED = {"--json", "-h"}, {"--limit", "--agent"}
words = st.one_of(st.text(max_size=12), st.text(max_size=8).map(lambda s: "-" + s), st.text(max_size=8).map(lambda s: "--" + s))
plain = words.filter(lambda w: w != "--" and w not in FLAGS | VALUED and w.split("=", 1)[0] not in VALUED)


@given(st.lists(plain))
def test_whatever_is_no_option_is_query_text_in_its_order(text: list[str]) -> None:
    assert split_query(text, FLAGS, VALUED) == ([], text)


@given(st.lists(plain), st.lists(words))
def test_after_two_dashes_everything_is_query_text(before: list[str], after: list[str]) -> None:
    options, text = split_query(["--json", *before, "--", *after], FLAGS, VALUED)
    assert (options, text) == (["--json"], before + after)


@given(st.lists(plain), st.lists(plain), words)
def test_options_are_found_anywhere_and_take_the_next_argument(before: list[str], after: list[str], value: str) -> None:
    options, text = split_query([*before, "--limit", value, *after, "--agent=codex"], FLAGS, VALUED)
    assert (options, text) == (["--limit", value, "--agent=codex"], before + after)


@given(st.lists(words, min_size=1))
def test_a_first_word_that_is_no_command_starts_a_query(arguments: list[str]) -> None:
    expected = arguments if arguments[0] in COMMANDS or arguments[0] == "-h" else ["search", *arguments]
    assert arguments[0] in ("--version", "--help") or routed(arguments) == expected


def test_recall_alone_is_help() -> None:
    assert routed([]) == ["--help"]
