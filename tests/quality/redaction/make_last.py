"""Make `last.jsonl` out of `templates/last-*`: `python tests/quality/redaction/make_last.py`."""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from quality.redaction.load import Half, Item, items
from quality.redaction.shapes import ALNUM, BASE64, DIGITS, HARMLESS, HEX, LOWER, TOKENS, UPPER, URLSAFE, Shape, draw, of
from quality.redaction.shapes import VALUES as SHARED

HERE = Path(__file__).resolve().parent
SEED = "redaction/last/3"
BEFORE: tuple[Half, ...] = ("dev", "opened", "trial", "final")
"""The sets that were there first: a text that one of them has is left out here."""
DRAWS = 10
"""How often a template of a `generated-` kind is used."""
MARK, STAY = re.compile(r"\[\[(\w+)\]\]"), re.compile(r"⟪(.*?)⟫", re.S)
SIZED = re.compile(r"(hex|a|u|b|l|up|UP|p|alnum|b64_)(\d+)")
ALPHABETS = {
    "hex": HEX,
    "a": ALNUM,
    "alnum": LOWER + DIGITS,
    "u": URLSAFE,
    "b": BASE64,
    "b64_": BASE64,
    "p": BASE64,
    "l": LOWER + DIGITS,
    "up": UPPER + DIGITS,
    "UP": UPPER + DIGITS,
}
"""What a mark such as [[a32]] draws from, by the letters before its length."""
WORDS = (
    "Sommer Winter Tiger Dragon Coffee Banana Rocket Monkey Orange Purple Guitar Pirate Welcome Letmein Sunshine Football "
    "Panther Blossom Thunder Marble Compass Biscuit Penguin Harvest Cactus"
)
CHOSEN = WORDS.split(" ")
"""Words that people make passwords of."""


def strong(rng: Random, signs: str) -> str:
    """Return what a password manager makes, without the characters that end a quote or a word."""
    n = rng.randrange(11, 20)
    body = [rng.choice(LOWER), rng.choice(UPPER), rng.choice(DIGITS), rng.choice(signs), *rng.choices(ALNUM + signs, k=n)]
    rng.shuffle(body)
    return rng.choice(ALNUM) + "".join(body) + rng.choice(ALNUM)


def chosen(rng: Random) -> str:
    """Return what a person makes up."""
    a, b = rng.sample(CHOSEN, 2)
    return rng.choice(
        (f"{a}{rng.randrange(1960, 2027)}!", f"{a}.{b.lower()}{rng.randrange(100)}", f"{a}{b}#{rng.randrange(10)}")
    )


def base64_of(text: str) -> str:
    """Return the Base64 of `text`."""
    return b64encode(text.encode()).decode()


