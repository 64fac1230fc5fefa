"""Settings by name: `password = "…"`, `--token …`, `"api_key": "…"`, `<password>…</password>`, `密码：…`.

The scan hands over the place of a keyword. From there: the rest of the name, what closes it (quotes, brackets), an
operator, a value; then the judgement, which asks more of the value the less the name and the operator promise. All
looks are bounded, whatever the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from recalld.redact import values
from recalld.redact.names import Category, Name, parts

Span = tuple[int, int, str]
"""Start, end, kind."""

HEAD_REACH = 64
"""Characters before a keyword that may belong to its name."""
BARE_REACH = 256
"""Characters of a value without quotes that are judged. A longer one is no password; where it is a secret, its rest goes
with it."""
JUDGED = 256
"""Characters of any value that the judgement looks at."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"

Op = Literal["set", "same", "colon", "flag", "comma", "call", "markup", "is", "cell", "sql", "space"]

_QUOTE = r"\\{0,31}[\"'`]"
_AFTER = re.compile(
    rf"""(?x)
    (?P<tail>[A-Za-z0-9_-]{{0,40}}(?:ña|eñas?)?)
    (?P<close>(?:{_QUOTE}|[\])*!?]|[ ]?\([^()\n\"'`]{{1,30}}\)|[ ]\[[^\[\]\n]{{1,30}}\]){{0,4}})
    (?:
        [ \t]{{0,20}}:[ \t]{{0,4}}[A-Za-z_&][\w.<>\[\]|?& ']{{0,40}}?[ ]?(?P<typed>=(?!=)) |
        [ \t]{{0,40}}(?P<pair>,?[ \t]{{0,8}}(?:\\?\r?\n|\\{{1,7}}n)?[ \t-]{{0,40}}(?:{_QUOTE})?[vV]alue(?:{_QUOTE})?[ \t]{{0,8}}[:=]) |
        [ \t]{{0,40}}(?P<same>===?|!==?) |
        [ \t]{{0,40}}(?P<set>:=|=>|->|\?=|\|\|=|=) |
        [ \t]{{0,40}}(?P<colon>::?(?!//)|：|＝) |
        (?P<comma>[ \t]{{0,4}},[ \t]{{0,8}}(?:\\?\r?\n[ \t]{{0,40}}|\\{{1,7}}n[ ]{{0,40}})?)(?={_QUOTE}) |
        (?P<markup>(?:&gt;|>)) |
        [ ](?P<is>is|was|ist|lautet|war|es|era|est|était|är|is[ ]now|set[ ]to|to|of)(?:[ ]?:)?[ ] |
        (?P<call>\((?={_QUOTE})) |
        (?P<is2>(?:는|은|이|가)[ ]|[ ]?(?:是|为|為|は|が)[ ]?) |
        [ \t]{{1,40}}(?P<cell>\|)(?=[ ]) |
        (?P<space>[ \t]{{1,8}}(?:\\\r?\n[ \t]{{0,40}})?|\\\r?\n[ \t]{{1,40}})
    )"""
)
_GAP = re.compile(r"[ \t]{0,80}(?:\*{1,2}[ ]?)?")
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*\n([ \t]{1,40})")
_NEXT_LINE = re.compile(r"(?:\([ \t]*)?\r?\n[ \t]{0,80}")
_OPEN = re.compile(r"@?[fFbBrRuU]{0,2}(\\{0,63})(\"\"\"|'''|[\"'`])|\$(\\{0,31})(')")
_BARE = re.compile(r"(?:\\[^nrt\"'`\s\\u]|\\\\(?![nrt\"'`])|[^\s\"'`<>\\])+")
_BARE_CUT = re.compile(r"(?:[&;,][ ]?[A-Za-z_][\w.-]{0,40}=)|&(?:amp|lt|gt|quot|#\d+);|;$|[,;][ ]?$|&&|\|\||;;")
_LINE_END = re.compile(r"[ \t]*(?:[,;)\]}]{0,4})[ \t]*(?:(?:#|//|--)[^\n]{0,200})?(?:\r?\n|$|\\+[nr]|\\*[\"'`])")
_SPACED_SET = re.compile(r"[ \t]$")


class Value(NamedTuple):
    """A value and where it stands: `text[start:end]`; `quote` is its delimiter or ""."""

    start: int
    end: int
    quote: str
    formatted: bool


