"""Errors with what differs from one time to the next taken out: numbers, paths, ids, addresses."""

from __future__ import annotations

import re

from recalld.shell_report import is_printed, without_label

_LONGEST_LINE = 600
_MOST_LINES = 4000
_SCAN = 64 * 1024
"""Characters of an output, its beginning and its end, in which an error is looked for."""
_SIGNS = re.compile(
    r"error|exception|failed|failure|fatal|panic|cannot|can't|could not|unable|not found|denied|refused|no such"
    r"|undefined|unexpected|invalid|traceback|unsupported|killed|crash|segfault|segmentation fault|core dumped|timed out"
    r"|fehler|fehlgeschlagen|ungültig|nicht gefunden|konnte nicht|erreur|échec|échoué|introuvable|impossible|excepción|falló"
    r"|no se pudo|no se puede|ошибк|не удалось|невозможно|исключени|не найден"
    r"|错误|失败|异常|错|錯|失敗|異常|無法|无法|エラー|例外|できません|오류|실패|예외",
    re.IGNORECASE,
)
# One pass, the longest forms first; each kind has its own mark, so that a path does not equal a number.
_VARYING = re.compile(
    r"(?P<ansi>\x1b\[[0-9;]*[A-Za-z])"
    r"|(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d(?:[.,]\d+)?)"
    r"|(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
    r"|(?P<address>0x[0-9a-fA-F]+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?)"
    r"|(?P<url>[a-z]+://[^\s'\"<>)]+)"
    r"|(?P<path>(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}(?::\d+)*|(?:[\w.@+-]+/)+[\w.@+-]+(?::\d+)*|/[\w.@+-]+)"
    r"|(?P<file>\b[\w-]+\.[A-Za-z]{1,4}:\d+(?::\d+)?)"
    r"|(?P<hash>\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b)"
    r"|(?P<number>(?<!\w)\d+(?:\.\d+)*(?:ms|s|kb|mb|gb|%)?(?![A-Za-z_]))"
)
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d]\w*|<\w+>")


def normalised(line: str) -> str:
    """Return a line of an error without what varies, in lower case."""
    line = _VARYING.sub(lambda m: "" if m.lastgroup == "ansi" else f" <{m.lastgroup}> ", line[:_LONGEST_LINE])
    return _SPACE.sub(" ", line).strip().lower()


def words_of(normal: str) -> frozenset[str]:
    """Return the words of a normalised line, the marks left out."""
    return frozenset(w for w in _WORD.findall(normal) if not w.startswith("<"))


def telling_lines(text: str) -> list[str]:
    """Return the lines of an output or a pasted error that say what is wrong; all of them where none looks like it."""
    lines = [line.strip() for line in text.splitlines()[:_MOST_LINES] if line.strip()]
    lines = [without_label(line) for line in lines if is_printed(line)]
    return [line for line in lines if names_failure(line)] or lines


def names_failure(line: str) -> bool:
    """Tell whether a line speaks of something that went wrong."""
    return _SIGNS.search(line) is not None


def ends(text: str) -> str:
    """Return what of an output is looked through: all of it, or its beginning and its end."""
    return text if len(text) <= _SCAN else text[: _SCAN // 2] + "\n" + text[-_SCAN // 2 :]


def likeness(a: str, b: str) -> float:
    """Return how alike two normalised lines are: 1 for the same words, 0 for none in common."""
    if a == b:
        return 1.0
    first, second = words_of(a), words_of(b)
    if not first or not second:
        return 0.0
    common = len(first & second)
    # What was asked may be a part of a line, so a line that holds all of it is nearly the same.
    return max(common / len(first | second), 0.9 * common / len(first) if len(first) > 2 else 0.0)
