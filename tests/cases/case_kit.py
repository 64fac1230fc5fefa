"""A machine for black-box cases: writes files as the agents do, asks over the socket or the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from machine import Machine

S = "5e551011-0000-4000-8000-0000000000a1"
"""A session of Claude Code."""
Q = "5e551011-0000-4000-8000-0000000000b2"
"""A session of Qwen Code."""
T = "01a1beef-0000-7000-8000-0000000000c3"
"""A thread of Codex."""

DIR = "claude/projects/-srv-shop"
CLAUDE = f"claude/projects/-srv-shop/{S}.jsonl"
QWEN = f"qwen/projects/-srv-site/chats/{Q}.jsonl"
ROLLOUT = "codex/sessions/2026/11/28/rollout-2026-11-28T09-00-00-"
CODEX = f"{ROLLOUT}{T}.jsonl"

Json = dict[str, Any]


class Case(Machine):
    """A machine with short ways to say what is on disk and what is found."""

    def path(self, name: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, *lines: Json | bytes) -> Path:
        path = self.path(name)
        path.write_bytes(encode(*lines))
        return path

    def append(self, name: str, *lines: Json | bytes) -> Path:
        path = self.path(name)
        with path.open("ab") as stream:
            stream.write(encode(*lines))
        return path

    def read(self) -> None:
        """Have everything that is on disk read, starting the daemon where it does not run."""
        if self.process is None:
            self.start()
        self.sync()

    def end(self) -> None:
        """Stop the daemon; it must have lived until now."""
        if self.process is not None:
            assert self.process.poll() is None, self.log()
            assert self.stop() == 0, self.log()

    def ask(self, method: str, **params: Any) -> Any:
        with self.client() as client:
            return client.request(method, params)

    def found(self, query: str, **params: Any) -> list[str]:
        """Return the ids of the sessions that say exactly this, sub-agents' too."""
        answer = self.ask("search", query=query, **({"sub_agents": True} | params))
        return [h["session"]["id"] for h in answer["hits"]] if answer["tier"] in ("exact", None) else []

    def matches(self, query: str, **params: Any) -> int:
        """Return how many records match exactly."""
        answer = self.ask("search", query=query, **({"sub_agents": True} | params))
        return sum(h["match_count"] for h in answer["hits"]) if answer["tier"] == "exact" else 0

    def records(self, session: str, **params: Any) -> list[Json]:
        return list(self.ask("show", session=session, limit=1000, **params)["records"])

    def said(self, session: str, **params: Any) -> list[tuple[str, str, str]]:
        return [(r["role"], r["kind"], r["text"]) for r in self.records(session, **params)]

    def lines(self, session: str, **params: Any) -> list[str]:
        return [r["text"] for r in self.records(session, **params)]

    def sessions(self, **params: Any) -> dict[str, Json]:
        answer = self.ask("sessions", **({"sub_agents": True, "limit": 1000} | params))
        return {s["id"]: s for s in answer["sessions"]}

    def findings(self) -> list[Json]:
        return list(self.ask("doctor")["findings"])

    def skipped(self) -> list[Json]:
        return list(self.ask("doctor")["notes"]["skipped_lines"])

    def json(self, *arguments: str, ok: tuple[int, ...] = (0, 1)) -> Any:
        """Run the command line with --json; return what it printed."""
        return json.loads(self.recall(*arguments, "--json", ok=ok).stdout)


def encode(*lines: Json | bytes) -> bytes:
    return b"".join(
        x if isinstance(x, bytes) else json.dumps(x, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for x in lines
    )


def at(n: int) -> str:
    return f"2026-11-28T09:{n // 60 % 60:02d}:{n % 60:02d}.000Z"


# -- lines as the agents write them (made up) --------------------------------------------------------------------------


def cc(kind: str, uid: str, parent: str | None, content: Any, n: int = 0, **more: Any) -> Json:
    """A line of Claude Code; an assistant's text becomes a block."""
    message: Json = {"role": kind, "content": content}
    if kind == "assistant":
        message = {"role": kind, "id": f"msg_{uid}", "model": "opal-4", "content": content}
        if isinstance(content, str):
            message["content"] = [{"type": "text", "text": content}]
    return {
        "type": kind,
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": S,
        "timestamp": at(n),
        "cwd": "/srv/shop",
        "gitBranch": "main",
        "version": "2.1.310",
        "isSidechain": False,
        "userType": "external",
        "message": message,
    } | more


def use(call: str, name: str, **arguments: Any) -> list[Json]:
    return [{"type": "tool_use", "id": call, "name": name, "input": arguments}]


def result(call: str, content: Any, **more: Any) -> list[Json]:
    return [{"type": "tool_result", "tool_use_id": call, "content": content} | more]


def cx(kind: str, payload: Json, n: int = 0, **more: Any) -> Json:
    """A line of Codex."""
    return {"timestamp": at(n), "type": kind, "payload": payload} | more


def meta(thread: str = T, n: int = 0, **more: Any) -> Json:
    payload = {
        "id": thread,
        "session_id": thread,
        "timestamp": at(n),
        "cwd": "/srv/api",
        "originator": "codex_exec",
        "cli_version": "0.171.0",
        "source": "exec",
        "model_provider": "openai",
        "git": {"branch": "trunk"},
    }
    return cx("session_meta", payload | more, n)


def item(kind: str, n: int, text: str, **more: Any) -> Json:
    block = {"UserMessage": "text", "AgentMessage": "Text"}[kind]
    found = {"type": kind, "id": f"item{n}", "content": [{"type": block, "text": text}]}
    return cx("event_msg", {"type": "item_completed", "thread_id": T, "turn_id": "t", "item": found | more}, n)


def response(role: str, text: str, n: int, **more: Any) -> Json:
    block = "output_text" if role == "assistant" else "input_text"
    return cx("response_item", {"type": "message", "role": role, "content": [{"type": block, "text": text}]} | more, n)


def event(kind: str, n: int, **more: Any) -> Json:
    return cx("event_msg", {"type": kind} | more, n)


def person(text: str, n: int) -> list[Json]:
    """A person's turn as current versions store it: twice."""
    return [item("UserMessage", n, text), response("user", text, n)]


def agent(text: str, n: int) -> list[Json]:
    return [item("AgentMessage", n, text), response("assistant", text, n)]


def call(id: str, name: str, arguments: Json, n: int) -> Json:
    return cx("response_item", {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": id}, n)


def output(id: str, text: Any, n: int) -> Json:
    return cx("response_item", {"type": "function_call_output", "call_id": id, "output": text}, n)


def qw(kind: str, uid: str, parent: str | None, parts: Any = None, n: int = 0, **more: Any) -> Json:
    """A line of Qwen Code; text becomes a part."""
    line: Json = {
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": Q,
        "timestamp": at(n),
        "type": kind,
        "cwd": "/srv/site",
        "version": "0.24.4",
        "gitBranch": "main",
    }
    if kind == "user":
        line["provenance"] = "real_user"
    if isinstance(parts, str):
        parts = [{"text": parts}]
    if parts is not None:
        line["message"] = {"role": "model" if kind == "assistant" else "user", "parts": parts}
    return line | more


def zst(data: bytes) -> bytes:
    import zstandard

    return zstandard.compress(data)


def is_root() -> bool:
    return os.geteuid() == 0
