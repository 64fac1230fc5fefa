"""Dates in a question: `in May`, `last week`, `3 days ago`, `上周`. They lean the order of what is found, no more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from recalld import analysis
from recalld.search import date_words
from recalld.search.times import DAY_MS, Clock, epoch_ms

SLACK_DAYS = 7
"""What happened then is spoken of for some days more. 14 days found no more on conversation data."""

_FULL = "january february march april may june july august september october november december"
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = (_FULL.split(), _SHORT.split())
_MONTH = "|".join(dict.fromkeys([*_MONTHS[0], "sept", *_MONTHS[1]]))
_MONTH_DAY = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>(?a:{_MONTH}))\b\.?"
    r"(?:\s+(?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?!:))?(?:,?\s+(?P<year>(?:19|20)\d\d))?\b",
    re.IGNORECASE,
)
# Names are ASCII (`(?a:…)`): else `ſix` is `six` to an expression, and no key of a table.
_BEFORE = "in|on|during|since|of|by|early|late|mid|last|this|before|after|until|around"
_IN = re.compile(rf"\b(?:{_BEFORE})\s+$", re.IGNORECASE)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_RELATIVE = re.compile(
    r"\b(?:(?P<last>(?a:last|past|previous|this))\s+(?P<unit>(?a:day|night|week|weekend|month|year))"
    r"|(?P<count>\d{1,3}|(?a:an?|one|two|three|four|five|six|couple of|few))\s+(?P<ago>(?a:day|week|month|year))s?\s+ago"
    r"|(?P<word>(?a:yesterday|today)))\b",
    re.IGNORECASE,
)
_HAN = re.compile(
    r"(?P<word>前天|昨天|昨日|今天|今日|上周|上星期|上個星期|上个星期|先週|本周|这周|這週|今週|上个月|上個月|上月|先月"
    r"|这个月|這個月|本月|今月|去年|昨年|今年)"
    r"|(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号號])?"
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}
_HINTS = r"\d-\d\d|月|年|天|日|周|週|星期|ago\b|last|past|previous|this|today|yesterday"
_GATE = re.compile(rf"{_HINTS}|{_MONTH}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time: epoch ms, both ends in it."""

    start: int
    end: int

    def nearness(self, time: int) -> float:
        """Return 1 for a time within, 0.5 for one of the days after, else 0."""
        if self.start <= time <= self.end:
            return 1.0
        return 0.5 if self.end < time <= self.end + SLACK_DAYS * DAY_MS else 0.0


@dataclass(frozen=True, slots=True)
class EveryYear:
    """A month, or a day of one, of whatever year."""

    month: int
    day: int | None

    def nearness(self, time: int) -> float:
        """Return 1 for a time within, 0.5 for one of the days after, else 0."""
        moment = datetime.fromtimestamp(time / 1000, UTC)
        if self._holds(moment):
            return 1.0
        return 0.5 if any(self._holds(moment - timedelta(days=n)) for n in range(1, SLACK_DAYS + 1)) else 0.0

    def _holds(self, moment: datetime) -> bool:
        return moment.month == self.month and self.day in (None, moment.day)


Lean = Span | EveryYear


@lru_cache(maxsize=256)
def leans(text: str, clock: Clock) -> tuple[Lean, ...]:
    """Return the times that a question names, none for most."""
    return tuple(lean for _, lean in _expressions(text, clock))


@lru_cache(maxsize=256)
def words(text: str, clock: Clock) -> frozenset[str]:
    """Return the terms that a question's dates are made of: a session of that time need not say them."""
    return frozenset(t for written, _ in _expressions(text, clock) for t in analysis.terms(written))


def _expressions(text: str, clock: Clock) -> list[tuple[str, Lean]]:
    """Return (as written, the time that it names) for each date of a text."""
    found = [(m[0], lean) for m, lean in _english(text, clock)] if _GATE.search(text) else []
    for written, time in date_words.times(text):
        there = _named(time, clock) if isinstance(time, str) else [_ago(*time, clock)]
        found += [(written, lean) for lean in there]
    return found


