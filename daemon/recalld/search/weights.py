"""The constants of ranking, each with what chose it.

"Measured" means `tests/benchmarks/quality/locomo.py` on five conversations, 997 questions: hit@1 and hit@5 in per cent.
Constants were changed one at a time, the others at or near what they are now (77.8, 93.7). What that data cannot tell,
since all of it is said, is chosen by judgement and held by the promises in `tests/search/test_ranking.py`.
"""

from __future__ import annotations

from recalld.index.documents import KINDS, SESSION_WEIGHT, SUB_AGENT_WEIGHT

# -- every tier ------------------------------------------------------------------------------------------------------

_KIND = {"message": 1.0, "summary": 0.9, "command": 0.9, "edit": 0.85, "tool_call": 0.7, "read": 0.6, "output": 0.6}
"""What is said stands above what is printed. By judgement."""
ABANDONED = 0.7
"""What was rewound is found, below what stands. By judgement."""
RECENCY = 0.15
"""A record of now counts so much more than an old one: enough to order equals, not to bury another. By judgement."""
RECENCY_HALF_DAYS = 30.0
LEAN = 0.5
"""A time that the question names makes a session of that time so much better. Measured: 0 76.0 and 92.1, 0.5 77.9 and
93.4, 1 78.4 and 93.4."""
FIRST_HITS = 128
"""Records that a page is ranked from at first (0.2 ms, most of it grouping); four times as many in each further
round."""

# -- exact, forms, close ---------------------------------------------------------------------------------------------

TITLE_BOOST = 1.5
"""A word in a given title counts so many times one in a record. By judgement."""
BEST = (1.0, 0.5, 0.25)
"""Shares of a session's best three records; the recipe that was best on public conversation data."""
ADJACENT = 1.0
"""Weight of the query's words standing side by side, beside the words' own scores. By judgement."""

# -- related ---------------------------------------------------------------------------------------------------------

RELATED_BEST = (1.0, 0.4, 0.2)
"""Shares of a session's best three. Measured: the best alone 77.5 and 93.2; (1, 0.5, 0.25) the same as this."""
NEIGHBOUR = 0.15
"""Share of the scores of the messages before and after. Measured: 0 77.6, 0.15 77.9, 0.3 77.3; hit@5 93.4 to 93.6."""
COVERAGE = 1.0
"""How far the share of the question that a record holds lifts it. Measured: 1 77.8, 2 77.2, 4 76.6."""
SESSION_SHARE = 0.5
"""Weight of how much of a session speaks of the question. Measured: 0 76.0, 0.3 77.4, 0.5 77.8, 1 77.9, 1.5 76.8. On
the known items of `tests/quality/search` (dev) among 2,000 others 0.3 puts 98.0 of 100 first, 0.5 97.3, 1 96.7."""
LENGTH_SHARE = 0.6
"""How far a record's length tells against it, BM25's b. Measured: 0.2 76.3 and 93.3, 0.6 77.9 and 93.6, 0.75 77.7 and
93.8."""
SESSION_LENGTH_SHARE = 0.5
"""The same for a session's number of records. Measured: 0 77.8, 0.5 77.9, 1 76.6."""
STOP_WEIGHT = 0.25
"""Weight of words that say little. Measured: 0 76.3 and 93.8, 0.25 77.9 and 93.4, 1 76.5 and 92.6."""
TITLE_SHARE = 1.0
"""Weight of a title's score beside the best records'. By judgement."""
MIN_COVERAGE = 0.2
"""Share of a question, by rarity, that some session must hold: one known word among made-up ones is none. Measured:
0.1 leaves 4 questions without an answer, 0.2 6, 0.3 13. (Asked of every session, 0.2 cost 2 points of hit@5.)"""

NAME_COVERAGE = 0.5
"""The same of a name's pieces: a file that is not there is not found by its ending. By judgement."""


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
