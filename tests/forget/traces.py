"""Whether a text is still anywhere in a data directory.

Files are searched for its bytes (a random token is not compressed away the first time that it occurs), and every index
below the directory is opened: each stored document of each segment, deleted ones included, and every field's terms.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import msgpack
import tantivy

from recalld.index.schema import TAGS, TEXT_FIELDS, register_tokenizers, tag

FIELDS = (*TEXT_FIELDS, "stem", "parts")


def traces(data: Path, *words: str) -> list[str]:
    """Return where below `data` any of `words` is, a line each."""
    found: list[str] = []
    for path in sorted(p for p in data.rglob("*") if p.is_file()):
        try:
            content = path.read_bytes().lower()
        except FileNotFoundError:  # a temporary file of a commit or a merge that goes on meanwhile
            continue
        found += [f"{path.name}: {word}" for word in words if word.lower().encode() in content]
    for meta in sorted(data.glob("index/*/meta.json")):
        found += in_index(meta.parent, words)
    return found


def in_index(directory: Path, words: tuple[str, ...]) -> list[str]:
    """Return where in one index any of `words` is."""
    found: list[str] = []
    index = tantivy.Index.open(str(directory))
    register_tokenizers(index)
    index.reload()
    searcher = index.searcher()
    for word in words:
        beginnings = [(field, word.lower()) for field in FIELDS] + [("tags", tag(name, word)) for name in TAGS]
        for field, beginning in beginnings:
            for term, _ in searcher.terms_with_prefix(field, beginning, limit=10):
                found.append(f"{directory.name}: the term {term!r} of {field}")
    for ordinal in range(searcher.num_segments):
        for number in itertools.count():
            try:
                document = searcher.doc(tantivy.DocAddress(ordinal, number))
            except ValueError:  # there is none of that number; deleted ones are still there
                break
            body = msgpack.unpackb(bytes(document["body"][0]), strict_map_key=False, unicode_errors="surrogatepass")
            text = repr(body).lower()
            found += [f"{directory.name}: a stored document with {word!r}" for word in words if word.lower() in text]
    return found
