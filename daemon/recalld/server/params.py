"""What a method's parameters may be. Unknown ones are ignored: a newer client may send more than this daemon knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from recall.errors import UsageError

Type = Literal["text", "texts", "int", "bool", "time", "map", "payload"]

MAX_TEXT = 1024 * 1024
"""Characters of one text parameter: far over any question, far under what would hold the daemon up."""

MAX_PAYLOAD = 4 * 1024 * 1024
"""Bytes of what an agent handed to a hook; the launcher sends no more."""

FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999
"""The times that a calendar has: the years 1 to 9999. What lies outside is no time, and more than an index can hold."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHAT: dict[Type, str] = {
    "text": "text",
    "texts": "text or a list of texts",
    "bool": "true or false",
    "time": "milliseconds since 1970 or an ISO 8601 time, of the years 1 to 9999",
    "map": "a map",
    "payload": "bytes or text (4 MiB at most) or a map",
}


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `low` and `high` bound an `int`, both included; `choices` is what a text may be."""

    type: Type
    required: bool = False
    low: int = 0
    high: int = 2**53
    choices: tuple[str, ...] | None = None


def check(specs: Mapping[str, Param], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known parameters, without those that are null or an empty list; times as milliseconds since 1970.

    Raise UsageError whose message begins with the field's name.
    """
    found: dict[str, Any] = {}
    for name, spec in specs.items():
        value = params.get(name)
        if value is None or (value == [] and spec.type == "texts"):
            if spec.required:
                raise UsageError(f"{name}: is required")
            continue
        if spec.type in ("text", "texts") and _is_too_long(value):
            raise UsageError(f"{name}: is longer than the {MAX_TEXT} characters that a text may have")
        if not _fits(spec, value):
            raise UsageError(f"{name}: must be {_what(spec)}")
        found[name] = _epoch_ms(name, value) if spec.type == "time" else value
    return found


def _epoch_ms(name: str, value: int | str) -> int:
    if isinstance(value, int):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{name}: must be {_WHAT['time']}") from None
    if moment.tzinfo is None:
        raise UsageError(f"{name}: needs a zone, which only the client knows: end it with Z or an offset")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _is_too_long(value: Any) -> bool:
    return any(isinstance(text, str) and len(text) > MAX_TEXT for text in (value if isinstance(value, list) else [value]))


def _fits(spec: Param, value: Any) -> bool:
    kind = spec.type
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and spec.low <= value <= spec.high
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "map":
        return isinstance(value, dict)
    if kind == "payload":
        return isinstance(value, dict) or (isinstance(value, bytes | str) and len(value) <= MAX_PAYLOAD + 65536)
    if kind == "time":
        if isinstance(value, int) and not isinstance(value, bool):
            return FIRST_MS <= value <= LAST_MS
        return isinstance(value, str) and len(value) < 100
    texts = value if kind == "texts" and isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(text, str) and (spec.choices is None or text in spec.choices) for text in texts)


def _what(spec: Param) -> str:
    if spec.type == "int":
        return f"a whole number from {spec.low} to {spec.high}"
    if spec.choices is not None:
        return f"{'one or several of' if spec.type == 'texts' else 'one of'} {', '.join(spec.choices)}"
    return _WHAT[spec.type]
