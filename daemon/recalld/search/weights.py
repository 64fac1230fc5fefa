"""The constants of ranking, each with what chose it."""

from __future__ import annotations

from recalld.index.documents import KINDS, SESSION_WEIGHT

TITLE_BOOST = 1.5
"""A word in a given title counts so many times one in a record."""

_KIND = {"message": 1.0, "summary": 0.9, "command": 0.9, "edit": 0.85, "tool_call": 0.7, "read": 0.6, "output": 0.6}
"""What is said stands above what is printed."""
ABANDONED = 0.7
"""What was rewound is found, below what stands."""
BEST = (1.0, 0.5, 0.25)
"""Shares of a session's best three records."""
RECENCY = 0.15
"""A record of this moment counts so much more than one of long ago: enough to order equals, not to bury another."""
RECENCY_HALF_DAYS = 30.0
ADJACENT = 1.0
"""Weight of the query's words standing side by side, beside the words' own scores."""

FIRST_HITS = 256
"""Records that a page is ranked from at first (0.1 ms); four times as many in each further round."""


def _weight_of(code: int) -> float:
    if code >= SESSION_WEIGHT:
        return 1.0
    return _KIND[KINDS[code & 15]] * (ABANDONED if code & 256 else 1.0)


KIND_WEIGHTS: dict[int, float] = {
    code: _weight_of(code)
    for code in [k + 16 * r + 256 * a for k in range(len(KINDS)) for r in range(4) for a in (0, 1)] + [SESSION_WEIGHT]
}
"""Weight of a record by its fast field `weight`."""
