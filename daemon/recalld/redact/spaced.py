"""Passwords that nothing but space parts from their name: `storePassword "X"`, `password X` in a file of such lines, "with
password X". There is no operator, so what stands around has to tell, and the value has to look like one.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re

from recalld.redact import values
from recalld.redact.wordlike import worded

_END = re.compile(r"[ \t]*(?:[,;)\]}]{0,4})[ \t]*(?:(?:#|//|--)[^\n]{0,200})?(?:\r?\n|$|\\+[nr]|\\*[\"'`])")


def is_spaced_password(text: str, v: str, start: int, end: int, before: str, quoted: bool, firm: bool, mixed: bool) -> bool:
    """Return whether `v`, which is `text[start:end]`, is a password. `before` is its line so far; `firm`: it is no word;
    `mixed`: it has three kinds of characters."""
    if _is_setting(text, v, start, end, before):
        return firm
    if firm and _long_number(v) and (_WITH.search(before) or _NAME_ALONE.match(before)):
        return not values.is_code(v) and not values.is_machine(v)
    if values.is_passphrase(v):
        return True
    if firm and _SET_BY.search(before) and (quoted or _END.match(text, end)):
        return not values.is_name(v) and not values.is_code(v)
    if not firm or len(v) < 5 or values.is_code(v) or v.startswith(("-", "(", "{")) or values.is_machine(v):
        return False
    if worded(v) > 0.7 and not any(not x.isalnum() and x not in "-_." for x in v):
        return False
    return bool(_USER_BEFORE.search(before)) or (len(v) >= 8 and not _WORD_NUMBER.match(v) and mixed and not values.is_hex(v))


def _is_setting(text: str, v: str, start: int, end: int, before: str) -> bool:
    """Return whether name and value are all of their line, in a file of such lines: `user ada`, `password X`."""
    if not _NAME_ALONE.match(before) or not _END.match(text, end) or values.mentions_secret(v):
        return False
    above = text[max(0, start - len(before) - 200) : start - len(before)]
    return bool(_SETTING_BEFORE.search(above) or _SETTING_BEHIND.match(text, end))


_WITH = re.compile(
    r"(?i)\b(?:using|with|and|via|try|the|its|sudo|root|kinit|my|your|new|old)[ ](?:\w+[ ])?(?:pass\w*|pw|pwd)[ ][\"'`]?$|[^\x00-\x7f]+[ ]$"
)


def _long_number(v: str) -> bool:
    """Return whether a value is no `server1`: three digits and more, or digits amid letters."""
    drawn = worded(v) < 0.45 and any(x.isdigit() for x in v)
    return (drawn or sum(x.isdigit() for x in v) >= 3) and any(x.isalpha() for x in v) and not values.is_hex(v) and len(v) >= 7


_SET_BY = re.compile(
    r"#[ ]?define[ ]+\w+[ ]+[\"']?$|\((?:setq|def\w*|setf|set!|define)[ ]+[\w*/:.-]+[ ]+[\"']?$|(?:^|[\s{(\[]):[\w./-]+[ ]+[\"']?$|"
    r"^[ \t]*(?:\S{0,30}[$#>][ ])?(?:set|neighbor|enable|username|user|ip|ppp|d-i|rootpw|nmcli|consul|etcdctl|radius|tacacs|crypto|area|key|line|pdftk|qpdf|put-secret|credstash|chamber|sops)\b[^=|;]{0,160}$|"
    r"(?i:\b(?:using|with|and|via)[ ](?:the[ ])?(?:pass\w*|pw|pwd)[ ]$)|\((?:pw|pass|password|pwd)[ ]$"
)
"""What goes before a name and a value that nothing but space parts: a definition, a command of configuration."""
_NAME_ALONE = re.compile(r"[ \t]*(?:set[ \t]+)?[\w.-]+[ \t]+[\"']?$")
_SETTING_BEFORE = re.compile(r"(?:^|\n)[ \t]*[\w.-]+[ \t]+[\"']?[^\s\"'(){}=]+[\"']?[ \t]*\n$")
_SETTING_BEHIND = re.compile(r"[\"']?[ \t]*\r?\n[ \t]*[\w.-]+[ \t]+[\"']?[^\s\"'(){}=]+[\"']?[ \t]*(?:\r?\n|$)")
_USER_BEFORE = re.compile(
    r"(?i)(?:user|login|username|account)[ \t:=]{1,3}\S{1,80}[ \t]+(?:and )?(?:\w{1,12} )?$|--?[\w-]{0,20}$"
)
_WORD_NUMBER = re.compile(r"[A-Za-z]+[-_]?\d{1,4}[a-z]?$|\d+[A-Za-z]+$")


def is_next_thing(text: str, after: re.Match[str], head: str, op: str, start: int, end: int, quoted: bool) -> bool:
    """Return whether what stands at `start:end` belongs to no name before it but is the next argument, attribute or
    field of its line, or an object's name. `after` is what was read behind the name, `head` what stands before it."""
    closed = after["close"].endswith(("'", '"', "`"))
    if closed and after["typed"] and op == "set":  # `v-model="password" :type="…"`
        return True
    if op in ("space", "flag"):
        if "$" in head:  # `-p$MYSQL_PW app`
            return True
        return op == "space" and bool(_FIELD.match(text, start) or _OBJECT.match(text, end))
    if quoted or not after["colon"] or not (closed or head.startswith("$")):
        return False
    return text[after.start("colon") - 1] == " " and start == after.end("colon")  # `-a "$TOKEN" :8000/me`


_FIELD = re.compile(r"[a-z_]{1,20}=")
"""The next field of a log line: `reason=bad_password ip=10.0.0.3`."""
_OBJECT = re.compile(
    r"\\{0,3}[\"'][ ](?:\(\w|in namespace|(?:deleted|created|configured|unchanged|patched|labeled|annotated|not found|already exists|is forbidden)\b)"
)
"""What a cluster says of an object by its name: `secret "db-creds-7f8c" deleted`."""

OPTION_ITEM = re.compile(r"-[ ][\"']?--?(?:[a-z0-9]{1,20}-){0,4}$")
NEXT_ITEM = re.compile(r"[\"']?[ \t]*\r?\n[ \t]*-[ ](?=[^\s-])")
"""An option and its value as two items of a list: `- --admin-password`, and below it `- X`."""
