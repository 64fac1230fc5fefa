"""Minimal edits of a TOML file: one table put in at its end, or taken out, every other byte as it was.

The table is added as text. Where the file is written so that this does not work (an inline table holds its neighbours),
tomlkit does it, which keeps comments and order. Either way the result is parsed again and must say what it should.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from recall.errors import Refused
from recall.install.edit import line_end

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str) -> dict[str, Any]:
    """Return what `text` says; raise Refused, with the place, where it is not TOML."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"not TOML: {error}") from error


def put_table(text: str, path: tuple[str, ...], values: dict[str, Any]) -> str:
    """Return `text` with the table at `path` holding `values` and nothing else."""
    expected = parse(text)
    _set(expected, path, values)
    if _get(parse(text), path) is not None:
        text = remove_table(text, path)
    added = _with_block(text, path, values)
    if _says(added, expected):
        return added
    return _checked(_by_tomlkit(text, path, values), expected)


def remove_table(text: str, path: tuple[str, ...]) -> str:
    """Return `text` without the table at `path`."""
    expected = parse(text)
    _set(expected, path, None)
    for cut in _without_block(text, path):
        if _says(cut, expected):
            return cut
    return _checked(_by_tomlkit(text, path, None), expected)


def _get(document: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = document
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _set(document: dict[str, Any], path: tuple[str, ...], values: dict[str, Any] | None) -> None:
    for key in path[:-1]:
        within = document.setdefault(key, {})
        if not isinstance(within, dict):
            raise Refused(f"{key} is not a table")
        document = within
    if values is None:
        document.pop(path[-1], None)
    else:
        document[path[-1]] = deepcopy(values)


def _pruned(value: Any) -> Any:
    """Without empty tables: the one around ours may be said or not."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := _pruned(item)) != {}}
    return value


def _says(text: str, expected: dict[str, Any]) -> bool:
    try:
        return bool(_pruned(parse(text)) == _pruned(expected))
    except Refused:
        return False


def _checked(text: str, expected: dict[str, Any]) -> str:
    if not _says(text, expected):
        raise Refused("the file is written in a way that cannot be changed safely")
    return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Return a text as TOML: basic, on one line."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    return str(value)


def _with_block(text: str, path: tuple[str, ...], values: dict[str, Any]) -> str:
    end = line_end(text)
    lines = [f"[{'.'.join(_key(part) for part in path)}]", *(f"{_key(k)} = {_value(v)}" for k, v in values.items())]
    before = "" if not text else (end if text.endswith("\n") else end * 2)
    return text + before + end.join(lines) + end


def _without_block(text: str, path: tuple[str, ...]) -> Iterator[str]:
    """Yield `text` cut from our header to the next empty line or header, with the empty line that we put before it.

    Once for each line that looks like our header, the last first: one of them may stand within a text.
    """
    header = f"[{'.'.join(_key(part) for part in path)}]"
    lines = text.splitlines(keepends=True)
    for first in reversed([n for n, line in enumerate(lines) if line.strip() == header]):
        last = first + 1
        while last < len(lines) and lines[last].strip() and not lines[last].lstrip().startswith("["):
            last += 1
        start = first - 1 if first > 0 and not lines[first - 1].strip() else first
        yield "".join(lines[:start] + lines[last:])


def _by_tomlkit(text: str, path: tuple[str, ...], values: dict[str, Any] | None) -> str:
    try:
        document = tomlkit.parse(text)
        within: Any = document
        for key in path[:-1]:
            within = within[key]
        if values is None:
            del within[path[-1]]
        else:
            table = tomlkit.inline_table()
            table.update(values)
            within[path[-1]] = table
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise Refused("the file is written in a way that cannot be changed safely") from error
