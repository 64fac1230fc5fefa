"""Secrets in URLs: user and password, signatures, webhooks whose path is the secret."""

# Long lines: a pattern is read whole.

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, strong
from recalld.redact.values import words

_USERINFO = re.compile(
    r"://(\[redacted:[a-z0-9-]{1,40}\]|[^\s/?#\"'`<>@:\\,()|]{0,128}):([^\s/?#\"'`<>]{1,256})@(?=[\w\[.$%{-])"
)
_USERINFO_SLASH = re.compile(
    r"://([^\s/?#\"'`<>@:\\,()|]{0,64}):([^\s\"'`<>@:\\]{1,128})@(?=[A-Za-z0-9.-]{1,80}(?::\d{2,5})?(?:/|\s|$|[\"']))"
)
_PUBLIC_DSN = re.compile(r"[\w.-]{0,60}(?:sentry|ingest|glitchtip)[\w.-]{0,60}[/:]")
"""Error trackers whose keys are meant to be public."""
_USERINFO_DOMAIN = re.compile(r"://[\w.-]{1,40}\\{1,2}[\w.-]{1,60}:([^\s/?#\"'`<>@\\]{3,128})@(?=[\w\[.])")
_USERINFO_DN = re.compile(r"://(?:\w{1,12}=[^\s/?#\"'`<>@:,]{1,60},?){1,8}:([^\s/?#\"'`<>@]{3,128})@(?=[\w\[.])")
_USER_ONLY = re.compile(r"://([A-Za-z0-9_.~%+=-]{16,256})@(?=[\w\[])")
_PLAIN_PASSWORDS = words(
    """
    password pass passwd pwd pw secret token your_password yourpassword mypassword passw0rd_here user
    bar baz foo xyz abc test example yourpassword authpassword somepassword secretpassword x-oauth-basic x-token-auth
    """
)


def url_credentials(text: str, start: int, end: int) -> Iterator[Span]:
    if text.find("@", end, end + 400) < 0:
        return
    found = _USERINFO.match(text, start) or _USERINFO_SLASH.match(text, start)
    if found is not None:
        password = found[2]
        if (
            password.lower() not in _PLAIN_PASSWORDS
            and (found[1], password) != ("scott", "tiger")
            and not values.is_reference(password)
            and "${" not in password
            and "://" not in password
            and not re.match(r"\d{2,5}[,/]", password)
        ):
            yield (*found.span(2), "url-password")
        user = found[1]
        if len(user) >= 20 and "%40" not in user and values.is_random(user):
            yield (*found.span(1), "url-password")
        return
    for form in (_USERINFO_DOMAIN, _USERINFO_DN):
        found = form.match(text, start)
        if found is not None and not values.is_reference(found[1]):
            yield (*found.span(1), "url-password")
            return
    alone = _USER_ONLY.match(text, start)
    if (
        alone is not None
        and not _PUBLIC_DSN.match(text, alone.end())
        and (values.is_random(alone[1]) or values.is_hex(alone[1]))
    ):
        yield (*alone.span(1), "url-password")


_SIGNATURE = re.compile(r"\\{0,3}\"?[dD]?([A-Za-z0-9%+/_-]{24,700}={0,2})")


def url_signature(text: str, start: int, end: int) -> Iterator[Span]:
    """`sig=` of an Azure SAS, `X-Amz-Signature=` and its like, in a URL that is signed."""
    found = _SIGNATURE.match(text, end)
    if found is None or values.is_reference(found[1]):
        return
    if text.startswith("sig", start):
        around = text[max(0, start - 400) : found.end() + 400]
        if text[start - 1 : start] not in ("?", "&", ";") or not re.search(r"[?&;]s(?:e|v|p|r|t|rt)=", around):
            return
    yield (*found.span(1), "signed-url")


HOOKS: dict[str, re.Pattern[str]] = {
    "/webhook/": re.compile(
        r"(?:[\w-]{1,30}/){0,2}([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[\w-]{0,30}\d)[\w-]{24,120})"
    ),
    "/webhooks/": re.compile(
        r"(?:[\w-]{1,30}/){0,2}([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[\w-]{0,30}\d)[\w-]{24,120})"
    ),
    "sctapi.ftqq.com/": re.compile(r"([\w-]{16,80})\.send"),
    "api.day.app/": re.compile(r"([A-Za-z0-9]{20,40})"),
    "/hooks/": re.compile(r"([a-z0-9]{26})(?![a-z0-9])"),
    "/bot/v2/hook/": re.compile(r"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"),
    "/webhook/send?key=": re.compile(r"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"),
    "/with/key/": re.compile(r"([\w-]{16,64})"),
    "outlook.office.com/webhook/": re.compile(r"([0-9a-f-]{36}@[0-9a-f-]{36}/\w{1,30}/[0-9a-f]{32}/[0-9a-f-]{36})"),
    "outlook.office365.com/webhook/": re.compile(r"([0-9a-f-]{36}@[0-9a-f-]{36}/\w{1,30}/[0-9a-f]{32}/[0-9a-f-]{36})"),
}
"""What stands before the secret of a webhook, and the secret's form."""


def hook(text: str, start: int, end: int) -> Iterator[Span]:
    """A webhook that whoever knows its path can post to."""
    found = HOOKS[text[start:end]].match(text, end)
    if found is not None and "://" in text[max(0, start - 120) : end]:
        yield (*found.span(1), "webhook")


_DSN = re.compile(r"(?:^|[\s\"'`=(])[\w.%-]{1,60}:([^\s\"'`:/]{3,100})$")
_ORACLE = re.compile(r"\w{1,40}/\"?([^\s\"'@/]{3,100})\"?@")


def without_scheme(text: str, start: int, end: int) -> Iterator[Span]:
    """`user:X@tcp(host:3306)/db` of Go's MySQL driver, `jdbc:oracle:thin:user/X@host`."""
    if text[start:end] == ":thin:":
        found = _ORACLE.match(text, end)
        offset = 0
    else:
        offset = max(0, start - 180)
        found = _DSN.search(text[offset:start])
    if found is not None and not values.is_reference(found[1]) and found[1].lower() not in _PLAIN_PASSWORDS:
        yield (offset + found.start(1), offset + found.end(1), "password")


_BARE_USER = re.compile(r"([^\s@/:\"'`]{4,100})@(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)+)")


def bare_user(text: str, start: int, end: int) -> Iterator[Span]:
    """`root:X@10.0.0.5`, without a scheme."""
    found = _BARE_USER.match(text, end)
    if (
        found is not None
        and not text[start - 1 : start].isalnum()
        and not values.is_reference(found[1])
        and found[1].lower() not in _PLAIN_PASSWORDS
        and any(c.isdigit() for c in found[1])
        and strong(found[1])
    ):
        yield (*found.span(1), "password")
