"""The judgement of a named value: the less its name and its operator promise, the more is asked of it.

`password = "…"` is taken for what it says unless the value is a reference, a caption or a type; after `key` only what
looks drawn at random counts; in prose and in calls, only what no word looks like.
"""

# Long lines: a pattern is read whole.

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from recalld.redact import values
from recalld.redact.around import CODE_LINE, CODE_NEAR, LINE_END, prose_follows, spoken_words
from recalld.redact.names import Category, Name, parts
from recalld.redact.spaced import is_spaced_password
from recalld.redact.wordlike import is_wordlike, worded

Span = tuple[int, int, str]
"""Start, end, kind."""

Op = Literal["set", "same", "colon", "flag", "comma", "call", "markup", "is", "cell", "sql", "space"]

JUDGED = 256
"""Characters of any value that the judgement looks at."""


class Value(NamedTuple):
    """A value and where it stands: `text[start:end]`; `quote` is its delimiter or ""."""

    start: int
    end: int
    quote: str
    formatted: bool


KIND_OF: dict[Category, str] = {
    "password": "password",
    "secret": "secret",
    "token": "token",
    "key": "api-key",
    "auth": "token",
}
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey)[ ]+")


def judge(
    text: str, value: Value, category: Category, name: Name, op: Op, spaced: bool, close: str, upper: bool
) -> Span | None:
    """Return the secret in a value that stands behind a name and an operator, or None. `spaced`: there is space before
    the `=`; `close`: what closed the name (quotes, brackets); `upper`: the keyword is in capitals."""
    start, end, quote, formatted = value
    v = text[start:end]
    if not quote:
        v = trim(v)
        scheme = v.lower() in ("bearer", "basic", "token")
        if scheme:
            return None  # the header's own rule reads on
    else:
        scheme_match = _SCHEME.match(v)
        if scheme_match:
            start += scheme_match.end()
            v = v[scheme_match.end() :]
    end = start + len(v)
    stripped = v[:JUDGED].strip()
    if not quote and (stripped[:1] == "(" or text.startswith("->", end - 1)):
        return None
    if not quote and _CONSTANT.match(stripped) and not (len(stripped) >= 24 and values.is_random(stripped)):
        return None
    if op == "flag" and stripped[:1] == "-":
        return None
    if (
        category == "password"
        and not quote
        and values.is_dotted_words(stripped)
        and spoken_words(text, stripped, op, start, end)
    ):
        return (start, end, "password")
    if quote and category in ("key", "secret") and op in ("comma", "set", "colon") and values.is_salt(stripped):
        return (start, end, KIND_OF[category])
    if not quote and op == "colon" and stripped in _STATEMENTS:  # `case Token.PASSWORD: return …`
        return None
    if not quote and op in ("set", "colon", "same", "is") and values.is_expression(stripped):
        plain_file = upper and op == "set" and not spaced and not values.is_code(stripped)
        if not plain_file or (name.head + name.tail).upper() != name.head + name.tail:
            return None
    if (
        op == "colon"
        and not quote
        and values.is_identifier(stripped)
        and worded(stripped) >= 0.4
        and not values.is_irregular(stripped)
    ):
        following = text[end : end + 1]  # a declaration: `password: XmlString256;`, `(token: String64)`
        if category != "password" or following == ";" or (following in (",", ")") and stripped[0].isupper()):
            return None
    if "EXAMPLE" in stripped or _ACCOUNT.match(stripped):
        return None
    if op == "colon" and name.flag and not quote:  # a variable of a style sheet
        return None
    if category == "auth" and ":" in stripped:  # `--auth user:password` has a rule of its own
        pair = _PAIR.match(stripped) if op in ("set", "colon") else None
        if pair is None or values.is_reference(pair[1]) or not strong(pair[1]) or values.is_name(pair[1]):
            return None
        at = start + v.index(stripped) + pair.start(1)
        return (at, at + len(pair[1]), "password")
    if category == "password" and not name.tail and _CRYPTED.match(stripped):
        return (start, end, "password-hash")
    if not stripped or values.is_reference(stripped) or values.is_empty_word(stripped):
        return None
    if formatted and "{" in v[:JUDGED]:
        return None
    if quote and values.is_pattern(stripped):
        return None
    if not stripped.strip("\\\"'`,;:.()[]{}|&=<>-_/*+#!?"):
        return None
    if category != "password" and values.is_machine(stripped):
        return None
    if category == "password" and values.is_outright_public(stripped):
        return None
    if name.promise == "weak" and op not in ("set", "colon", "flag") and not (category == "key" and said(stripped)):
        return None
    if not _TESTS[category](text, stripped, Context(quote, op, name, spaced, start, end, close, upper)):
        return None
    return (start, end, KIND_OF[category])


