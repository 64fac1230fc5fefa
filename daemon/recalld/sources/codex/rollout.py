"""The parser of a rollout file: one line in, its records and facts out. `docs/formats/codex.md` has the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recalld.model import Item
from recalld.sources.base import Line, SourceFile
from recalld.sources.codex.lines import EVENTS, ITEMS, LINES, RESPONSES
from recalld.sources.codex.thread import Json, Thread
from recalld.sources.jsonl import count_unknown, string


class RolloutParser:
    """Reads one rollout. See `base.Parser`."""

    def __init__(self, file: SourceFile, segment: str | None, state: Mapping[str, Any] | None) -> None:
        """`segment` is the part of the file's name that tells it from the thread's first file, or None."""
        self.unknown: dict[str, int] = {}
        self._thread = Thread(file, segment, state)

    def state(self) -> dict[str, Any]:
        return self._thread.state()

    def feed(self, line: Line) -> Sequence[Item]:
        data = line.data
        kind, payload = data.get("type"), data.get("payload")
        prefix = ""
        if not isinstance(payload, dict):  # before September 2025 lines had no envelope
            if kind is None:
                return self._header(line, data)
            table, payload = RESPONSES, data
        elif kind == "response_item":
            table, prefix, kind = RESPONSES, "response_item/", payload.get("type")
        elif kind == "event_msg":
            table, prefix, kind = EVENTS, "event_msg/", payload.get("type")
            if kind == "item_completed" and isinstance(item := payload.get("item"), dict):
                table, prefix, payload, kind = ITEMS, "item_completed/", item, item.get("type")
        else:
            table = LINES
        if not isinstance(kind, str) or kind not in table:
            count_unknown(self.unknown, prefix + kind if isinstance(kind, str) else kind)
            return ()
        handler = table[kind]
        if handler is None or not self._thread.begin(line, kind):
            return ()
        return handler(self._thread, payload)

    def _header(self, line: Line, data: Json) -> Sequence[Item]:
        """A line without envelope and type: the file's header, or a state marker."""
        if string(data.get("id")) and ("timestamp" in data or "instructions" in data):
            self._thread.begin(line, None)
            return self._thread.meta(data)
        if "record_type" not in data:
            count_unknown(self.unknown, None)
        return ()
