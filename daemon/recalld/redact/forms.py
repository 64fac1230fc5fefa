"""Secrets that a form gives away and no name: key blocks, URL credentials, headers, cookies, options of known tools,
password files.

Each rule is a set of literals for the scan and a function that looks at the text around one of them and returns spans.
Every look is bounded.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from recalld.redact import values
from recalld.redact.assign import read_value
from recalld.redact.connection import NAMES as CONNECTION_NAMES
from recalld.redact.connection import SAID_AS, connection_string, said_before
from recalld.redact.judge import Span, strong, trim
from recalld.redact.values import words

Rule = Callable[[str, int, int], Iterator[Span]]
"""(text, start of the literal, its end) to spans."""

_MAX_BLOCK = 32 * 1024
"""Characters of one key block: a 16,384-bit RSA key takes 13 KB, a PGP key with subkeys some more."""

# --- private key blocks ---------------------------------------------------------------------------------------------

_LABEL = re.compile(r"-{3,5} ?BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?) ?-{3,5}")
_KEY_RUN = re.compile(r"[A-Za-z0-9+/]{16}")
_CLOSING = re.compile(r"-{3,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{3,5}")
_LINE_OF_KEY = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{1,80}={0,2}(?=\\|\s|\"|'|-|$)")
_BETWEEN = re.compile(r"(?:[ \t>|*+#→\"',]|\\{1,31}[nrt]|\r?\n|\d{1,5}[\t→:|])+")
_HEADER_LINE = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\\"]{0,120}")


def key_block(text: str, start: int, end: int) -> Iterator[Span]:
    """A PEM or PGP private key from BEGIN to END; cut off, to the end of its base64."""
    label = _LABEL.match(text, start)
    if label is None:
        return
    at = label.end()
    another = text.find("-- BEGIN" if "- BEGIN" in label[0] else "--BEGIN", at, at + _MAX_BLOCK)
    limit = min(len(text), at + _MAX_BLOCK) if another < 0 else another
    mark = text.find("END " + label[1], at, limit)
    closing = _CLOSING.search(text, max(at, mark - 6), mark + 60) if mark >= 0 else None
    if closing is not None:
        if _KEY_RUN.search(text, at, closing.start()):
            yield (start, closing.end(), "private-key")
        return
    stop = _base64_end(text, at, limit)
    if stop > at:
        yield (start, stop, "private-key")


def _base64_end(text: str, at: int, limit: int) -> int:
    """Return the end of the run of base64 lines that begins near `at`, or `at`."""
    last = at
    while at < limit:
        gap = _BETWEEN.match(text, at, limit)
        if gap is not None:
            at = gap.end()
        line = _HEADER_LINE.match(text, at, limit) or _LINE_OF_KEY.match(text, at, limit)
        if line is None or line.end() == at:
            break
        run = line[0]
        if (
            len(run) < 16
            and ":" not in run
            and (last == at or not (run[-1] == "=" or any(c.isdigit() or c.isupper() for c in run[1:])))
        ):
            break
        at = last = line.end()
    return last


def key_block_tail(text: str, start: int, end: int) -> Iterator[Span]:
    """The end of a private key whose BEGIN was cut off: the base64 lines before END."""
    closing = _CLOSING.match(text, start)
    if closing is None:
        return
    floor = max(0, start - _MAX_BLOCK)
    at = first = start
    segment_end = start
    while at > floor:
        segment = text[max(floor, segment_end - 160) : segment_end]
        trimmed = segment.rstrip(" \t\r\n\"',")
        while trimmed[-2:] in ("\\n", "\\r", "\\t"):
            trimmed = trimmed[:-2].rstrip("\\ \t\r\n\"',")
        body = trimmed[len(trimmed.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")) :]
        if "\\" + body[:1] in ("\\n", "\\r", "\\t") and trimmed[: -len(body)].endswith("\\"):
            body = body[1:]
        if len(body) < 16 and not (first == start and body):
            break
        at = segment_end = first = segment_end - len(segment) + len(trimmed) - len(body)
    if first < start and _KEY_RUN.search(text, first, start):
        yield (first, closing.end(), "private-key")


_PUTTY = re.compile(r"Private-Lines: \d{1,4}((?:\s|\\{1,15}[nr])+[A-Za-z0-9+/=\s\\]{16,20000})")


def putty_key(text: str, start: int, end: int) -> Iterator[Span]:
    found = _PUTTY.match(text, start)
    if found is not None:
        yield (found.start(1), found.end(1), "private-key")


# --- URLs -----------------------------------------------------------------------------------------------------------

_USERINFO = re.compile(r"://([^\s/?#\"'`<>@:\\,()|]{0,128}):([^\s/?#\"'`<>]{1,256})@(?=[\w\[.$%{-])")
_USERINFO_SLASH = re.compile(
    r"://([^\s/?#\"'`<>@:\\,()|]{0,64}):([^\s\"'`<>@:\\]{1,128})@(?=[A-Za-z0-9.-]{1,80}(?::\d{2,5})?(?:/|\s|$|[\"']))"
)
_USER_ONLY = re.compile(r"://([A-Za-z0-9_.~%+=-]{16,256})@(?=[\w\[])")
_PLAIN_PASSWORDS = words(
    """
    password pass passwd pwd pw secret token your_password yourpassword mypassword passw0rd_here user
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
            and not values.is_reference(password)
            and "${" not in password
            and "://" not in password
            and not re.match(r"\d{2,5}[,/]", password)
        ):
            yield (*found.span(2), "url-password")
        user = found[1]
        if len(user) >= 20 and values.is_random(user):
            yield (*found.span(1), "url-password")
        return
    alone = _USER_ONLY.match(text, start)
    if alone is not None and (values.is_random(alone[1]) or values.is_hex(alone[1])):
        yield (*alone.span(1), "url-password")


