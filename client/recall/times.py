"""Times as people write them on the command line, in the zone of whoever types."""

from __future__ import annotations

import os
import re
from datetime import date, datetime, timedelta

from recall.errors import UsageError

_AGO = re.compile(r"(\d{1,9})([mhdw])")
_UNIT = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?", re.ASCII)
_WEEK = re.compile(r"\d{4}-?W\d\d", re.ASCII)
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def parse_time(text: str, *, end: bool = False, now: datetime | None = None) -> int:
    """Return the milliseconds since the epoch that `text` names; raise UsageError where it names none.

    `7d`, `12h`, `30m` ago; `yesterday` (its midnight); ISO 8601, where a time without zone is in the local zone. A bare
    date (or week, month, year) is its first midnight, and with `end` its last millisecond. What `since:` takes in a
    query is taken here. `now` (with a zone) replaces the clock and,
    by its zone, the local zone.
    """
    value = text.strip()
    try:
        moment = _parse(value, end, now)
        if moment is not None:
            return (moment - _EPOCH) // _MILLISECOND
    except (OverflowError, OSError, ValueError):
        pass  # a year that the calendar or the zone's rules do not have: the same answer as for no time at all
    raise UsageError(f"{text!r} is not a time: write 7d, 12h, 30m, yesterday, or a date such as 2026-11-30")


def _parse(value: str, end: bool, now: datetime | None) -> datetime | None:
    current = now if now is not None else datetime.now().astimezone()
    lower = value.lower()
    if ago := _AGO.fullmatch(lower):
        return current - timedelta(**{_UNIT[ago[2]]: int(ago[1])})
    if lower == "now":
        return current
    if lower in ("today", "yesterday"):
        return _midnight(current.date() - timedelta(days=lower == "yesterday"), now)
    days = _days(value)
    if days is None:
        return _local(datetime.fromisoformat(value), now)
    return _midnight(days[1], now) - _MILLISECOND if end else _midnight(days[0], now)


def _days(value: str) -> tuple[date, date] | None:
    """Return (the first day of a date, a week, a month or a year, the first day after it), or None."""
    if written := _MONTH.fullmatch(value):
        first = date(int(written[1]), int(written[2] or 1), 1)
        return first, date(first.year + 1, 1, 1) if written[2] in (None, "12") else date(first.year, first.month + 1, 1)
    try:
        first = date.fromisoformat(value)
    except ValueError:
        return None
    return first, first + timedelta(days=7 if _WEEK.fullmatch(value) else 1)


def _midnight(day: date, now: datetime | None) -> datetime:
    return _local(datetime(day.year, day.month, day.day), now)


def _local(moment: datetime, now: datetime | None) -> datetime:
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=now.tzinfo) if now is not None else moment.astimezone()


def zone() -> dict[str, str | int]:
    """Return what the daemon needs to read times in a query: `utc_offset_min`, and `tz` (an IANA name) where known."""
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    found: dict[str, str | int] = {"utc_offset_min": int(offset.total_seconds() // 60)}
    name = os.environ.get("TZ", "").removeprefix(":") or _linked_zone()
    if name and not name.startswith("/"):  # also what is no zone's name, `CET-1CEST`: the daemon then takes the offset
        found["tz"] = name
    return found


def _linked_zone() -> str:
    """The zone that /etc/localtime links to, or ""; a copy instead of a link leaves only the offset."""
    try:
        target = os.readlink("/etc/localtime")
    except OSError:
        return ""
    _, _, name = target.partition("zoneinfo/")
    return name


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago `moment` was, in few letters; a date where that was over 30 days ago."""
    current = now if now is not None else datetime.now().astimezone()
    seconds = (current - moment).total_seconds()
    if seconds < 0:
        return "ahead" if seconds < -86400 else "now"
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86400:
        return f"{int(seconds // 3600)} h ago"
    if seconds < 30 * 86400:
        return f"{int(seconds // 86400)} d ago"
    return moment.astimezone(current.tzinfo).date().isoformat()
