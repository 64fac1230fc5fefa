"""Reading what is stored in an index of this format or a former one, without asking it anything else.

A change of format moves terms, never bodies: `FORMATS` says where each format has the three terms by which stored
documents are picked, and whoever changes the format adds a line. Text is not searched here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import tantivy

from recall.errors import IndexFailure
from recalld.index.documents import S, StoredCopy, StoredRecord, from_body
from recalld.index.schema import tag

FORMATS = {
    1: {"type": ("type", ""), "file": ("file", ""), "skey": ("skey", "")},
    2: {"type": ("tags", "t"), "file": ("tags", "f"), "skey": ("tags", "s")},
}
"""By format, then by name: (field, what its terms begin with)."""


class FormerIndex:
    """The stored documents of one index directory. Raise IndexFailure where it cannot be opened or has none of FORMATS."""

    def __init__(self, path: Path) -> None:
        try:
            index = tantivy.Index.open(str(path))
            index.reload()
        except (ValueError, OSError) as error:
            raise IndexFailure(f"cannot open the index at {path}: {error}") from error
        self._schema = index.schema
        self._searcher = index.searcher()
        self._format = self._find_format(path)

    def _find_format(self, path: Path) -> int:
        """Return the format by the fields that there are: what a version says of its index may be lost or wrong."""
        for format_ in sorted(FORMATS, reverse=True):
            try:
                for field, _ in FORMATS[format_].values():
                    tantivy.Query.term_query(self._schema, field, "")
            except ValueError:
                continue
            return format_
        raise IndexFailure(f"the index at {path} has a format that this version does not know")

    def _query(self, name: str, value: str) -> tantivy.Query:
        field, beginning = FORMATS[self._format][name]
        term = tag(name, value)[1:] if field == "tags" else value
        return tantivy.Query.term_query(self._schema, field, beginning + term, index_option="basic")

    def all_of(self, cls: type[S], kind: str, **where: str) -> Iterator[S]:
        """Yield the stored forms of one kind of document that have all of some terms (`file`, `skey`)."""
        queries = [self._query("type", kind), *(self._query(name, value) for name, value in where.items())]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, q) for q in queries])
        count: int = self._searcher.search(query, limit=1).count  # type: ignore[attr-defined]  # missing in the stubs
        if count:
            for _, address in self._searcher.search(query, limit=count, count=False).hits:
                yield from_body(cls, bytes(self._searcher.doc(address)["body"][0]))

    def owned(self, copy: StoredCopy) -> StoredRecord | None:
        """Return the record that a copy stands for."""
        theirs = self.all_of(StoredRecord, "r", skey=copy.owner)
        return next((record for record in theirs if record.id == copy.owner_id), None)
