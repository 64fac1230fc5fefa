"""Secrets in files with a form of their own: .pgpass, .netrc, lists of keys, service accounts."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, strong

_PGPASS = re.compile(
    r"(?:[\w.*-]{1,200}|\[[0-9a-f:]{2,45}\]):(?:\d{2,5}|\*):([\w.*-]{1,80}):([\w.*@-]{1,80}):([^\s\"':]{1,200})(?=\s|\\n|\\?[\"']|$)"
)
_HOST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*-"


def pgpass(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of .pgpass: host:port:database:user:password."""
    segment = text[max(0, start - 120) : start]
    head = segment[len(segment.rstrip(_HOST)) :]
    if not head or segment[: -len(head)][-1:] == ":":
        return
    if head[0] == "n" and segment[: -len(head)].endswith("\\"):
        head = head[1:]
    found = _PGPASS.match(text, start - len(head))
    if (
        found is not None
        and any(c.isalnum() for c in found[3])
        and not values.is_reference(found[3])
        and not (found[1].isdigit() and found[2].isdigit())
    ):
        yield (*found.span(3), "password")


_NETRC = re.compile(
    r"(?:[ \t]|\\{1,7}[nt]|\r?\n){1,8}(?:login|user)(?:[ \t]|\\{1,7}[nt]|\r?\n){1,8}(\S{1,100}?)(?:[ \t]|\\{1,7}[nt]|\r?\n){1,8}password(?:[ \t]|\\{1,7}[nt]|\r?\n){1,8}([^\s\"'\\]{1,300})"
)
_NETRC_HOST = re.compile(r"[ \t]{1,4}[\w.:-]{1,200}")


def netrc(text: str, start: int, end: int) -> Iterator[Span]:
    """`machine … login … password …`, on one line or several."""
    host = _NETRC_HOST.match(text, end)
    found = _NETRC.match(text, host.end() if host and text[start] == "m" else end)
    if found is not None and not values.is_reference(found[2]):
        yield (*found.span(2), "password")


