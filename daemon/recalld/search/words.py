"""From a word of a query to queries of the index, one way for each tier."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product

from tantivy import Occur, Query

from recalld import analysis
from recalld.index.reader import Snapshot
from recalld.search import english, spelling, weights
from recalld.search.dictionary import Dictionary, is_name
from recalld.search.query import LONGEST_WORD, Clause, Word

_HEX = re.compile(r"[0-9a-f]{7,64}")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SHA_LENGTHS = (40, 64)
_UNABBREVIATED = 39
_FORM_LETTERS = 3
_CLOSE_LETTERS = 4
_PAIRS = 4
"""Pairs of words that one may be whose space was left out, at most, the rarest ones; and names that one may be."""
_LONGEST_NAME = 12
"""Words of a name that may be misspelt."""

MAX_PREFIXES = 16
"""Words with `*` that a query may hold: each walks a part of the dictionary (0.2 to 10 ms); the rest are not looked
at."""


def any_of(queries: Sequence[Query]) -> Query:
    """Return the disjunction, scores added."""
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, q) for q in queries]) if queries else Query.empty_query()


def all_of(queries: Sequence[Query]) -> Query:
    """Return the conjunction, scores added."""
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Must, q) for q in queries])


class Words:
    """Makes the queries for the words of one question, and remembers what they were expanded to."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._schema = snapshot.schema
        self._dictionary = Dictionary(snapshot)
        self._df = self._dictionary.frequency
        self._spread: dict[Word, int] = {}
        self._forms: dict[Word, Query] = {}
        self.expanded: dict[Word, tuple[str, ...]] = {}
        """Terms that stand for a word beside its own, for highlighting."""

    # -- exact -------------------------------------------------------------------------------------------------------

    def exact(self, word: Word) -> Query:
        """Return the query for the word as it is written."""
        tokens = word.tokens
        if word.prefix:
            return any_of([q for f in ("text", "path", "title") for q in self._prefix(f, tokens)])
        found = [q for f in ("text", "path", "title") for q in self._phrase(f, tokens)]
        if self._is_cut_hash(word):
            whole = [t for t, _ in self._dictionary.beginning_with(tokens[0])]
            whole = [t for t in whole if len(t) in _SHA_LENGTHS and _HEX.fullmatch(t)]
            if whole:
                self.expanded[word] = tuple(whole)
                found += [self._term("text", t) for t in whole]
        return any_of(found)

    def exact_clause(self, clause: Clause) -> Query:
        """Return the query for any of a clause's words as written."""
        return any_of([self.exact(word) for word in clause])

    def frequency(self, clause: Clause) -> int:
        """Return about how many documents a clause matches at most."""
        return sum(min(sum(self._df(f, t) for f in ("text", "path", "title")) for t in w.tokens) for w in clause)

    def may_be_written(self, clause: Clause) -> bool:
        """Tell whether the index can hold any of a clause's words as written: one look at the dictionary."""
        return any(w.prefix or self.frequency((w,)) or self._is_cut_hash(w) for w in clause)

    def may_have_forms(self, clause: Clause) -> bool:
        """Tell whether the index can hold any of a clause's words in some form."""
        return any(
            w.prefix
            or self.spread_frequency(w)
            or self._is_hash(w)
            or (len(w.tokens) > 1 and self._in_parts(w.tokens))
            or (self.is_camel(w) and self._in_parts(analysis.split_identifier(w.text)))
            for w in clause
        )

    def _in_parts(self, tokens: tuple[str, ...]) -> bool:
        return all(self.spread_frequency(Word(t, (t,))) for t in tokens)

    @staticmethod
    def is_camel(word: Word) -> bool:
        """Tell whether a word is a name in camelCase."""
        return len(word.tokens) == 1 and len(word.text) <= LONGEST_WORD and bool(_CAMEL.search(word.text))

    @staticmethod
    def _is_hash(word: Word) -> bool:
        return len(word.tokens) == 1 and bool(_HEX.fullmatch(word.tokens[0]))

    def _is_cut_hash(self, word: Word) -> bool:
        return self._is_hash(word) and len(word.tokens[0]) <= _UNABBREVIATED

    def forms_frequency(self, clause: Clause) -> int:
        """Return about how many documents hold any form of any of a clause's words."""
        return sum(self.spread_frequency(w) for w in clause)

    def spread_frequency(self, word: Word) -> int:
        """Return about how many documents hold a word in some form; 0 where none can."""
        known = self._spread.get(word)
        if known is None:
            known = self._spread[word] = self._any_frequency(word)
        return known

    def _any_frequency(self, word: Word) -> int:
        if word.prefix or len(word.tokens) > 1:
            written = [word.tokens] if word.prefix else [word.tokens, *self._dictionary.writings(word)]
            return sum(self.frequency((Word(word.text, t),)) for t in written) or (1 if word.prefix else 0)
        token = word.tokens[0]
        counts = [self._df(f, token) for f in ("text", "path", "title", "parts")]
        if is_name(token):
            counts += [self._df("stem", s) for s in english.stems(token)]
            counts += [self._df("text", t) for t in self._dictionary.same_stem(token)]
        counts += [self.frequency((Word(word.text, written),)) for written in self._dictionary.writings(word)]
        return max(counts)

    def _term(self, name: str, token: str) -> Query:
        return Query.term_query(self._schema, name, token)

    def _phrase(self, name: str, tokens: tuple[str, ...]) -> list[Query]:
        # The rare fields are asked only where they hold every token: that is cheaper than a query over them.
        if name != "text" and not all(self._df(name, t) for t in tokens):
            return []
        if len(tokens) == 1:  # Tantivy panics on a phrase of one word
            query = self._term(name, tokens[0])
        else:
            query = Query.phrase_query(self._schema, name, [*tokens])
        return [query if name != "title" else Query.boost_query(query, weights.TITLE_BOOST)]

    def _prefix(self, name: str, tokens: tuple[str, ...]) -> list[Query]:
        if len(tokens) == 1:
            return [Query.regex_query(self._schema, name, tokens[0] + ".*")]
        if not all(self._df(name, t) for t in tokens[:-1]):
            return []
        return [Query.regex_phrase_query(self._schema, name, [*tokens[:-1], tokens[-1] + ".*"])]

    # -- forms -------------------------------------------------------------------------------------------------------

    def forms(self, word: Word) -> Query:
        """Return the query for the word, its English forms, and identifiers that it is made of or is a part of."""
        found = self._forms.get(word)
        if found is None:
            found = self._forms[word] = self._any_form(word)
        return found

    def _any_form(self, word: Word) -> Query:
        found = [self.exact(word)]
        tokens = word.tokens
        if word.prefix:
            return found[0]
        found += self._otherwise_written(word)
        if len(tokens) > 1:
            if all(map(is_name, tokens)):
                stems = [*map(analysis.stem, tokens)]
                if all(self._df("stem", s) for s in stems):
                    found.append(Query.phrase_query(self._schema, "stem", [*stems]))
                if not word.quoted:
                    found += self._joined(tokens)
            return any_of(found)
        token = tokens[0]
        if self._is_hash(word) and len(token) > _UNABBREVIATED:
            short = [token[:n] for n in range(7, 40) if self._df("text", token[:n])]
            self._remember(word, short)
            found += [self._term("text", t) for t in short]
        if not is_name(token) or len(token) < _FORM_LETTERS:
            return any_of(found)
        forms = self._dictionary.same_stem(token)
        self._remember(word, forms)
        found += [self._term("text", t) for t in forms]
        found += [self._term("stem", stem) for stem in english.stems(token) if self._df("stem", stem)]
        if self._df("parts", token):
            found.append(self._term("parts", token))
        if self.is_camel(word):
            parts = analysis.split_identifier(word.text)
            if len(parts) > 1 and all(self._df("text", p) for p in parts):
                found.append(Query.phrase_query(self._schema, "text", list(parts)))
                self._remember(word, ["\x1f".join(parts)])
        return any_of(found)

    def _otherwise_written(self, word: Word) -> list[Query]:
        written = [] if word.prefix else self._dictionary.writings(word)
        self._remember(word, ["\x1f".join(tokens) for tokens in written])
        return [q for tokens in written for f in ("text", "path", "title") for q in self._phrase(f, tokens)]

    def terms(self, word: Word) -> list[Query]:
        """Return the forms of a word, as plain terms if it is one: a search for the best need not see all hits then."""
        token = word.tokens[0]
        if len(word.tokens) > 1 or word.prefix or not is_name(token):
            return [self.exact(word), *self._otherwise_written(word)]
        named = [("text", t) for t in (token, *self._dictionary.same_stem(token))]
        named += [("stem", s) for s in english.stems(token)]
        named.append(("parts", token))
        # Only what the index holds: every term is looked up in every segment.
        held = [(f, t) for f, t in named if self._df(f, t)]
        return [self._term(f, t) for f, t in held] or [self.exact(word)]

    def forms_clause(self, clause: Clause) -> Query:
        """Return the query for any form of any of a clause's words."""
        return any_of([self.forms(word) for word in clause])

    def _remember(self, word: Word, terms: Sequence[str]) -> None:
        if terms:
            self.expanded[word] = tuple(dict.fromkeys((*self.expanded.get(word, ()), *terms)))

    def _joined(self, tokens: tuple[str, ...]) -> list[Query]:
        """Return queries for `get_user` written as `getUser`, whole or within a longer name."""
        found = [self._term("text", "".join(tokens))]
        if all(self._df("parts", t) for t in tokens):
            found.append(all_of([self._term("parts", t) for t in tokens]))
        return found

    # -- close -------------------------------------------------------------------------------------------------------

    def is_known(self, word: Word) -> bool:
        """Tell whether the index holds a word in some form."""
        return all(
            any(self._df(f, t) for f in ("text", "path", "title", "parts")) or self._df("stem", analysis.stem(t)) > 0
            for t in word.tokens
        )

    def close(self, word: Word) -> Query | None:
        """Return the query for words spelt like one that the index does not hold; None where there is none.

        One slip of the finger for words of 4 letters and more, two for 8 and more if their first three letters are
        right; else a space that was left out. In a name (`apply_credtis.py`) for each of its words.
        """
        token = word.tokens[0]
        if len(word.tokens) > 1:
            return self._close_name(word)
        if word.prefix or len(token) < _CLOSE_LETTERS or not is_name(token):
            return None
        terms = self._dictionary.near(token)
        if terms:
            self._remember(word, terms)
            return any_of([self._term("text", t) for t in terms])
        pairs = self._dictionary.pairs(token, _PAIRS)
        if not pairs:
            return None
        self._remember(word, ["\x1f".join(pair) for pair in pairs])
        return any_of([Query.phrase_query(self._schema, "text", [*pair]) for pair in pairs])

    def _close_name(self, word: Word) -> Query | None:
        """Return the query for names spelt like one; a number in it makes it an id, which is never corrected."""
        tokens = word.tokens
        if word.prefix or word.quoted or len(tokens) > _LONGEST_NAME or not all(map(is_name, tokens)):
            return None
        choices: list[tuple[str, ...]] = []
        for token in tokens:
            known = any(self._df(f, token) for f in ("text", "path"))
            near = self._dictionary.near(token)[:_PAIRS] if not known and len(token) > _CLOSE_LETTERS else ()
            choices.append((token,) if known else near)
        names = [name for name in islice(product(*choices), _PAIRS) if name != tokens]
        found = [q for name in names for f in ("text", "path") for q in self._phrase(f, name)]
        self._remember(word, ["\x1f".join(name) for name in names])
        return any_of(found) if found else None

    def bent(self, word: Word) -> dict[str, int]:
        """Return the index's terms that are a word with another ending, and how many documents hold each."""
        token = word.tokens[0]
        if len(word.tokens) > 1 or word.prefix or len(token) < spelling.BENT_BEGINNING or not is_name(token):
            return {}
        forms = self._dictionary.bent(token)
        self._remember(word, [*forms])
        return forms
