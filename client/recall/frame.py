"""The frame around history that is handed to a model. In transcripts it comes back, never to be read again.

Light on purpose: hooks write it, sources look for it.
"""

OPEN = "<recalld-context"
"""How the opening tag begins; attributes may follow."""

CLOSE = "</recalld-context>"


def strip(text: str) -> str:
    """Return `text` without the frames in it and what they hold. An opening tag without its closing one is prose."""
    start = text.find(OPEN)
    if start < 0:
        return text
    kept: list[str] = []
    at = 0
    while start >= 0:
        end = text.find(CLOSE, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(CLOSE)
        start = text.find(OPEN, at)
    kept.append(text[at:])
    return "".join(kept)