_STATEMENTS = values.words("return break throw raise yield continue await case")


_ACCOUNT = re.compile(r"[\w-]{1,40}:[x*!]{0,2}:\d")
"""A line of /etc/passwd or of shadow without a password."""
_PAIR = re.compile(r"[\w.@-]{1,60}[:/]([^\s:/\"']{4,128})$")
_CONSTANT = re.compile(r"0x[0-9a-fA-F]{1,8}$|-[A-Za-z_]\w*$")
"""Numbers and negated names in code."""


_CRYPTED = re.compile(r"\$(?:[1567y])\$(?:rounds=\d{1,9}\$)?[\w./$=,+-]{20,160}$")
"""What crypt(3) makes of a password, as cloud-init and installers are given it."""


class Context(NamedTuple):
    quote: str
    op: Op
    name: Name
    spaced: bool
    """There is space before the `=`."""
    start: int
    end: int
    close: str
    upper: bool


def trim(v: str) -> str:
    """Return a bare value without the punctuation that ends its clause and brackets that it did not open."""
    v = v.rstrip(",;") if v[-2:] != "):" else v[:-1]
    for opening, closing in ("()", "[]", "{}"):
        while v.endswith(closing) and v.count(closing) > v.count(opening):
            v = v[:-1].rstrip(",;")
    return v.rstrip(".:") if len(v) > 1 else v


def strong(v: str) -> bool:
    """Return whether a short value is no word: digits beside letters, or a symbol that words do not have."""
    letters = any(c.isalpha() for c in v)
    digits = any(c.isdigit() for c in v)
    symbols = any(not c.isalnum() and c not in "-_./:,'() " for c in v)
    if letters and digits:
        return True
    if symbols and (letters or digits):
        return True
    return letters and not values.is_wordy(v) and not any(c in " /.,:" for c in v)


def _alone(text: str, c: Context) -> bool:
    """Return whether a bare value ends its line (or its string), as in a file of settings."""
    return bool(LINE_END.match(text, c.end))


def _line_before(text: str, c: Context) -> str:
    begin = max(text.rfind("\n", max(0, c.start - 200), c.start) + 1, c.start - 200, 0)
    return text[begin : c.start]


def _codelike(text: str, c: Context) -> bool:
    return bool(CODE_LINE.search(_line_before(text, c))) or bool(
        CODE_NEAR.search(text, max(0, c.start - 300), min(len(text), c.end + 200))
    )


def _env_name(c: Context) -> bool:
    whole = c.name.head + c.name.tail
    return c.upper and whole.upper() == whole