_NEARBY_SECRET = re.compile(r"(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


def aws_secret(text: str, start: int, end: int) -> Iterator[Span]:
    """A secret access key beside its key id: in a CSV, a table, a tuple."""
    for found in _NEARBY_SECRET.finditer(text, end, min(len(text), end + 300)):
        value = found[1]
        if (
            not values.is_hex(value)
            and values.is_random(value, 40)
            and any(c.isupper() for c in value)
            and any(c.islower() for c in value)
        ):
            yield (*found.span(1), "aws-secret-key")


_KEY_ID = re.compile(r"\\{0,15}[\"']?[ ]{0,2}[:=][ ]{0,2}\\{0,15}[\"']?([0-9a-f]{32,64})")


def private_key_id(text: str, start: int, end: int) -> Iterator[Span]:
    found = _KEY_ID.match(text, end)
    if found is not None:
        yield (*found.span(1), "gcp-service-account")


_HASH = re.compile(r":((?:\$(?:1|5|6|7|y|apr1|2[aby])\$|\{S?SHA\})[A-Za-z0-9./$,=+@]{20,160})(?=:|\s|$|\\|[\"'])")
_USER = re.compile(r"(?:^|[\s\"'`]|\\n)[A-Za-z_][\w.-]{0,40}$")


def password_hash(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of shadow or htpasswd: user:$6$salt$hash."""
    found = _HASH.match(text, start)
    if found is not None and _USER.search(text[max(0, start - 48) : start]):
        yield (*found.span(1), "password-hash")


_JAR = re.compile(r"/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,12}\t([^\t\n]{1,100})\t([^\t\n]{8,4096})")


def cookie_jar(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of a cookie jar in Netscape's format."""
    found = _JAR.match(text, end)
    if found is not None and (values.is_random(found[2][:200]) or values.is_hex(found[2][:128])):
        yield (*found.span(2), "cookie")


_BUNDLE = re.compile(
    r"[A-Z0-9_]{0,60}__[A-Z0-9_]{1,60}\\{0,3}[\"']?[ ]?[:=][ ]?\\{0,3}[\"']?(?:([\w.@+-]{1,60}):)?([^\s\"'\\]{4,200})"
)


def bundle_host(text: str, start: int, end: int) -> Iterator[Span]:
    """Bundler's credentials for a host: `BUNDLE_GEMS__EXAMPLE__COM: "user:X"`."""
    found = _BUNDLE.match(text, end)
    if (
        found is not None
        and not values.is_reference(found[2])
        and not values.is_machine(found[2])
        and any(c.isdigit() for c in found[2])
    ):
        # Sidekiq's user is half of the licence
        yield (found.start(1) if found[1] and values.is_hex(found[1]) else found.start(2), found.end(2), "password")


_CHAP = re.compile(
    r"[^\n]{0,100}\n(?:#[^\n]{0,200}\n){0,4}((?:\"[^\"\n]{1,60}\"|\S{1,60})[ \t]+\S{1,60}[ \t]+)\"?([^\s\"]{4,100})"
)


def chap(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of chap-secrets: client, server, secret, addresses."""
    found = _CHAP.match(text, end)
    if found is not None and not values.is_reference(found[2]):
        yield (*found.span(2), "password")


_FORM = re.compile(
    r"\\{0,3}[\"']?([\w.-]{1,60})\\{0,3}[\"']?(?:;[^\r\n\\]{0,100})?(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)(?:Content-[^\r\n\\]{0,100}(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)){0,2}"
    r"(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)([^\r\n\\]{3,2000})"
)
_FORM_NAME = re.compile(r"(?i)pass|secret|token|pwd|api.?key|credential|auth")


def form_field(text: str, start: int, end: int) -> Iterator[Span]:
    """A field of a multipart form: its name in a header, its value below an empty line."""
    found = _FORM.match(text, end)
    if (
        found is not None
        and _FORM_NAME.search(found[1])
        and not values.is_reference(found[2])
        and not found[2].startswith("--")
    ):
        yield (*found.span(2), "password" if "pass" in found[1].lower() else "secret")


_LISTED = re.compile(
    r"\s{1,20}(?:expire:[^\n]{1,20}\n\s{1,20})?(?:list|users):[^\n]{0,20}\n[ \t]{1,20}(?:-[ ])?[\w.-]{1,40}:([^\s:]{4,100})(?=\s|$)"
)


def cloud_users(text: str, start: int, end: int) -> Iterator[Span]:
    """The first user of cloud-init's `chpasswd` list."""
    found = _LISTED.match(text, end)
    if found is not None and not values.is_reference(found[1]) and found[1] not in ("RANDOM", "R"):
        yield (*found.span(1), "password")


_CHAP_LINE = re.compile(
    r"(?:^|\n)[ ]{0,4}\"?[\w.@+-]{1,60}\"?[ \t]+\*[ \t]+\"?([^\s\"*]{6,100})\"?[ \t]+(?:\*|[\d.]{7,15})[ \t]*(?=\n|$)"
)


def chap_line(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of chap-secrets that stands alone: `"ada" * X *`."""
    begin = max(text.rfind("\n", max(0, start - 80), start), start - 80, 0)
    found = _CHAP_LINE.match(text, begin)
    if found is not None and strong(found[1]) and not values.is_machine(found[1]):
        yield (*found.span(1), "password")


_RELAY = re.compile(r"[ \t]{0,12}[\w.@+-]{1,80}:([^\s:]{4,100})(?=\s|$|\\n)")


def relay(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of Postfix's sasl_passwd: `[host]:587 user:X`."""
    found = _RELAY.match(text, end)
    if found is not None and not values.is_reference(found[1]):
        yield (*found.span(1), "password")


_WIFI_CODE = re.compile(r"(?:[TSH]:(?:[^;\\\n]|\\.){0,64};){1,3}P:((?:[^;\\\n]|\\.){4,64});")


def wifi_code(text: str, start: int, end: int) -> Iterator[Span]:
    """What the picture at the wall says: `WIFI:T:WPA;S:guests;P:X;;`."""
    found = _WIFI_CODE.match(text, end)
    if found is not None:
        yield (*found.span(1), "password")


_CODE = re.compile(
    r"[ \t]*(?:[-*]|\d{1,2}[.)])?[ \t]*((?:[a-z0-9]{4,8}[ -]){1,2}[a-z0-9]{4,8}|[a-z0-9]{8,12}|[A-Z0-9]{8,12})[ \t,]*(?:\n|$|(?=[ \t]))"
)


def recovery_codes(text: str, start: int, end: int) -> Iterator[Span]:
    """Codes that stand in for a second factor, a list of them below what says so."""
    at = text.find("\n", end, end + 80) + 1
    for _ in range(24 if at else 0):
        found = _CODE.match(text, at)
        if found is None or not any(c.isdigit() for c in found[1]):
            return
        yield (*found.span(1), "secret")
        at = found.end()


_USER_PASS = re.compile(r"\s{0,8}\n\s{0,8}[\w.@+-]{1,80}\s{0,4}\n\s{0,8}([^\s<>]{3,200})\s{0,4}\n\s{0,8}</auth-user-pass>")


def user_pass_block(text: str, start: int, end: int) -> Iterator[Span]:
    """User and password within a profile of OpenVPN."""
    found = _USER_PASS.match(text, end)
    if found is not None:
        yield (*found.span(1), "password")


_KAGGLE = re.compile(r"[ ]?:[ ]?\\?\"[\w.@-]{1,60}\\?\",\s{0,8}\\?\"key\\?\"[ ]?:[ ]?\\?\"([0-9a-f]{32})\\?\"")


def kaggle(text: str, start: int, end: int) -> Iterator[Span]:
    """A user and a key of 32 hexadecimal digits, as Kaggle hands them out."""
    found = _KAGGLE.match(text, end)
    if found is not None:
        yield (*found.span(1), "api-key")


_TABLE = re.compile(r"\\?\"?[ ]{0,2}[:=]?[ ]{0,2}\{([^{}]{20,800})\}?")
_TABLE_MEMBER = re.compile(r"[:=][ ]{0,4}\\?\"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\\?\"")


def token_table(text: str, start: int, end: int) -> Iterator[Span]:
    """Tokens by what they are for, which are UUIDs with Consul: `tokens = { agent = "…" }`."""
    found = _TABLE.match(text, end - 1 if text[end - 1] == "{" else end)
    if found is not None:
        for member in _TABLE_MEMBER.finditer(text, *found.span(1)):
            yield (*member.span(1), "token")


_FTP_USER = re.compile(r"[\w.@-]{1,60}[ ]([^\s\"'<>]{5,80})[ \t]*(?:\r?\n|$|\\n)")
_FTP_OPEN = re.compile(r"(?:^|\n|\\n)[ \t]*(?:open|ftp(?:[ ]-\w+)*)[ ][^\n]{1,120}$|<<[^\n]{1,40}$")


def ftp_user(text: str, start: int, end: int) -> Iterator[Span]:
    """`user ada X` below `open host`, in what is fed to an ftp program."""
    found = _FTP_USER.match(text, end)
    if found is None or not _FTP_OPEN.search(text[max(0, start - 200) : start]):
        return
    if strong(found[1]) and not values.is_reference(found[1]) and not values.is_machine(found[1]):
        yield (*found.span(1), "password")


_RESULT = re.compile(r"[^\n]{0,400}?\\{0,3}\"result\\{0,3}\"[ ]?:[ ]?\\{0,3}\"([^\"\n\\]{6,200})\\{0,3}\"")
_RESULT_BELOW = re.compile(r"(?:[^\n]{0,120}\n){1,24}?[ \t]*\"result\":[ ]?\"([^\"\n]{6,200})\"")


def drawn_by_state(text: str, start: int, end: int) -> Iterator[Span]:
    """What Terraform's state holds of a `random_password`."""
    found = _RESULT.match(text, end) or _RESULT_BELOW.match(text, end)
    if found is not None and not values.is_reference(found[1]):
        yield (*found.span(1), "password")


_AUTH = re.compile(r"(?:[a-z][\w-]{1,30}[ ])?[\"']?([^\s\"'<>]{8,128})[\"']?[ \t]*(?:\\r|\\n|\r?\n|$)")


_NUMBERED_WORD = re.compile(r"[A-Za-z]+\d{1,2}$")


def auth_command(text: str, start: int, end: int) -> Iterator[Span]:
    """`AUTH X` as a command of its own, said to Redis and its like."""
    before = text[max(0, start - 60) : start].rpartition("\n")[2]
    found = _AUTH.match(text, end)
    if found is None or not (not before.strip() or before.rstrip().endswith((">", "\\n"))):
        return
    v = found[1]
    drawn = strong(v) and any(c.isdigit() for c in v) and any(c.isalpha() for c in v)
    if drawn and not (_NUMBERED_WORD.match(v) or values.is_name(v) or values.is_reference(v) or values.is_machine(v)):
        yield (*found.span(1), "password")


_CONNECT = re.compile(r"\w{1,40}/\"?([^\s\"'@/]{4,100})\"?@")


def connect(text: str, start: int, end: int) -> Iterator[Span]:
    """`CONNECT app/X@host`, of Oracle's command lines."""
    found = _CONNECT.match(text, end)
    if found is not None and not values.is_reference(found[1]) and strong(found[1]):
        yield (*found.span(1), "password")
