"""From the bytes of a line to JSON objects, and the small readings of values that every source shares.

Nearly every line takes the fast path: one call of orjson. What orjson refuses and agents nevertheless write (a byte
order mark, half a surrogate pair, NUL bytes after a crash, two objects on one line) is read by the standard library.
"""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from typing import Any

import orjson

from recalld.model import MAX_TEXT

NOT_JSON = "not JSON"
NOT_AN_OBJECT = "JSON, but not an object"
TOO_DEEP = "nested too deeply"
"""Why a line was skipped: for `recall doctor`, so they never quote what the line holds."""

_BOM = "\ufeff"
_BLANK = " \t\r\n\x00" + _BOM
_MAX_INT = 2**64
_LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""
_MS_FROM = 100_000_000_000
"""A number from here on is milliseconds (1973 and later), below it is seconds (up to the year 5138)."""


def _number(digits: str) -> int | float | None:
    """Integers beyond 64 bits become floats, as orjson reads them: nothing further on could store them."""
    if len(digits) < 19 or (len(digits) < 22 and -_MAX_INT // 2 <= int(digits) < _MAX_INT):
        return int(digits)
    return _finite(digits)


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _no_number(name: str) -> None:
    """NaN and the infinities are no JSON: unknown."""


_DECODER = json.JSONDecoder(strict=False, parse_int=_number, parse_float=_finite, parse_constant=_no_number)


def decode(line: bytes) -> list[dict[str, Any]] | str:
    """Return the JSON objects of one line: usually one, none for a blank line, several where they are glued together.

    A line that is anything else gives the reason (NOT_JSON, NOT_AN_OBJECT, TOO_DEEP) instead. Never raises. Lone
    surrogates and bytes that are not UTF-8 become U+FFFD, so every text can be encoded again.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return _decode_slowly(line)
    return [value] if type(value) is dict else NOT_AN_OBJECT


def _decode_slowly(line: bytes) -> list[dict[str, Any]] | str:
    if not line.strip():
        return []
    text = _text(line)
    found: list[dict[str, Any]] = []
    at = 0
    try:
        while True:
            while at < len(text) and text[at] in _BLANK:
                at += 1
            if at == len(text):
                break
            value, at = _DECODER.raw_decode(text, at)
            if not isinstance(value, dict):
                return NOT_AN_OBJECT
            found.append(_whole(value) if "\\u" in text else value)
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        return NOT_JSON
    return found or NOT_JSON


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        pass  # not UTF-8: see whether it is surrogates in UTF-8's clothes, else replace what cannot be read
    try:
        return without_surrogates(line.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace")


def without_surrogates(text: str) -> str:
    """Return `text` with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(value: Any) -> Any:
    """Return `value` with its texts free of lone surrogates; raise RecursionError where it is nested too deeply."""
    if isinstance(value, str):
        return value if value.isascii() else without_surrogates(value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value


def epoch_ms(value: object) -> int | None:
    """Return a time as milliseconds since the epoch: ISO 8601 (without zone: UTC), or epoch seconds or milliseconds as
    number or text. None where it is none of these, before 1970 or after 9999."""
    if isinstance(value, str):
        if value[4:5] != "-" and len(value) != 8 and (number := _numeric(value)) is not None:
            value = number
        else:
            return _iso_ms(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LAST_MS:
        return None
    return int(value) if value >= _MS_FROM else round(value * 1000)


def _iso_ms(value: str) -> int | None:
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        ms = round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return ms if 0 <= ms <= _LAST_MS else None


def _numeric(value: str) -> float | None:
    """A number in text; None for everything else."""
    try:
        return float(value)
    except ValueError:
        return None


def cut(text: str, limit: int = MAX_TEXT) -> tuple[str, bool]:
    """Return `text` held to `limit` bytes of UTF-8, on a character boundary, and whether it was cut."""
    size = len(text)
    if size * 4 <= limit or (size <= limit and text.isascii()):
        return text, False
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text, False
    return encoded[:limit].decode("utf-8", "ignore"), True


def text_of(content: object) -> str:
    """Return the text of a message's content: a string, or a list of blocks of which those with text count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            text
            for block in content
            if isinstance(text := block.get("text") if isinstance(block, dict) else block, str)
        )
    return ""


def string(value: object) -> str | None:
    """Return `value` where it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def integer(value: object) -> int | None:
    """Return `value` where it is a whole number of 63 bits."""
    return value if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63 else None


_EXIT_FIRST = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b")
_EXIT_LINE = re.compile(r"^Exit Code: (-?\d{1,10})[ \t\r]*$", re.MULTILINE)


def exit_status(text: str) -> int | None:
    """Return the exit status that a shell tool wrote into its output: `Exit code N` in front, or the last line
    `Exit Code: N`. None where there is none."""
    if found := _EXIT_FIRST.match(text):
        return int(found[1])
    if "Exit Code: " in text and (lines := _EXIT_LINE.findall(text)):
        return int(lines[-1])
    return None


MAX_UNKNOWN = 64
"""Names of unknown record types that are kept by one parser; all further ones count as `…`."""
_MAX_NAME = 60


def count_unknown(unknown: dict[str, int], name: object) -> None:
    """Count a record type in `unknown`, with a printable name of bounded length and a bounded number of names."""
    text = name if isinstance(name, str) else "(no type)"
    if not text.isprintable():
        text = "".join(c for c in text if c.isprintable())
    text = text[:_MAX_NAME] or "(no type)"
    if text not in unknown and len(unknown) >= MAX_UNKNOWN:
        text = "…"
    unknown[text] = unknown.get(text, 0) + 1
