"""Claude Code's history of typed prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recalld.model import NO_LINKS, Fact, Item, Message
from recalld.sources import said
from recalld.sources.base import Line
from recalld.sources.jsonl import epoch_ms, string
from recalld.sources.tree import message


class HistoryParser:
    """history.jsonl: typed prompts, of sessions whose transcripts may be gone."""

    MAX_SESSIONS = 64
    """Sessions of which it is remembered that they were named; beyond, one is named again, which changes nothing."""

    def __init__(self, state: Mapping[str, Any] | None) -> None:
        self.unknown: dict[str, int] = {}
        self._named: dict[str, None] = dict.fromkeys((state or {}).get("named", ()))

    def state(self) -> dict[str, Any]:
        return {"named": list(self._named)}

    def feed(self, line: Line) -> Iterable[Item]:
        """Yield the prompt; nothing where it belongs to no session."""
        data = line.data
        session = string(data.get("sessionId"))
        text = _with_pasted(data)
        if session is None or not text:
            return []
        items: list[Item] = []
        time = epoch_ms(data.get("timestamp"))
        if session not in self._named:
            self._named[session] = None
            if len(self._named) > self.MAX_SESSIONS:
                del self._named[next(iter(self._named))]
            items.append(Fact("prompt_only", True, session, None, time, line.offset))
        items.append(
            Message(
                session,
                f"history-{line.place}",
                NO_LINKS,
                time,
                line.offset,
                line.length,
                [message("user", text)],
                string(data.get("project")),
            )
        )
        return items


def _with_pasted(data: Mapping[str, Any]) -> str:
    """The prompt, with pasted texts in the places of their `[Pasted text #1 …]` marks."""
    text = data.get("display")
    if not isinstance(text, str):
        return ""
    pasted = data.get("pastedContents")
    if isinstance(pasted, dict) and "[Pasted text #" in text:
        for number, found in pasted.items():
            content = found.get("content") if isinstance(found, dict) else found
            start = text.find(f"[Pasted text #{number}")
            end = text.find("]", start) if start >= 0 else -1
            if end >= 0 and isinstance(content, str) and text[start + 14 + len(number)] in " ]":
                text = text[:start] + content + text[end + 1 :]
    return said.claude(text)