def _password(text: str, v: str, c: Context) -> bool:
    firm = strong(v)
    if c.name.promise == "weak" and not (firm and not values.is_name(v) and (c.quote or not values.is_code(v))):
        return False
    if values.is_prose(v) and not (c.op == "flag" and c.quote):
        return False
    if values.mentions_secret(v):
        digits = any(x.isdigit() for x in v)
        if not firm or (c.quote and not digits and values.is_identifier(v) and v.isascii()):
            return False
        if not c.quote and values.is_identifier(v):
            return digits and text[c.end : c.end + 1] not in (",", ")") and (c.upper or not _codelike(text, c))
    if c.op == "space":
        return is_spaced_password(text, v, c.start, c.end, _line_before(text, c), bool(c.quote), firm, mixed_classes(v))
    if c.op in ("is", "comma", "call", "same", "cell", "sql"):
        if c.op == "call" and parts(c.name.head)[-1:] in (["set"], ["with"]) and not c.name.tail:
            return not _label(v) and (firm or values.is_wordy(v)) and not values.is_code(v)
        if c.op in ("comma", "call") and not c.name.flag and values.is_name(v):
            return False
        if c.op == "cell" and (c.quote == "" and not firm):
            return False
        if c.op == "comma" and c.name.flag:
            return not v.startswith("-")
        if c.op == "sql" and c.quote == "`":
            return firm
        if c.op == "sql":
            return firm or (_env_name(c) and not values.is_prose(v))
        if c.op == "is" and not c.quote and not strong(v.rstrip("?!")):
            return False  # "the password is wrong!"
        return firm and not values.is_number(v) and not values.is_code(v) and not v.startswith(("-", "("))
    if c.op == "flag":
        if c.quote:
            return True
        return (
            not v.startswith(("-", "|", "[", "("))
            and not values.is_code(v)
            and not (v.isupper() and values.is_wordy(v))
            and (firm or len(v) > 2)
            and not prose_follows(text, v, c.end)
        )
    if c.quote:
        return (firm or not _label(v)) and not (values.is_number(v) and "." in v)
    # Bare.
    if values.is_code(v) or (values.is_machine(v) and v[:1] in "/~.\\"):
        return False
    if c.op == "markup":
        if not _CLOSED.match(text, c.end):
            return False
        return firm or not _label(v)
    if c.op == "colon" and _MEMBER.match(v) and text[c.end : c.end + 1] in (",", "}", ")"):
        return False
    if firm:
        if values.is_identifier(v) and c.spaced and _codelike(text, c) and not _mixed(v):
            return False
        if c.op == "colon" and not _alone(text, c) and values.is_identifier(v) and not any(x.isdigit() for x in v):
            return False
        return c.op == "set" or not v.startswith(("(", "[", "{"))
    if values.is_number(v):
        return len(v) >= 4 and not (c.spaced and c.upper) and (c.op == "set" or _alone(text, c)) and v.isdigit()
    if not _alone(text, c):
        return c.op == "set" and _assigned_here(text, c, v)
    if c.op == "colon":
        if text[c.start - 1] not in " \t\n*：＝":
            return False
        if c.close.strip("*") and not c.close.endswith(('"', "'")):
            return False
        return not _codelike(text, c) and _lower_or_line(text, v, c) and text[c.end : c.end + 1] not in (",", ";")
    return not (values.is_identifier(v) and (c.spaced or not _env_name(c)) and _codelike(text, c))


_MEMBER = re.compile(r"(?:[a-z]+(?:Pw|Pwd|Pass|Password|Hash|Secret|Token)|pw|pwd|pass|password)\d?$")
"""A variable in a literal or a pattern of code: `{ password: hashedPw2, name }`."""
_CLOSED = re.compile(r"\s{0,40}(?:</|&lt;/|<\\/|\]\]>|\n)")


def mixed_classes(v: str) -> bool:
    """Return whether a value has three of lower case, upper case, digits, symbols."""
    kinds = (
        any(x.islower() for x in v),
        any(x.isupper() for x in v),
        any(x.isdigit() for x in v),
        any(not x.isalnum() and x not in "-_./" for x in v),
    )
    return sum(kinds) >= 3


_LINE_START = re.compile(r"[\s>*+-]*[\w.-]+(?: \w+){0,3}[ \t]?[:：][ \t]*$")


def _lower_or_line(text: str, v: str, c: Context) -> bool:
    """A capital begins a caption as often as a password; one that a name alone on its line stands before is taken."""
    return not v[:1].isupper() or bool(_LINE_START.match(_line_before(text, c)))


