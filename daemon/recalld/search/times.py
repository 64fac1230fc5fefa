"""Times as people write them: ISO 8601, `7d`, `12h`, `30m`, `today`, `yesterday`. Everything comes out as epoch ms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY_MS = 86_400_000
_UNITS = {"m": 60_000, "h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}
_AGO = re.compile(r"(\d{1,9})([mhdw])", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_OTHER_DATE = re.compile(r"\d{8}|\d{4}-?W\d\d(-?\d)?", re.ASCII)
"""Dates without dashes, and of a week (which is one, where no day of it is named)."""
_FAR = 1 << 62


@dataclass(frozen=True, slots=True)
class Clock:
    """When and where the question is asked: what a time without a zone, and `yesterday`, mean."""

    now: int
    """Epoch ms."""
    zone: tzinfo

    def midnight(self, days: int = 0) -> datetime:
        """Return the beginning of today in the zone, moved by `days`."""
        today = self.local()
        return _moved(today.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None), days, self.zone)

    def local(self) -> datetime:
        """Return now in the zone."""
        return datetime.fromtimestamp(self.now / 1000, UTC).astimezone(self.zone)


def _moved(naive: datetime, days: int, zone: tzinfo) -> datetime:
    return (naive + timedelta(days=days)).replace(tzinfo=zone)


@lru_cache(maxsize=64)
def zone_of(name: str | None, utc_offset_min: int | None) -> tzinfo | None:
    """Return the zone of an IANA name, else of an offset in minutes east of UTC, else None. Unknown names are None
    too."""
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass  # an offset, where one came with it, says nearly the same
    if utc_offset_min is not None and abs(utc_offset_min) < 24 * 60:
        return timezone(timedelta(minutes=utc_offset_min))
    return None


def epoch_ms(moment: datetime) -> int:
    """Return an aware datetime as epoch ms."""
    return round(moment.timestamp() * 1000)


def parse(text: str, clock: Clock, *, end: bool = False) -> int | None:
    """Return the moment that `text` names as epoch ms, or None where it names none.

    With `end`, a bare date (or week, month, year) is its last millisecond, so that `until` includes it; `yesterday` stays
    its midnight.
    """
    text = text.strip()
    lower = text.lower()
    if lower == "now":
        return clock.now
    if lower in ("today", "yesterday"):
        return epoch_ms(clock.midnight(0 if lower == "today" else -1))
    ago = _AGO.fullmatch(lower)
    try:
        if ago:
            return max(-_FAR, clock.now - int(ago[1]) * _UNITS[ago[2]])
        days = _days(text)
        if days:
            first, after = (datetime.combine(day, time(), clock.zone) for day in days)
            return epoch_ms(after) - 1 if end else epoch_ms(first)
        if not text[:4].isdigit() or "T" not in text.upper().replace(" ", "T"):
            return None
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return epoch_ms(moment if moment.tzinfo else moment.replace(tzinfo=clock.zone))


def _days(text: str) -> tuple[date, date] | None:
    """Return (the first day of a date, a week, a month or a year, the first day after it); None for what is none of
    these. Raise ValueError or OverflowError where the calendar does not have it."""
    if other := _OTHER_DATE.fullmatch(text):
        first = date.fromisoformat(text)
        return first, first + timedelta(days=7 if "W" in text and not other[1] else 1)
    written = _DATE.fullmatch(text)
    if not written:
        return None
    year, month, day = (int(part) if part else None for part in written.groups())
    first = date(year or 0, month or 1, day or 1)
    if day:
        return first, first + timedelta(days=1)
    return first, date(first.year + 1, 1, 1) if not month or month == 12 else date(first.year, month + 1, 1)


def local_zone() -> tzinfo:
    """Return the system's zone, for a client that names none."""
    return datetime.now().astimezone().tzinfo or UTC
