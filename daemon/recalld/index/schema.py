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

import hashlib
import re

import tantivy

from recalld import analysis

FORMAT = 2
"""Version of schema, analysis and bodies. A change means a rebuild."""

TAGS = {
    "type": "t",
    "file": "f",  # id of the file that the document came from
    "skey": "s",  # session key: agent, US (0x1f), internal session id
    "sid": "i",  # session id as people use it (sub-agents: without their parent)
    "agent": "a",
    "role": "r",
    "kind": "k",
    "tool": "o",  # folded
    "branch": "b",  # folded
    "flag": "g",  # error, subagent, abandoned, leaf, forked
    "project": "p",  # folded: the path, every directory above it, and every component's name
    "side": "d",  # path of the spilled text
}
"""What documents are filtered by, and the letter that each one's terms begin with. All of them stand in one field,
`tags`, as one text with blanks between: a field for each cost a tenth of a first build."""
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


HASHED_FIELDS = {
    "key": 63,
    "uid": 40,  # node id: on the first record of a node; on `l` documents every node's
    "call": 40,  # tool call id
    "said": 40,  # StoredRecord.hash, but for what tools printed: how often something was said or done in the same words
}
"""Fields of ids that are nearly all different, indexed as hashes of so many bits. A term dictionary pays for every byte
that terms do not share, at every commit and merge, and nobody reads these terms. What is deleted by its key must be
no other; the other ids are compared once more by whoever looks them up, so that a third of the bytes can go."""


_BLANKS = {" ": "\x01", "\t": "\x02", "\n": "\x03", "\r": "\x04", "\f": "\x05"}
_BLANK = re.compile("[ \t\n\r\f]")


def tag(name: str, value: str) -> str:
    """Return the term that stands for `value` of one of TAGS in the field `tags`: it holds no blank."""
    if _BLANK.search(value):
        value = _BLANK.sub(lambda blank: _BLANKS[blank[0]], value)
    return TAGS[name] + value


def term_of(name: str, value: str) -> tuple[str, str | int]:
    """Return (field, term) for `value` of one of TAGS or HASHED_FIELDS."""
    return (name, hash_term(name, value)) if name in HASHED_FIELDS else ("tags", tag(name, value))


def hash_term(field: str, value: str) -> int:
    """Return the term that stands for `value` in a field of ids."""
    return hashed(value) >> (63 - HASHED_FIELDS[field])


def hashed(text: str) -> int:
    """Return a 63-bit hash of `text`, stable across processes."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


def said_term(text_hash: int) -> int:
    """Return the term of the field `said` for a `documents.hash_of`."""
    return text_hash >> (63 - HASHED_FIELDS["said"])


def build_schema() -> tantivy.Schema:
    """Return the schema of format FORMAT."""
    b = tantivy.SchemaBuilder()
    b.add_text_field("tags", tokenizer_name="tags", index_option="basic")
    for name in TEXT_FIELDS:
        b.add_text_field(name, tokenizer_name="plain")
    b.add_text_field("stem", tokenizer_name="stem")  # English stems of what people, models and titles say
    b.add_text_field("parts", tokenizer_name="plain", index_option="freq")  # parts of identifiers
    for name in NUMBER_FIELDS:
        b.add_integer_field(name, indexed=name == "snum", fast=True)
    for name in HASHED_FIELDS:
        b.add_integer_field(name, indexed=True)
    b.add_bytes_field("body", stored=True)
    return b.build()


def register_tokenizers(index: tantivy.Index) -> None:
    """Give `index` its analyzers; Tantivy forgets them whenever an index is opened."""
    index.register_tokenizer("plain", analysis.plain_analyzer())
    index.register_tokenizer("tags", analysis.tags_analyzer())
    index.register_tokenizer("stem", analysis.stem_analyzer())
