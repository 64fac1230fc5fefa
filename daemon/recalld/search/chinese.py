"""Simplified and traditional Chinese: the other ways to write a word.

Which characters belong together is OpenCC's knowledge (the reference for this, with wheels for every platform of ours).
Its character table is taken over once, at the first word that needs it (16 ms, 7 MB), and asked by character: what is
indexed stays as it was written, so texts cost nothing, and a character has the same neighbours in both scripts. Words
that the regions write with different characters (軟體, 软件) are different words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice, product

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000))
"""The basic plane: what is beyond are characters of names and of dictionaries."""
MOST_WRITINGS = 16
"""Writings of a word that are looked for: four characters that have two each, or any number in one script throughout."""
_MOST_MIXED = 256


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    """Return, for every character that has one, its group: the simplified character and all that are simplified to it."""
    import opencc  # here: most people never ask in Chinese, and the process that indexes never does

    characters = [chr(code) for low, high in _RANGES for code in range(low, high)]
    simplified = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    members: dict[str, list[str]] = {}
    for character, simple in zip(characters, simplified, strict=True):
        if character != simple and len(simple) == 1:
            members.setdefault(simple, [simple]).append(character)
    groups = [tuple(group) for group in members.values()]
    return {character: group for group in groups for character in group}


def writings(tokens: tuple[str, ...], held: Callable[[str], object]) -> list[tuple[str, ...]]:
    """Return the other ways to write a word, of characters that the index holds (`held`), at most MOST_WRITINGS: first
    those in one script."""
    if not any(HAN.match(token) for token in tokens):
        return []
    groups = _groups()
    choices = [[t for t in groups.get(token, (token,)) if held(t)] for token in tokens]
    if not all(choices):
        return []
    simplified = [[t for t in c if t == groups.get(t, (t,))[0]] or c for c in choices]
    traditional = [[t for t in c if t not in groups or t != groups[t][0]] or c for c in choices]
    mixed = islice(product(*choices), _MOST_MIXED)
    found = dict.fromkeys([*islice(product(*simplified), 1), *islice(product(*traditional), MOST_WRITINGS), *mixed])
    found.pop(tokens, None)
    return [*found][:MOST_WRITINGS]
