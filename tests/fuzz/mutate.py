"""Mutations that know what they change: lines of JSON, and words. Plain changes of bytes are the engine's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from tests.fuzz import hostile

Mutator = Callable[[bytes, Random], bytes]

Place = tuple[Any, Any]
"""A container and the key or index within it."""


def _places(value: Any) -> list[Place]:
    """Return every place below `value`; what a mutation has nested deeply is walked without recursion."""
    found: list[Place] = []
    pending = [value]
    while pending and len(found) < 2000:
        one = pending.pop()
        pairs = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, item in pairs:
            found.append((one, key))
            pending.append(item)
    return found


def _value(dice: Random, others: list[Place]) -> Any:
    keys, texts = hostile.vocabulary()
    kind = dice.randrange(6)
    if kind == 0:
        return deepcopy(dice.choice(hostile.VALUES))
    if kind == 1:
        return dice.choice(texts)
    if kind == 2:
        return dice.choice(hostile.PIECES)
    if kind == 3 and others:
        container, key = dice.choice(others)
        return deepcopy(container[key])
    if kind == 4:
        return {dice.choice(keys): dice.choice(texts) for _ in range(dice.randrange(4))}
    deep: Any = dice.choice(texts)
    for _ in range(dice.choice((1, 3, 60))):
        deep = [deep] if dice.random() < 0.5 else {dice.choice(keys): deep}
    return deep


def _json_line(line: bytes, dice: Random) -> bytes:
    """Change one value, key or text of a line that is JSON."""
    try:
        return _changed(line, dice)
    except (ValueError, RecursionError):  # it is none, or a mutation has nested it too deeply for another one
        return _bytes(line, dice)


def _changed(line: bytes, dice: Random) -> bytes:
    value = json.loads(line)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        places = _places(value)
        if not places:
            return _bytes(line, dice)
        container, key = dice.choice(places)
        kind = dice.randrange(6)
        if kind == 0 and isinstance(container, dict):
            container[dice.choice(hostile.vocabulary()[0])] = container.pop(key)
        elif kind == 1:
            del container[key]
        elif kind == 2 and isinstance(container[key], str):
            text = container[key]
            at = dice.randint(0, len(text))
            container[key] = text[:at] + dice.choice(hostile.PIECES) + text[at + dice.choice((0, 0, 1, 5)) :]
        elif kind == 3 and isinstance(container, dict):
            container[dice.choice(hostile.vocabulary()[0])] = _value(dice, places)
        else:
            container[key] = _value(dice, places)
    return json.dumps(value, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")


def _bytes(line: bytes, dice: Random) -> bytes:
    """What happens to a line that knows nothing of JSON: torn, glued, doubled keys, deep, no UTF-8."""
    kind = dice.randrange(8)
    at = dice.randint(0, len(line))
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line + dice.choice((b"", b" ", b",", b"\x00")) + dice.choice(hostile.lines())
    if kind == 2 and line.startswith(b"{"):
        key = dice.choice(hostile.vocabulary()[0])
        value = json.dumps(dice.choice(hostile.VALUES)).encode()
        return b"{" + json.dumps(key).encode() + b":" + value + b"," + line[1:]
    if kind == 3:
        count = dice.choice((10, 400, 900))
        return b'{"a":' * count + line + b"}" * count
    if kind == 4:
        return line[:at] + bytes(dice.randrange(256) for _ in range(dice.randint(1, 4))) + line[at + 1 :]
    if kind == 5:
        return b"\xef\xbb\xbf" + line
    if kind == 6:
        return line.replace(b":", b": " + b"9" * dice.choice((20, 400, 5000)) + b",", 1)
    return line[:at] + dice.choice(hostile.PIECES).encode("utf-8", "surrogatepass") + line[at:]


def json_lines(header: int) -> Mutator:
    """A mutator of `header` bytes that make choices and lines of JSON behind them."""

    def mutate(data: bytes, dice: Random) -> bytes:
        head, body = bytearray(data[:header].ljust(header, b"\0")), data[header:]
        if header and dice.random() < 0.2:
            head[dice.randrange(header)] = dice.randrange(256)
        lines = body.split(b"\n")
        at = dice.randrange(len(lines))
        kind = dice.randrange(10)
        if kind == 0:
            lines.insert(at, dice.choice(hostile.lines()))
        elif kind == 1 and len(lines) > 1:
            del lines[at]
        elif kind == 2:
            lines.insert(at, lines[dice.randrange(len(lines))])
        elif kind == 3:
            dice.shuffle(lines)
        elif kind == 4:
            lines[at] = _bytes(lines[at], dice)
        else:
            lines[at] = _json_line(lines[at], dice)
        return bytes(head) + b"\n".join(lines)

    return mutate


def words(header: int, vocabulary: Sequence[str]) -> Mutator:
    """A mutator of a header and a text that is made of some words."""

    def mutate(data: bytes, dice: Random) -> bytes:
        head, body = bytearray(data[:header].ljust(header, b"\0")), data[header:]
        if header and dice.random() < 0.3:
            head[dice.randrange(header)] = dice.randrange(256)
        text = body.decode("utf-8", "surrogatepass") if _is_text(body) else body.decode("latin-1")
        for _ in range(dice.choice((1, 1, 2, 5))):
            at = dice.randint(0, len(text))
            piece = dice.choice(vocabulary) if dice.random() < 0.7 else dice.choice(hostile.PIECES)
            kind = dice.randrange(6)
            if kind == 0 and text:
                end = dice.randint(at, len(text))
                text = text[:at] + text[end:]
            elif kind == 1 and text:
                end = dice.randint(at, min(len(text), at + 60))
                text = text[:end] + text[at:end] * dice.choice((1, 2, 20)) + text[end:]
            elif kind == 2:
                text = text[:at] + piece * dice.choice((1, 3, 30)) + text[at:]
            else:
                text = text[:at] + piece + text[at + dice.choice((0, 0, 1, len(piece))) :]
        return bytes(head) + text.encode("utf-8", "surrogatepass")

    return mutate


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
