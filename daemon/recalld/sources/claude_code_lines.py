"""Claude Code's lines: transcripts of sessions and sub-agents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recall import frame
from recalld.model import Fact, Item, Record
from recalld.sources import said
from recalld.sources.base import Line, SourceFile
from recalld.sources.jsonl import count_unknown, cut, exit_status, integer, string, text_of
from recalld.sources.tools import SHELL, call_record, runs_recall
from recalld.sources.tree import TreeParser, message, summary

Spilled = Callable[[SourceFile, object], str | None]
"""Returns a path of the agent's own tool results, or None for any other."""

BOOKKEEPING = frozenset(
    {
        "attachment",
        "progress",
        "file-history-snapshot",
        "file-history-delta",
        "queue-operation",
        "permission-mode",
        "mode",
        "worktree-state",
        "relocated",
        "bridge-session",
        "tools-used",
        "cost-state",
        "atis-latch",
        "api-request",
        "api-request-shape",
        "api-request-blob",
    }
)
"""Types that make no records. Those that carry a uuid are links of the tree."""

RANK_CUSTOM, RANK_AGENT_NAME, RANK_AI, RANK_SUMMARY = 30, 25, 20, 10

_SYNTHETIC = "<synthetic>"
"""What stands for the model where the agent itself wrote an assistant message."""
_NO_CONTENT = "(no content)"
_MAX_ROOTS = 64
"""Nodes of inline side conversations that are remembered, to find the next one's root."""