def read_value(text: str, at: int) -> Value | None:
    """Return the value that starts at `at`: quoted (also behind any number of backslashes) or bare; None for none."""
    opened = _OPEN.match(text, at)
    if opened is None:
        bare = _BARE.match(text, at, at + BARE_REACH)
        if bare is None:
            return None
        end = bare.end()
        cut = _BARE_CUT.search(text, at, end)
        if cut is not None and cut.start() > at:
            end = cut.start()
        return Value(at, end, "", False)
    slashes = len(opened.group(1) or opened.group(3) or "")
    quote = opened.group(2) or opened.group(4)
    start = opened.end()
    end = _closing(text, start, slashes, quote)
    return Value(start, end, "\\" * slashes + quote, "f" in opened.group(0)[:2].lower())


def _closing(text: str, start: int, slashes: int, quote: str) -> int:
    """Return where a quoted value ends. A quote closes when it stands behind as many backslashes as the opening one,
    or behind escaped backslashes and those; one behind fewer closes what is around. Without any: the end of the line."""
    limit = min(len(text), start + values.MAX_VALUE)
    unit = 2 * (slashes + 1)
    at = start
    line_end = text.find("\n", start, limit)
    soft = limit if line_end < 0 or len(quote) == 3 or line_end == start else line_end
    while True:
        found = text.find(quote, at, limit)
        if found < 0:
            return soft
        if found > soft and found > soft + 200:
            return soft
        before = found
        while before > start and text[before - 1] == "\\":
            before -= 1
        count = found - before
        if count % unit == slashes % unit:
            return found - slashes
        if count < slashes:
            return before
        at = found + len(quote)


_COMMON_TAILS = frozenset("s ize izer izers ized izing board words ring".split())
"""Ends of the commonest words that only begin like a secret's name."""

_ENDS = frozenset((*").,;[]/+%@", ""))
"""Characters after a name that no assignment goes on from; they come first because they settle half of all cases."""
_SETTING = frozenset({"set", "colon", "flag"})
_LONG = re.compile(r"[\s(@bfru*\\\"'`]{0,90}[^\s\"'`<>]{20}")
_CLOSED_CATEGORIES = frozenset({"key", "token"})

_name = lru_cache(maxsize=4096)(Name)


def find(text: str, start: int, end: int, category: Category) -> Span | None:
    """Return the secret that the keyword at `start:end` names, or None."""
    following = text[end : end + 1]
    if following in _ENDS or (
        category in _CLOSED_CATEGORIES and following.isalpha() and (following.islower() or text[end - 1].isupper())
    ):
        return None
    if following == "\n" and "alue" not in text[end : end + 60]:
        return None
    after = _AFTER.match(text, end)
    if after is None:
        return None
    tail = after["tail"]
    if tail in _COMMON_TAILS:
        return None
    head = _head(text, start, category)
    name = _name(category, head, text[start:end].lower() if category != "key" else text[start:end], tail)
    if name.promise is None:
        return None
    op = _op(text, start, after, name, head)
    if op is None:
        return None
    if category == "key" and name.promise == "weak" and (op not in _SETTING or not _LONG.match(text, after.end())):
        return None
    gap = _GAP.match(text, after.end())
    at = gap.end() if gap else after.end()
    next_line = False
    if op in ("set", "colon"):
        block = _BLOCK.match(text, at)
        if block is not None:
            return _block(text, block, category)
        moved = _NEXT_LINE.match(text, at)
        if moved is not None:
            at, next_line = moved.end(), True
    value = read_value(text, at)
    if value is None or value.end <= value.start:
        return None
    if next_line and not value.quote and (op == "set" or not _LINE_END.match(text, value.end)):
        return None
    return _judge(text, value, category, name, op, after, next_line)


def _head(text: str, start: int, category: Category) -> str:
    segment = text[max(0, start - HEAD_REACH) : start]
    head = segment[len(segment.rstrip(_NAME_CHARACTERS)) :]
    if head and len(head) < len(segment) and segment[-len(head) - 1] == "\\" and head[0] in "nrt":
        head = head[1:]
    if not head and category == "key" and segment.endswith(" "):
        words = segment[:-1]
        word = words[len(words.rstrip(_NAME_CHARACTERS)) :]
        head = word + "_" if word else ""
    return head


def _op(text: str, start: int, after: re.Match[str], name: Name, head: str) -> Op | None:
    if after["typed"] or after["pair"] or after["set"]:
        return "set"
    if after["same"]:
        return "same"
    if after["colon"]:
        return "colon"
    if after["call"]:
        return None if after["close"] or _READERS & set(parts(head)) else "call"
    if after["comma"]:
        return "comma" if after["close"] else None
    if after["markup"]:
        before = text[start - len(head) - 1 : start - len(head)]
        return "markup" if before in "<;" or text[max(0, start - len(head) - 4) : start - len(head)] == "&lt;" else None
    if after["cell"]:
        return "cell"
    if after["is"] or after["is2"]:
        return None if name.flag else "is"
    if name.flag and after["space"] and not after["close"]:
        return "flag"
    if after["space"] and text[after.end() : after.end() + 1] in ("'", "`"):
        return "sql"
    return "space" if not after["close"].strip("*") and _DIGIT_AHEAD.match(text, after.end()) else None


