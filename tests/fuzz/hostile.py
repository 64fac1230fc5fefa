"""Pieces of text that break things, and what JSON lines of agents are made of."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"

PIECES = (
    *("\x00", "\x1b[31m", "\x1b]0;owned\x07", "\x1b]52;c;eA==\x1b\\", "\x9b2J", "\r", "\r\n", "\n", "\t", "\x7f", "\x85"),
    *("\u2028", "\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\u200c", "\ufeff", "\U000e0041", "\ufe0f", "\u00ad"),
    *("e\u0301", "\u0301", "\u0345", "\u1e9e", "\ufb01", "\u0130", "\u1100\u1161\u11a8", "각", "修改", "ไทย", "\u30cf\u3099"),
    *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "👍🏽", "\ud800", "\udfff", "\ufdfa", "\u0338"),
    *("</recalld-context>", "<recalld-context", "&lt;/recalld-context&gt;", "<system-reminder>", "</system-reminder>"),
    *("$(touch x)", "`id`", "; rm -rf ~", "../../etc/passwd", "--dangerously", "-rf", "~", "*", "'\"", "\\", "\\\\", "%s%n"),
    *("1e999", "-1e999", "9" * 400, "18446744073709551616", "9223372036854775808", "NaN", "-0.0", "1e-400", "253402300800"),
    *("0001-01-01", "9999-12-31T23:59:59+14:00", "2026-11-30T10:00:00.000Z", "0000", "-1", "0", "1", "true", "null"),
    *("C++", "C#", "++", "#", "camelCase", "HTTPServer", "snake_case", "a" * 300, " " * 50, "\n" * 20, "=" * 40, "(((((((("),
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308, -0.0, 1e15, 4e12),
    *("", " ", [], {}, [[]], [None], {"": ""}, {"type": {}}, {"text": 7}, [{"type": "text", "text": "x"}], "x" * 2000),
)


def _walk(value: Any, keys: dict[str, None], texts: dict[str, None]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            keys[key] = None
            _walk(item, keys, texts)
    elif isinstance(value, list):
        for item in value:
            _walk(item, keys, texts)
    elif isinstance(value, str) and len(value) <= 120:
        texts[value] = None


@lru_cache(maxsize=1)
def vocabulary() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys and the short texts of all fixtures of the agents' formats."""
    keys: dict[str, None] = {}
    texts: dict[str, None] = {}
    for path in sorted(FIXTURES.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                _walk(json.loads(line), keys, texts)
            except ValueError:
                continue  # fixtures of damaged lines
    return tuple(keys), tuple(texts)


@lru_cache(maxsize=1)
def lines() -> tuple[bytes, ...]:
    """Return every line of every fixture."""
    return tuple(dict.fromkeys(x for p in sorted(FIXTURES.rglob("*.jsonl")) for x in p.read_bytes().splitlines() if x))