def _english(text: str, clock: Clock) -> list[tuple[re.Match[str], Lean]]:
    found: list[tuple[re.Match[str], Lean]] = []
    for m in _ISO.finditer(text):
        found += [(m, n) for n in _calendar(int(m[1]), int(m[2]), int(m[3]) if m[3] else None, clock)]
    for m in _MONTH_DAY.finditer(text):
        day, year = m["d1"] or m["d2"], m["year"]
        if not (day or year or m["month"][0].isupper() or _IN.search(text[: m.start()])):
            continue  # "may" and "march" are verbs more often than months
        if m["month"].lower() in ("may", "march", "mar", "dec") and not (day or year or _IN.search(text[: m.start()])):
            continue
        month = next(n for names in _MONTHS for n, name in enumerate(names, 1) if m["month"].lower()[:3] == name[:3])
        found += [(m, n) for n in _calendar(int(year) if year else None, month, int(day) if day else None, clock)]
    for m in _RELATIVE.finditer(text):
        found += [(m, n) for n in _relative(m, clock)]
    for m in _HAN.finditer(text):
        if m["word"]:
            found += [(m, n) for n in _named(_HAN_WORDS[m["word"]], clock)]
        else:
            year, day = m["year"], m["day"]
            at = _calendar(int(year) if year else None, int(m["month"]), int(day) if day else None, clock)
            found += [(m, n) for n in at]
    return found


def _calendar(year: int | None, month: int, day: int | None, clock: Clock) -> list[Lean]:
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return []
    if year is None:
        return [EveryYear(month, day)]
    try:
        start = datetime(year, month, day or 1, tzinfo=clock.zone)
    except ValueError:
        return []
    if day:
        return [_span(start, start + timedelta(days=1))]
    return [_span(start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=clock.zone))]


def _span(start: datetime, after: datetime) -> Span:
    return Span(epoch_ms(start), epoch_ms(after) - 1)


def _relative(m: re.Match[str], clock: Clock) -> list[Lean]:
    if m["word"]:
        return _named(m["word"].lower(), clock)
    if m["last"]:
        return _named(("this " if m["last"].lower() == "this" else "last ") + m["unit"].lower(), clock)
    count = m["count"].lower()
    number = int(count) if count.isdigit() else _NUMBERS[count]
    return [_ago(number, {"day": 1, "week": 7, "month": 30, "year": 365}[m["ago"].lower()], clock)]


def _ago(number: int, days: int, clock: Clock) -> Lean:
    middle = clock.midnight(-number * days)
    slack = timedelta(days=days // 2)
    return _span(middle - slack, middle + slack + timedelta(days=1))


def _named(name: str, clock: Clock) -> list[Lean]:
    days: dict[str, Callable[[], tuple[int, int]]] = {
        "today": lambda: (0, 1),
        "this day": lambda: (0, 1),
        "yesterday": lambda: (-1, 0),
        "last day": lambda: (-1, 0),
        "last night": lambda: (-1, 0),
        "day before yesterday": lambda: (-2, -1),
        "this week": lambda: (-clock.local().weekday(), 1),
        "last week": lambda: (-clock.local().weekday() - 7, -clock.local().weekday()),
        "last weekend": lambda: (-clock.local().weekday() - 2, -clock.local().weekday()),
        "this weekend": lambda: (-2, 3),
    }
    if name in days:
        first, after = days[name]()
        return [_span(clock.midnight(first), clock.midnight(after))]
    now = clock.local()
    if name == "this month":
        return _calendar(now.year, now.month, None, clock)
    if name == "last month":
        return _calendar(now.year - (now.month == 1), (now.month - 2) % 12 + 1, None, clock)
    year = now.year - (name == "last year")
    if name in ("this year", "last year"):
        start = datetime(year, 1, 1, tzinfo=clock.zone)
        return [_span(start, datetime(year + 1, 1, 1, tzinfo=clock.zone))]
    return []


_HAN_WORDS = {
    "前天": "day before yesterday",
    **dict.fromkeys(("昨天", "昨日"), "yesterday"),
    **dict.fromkeys(("今天", "今日"), "today"),
    **dict.fromkeys(("上周", "上星期", "上個星期", "上个星期", "先週"), "last week"),
    **dict.fromkeys(("本周", "这周", "這週", "今週"), "this week"),
    **dict.fromkeys(("上个月", "上個月", "上月", "先月"), "last month"),
    **dict.fromkeys(("这个月", "這個月", "本月", "今月"), "this month"),
    **dict.fromkeys(("去年", "昨年"), "last year"),
    "今年": "this year",
}
