"""What is asked and shown: queries, snippets, times, filters, and what reaches a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import hostile, mutate
from tests.fuzz.draw import Draw
from tests.fuzz.target import Check, Target

from recall import frame, times
from recall.clean import clean, clean_line, marked
from recall.cli import render
from recall.errors import UsageError
from recalld import analysis
from recalld.search import dates, query
from recalld.search import times as search_times
from recalld.search.filters import compile_filters
from recalld.search.masks import sessions_of
from recalld.search.snippets import WIDTH, marks, part_pattern, pattern, snippet
from recalld.search.times import Clock, zone_of
from search.search_store import DAY, NOW, Store

TEXTS = (
    "the invoice export fails with QueuePool limit of size 5 overflow 10 reached",
    "error[E0382]: borrow of moved value in src/main.rs:42 修改了配置文件 🎉",
    "getUserName called HTTPServer.start() in C++ and C# at v1.2.3-rc.1",
    "see https://example.com/a/b?c=d#e and foo::bar::baz, or /home/ada/work/x_y.py",
    "commit 9f2c1e7a4b6d8c0e1f3a5b7c9d0e2f4a6b8c0d1e fixes café naïve Ångström",
    "한국어 텍스트 ภาษาไทย ﬁle ﬀ Straße İstanbul e\u0301te\u0301 パ\u30cf\u309aン",
    "\x1b[31mred\x1b[0m \u202eevil\u202c zero\u200bwidth \x9b2J \U000e0041 \u2066x\u2069",
)
WORDS = [
    *(word for text in TEXTS for word in text.split()),
    *(
        '"',
        " -",
        " OR ",
        "*",
        "agent:",
        "project:",
        "session:",
        "role:",
        "kind:",
        "tool:",
        "path:",
        "branch:",
        "since:",
        "until:",
    ),
    *(
        "is:error",
        "is:subagent",
        "is:abandoned",
        "7d",
        "yesterday",
        "2026-11-30",
        "last week",
        "in March",
        "3 days ago",
        "去年",
    ),
    *(
        "claude",
        "codex",
        "user",
        "tool",
        "/w/app",
        "~",
        ".",
        "..",
        "main",
        "“",
        "”",
        "«",
        "「",
        "」",
        '-"',
        "--",
        "a*",
        "?",
        "^",
        "\\",
    ),
]
CLOCK = Clock(NOW, UTC)


def _fill(work: Path) -> Store:
    store = Store(work / "index")
    for n, text in enumerate(TEXTS):
        more = {"text": f"{text} again", "kind": "output", "role": "tool", "is_error": n % 2 == 0}
        sub = "explorer" if n == 3 else None
        store.add(f"s{n}", text, TEXTS[(n + 1) % len(TEXTS)], more, title=text[:40], time=NOW - n * 30 * DAY, sub_agent=sub)
    store.add("edge", "x" * 3000, "alpha " * 400, {"text": "early", "time": None}, {"text": "first", "time": 1})
    return store


def _whole(draw: Draw) -> str:
    """Return the rest as text as the wire hands it on: without lone surrogates."""
    return draw.text().encode("utf-8", "replace").decode()


def _printable(text: str) -> None:
    bad = [c for c in text if (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000]
    hidden = [
        c for c in text if c in "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u2060\u00ad"
    ]
    assert not bad and not hidden, f"{bad} {hidden} reach a terminal"


def _shown(answer: Any) -> None:
    for line in render.hits(answer):
        for piece, _ in line:
            _printable(piece)


def _params(draw: Draw) -> dict[str, Any]:
    values = (None, "", "user", "codex", ["user", "x"], [], 7, -1, True, 2**70, "7d", "/w", ".", "s1", ["s1", "s2"], "\0", {})
    found: dict[str, Any] = {}
    for name in ("agent", "project", "session", "not_session", "role", "kind", "since", "until", "sub_agents", "sort", "cwd"):
        if draw.byte() % 8 == 0:
            found[name] = draw.pick(values)
    return found


def _query(work: Path) -> Check:
    store = _fill(work)

    def check(data: bytes) -> None:
        draw = Draw(data)
        params = _params(draw) if draw.byte() % 4 == 0 else {}
        offset, limit = draw.byte() % 4, 1 + draw.byte() % 4
        text = _whole(draw)
        try:
            whole = store.ask(text, limit=1000, **params)
        except UsageError as error:
            assert params, f"a query is a usage error: {error}"
            return
        assert whole["tier"] in ("exact", "forms", "close", "related", None)
        assert whole["total"] == len(whole["hits"]), "the total is not the list's length"
        assert (whole["tier"] is None) == (not whole["hits"])
        keys = [(hit["session"]["agent"], hit["session"]["id"]) for hit in whole["hits"]]
        assert len(set(keys)) == len(keys), "a session twice"
        for hit in whole["hits"]:
            assert len(hit["matches"]) <= 3 and hit["match_count"] >= len(hit["matches"])
            for match in hit["matches"]:
                assert len(match["snippet"]) <= WIDTH
                _marks_fit(match["snippet"], match["highlights"])
            _marks_fit(hit["session"]["title"] or "", hit.get("title_highlights", []))
        _shown(whole)
        page = store.ask(text, limit=limit, offset=offset, **params)
        assert page["total"] == whole["total"] and page["tier"] == whole["tier"], "a page has another total"
        ids = [hit["session"]["id"] for hit in page["hits"]]
        assert ids == [hit["session"]["id"] for hit in whole["hits"]][offset : offset + limit], "a page is no part of the list"

    return check


def _marks_fit(text: str, highlights: list[list[int]]) -> None:
    at = 0
    for start, end in highlights:
        assert at <= start < end <= len(text), "a highlight out of place"
        assert unicodedata.combining(text[start]) == 0 or start == 0, "a highlight begins within a character"
        assert end == len(text) or not "\u0300" <= text[end] <= "\u036f", "a highlight ends within a character"
        at = end
    _ = "".join(piece for piece, _ in marked(text, highlights))


def _snippets(work: Path) -> Check:
    def check(data: bytes) -> None:
        draw = Draw(data)
        kind, times_ = draw.byte() % 4, (1, 1, 5, 60)[draw.byte() % 4]
        asked, _, text = _whole(draw).partition("\n")
        text *= times_
        parsed = query.parse(asked, CLOCK)
        wanted = [word for clause in parsed.clauses for word in clause]
        patterns = [pattern(n, w.tokens, open_end=w.prefix or kind == 1, stem=kind == 2) for n, w in enumerate(wanted)]
        if kind == 3:
            patterns += [part_pattern(n, t) for n, w in enumerate(wanted) for t in w.tokens]
        shown, highlights = snippet(text, patterns)
        assert len(shown) <= WIDTH
        _marks_fit(shown, highlights)
        assert not any(c in shown for c in "\n\r\t\x0b\x0c"), "a snippet has one line"
        inside = " ".join(shown.removeprefix("…").removesuffix("…").split())
        assert inside in " ".join(text.split()) or "…" in text, "a snippet is no part of its text"
        _marks_fit(text, found := marks(text, patterns))
        if len(text) < WIDTH - 2:
            assert bool(found) == bool(highlights), "a text is highlighted as a title and not as a snippet"
        low = analysis.fold(text)
        for p in patterns:
            if p.whole_word and p.first in low.split():
                assert found, "a word that stands there is not found"

    return check


def _dates(work: Path) -> Check:
    store = _fill(work)
    snapshot = store.snapshot
    zones = [z for name in ("UTC", "Europe/Berlin", "Pacific/Apia", "Asia/Kathmandu") if (z := zone_of(name, None))]
    sessions = sessions_of(snapshot)

    def check(data: bytes) -> None:
        draw = Draw(data)
        extremes = (NOW, 0, 1, DAY, 221_845_391_999_999, NOW * 3, NOW + DAY * 58)  # those that a request may name
        now, zone, number = draw.pick(extremes), draw.pick(zones), draw.number(4)
        params = _params(draw)
        text = _whole(draw)
        clock = Clock(now, zone)
        for end in (False, True):
            moment = search_times.parse(text, clock, end=end)
            assert moment is None or abs(moment) < 2**63
        leans = dates.leans(text, clock)
        for lean in leans:
            for time in (0, now, number, 253_402_300_799_999):
                assert 0 <= lean.nearness(time) <= 1
        assert all(isinstance(word, str) for word in dates.words(text, clock))
        local = datetime.fromtimestamp(now / 1000, UTC).astimezone(zone)
        for end in (False, True):
            with suppress(UsageError):
                assert abs(times.parse_time(text, end=end, now=local)) < 2**63
        with suppress(UsageError):
            compile_filters(snapshot, params | {"since": text} if number & 1 else params, clock)
        dice = Random(number)
        some = [dice.choice((dice.getrandbits(63), dice.randrange(50))) for _ in range(dice.randrange(60))]
        assert set(sessions.numbers(sessions.mask_of(some))) == set(some), "a set of sessions loses some"

    return check


def _clean(work: Path) -> Check:
    def check(data: bytes) -> None:
        text = Draw(data).text()
        shown = clean(text)
        _printable(shown)
        assert clean(shown) == shown, "cleaning again changes something"
        line = clean_line(text)
        _printable(line)
        assert line == clean_line(line) and not set("\t\n") & set(line)
        for piece, _ in marked(text, [[1, 3], [2, 9], [len(text), 4]]):
            _printable(piece)
        left = frame.strip(text)
        assert frame.OPEN not in left or frame.CLOSE not in left[left.index(frame.OPEN) :], "a frame is left"

    return check


def _asked() -> Sequence[bytes]:
    return [
        b"\1\0\2" + text.encode() for text in (*TEXTS, '"limit of size" -codex', "invoice OR export since:7d", "is:error a*")
    ]


def _marked() -> Sequence[bytes]:
    return [
        bytes((n % 4, n % 2)) + f"{text.split()[1]} {text.split()[-1]}\n{text}".encode() for n, text in enumerate(TEXTS * 2)
    ]


TIMES = [
    *(
        "7d",
        "12h",
        "30m",
        "yesterday",
        "2026-11-30",
        "2026-11",
        "2026",
        "2026-11-30T10:00:00Z",
        "0001-01-01",
        "9999-12-31",
        "now",
    ),
    *(
        "last year we did",
        "three weeks ago",
        "on May 3rd, 2019",
        "去年三月",
        "2024年2月30日",
        "999999999d",
        "31 february",
        "this weekend",
    ),
]

TARGETS = (
    Target("query", _query, _asked, mutate.words(3, WORDS), longest=600),
    Target("snippets", _snippets, _marked, mutate.words(2, WORDS), longest=2000),
    Target("dates", _dates, lambda: [bytes(19) + t.encode() for t in TIMES], mutate.words(19, [*TIMES, *WORDS]), longest=200),
    Target(
        "clean",
        _clean,
        lambda: [t.encode("utf-8", "surrogatepass") for t in (*TEXTS, *hostile.PIECES)],
        mutate.words(0, hostile.PIECES),
        longest=1000,
    ),
)
