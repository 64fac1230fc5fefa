"""Qwen Code's lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from recall import frame
from recalld.model import Fact, Item, Record, Role
from recalld.sources import said
from recalld.sources.base import Line, SourceFile
from recalld.sources.jsonl import count_unknown, cut, exit_status, integer, string
from recalld.sources.qwen_code_parts import Response, call_of, parts_of, response_of, speaker_of
from recalld.sources.tools import SHELL, call_record
from recalld.sources.tree import TreeParser, message, summary

RANK_TITLE = 30
"""Of titles given and made alike: the last one counts. Qwen Code makes none in place of a given one unless it is told to."""

_LABELLED = frozenset({"notification", "cron", "mid_turn_user_message", "background_task_completed"})
"""Subtypes of user lines whose displayText is a label, not what was typed."""
_HARNESS = frozenset({"notification", "background_task_completed"})
"""Subtypes of user lines that the harness wrote for the model to read."""
_HARNESS_PROVENANCE = frozenset({"system", "goal_control", "goal_runtime"})

BOOKKEEPING = frozenset(
    {
        "ui_telemetry",
        "attribution_snapshot",
        "file_history_snapshot",
        "rewind",
        "branch_checkpoint",
        "user_text_elements",
        "omni_recall",
        "background_task_completed",
        "realtime_message",
    }
)
_BOOKKEEPING_FAMILIES = ("session_", "goal_", "agent_", "managed_session_")
"""Subtypes of system lines that make no records. They are links of the tree."""

_SUMMARY_KEYS = ("text", "notes", "summary", "resultText", "content")
_MAX_SAID = 16
"""Texts of answers and summaries that are remembered, to index a repeated one once."""


class TranscriptParser(TreeParser):
    """One transcript. Lines with one uuid are fragments of one message: their texts are one record, which comes first
    where the first text stood, so that merging them is joining the texts."""

    def __init__(self, file: SourceFile, directory: str, state: Mapping[str, Any] | None) -> None:
        super().__init__(file, directory, state)
        self._session = file.session or file.logical
        self._said: list[str] = list((state or {}).get("said", ()))

    def state(self) -> dict[str, Any]:
        kept = super().state()
        if self._said:
            kept["said"] = list(self._said)
        return kept

    def feed(self, line: Line) -> Iterable[Item]:
        """Yield what the line holds."""
        data = line.data
        kind = speaker_of(data)
        session = self._session
        before = self._cwd
        self._remember_place(data)
        items: list[Item] = []
        if not self._told:
            self._told = True
            items += self._sub_agent(line)
        if before is not None and self._cwd != before:
            items.append(self._fact("resume_project", self._cwd, session, line))
        records: list[Record] = []
        if kind == "system":
            records = self._system(line, items)
        elif kind == "assistant":
            records = self._assistant(data)
        elif kind == "user":
            records = self._user(data)
        elif kind == "tool_result":
            records = self._tool_result(data)
        else:
            count_unknown(self.unknown, data.get("type"))
        inherited = False
        if "forkedFrom" in data:
            inherited, facts = self._fork(line, session)
            items += facts
        if records and self._cwd is None:
            items += self._probe(line, session)
        node = self._node(line, session, string(data.get("parentUuid")), records, inherited)
        if node is not None:
            if kind == "assistant" and not records:
                node.model = string(data.get("model"))
            items.append(node)
        return items

    def _sub_agent(self, line: Line) -> list[Fact]:
        if self._file.parent is None:
            return []
        # The meta file, which may not be there, knows more.
        value = {"type": string(line.data.get("agentName")), "description": None, "call": None}
        return [
            self._fact("sub_agent", value, self._session, line),
            self._fact("parent_session", self._file.parent, self._session, line),
        ]

    # -- system lines --------------------------------------------------------------------------------------------------

    def _system(self, line: Line, items: list[Item]) -> list[Record]:
        subtype = string(line.data.get("subtype"))
        if subtype == "rewind" and (uid := string(line.data.get("uuid"))):
            items.append(self._fact("live_leaf", uid, self._session, line))
        if subtype in BOOKKEEPING:
            return []
        found = line.data.get("systemPayload")
        payload = found if isinstance(found, dict) else {}
        if subtype == "chat_compression":
            items.append(self._compaction(line, payload))
        elif subtype == "custom_title":
            items += self._title(payload.get("customTitle"), RANK_TITLE, self._session, line)
        elif subtype == "parent_session":
            parent = string(payload.get("parentSessionId"))
            if parent:
                items.append(self._fact("parent_session", parent, self._session, line))
        elif subtype == "slash_command":
            return self._slash_command(payload)
        elif subtype == "at_command":
            return self._at_command(payload)
        elif subtype in ("session_notes", "turn_result"):
            return self._summary(payload)
        elif subtype is None or not subtype.startswith(_BOOKKEEPING_FAMILIES):
            count_unknown(self.unknown, f"system/{subtype}" if subtype else "system")
        return []

    def _compaction(self, line: Line, payload: Mapping[str, Any]) -> Fact:
        found = payload.get("info")
        info = found if isinstance(found, dict) else {}
        history = payload.get("compressedHistory")
        value = {
            "before": integer(info.get("originalTokenCount")),
            "after": integer(info.get("newTokenCount")),
            "messages": len(history) if isinstance(history, list) else None,
        }
        return self._fact("compaction", value, self._session, line)

    def _slash_command(self, payload: Mapping[str, Any]) -> list[Record]:
        typed = payload.get("rawCommand")
        if payload.get("phase") == "result" or not isinstance(typed, str):
            return []
        typed = said.qwen(typed)
        return [message("user", typed)] if typed else []

    def _at_command(self, payload: Mapping[str, Any]) -> list[Record]:
        found = payload.get("filesRead")
        paths = tuple(path for path in found if isinstance(path, str) and path) if isinstance(found, list) else ()
        if not paths:
            return []
        text, truncated = cut("\n".join(paths))
        return [Record("user", "read", text, paths=paths[:200], truncated=truncated)]

    def _summary(self, payload: Mapping[str, Any]) -> list[Record]:
        """Notes of a session, or the result of a turn, which mostly repeats the last answer and is then left out."""
        text = next((text for key in _SUMMARY_KEYS if (text := string(payload.get(key)))), "")
        text = frame.strip(text).strip()
        return [summary(text)] if text and self._first_time(text) else []

    def _first_time(self, text: str) -> bool:
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        if digest in self._said:
            return False
        self._said.append(digest)
        del self._said[:-_MAX_SAID]
        return True

    # -- messages ------------------------------------------------------------------------------------------------------

    def _user(self, data: Mapping[str, Any]) -> list[Record]:
        answers = [found for part in parts_of(data) if "functionResponse" in part and (found := response_of(part))]
        return [*self._said_by(data), *self._outputs(answers, {}, "")]

    def _said_by(self, data: Mapping[str, Any]) -> list[Record]:
        subtype = string(data.get("subtype"))
        role: Role = "user"
        if subtype in _HARNESS or (subtype not in _LABELLED and string(data.get("provenance")) in _HARNESS_PROVENANCE):
            role = "system"
        if subtype not in _LABELLED:
            payload = data.get("systemPayload")
            typed = payload.get("displayText") if isinstance(payload, dict) else None
            if isinstance(typed, str) and (typed := said.qwen(typed)):
                return [message(role, typed)]
        texts = [
            text
            for part in parts_of(data)
            if not part.get("thought") and isinstance(raw := part.get("text"), str) and (text := said.qwen(raw))
        ]
        text = said.without_files("\n".join(texts))
        return [message(role, text)] if text else []

    def _assistant(self, data: Mapping[str, Any]) -> list[Record]:
        model = string(data.get("model"))
        records: list[Record] = []
        texts: list[str] = []
        place = 0
        for part in parts_of(data):
            if part.get("thought"):
                continue
            text = part.get("text")
            if isinstance(text, str):
                if text := frame.strip(text).strip():
                    if not texts:
                        place = len(records)
                    texts.append(text)
                continue
            found = call_of(part)
            if found is not None:
                record = call_record(*found, model)
                self._calls.add(record)
                records.append(record)
        if texts:
            whole = "\n".join(texts)
            self._first_time(whole)
            records.insert(place, message("assistant", whole, model))
        return records

    def _tool_result(self, data: Mapping[str, Any]) -> list[Record]:
        found = data.get("toolCallResult")
        result = found if isinstance(found, dict) else {}
        parts = parts_of(data)
        responses = [response for part in parts if (response := response_of(part)) is not None]
        if not responses and result:
            responses = [(string(result.get("callId")), string(result.get("toolName")), "", False)]
        beside = "\n".join(text for part in parts if isinstance(text := part.get("text"), str))
        return self._outputs(responses, result, beside)

    def _outputs(self, responses: list[Response], result: Mapping[str, Any], beside: str) -> list[Record]:
        records: list[Record] = []
        for call, name, text, failed in responses:
            known, own = self._calls.answer(call)
            if own:
                continue
            about = result if len(responses) == 1 or result.get("callId") == call else {}
            tool = known or name or string(about.get("toolName"))
            if len(responses) == 1 and beside:
                text = f"{text}\n{beside}" if text else beside
            if not text:
                text = string(about.get("resultDisplay")) or ""
            status = exit_status(text) if tool in SHELL else None
            text, truncated = cut(said.output(text))
            records.append(
                Record(
                    "tool",
                    "output",
                    text,
                    tool=tool,
                    exit_status=status,
                    is_error=_is_error(about.get("status"), failed, status),
                    call=call,
                    truncated=truncated,
                )
            )
        return records


_STATUS = {"error": True, "success": False}


def _is_error(status: object, failed: bool, code: int | None) -> bool | None:
    flag = _STATUS.get(status) if isinstance(status, str) else None
    if flag is None and failed:
        return True
    if flag is None and code is not None:
        return code != 0
    return flag
