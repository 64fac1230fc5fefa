"""Secrets in talk: a value that stands before what names it, and a user with a password beside."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, mixed_classes, said, strong, trim

SAID_AS = (
    *(f" as {article} " for article in ("the", "my", "our", "its", "a", "an", "your")),
    *(f" as {thing}" for thing in ("key", "token", "secret", "credential", "password", "passphrase", "api key", "API key")),
)
"""What may be said behind a secret: `… as the key`."""
_THING = re.compile(
    r"(?:(?:new|temporary|initial|default|root|admin|db|database|api|API|access|auth|bot|secret|bearer|private)[ ]){0,2}"
    r"(?:key|token|secret|credentials?|(password|passphrase))(?![\w=:-])"
)
_SECRETS = re.compile(r"(?i)api|access|auth|bearer|private|secret|token|pass|credential")
"""What a hexadecimal string has to be called, since of what is only called a key most are digests."""
_RUN = re.compile(r"[^\s\"'`<>()\[\]{},;|\\]{16,512}$")
_WORD = re.compile(r"[^\s\"'`<>\\]{6,64}$")
_GAP = "\"'`\\*,;)"


def before(text: str, start: int, end: int) -> Iterator[Span]:
    """`I used X as the key`: a value that is plainly drawn at random; as the password, one that no word looks like."""
    thing = _THING.match(text, end if text[end - 1] == " " else start + len(" as "))
    if thing is None:
        return
    begin = max(0, start - 520)
    head = text[begin:start].rstrip(_GAP)
    if thing[1]:
        found = _WORD.search(head)
        if found is not None and _password_said(found[0]):
            yield (begin + found.start(), begin + found.end(), "password")
            return
    found = _RUN.search(head)
    if found is None or values.is_uuid(found[0]):
        return
    if values.is_hex(found[0]):
        if len(found[0]) < 32 or not _SECRETS.search(thing[0]):
            return
    elif not said(found[0][:400]):
        return
    kind = "password" if thing[1] else "api-key"
    yield (begin + found.start(), begin + found.end(), kind)


def _password_said(v: str) -> bool:
    return (
        mixed_classes(v)
        and any(c.isdigit() for c in v)
        and not values.is_machine(v)
        and not values.is_reference(v)
        and not values.is_expression(v)
        and not values.is_name(v)
    )


PAIRED = (
    "redentials: ", "redentials are ", "redentials = ", "redentials (", "reds: ", "reds are ", "reds = ", "user/pass: ", "user/password: ",
    "username/password: ", "login/password: ", "user:pass: ", "ogin: ", "ogin with ", "og in with ", "og in as ", "ogged in as ", "ogin as ",
    "sign in as ", "Sign in as ", "sign in with ", "Sign in with ", "ugangsdaten: ", "nmeldedaten: ", "dentifiants : ", "dentifiants: ",
    "redenciales: ", "redenciais: ", "redenziali: ", "логин/пароль: ", "доступ: ", "Доступ: ", "账号密码：", "账号密码: ", "用户名/密码：", "账号：", "帐号：", "账号: ",
    "ログイン情報：", "ログイン情報: ", "계정: ", "basic auth ", "redentials ", "wifi: ", "WiFi: ", "Wi-Fi: ", "wlan: ", "WLAN: ", "basic auth: ", "basic auth is ",
)  # fmt: skip
"""What stands before a user and a password in one breath."""
_PAIR = re.compile(
    r"[ ]?[\"'`]?([\w.@+\\-]{1,60})[\"'`]?(?:[ ]?(?:/|\||:|,)[ ]?|[ ]/[ ])(?:(?:pw|pass|password)[: ]{1,2})?[\"'`]?([^\s\"'`<>,;]{5,128})"
)


def pair(text: str, start: int, end: int) -> Iterator[Span]:
    """`credentials: ada / X`, `log in with ada:X`."""
    found = _PAIR.match(text, end)
    if found is None:
        return
    v = trim(found[2])
    if (
        values.is_reference(v)
        or values.is_machine(v)
        or (values.is_expression(v) and not values.is_dotted_words(v))
        or (values.is_name(v) and not (_CREDENTIALS.match(text, start) and _WORDS_NUMBER.match(v)))
        or values.is_number(v)
        or "//" in v
        or "/" in found[0][: found.start(2) - found.start()].strip("/ ")
        or not (strong(v) and any(c.isdigit() for c in v) and any(c.isalpha() for c in v))
    ):
        return
    yield (found.start(2), found.start(2) + len(v), "password")


_CREDENTIALS = re.compile(r"redentials|reds|user|login/|ugangs|nmelded|dentifiants|reden")
_WORDS_NUMBER = re.compile(r"[A-Za-z][a-z]{2,11}(?:[-_.][A-Za-z][a-z]{2,11}){1,3}[-_.]?\d{1,4}$")


SEEDS = (
    "mnemonic",
    "Mnemonic",
    "MNEMONIC",
    '"seed"',
    "seed phrase",
    "Seed phrase",
    "SEED_PHRASE",
    "seedPhrase",
    "ecovery phrase",
    "seed words",
    "助记词",
    "助記詞",
)
_WORDS = re.compile(r"[^\w\n]{0,6}(?:is|are|phrase|words)?[^\w\n]{1,6}((?:[a-z]{3,8},?[ ]{1,2}){11,23}[a-z]{3,8})(?![ ]?[a-z])")


def seed(text: str, start: int, end: int) -> Iterator[Span]:
    """The words of a wallet: 12, 15, 18, 21 or 24 of them in a row."""
    found = _WORDS.match(text, end)
    if found is not None and len(found[1].split()) in (12, 15, 18, 21, 24):
        plain = sum(values.is_prose(word.strip(",")) for word in found[1].split())
        if plain < 2:
            yield (*found.span(1), "secret")


OTP = (
    "totp",
    "TOTP",
    "2FA",
    "2fa",
    "MFA",
    "mfa",
    "uthenticator",
    "AUTHENTICATOR",
    "entry key",
    "etup key",
    "OTP",
    "otp_",
    "otpSecret",
    "two-factor",
    "wo-Factor",
)
_BASE32 = re.compile(r"[^\n]{0,40}?(?<![\w/+-])([A-Z2-7]{16,64}={0,6}|(?:[a-z2-7]{4}[ ]){3,12}[a-z2-7]{4})(?![\w/+-])")


def otp(text: str, start: int, end: int) -> Iterator[Span]:
    """The seed of a second factor: base32 behind what names it."""
    found = _BASE32.match(text, end)
    if found is not None and sum(c.isdigit() for c in found[1]) >= 2:
        yield (*found.span(1), "secret")


APP = ("app password", "App password", "App Password", "app-password", "app_password")
_FOURS = re.compile(r"[^\n]{0,30}?[: =\"'`]((?:[a-z]{4}[ ]){3}[a-z]{4})(?![a-z])")


def app_password(text: str, start: int, end: int) -> Iterator[Span]:
    """A mail provider's password for one app: four times four letters."""
    found = _FOURS.match(text, end)
    if found is not None and not values.is_prose(found[1]):
        yield (*found.span(1), "password")


WIFI = (
    "wifi key", "WiFi key", "Wi-Fi key", "wi-fi key", "wlan key", "WLAN key", "WLAN-Schl", "WLAN-Key", "clé wifi", "clé Wi-Fi", "clé WPA", "clave wifi", "clave del wifi", "clave WiFi",
    "PSK", "WPA key", "WPA2 key", "WEP key", "network key", "chiave wifi", "chiave WiFi",
)  # fmt: skip
_NETWORK = re.compile(r"(?:üssel)?(?:[ ]?[:=][ ]?|[ ](?:is|ist|est|es|è)?[ ]?)[\"'`]?([^\s\"'`<>{}()]{6,63})")


def wifi(text: str, start: int, end: int) -> Iterator[Span]:
    """The key of a wireless network, or of a tunnel."""
    found = _NETWORK.match(text, end)
    if found is None:
        return
    v = trim(found[1])
    if (
        strong(v)
        and any(c.isdigit() for c in v)
        and any(c.isalpha() for c in v)
        and not (values.is_name(v) or values.is_reference(v) or values.is_machine(v) or values.is_expression(v))
    ):
        yield (found.start(1), found.start(1) + len(v), "password")
