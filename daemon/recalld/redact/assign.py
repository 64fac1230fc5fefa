"""Settings by name: `password = "…"`, `--token …`, `"api_key": "…"`, `<password>…</password>`, `密码：…`.

The scan hands over the place of a keyword. From there: the rest of the name, what closes it (quotes, brackets), an
operator, a value; then the judgement (`judge.py`). All looks are bounded, whatever the text.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from functools import lru_cache

from recalld.redact import values
from recalld.redact.judge import KIND_OF, LINE_END, Op, Span, Value, judge
from recalld.redact.names import Category, Name, parts
from recalld.redact.values import words

HEAD_REACH = 64
"""Characters before a keyword that may belong to its name."""
BARE_REACH = 256
"""Characters of a value without quotes that are judged. A longer one is no password; where it is a secret, its
rest goes with it."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"


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
        [ \t]{{0,40}}(?P<colon>:(?![:/]/?)|：|＝) |
        (?P<comma>[ \t]{{0,4}},[ \t]{{0,8}}(?:\\?\r?\n[ \t]{{0,40}}|\\{{1,7}}n[ ]{{0,40}})?)(?={_QUOTE}) |
        (?P<markup>(?:&gt;|>)) |
        [ ](?P<is>is|was|ist|lautet|war|es|era|est|était|är|is[ ]now|set[ ]to|to|of)(?:[ ]?:)?[ ] |
        (?P<call>\((?={_QUOTE})) |
        (?P<is2>(?:는|은|이|가)[ ]|[ ]?(?:是|为|為|は|が)[ ]?) |
        [ \t]{{1,40}}(?P<cell>\|)(?=[ ]) |
        [ \t]{{1,20}}(?P<column>[A-Za-z]{{3,20}}(?:[ ]?\(\d{{1,5}}\))?(?:[ ](?:NOT[ ]NULL|not[ ]null|NULL|null))?[ ](?:DEFAULT|default))[ ](?=E?') |
        (?P<space>[ \t]{{1,8}}(?:\\\r?\n[ \t]{{0,40}})?|\\\r?\n[ \t]{{1,40}})
    )"""
)
_CLOSED = re.compile(r"\\{0,63}[\"'`]?")
_GAP = re.compile(r"[ \t]{0,80}(?:\*{1,2}[ ]?)?")
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*\n([ \t]{1,40})")
_NEXT_LINE = re.compile(r"(?:\([ \t]*)?\r?\n[ \t]{0,80}")
_OPEN = re.compile(r"@?[fFbBrRuU]{0,2}(\\{0,63})(\"\"\"|'''|[\"'`])|\$(\\{0,31})(')")
_BARE = re.compile(r"(?:\\[^nrt\"'`\s\\u]|\\\\(?![nrt\"'`])|[^\s\"'`<>\\])+")
_BARE_CUT = re.compile(r"(?:[&;,][ ]?[A-Za-z_][\w.-]{0,40}=)|&(?:amp|lt|gt|quot|#\d+);|;$|[,;][ ]?$|&&|\|\||;;")


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
    or behind escaped backslashes and those; one behind fewer closes what is around. Without any: the line's end."""
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


_WORD_ENDS = frozenset({"pass", "pw", "psk", "mdp", "pin"})
"""Short names that other words end with: `bypass`, `minipass`, `GIT_ASKPASS`."""
_COMMON_TAILS = words(
    """
    s ize izer izers ized izing board words ring
    """
)
"""Ends of the commonest words that only begin like a secret's name."""

_ENDS = frozenset((*").,;[]/+%@", ""))
"""Characters after a name that no assignment goes on from; they come first because they settle half of all cases."""
_LONG_CATEGORIES = frozenset({"key", "token"})
_TOO_SHORT = re.compile(r"[=:][ \t]{0,8}[^\s\"'`\\*|>(]{1,5}(?:\s|$)")
"""After `key` and `token` no value below six characters counts."""
_SETTING = frozenset({"set", "colon", "flag"})
_LONG_OPS = _SETTING | {"space", "is"}
_LONG = re.compile(r"[\s(@bfru*\\\"'`]{0,90}[^\s\"'`<>]{20}")
_CLOSED_CATEGORIES = frozenset({"key", "token", "secret"})

_name = lru_cache(maxsize=4096)(Name)


def find(text: str, start: int, end: int, category: Category, since: int = -1) -> Span | None:
    """Return the secret that the keyword at `start:end` names, or None. `since` is the end of the last one found, whose
    quotes are not this one's."""
    following = text[end : end + 1]
    if following in _ENDS or (
        category in _CLOSED_CATEGORIES and following.isalpha() and (following.islower() or text[end - 1].isupper())
    ):
        return None
    if following == "\n" and "alue" not in text[end : end + 60]:
        return None
    if category in _LONG_CATEGORIES and following in ("=", ":") and _TOO_SHORT.match(text, end):
        return None
    after = _AFTER.match(text, end)
    if after is None:
        return None
    tail = after["tail"]
    if tail in _COMMON_TAILS:
        return None
    head = _head(text, start, category)
    if (
        head[-1:].isalpha()
        and end - start <= 4
        and text[start].isalpha()
        and head[-1].islower() == text[start].islower()
    ) and text[start:end].lower() in _WORD_ENDS:
        return None
    name = _name(category, head, text[start:end].lower() if category != "key" else text[start:end], tail)
    if name.promise is None:
        return None
    op = _op(text, start, after, name, head)
    if op is None or (not head and op != "set" and text.startswith("PASS", start) and end - start == 4):
        return None
    if category == "key" and name.promise == "weak" and (op not in _LONG_OPS or not _LONG.match(text, after.end())):
        return None
    if category != "password" and op not in _SETTING and not _DIGIT_AHEAD.match(text, after.end()):
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
    if value.quote and not after["close"] and after["colon"]:
        behind = _CLOSED.match(text, since).end() if since >= 0 else 0  # type: ignore[union-attr]  # it matches nothing, too
        line = text[max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, behind) : start]
        if line.count(value.quote[-1]) % 2 == 1 and not after["tail"]:  # 'New password: ' ends here
            return None
    if next_line and not value.quote and (text[at] == "@" or op == "set" or not LINE_END.match(text, value.end)):
        return None
    spaced = bool(after["typed"]) or (bool(after["set"]) and text[after.start("set") - 1] in " \t")
    found = judge(text, value, category, name, op, spaced, after["close"], text[start:end].isupper())
    if found is not None and not value.quote and found[1] == value.start + BARE_REACH:
        longer = _BARE.match(text, found[1], found[1] + values.MAX_VALUE)
        return (found[0], longer.end() if longer else found[1], found[2])
    return found


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
        short = text[start : after.start("tail")].lower().lstrip("_.-") in _WORD_ENDS
        return None if after["close"] or short or _READERS & set(parts(head)) else "call"
    if after["comma"]:  # the name is all there is in its quotes
        return (
            "comma" if after["close"] and text[start - len(head) - 1 : start - len(head)] in ("'", '"', "`") else None
        )
    if after["markup"]:
        before = text[start - len(head) - 1 : start - len(head)]
        return "markup" if before in "<;" or text[max(0, start - len(head) - 4) : start - len(head)] == "&lt;" else None
    if after["column"]:
        return "sql"
    if after["cell"]:
        return "cell" if "|" in text[max(0, start - 200) : start] else None
    if after["is"] or after["is2"]:
        return None if name.flag else "is"
    if name.flag and after["space"] and not after["close"]:
        return "flag"
    if after["space"] and text[after.end() : after.end() + 1] in ("'", "`"):
        return "sql"
    return "space" if not after["close"].strip("*") and _DIGIT_AHEAD.match(text, after.end()) else None


_DIGIT_AHEAD = re.compile(r"\\{0,7}[\"']?[^\s\d]{0,60}\d")
_READERS = words(
    """
    split assert parse sanitize strip mask redact encrypt decrypt encode decode quote escape
    get fetch find read lookup load has check validate verify hash reset forgot delete remove is need needs use t
    tr i18n translate
    """
)
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
    return (block.end(), end, KIND_OF[category])