_DIGIT_AHEAD = re.compile(r"\\{0,7}[\"']?[^\s\d]{0,60}\d")
_READERS = frozenset("get fetch find read lookup load has check validate verify hash reset forgot delete remove is need needs use t tr i18n translate".split())
"""What makes `getPassword("x")` name a password where `setPassword("x")` holds one."""


def _block(text: str, block: re.Match[str], category: Category) -> Span | None:
    """A YAML block scalar: all lines that are indented as its first."""
    if category == "key":
        return None
    indent = block[1]
    at, stop = block.end(), min(len(text), block.end() + values.MAX_VALUE)
    end = at
    while at < stop:
        line_end = text.find("\n", at, stop)
        end = stop if line_end < 0 else line_end
        if line_end < 0 or not text.startswith(indent, line_end + 1):
            break
        at = line_end + 1 + len(indent)
    content = text[block.end() : end]
    if not content.strip() or values.is_reference(content) or values.is_prose(content):
        return None
    return (block.end(), end, category)


_KIND: dict[Category, str] = {"password": "password", "secret": "secret", "token": "token", "key": "api-key", "auth": "token"}
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey)[ ]+")


def _judge(
    text: str, value: Value, category: Category, name: Name, op: Op, after: re.Match[str], next_line: bool
) -> Span | None:
    start, end, quote, formatted = value
    v = text[start:end]
    if not quote:
        v = _trim(v)
        scheme = v.lower() in ("bearer", "basic", "token")
        if scheme:
            return None  # the header's own rule reads on
    else:
        scheme_match = _SCHEME.match(v)
        if scheme_match:
            start += scheme_match.end()
            v = v[scheme_match.end() :]
    end = start + len(v)
    if not quote and end == value.start + BARE_REACH:
        longer = _BARE.match(text, end, end + values.MAX_VALUE)
        end = longer.end() if longer else end
    stripped = v[:JUDGED].strip()
    if not stripped or values.is_reference(stripped) or values.is_empty_word(stripped):
        return None
    if formatted and "{" in v[:JUDGED]:
        return None
    if not stripped.strip("\\\"'`,;:.()[]{}|&=<>-_/*+#!?"):
        return None
    if category != "password" and values.is_machine(stripped):
        return None
    if category == "password" and (values._URL.match(stripped) or values._SSH_PUBLIC.match(stripped) or values._HASH_LABEL.match(stripped)):
        return None
    if name.promise == "weak" and op not in ("set", "colon", "flag"):
        return None
    spaced = bool(after["set"]) and text[after.start("set") - 1] in " \t"
    tests = {"password": _password, "secret": _secret, "token": _token, "key": _key, "auth": _token}
    if not tests[category](text, stripped, Context(quote, op, name, spaced, start, end, next_line, after["close"])):
        return None
    return (start, end, _KIND[category])


class Context(NamedTuple):
    quote: str
    op: Op
    name: Name
    spaced: bool
    """There is space before the `=`."""
    start: int
    end: int
    next_line: bool
    close: str


def _trim(v: str) -> str:
    """Return a bare value without the punctuation that ends its clause and brackets that it did not open."""
    v = v.rstrip(",;")
    for opening, closing in ("()", "[]", "{}"):
        while v.endswith(closing) and v.count(closing) > v.count(opening):
            v = v[:-1].rstrip(",;")
    return v.rstrip(".:") if len(v) > 1 else v


def _strong(v: str) -> bool:
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
    return bool(_LINE_END.match(text, c.end))


def _line_before(text: str, c: Context) -> str:
    begin = max(text.rfind("\n", max(0, c.start - 200), c.start) + 1, c.start - 200, 0)
    return text[begin : c.start]


_CODE_LINE = re.compile(
    r"(?:^|[\s({;])(?:let|const|var|val|final|def|func|fn|return|if|elif|else|while|for|await|async|public|private|self\.|this\.|new|String|auto|class|import|assert)\b|\w\("
)
_CODE_NEAR = re.compile(r"(?m)^[ \t]*(?:def |class |import |from \w+ import|return\b|func |fn |let |const |var |if .*[:{]$|#include|\}$|@\w+|public |private )|\);?$|\)\s*[:{]$")


