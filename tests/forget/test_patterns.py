"""What an exclusion means, pattern by pattern, and that none is slow, whatever it and a path are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall.errors import UsageError
from recalld.patterns import Patterns, checked

HOME = Path("/home/nobody")


def fits(pattern: str, path: str) -> bool:
    """Tell by the slow and plain way whether a path, or a directory above it, is what a pattern means."""
    known: dict[tuple[int, int], bool] = {}

    def at(p: int, s: int) -> bool:
        if (p, s) not in known:
            known[p, s] = look(p, s)
        return known[p, s]

    def look(p: int, s: int) -> bool:
        if p == len(pattern):
            return s == len(path) or path[s] == "/"
        if pattern.startswith("**/", p) and (p == 0 or pattern[p - 1] == "/"):
            return at(p + 3, s) or any(path[n] == "/" and at(p + 3, n + 1) for n in range(s, len(path)))
        if pattern.startswith("**", p):
            return any(at(p + 2, n) for n in range(s, len(path) + 1))
        if pattern[p] == "*":
            return at(p + 1, s) or (s < len(path) and path[s] != "/" and at(p, s + 1))
        if s == len(path):
            return False
        return (path[s] != "/" if pattern[p] == "?" else path[s] == pattern[p]) and at(p + 1, s + 1)

    return at(0, 0)


PIECES = st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "?", "ab", "/a", "\n"]), min_size=1, max_size=9)
PATHS = st.lists(st.sampled_from(["a", "b", "/", "ab", "\n"]), max_size=12).map(lambda parts: "/" + "".join(parts))


@given(PIECES.map(lambda parts: "/" + "".join(parts)) | PIECES.map(lambda parts: "**/" + "".join(parts)), PATHS)
@settings(max_examples=1500, deadline=None)
def test_a_pattern_means_what_its_wildcards_say(pattern: str, path: str) -> None:
    try:
        kept = checked(pattern)
    except UsageError:
        return
    assert Patterns([pattern], HOME).path(path) == fits(kept, path), kept


@given(PIECES.map("".join).filter(lambda text: "/" not in text), PATHS)
@settings(max_examples=500, deadline=None)
def test_a_name_means_every_component_that_it_fits(pattern: str, path: str) -> None:
    try:
        kept = checked(pattern)
    except UsageError:
        return
    assert Patterns([pattern], HOME).project(path) == fits(f"**/{kept}", path.rstrip("/") or "/"), kept


@pytest.mark.parametrize(
    "pattern",
    ["/" + "*a" * 40, "**/" + "*a" * 40, "*a" * 40, "/" + "**/a" * 40, "/" + "**a" * 40, "?*" * 40 + "x", "*" * 1000 + "a*b"],
)
def test_no_pattern_backtracks_without_end(pattern: str) -> None:
    """Each took longer than anybody waits when a wildcard was an ordinary repetition."""
    patterns = Patterns([pattern], HOME)
    for path in ("/" + "a" * 255, "/" + "a/" * 1000 + "b", "/" + ("a" * 100 + "/") * 30):
        patterns.path(path)
        patterns.project(path)
        patterns.directory(path.replace("/", "-"))


def test_a_line_break_in_a_directory_s_name_hides_nothing_from_an_exclusion() -> None:
    for pattern in ("secret", "sec*", "**/secret"):
        patterns = Patterns([pattern], HOME)
        assert patterns.project("/w/a\nb/secret")
        assert patterns.project("/w/secret/a\nb")
        assert patterns.directory("-w-a\nb-secret-x")


def test_a_directory_above_the_home_directory_does_not_become_a_name() -> None:
    for pattern in ("~/../etc", "~/a/../../etc", "~/..", "~someone/x"):
        with pytest.raises(UsageError):
            checked(pattern)
    assert checked("~/a/../b//c/") == "~/b/c"
    assert checked("~//b") == "~/b"
    assert Patterns(["~/b"], HOME).path(f"{HOME}/b/x")


@pytest.mark.parametrize("pattern", ["/s /", "/\r/x", "**/a\x1f/", " name ", "~/a b /"])
def test_a_pattern_is_kept_in_a_form_that_means_the_same_when_it_is_read_again(pattern: str) -> None:
    assert checked(checked(pattern)) == checked(pattern)


def test_a_name_that_ends_with_a_space_is_excluded_and_not_the_one_without() -> None:
    patterns = Patterns(["/w/s /"], HOME)
    assert patterns.path("/w/s /x")
    assert not patterns.path("/w/s/x")


def test_a_slash_behind_a_pattern_changes_nothing() -> None:
    assert checked("**/secret/") == "**/secret"
    assert Patterns(["/w/secret/"], HOME).path("/w/secret/x.jsonl")
    assert Patterns(["//w/s*"], HOME).path("/w/secret/x.jsonl")
