"""Secrets on a line that speaks of one, where no notation leads from the name to the value.

`connect("host", "ada", "X")  # password`, `my ($user, $password) = ("ada", "X")`, `$ cat config/master.key` with X below:
what stands there is taken only where it looks like nothing but a password or a key.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.drawn import is_id, is_text, nearest
from recalld.redact.judge import Span, mixed_classes, strong
from recalld.redact.wordlike import worded

REACH = 240
"""Characters before and behind a name, on its line, that are read."""

_QUOTED = re.compile(r"(?<!\\)(?:\"([^\"\s\\<>]{8,80})\"|'([^'\s\\<>]{8,80})')")
_SHARP = frozenset("!#$%^&*~?+=@")
_PROMPT = re.compile(
    r"[ \t]*(?:(?:\w[\w.@~:/-]{0,40})?[$%❯➜»>][ ]|\((?:[iI]?[pP]db|gdb|lldb)\)[ ]|>>>[ ]|In[ ]\[\d+\]:[ ]|irb\S{0,30}>[ ]|\+[ ]|(?:sudo[ ])?(?:cat|head|tail|less|more|type|bat|xxd|openssl|mix|rails|rake|pass|op)[ ])"
)
_BELOW = re.compile(
    r"(?:[ \t]{0,4}\r?\n){1,2}[ \t]{0,8}(?:\d{1,3}\)[ ]|=>[ ]|Out\[\d+\]:[ ]|\$\d+ = (?:0x[0-9a-f]+[ ])?)?[\"']?([^\s\"'`<>]{8,400})[\"']?[ \t]{0,8}(?=\r?\n|$)"
)
_LABEL = re.compile(r"[^\n]{0,200}:[ \t]*$|[ \t]{0,8}[\w ]{2,24}$|\d{1,3}\)[ ]\\?\"[\w.-]{2,40}\\?\"$")
_PUBLIC = re.compile(
    r"(?i)sum\b|hash|digest|fingerprint|\.pub\b|pubkey|public|rev-parse|(?<!secret-)\bid\b|_id\b|\bls\b|find\b|which\b|grep|\brg\b|\bwc\b"
)


def line_of(text: str, start: int) -> tuple[int, int]:
    """Return where the line around `start` begins and ends, as far as it is read."""
    begin = max(text.rfind("\n", max(0, start - REACH), start) + 1, start - REACH, 0)
    end = text.find("\n", start, start + REACH)
    return begin, end if end >= 0 else min(len(text), start + REACH)


TOLD_BY = (
    "onnect(", ".Open ", "DSN=", "onnect_", "onnection(", "equelize(", ".toCharArray", "Hash::make", "btoa(", "b64encode(", "Buffer.from(", "WiFi.begin(", "_AUTH=", "_auth=",
    "LOGIN ", "login", "Login", "chpasswd", "winrm", "hydra ", "nxc ", "psexec", "secretsdump", " secret", "EAP ", "PSK ", "reds ", "reds:", "redential", "wifi", "WiFi",
    "WLAN", "Wi-Fi", "WIFI", "keyvault", "asic auth", "isakmp key", "PassCmd", "passCmd", "rootpw", "| base64", "|base64", "smbpasswd", "--encrypt", "cryptsetup",
    "log in", "Log in", "sign in", "Sign in", "ftp", "ssh ", " -p ", " -w ", "LOGIN", "IDENTIFY ", "RunAs(", "ey content", "ey Content", "WPA", " SHA ", "createUser", "ommunity", "_auth ", "REG_SZ", " -P ", " -pw ", "admin", "root ", "ugangsdaten", "dentifiants", "credencia", "unlock",
)  # fmt: skip
"""Words of a line on which a string that looks like nothing but a password is one."""
_SHARP_WORD = re.compile(
    r"(?<![^\s\"'`(\[{=:,/|>])[A-Za-z0-9!#%*^+~?@$&][A-Za-z0-9!#$%^&*~?@+_.-]{6,40}[A-Za-z0-9!#%*^+~?@$&](?=[\s\"'`)\]},;:|<]|\\|$|\.(?:\s|$))"
)
_CUT_BASE64 = re.compile(r"[A-Za-z0-9+/]{12,}/$")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*$")


_HANDED = re.compile(r"[ ](?:--?[a-z][\w-]{0,20}[ =])?([0-9a-f]{32,64}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![\w-])")
"""`wandb login X`."""


def told(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield what looks like nothing but a password on a line that speaks of logging in."""
    begin, stop = line_of(text, start)
    before = text.rfind(text[start:end], begin, start)
    if before >= 0:  # which has read all but the end of this, so that a line is read once whatever it repeats
        begin = max(begin, before + REACH - 64)
    yield from sharp(text, begin, stop)
    handed = _HANDED.match(text, end) if text.startswith("login", start) else None
    if handed is not None:
        yield (*handed.span(1), "token")