def key_file(rng: Random) -> str:
    """Return a PEM block in Base64, as a kubeconfig has it."""
    body = "\n".join(draw(rng, BASE64, 64) for _ in range(3))
    return base64_of(f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n")


VALUES: dict[str, Shape] = {
    "pw": lambda r: strong(r, "!%^*-_+=.~@#"),
    "pw2": lambda r: strong(r, "!%^*-_+~"),
    "plain": lambda r: draw(r, LOWER, 1) + draw(r, ALNUM, r.randrange(9, 17)) + draw(r, DIGITS, 1) + draw(r, UPPER, 1),
    "word": chosen,
    "short": lambda r: draw(r, LOWER, 2) + draw(r, DIGITS, 2) + draw(r, UPPER, 1) + draw(r, LOWER, r.randrange(1, 3)),
    "phrase": lambda r: " ".join(r.sample(CHOSEN, 4)).lower(),
    "phrase1": lambda r: "-".join(r.sample(CHOSEN, 4)).lower(),
    "uni": lambda r: (
        r.choice(("Möwe", "жизнь", "münze", "niño", "花火", "ćma")) + draw(r, DIGITS, 4) + r.choice(("ß", "é", "я"))
    ),
    "pct": lambda r: draw(r, ALNUM, 7) + r.choice(("%40", "%23", "%2F")) + draw(r, ALNUM, 6),
    "salt": lambda r: draw(r, ALNUM + "!#%&()*+,-./:;<=>?@[]^_{|}~ ", 62).strip() + "x7",
    "django": lambda r: draw(r, LOWER + DIGITS + "!@#$%^&*(-_=+)", 49) + "k",
    "mnemonic": lambda r: " ".join(r.sample(CHOSEN, 12)).lower(),
    "basic": lambda r: base64_of(f"{r.choice(CHOSEN).lower()}:{strong(r, '!-_')}"),
    "patbasic": lambda r: base64_of(":" + draw(r, LOWER + "234567", 52)),
    "pwb64": lambda r: base64_of(strong(r, "!-_+")),
    "b64pem": key_file,
    "uuid": HARMLESS["uuid"],
    "b32": of(UPPER + "234567", 32),
    "b44": of(BASE64, 43, suffix="="),
    "b64": of(BASE64, 64),
    "b88": of(BASE64, 86, suffix="=="),
    "bech58": of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "sas": lambda r: f"{draw(r, ALNUM, 20)}%2F{draw(r, ALNUM, 21)}%3D",
    "akia": of(UPPER + "234567", 16, "AKIA"),
    "asia": of(UPPER + "234567", 16, "ASIA"),
    "azcs": TOKENS["azure-client-secret"],
    "gapi": TOKENS["google-api-key"],
    "ya29": of(URLSAFE, 140, "ya29.a0A"),
    "gocspx": TOKENS["google-oauth-secret"],
    "ghp": of(ALNUM, 36, "ghp_"),
    "ghs": of(ALNUM, 36, "ghs_"),
    "ghfine": TOKENS["github-fine-grained"],
    "glpat": of(URLSAFE, 20, "glpat-"),
    "glrt": of(URLSAFE, 20, "glrt-"),
    "glcbt": lambda r: f"glcbt-{draw(r, HEX, 2)}_{draw(r, URLSAFE, 20)}",
    "atbb": of(ALNUM, 32, "ATBB"),
    "openai": TOKENS["openai-key"],
    "openaisvc": lambda r: f"sk-svcacct-{draw(r, URLSAFE, 74)}T3BlbkFJ{draw(r, URLSAFE, 74)}",
    "anthropic": TOKENS["anthropic-key"],
    "antoat": of(URLSAFE, 93, "sk-ant-oat01-", "AA"),
    "antort": of(URLSAFE, 93, "sk-ant-ort01-", "AA"),
    "xai": of(ALNUM, 80, "xai-"),
    "groq": TOKENS["groq-key"],
    "openrouter": TOKENS["openrouter-key"],
    "nvapi": of(URLSAFE, 64, "nvapi-"),
    "hf": TOKENS["hugging-face-token"],
    "r8": of(ALNUM, 37, "r8_"),
    "lsv2": lambda r: f"lsv2_pt_{draw(r, HEX, 32)}_{draw(r, HEX, 10)}",
    "pcsk": lambda r: f"pcsk_{draw(r, ALNUM, 5)}_{draw(r, ALNUM, 63)}",
    "tvly": of(ALNUM, 32, "tvly-dev-"),
    "pplx": TOKENS["perplexity-key"],
    "xoxb": TOKENS["slack-bot-token"],
    "xoxp": TOKENS["slack-user-token"],
    "xapp": TOKENS["slack-app-token"],
    "slackhook": SHARED["slackhook"],
    "discord": TOKENS["discord-bot-token"],
    "dhook": SHARED["discordhook"],
    "telegram": TOKENS["telegram-bot-token"],
    "sklive": of(ALNUM, 99, "sk_live_51"),
    "rklive": of(ALNUM, 99, "rk_live_51"),
    "sktest": of(ALNUM, 99, "sk_test_51"),
    "whsec": of(HEX, 64, "whsec_"),
    "square": of(URLSAFE, 60, "EAAA"),
    "shpat": of(HEX, 32, "shpat_"),
    "sendgrid": TOKENS["sendgrid-key"],
    "mailgun": lambda r: f"{draw(r, HEX, 32)}-{draw(r, HEX, 8)}-{draw(r, HEX, 8)}",
    "mailchimp": TOKENS["mailchimp-key"],
    "resend": lambda r: f"re_{draw(r, ALNUM, 8)}_{draw(r, ALNUM, 24)}",
    "npm": TOKENS["npm-token"],
    "pypi": TOKENS["pypi-token"],
    "cio": of(ALNUM, 32, "cio"),
    "rubygems": TOKENS["rubygems-key"],
    "nuget": of(LOWER + DIGITS, 43, "oy2"),
    "jfrog": of(ALNUM, 69, "AKCp"),
    "dckr": TOKENS["docker-token"],
    "dop": TOKENS["digitalocean-token"],
    "heroku": TOKENS["heroku-key"],
    "nfp": of(ALNUM, 36, "nfp_"),
    "tskey": lambda r: f"tskey-auth-{draw(r, ALNUM, 12)}CNTRL-{draw(r, ALNUM, 32)}",
    "atlasv1": TOKENS["terraform-cloud-token"],
    "hvs": TOKENS["vault-token"],
    "hvs24": of(ALNUM, 24, "hvs."),
    "pscale": of(URLSAFE, 43, "pscale_pw_"),
    "glsa": TOKENS["grafana-token"],
    "atatt": TOKENS["atlassian-token"],
    "jwt": TOKENS["jwt"],
    "hx": of(HEX, 2),
}
"""Values by the mark that names them, beside those that `SIZED` draws."""


def value(mark: str, rng: Random, *, harmless: bool) -> str:
    """Draw a value for the mark; raise KeyError when there is none of that name."""
    if harmless and mark in HARMLESS:
        return HARMLESS[mark](rng)
    if mark in VALUES:
        return VALUES[mark](rng)
    sized = SIZED.fullmatch(mark)
    if not sized:
        raise KeyError(mark)
    return draw(rng, ALPHABETS[sized[1]], int(sized[2]))


def lines_of(name: str) -> Iterator[str]:
    """Yield the lines of a template file that are not empty."""
    yield from (line for line in (HERE / "templates" / name).read_text(encoding="utf-8").split("\n") if line)


def secrets(rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every text with secrets."""
    for line in lines_of("last-secrets.txt"):
        if line.startswith("# "):
            continue
        kind, text = line.split(" | ", 1)
        twice = kind.startswith("2|")
        for _ in range(2 if twice else 1):
            yield secret(kind.removeprefix("2|"), text.replace("⏎", "\n"), rng)


def secret(kind: str, text: str, rng: Random) -> dict[str, Any]:
    """Fill one template; the values stand backwards in `hidden`."""
    hidden: list[str] = []

    def fill(m: re.Match[str]) -> str:
        hidden.append(value(m[1], rng, harmless=False)[::-1])
        return f"\ue000{len(hidden) - 1}\ue001"

    stay = [part for m in STAY.finditer(text) for part in m[1].split("\n") if part]
    return {"kind": kind, "text": MARK.sub(fill, STAY.sub(r"\1", text)), "hidden": hidden, "must_survive": stay}


def innocents(name: str, rng: Random, before: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """Yield every innocent text of a template file, those by hand as they stand, none twice and none of `before`."""
    seen = {item.text for item in before}
    kind = ""
    for line in lines_of(name):
        if line.startswith("## "):
            kind = line[3:]
            continue
        generated = kind.startswith("generated-")
        for _ in range(DRAWS if generated else 1):
            text = line.replace("⏎", "\n")
            if generated:
                text = MARK.sub(lambda m: value(m[1], rng, harmless=True), text)
            if text not in seen:
                seen.add(text)
                yield {"kind": kind, "text": text}


def lines() -> bytes:
    """Return the set as it stands in the file."""
    older = [item for half in BEFORE for item in items(half)]
    found = [{"secret": True} | x for x in secrets(Random(SEED))]
    found += [{"secret": False} | x for x in innocents("last-innocents.txt", Random(SEED + "/innocent"), older)]
    return b"".join(orjson.dumps(x) + b"\n" for x in found)


def main() -> None:
    """Write the file and say what it holds."""
    made = lines()
    (HERE / "last.jsonl").write_bytes(made)
    found = [orjson.loads(x) for x in made.splitlines()]
    kinds = Counter(x["kind"] for x in found if x["secret"])
    rest = [x["kind"] for x in found if not x["secret"]]
    generated = sum(kind.startswith("generated-") for kind in rest)
    print(f"last: {kinds.total()} secrets of {len(kinds)} kinds, {len(rest)} innocent texts, {generated} of them generated")


if __name__ == "__main__":
    main()
