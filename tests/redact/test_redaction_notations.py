"""Secrets go in whatever notation they stand, and the words around them stay; lines that only look alike stay whole.

`notations.txt` has a place a line, under headings; `[[name]]` is a value of that kind, `\\n` and `\\t` stand for themselves.
`lookalikes.txt` has an innocent text a line.
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from recalld.redact import Redactor

HERE = Path(__file__).parent
MARK = re.compile(r"\[\[(\w+)\]\]")
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
WORDS = [
    "amber",
    "birch",
    "cobalt",
    "ember",
    "garnet",
    "hollow",
    "juniper",
    "lagoon",
    "nectar",
    "onyx",
    "pebble",
    "raven",
    "thistle",
    "velvet",
    "walnut",
    "zephyr",
]
DRAWS = 4


def draw(r: Random, alphabet: str, n: int) -> str:
    return "".join(r.choices(alphabet, k=n))


def token(alphabet: str, n: int, prefix: str = "") -> Callable[[Random], str]:
    """Return what draws a token that has a digit, as nearly all have."""
    return lambda r: prefix + draw(r, alphabet, n - 2) + draw(r, "23456789", 2)


def password(r: Random) -> str:
    inner = draw(r, ALNUM, 3) + r.choice("!%^*+~") + draw(r, ALNUM + "!%*-_+~", r.randrange(4, 12))
    return draw(r, string.ascii_lowercase, 1) + inner + draw(r, string.digits, 1) + draw(r, string.ascii_uppercase, 1)


def uuid(r: Random) -> str:
    return f"{draw(r, HEX, 8)}-{draw(r, HEX, 4)}-4{draw(r, HEX, 3)}-a{draw(r, HEX, 3)}-{draw(r, HEX, 12)}"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


VALUES: dict[str, Callable[[Random], str]] = {
    "pw": password,
    "plain": lambda r: draw(r, string.ascii_lowercase, 2) + draw(r, ALNUM, 10) + draw(r, string.digits, 2),
    "short": lambda r: draw(r, string.ascii_lowercase, 3) + draw(r, string.digits, 2) + draw(r, "!#%*", 1),
    "words": lambda r: f"{r.choice(WORDS).capitalize()}{r.choice(WORDS)}{r.randrange(10, 99)}!",
    "dotted": lambda r: f"{r.choice(WORDS).capitalize()}.{r.choice(WORDS)}{r.randrange(1, 99)}",
    "tagged": lambda r: "!" + draw(r, string.ascii_uppercase, 3) + "2" + draw(r, string.ascii_lowercase, 4),
    "salt": lambda r: "aB3" + "".join(x + y for x, y in zip(draw(r, ALNUM, 30), r.sample("!@#%^*()_+-=|~[];:<>,.?/& " * 3, 30), strict=True)) + "9",
    "phrase": lambda r: " ".join([*r.sample(WORDS, 3), str(r.randrange(10, 99))]),
    "phrase1": lambda r: " ".join(r.sample(WORDS, 4)),
    "hyphened": lambda r: f"{r.choice(WORDS)}-{r.choice(WORDS)}-{r.randrange(10, 999)}",
    "word": lambda r: r.choice(("letmein", "swordfish", "sunshine", "dragonfly")),
    "foreign": lambda r: r.choice(("Grün", "señal", "金木水火", "ひみつ", "열쇠", "Łódź")) + draw(r, ALNUM, 4) + "7!",
    "pin": lambda r: draw(r, "123456789", 6),
    "hex32": token(HEX, 32),
    "hex37": token(HEX, 37),
    "hex40": token(HEX, 40),
    "hex64": token(HEX, 64),
    "HEX32": token(HEX.upper(), 32),
    "key20": token(ALNUM, 20),
    "key24": token(ALNUM, 24),
    "key26": token(string.ascii_lowercase + string.digits, 26),
    "key27": token(ALNUM, 27),
    "key32": token(ALNUM, 32),
    "key40": token(ALNUM, 40),
    "key43": token(ALNUM, 43),
    "key64": token(ALNUM, 64),
    "b64_32": lambda r: draw(r, ALNUM + "+/", 43) + "=",
    "b64_40": token(ALNUM + "+/", 40),
    "b64_88": lambda r: draw(r, ALNUM + "+/", 86) + "==",
    "b64_200": token(ALNUM + "+/", 200),
    "sig": lambda r: draw(r, ALNUM, 40) + "%2B" + draw(r, ALNUM, 2) + "%3D",
    "uuid": uuid,
    "basic": lambda r: encoded(f"ada:{password(r)}"),
    "pwb64": lambda r: encoded(password(r) + "ab"[: -len(password(r)) % 3]),
    "jwt": lambda r: f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.{draw(r, ALNUM, 43)}",
    "mnemonic": lambda r: " ".join(r.choices(WORDS, k=12)),
    "shadow": lambda r: f"$6${draw(r, ALNUM, 8)}${draw(r, ALNUM + './', 86)}",
    "apr": lambda r: f"$apr1${draw(r, ALNUM, 8)}${draw(r, ALNUM + './', 22)}",
    "bcrypt": lambda r: "$2y$05$" + draw(r, ALNUM + "./", 53),
    "slackhook": lambda r: f"T{draw(r, ALNUM.upper(), 8)}/B{draw(r, ALNUM.upper(), 10)}/{draw(r, ALNUM, 24)}",
    "discordhook": lambda r: f"{draw(r, string.digits, 18)}/{draw(r, ALNUM, 68)}",
}  # fmt: skip


def lines(name: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, text) of a file."""
    heading = ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line:
            yield heading, line.replace("\\n", "\n").replace("\\t", "\t")


