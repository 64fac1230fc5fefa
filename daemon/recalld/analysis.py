"""Text analysis: what becomes of text on its way into the index, and of query words on theirs.

The index's `plain` tokenizer splits at everything that is not a letter or digit and lowercases. What it cannot do is
done here first, the same for texts and for queries:

- compatibility forms and accents are folded, and characters of scripts without spaces (Chinese, Japanese, Korean, Thai)
  are set apart, so that any run of them is a phrase: only where the text is not ASCII;
- symbols that carry meaning but are no letters become words: emoji, and `++` and `#` behind a letter (`C++`, `C#`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import tantivy

VERSION = 2

SAID = frozenset({"message", "summary"})
"""Kinds whose text people and models wrote for reading: these get English stems."""

UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    "\u3041-\u30ff\u31f0-\u31ff"  # Kana
    "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003134f"
)
"""Characters of scripts written without spaces, as the inside of a regular expression's set."""

EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
"""Pictures, as the inside of a set. Arrows and box drawing are left out: tools print them by the thousand."""

EMOJI_WORD = "emoji"
"""A picture's word is this and its code point in hexadecimal."""
PLUS_WORD, SHARP_WORD = "plusplus", "hashsharp"

_APART = re.compile(f"([{UNSPACED}])")
_EMOJI = re.compile(f"[{EMOJI}]")
_MARKS = re.compile("[\u0300-\u036f]+")
# Both begin with the symbol, which the engine finds fast, and look back from there.
_PLUS = re.compile(r"\+\+(?<=[^\W_]\+\+)")
_SHARP = re.compile(r"#(?<=[^\W\d_]#)(?!\w)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|[0-9]+")
# Classes of ASCII bytes: a lower-case letter or digit, an upper-case letter, anything else.
_CLASSES = bytes(b"Aa "[0 if chr(b).isupper() else 1 if chr(b).isalnum() else 2] for b in range(128)) + b" " * 128
_LONGEST_IDENTIFIER = 120
"""Longer runs of letters and digits are encoded data, not names."""
_PRINTED_SCAN = 2 * 1024
"""Characters of a tool's output in which identifiers are taken apart."""


def plain_analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer of the fields that are found as they are written."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()


def stem_analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer of the field of English stems."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    return builder.filter(tantivy.Filter.stemmer("english")).build()


def tags_analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer of the field that documents are filtered by: it splits at ASCII blanks, and changes nothing."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


_PLAIN = plain_analyzer()
_STEM = stem_analyzer()


def _symbols(text: str) -> str:
    if "++" in text:
        text = _PLUS.sub(f" {PLUS_WORD} ", text)
    if "#" in text:
        text = _SHARP.sub(f" {SHARP_WORD} ", text)
    return text


def plain(text: str) -> str:
    """Return `text` as the `plain` tokenizer is to see it. Most ASCII comes back as it is."""
    if text.isascii():
        return _symbols(text)
    text = unicodedata.normalize("NFKD", text)
    text = unicodedata.normalize("NFKC", _MARKS.sub("", text)).casefold()
    text = _EMOJI.sub(lambda m: f" {EMOJI_WORD}{ord(m[0]):x} ", text)
    return _APART.sub(r" \1 ", _symbols(text))


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return `text` folded for comparison as a whole: compatibility forms, accents and case gone."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", _MARKS.sub("", text)).casefold()


def terms(text: str) -> list[str]:
    """Return the terms that the index holds for `text` in its fields `text`, `path` and `title`."""
    found: list[str] = _PLAIN.analyze(plain(text))
    return found


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """Return the terms of a query's word; see `terms`."""
    return tuple(terms(text))


@lru_cache(maxsize=16384)
def stem(token: str) -> str:
    """Return the English stem of one term."""
    found = _STEM.analyze(token)
    return found[0] if found else token


def common_beginning(a: str, b: str) -> str:
    """Return the longest beginning that two words share."""
    size = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        size += 1
    return a[:size]


@lru_cache(maxsize=16384)
def split_identifier(word: str) -> tuple[str, ...]:
    """Return the lower-case parts of a camelCase word that have two letters or more, each once, in order."""
    return tuple(dict.fromkeys(p.lower() for p in _PART.findall(word) if len(p) > 1))


def has_identifiers(text: str) -> bool:
    """Tell whether a text holds a camelCase name: 1 µs for a thousand characters."""
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    return b"aA" in classes or b"AAa" in classes


_PARTS = re.compile(rb"[A-Z][a-z]+|[a-z]{2,}|[A-Z]{2,}(?![a-z])|[0-9]{2,}")


def identifier_parts(text: str) -> list[str]:
    """Return the lower-case parts, of two letters or more, of the camelCase identifiers in `text`, each once."""
    # A few passes at memory speed tell most texts to have none: every byte to its class, then a search for "aA"
    # (`getUser`) and one for "AAa" (`HTTPServer`).
    data = text.encode("ascii", "replace")
    classes = data.translate(_CLASSES)
    words: dict[bytes, None] = {}
    for turn in (b"aA", b"AAa"):
        at = classes.find(turn)
        while at >= 0:
            end = classes.find(b" ", at)
            if end < 0:
                end = len(data)
            begin = classes.rfind(b" ", 0, at) + 1
            if end - begin <= _LONGEST_IDENTIFIER:
                words[data[begin:end]] = None
            at = classes.find(turn, end)
    if not words:
        return []
    return list(dict.fromkeys(b" ".join(_PARTS.findall(b" ".join(words))).lower().decode("ascii").split()))


def text_fields(text: str, kind: str) -> tuple[str, str, str]:
    """Return what goes into the fields `text`, `stem` and `parts` for a record's text."""
    indexed = plain(text)
    if kind == "output":
        return indexed, "", " ".join(identifier_parts(text[:_PRINTED_SCAN]))
    return indexed, indexed if kind in SAID else "", " ".join(identifier_parts(text))


@lru_cache(maxsize=4096)
def project_tokens(project: str) -> tuple[str, ...]:
    """Return the filter tokens of a project: its path, every directory above it, every component's name; folded."""
    path = fold(project).rstrip("/") or "/"
    components = [c for c in path.split("/") if c]
    above = ["/" + "/".join(components[:n]) for n in range(len(components) + 1)] if path.startswith("/") else [path]
    return tuple(dict.fromkeys([*above, *components]))