def _assigned_here(text: str, c: Context, v: str) -> bool:
    """`PASSWORD=letmein command`, `password=letmein&x=y`, `Pwd=letmein;Db=x`: a word as a value within a line."""
    following = text[c.end : c.end + 1]
    if c.spaced or following in ",)":
        return False
    if following in "&;":
        return True
    return _env_name(c) and bool(c.name.head or following in " \t") and not CODE_LINE.search(_line_before(text, c))


def _mixed(v: str) -> bool:
    """Return whether a bare identifier is too irregular for a variable's name."""
    return any(x.isdigit() for x in v) and (values.is_random(v, 8) or not v.rstrip("0123456789").isalpha())


_LABEL = re.compile(r"[A-Z][a-z]+(?: [a-z]+)*[.:!?*]?$")


def _label(v: str) -> bool:
    """Return whether a wordy quoted value is a caption or the name of something, not a password of words."""
    if values.mentions_secret(v):
        return True
    if " " in v:
        return values.is_prose(v)
    return bool(re.match(r"[a-z]+(?:\.[a-z_A-Z]+)+$", v)) or v.startswith(("-", "/"))


def _secret(text: str, v: str, c: Context) -> bool:
    if values.is_passphrase(v) and c.name.promise == "full" and (c.quote or _alone(text, c)):
        return True
    if c.op in ("is", "comma", "call", "same", "cell", "sql", "space"):
        return _token(text, v, c)
    if values.is_number(v) or values.is_prose(v):
        return False
    if c.name.promise == "weak":
        return values.is_random(v)
    if " " in v:
        words = v.split()
        return (
            bool(c.quote)
            and c.op != "markup"
            and not values.mentions_secret(v)
            and (len(words) in (2, 12, 15, 18, 24) or strong(v))
            and not v[:1].isupper()
        )
    if c.op == "flag":
        return (bool(c.quote) or not values.is_code(v)) and strong(v) and len(v) >= 4
    if not c.quote and values.is_code(v):
        return False
    firm = strong(v)
    if values.mentions_secret(v) and (
        not firm or values.is_wordy(v) or not any(x.isdigit() for x in v) or (len(v) >= 12 and worded(v) > 0.8)
    ):
        return False
    if firm:
        if c.quote or not values.is_identifier(v) or values.is_random(v, 8):
            numbered = c.op in ("set", "colon") and c.quote and sum(x.isdigit() for x in v) >= 3 and v[-1].isdigit()
            return len(v) >= 4 and (not values.is_slug(v) or bool(numbered))
        return (not c.spaced or not _codelike(text, c)) and any(x.isdigit() for x in v) and len(v) >= 6
    if c.quote:
        return values.is_wordy(v) and not re.search(r"[-_./:]", v) and len(v) >= 4 and c.op == "set"
    return (
        _env_name(c)
        and bool(c.name.head)
        and c.op == "set"
        and not c.spaced
        and _alone(text, c)
        and not re.search(r"[-_./:]", v)
    )


_TICKETS = values.words("lock client change request action lifecycle work unit registration correlation trace message device")
"""What makes a UUID that is called a token a ticket's number."""


_LABELLED = re.compile(r"[ \t>*-]{0,8}Token:[ ]$")
_BEARERS = values.words("auth access api bearer personal deploy npm admin")


