"""Text analysis: what becomes of text on its way into the index, and of query words on theirs.

The index's `plain` tokenizer splits at everything that is not a letter or digit and lowercases. What it cannot do is
done here first, and only where the text is not ASCII: compatibility forms and accents are folded, and characters of
scripts without spaces (Chinese, Japanese, Korean, Thai) are set apart, so that any run of them is a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

VERSION = 1

SAID = frozenset({"message", "summary"})
"""Kinds whose text people and models wrote for reading: these get English stems."""

_UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    "\u3041-\u30ff\u31f0-\u31ff"  # Kana
    "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003134f"
)
_APART = re.compile(f"([{_UNSPACED}])")
_MARKS = re.compile("[\u0300-\u036f]+")
_CAMEL = re.compile(r"[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|[0-9]+")


def plain(text: str) -> str:
    """Return `text` as the `plain` tokenizer is to see it. ASCII comes back as it is."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text)
    text = unicodedata.normalize("NFKC", _MARKS.sub("", text))
    return _APART.sub(r" \1 ", text.casefold())


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return `text` folded for comparison as a whole: compatibility forms, accents and case gone."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", _MARKS.sub("", text)).casefold()


def identifier_parts(text: str) -> list[str]:
    """Return the lower-case parts of the camelCase identifiers in `text`, each once, in order."""
    found: dict[str, None] = {}
    for word in _CAMEL.findall(text):
        for part in _PART.findall(word):
            if len(part) > 1:
                found[part.lower()] = None
    return list(found)


def text_fields(text: str, kind: str) -> tuple[str, str, str]:
    """Return what goes into the fields `text`, `stem` and `parts` for a record's text."""
    indexed = plain(text)
    return indexed, indexed if kind in SAID else "", " ".join(identifier_parts(text))


@lru_cache(maxsize=4096)
def project_tokens(project: str) -> tuple[str, ...]:
    """Return the filter tokens of a project: its path, every directory above it, every component's name; folded."""
    path = fold(project).rstrip("/") or "/"
    components = [c for c in path.split("/") if c]
    above = ["/" + "/".join(components[:n]) for n in range(len(components) + 1)] if path.startswith("/") else [path]
    return tuple(dict.fromkeys([*above, *components]))
