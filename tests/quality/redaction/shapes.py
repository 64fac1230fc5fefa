"""Made-up values: the published shapes of vendors' tokens, passwords as people choose them, and harmless ids.

Nothing here was ever valid anywhere: every value is drawn from a seeded generator.
"""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from random import Random

Shape = Callable[[Random], str]

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
WORDS = (
    "amber birch cobalt dune ember fjord garnet hollow iris juniper kestrel lagoon maple nectar onyx pebble quartz "
    "raven saffron thistle umber velvet walnut yarrow zephyr copper lantern harbor meadow saddle"
)
NOUNS = WORDS.split(" ")


def draw(rng: Random, alphabet: str, n: int) -> str:
    """Return `n` characters of `alphabet`."""
    return "".join(rng.choices(alphabet, k=n))


def of(alphabet: str, n: int, prefix: str = "", suffix: str = "") -> Shape:
    """Return the shape: prefix, `n` characters of `alphabet`, suffix."""
    return lambda rng: prefix + draw(rng, alphabet, n) + suffix


def password(rng: Random) -> str:
    """Return a strong password without the characters that end a word, a quote or a URL's user part."""
    n = rng.randrange(10, 19)
    return draw(rng, LOWER, 1) + draw(rng, ALNUM + "!%^*-_+=.~", n) + draw(rng, DIGITS, 1) + draw(rng, UPPER, 1)


def plain_password(rng: Random) -> str:
    """Return letters and digits only, as a password manager makes for URLs."""
    return draw(rng, LOWER, 2) + draw(rng, ALNUM, rng.randrange(8, 16)) + draw(rng, DIGITS, 2)


def short_password(rng: Random) -> str:
    """Return six to eight characters."""
    return draw(rng, LOWER, 3) + draw(rng, DIGITS, 2) + draw(rng, "!#%*", 1) + draw(rng, ALNUM, rng.randrange(3))


def word_password(rng: Random) -> str:
    """Return what people choose: words and a number."""
    a, b = rng.sample(NOUNS, 2)
    return rng.choice((f"{a.capitalize()}{b}{rng.randrange(10, 99)}!", f"{a}-{b}-{rng.randrange(100, 999)}"))


def foreign_password(rng: Random) -> str:
    """Return a password that is not ASCII."""
    return rng.choice(("Grün", "señal", "пароль", "金木水火", "ひみつ", "열쇠", "Łódź")) + draw(
        rng, ALNUM + "!-", rng.randrange(4, 9)
    )


def quoted_password(rng: Random) -> str:
    """Return a password of several words: needs quotes."""
    return " ".join([*rng.sample(NOUNS, 3), str(rng.randrange(10, 99))])