def _token(text: str, v: str, c: Context) -> bool:
    if " " in v or values.is_number(v) or values.is_prose(v) or values.is_slug(v):
        return False
    if not c.quote and values.is_code(v):
        return False
    weak = c.name.promise == "weak" or c.op in ("is", "cell", "sql", "comma", "call", "same", "space")
    if _TAGGED_HASH.match(v):
        return False
    if values.is_uuid(v):
        if _TICKETS & set(parts(c.name.head)):
            return False
        header = c.name.head[:2] in ("X-", "x-") or c.name.head == "_auth" or bool(_BEARERS & set(parts(c.name.head)))
        if not weak and c.op == "colon" and _LABELLED.match(_line_before(text, c)) and _alone(text, c):
            return True
        query = text[c.start - 1 : c.start] == "=" and text[max(0, c.start - 80) : c.start].rfind("?") >= 0
        return (
            not weak and c.op in ("set", "flag", "colon") and bool(c.quote or _env_name(c) or c.op == "flag" or header or query)
        )
    if values.is_hex(v):
        return len(v) >= (32 if weak else 16) and (not v.isdigit())
    if weak:
        spoken = c.name.promise == "full" and c.op in ("is", "cell", "call", "space") and len(v) >= 12
        return values.is_random(v, 16) or (spoken and values.is_irregular(v))
    if values.mentions_secret(v) and not values.is_random(v):
        return False
    if c.op == "flag":
        return strong(v) and len(v) >= 6 and not v.startswith(("-", "[", "("))
    if values.is_random(v, 12) or values.is_encoded_text(v):
        return True
    if len(v) >= 12 and is_wordlike(v) and not any(x in "!@#$%^&*" for x in v):
        return False
    if not strong(v) or len(v) < 6 or not any(x.isdigit() for x in v):
        return False
    if not c.quote and (c.op == "colon" and not _alone(text, c)):
        return False
    if not c.quote and values.is_identifier(v) and (c.spaced or _codelike(text, c)):
        return False
    return not re.search(r"[()\[\]{}<>|;,*\\]", v)


_TAGGED_HASH = re.compile(
    r"[\w.-]{1,40}:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$|(?:[A-Za-z][\w.]{0,30}-){1,5}[0-9a-f]{32,64}$"
)
"""What caches call their keys: `Linux-npm-` and a digest."""


_LOCKING = values.words("secret encryption signing private jwt session")


def _key(text: str, v: str, c: Context) -> bool:
    if c.name.promise == "full" and c.quote and values.is_passphrase(v) and _LOCKING & set(parts(c.name.head)):
        return True
    if c.op in ("flag", "space") and values.is_uuid(v) and (c.op == "flag" or c.name.promise == "full"):
        return True
    if c.name.promise == "weak":
        listed = values.is_uuid(v) or (values.is_hex(v) and len(v) in (32, 37, 40, 64))
        if listed and c.op == "flag":
            return True
        if listed and _env_name(c) and c.op in ("set", "colon") and not c.spaced and "_" in c.name.head:
            return True
        if _TAGGED_HASH.match(v):
            return False
        if (
            " " in v
            or values.is_code(v)
            or "key" in v.lower()
            or values.is_uuid(v)
            or values.is_hex(v)
            or not values.is_random(v, 20)
        ):
            return False
        return _dense(v) and (bool(c.quote) or c.op == "set" or len(v) >= 24) and not values.is_slug(v)
    return _token(text, v, c) and not (values.is_identifier(v) and "key" in v.lower())


_BLOB = re.compile(r"(?!(?:[^-]*-){3})[A-Za-z0-9+/_=-]+$")


def _dense(v: str) -> bool:
    """Return whether a value has all three of upper case, lower case and digits, or is base64 with padding."""
    return (
        sum(x.isdigit() for x in v) > (2 if len(v) < 24 else 0)
        and any(x.islower() for x in v)
        and any(x.isupper() for x in v)
        and v.count("/") < 3
        and v.count(".") < 3
    )


def said(v: str) -> bool:
    """Return whether a value is so plainly drawn at random that "the key X" and "X as the key" are enough to tell."""
    if len(v) < 32 or not _dense(v) or not values.is_random(v, 32) or values.is_machine(v):
        return False
    # `pkg.Module2.name_3` is of many pieces, but none of them is random in itself
    return not values.is_code(v) or any(values.is_random(piece, 16) and _dense(piece) for piece in v.split("."))


_TESTS: dict[Category, Callable[[str, str, Context], bool]] = {
    "password": _password,
    "secret": _secret,
    "token": _token,
    "key": _key,
    "auth": lambda text, v, c: len(v) >= 12 and _token(text, v, c),
}
