"""The tiers in their order: the first that finds anything answers."""

from __future__ import annotations

from recalld.search.related import related
from recalld.search.tiers import Found, Search, browse, close, exact, forms


def run(search: Search) -> Found | None:
    """Return what the first tier that finds anything finds, or None."""
    if not search.clauses:
        return None if search.parsed.wordless and not (search.parsed.filters or search.parsed.minus) else browse(search)
    for tier in (exact, forms, close, related):
        found = tier(search)
        if found:
            if tier is not exact:
                _say_missing_phrases(search)
            return found
    return None


def _say_missing_phrases(search: Search) -> None:
    for phrase in search.parsed.phrases:
        if not search.snapshot.count(search.within(search.words.exact(phrase))):
            search.notices.append(f'nothing holds the phrase "{phrase.text}"; these are looser matches')