_SIGNATURE = re.compile(r"[dD]?([A-Za-z0-9%+/_-]{24,700}={0,2})")


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


# --- headers --------------------------------------------------------------------------------------------------------

_AUTH_HEADER = re.compile(
    r"""[ \t]{0,4}\\{0,31}["'`]?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}(?:[fbru]{0,2}\\{0,31}["'`])?(?:([A-Za-z][A-Za-z0-9-]{2,20})[ \t]{1,4})?(?=\S)"""
)
_CREDENTIAL = re.compile(r"[^\s\"'`<>\\,;)}\]|]{1,8192}")
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
    found = _CREDENTIAL.match(text, header.end())
    if found is None:
        return
    yield from _credential(
        found.start(), trim(found[0]), scheme, 6 if scheme in ("bearer", "basic", "token", "apikey", "bot") else 10
    )


def bearer(text: str, start: int, end: int) -> Iterator[Span]:
    """`Bearer …` wherever it stands."""
    found = _CREDENTIAL.match(text, end)
    if found is not None:
        yield from _credential(found.start(), trim(found[0]), "bearer", 8)


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
_COOKIE_OPTION = re.compile(r"\\{0,7}[\"']?(?=[\w.$!#%&*+^`|~-]{1,80}=)")
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
    header = (_COOKIE_OPTION if text.startswith("-", start) else _COOKIE).match(text, end)
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


_SESSION = re.compile(r"\\{0,7}[\"']?[ ]{0,2}(?:=|:)[ ]{0,2}(?:\\{0,7}[\"'])?([A-Za-z0-9%._+/=-]{16,4096})")


def session_cookie(text: str, start: int, end: int) -> Iterator[Span]:
    """A session cookie under a framework's well-known name, in a header or in code."""
    found = _SESSION.match(text, end)
    if (
        found is not None
        and not values.is_uuid(found[1])
        and (values.is_random(found[1][:200]) or values.is_hex(found[1][:128]))
    ):
        yield (*found.span(1), "cookie")


# --- command lines --------------------------------------------------------------------------------------------------

