"""The frame around history that is handed to a model. In transcripts it comes back, never to be read again.

Light on purpose: hooks write it, sources look for it.
"""

OPEN = "<recalld-context"
"""How the opening tag begins; attributes may follow."""

CLOSE = "</recalld-context>"

_AS_WRITTEN = (OPEN, CLOSE)
_ESCAPED = ("&lt;recalld-context", "&lt;/recalld-context&gt;")
"""How Qwen Code puts the context of a hook behind a tool's output."""


def strip(text: str) -> str:
    """Return `text` without the frames in it and what they hold. An opening tag without its closing one is prose."""
    for opening, closing in (_AS_WRITTEN, _ESCAPED):
        if opening in text:
            text = _without(text, opening, closing)
    return text


def _without(text: str, opening: str, closing: str) -> str:
    kept: list[str] = []
    at = 0
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
        start = text.find(opening, at)
    kept.append(text[at:])
    return "".join(kept)
