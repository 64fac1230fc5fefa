"""What stands around a value: is it code, the end of a line, or a sentence that goes on?"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re

from recalld.redact import values

LINE_END = re.compile(r"[ \t]*(?:[,;)\]}]{0,4})[ \t]*(?:(?:#|//|--)[^\n]{0,200})?(?:\r?\n|$|\\+[nr]|\\*[\"'`])")
CODE_LINE = re.compile(
    r"(?:^|[\s({;])(?:let|const|var|val|final|def|func|fn|return|if|elif|else|while|for|await|async|public|private|self\.|this\.|new|String|auto|class|import|assert)\b|\w\("
)
CODE_NEAR = re.compile(
    r"(?m)^[ \t]*(?:def |class |import |from \w+ import|return\b|func |fn |let |const |var |if .*[:{]$|#include|\}$|@\w+|public |private )|\);?$|\)\s*[:{]$"
)


def spoken_words(text: str, v: str, op: str, start: int, end: int) -> bool:
    """Return whether words with points are a password here and no member of an object: a capital and no code around, or
    alone on a line that is no code."""
    if op not in ("set", "colon", "is", "flag", "space", "markup") or (op == "space" and not v[0].isupper()):
        return False
    if op == "markup":
        return text[end : end + 2] == "</"
    if not (v[0].isupper() or LINE_END.match(text, end)) or text[end : end + 1] in ("(", "[", ")", ";"):
        return False
    begin = max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0)
    if text[end : end + 1] == "," and (text[end + 1 : end + 2] != " " or (op == "set" and text[start - 1] in " \t")):
        return False  # a member of a literal
    if op != "is" and CODE_LINE.search(text[begin:start]):  # "the new password for ada is …" holds words of code
        return False
    return not CODE_NEAR.search(text, max(0, start - 300), min(len(text), end + 200))


def prose_follows(text: str, v: str, end: int) -> bool:
    """Return whether `--password X` is spoken of: `--password via the CLI`, `--password requires an argument`."""
    if values.is_prose(v):
        return True
    if not (v.isascii() and v.isalpha() and v.islower()):
        return False
    following = _FOLLOWING.match(text, end)
    return v in _SPOKEN_OF or (following is not None and values.is_prose(following[1]))


_FOLLOWING = re.compile(r"[ ]([a-z]{1,12})(?![\w./=:@-])")
_SPOKEN_OF = values.words(
    """
    via twice requires takes reads prompts specifies conflicts defaults overrides implies accepts expects means sets
    together alone interactively during over through because while unless instead again once
    """
)
"""Words that go on about an option rather than being its value."""
