"""Made-up sessions of all three agents, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingest_kit import claude, codex_meta, codex_said, encode, qwen

S = "11111111-1111-4111-8111-111111111111"
FORK = "11111111-1111-4111-8111-222222222222"
OTHER = "11111111-1111-4111-8111-333333333333"
Q = "22222222-2222-4222-8222-222222222222"
T = "01a1aaaa-0000-7000-8000-000000000001"
T_FORK = "01a1aaaa-0000-7000-8000-000000000002"


def claude_file(claude_root: Path, session: str, project: str = "-w-app") -> Path:
    return claude_root / "projects" / project / f"{session}.jsonl"


def codex_file(codex_root: Path, thread: str) -> Path:
    return codex_root / "sessions" / "2026" / "11" / "30" / f"rollout-2026-11-30T10-00-00-{thread}.jsonl"


def put(path: Path, *lines: dict[str, Any] | bytes) -> Path:
    """Append lines to a file, which is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        stream.write(encode(lines))
    return path


def talk(session: str, *texts: str, start: int = 0, **more: Any) -> list[dict[str, Any]]:
    """A Claude session: person and agent in turns, ids u<n> of this session alone."""
    lines: list[dict[str, Any]] = []
    for n, text in enumerate(texts, start):
        kind = "assistant" if n % 2 else "user"
        before = f"{session[-4:]}-u{n - 1}" if n else None
        lines.append(claude(kind, f"{session[-4:]}-u{n}", before, text, n, session, **more))
    return lines


def forked(lines: list[dict[str, Any]], fork: str) -> list[dict[str, Any]]:
    """The lines as a fork's file repeats them."""
    return [
        x | {"sessionId": fork, "forkedFrom": {"sessionId": x["sessionId"], "messageUuid": x["uuid"]}} for x in lines
    ]


def copied(lines: list[dict[str, Any]], session: str) -> list[dict[str, Any]]:
    """The lines in a file that was copied, under another session's id."""
    return [x | {"sessionId": session} for x in lines]


def thread(id: str, *texts: str, start: int = 1, **meta: Any) -> list[dict[str, Any]]:
    """A Codex thread: person and agent in turns."""
    said = [codex_said("agent" if n % 2 else "user", text, start + n) for n, text in enumerate(texts)]
    return [codex_meta(id, **meta), *said]


def qwen_talk(session: str, *texts: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for n, text in enumerate(texts):
        kind = "assistant" if n % 2 else "user"
        lines.append(qwen(kind, f"q{n}", f"q{n - 1}" if n else None, text, n, session))
    return lines
