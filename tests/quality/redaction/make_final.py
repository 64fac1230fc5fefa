"""Make `final.jsonl` out of `templates/final-*`: `python tests/quality/redaction/make_final.py`.

Everything that is drawn stands between `«` and `»`: literal text with `{class:n}` for what a seeded generator puts there
(`CLASSES` here, and `ALPHABETS` for n characters of one). In a text with secrets each such mark is one secret, and what must
survive stands between `⟪` and `⟫`. A template with secrets is used once. Innocent texts: each line of `final-lines-*` and each
block of `final-blocks` is one text as somebody wrote it; each block of `final-drawn` is filled twice.
"""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

HERE = Path(__file__).resolve().parent
NAME, SEED = "final", "redaction/final/23"
FILLS = 2
"""Texts made of one innocent template whose values are drawn."""
HEADER = re.compile(r"^--- ([a-z][a-z0-9-]*)$", re.M)
MARK, STAY = re.compile(r"«(.*?)»", re.S), re.compile(r"⟪(.*?)⟫", re.S)
DRAW = re.compile(r"\{(\w+)((?::\d+)*)\}")

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
ALPHABETS = {
    "an": ALNUM,
    "al": UPPER + LOWER,
    "lo": LOWER,
    "up": UPPER + DIGITS,
    "up32": UPPER + "234567",
    "low36": LOWER + DIGITS,
    "dig": DIGITS,
    "hex": "0123456789abcdef",
    "UPHEX": "0123456789ABCDEF",
    "b64": ALNUM + "+/",
    "url": ALNUM + "-_",
    "b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "bechl": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "crock": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "nix": "0123456789abcdfghijklmnpqrsvwxyz",
    "onion": LOWER + "234567",
    "k8s": "bcdfghjklmnpqrstvwxz2456789",
    "map": "ACDEGIKMOQSUWYacegikmoqsuwy",
    "dj": LOWER + DIGITS + "!@#$%^&*(-_=+)",
    "pwset": ALNUM + "!_-.+^~*",
    "pqset": ALNUM + "!@#%^&*()-_+?.,:",
    "pwurlset": ALNUM + "-_.~!",
    "saltset": ALNUM + "!@#$%^&*()-_ []{}~`+=,.;:/?|",
}
WORDS = (
    "anchor basil candle dragon engine falcon guitar hammer island jacket kitten ladder marble noodle orange parrot "
    "quiver rocket silver tunnel unicorn violet window yellow zipper bottle castle donkey forest winter"
)
SEED_WORDS = (
    "abandon acoustic balcony bamboo cactus canyon daring debris eagle elbow fabric fatigue gadget gravity habit hybrid "
    "icon inmate jaguar jungle kidney kiwi ladder lawsuit magnet mosquito napkin nuclear oblige orbit paddle pistol "
    "quantum quiz rabbit ribbon sadness segment tackle tornado umbrella unaware vacuum velvet wagon wrestle zebra zone"
)
"""Some of the words that key phrases are made of."""
NOUNS, PHRASE_WORDS = WORDS.split(" "), SEED_WORDS.split(" ")


def chars(rng: Random, alphabet: str, n: int) -> str:
    """Return `n` characters of ALPHABETS[alphabet]; of letters and digits six and more hold both."""
    while True:
        made = "".join(rng.choices(ALPHABETS[alphabet], k=n))
        if alphabet not in ("an", "low36", "pwset", "pqset", "pwurlset") or n < 6:
            return made
        if any(c.isdigit() for c in made) and any(c.isalpha() for c in made) and made[0].isalnum():
            return made


def groups(alphabet: str, n: int, between: str) -> Callable[[Random, int], str]:
    """Return the maker of some groups of `n` characters, joined by `between`."""
    return lambda rng, count: between.join(chars(rng, alphabet, n) for _ in range(count))


def password(alphabet: str) -> Callable[[Random], str]:
    """Return the maker of passwords of 11 to 18 characters as a generator makes them."""
    return lambda rng: chars(rng, alphabet, rng.randrange(10, 17)) + rng.choice(DIGITS)


def words(rng: Random) -> str:
    """Return a password as people choose it, fit to stand unquoted."""
    a, b, c = rng.sample(NOUNS, 3)
    return rng.choice(
        (
            f"{a.capitalize()}{b.capitalize()}{rng.randrange(10, 999)}!",
            f"{a}-{b}-{c}-{rng.randrange(10, 99)}",
            f"{a}_{b}{rng.randrange(1950, 2026)}",
            f"{a.capitalize()}.{rng.randrange(100, 9999)}.{b}",
        )
    )


def phrase(rng: Random) -> str:
    """Return words with blanks between them: needs quotes."""
    return " ".join([*rng.sample(NOUNS, rng.randrange(3, 5)), str(rng.randrange(10, 999))])


def foreign(*starts: str) -> Callable[[Random], str]:
    """Return the maker of passwords that begin in another script."""
    return lambda rng: f"{rng.choice(starts)}{rng.choice('-_!')}{chars(rng, 'an', rng.randrange(3, 6))}{rng.randrange(10, 99)}"


def percent(rng: Random) -> str:
    """Return a password as it stands in a URL, with what must be escaped there."""
    return chars(rng, "an", 6) + rng.choice(("%40", "%23", "%2F", "%3A")) + chars(rng, "an", 5) + rng.choice(("%21", "%24"))


