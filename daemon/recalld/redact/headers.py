"""Secrets in HTTP headers: `Authorization` with any scheme, cookies."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, strong, trim
from recalld.redact.values import words

_AUTH_HEADER = re.compile(
    r"""[ \t]{0,4}\\{0,31}["'`]?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}(?:[fbru]{0,2}\\{0,31}["'`])?(?:([A-Za-z][A-Za-z0-9-]{2,20})[ \t]{1,4})?(?=\S)"""
)
_CREDENTIAL = re.compile(r"[^\s\"'`<>\\,;)}\]|]{1,8192}")
_KEYED = re.compile(r"(?:[A-Za-z][\w-]{1,20}=(?:[\w.-]{1,40}@[\w.-]{1,20}![\w.-]{1,40}=)?\\{0,7}[\"']?(?=[\w~+/.-]{8}))?")
"""`Token token=…`, `PVEAPIToken=user@realm!name=…`."""
_DIGEST = re.compile(r"(?:response|nonce|cnonce|Signature|signature|token)=\\{0,7}\"?([A-Za-z0-9+/=_-]{16,512})")


def authorization(text: str, start: int, end: int) -> Iterator[Span]:
    """`Authorization: Bearer …`, with any scheme or none, as a header, a JSON member or an argument."""
    header = _AUTH_HEADER.match(text, end)
    if header is None or text[max(0, start - 2) : start - 1].isalpha():
        return
    scheme = (header[1] or "").lower()
    if scheme in ("digest", "aws4-hmac-sha256", "signature", "hmac", "oauth", "hawk"):
        for part in _DIGEST.finditer(text, header.end(), min(len(text), header.end() + 1000)):
            yield (*part.span(1), "authorization")
        return
    found = _CREDENTIAL.match(text, _KEYED.match(text, header.end()).end())  # type: ignore[union-attr]
    if found is None:
        return
    yield from _credential(
        found.start(), trim(found[0].rstrip("…")), scheme, 6 if scheme in ("bearer", "basic", "token", "apikey", "bot") else 10
    )


def bearer(text: str, start: int, end: int) -> Iterator[Span]:
    """`Bearer …` wherever it stands."""
    found = _CREDENTIAL.match(text, end)
    if found is not None:
        yield from _credential(found.start(), trim(found[0].rstrip("…")), "bearer", 8)


def basic(text: str, start: int, end: int) -> Iterator[Span]:
    """`Basic …` where what follows is base64 of `user:password`."""
    found = re.compile(r"[A-Za-z0-9+/]{6,1000}={0,2}").match(text, end)
    if found is not None and _is_basic(found[0]):
        yield (*found.span(), "basic-auth")


def _is_basic(encoded: str) -> bool:
    try:
        decoded = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and all(32 <= c < 127 for c in decoded)


def _credential(at: int, value: str, scheme: str, least: int) -> Iterator[Span]:
    if (
        values.is_reference(value)
        or values.is_empty_word(value)
        or value[0] in "{["
        or "://" in value[:12]
        or (values.is_code(value) and not values.is_random(value[:200]))
    ):
        return
    if scheme == "basic":
        if _is_basic(value) or values.is_random(value[:200], 12):
            yield (at, at + len(value), "basic-auth")
        return
    sample = value[:200]
    if (
        len(value) >= least
        and strong(sample)
        and not values.is_prose(sample)
        and any(c.isdigit() or c.isupper() for c in sample)
    ):
        if values.mentions_secret(sample) and values.is_identifier(sample) and not values.is_random(sample):
            return
        yield (at, at + len(value), "bearer-token" if scheme == "bearer" else "authorization")


_COOKIE = re.compile(r"\\{0,7}[\"']?[ ]{0,2}(?::|=)[ ]{0,2}(?:\\{0,7}[\"'])?(?=[\w.$!#%&*+^`|~-]{1,80}=)")
_COOKIE_OPTION = re.compile(r"[ =]{0,2}\\{0,7}[\"']?(?=[\w.$!#%&*+^`|~-]{1,80}=)")
_COOKIE_PAIR = re.compile(r"\\{0,7}[\"'],[ ]?\\{0,7}[\"'](?=[\w.$!#%&*+^`|~-]{1,80}=)")
_COOKIE_CALL = re.compile(
    r"(?:s|Store)?(?:\.(?:set|put|add|Add|Append))?\(\\{0,7}[\"']([\w.-]{1,60})\\{0,7}[\"'],[ ]?\\{0,7}[\"']([^\"'\\\s]{16,4096})"
)
_COOKIE_LINE = re.compile(r"[^\n\r\"'<>\\]{1,8192}")
_PAIR = re.compile(r"([\w.$!#%&*+^`|~-]{1,80})=([^;\s\"',]{1,4096})")
_COOKIE_ATTRIBUTES = words(
    """
    path domain expires max-age samesite secure httponly priority version theme lang locale tz currency
    """
)
_COOKIE_SECRET_NAME = re.compile(
    r"(?i)sess|sid$|^sid|auth|token|jwt|csrf|xsrf|remember|login|key|secret|cf_clearance|^__(?:secure|host)|user|id$"
)