def _codelike(text: str, c: Context) -> bool:
    return bool(_CODE_LINE.search(_line_before(text, c))) or bool(
        _CODE_NEAR.search(text, max(0, c.start - 300), min(len(text), c.end + 200))
    )


def _env_name(c: Context) -> bool:
    whole = c.name.head + c.name.tail
    return whole.upper() == whole


def _password(text: str, v: str, c: Context) -> bool:
    strong = _strong(v)
    if c.name.promise == "weak" and not (strong and not _slug(v) and (c.quote or not values.is_code(v))):
        return False
    if values.is_prose(v) and not (c.op == "flag" and c.quote):
        return False
    if values.mentions_secret(v) and not (strong and not values.is_identifier(v)) and not (strong and c.quote and any(x.isdigit() for x in v)):
        return False
    if c.op == "space":
        if not strong or len(v) < 5 or values.is_code(v) or v.startswith(("-", "(")) or values.is_machine(v):
            return False
        return bool(_USER_BEFORE.search(_line_before(text, c))) or (len(v) >= 8 and not _WORD_NUMBER.match(v) and _mixed_classes(v) and not values.is_hex(v))
    if c.op in ("is", "comma", "call", "same", "cell", "sql"):
        if c.op in ("comma", "call") and not c.name.flag and _slug(v):
            return False
        if c.op == "cell" and (c.quote == "" and not strong):
            return False
        if c.op == "comma" and c.name.flag:
            return not v.startswith("-")
        if c.op == "sql" and c.quote == "`":
            return strong
        if c.op == "sql":
            return strong or (_env_name(c) and not values.is_prose(v))
        return strong and not values.is_number(v) and not values.is_code(v) and not v.startswith(("-", "("))
    if c.op == "flag":
        if c.quote:
            return True
        return not v.startswith(("-", "|", "[", "(")) and not values.is_code(v) and not (v.isupper() and values.is_wordy(v)) and (
            strong or len(v) > 2
        ) and not _prose_follows(text, v, c)
    if c.quote:
        return strong or not _label(v)
    # Bare.
    if values.is_code(v) or (values.is_machine(v) and v[:1] in "/~.\\"):
        return False
    if c.op == "markup":
        if not text.startswith(("</", "&lt;/", "<\\/", "\n"), c.end):
            return False
        return strong or not _label(v)
    if strong:
        if values.is_identifier(v) and c.spaced and _codelike(text, c) and not _mixed(v):
            return False
        if c.op == "colon" and not _alone(text, c) and values.is_identifier(v) and not any(x.isdigit() for x in v):
            return False
        return c.op == "set" or not v.startswith(("(", "[", "{"))
    if values.is_number(v):
        return len(v) >= 4 and (c.op == "set" or _alone(text, c)) and v.isdigit()
    if not _alone(text, c):
        return c.op == "set" and _assigned_here(text, c, v)
    if c.op == "colon":
        if text[c.start - 1] not in " \t\n*":
            return False
        if c.close.strip("*") and not c.close.endswith(("\"", "'")):
            return False
        return not _codelike(text, c) and not v[:1].isupper() and not text[c.end : c.end + 1] in ",;"
    if values.is_identifier(v) and (c.spaced or not _env_name(c)) and _codelike(text, c):
        return False
    return True


_USER_BEFORE = re.compile(r"(?i)(?:user|login|username|account)[ \t:=]{1,3}\S{1,80}[ \t]+(?:and )?(?:\w{1,12} )?$|--?[\w-]{0,20}$")
_WORD_NUMBER = re.compile(r"[A-Za-z]+[-_]?\d{1,4}[a-z]?$|\d+[A-Za-z]+$")


def _mixed_classes(v: str) -> bool:
    """Return whether a value has three of lower case, upper case, digits, symbols."""
    kinds = (any(x.islower() for x in v), any(x.isupper() for x in v), any(x.isdigit() for x in v), any(not x.isalnum() and x not in "-_./" for x in v))
    return sum(kinds) >= 3


def _assigned_here(text: str, c: Context, v: str) -> bool:
    """`PASSWORD=letmein command`, `password=letmein&x=y`, `Pwd=letmein;Db=x`: a word as a value within a line."""
    following = text[c.end : c.end + 1]
    if c.spaced or following in ",)":
        return False
    if following in "&;":
        return True
    return _env_name(c) and bool(c.name.head or following in " \t") and not _CODE_LINE.search(_line_before(text, c))


def _mixed(v: str) -> bool:
    """Return whether a bare identifier is too irregular for a variable's name."""
    return any(x.isdigit() for x in v) and (values.is_random(v, 8) or not v.rstrip("0123456789").isalpha())