def jwt(rng: Random) -> str:
    """Return a JSON web token."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

    claims = {"sub": draw(rng, DIGITS, 9), "name": rng.choice(NOUNS), "iat": 1_700_000_000 + rng.randrange(90_000_000)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{draw(rng, URLSAFE, 43)}"


def basic(rng: Random) -> str:
    """Return user:password in Base64."""
    return base64.b64encode(f"{rng.choice(NOUNS)}:{password(rng)}".encode()).decode()


def openssh_line(rng: Random) -> str:
    """Return one full line of the body of a PEM block."""
    return draw(rng, BASE64, 64)


TOKENS: dict[str, Shape] = {
    "aws-access-key-id": lambda r: r.choice(("AKIA", "ASIA")) + draw(r, UPPER + "234567", 16),
    "google-api-key": of(URLSAFE, 35, "AIza"),
    "google-oauth-secret": of(URLSAFE, 28, "GOCSPX-"),
    "google-oauth-token": of(URLSAFE, 120, "ya29.a0"),
    "azure-client-secret": lambda r: draw(r, ALNUM, 3) + "8Q~" + draw(r, URLSAFE, 34),
    "github-token": lambda r: r.choice(("ghp_", "gho_", "ghs_", "ghu_", "ghr_")) + draw(r, ALNUM, 36),
    "github-fine-grained": lambda r: f"github_pat_{draw(r, ALNUM, 22)}_{draw(r, ALNUM, 59)}",
    "gitlab-token": lambda r: r.choice(("glpat-", "gldt-", "glrt-")) + draw(r, URLSAFE, 20),
    "openai-key": lambda r: f"sk-proj-{draw(r, URLSAFE, 58)}T3BlbkFJ{draw(r, URLSAFE, 58)}",
    "openai-legacy-key": lambda r: f"sk-{draw(r, ALNUM, 20)}T3BlbkFJ{draw(r, ALNUM, 20)}",
    "anthropic-key": of(URLSAFE, 93, "sk-ant-api03-", "AA"),
    "openrouter-key": of(HEX, 64, "sk-or-v1-"),
    "groq-key": of(ALNUM, 52, "gsk_"),
    "slack-bot-token": lambda r: f"xoxb-{draw(r, DIGITS, 12)}-{draw(r, DIGITS, 13)}-{draw(r, ALNUM, 24)}",
    "slack-user-token": lambda r: f"xoxp-{draw(r, DIGITS, 12)}-{draw(r, DIGITS, 12)}-{draw(r, DIGITS, 13)}-{draw(r, HEX, 32)}",
    "slack-app-token": lambda r: f"xapp-1-A{draw(r, UPPER + DIGITS, 10)}-{draw(r, DIGITS, 13)}-{draw(r, HEX, 64)}",
    "stripe-key": lambda r: r.choice(("sk_live_", "rk_live_", "sk_test_")) + draw(r, ALNUM, 24),
    "stripe-webhook-secret": of(ALNUM, 32, "whsec_"),
    "sendgrid-key": lambda r: f"SG.{draw(r, URLSAFE, 22)}.{draw(r, URLSAFE, 43)}",
    "npm-token": of(ALNUM, 36, "npm_"),
    "pypi-token": of(URLSAFE, 85, "pypi-AgEIcHlwaS5vcmc"),
    "docker-token": of(URLSAFE, 27, "dckr_pat_"),
    "hugging-face-token": of(UPPER + LOWER, 34, "hf_"),
    "digitalocean-token": of(HEX, 64, "dop_v1_"),
    "heroku-key": of(URLSAFE, 60, "HRKU-AA"),
    "new-relic-key": of(UPPER + DIGITS, 27, "NRAK-"),
    "sentry-token": lambda r: f"sntrys_{draw(r, ALNUM, 100)}_{draw(r, BASE64, 43)}",
    "linear-key": of(ALNUM, 40, "lin_api_"),
    "notion-token": of(ALNUM, 46, "ntn_"),
    "airtable-token": lambda r: f"pat{draw(r, ALNUM, 14)}.{draw(r, HEX, 64)}",
    "figma-token": of(URLSAFE, 40, "figd_"),
    "shopify-token": lambda r: r.choice(("shpat_", "shpss_", "shppa_")) + draw(r, HEX, 32),
    "square-token": of(URLSAFE, 43, "sq0csp-"),
    "telegram-bot-token": lambda r: f"{draw(r, '123456789', 10)}:AA{draw(r, URLSAFE, 33)}",
    "grafana-token": lambda r: f"glsa_{draw(r, ALNUM, 32)}_{draw(r, HEX, 8)}",
    "vault-token": of(URLSAFE, 95, "hvs.CAES"),
    "terraform-cloud-token": lambda r: f"{draw(r, ALNUM, 14)}.atlasv1.{draw(r, ALNUM, 67)}",
    "databricks-token": of(HEX, 32, "dapi"),
    "supabase-token": of(HEX, 40, "sbp_"),
    "doppler-token": of(ALNUM, 43, "dp.pt."),
    "planetscale-token": lambda r: r.choice(("pscale_tkn_", "pscale_pw_")) + draw(r, ALNUM, 43),
    "postman-key": lambda r: f"PMAK-{draw(r, HEX, 24)}-{draw(r, HEX, 34)}",
    "atlassian-token": lambda r: f"ATATT3xFfGF0{draw(r, URLSAFE, 170)}={draw(r, UPPER + DIGITS, 8)}",
    "mailgun-key": of(HEX, 32, "key-"),
    "mailchimp-key": lambda r: f"{draw(r, HEX, 32)}-us{r.randrange(1, 21)}",
    "discord-bot-token": lambda r: f"M{draw(r, ALNUM, 25)}.G{draw(r, URLSAFE, 5)}.{draw(r, URLSAFE, 38)}",
    "age-secret-key": of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, "AGE-SECRET-KEY-1"),
    "rubygems-key": of(HEX, 48, "rubygems_"),
    "perplexity-key": of(ALNUM, 48, "pplx-"),
    "twilio-key": of(HEX, 32, "SK"),
    "jwt": jwt,
}
"""Tokens whose shape alone tells what they are, by kind."""

VALUES: dict[str, Shape] = {
    "pw": password,
    "plain": plain_password,
    "short": short_password,
    "words": word_password,
    "foreign": foreign_password,
    "phrase": quoted_password,
    "jwt": jwt,
    "basic": basic,
    "pem": openssh_line,
    "hex32": of(HEX, 32),
    "hex64": of(HEX, 64),
    "b64_32": of(BASE64, 43, suffix="="),
    "b64_40": of(BASE64, 40),
    "b64_88": of(BASE64, 86, suffix="=="),
    "b64_200": of(BASE64, 200),
    "key24": of(ALNUM, 24),
    "key32": of(ALNUM, 32),
    "key40": of(URLSAFE, 40),
    "slackhook": lambda r: f"T{draw(r, UPPER + DIGITS, 8)}/B{draw(r, UPPER + DIGITS, 10)}/{draw(r, ALNUM, 24)}",
    "discordhook": lambda r: f"{draw(r, DIGITS, 18)}/{draw(r, URLSAFE, 68)}",
    "sig": lambda r: f"{draw(r, ALNUM, 40)}%2B{draw(r, ALNUM, 2)}%3D",
    "mnemonic": lambda r: " ".join(r.choices(NOUNS, k=12)),
    "pwb64": lambda r: base64.b64encode(password(r).encode()).decode(),
}
"""Values that only their place gives away. A template names one as [[name]]."""

HARMLESS: dict[str, Shape] = {
    "hex7": of(HEX, 7),
    "hex8": of(HEX, 8),
    "hex12": of(HEX, 12),
    "hex16": of(HEX, 16),
    "hex20": of(HEX, 20),
    "hex32": of(HEX, 32),
    "hex40": of(HEX, 40),
    "hex64": of(HEX, 64),
    "hex128": of(HEX, 128),
    "uuid": lambda r: f"{draw(r, HEX, 8)}-{draw(r, HEX, 4)}-4{draw(r, HEX, 3)}-a{draw(r, HEX, 3)}-{draw(r, HEX, 12)}",
    "b64_22": of(ALNUM, 22),
    "b64_43": of(BASE64, 43),
    "b64_86": of(BASE64, 86),
    "b64_180": of(BASE64, 180),
    "b64_68": of(BASE64, 68),
    "alnum8": of(ALNUM, 8),
    "alnum24": of(ALNUM, 24),
    "ulid": of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24, "01"),
    "n1": lambda r: str(r.randrange(1, 10)),
    "n2": lambda r: str(r.randrange(10, 100)),
    "n3": lambda r: str(r.randrange(100, 1000)),
    "n4": lambda r: str(r.randrange(1000, 10_000)),
    "n5": lambda r: str(r.randrange(10_000, 100_000)),
    "n10": lambda r: str(r.randrange(10**9, 10**10)),
    "n13": lambda r: str(r.randrange(10**12, 10**13)),
    "ver": lambda r: f"{r.randrange(20)}.{r.randrange(30)}.{r.randrange(40)}",
    "w": lambda r: r.choice(NOUNS),
    "W": lambda r: r.choice(NOUNS).capitalize(),
    "color": of(HEX, 6),
    "ip": lambda r: f"10.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(256)}",
    "fingerprint": lambda r: ":".join(draw(r, HEX, 2) for _ in range(16)),
    "date": lambda r: f"2026-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}",
}
"""Values of innocent strings. A template names one as [[name]]."""