def token_parts(rng: Random) -> tuple[str, str]:
    """Return the header and the claims of a JSON web token."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

    header = {"alg": rng.choice(("RS256", "ES256", "HS512")), "kid": chars(rng, "hex", 8)}
    return part(header), part(
        {"iss": "https://sso.acme.dev", "sub": chars(rng, "dig", 8), "exp": 1_770_000_000 + rng.randrange(10**7)}
    )


def uuid(rng: Random) -> str:
    """Return a random UUID of version 4."""
    h = chars(rng, "hex", 31)
    return f"{h[:8]}-{h[8:12]}-4{h[12:15]}-{rng.choice('89ab')}{h[15:18]}-{h[18:30]}"


def b64(text: str) -> str:
    """Return `text` in Base64."""
    return base64.b64encode(text.encode()).decode()


CLASSES: dict[str, Callable[..., str]] = {
    "pw": password("pwset"),
    "pq": password("pqset"),
    "pwurl": password("pwurlset"),
    "pct": percent,
    "words": words,
    "phrase": phrase,
    "short": lambda rng: chars(rng, "lo", 3) + chars(rng, "dig", 2) + rng.choice("!#*") + chars(rng, "an", rng.randrange(3)),
    "umlaut": foreign("Bücherei", "Käsebrot", "Übermut", "Größe"),
    "accent": foreign("Éclair", "corazón", "mañana", "façade"),
    "cyr": foreign("снегирь", "Яблоко", "метель"),
    "cjk": foreign("桜吹雪", "山高水长", "금강산", "さくら"),
    "mnemonic": lambda rng: " ".join(rng.choices(PHRASE_WORDS, k=12)),
    "wpsalt": lambda rng: chars(rng, "an", 4) + chars(rng, "saltset", 56) + chars(rng, "an", 4),
    "pwb64": lambda rng: b64(chars(rng, "an", 20)),
    "basicpair": lambda rng: b64(f"{rng.choice(NOUNS)}:{chars(rng, 'an', rng.randrange(14, 24))}"),
    "jwt": lambda rng: ".".join((*token_parts(rng), chars(rng, "url", 86))),
    "jwtcut": lambda rng: ".".join(token_parts(rng))[:-8],
    "uuid": uuid,
    "num": lambda rng, low, high: str(rng.randint(low, high)),
    "dig9": lambda rng, n: rng.choice("123456789") + chars(rng, "dig", n - 1),
    "hexpairs": groups("hex", 2, ":"),
    "HEXpairs": groups("UPHEX", 2, ":"),
    "hexspaced": groups("hex", 2, " "),
    "UPHEX4": groups("UPHEX", 4, " "),
}
"""Makers by the name that stands in a mark; the numbers after the name are their arguments."""


def value(body: str, rng: Random) -> str:
    """Return the body of a mark with its classes drawn. A class that is not known is a KeyError."""

    def draw(m: re.Match[str]) -> str:
        args = [int(n) for n in m[2].split(":")[1:]]
        return CLASSES[m[1]](rng, *args) if m[1] in CLASSES else chars(rng, m[1], *args)

    return DRAW.sub(draw, body)


def templates(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of the template files of that pattern."""
    for file in sorted((HERE / "templates").glob(pattern)):
        parts = HEADER.split(file.read_text(encoding="utf-8"))
        for kind, body in zip(parts[1::2], parts[2::2], strict=True):
            yield kind, body.removeprefix("\n").rstrip("\n")


def secrets(rng: Random) -> Iterator[dict[str, Any]]:
    """Yield the texts with secrets, one a template."""
    for kind, text in templates(f"{NAME}-secrets-*.txt"):
        hidden: list[str] = []

        def fill(m: re.Match[str], hidden: list[str] = hidden) -> str:
            hidden.append(value(m[1], rng)[::-1])
            return f"\ue000{len(hidden) - 1}\ue001"

        stay = [part.strip() for m in STAY.finditer(text) for part in m[1].split("\n") if part.strip()]
        filled = MARK.sub(fill, STAY.sub(r"\1", text))
        yield {"secret": True, "kind": kind, "text": filled, "hidden": hidden, "must_survive": stay}


def innocents(rng: Random) -> Iterator[dict[str, Any]]:
    """Yield the innocent texts: what was written by hand, then what is drawn."""
    for kind, body in templates(f"{NAME}-lines-*.txt"):
        for line in body.split("\n"):
            yield {"secret": False, "kind": kind, "text": line}
    for kind, text in templates(f"{NAME}-blocks.txt"):
        yield {"secret": False, "kind": kind, "text": text}
    for kind, text in templates(f"{NAME}-drawn.txt"):
        for _ in range(FILLS):
            yield {"secret": False, "kind": kind, "text": MARK.sub(lambda m: value(m[1], rng), text)}


def main() -> None:
    """Write the file and say what is in it."""
    bad, good = list(secrets(Random(SEED))), list(innocents(Random(SEED + "/innocent")))
    (HERE / f"{NAME}.jsonl").write_bytes(b"".join(orjson.dumps(x) + b"\n" for x in (*bad, *good)))
    drawn = FILLS * sum(1 for _ in templates(f"{NAME}-drawn.txt"))
    print(f"{NAME}: {len(bad)} secrets of {len({x['kind'] for x in bad})} kinds", end=", ")
    print(f"{len(good)} innocent texts, {drawn} of them drawn")


if __name__ == "__main__":
    main()