def _prose_follows(text: str, v: str, c: Context) -> bool:
    return values.is_prose(v)


_LABEL = re.compile(r"[A-Z][a-z]+(?: [a-z]+)*[.:!?*]?$")


def _label(v: str) -> bool:
    """Return whether a wordy quoted value is a caption or the name of something, not a password of words."""
    if values.mentions_secret(v):
        return True
    if " " in v:
        return values.is_prose(v)
    return bool(re.match(r"[a-z]+(?:\.[a-z_A-Z]+)+$", v)) or v.startswith(("-", "/"))


def _secret(text: str, v: str, c: Context) -> bool:
    if c.op in ("is", "comma", "call", "same", "cell", "sql", "space"):
        return _token(text, v, c)
    if values.is_number(v) or values.is_prose(v):
        return False
    if c.name.promise == "weak":
        return values.is_random(v)
    if " " in v:
        words = v.split()
        return bool(c.quote) and c.op != "markup" and not values.mentions_secret(v) and (len(words) in (2, 12, 15, 18, 24) or _strong(v)) and not v[:1].isupper()
    if c.op == "flag":
        return (bool(c.quote) or not values.is_code(v)) and _strong(v) and len(v) >= 4
    if not c.quote and values.is_code(v):
        return False
    strong = _strong(v)
    if values.mentions_secret(v) and not (strong and not values.is_wordy(v) and any(x.isdigit() for x in v)):
        return False
    if strong:
        if c.quote or not values.is_identifier(v) or values.is_random(v, 8):
            return len(v) >= 4 and not _slug(v)
        return (not c.spaced or not _codelike(text, c)) and any(x.isdigit() for x in v) and len(v) >= 6
    if c.quote:
        return values.is_wordy(v) and not re.search(r"[-_./:]", v) and len(v) >= 4 and c.op == "set"
    return _env_name(c) and bool(c.name.head) and c.op == "set" and not c.spaced and _alone(text, c) and not re.search(r"[-_./:]", v)


_SLUG = re.compile(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]{1,12}){1,8}$")


def _slug(v: str) -> bool:
    """Return whether a value is a name like my-app-2 or api-v1-prod: words with short numbers."""
    if not _SLUG.match(v):
        return False
    pieces = re.split(r"[-_.]", v)
    return all(p.isalpha() and values.is_wordy(p) or (p.isdigit() and len(p) <= 4) or re.match(r"[a-z]{1,12}\d{1,2}$", p) for p in pieces)


def _token(text: str, v: str, c: Context) -> bool:
    if " " in v or values.is_number(v) or values.is_prose(v) or _slug(v):
        return False
    if not c.quote and values.is_code(v):
        return False
    weak = c.name.promise == "weak" or c.op in ("is", "cell", "sql", "comma", "call", "same", "space")
    if values.is_uuid(v):
        return not weak and c.op in ("set", "flag", "colon") and bool(c.quote or _env_name(c) or c.op == "flag")
    if values.is_hex(v):
        return len(v) >= (32 if weak else 16) and (not v.isdigit())
    if weak:
        return values.is_random(v, 16)
    if values.mentions_secret(v) and not values.is_random(v):
        return False
    if c.op == "flag":
        return _strong(v) and len(v) >= 6 and not v.startswith(("-", "[", "("))
    if values.is_random(v, 12):
        return True
    if not _strong(v) or len(v) < 6 or not any(x.isdigit() for x in v):
        return False
    if not c.quote and (c.op == "colon" and not _alone(text, c)):
        return False
    if not c.quote and values.is_identifier(v) and (c.spaced or _codelike(text, c)):
        return False
    return not re.search(r"[()\[\]{}<>|;,*\\]", v)


def _key(text: str, v: str, c: Context) -> bool:
    if c.name.promise == "weak":
        if " " in v or values.is_code(v) or "key" in v.lower() or values.is_uuid(v) or values.is_hex(v) or not values.is_random(v, 20):
            return False
        return _dense(v) and (bool(c.quote) or c.op == "set" or (c.op in ("colon", "flag") and len(v) >= 24)) and not _slug(v) and c.op in ("set", "colon", "flag")
    return _token(text, v, c) and not (values.is_identifier(v) and "key" in v.lower())


def _dense(v: str) -> bool:
    """Return whether a value has all three of upper case, lower case and digits, or is base64 with padding."""
    return any(x.isdigit() for x in v) and any(x.islower() for x in v) and any(x.isupper() for x in v) and v.count("/") < 3 and v.count(".") < 3
