"""Qwen Code: where its files lie, and how a session is reopened. `docs/formats/qwen-code.md` has the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson

from recalld.model import Item
from recalld.sources.base import Parser, Resume, SessionView, SourceFile
from recalld.sources.claude_code import expand, resume_with, sub_agent_facts, transcript_stem
from recalld.sources.jsonl import decode, string
from recalld.sources.qwen_code_lines import TranscriptParser
from recalld.sources.tree import printable_id

NAME = "qwen-code"
_AGENT = "agent-"
_META = ".meta.json"
_SESSION = re.compile("[0-9a-fA-F-]{32,36}")
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


class QwenCode:
    """Qwen Code 0.8 to 0.24."""

    name = NAME
    fragments = True
    linear = True
    lineage: Literal["ids", "prefix"] = "ids"
    command = "qwen"

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """QWEN_RUNTIME_DIR, else the setting advanced.runtimeOutputDir, else QWEN_HOME, else ~/.qwen: always one."""
        given = env.get("QWEN_HOME")
        base = expand(given, home) if given else home / ".qwen"
        runtime = env.get("QWEN_RUNTIME_DIR")
        if runtime:
            return [expand(runtime, home)]
        return [_runtime_setting(base / "settings.json", home) or base]

    def watched(self, root: Path) -> list[Path]:
        """Return projects/, and tmp/projects/ where versions around 0.14 wrote."""
        return [root / "projects", root / "tmp" / "projects"]

    def classify(self, root: Path, path: Path) -> SourceFile | None:
        """The layouts, by path: see `docs/formats/qwen-code.md`."""
        parts = path.parts[len(root.parts) :]
        if parts[:1] == ("tmp",):
            parts = parts[1:]
        if len(parts) < 4 or parts[0] != "projects":
            return None
        name, folder = parts[-1], parts[2]
        stem, compressed = transcript_stem(name)
        if folder == "chats":
            in_chats = len(parts) == 4 or (len(parts) == 5 and parts[3] == "archive")
            if not in_chats or stem is None or not _SESSION.fullmatch(stem):
                return None
            return SourceFile(NAME, root, path, "transcript", stem, stem, compressed=compressed)
        if folder != "subagents" or len(parts) != 5 or not name.startswith(_AGENT):
            return None
        parent = printable_id(parts[3])
        if stem is not None:
            session = f"{parent}/{stem}"
            return SourceFile(NAME, root, path, "transcript", session, session, parent, compressed)
        if name.endswith(_META):
            session = f"{parent}/{printable_id(name[: -len(_META)])}"
            return SourceFile(NAME, root, path, "meta", session, f"{session}{_META}", parent)
        return None

    def parser(self, file: SourceFile, state: Mapping[str, Any] | None) -> Parser:
        """A parser for a transcript."""
        parts = file.path.parts
        directory = parts[len(parts) - parts[::-1].index("projects")] if "projects" in parts else ""
        return TranscriptParser(file, directory, state)

    def meta(self, file: SourceFile, data: bytes) -> Iterable[Item]:
        """Yield what agent-<id>.meta.json says of its sub-agent."""
        found = decode(data)
        if isinstance(found, str) or not found or file.session is None:
            return []
        return sub_agent_facts(file, found[0], "toolUseId")

    def resume(self, session: SessionView) -> Resume:
        """`qwen --resume ID`, in the session's last directory: from any other Qwen Code does not know the session."""
        return resume_with("qwen", session, session.resume_project or session.project)


def _runtime_setting(settings: Path, home: Path) -> Path | None:
    """Return the directory in the user's settings. A relative one depends on where Qwen Code was started: None."""
    try:
        text = settings.read_bytes() if settings.is_file() else b""  # a FIFO would be waited for
    except OSError:
        return None  # no settings: the default holds
    try:
        found = orjson.loads(_without_comments(text.decode("utf-8", "replace").removeprefix("\ufeff")))
    except orjson.JSONDecodeError:
        return None  # Qwen Code does not start with such a file either
    advanced = found.get("advanced") if isinstance(found, dict) else None
    given = string(advanced.get("runtimeOutputDir")) if isinstance(advanced, dict) else None
    path = expand(given, home) if given else None
    return path if path is not None and path.is_absolute() else None


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
