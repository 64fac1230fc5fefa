"""Makes untrusted text safe to show in a terminal or to hand to a model. Light: the standard library alone.

What sessions hold was written by programs, web pages and strangers. An escape sequence can rewrite what a terminal
shows, a bidi override what a person reads, and invisible characters carry instructions that only a model sees. None of
them passes here; everything that can be seen does.
"""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"""(?x)
      (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?          # CSI: colours, cursor
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])    # OSC, DCS, SOS, PM, APC: links, titles, clipboard …
      [^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?    # … to their end, or the line's where they have none
    | \x1b[ -/]*[0-~]?    # all other escapes
    """
)
_LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]+")

_ARABIC_AND_INDIC = (
    "\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0e80-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18af"
    "\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff"
)
"""Scripts whose spelling needs joiners and non-joiners between letters."""
_PICTURES = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
"""Emoji, arrows and symbols: what a variation selector or a joiner may follow."""

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, without tab and newline
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width space, bidi marks, embeddings, overrides, isolates
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and the other variation selectors: whole sentences fit in there unseen
    "]+"
)
_SELECTOR = re.compile(
    f"(?<![{_PICTURES}0-9#*\u00a9\u00ae\u203c\u2049\u2122\u2139])[\ufe0e\ufe0f]+|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]+"
)
_JOINER = re.compile(
    f"(?<=[{_ARABIC_AND_INDIC}])([\u200c\u200d])(?=[{_ARABIC_AND_INDIC}])"
    f"|(?<=[{_PICTURES}\ufe0f])(\u200d)(?=[{_PICTURES}])"
    "|[\u200c\u200d]+"
)
"""Joiners that stay, in groups 1 and 2, and those that go."""
_PLAIN = re.compile(r"[\t\n -~]*")
_SPACE = re.compile(r"\s+")


def _kept(joiner: re.Match[str]) -> str:
    return joiner[1] or joiner[2] or ""


def clean(text: str) -> str:
    """Return `text` without control characters (tab and newline stay), escape sequences, bidi controls and invisible
    characters. Line ends become newlines, lone surrogates U+FFFD. Joiners stay inside emoji and where a script's
    spelling needs them. Idempotent; never raises; linear in the text."""
    if text.isascii() and _PLAIN.fullmatch(text):
        return text
    if "\x1b" in text or not text.isascii():
        text = _ESCAPES.sub("", text)
    text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    if text.isascii():
        return text
    text = _SURROGATES.sub("\ufffd", text)
    # Selectors first: a joiner counts what stands before it once the stray ones are gone.
    return _JOINER.sub(_kept, _SELECTOR.sub("", text))


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line: every run of white space is one space, none at the ends."""
    return _SPACE.sub(" ", clean(text)).strip()


def marked(text: str, highlights: list[list[int]]) -> list[tuple[str, bool]]:
    """Cut `text` at `highlights` ([start, end) in code points of `text`) into cleaned pieces: (piece, is highlighted).

    Ranges that overlap, lie outside or are out of order do no harm. Line ends become spaces.
    """
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in sorted((int(h[0]), int(h[1])) for h in highlights if len(h) == 2):
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        pieces.append((text[at:start], False))
        pieces.append((text[start:end], True))
        at = end
    pieces.append((text[at:], False))
    flat = [(_SPACE.sub(" ", clean(piece)), lit) for piece, lit in pieces]
    return [(piece, lit) for piece, lit in flat if piece]
