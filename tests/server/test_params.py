"""What a method's parameters may be is said before anything is asked of the index."""

from __future__ import annotations

import pytest

from recall.errors import UsageError
from recalld.server.params import FIRST_MS, LAST_MS, MAX_TEXT, Param, check

TIME = {"since": Param("time")}


@pytest.mark.parametrize(
    "value", [FIRST_MS - 1, LAST_MS + 1, 2**63, 2**64 - 1, -(2**63), True, 0.5, "soon", "2026-11-30", b"x"]
)
def test_what_no_calendar_has_is_no_time(value: object) -> None:
    with pytest.raises(UsageError, match=r"^since: "):
        check(TIME, {"since": value})


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (FIRST_MS, FIRST_MS),
        (LAST_MS, LAST_MS),
        (0, 0),
        ("0001-01-01T00:00:00+14:00", FIRST_MS - 14 * 3_600_000),
        ("1970-01-01T00:00:01Z", 1000),
    ],
)
def test_every_time_of_the_calendar_is_one(value: object, wanted: int) -> None:
    assert check(TIME, {"since": value}) == {"since": wanted}


@pytest.mark.parametrize("value", ["x" * (MAX_TEXT + 1), ["a", "x" * (MAX_TEXT + 1)]])
def test_a_text_over_the_limit_is_refused_with_the_limit(value: object) -> None:
    with pytest.raises(UsageError, match=f"query: is longer than the {MAX_TEXT} characters"):
        check({"query": Param("texts")}, {"query": value})
