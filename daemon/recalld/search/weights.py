"""The constants of ranking, each with what chose it."""

from __future__ import annotations

from recalld.index.documents import KINDS, SESSION_WEIGHT, SUB_AGENT_WEIGHT

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

NEIGHBOUR = 0.15
"""Share of the scores of the messages before and after. 0 to 0.3 differ by less than 0.5 points."""
RELATED_BEST = (1.0, 0.4, 0.2)
"""Shares of a session's best three records where they match in part; (1, 0.5, 0.25) finds 0.3 points less."""
SESSION_SHARE = 1.0
"""Weight of how much of a session speaks of the question. Of 100 questions 1 puts 78 first, 1.5 77, 2 77."""
LENGTH_SHARE = 0.4
"""How far a record's length tells against it, BM25's b: 0.3 and 0.5 are best on conversation data, 0.75 0.7 below."""
SESSION_LENGTH_SHARE = 0.5
"""The same for a session's number of records. 0 to 1 do not differ where sessions are alike; here they are not."""
STOP_WEIGHT = 0.25
"""Weight of words that say little. 0 finds 0.4 points less among five, 1 five points less first."""
TITLE_SHARE = 1.0
LEAN = 0.5
"""A time that the question names makes a session of that time better: of 100 questions 2 more found theirs."""
MIN_COVERAGE = 0.2
"""Share of a question, by rarity, that some session must hold: one known word among made-up ones is no answer. (Asked
of
every session, it costs 2 points of hit@5.)"""

FIRST_HITS = 256
"""Records that a page is ranked from at first (0.1 ms); four times as many in each further round."""


def _weight_of(code: int) -> float:
    if code & SESSION_WEIGHT:
        return 1.0
    return _KIND[KINDS[code & 15]] * (ABANDONED if code & 256 else 1.0)


KIND_WEIGHTS: dict[int, float] = {
    code: _weight_of(code)
    for kind in [k + 16 * r + 256 * a for k in range(len(KINDS)) for r in range(4) for a in (0, 1)] + [SESSION_WEIGHT]
    for code in (kind, kind + SUB_AGENT_WEIGHT)
}
"""Weight of a record by its fast field `weight`."""
