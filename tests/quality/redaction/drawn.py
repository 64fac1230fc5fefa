"""Templates whose marks are drawn at random: `[[name]]` is a shape of shapes.py, `[[ghp_<a36>]]` is a small pattern.

In a pattern `<a36>` is 36 characters of the alphabet `a`, `<58:51>` 51 of the alphabet `58`, `<uuid>` a named shape; whatever
stands outside of `<…>` stays as written. A mark is one value, its prefix included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from quality.redaction.shapes import ALNUM, BASE64, DIGITS, HARMLESS, HEX, LOWER, NOUNS, UPPER, URLSAFE, VALUES, Shape, draw

MARK, STAY = re.compile(r"\[\[([^\[\]\s]+)\]\]"), re.compile(r"⟪(.*?)⟫", re.S)
PART, KIND = re.compile(r"<(?:(\w+):|([A-Za-z]))(\d+)>|<(\w+)>"), re.compile(r"=== ([a-z0-9-]+)")
ALPHABETS = {
    "a": ALNUM,
    "b": BASE64,
    "d": DIGITS,
    "h": HEX,
    "l": LOWER + DIGITS,
    "p": ALNUM + "!#%()*+,-./:;=?@^_{}~",
    "q": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "u": URLSAFE,
    "B": LOWER + "234567",
    "C": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "H": HEX.upper(),
    "L": UPPER + LOWER,
    "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "U": UPPER + DIGITS,
    "2": UPPER + "234567",
    "58": "".join(c for c in ALNUM if c not in "0OIl"),
}
"""Alphabets of a pattern: those the published formats use."""
STEMS = ("Straße", "Öl-Tank", "contraseñita", "ключ", "зима", "雪山", "さくら", "바다", "Żuraw", "čaj", "façade", "κύμα")
NAMED: Mapping[str, Shape] = {
    **HARMLESS,
    **VALUES,
    "fpw": lambda r: f"{r.choice(STEMS)}{draw(r, ALNUM, r.randrange(3, 7))}{r.choice('!-_.')}{r.randrange(100)}",
    "mnemonic": lambda r: " ".join(r.sample(NOUNS, 12)),
    "table": lambda _: "[[package]]",
}
"""Shapes by name: those of the other sets, and a few more. `[[table]]` writes the table of a TOML lock file, which looks like a mark."""


def value(mark: str, rng: Random) -> str:
    """Draw the value of one mark; KeyError for a name or an alphabet that does not exist."""
    if "<" not in mark:
        return NAMED[mark](rng)

    def part(m: re.Match[str]) -> str:
        return NAMED[m[4]](rng) if m[4] else draw(rng, ALPHABETS[m[1] or m[2]], int(m[3]))

    return PART.sub(part, mark)


def templates(file: Path) -> Iterator[tuple[str, str]]:
    """Yield (kind, text): a block after every `=== kind`, or, in a `.lines.txt`, every line after it."""
    kind, body = "", list[str]()
    by_line = file.name.endswith(".lines.txt")
    for line in [*file.read_text(encoding="utf-8").split("\n"), "=== end"]:
        if m := KIND.fullmatch(line):
            if body and not by_line:
                yield kind, "\n".join(body).rstrip("\n")
            kind, body = m[1], []
        elif kind and by_line and line:
            yield kind, line
        elif kind:
            body.append(line)


def innocent(kind: str, text: str, rng: Random) -> dict[str, Any]:
    """Fill the template of an innocent text."""
    return {"secret": False, "kind": kind, "text": MARK.sub(lambda m: value(m[1], rng), text)}


def secret(kind: str, text: str, rng: Random) -> dict[str, Any]:
    """Fill the template of a text with secrets: they stand backwards in `hidden`, and as numbered marks in `text`."""
    hidden: list[str] = []

    def fill(m: re.Match[str]) -> str:
        hidden.append(value(m[1], rng)[::-1])
        return f"\ue000{len(hidden) - 1}\ue001"

    stay = [line.strip() for part in STAY.findall(text) for line in part.split("\n")]
    filled = MARK.sub(fill, STAY.sub(r"\1", text))
    return {"secret": True, "kind": kind, "text": filled, "hidden": hidden, "must_survive": stay}
