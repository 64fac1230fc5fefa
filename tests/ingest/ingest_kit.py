"""An ingest over a temporary store, without a watcher: files are written, `catch_up` reads what has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recalld.index.documents import StoredCopy, StoredFile, StoredRecord, StoredSession, from_body
from recalld.index.reader import Snapshot
from recalld.index.writer import IndexWriter
from recalld.ingest.texts import Texts
from recalld.ingest.worker import Worker
from recalld.redact import Redactor
from recalld.settings import Config, IndexConfig
from recalld.sources import SOURCES
from recalld.watch.scan import nothing


class Store:
    """Three agents' directories and an index over them."""

    def __init__(self, root: Path, index: str = "index", *, batch_bytes: int | None = None) -> None:
        self.root = root
        self.config = Config() if batch_bytes is None else Config(index=IndexConfig(batch_bytes=batch_bytes))
        self.index = root / index
        self.events: list[tuple[str, dict[str, Any]]] = []
        for name in ("claude/projects", "codex/sessions", "qwen/projects"):
            (root / name).mkdir(parents=True, exist_ok=True)
        self.open()

    def open(self) -> None:
        """Start an indexer's worker over the index as it is."""
        roots = {
            "claude-code": [self.root / "claude"],
            "codex": [self.root / "codex"],
            "qwen-code": [self.root / "qwen"],
        }
        writer = IndexWriter(self.index, patience=5)
        texts = Texts(Redactor())
        self.worker = Worker(writer, "1", SOURCES, roots, self.config, texts, self._event, nothing)

    def _event(self, event: str, **fields: Any) -> None:
        self.events.append((event, fields))

    def close(self) -> None:
        self.worker.writer.close()

    def catch_up(self) -> Snapshot:
        """Read everything that is on disk; return the new state."""
        self.worker.look(None)
        self.worker.run(until_idle=True)
        return self.worker.writer.snapshot

    def path(self, name: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def append(self, name: str, *lines: dict[str, Any] | bytes) -> Path:
        path = self.path(name)
        with path.open("ab") as stream:
            stream.write(encode(lines))
        return path

    def write(self, name: str, *lines: dict[str, Any] | bytes) -> Path:
        path = self.path(name)
        path.write_bytes(encode(lines))
        return path


def encode(lines: Iterable[dict[str, Any] | bytes]) -> bytes:
    return b"".join(x if isinstance(x, bytes) else json.dumps(x, ensure_ascii=False).encode() + b"\n" for x in lines)


def dump(snapshot: Snapshot) -> dict[str, Any]:
    """Return all that an index says, comparable: records, copies, sessions and files without what a look leaves behind."""

    def every(cls: Any, kind: str) -> list[dict[str, Any]]:
        return [asdict(from_body(cls, body)) for body in snapshot.bodies(snapshot.term("type", kind))]

    files = {f["id"]: f["path"] for f in every(StoredFile, "f")}
    out: dict[str, Any] = {}
    for cls, kind in ((StoredRecord, "r"), (StoredCopy, "c"), (StoredSession, "s")):
        for body in every(cls, kind):
            key = (kind, body["skey"], body.get("id"))
            assert key not in out, f"{key} is there twice"
            for name in ("file", "files"):
                if name in body:
                    value = body[name]
                    body[name] = files[value] if isinstance(value, str) else [files[v] for v in value]
            out[key] = body
    return out


def differences(found: dict[Any, Any], wanted: dict[Any, Any]) -> list[str]:
    """Return what is not the same in two dumps, a line each."""
    told = [f"missing: {key}" for key in wanted if key not in found]
    told += [f"too much: {key}" for key in found if key not in wanted]
    for key in found.keys() & wanted.keys():
        told += [
            f"{key} {name}: {found[key][name]!r} is to be {value!r}"
            for name, value in wanted[key].items()
            if found[key][name] != value
        ]
    return told


def says(snapshot: Snapshot, session: str) -> list[str]:
    """Return the texts of a session's live branch, in order, as `show` gives them."""
    from recalld import answers

    shown = answers.show(snapshot, answers.resolve(snapshot, session), limit=10_000)
    return [r["text"] for r in shown["records"]]


# -- lines as the agents write them (made up) --------------------------------------------------------------------------


def when(n: int) -> str:
    return f"2026-11-{1 + n // 1440:02d}T{n // 60 % 24:02d}:{n % 60:02d}:00.000Z"


def claude(kind: str, uid: str, parent: str | None, text: str, n: int, session: str, **more: Any) -> dict[str, Any]:
    content: Any = text if kind == "user" else [{"type": "text", "text": text}]
    return {
        "type": kind,
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": session,
        "timestamp": when(n),
        "cwd": "/w/app",
        "gitBranch": "main",
        "message": {"role": kind, "content": content},
    } | more


def codex_meta(thread: str, **more: Any) -> dict[str, Any]:
    payload = {"id": thread, "cwd": "/w/api", "source": "cli", "model_provider": "openai", "git": {"branch": "main"}}
    return {"timestamp": when(0), "type": "session_meta", "payload": payload | more}


def codex_said(who: str, text: str, n: int) -> dict[str, Any]:
    item: dict[str, Any] = {"type": "UserMessage", "id": f"{who}{n}", "content": [{"type": "text", "text": text}]}
    if who == "agent":
        item = {"type": "AgentMessage", "id": f"{who}{n}", "content": [{"type": "Text", "text": text}]}
    return {"timestamp": when(n), "type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def qwen(kind: str, uid: str, parent: str | None, text: str | None, n: int, session: str, **more: Any) -> dict[str, Any]:
    line: dict[str, Any] = {
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": session,
        "timestamp": when(n),
        "type": kind,
        "cwd": "/w/web",
        "gitBranch": "main",
    }
    if text is not None:
        line["message"] = {"role": "model" if kind == "assistant" else "user", "parts": [{"text": text}]}
    return line | more
