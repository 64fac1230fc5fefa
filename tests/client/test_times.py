"""Times on the command line mean what the contract says, in the zone of whoever types."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import UsageError
from recall.times import ago, parse_time, zone
from recalld.search import times as of_queries

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=timezone(timedelta(hours=2)))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
days = st.dates(date(1971, 1, 2), date(2200, 1, 1))


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


@given(st.integers(0, 3000), st.sampled_from("mhd"))
def test_a_span_counts_back_from_now(count: int, unit: str) -> None:
    seconds = {"m": 60, "h": 3600, "d": 86400}[unit] * count
    assert parse_time(f"{count}{unit}", now=NOW) == ms(NOW) - seconds * 1000


@given(days, zones)
def test_a_bare_date_is_the_whole_local_day(day: date, tz: timezone) -> None:
    now = datetime(2026, 3, 10, 12, tzinfo=tz)
    start, end = parse_time(day.isoformat(), now=now), parse_time(day.isoformat(), end=True, now=now)
    assert start == ms(datetime(day.year, day.month, day.day, tzinfo=tz))
    assert end - start == 86_400_000 - 1


@given(st.datetimes(datetime(1971, 1, 2), datetime(2200, 1, 1)), zones, zones)
def test_a_time_with_a_zone_is_that_moment_and_one_without_is_local(moment: datetime, own: timezone, here: timezone) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    now = datetime(2026, 3, 10, 12, tzinfo=here)
    assert parse_time(moment.replace(tzinfo=own).isoformat(), now=now) == ms(moment.replace(tzinfo=own))
    assert parse_time(moment.isoformat(), now=now) == ms(moment.replace(tzinfo=here))


def test_yesterday_is_its_midnight() -> None:
    midnight = datetime(2026, 3, 9, tzinfo=NOW.tzinfo)
    assert parse_time("yesterday", now=NOW) == ms(midnight) == parse_time("yesterday", end=True, now=NOW)


def test_z_is_utc() -> None:
    assert parse_time("2026-03-10T10:00:00Z") == ms(datetime(2026, 3, 10, 10, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-30", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("20261130", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("2026-11", "2026-11-01T00:00", "2026-12-01T00:00"),
        ("2026-12", "2026-12-01T00:00", "2027-01-01T00:00"),
        ("2026", "2026-01-01T00:00", "2027-01-01T00:00"),
        ("2026-W49", "2026-11-30T00:00", "2026-12-07T00:00"),
        ("2026W492", "2026-12-01T00:00", "2026-12-02T00:00"),
    ],
)
def test_a_date_in_every_notation_is_all_of_it_in_an_option_and_in_a_query(text: str, first: str, last: str) -> None:
    start, after = (ms(datetime.fromisoformat(day).replace(tzinfo=NOW.tzinfo)) for day in (first, last))
    clock = of_queries.Clock(ms(NOW), NOW.tzinfo or UTC)
    assert parse_time(text, now=NOW) == start == of_queries.parse(text, clock)
    assert parse_time(text, end=True, now=NOW) == after - 1 == of_queries.parse(text, clock, end=True)


@pytest.mark.parametrize(
    "text",
    [
        *("7d", "2W", "90m", "now", "today", "Yesterday", "2026-11-30T10", "2026-11-30 10:00", "20261130T100000Z"),
        *("2026-W49-1T10", "2026-13", "2026-02-30", "0000", "202611", "2026-11-30T25:00", "soon", "10:00", "2026-11-30T"),
    ],
)
def test_an_option_takes_the_times_that_a_query_takes(text: str) -> None:
    try:
        option: int | None = parse_time(text, now=NOW)
    except UsageError:
        option = None
    assert option == of_queries.parse(text, of_queries.Clock(ms(NOW), NOW.tzinfo or UTC))


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert isinstance(parse_time(text), int)


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "7 days", "999999999d", "2026-13-01", "soon", "７d٠"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write 7d, 12h, 30m, yesterday"):
        parse_time(text)


@pytest.mark.parametrize(("name", "offset"), [("Asia/Kolkata", 330), ("Japan", 540)])
def test_the_zone_is_told_by_name_and_offset(monkeypatch: pytest.MonkeyPatch, name: str, offset: int) -> None:
    import time

    monkeypatch.setenv("TZ", name)
    time.tzset()
    try:
        assert zone() == {"utc_offset_min": offset, "tz": name}
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.timedeltas(timedelta(days=-400), timedelta(days=4000)))
def test_how_long_ago_is_always_short(span: timedelta) -> None:
    assert 0 < len(ago(NOW - span, NOW)) <= 10
