"""Minimal edits of a JSON text: put a member or an item in, change one, take one out. Nothing else moves.

Each edit is checked: the text that comes out, parsed again, says what it should and nothing else. New text takes over
the file's indentation and line ends.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

from recall.errors import Refused
from recall.install.jsonc import Node, SyntaxFault, parse, skip

Path = tuple[str | int, ...]
"""Keys and indexes from the root."""

_INDENT = re.compile(r"[ \t]*")
DEFAULT_INDENT = "  "


def get(text: str, path: Path) -> Any:
    """Return the value at `path`; raise KeyError where there is none."""
    return _at(parse(text), path).value


def has(text: str, path: Path) -> bool:
    """Tell whether there is a value at `path`."""
    try:
        _at(parse(text), path)
    except KeyError:
        return False
    return True


def put(text: str, path: Path, value: Any) -> str:
    """Return `text` with the object member at `path` set to `value`; objects on the way are made where there are none.

    Raise Refused where something else is in the way.
    """
    root = parse(text)
    expected = deepcopy(root.value)
    _put_value(expected, path, value, text, root)
    for length in range(len(path)):
        try:
            _at(root, path[: length + 1])
        except KeyError:
            parent = _at(root, path[:length])
            for key in reversed(path[length + 1 :]):
                value = {key: value}
            return _checked(_insert(text, root, parent, str(path[length]), value), expected)
    node = _at(root, path)
    new = _rendered(text, root, value, _indent_of_line(text, node.start))
    return _checked(text[: node.start] + new + text[node.end :], expected)


def append(text: str, path: Path, value: Any) -> str:
    """Return `text` with `value` as the last item of the list at `path`, which is made where it is missing."""
    if not has(text, path):
        return put(text, path, [value])
    root = parse(text)
    node = _at(root, path)
    if not isinstance(node.value, list):
        raise SyntaxFault(text, node.start, f"{_name(path)} is not a list")
    expected = deepcopy(root.value)
    _value_at(expected, path).append(value)
    return _checked(_insert(text, root, node, None, value), expected)


def remove(text: str, path: Path) -> str:
    """Return `text` without the member or item at `path`, and without its comma and its line."""
    root = parse(text)
    parent = _at(root, path[:-1])
    expected = deepcopy(root.value)
    del _value_at(expected, path[:-1])[path[-1]]
    children = parent.children or []
    for number in reversed([n for n, child in enumerate(children) if child.key == path[-1] or n == path[-1]]):
        text = _cut(text, parent, number)  # a key may stand there twice
        root = parse(text)
        parent = _at(root, path[:-1])
    return _checked(text, expected)


# -- places ----------------------------------------------------------------------------------------


def _at(node: Node, path: Path) -> Node:
    for part in path:
        found = None
        for number, child in enumerate(node.children or []):
            if child.key == part if isinstance(part, str) else (child.key is None and number == part):
                found = child.node
        if found is None:
            raise KeyError(_name(path))
        node = found
    return node


def _value_at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _put_value(value: Any, path: Path, new: Any, text: str, root: Node) -> None:
    for number, part in enumerate(path):
        if not isinstance(value, dict):
            place = _at(root, path[:number]).start
            raise SyntaxFault(text, place, f"{_name(path[:number])} is not an object")
        if number == len(path) - 1:
            value[part] = new
        else:
            value = value.setdefault(part, {})


def _name(path: Path) -> str:
    return ".".join(str(part) for part in path) or "the file"


# -- text ------------------------------------------------------------------------------------------


def _checked(text: str, expected: Any) -> str:
    """Return `text`; raise Refused where it does not say what is expected: the file is then left alone."""
    if parse(text).value != expected:
        raise Refused("the file is written in a way that cannot be changed safely")
    return text


def line_end(text: str) -> str:
    """Return the line end of a text: that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _indent_of_line(text: str, at: int) -> str:
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return match[0] if match is not None else ""


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _unit(text: str, root: Node) -> str:
    """Return one level of indentation, as the first member of the root shows it."""
    for child in root.children or []:
        if _begins_line(text, child.start) and "\n" in text[root.start : child.start]:
            own, outer = _indent_of_line(text, child.start), _indent_of_line(text, root.start)
            if own.startswith(outer) and own != outer:
                return own[len(outer) :]
    return DEFAULT_INDENT