def cookies(text: str, start: int, end: int) -> Iterator[Span]:
    """`Cookie:` and `Set-Cookie:`: the values of session cookies, and every long or random one."""
    called = _COOKIE_CALL.match(text, end)
    if called is not None:
        if _COOKIE_SECRET_NAME.search(called[1]) and (values.is_random(called[2][:200]) or values.is_hex(called[2][:128])):
            yield (*called.span(2), "cookie")
        return
    option = text.startswith("-", start) or text[max(0, start - 3) : start] == "--c"
    header = (_COOKIE_OPTION if option else _COOKIE).match(text, end) or _COOKIE_PAIR.match(text, end)
    if header is None:
        return
    line = _COOKIE_LINE.match(text, header.end())
    if line is None:
        return
    again = text.find("ookie", line.start(), line.end())  # a header of its own, so that each is read once
    for pair in _PAIR.finditer(text, line.start(), line.end() if again < 0 else again):
        name, value = pair[1], pair[2]
        if name.lower() in _COOKIE_ATTRIBUTES or values.is_reference(value) or values.is_empty_word(value):
            continue
        if (
            values.is_random(value[:200], 20)
            or (values.is_hex(value[:128]) and len(value) >= 16)
            or (_COOKIE_SECRET_NAME.search(name) and len(value) >= 6 and (strong(value[:200]) or len(value) > 20))
        ):
            yield (*pair.span(2), "cookie")


_SESSION = re.compile(
    r"\\{0,7}[\"']?[ ]{0,2}(?:=|:|,\s{0,20}\\{0,7}[\"']?[vV]alue\\{0,7}[\"']?[ ]?[:=])[ ]{0,2}(?:\\{0,7}[\"'])?([A-Za-z0-9%._+/=-]{16,4096})"
)


def session_cookie(text: str, start: int, end: int) -> Iterator[Span]:
    """A session cookie under a framework's well-known name, in a header or in code."""
    found = _SESSION.match(text, end)
    if (
        found is not None
        and not values.is_uuid(found[1])
        and (values.is_random(found[1][:200]) or values.is_hex(found[1][:128]))
    ):
        yield (*found.span(1), "cookie")


_TEAM = re.compile(r"\\{0,7}[\"']?[ ]{0,2}[:=,][ ]{0,2}\\{0,7}[\"']?([A-Za-z0-9_]{20,120})(?![A-Za-z0-9])")


def team_header(text: str, start: int, end: int) -> Iterator[Span]:
    """Honeycomb's `X-Honeycomb-Team`, whose name tells nothing of a key."""
    found = _TEAM.match(text, end)
    if found is not None and (values.is_random(found[1]) or values.is_hex(found[1])):
        yield (*found.span(1), "api-key")


_SASL = re.compile(
    r"((?:[A-Za-z0-9+/]{4}){1,200}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)(?![A-Za-z0-9+/=])(?:[ \r\n]{1,2}([A-Za-z0-9+/]{6,400}={0,2}))?"
)


def sasl(text: str, start: int, end: int) -> Iterator[Span]:
    """What a mail client sends to log in: base64 behind `AUTH PLAIN`."""
    found = _SASL.match(text, end)
    if found is not None and not found[1].isupper() and not found[1].islower():
        number = 2 if found[2] and text.startswith("AUTH LOGIN", start) else 1
        yield (*found.span(number), "basic-auth")


_ANSWER = re.compile(r"(?:\r?\n|\\r\\n|\\n)(?:[CS<>]?[:>]?[ ]|>>>?[ ])?([A-Za-z0-9+/]{4,400}={0,2})(?![A-Za-z0-9+/])")


def asked(text: str, start: int, end: int) -> Iterator[Span]:
    """What a mail client answers to `334 UGFzc3dvcmQ6`, which is `Password:`."""
    found = _ANSWER.match(text, end)
    if found is not None:
        yield (*found.span(1), "basic-auth")