def sharp(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield what looks like nothing but a password between `begin` and `end`: quoted, or bare with a symbol in it."""
    for found in _QUOTED.finditer(text, begin, end):
        number = found.lastindex or 1
        if _passwordlike(found[number]) and not _called_id(text, begin, found.start()):
            user = _USER_COLON.match(found[number])
            yield (found.start(number) + (user.end() if user else 0), found.end(number), "password")
    for found in _SHARP_WORD.finditer(text, begin, end):
        v = found[0]
        if (
            (any(c in _SHARP for c in v) or values.is_irregular(v))
            and any(c.isupper() for c in v)
            and any(c.islower() for c in v)
            and not _ADDRESS.match(v)
            and "&&" not in v
            and not _CUT_BASE64.search(text, max(begin, found.start() - 24), found.start())
            and "://" not in text[max(begin, found.start() - 80) : found.start()].rpartition(" ")[2]
            and (v.isalnum() is False or nearest(text[max(begin, found.start() - 60) : found.start()]) is not False)
            and text[found.end() : found.end() + 3] != "://"
            and _passwordlike(v)
            and not ((v.isalnum() or text[found.start() - 1] == '"') and _called_id(text, begin, found.start()))
        ):
            yield (*found.span(), "password")


_USER_COLON = re.compile(r"[a-z][a-z0-9_.-]{1,31}:(?=[^\s:]{6})")
"""`echo 'ada:X' | chpasswd`."""
_CALLED_ID = re.compile(
    r"(?:(?:^|[^A-Za-z])[iI]ds?|[a-z_]I[dD]s?|ID|[a-z]uid|ulid|nanoid|(?<![A-Za-z])xid|cuid|hash|etag|digest|commit|revision|nonce|cursor|(?<![a-z])(?:req(?:uest)?|job|uid)|trace|span|[uU]ser(?:[_ ]?[nN]ame)?)"
    r"\\{0,3}[\"']?\]?[ ]?(?::=|=>|[:= ])[ ]?\\{0,3}[\"']?$"
)
"""What a line calls an id or a user, whatever else it speaks of: `{"ksuid":"X","event":"password_changed"}`."""


def _called_id(text: str, begin: int, start: int) -> bool:
    before = text[max(begin, start - 48) : start]
    if _CALLED_ID.search(before):
        return not _SECRET_ID.search(before)
    member = _MEMBER.search(before)
    return member is not None and nearest(member[1]) is not True and member[1].lower() not in _VALUES


_MEMBER = re.compile(r"\"([A-Za-z][\w.-]{0,40})\\{0,3}\"[ ]?:[ ]?(?:\\{0,3}\")?$")
"""In JSON a value has its own name, and that one tells: `{"channel":"X","text":"who reset the password?"}`."""
_VALUES = values.words(
    "value val default new old current text input answer content data body arg args plain raw str string v p pin code"
)
"""Names that any value has."""
_SECRET_ID = re.compile(r"(?i)(?:secret|app|key|pass|token)[ _-]?(?:id|user)\W{0,6}$")


_USER_THEN = re.compile(
    r"(?:-u|-U|--user(?:name)?|-l|/u:|/user:)[ =]?\\{0,3}[\"']?[\w.@\\-]{1,60}\\{0,3}[\"']?(?:[ ]--?[\w-]{1,20}(?:[ =][\w.:/-]{1,60})?){0,2}[ ](?:-p|-P|-w|-pw|/p:?)[ ]?(?:\\{0,3}\"([^\"\n]{4,80}?)\\{0,3}\"|'([^'\n]{4,80})'|([^\s\"'$<({\\-][^\s\"']{3,80}))"
)


_OTHER_P = re.compile(
    r"\b(?:mysql\w*|mariadb\w*|psql|pg_\w+|ssh|scp|sftp|docker|podman|nmap|ps|cp|mkdir|useradd|git)\b[^\n|;&]*$"
)
"""Tools whose `-p` means something else."""


def user_then_password(text: str, start: int, end: int) -> Iterator[Span]:
    """`tool -u ada -p X`: whatever the tool, a user and then `-p`."""
    found = _USER_THEN.match(text, start)
    if found is None or _OTHER_P.search(text, max(0, start - 120), start):
        return
    number = found.lastindex or 1
    v = found[number]
    if (
        strong(v)
        and not re.match(r"\d{1,5}(?::\d{1,5})*(?:/\w+)?$", v)
        and not values.is_reference(v)
        and not values.is_machine(v)
        and not values.is_prose(v)
    ):
        yield (*found.span(number), "password")


def _passwordlike(v: str) -> bool:
    if (
        not (any(c.isdigit() for c in v) and mixed_classes(v))
        or "://" in v
        or v[0] == "/"
        or v.count("-") > 2
        or (v[0] == "#" and v[1:].replace("-", "").isalnum())
        or "EXAMPLE" in v
    ):
        return False
    if not any(c in _SHARP for c in v) and not values.is_random(v, 12) and not values.is_irregular(v):
        return False
    return (
        "__" not in v
        and not (v[0] == "@" and v[1:].isalnum())
        and worded(v) < 0.72
        and not any(c in "(){}[]|;" for c in v)
        and not values.is_reference(v)
        and not values.is_machine(v)
        and not values.is_pattern(v)
        and not values.is_name(v)
        and not values.is_uuid(v)
        and not is_id(v)
        and not is_text(v)
        and not re.match(r"[\w.+-]+@[\w-]+\.\w+$|[a-z]+[-_]?\d+$|[?&]?[\w.-]+=", v)
    )


_FED = re.compile(
    r"(?:echo|printf)[ ](?:-[neE]{1,3}[ ])?(?:\\{0,7}[\"']%s(?:\\{1,2}n)?\\{0,7}[\"'][ ])?"
    r"(?:\\{0,3}\"(?!\$)([^\"|$\n]{4,200}?)(?:\\{1,2}n)?\\{0,3}\"|'(?!\$)([^'\n|]{4,200}?)(?:\\n)?'|(?!\$)([^\s\"'|\\$<>]{4,200}))[ ]?(?:\||>>?|<<<)[^|\n]{0,160}$"
)


def fed(text: str, begin: int, start: int) -> Iterator[Span]:
    """Yield what is piped or redirected into something that is named after a secret: `echo X | gh secret set`."""
    at = text.rfind("echo ", begin, start) if text.find("echo ", begin, start) >= 0 else text.rfind("printf ", begin, start)
    found = _FED.match(text, at, start) if at >= 0 else None
    if found is None or text.find("chpasswd", max(begin, start - 4), start + 80) >= 0:
        return
    number = found.lastindex or 1
    v = found[number]
    if (
        strong(v)
        and not values.is_reference(v)
        and not values.is_prose(v)
        and not values.is_machine(v)
        and not values.is_expression(v)
        and " " not in v
        and "=" not in v.rstrip("=")
        and not values.is_name(v)
    ):
        yield (*found.span(number), "password")


def printed(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield what a command that names a secret wrote on the line below."""
    asked = _PROMPT.match(text, begin, end)
    if asked is None and not _LABEL.match(text, begin, end):
        return
    found = _BELOW.match(text, end)
    if found is None or _PUBLIC.search(text, begin, end):
        return
    v = found[1]
    if (
        not values.is_reference(v)
        and not values.is_machine(v)
        and not is_text(v)
        and (
            (values.is_hex(v) and len(v) >= 24)
            or _passwordlike(v)
            or (values.is_uuid(v) and asked is not None)
            or values.is_random(v[:400], 16)
        )
    ):
        yield (*found.span(1), "secret")


GENERATORS = (
    "openssl rand",
    "token_hex",
    "token_urlsafe",
    "pwgen",
    "gen.secret",
    "key:generate",
    "/dev/urandom",
    "makepasswd",
    "apg ",
    "randomBytes(",
    "generate-secret",
    "genkey",
    "generate_password",
)
"""Commands that make a secret and print it."""


def generated(text: str, start: int, end: int) -> Iterator[Span]:
    """What a command that makes secrets wrote on the line below."""
    found = _BELOW.match(text, line_of(text, start)[1])
    if found is None:
        return
    v = found[1].removeprefix("base64:")
    if (values.is_hex(v) and len(v) >= 16) or values.is_irregular(v) or values.is_random(v[:400], 12) or _passwordlike(v):
        yield (found.end(1) - len(v), found.end(1), "secret")
