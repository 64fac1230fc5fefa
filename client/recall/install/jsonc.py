"""JSON with comments, parsed with the place of every part, so that a file can be changed without being written anew.

Comments and trailing commas are read wherever they stand; whether an agent allows them in its file is its own business.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from recall.errors import Refused

MAX_DEPTH = 100

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_WORDS = {"true": True, "false": False, "null": None}


class SyntaxFault(Refused):
    """A file is not what it should be; the message says where."""

    def __init__(self, text: str, at: int, message: str) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"line {line}, column {column}: {message}")


@dataclass(slots=True)
class Node:
    """A value and its place: `text[start:end]`."""

    start: int
    end: int
    value: Any
    """What it says, as `json` would have it."""
    children: list[Child] | None = None
    """Members of an object, items of a list; None for anything else."""


@dataclass(slots=True)
class Child:
    """A member of an object or an item of a list. It begins where its key begins."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = field(default=None)
    """Where the comma behind it stands, if there is one."""

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """Return the value that `text` holds; raise SyntaxFault where it holds none, or more than one."""
    parser = _Parser(text)
    at = parser.skip(0)
    node = parser.value(at, 0)
    rest = parser.skip(node.end)
    if rest != len(text):
        raise SyntaxFault(text, rest, "something stands behind the end of the JSON value")
    return node


def skip(text: str, at: int) -> int:
    """Return the place after white space and comments."""
    return _Parser(text).skip(at)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        text = self._text
        while True:
            match = _SPACE.match(text, at)
            assert match is not None  # it matches nothing, too
            at = match.end()
            if text.startswith("//", at):
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise SyntaxFault(text, at, "a comment is not closed")
                at = end + 2
            else:
                return at

    def value(self, at: int, depth: int) -> Node:
        text = self._text
        if depth > MAX_DEPTH:
            raise SyntaxFault(text, at, f"more than {MAX_DEPTH} levels deep")
        first = text[at : at + 1]
        if first == "{":
            return self._container(at, depth, "}")
        if first == "[":
            return self._container(at, depth, "]")
        if first == '"':
            return self._string(at)
        number = _NUMBER.match(text, at)
        if number is not None:
            return Node(at, number.end(), json.loads(number[0]))
        for word, value in _WORDS.items():
            if text.startswith(word, at):
                return Node(at, at + len(word), value)
        raise SyntaxFault(text, at, "a value is missing" if at < len(text) else "the file ends too early")

    def _string(self, at: int) -> Node:
        match = _STRING.match(self._text, at)
        if match is None:
            raise SyntaxFault(self._text, at, "a text is not closed, or holds what JSON does not allow")
        return Node(at, match.end(), json.loads(match[0]))

    def _container(self, start: int, depth: int, closing: str) -> Node:
        text = self._text
        children: list[Child] = []
        at = self.skip(start + 1)
        while not text.startswith(closing, at):
            if children and children[-1].comma is None:
                raise SyntaxFault(text, at, f"a comma or {closing} is missing")
            child = self._child(at, depth, keyed=closing == "}")
            at = self.skip(child.end)
            if text.startswith(",", at):
                child.comma = at
                at = self.skip(at + 1)
            children.append(child)
        value: Any
        if closing == "}":
            value = {child.key: child.node.value for child in children}  # the last of a name counts, as everywhere
        else:
            value = [child.node.value for child in children]
        return Node(start, at + 1, value, children)

    def _child(self, at: int, depth: int, *, keyed: bool) -> Child:
        if not keyed:
            return Child(at, self.value(at, depth + 1))
        text = self._text
        if not text.startswith('"', at):
            raise SyntaxFault(text, at, "a key is missing" if at < len(text) else "the file ends too early")
        key = self._string(at)
        colon = self.skip(key.end)
        if not text.startswith(":", colon):
            raise SyntaxFault(text, colon, "a colon is missing")
        return Child(at, self.value(self.skip(colon + 1), depth + 1), key.value)
