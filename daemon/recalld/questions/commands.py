"""Command lines: taking them apart, and telling which are the same but for their values."""

from __future__ import annotations

import posixpath
import re

_LONGEST = 4000
"""Characters of a command that are taken apart; what is longer is a script."""
# Separators outside quotes: a quoted string, an escaped character, or one of ; & | newline.
_PIECE = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|(&&|\|\||[;|\n&])|[^'\"\\;|&\n]+|.", re.DOTALL)
_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_BEFORE = frozenset(
    {"sudo", "env", "time", "nohup", "exec", "command", "nice", "xargs", "then", "do", "else", "!", "("}
)
_VALUE = re.compile(r"[\"'$`/~]|\d|\.\w+$|=|@|:")
_REDIRECT = re.compile(r"\d?>&?\d?|<")


def invocations(command: str) -> list[str]:
    """Return the single calls that a command line is made of, in order."""
    found: list[str] = []
    piece = ""
    for m in _PIECE.finditer(command[:_LONGEST]):
        if m[1]:
            if m[1] == "&" and piece.endswith(">"):
                piece += m[0]
                continue
            found.append(piece)
            piece = ""
        else:
            piece += m[0]
    found.append(piece)
    return [" ".join(p.split()) for p in found if p.strip()]


def words_of(invocation: str) -> list[str]:
    """Return the words of a call, its program first: assignments, `sudo` and the like before it are left out."""
    words = _WORD.findall(invocation)
    at = 0
    while at < len(words) and (_ASSIGNMENT.match(words[at]) or words[at] in _BEFORE):
        at += 1
    return words[at:]


def calls(invocation: str, tool: list[str]) -> bool:
    """Tell whether a call runs `tool`: a program by its name or path, and where given the words behind it."""
    words = words_of(invocation)
    if not words or not tool:
        return False
    program = words[0].strip("\"'")
    if program.lower() != tool[0] and posixpath.basename(program).lower() != tool[0]:
        return False
    rest = [w.lower() for w in words[1:]]
    at = 0
    for word in tool[1:]:
        if word not in rest[at:]:
            return False
        at = rest.index(word, at) + 1
    return True


def shape(invocation: str) -> str:
    """Return a call with its values left out: equal shapes are the same use."""
    out: list[str] = []
    for n, word in enumerate(words_of(invocation)):
        if n == 0:
            out.append(posixpath.basename(word.strip("\"'")))
        elif _REDIRECT.match(word):
            break
        elif word.startswith("-"):
            name, equals, _ = word.partition("=")
            out.append(name + ("=<>" if equals else ""))
        elif _VALUE.search(word):
            if out[-1] != "<>":
                out.append("<>")
        else:
            out.append(word)
    return " ".join(out)
