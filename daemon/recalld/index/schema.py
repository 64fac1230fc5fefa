"""The index's fields, and the kinds of documents in it.

Tantivy holds everything: records, what is known of sessions, and the read offsets of files, so that one commit is one
consistent state. Every document has a `type`, a unique `key` (what replaces it deletes by key) and a `body`: msgpack
with all that is needed to make the document again (removing text from the disk means writing what lives anew).

| type | one for | body |
|---|---|---|
| `r` | a record that its session owns | `documents.StoredRecord` |
| `c` | a record that a session holds as a copy, owned by another of its lineage | `documents.StoredCopy` |
| `l` | the bookkeeping nodes of one read of one file | list of [uid, parent, offset] |
| `n` | what one file tells of one session (titles, rollbacks, …) | `documents.StoredFacts` |
| `s` | a session: title, counts, live leaf | `documents.StoredSession` |
| `f` | a file: the checkpoint | `documents.StoredFile` |
"""

from __future__ import annotations

import binascii
import hashlib

import tantivy

from recalld import analysis

FORMAT = 1
"""Version of schema, analysis and bodies. A change means a rebuild."""

RAW_FIELDS = (
    "type",
    "key",
    "file",  # id of the file that the document came from
    "skey",  # session key: agent, US (0x1f), internal session id
    "sid",  # session id as people use it (sub-agents: without their parent)
    "uid",  # node id; on `l` documents every node's
    "agent",
    "role",
    "kind",
    "tool",  # folded
    "branch",  # folded
    "flag",  # error, subagent, abandoned, side
    "project",  # folded: the path, every directory above it, and every component's name
    "side",  # path of the spilled text
    "call",  # tool call id
)
TEXT_FIELDS = (
    "text",  # what is found as it is written
    "path",  # paths, absolute and as written
    "title",  # sessions only
)
NUMBER_FIELDS = (
    "snum",  # hash of skey: grouping without reading documents
    "time",  # epoch ms, 0 where unknown
    "ord",  # ordinal of the message in its file; a tool's records have the ordinal of the message before them
    "place",  # documents.place_of: byte offset of the line, then the record's place within it
    "hash",  # hash of role, kind and text: repeated output counts once
    "size",  # length of the text in characters; of a session, how many records it has
    "weight",  # documents.weight_of: what kind of record it is, for ranking without reading documents
)


HASHED_FIELDS = frozenset({"key", "uid", "call"})
"""Raw fields whose values are nearly all different. A term dictionary pays for every byte that terms do not share, at
every commit and merge, and nobody reads these terms: a hash of 8 bytes stands for each. Together with fewer passes of
the collector it took 6 of 28 CPU seconds off a build of 280 MB."""


def raw_term(field: str, value: str) -> str:
    """Return the term that stands for `value` in a raw field."""
    if field not in HASHED_FIELDS:
        return value
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return binascii.b2a_base64(digest, newline=False).decode("ascii")


def build_schema() -> tantivy.Schema:
    """Return the schema of format FORMAT."""
    b = tantivy.SchemaBuilder()
    for name in RAW_FIELDS:
        b.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in TEXT_FIELDS:
        b.add_text_field(name, tokenizer_name="plain")
    b.add_text_field("stem", tokenizer_name="stem")  # English stems of what people, models and titles say
    b.add_text_field("parts", tokenizer_name="plain", index_option="freq")  # parts of identifiers
    for name in NUMBER_FIELDS:
        b.add_integer_field(name, indexed=name in ("snum", "hash"), fast=True)
    b.add_bytes_field("body", stored=True)
    return b.build()


def register_tokenizers(index: tantivy.Index) -> None:
    """Give `index` its analyzers; Tantivy forgets them whenever an index is opened."""
    index.register_tokenizer("plain", analysis.plain_analyzer())
    index.register_tokenizer("stem", analysis.stem_analyzer())