_ARGUMENT = r"(?:\\{0,7}[\"'][,]?[ ]\\{0,7}[\"']|[ =]\\{0,7}[\"']?)"
_OPTIONS: dict[str, re.Pattern[str]] = {
    name: re.compile(form)
    for names, form in {
        ("mysql", "mariadb", "mysqldump", "mysqladmin", "mysqlimport", "mycli"): r"[\w-]{0,12}[\"']?(?:[, ]{1,2}[^\n|;]{0,300}?)?[ \"']-p(?=[^\s\\])",
        ("sshpass",): rf"[\"']?,?[ ](?:-v[ ])?\\{{0,7}}[\"']?-p(?:{_ARGUMENT})?(?=\S)",
        ("docker login", "podman login", "registry login", "oc login", "buildah login", "nerdctl login", "skopeo login", "cf login"): rf"[^\n|;&]{{0,200}}?[ ]-p{_ARGUMENT}?(?=\S)",
        ("redis-cli", "valkey-cli"): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-a{_ARGUMENT}(?=\S)",
        ("mongo ", "mongosh", "mongodump", "mongorestore"): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-p{_ARGUMENT}(?=\S)",
        ("sqlcmd", "bcp "): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-P{_ARGUMENT}?(?=\S)",
        ("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami", "ldappasswd"): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-w{_ARGUMENT}(?=\S)",
        ("unzip ", "zip "): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-P{_ARGUMENT}(?=\S)",
        ("7z ", "7za ", "unrar ", "rar "): r"[^\n|;&]{0,200}?(?<=[ \"'])(?:-p|-hp)(?=[^\s\\])",
        ("ipmitool", "snmpget", "snmpwalk"): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])-[PAX]{_ARGUMENT}(?=\S)",
        ("xfreerdp", "rdesktop"): r"[^\n|;&]{0,200}?[ \"'](?:/p:|-p[ ])(?=\S)",
        ("htpasswd",): r"[ ]-[A-Za-z]{0,4}b[A-Za-z]{0,4}[ ]\S{1,100}[ ]\S{1,64}[ ](?=\S)",
        ("requirepass", "masterauth"): r"[ ](?=\S)",
        ("-passin", "-passout"): rf"{_ARGUMENT}pass:(?=\S)",
        ("IDENTIFIED BY", "identified by", "IDENTIFIED WITH", "identified with"): r"(?:[ ][\w'\"]{1,40}[ ](?:BY|by|AS|as))?[ ](?:PASSWORD[ ])?(?=\\{0,7}[\"'])",
        ("secret set ",): rf"[^\n|;&]{{0,200}}?(?<=[ \"'])(?:--body|-b){_ARGUMENT}(?=\S)",
        ("net use",): r"[^\n|;&]{0,100}?[ ]/user:\S{1,60}[ ](?=[^\s/])",
    }.items()
    for name in names
}  # fmt: skip


def option(text: str, start: int, end: int) -> Iterator[Span]:
    """A password option that one tool has and others use for something else: `mysql -pX`, `redis-cli -a X`."""
    found = _OPTIONS[text[start:end]].match(text, end)
    if found is None:
        return
    value = read_value(text, found.end())
    if value is None:
        return
    content = trim(text[value.start : value.end]) if not value.quote else text[value.start : value.end]
    if (
        len(content) < 2
        or content.startswith("-")
        or values.is_reference(content[:400])
        or values.is_prose(content[:400])
    ):
        return
    if values.is_wordy(content[:200]) and (
        content.isupper() or values.mentions_secret(content[:200]) or values.is_empty_word(content)
    ):
        return
    yield (value.start, value.start + len(content), "password")


_USER_PASSWORD = re.compile(
    r"(?:\\{0,7}[\"'],?[ ]\\{0,7}[\"']|[ =]{1,2}\\{0,7}[\"']?)([^\s:\"'\\/]{1,80}):([^\s\"'\\]{1,200})"
)
_FETCHERS = re.compile(r"(?:curl|http|https|wget|httpie|ab|hey|xh|siege|urlwatch|smbclient|nexus|lftp|skopeo|svn)\b")


def user_password(text: str, start: int, end: int) -> Iterator[Span]:
    """`curl -u user:password`, `--user`, `--proxy-user`."""
    found = _USER_PASSWORD.match(text, end)
    if found is None or not _FETCHERS.search(text, max(0, start - 300), start):
        return
    user, password = found[1], found[2]
    if values.is_reference(password) or password.startswith("//") or (user.isdigit() and password.isdigit()):
        return
    if password.lower() in _PLAIN_PASSWORDS or (values.is_wordy(password) and password.isupper()):
        return
    yield (*found.span(2), "password")
    if len(user) >= 16 and values.is_random(user):
        yield (*found.span(1), "password")


_TUPLE = re.compile(
    r"[ ]?=?[ ]?\(?[ \t\n]{0,20}\\{0,7}[\"']([^\"'\n\\]{0,80})\\{0,7}[\"'],\s{0,20}\\{0,7}[\"']([^\"'\n\\]{3,200})\\{0,7}[\"']"
)