def _on_one_line(text: str, root: Node, node: Node) -> bool:
    """Tell whether `node` is written on one line, as its new child is then to be."""
    shown = node if node.children else root
    return bool(shown.children) and "\n" not in text[shown.start : shown.end]


def _rendered(text: str, root: Node, value: Any, indent: str) -> str:
    if root.children and "\n" not in text[root.start : root.end]:
        return json.dumps(value, ensure_ascii=False)
    unit = _unit(text, root)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", line_end(text) + indent)


def _insert(text: str, root: Node, parent: Node, key: str | None, value: Any) -> str:
    """Return `text` with a last child in `parent`."""
    children = parent.children or []
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if _on_one_line(text, root, parent):
        new = name + json.dumps(value, ensure_ascii=False)
        if not children:
            inner = skip(text, parent.start + 1)
            return text[:inner] + new + text[inner:]
        last = children[-1]
        at = last.end if last.comma is None else last.comma + 1
        return text[:at] + (", " if last.comma is None else " ") + new + text[at:]
    end = line_end(text)
    outer = _indent_of_line(text, parent.start)
    starts = [child.start for child in children if _begins_line(text, child.start)]
    indent = _indent_of_line(text, starts[-1]) if starts else outer + _unit(text, root)
    new = end + indent + name + _rendered(text, root, value, indent)
    if not children:
        return _insert_first(text, parent, new, end + outer)
    last = children[-1]
    at = _after_comment(text, last.end if last.comma is None else last.comma + 1)
    closing = "" if "\n" in text[at : parent.end - 1] else end + outer
    if last.comma is None:
        return text[: last.end] + "," + text[last.end : at] + new + closing + text[at:]
    return text[:at] + new + closing + text[at:]


def _insert_first(text: str, parent: Node, new: str, closing: str) -> str:
    inside = text[parent.start + 1 : parent.end - 1]
    kept = inside.rstrip()  # comments stay
    return text[: parent.start + 1] + kept + new + closing + text[parent.end - 1 :]


def _after_comment(text: str, at: int) -> int:
    """Return the place behind comments that stand on the same line as what ends at `at`."""
    while True:
        match = _INDENT.match(text, at)
        begin = match.end() if match is not None else at
        if text.startswith("//", begin):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            return end - 1 if text[end - 1] == "\r" else end
        if not text.startswith("/*", begin):
            return at
        end = text.find("*/", begin) + 2
        if "\n" in text[begin:end]:
            return at
        at = end


def _cut(text: str, parent: Node, number: int) -> str:
    """Return `text` without a child of `parent`, and without the comma that it no longer needs."""
    children = parent.children or []
    child = children[number]
    end = child.end if child.comma is None else child.comma + 1
    stop = text.find("\n", end)
    if not text[end : stop if stop >= 0 else len(text)].strip():
        start = _before_line(text, child.start)  # its line goes with it
    else:
        start = child.start
        if child.comma is None:
            while text[start - 1] in " \t":
                start -= 1
        else:
            while text[end] in " \t":
                end += 1
    text = text[:start] + text[end:]
    if child.comma is None and number > 0:
        comma = children[number - 1].comma
        assert comma is not None  # there was a child behind it
        text = text[:comma] + text[comma + 1 :]
    return _closed_up(text, parent.start) if len(children) == 1 else text


def _before_line(text: str, at: int) -> int:
    """Return the place before the white space that leads to `at`, its line end included where it begins a line."""
    while text[at - 1] in " \t":
        at -= 1
    if text[at - 1] == "\n":
        at -= 2 if text[at - 2] == "\r" else 1
    return at


def _closed_up(text: str, start: int) -> str:
    """Return `text` with the container that begins at `start` closed up, where nothing but white space is in it."""
    inner = start + 1
    while text[inner] in " \t\r\n":
        inner += 1
    return text[: start + 1] + text[inner:] if text[inner] in "]}" else text
