"""What questions for common words need, worked out before they are asked.

Which sessions hold a word takes up to 3 ms to find out where many records do, and is kept from then on (`masks.py`). So
the sets of the commonest words are made when nothing is asked, after a start and whenever many sessions have changed.
Which words are common is told by the newest records: walking the whole dictionary takes 10 µs a word.
"""

from __future__ import annotations

import time
from collections.abc import Generator

from recalld import analysis
from recalld.index.documents import StoredRecord, from_body
from recalld.index.reader import Changes, Snapshot
from recalld.search import filters, tiers
from recalld.search.boundary import guarded
from recalld.search.query import ParsedQuery, Word
from recalld.search.times import Clock, local_zone

RENEWED_AFTER = 50
"""Changed sessions after which kept sets are brought up to date: with a hundred they would have to be made anew."""
_SAMPLE = 512
"""Records whose words are looked at: what one in a hundred holds is among them with a probability of 99 %."""
_SAMPLED_AT_ONCE = 4
_SAMPLED_TEXT = 2048
"""Characters of each that are looked at."""
FEWEST = 1000
"""Records that must hold a word; the set of a rarer one takes no longer than its answer."""
_MOST_WORDS = 1024
_MOST_BYTES = 1 << 20
"""Memory of all these sets at most, about: a set takes a bit for each session, and 300 bytes."""


def is_due(snapshot: Snapshot, changes: Changes | None, commit: int) -> bool:
    """Tell whether so much has changed since a commit of `changes` was warmed that it is time again."""
    if changes is not snapshot.changes:
        return True
    changed = changes.since(commit)
    return changed is None or len(changed) > RENEWED_AFTER


def warm(snapshot: Snapshot) -> Generator[None, None, None]:
    """Make the sets of the commonest words, in steps of up to some milliseconds."""
    clock = Clock(int(time.time() * 1000), local_zone())
    compiled = filters.compile_filters(snapshot, {}, clock)
    frequency = snapshot.searcher.doc_freq
    common: dict[str, int] = {}
    sample = snapshot.searcher.search(snapshot.term("type", "r"), limit=_SAMPLE, count=False, order_by_field="time").hits
    for start in range(0, len(sample), _SAMPLED_AT_ONCE):
        held: set[str] = set()
        for _, address in sample[start : start + _SAMPLED_AT_ONCE]:
            text = from_body(StoredRecord, snapshot.searcher.doc(address)["body"][0]).text
            held.update(analysis.tokens(text[:_SAMPLED_TEXT]))
        common |= {token: n for token in held.difference(common) if (n := frequency("text", token)) >= FEWEST}
        yield
    room = _MOST_BYTES
    for token in sorted(common, key=lambda token: -common[token])[:_MOST_WORDS]:
        word = Word(token, (token,))
        asked = tiers.Search(snapshot, ParsedQuery(token, ((word,),)), compiled, clock)
        mask = asked.sessions.matching(asked.within(asked.words.exact(word)), asked.set_key("exact", (word,)))
        room -= mask.bit_length() // 8 + 300
        if room < 0:
            return
        yield


@guarded
def step(steps: Generator[None, None, None]) -> bool:
    """Do the next step; return whether there was one."""
    return next(steps, steps) is None
