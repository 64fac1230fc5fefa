"""The tiers in their order: the first that finds anything answers."""

from __future__ import annotations

from tantivy import Occur, Query

from recalld.search.related import related
from recalld.search.tiers import Found, Search, browse, close, exact, forms

_TOLD = 3
"""Words with a minus that are told."""


def run(search: Search) -> Found | None:
    """Return what the first tier that finds anything finds, or None."""
    if not search.clauses:
        return None if search.parsed.wordless and not (search.parsed.filters or search.parsed.minus) else browse(search)
    for tier in (exact, forms, close, related):
        found = tier(search)
        if found:
            if tier is not exact:
                _say_missing_phrases(search)
            if tier is related:
                _say_what_was_left_out(search)
            return found
    _say_what_was_left_out(search)
    return None


def _say_missing_phrases(search: Search) -> None:
    for phrase in search.parsed.phrases:
        if not search.snapshot.count(search.within(search.words.exact(phrase))):
            search.notices.append(f'nothing holds the phrase "{phrase.text}"; these are looser matches')


def _say_what_was_left_out(search: Search) -> None:
    """Where the minus removed what holds all the other words: it may have been meant as an option (`-movflags faststart`)."""
    minus = search.parsed.minus
    if not minus:
        return
    every = [(Occur.Must, search.words.exact_clause(clause)) for clause in search.clauses]
    together = Query.boolean_query(every + search.filters.parts)
    if search.snapshot.searcher.search(together, limit=1, count=False).hits:
        left_out = " ".join(f"-{w.text}" for w in minus[:_TOLD])
        search.notices.append(f"{left_out[:100]} left out what holds the other words; options are found in quotes")