def auth_pair(text: str, start: int, end: int) -> Iterator[Span]:
    """`auth=("user", "password")`, `HTTPBasicAuth("user", "password")`."""
    found = _TUPLE.match(text, end)
    if found is None or "(" not in text[end - 1 : found.start(1)]:
        return
    if text[end - 1] == "(" and not strong(found[2]):  # `login("ada", "…")` of any API
        return
    if not values.is_reference(found[2]) and found[2].lower() not in _PLAIN_PASSWORDS:
        yield (*found.span(2), "password")


_CHPASSWD = re.compile(
    r"(?:echo|printf)[ ](?:-[ne][ ])?\\{0,7}[\"']?([\w.-]{1,40}):([^\s\"'|\\]{2,100})(?:\\n)?\\{0,7}[\"']?[ ]?\|[ ]?(?:sudo[ ])?$"
)
_PIPED = re.compile(
    r"(?:echo|printf)[ ](?:-[ne][ ])?\\{0,7}[\"']?(?!\$)([^\s\"'|\\$]{2,200})(?:\\n)?\\{0,7}[\"']?[ ]?\|[^|\n]{0,120}$"
)


def piped(text: str, start: int, end: int) -> Iterator[Span]:
    """`echo root:X | chpasswd`, `echo X | sudo -S`, `echo X | docker login --password-stdin`."""
    before = text[max(0, start - 300) : start]
    before = before[max(0, before.rfind("echo"), before.rfind("printf")) :]
    offset = start - len(before)
    if text[start:end] == "chpasswd":
        found, group = _CHPASSWD.match(before), 2
    else:
        found, group = _PIPED.match(before), 1
    if found is not None and not values.is_reference(found[group]):
        yield (offset + found.start(group), offset + found.end(group), "password")


# --- password files -------------------------------------------------------------------------------------------------

_PGPASS = re.compile(
    r"(?:[\w.*-]{1,200}|\[[0-9a-f:]{2,45}\]):(?:\d{2,5}|\*):([\w.*-]{1,80}):([\w.*@-]{1,80}):([^\s\"':]{1,200})(?=\s|\\n|\\?[\"']|$)"
)
_HOST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*-"


def pgpass(text: str, start: int, end: int) -> Iterator[Span]:
    """A line of .pgpass: host:port:database:user:password."""
    segment = text[max(0, start - 120) : start]
    head = segment[len(segment.rstrip(_HOST)) :]
    if not head:
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


RULES: tuple[tuple[Rule, tuple[str, ...]], ...] = (
    (key_block, ("-----BEGIN", "---- BEGIN", "--- BEGIN")),
    (key_block_tail, ("-----END", "---- END")),
    (putty_key, ("Private-Lines:",)),
    (url_credentials, ("://",)),
    (url_signature, ("sig=", "sig%3", "X-Amz-Signature=", "X-Goog-Signature=", "&Signature=")),
    (authorization, ("uthorization", "UTHORIZATION")),
    (bearer, ("bearer ", "Bearer ", "BEARER ")),
    (basic, ("Basic ", "basic ")),
    (cookies, ("ookie", "OOKIE", "-b ")),
    (session_cookie, ("PHPSESSID", "JSESSIONID", "sessionid", "connect.sid", "ASP.NET_SessionId", "laravel_session", "_gitlab_session", "user_session", "cf_clearance", "sessionKey", "ASPXAUTH", "_session")),
    (option, tuple(_OPTIONS)),
    (user_password, (" -u", '"-u', "'-u", "--user", "--proxy-user", "-U ")),
    (auth_pair, ("auth=", "auth =", "BasicAuth", "basic_auth", "basicAuth", "SetBasicAuth", "login(")),
    (piped, ("chpasswd", "sudo -S", "sudo -kS", "-stdin", "--with-token")),
    (pgpass, (":5432:", ":5433:", ":5434:", ":6432:", ":5439:", ":*:")),
    (netrc, ("machine", "default login")),
    (aws_secret, ("AKIA", "ASIA")),
    (private_key_id, ("private_key_id",)),
    (connection_string, CONNECTION_NAMES),
    (said_before, SAID_AS),
)  # fmt: skip
"""All rules with their literals."""

KINDS = words(
    "authorization aws-secret-key basic-auth bearer-token cookie gcp-service-account password private-key signed-url url-password"
)
"""The kinds that these rules name."""
