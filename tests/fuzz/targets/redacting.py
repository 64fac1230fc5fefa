"""The redactor: what it leaves, and what it costs."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import mutate
from tests.fuzz.draw import Draw
from tests.fuzz.target import Check, Target

from recalld.redact import KINDS, Redactor, names
from recalld.redact.tokens import TOKENS as FORMS
from redact.innocent_samples import INNOCENT, INNOCENT_LINES
from redact.redact_samples import AROUND, PASSWORD_PLACES, TOKENS, URL_PLACES
from redact.redact_samples import Draw as Dice

MARKER = re.compile(r"\[redacted:([a-z0-9-]{1,40})\]")
NAMES = sorted(TOKENS)
LITERALS = [
    *dict.fromkeys(literal for token in FORMS for literal in token.literals),
    *("://", "-----BEGIN PRIVATE KEY-----", "-----END ", "Authorization: ", "Bearer ", "Basic ", "Cookie: ", "Set-Cookie: "),
    *("machine ", "login ", ":5432:", "curl -u ", "mysql -p", "sshpass -p ", "sudo -S", "chpasswd", "--password-stdin"),
    *("sig=", "AccountKey=", "Server=", "auth=(", "https://hooks.slack.com/services/", "-passin pass:", "7z x -p", "unzip -P "),
    *sorted(names.literals())[::20],
]
FILL = (
    "",
    " ",
    "a",
    "A1b2",
    "=",
    '"',
    "'",
    "\\",
    "\\n",
    "\n",
    ":",
    "/",
    "@",
    ".",
    "-",
    "_",
    "(",
    "[",
    "{",
    "|",
    "é",
    "密",
    "\ud800",
    "%20",
    "a=",
    "a b",
)
GLUE = [
    *(
        ": ",
        " = ",
        "=",
        '="',
        "='",
        '": "',
        '\\": \\"',
        " is ",
        "\n",
        " ",
        "hunter2",
        "s3cr3t!",
        "[redacted:",
        "[redacted:password]",
    ),
    *FILL,
]


def _redact(work: Path) -> Check:
    def check(data: bytes) -> None:
        draw = Draw(data)
        kind, seed, around = draw.pick(NAMES), draw.number(), draw.byte() % 3
        text = draw.text()
        redactor = Redactor()
        once = redactor.redact(text)
        assert Redactor().redact(once) == once, "redacting again changes something"
        if not redactor.counts:
            assert once is text
        assert set(MARKER.findall(once)) <= KINDS | set(MARKER.findall(text)), "a kind that there is not"
        at = 0
        for piece in MARKER.split(once)[::2]:
            at = text.find(piece, at)
            assert at >= 0, "text is moved or changed"
            at += len(piece)
        token = TOKENS[kind](Dice(seed))
        half = len(text) // 2
        between = f"{text[:half]}{(' ', chr(10), ' ')[around]}{token}{(' ', chr(10), chr(10))[around]}{text[half:]}"
        assert token not in Redactor().redact(between), "a token stays"
        # A process of its own per piece and one for all of them must agree that an object without secrets is itself.
        assert Redactor(disabled=KINDS).redact(text) is text

    return check


def _texts() -> Sequence[bytes]:
    dice = Dice(1)
    places = [place.replace("{}", "hunter2") for place in (*PASSWORD_PLACES, *URL_PLACES)]
    tokens = [AROUND[n % len(AROUND)].replace("{}", TOKENS[name](dice)) for n, name in enumerate(NAMES)]
    return [bytes(5) + text.encode("utf-8", "surrogatepass")[:2000] for text in (*places, *tokens, *INNOCENT, *INNOCENT_LINES)]


# -- time --------------------------------------------------------------------------------------------------------------

SLOWER = 50
"""How many times the linear rate an input may take."""
SMALL, LARGE = 12_000, 96_000
GROWTH = 3.0
"""What a text of LARGE characters may cost a character, in terms of one of SMALL."""


def _seconds(text: str) -> float:
    began = time.thread_time()
    Redactor().redact(text)
    return time.thread_time() - began


def _redact_time(work: Path) -> Check:
    """Texts made to be slow: a literal, a filling, again and again or once with much of it."""
    log = "2026-11-30T10:00:00Z worker[17] GET /api/v1/items?page=3 took 12 ms; token refreshed, next key in 30 s, 14 rows ok\n"
    text = log * 3000
    _seconds(text)
    rate = min(_seconds(text) for _ in range(5)) / len(text)  # seconds for a character of a log that names tokens
    told = f"{rate * 1e9:.0f} ns a character of a log that names tokens"
    (work.parent / "rate").write_text(told)

    def made(draw: Draw) -> tuple[str, str, str]:
        parts = []
        for _ in range(3):
            count = 1 + draw.byte() % 4
            pools = (LITERALS, GLUE, FILL)
            parts.append("".join(str(draw.pick(pools[draw.byte() % 3])) for _ in range(count)))
        before, unit, after = parts
        return before, unit or "a", after

    def check(data: bytes) -> None:
        draw = Draw(data)
        shape = draw.byte() % 3
        before, unit, after = made(draw)
        if shape == 0:
            before, unit, after = "", before + unit + after, ""
        whole = [before + unit * (size // len(unit)) + after for size in (SMALL, LARGE)]
        if shape == 2:
            whole = [text.replace("\n", " ") for text in whole]
        small, large = (_seconds(text) for text in whole)
        told = f"{before!r} {unit!r} {after!r}: {small:.4f} s of {len(whole[0])}, {large:.4f} s of {len(whole[1])}"
        if large > SLOWER * rate * len(whole[1]):
            large = min(large, *(_seconds(whole[1]) for _ in range(2)))
            assert large <= SLOWER * rate * len(whole[1]), f"over {SLOWER} times the linear rate: {told}"
        if large > 0.02 and large / len(whole[1]) > GROWTH * small / len(whole[0]):
            large = min(_seconds(whole[1]) for _ in range(3))
            small = max(_seconds(whole[0]) for _ in range(3))
            assert large / len(whole[1]) <= GROWTH * small / len(whole[0]), f"grows faster than the text: {told}"

    return check


TARGETS = (
    Target("redact", _redact, _texts, mutate.words(5, [*LITERALS, *GLUE]), longest=3000),
    Target(
        "redact-time",
        _redact_time,
        lambda: [bytes(range(n, n + 40)) for n in range(0, 200, 7)],
        longest=60,
        traced=False,
        seconds=120,
    ),
)