HEADINGS = sorted({heading for heading, _ in lines("notations.txt")})


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_secret_goes_in_every_notation(heading: str) -> None:
    redact = Redactor().redact
    left = []
    for _, text in (each for each in lines("notations.txt") if each[0] == heading):
        rng = Random(text)
        for _ in range(DRAWS):
            drawn: list[str] = []

            def fill(mark: re.Match[str], rng: Random = rng, drawn: list[str] = drawn) -> str:
                drawn.append(VALUES[mark[1]](rng))
                return drawn[-1]

            filled = MARK.sub(fill, text)
            result = redact(filled)
            if any(value in result for value in drawn) or redact(result) != result:
                left.append((filled, result))
    assert left == []


def test_what_only_looks_like_a_secret_stays() -> None:
    redact = Redactor().redact
    touched = [(text, redact(text)) for _, text in lines("lookalikes.txt") if redact(text) != text]
    assert touched == []


def test_tokens_of_rarer_issuers_go() -> None:
    rng = Random(7)
    for shape in (
        ("p8e-", ALNUM, 32), ("fio-u-", ALNUM, 64), ("s-s4t2ud-", HEX, 64), ("API-", ALNUM.upper(), 26), ("tk-us-", ALNUM, 48),
        ("sm_pat_", ALNUM, 16), ("nvapi-", ALNUM, 64), ("e2b_", HEX, 40), ("fc-", HEX, 32), ("lsp_", ALNUM, 40),
        ("pcsk_", ALNUM, 60), ("jina_", ALNUM, 60), ("apify_api_", ALNUM, 36), ("csk-", ALNUM, 48),
    ):  # fmt: skip
        for _ in range(20):
            secret = shape[0] + draw(rng, shape[1], shape[2] - 2) + "7" + draw(rng, shape[1], 1)
            for around in ("see {} here", 'x = "{}"', "\\n{}\\n", "({})"):
                assert secret not in Redactor().redact(around.format(secret)), secret


def test_long_runs_of_what_may_tell_of_a_secret_end() -> None:
    for piece in (
        "user,password\n", "a|password\n|-|\n", "INSERT INTO t (password) VALUES ('a',", "jwt.sign('abc',", 'login("a","b",',
        "seed phrase abc def ", "mysqladmin -", "<<< 'a1b2' ", " as the password", "${password:-a", "password for a b c ", "密码是",
    ):  # fmt: skip
        assert isinstance(Redactor().redact(piece * (100_000 // len(piece))), str)