class TranscriptParser(TreeParser):
    """One transcript. The session is the file's, whatever the lines' sessionId say, but for conversations of
    sub-agents that old versions wrote into their parent's file."""

    def __init__(self, file: SourceFile, directory: str, spilled: Spilled, state: Mapping[str, Any] | None) -> None:
        super().__init__(file, directory, state)
        kept = state or {}
        self._spilled = spilled
        self._session: str | None = kept.get("session", file.session)
        self._parent: str | None = kept.get("parent", file.parent)
        self._is_sub_agent = file.parent is not None or file.session is None
        self._roots: dict[str, str] = dict(kept.get("roots", {}))
        self._own_shell: bool = kept.get("own_shell", False)

    def state(self) -> dict[str, Any]:
        kept = super().state()
        if self._file.session is None:
            kept |= {"session": self._session, "parent": self._parent}
        if self._roots:
            kept["roots"] = dict(self._roots)
        if self._own_shell:
            kept["own_shell"] = True
        return kept

    def feed(self, line: Line) -> Iterable[Item]:
        """Yield what the line holds."""
        data = line.data
        kind = data.get("type")
        self._remember_place(data)
        items: list[Item] = []
        session = self._session_of(line, items)
        records: list[Record] = []
        if kind == "user":
            records = self._user(data)
        elif kind == "assistant":
            records = self._assistant(data)
        elif kind == "system":
            if data.get("subtype") == "compact_boundary":
                items.append(self._compaction(line, session))
        elif not isinstance(kind, str) or kind not in BOOKKEEPING:
            items += self._about_session(line, kind, session)
        inherited = False
        if "forkedFrom" in data:
            inherited, facts = self._fork(line, session)
            items += facts
        if records and self._cwd is None:
            items += self._probe(line, session)
        node = self._node(line, session, _parent(data), records, inherited)
        if node is not None:
            items.append(node)
        return items

    # -- whose line it is ----------------------------------------------------------------------------------------------

    def _session_of(self, line: Line, items: list[Item]) -> str:
        data = line.data
        if self._is_sub_agent:
            if self._session is None:
                self._parent = string(data.get("sessionId"))
                self._session = f"{self._parent}/{self._file.logical}" if self._parent else self._file.logical
            if not self._told:
                self._told = True
                items += self._sub_agent(line, self._session, self._parent)
            return self._session
        session = self._session or ""
        if data.get("isSidechain") is True:
            return self._side_conversation(line, session, items)
        return session

    def _side_conversation(self, line: Line, parent_session: str, items: list[Item]) -> str:
        """A sub-agent's line in its parent's file: the session is named after the agent, else after the first node."""
        data = line.data
        uid, up = string(data.get("uuid")), string(data.get("parentUuid"))
        known = self._roots.get(up) if up else None
        root = known or string(data.get("agentId"))
        if root is None:
            # A prompt begins a conversation; anything else goes on with the last one, whose nodes were forgotten.
            begins = up is None or not self._roots or isinstance(_content(data), str)
            root = (uid or f"line-{line.place}") if begins else next(reversed(self._roots.values()))
        session = f"{parent_session}/agent-{root}"
        if root not in self._roots.values():
            items += self._sub_agent(line, session, parent_session)
        if uid:
            self._roots[uid] = root
            if len(self._roots) > _MAX_ROOTS:
                del self._roots[next(iter(self._roots))]
        return session

    def _sub_agent(self, line: Line, session: str, parent: str | None) -> list[Fact]:
        value = {"type": None, "description": None, "call": None}
        facts = [self._fact("sub_agent", value, session, line)]
        if parent:
            facts.append(self._fact("parent_session", parent, session, line))
        return facts

    # -- what it says of the session -----------------------------------------------------------------------------------

    def _about_session(self, line: Line, kind: object, session: str) -> list[Fact]:
        data = line.data
        if kind == "summary":
            leaf = string(data.get("leafUuid"))
            return self._title(data.get("summary"), RANK_SUMMARY, None if leaf else session, line, leaf)
        if kind == "custom-title":
            return self._title(data.get("customTitle"), RANK_CUSTOM, session, line)
        if kind == "agent-name":
            return self._title(data.get("agentName"), RANK_AGENT_NAME, session, line)
        if kind == "ai-title":
            return self._title(data.get("aiTitle"), RANK_AI, session, line)
        if kind == "last-prompt":
            leaf = string(data.get("leafUuid"))
            return [self._fact("live_leaf", leaf, session, line)] if leaf else []
        if kind == "pr-link":
            url = string(data.get("prUrl")) or string(data.get("url"))
            return [self._fact("link", url, session, line)] if url else []
        count_unknown(self.unknown, kind)
        return []

    def _compaction(self, line: Line, session: str) -> Fact:
        found = line.data.get("compactMetadata")
        counts = found if isinstance(found, dict) else {}
        value = {
            "before": integer(counts.get("preTokens")),
            "after": integer(counts.get("postTokens")),
            "messages": integer(counts.get("messagesSummarized")),
        }
        return self._fact("compaction", value, session, line)

    # -- what was said and done ----------------------------------------------------------------------------------------

    def _user(self, data: Mapping[str, Any]) -> list[Record]:
        if data.get("isMeta") is True:
            return []
        content = _content(data)
        if data.get("isCompactSummary") is True:
            text = said.without_continued(frame.strip(text_of(content)).strip())
            return [summary(text)] if text else []
        if isinstance(content, str):
            return self._person(content)
        if not isinstance(content, list):
            return []
        records: list[Record] = []
        texts: list[str] = []
        place = 0
        results = sum(1 for block in content if isinstance(block, dict) and block.get("type") == "tool_result")
        for entry in content:
            block = {"type": "text", "text": entry} if isinstance(entry, str) else entry
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result":
                record = self._output(block, data.get("toolUseResult") if results == 1 else None)
                if record is not None:
                    records.append(record)
            elif isinstance(written := block.get("text"), str):
                if not texts:
                    place = len(records)
                texts.append(written)
        if len(texts) == 1:
            records[place:place] = self._person(texts[0])
        elif texts:
            whole = "\n".join(text for text in map(said.claude, texts) if text)
            records[place:place] = self._said(whole)
        return records

    def _person(self, text: str) -> list[Record]:
        if text.startswith("<bash-"):
            return self._own_command(text)
        return self._said(said.claude(text))

    def _said(self, text: str) -> list[Record]:
        if text.startswith(said.CONTINUED):
            # Older versions do not mark the summary they go on from.
            summarized = "summar" in text[:400]
            text = said.without_continued(text)
            if text and summarized:
                return [summary(text)]
        return [message("user", text)] if text else []

    def _own_command(self, text: str) -> list[Record]:
        """A command that the person ran with `!`, or what it printed."""
        command = said.block(text, "bash-input")
        if command:
            self._own_shell = runs_recall(command)
            command, truncated = cut(frame.strip(command))
            return [Record("user", "command", command, command=command, truncated=truncated)]
        if self._own_shell:
            return []
        parts = (said.block(text, "bash-stdout"), said.block(text, "bash-stderr"))
        printed, truncated = cut(said.output("\n".join(part for part in parts if part)))
        return [Record("tool", "output", printed, truncated=truncated)] if printed else []

    def _output(self, block: Mapping[str, Any], result: object) -> Record | None:
        call = string(block.get("tool_use_id"))
        tool, own = self._calls.answer(call)
        if own:
            return None
        text = text_of(block.get("content"))
        structured = result if isinstance(result, dict) else {}
        if not text:
            text = _structured_text(result)
        flag = block.get("is_error")
        is_error = flag if isinstance(flag, bool) else None
        status = integer(structured.get("exitCode"))
        if status is None and (tool is None or tool in SHELL):
            status = exit_status(text)
        if is_error is None and status is not None:
            is_error = status != 0
        side = structured.get("persistedOutputPath")
        if side is not None:
            side = self._spilled(self._file, side)
        text, truncated = cut(said.output(text))
        return Record(
            "tool",
            "output",
            text,
            tool=tool,
            exit_status=status,
            is_error=is_error,
            call=call,
            side=side,
            truncated=truncated,
        )

    def _assistant(self, data: Mapping[str, Any]) -> list[Record]:
        content = _content(data)
        model = string(data["message"].get("model")) if isinstance(data.get("message"), dict) else None
        if model == _SYNTHETIC:
            model = None
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            return []
        records: list[Record] = []
        texts: list[str] = []
        place = 0
        for block in content:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "text":
                text = block.get("text")
                if isinstance(text, str) and (text := frame.strip(text).strip()) and text != _NO_CONTENT:
                    if not texts:
                        place = len(records)
                    texts.append(text)
            elif kind in ("tool_use", "server_tool_use"):
                name = string(block.get("name")) or "unknown"
                record = call_record(name, block.get("input"), string(block.get("id")), model)
                self._calls.add(record)
                records.append(record)
        if texts:
            records.insert(place, message("assistant", "\n".join(texts), model))
        return records


def _content(data: Mapping[str, Any]) -> object:
    found = data.get("message")
    return found.get("content") if isinstance(found, dict) else None


def _parent(data: Mapping[str, Any]) -> str | None:
    """The parent's uuid; across a compaction, the node before it."""
    if data.get("subtype") == "compact_boundary":
        return string(data.get("logicalParentUuid")) or string(data.get("parentUuid"))
    return string(data.get("parentUuid")) or string(data.get("logicalParentUuid"))


def _structured_text(result: object) -> str:
    """The output in structured form, for results without text."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        parts = (result.get("stdout"), result.get("stderr"))
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return ""
