"""The two side files: `history.jsonl`, what people typed, and `session_index.jsonl`, the names of threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recalld.model import Fact, Item, Message, Record
from recalld.sources.base import Line
from recalld.sources.codex.injected import without_injected
from recalld.sources.codex.thread import TITLE_RANK
from recalld.sources.jsonl import count_unknown, cut, epoch_ms, string


class HistoryParser:
    """Reads {session_id, ts, text}: a person's prompts, for sessions whose rollout is gone."""

    def __init__(self, state: Mapping[str, Any] | None) -> None:
        self.unknown: dict[str, int] = {}
        self._last: str | None = (state or {}).get("last")

    def state(self) -> dict[str, Any]:
        return {"last": self._last}

    def feed(self, line: Line) -> Sequence[Item]:
        session, typed = string(line.data.get("session_id")), line.data.get("text")
        if session is None or not isinstance(typed, str):
            count_unknown(self.unknown, "history")
            return ()
        text = without_injected(typed)
        if not text:
            return ()
        kept, truncated = cut(text)
        time = epoch_ms(line.data.get("ts"))
        uid = f"history-{line.place}"
        record = Record("user", "message", kept, id=uid, truncated=truncated)
        said = Message(session, uid, None, time, line.offset, line.length, [record])
        if session == self._last:
            return (said,)
        self._last = session
        return (said, Fact("prompt_only", True, session, None, time, line.offset))


class NamesParser:
    """Reads {id, thread_name, updated_at}: a thread's name; the last line about it counts."""

    def __init__(self) -> None:
        self.unknown: dict[str, int] = {}

    def state(self) -> dict[str, Any]:
        return {}

    def feed(self, line: Line) -> Sequence[Item]:
        session, name = string(line.data.get("id")), line.data.get("thread_name")
        if session is None or not isinstance(name, str):
            count_unknown(self.unknown, "session_index")
            return ()
        if not name.strip():
            return ()
        at = epoch_ms(line.data.get("updated_at"))
        value = {"text": name.strip(), "rank": TITLE_RANK, "at": at}
        return (Fact("title", value, session, None, at, line.offset),)
