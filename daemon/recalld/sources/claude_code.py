"""Claude Code: where its files lie, and how a session is reopened. `docs/formats/claude-code.md` has the format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from recalld.model import Fact, Item
from recalld.sources.base import Parser, Resume, SessionView, SourceFile
from recalld.sources.claude_code_history import HistoryParser
from recalld.sources.claude_code_lines import TranscriptParser
from recalld.sources.jsonl import cut, decode, string
from recalld.sources.tree import MAX_TITLE, printable_id

NAME = "claude-code"
_AGENT = "agent-"
_META = ".meta.json"


class ClaudeCode:
    """Claude Code 1.0 to 2.1."""

    name = NAME
    fragments = False
    linear = False
    lineage: Literal["ids", "prefix"] = "ids"
    command = "claude"

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """CLAUDE_CONFIG_DIR, else ~/.claude."""
        given = env.get("CLAUDE_CONFIG_DIR")
        return [expand(given, home)] if given else [home / ".claude"]

    def watched(self, root: Path) -> list[Path]:
        """Return projects/, and the one file beside it that is read; `root` itself is not descended into."""
        return [root / "projects", root / "history.jsonl"]

    def classify(self, root: Path, path: Path) -> SourceFile | None:
        """The layouts, by path: see `docs/formats/claude-code.md`."""
        parts = path.parts[len(root.parts) :]
        name = parts[-1] if parts else ""
        if name.startswith(".") or any(part.startswith(".") for part in parts):
            return None
        if parts == ("history.jsonl",):
            return SourceFile(NAME, root, path, "history", None, "history.jsonl")
        if len(parts) < 3 or parts[0] != "projects":
            return None
        stem, compressed = transcript_stem(name)
        if len(parts) == 3:
            if stem is None:
                return None
            if stem.startswith(_AGENT):  # the older layout: only the lines tell the parent
                return SourceFile(NAME, root, path, "transcript", None, stem, compressed=compressed)
            return SourceFile(NAME, root, path, "transcript", stem, stem, compressed=compressed)
        parent, folder = printable_id(parts[2]), parts[3]
        if folder == "tool-results" and len(parts) == 5 and name.endswith(".txt"):
            return SourceFile(NAME, root, path, "spill", parent, f"{parent}/tool-results/{printable_id(name)}")
        if folder != "subagents" or not name.startswith(_AGENT):
            return None
        if stem is not None:
            session = f"{parent}/{stem}"
            return SourceFile(NAME, root, path, "transcript", session, session, parent, compressed)
        if name.endswith(_META):
            session = f"{parent}/{printable_id(name[: -len(_META)])}"
            return SourceFile(NAME, root, path, "meta", session, f"{session}{_META}", parent)
        return None

    def parser(self, file: SourceFile, state: Mapping[str, Any] | None) -> Parser:
        """A parser for a transcript or for history.jsonl."""
        if file.kind == "history":
            return HistoryParser(state)
        return TranscriptParser(file, file.path.parts[len(file.root.parts) + 1], self._spilled, state)

    def _spilled(self, file: SourceFile, path: object) -> str | None:
        """Return `path` if it is one of this root's spilled outputs. Lexical: a transcript must not get other files
        read, so `..` is resolved before the path is classified, and nothing but tool-results/*.txt passes."""
        if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
            return None
        plain = Path(os.path.normpath(path))
        if not plain.is_relative_to(file.root):
            real = os.path.realpath(file.root)  # the agent may name what the root is a link to
            if not plain.is_relative_to(real):
                return None
            plain = file.root / plain.relative_to(real)
        found = self.classify(file.root, plain)
        return str(plain) if found is not None and found.kind == "spill" else None

    def meta(self, file: SourceFile, data: bytes) -> Iterable[Item]:
        """Yield what agent-<id>.meta.json says of its sub-agent."""
        found = decode(data)
        if isinstance(found, str) or not found or file.session is None:
            return []
        return sub_agent_facts(file, found[0], "toolUseId")

    def resume(self, session: SessionView) -> Resume:
        """`claude --resume ID`, in the session's first directory."""
        return resume_with("claude", session, session.project)


def sub_agent_facts(file: SourceFile, data: Mapping[str, Any], call_key: str) -> list[Item]:
    """Return the facts in a sub-agent's meta file."""
    description = string(data.get("description"))
    value = {
        "type": string(data.get("agentType")),
        "description": cut(description, MAX_TITLE)[0] if description else None,
        "call": string(data.get(call_key)),
    }
    facts: list[Item] = [Fact("sub_agent", value, file.session)]
    if file.parent is not None:
        facts.append(Fact("parent_session", file.parent, file.session))
    return facts


def resume_with(program: str, session: SessionView, cwd: str | None) -> Resume:
    """Return `<program> --resume ID` in `cwd`, with the reason where it cannot work."""
    reason = None
    if session.sub_agent:
        reason = "it is a sub-agent's: resume its parent"
    elif session.source_deleted:
        reason = "its transcript is gone from disk: only recalld still has it"
    elif cwd is None:
        reason = "the directory it ran in is not known"
    return Resume((program, "--resume", session.id), cwd, reason)


def transcript_stem(name: str) -> tuple[str | None, bool]:
    """Return the name of a transcript without .jsonl or .jsonl.zst, and whether it is compressed; (None, False) for
    other files, and for `*.ledger.jsonl`."""
    compressed = name.endswith(".jsonl.zst")
    if not compressed and not name.endswith(".jsonl"):
        return None, False
    stem = name[: -len(".jsonl.zst" if compressed else ".jsonl")]
    if not stem or stem.endswith(".ledger"):
        return None, False
    return printable_id(stem), compressed


def expand(given: str, home: Path) -> Path:
    """Return a directory out of a variable or setting, with a leading `~` as `home`."""
    if given == "~" or given.startswith("~/"):
        return home / given[2:]
    return Path(given)
