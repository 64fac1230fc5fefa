"""What a session_meta says of whose thread a file holds."""

from __future__ import annotations

from typing import Any

from recalld.sources.jsonl import string


def sub_agent(payload: dict[str, Any]) -> tuple[str | None, str | None, str | None] | None:
    """Return (type, parent thread, description) where a session_meta is a sub-agent's, else None."""
    source = payload.get("source")
    parent = string(payload.get("parent_thread_id"))
    found = source.get("subagent", source.get("internal")) if isinstance(source, dict) else None
    if isinstance(found, str):
        return found, parent, None
    if not isinstance(found, dict):
        return (None, parent, None) if payload.get("thread_source") == "subagent" else None
    for name, value in found.items():
        if name == "thread_spawn" and isinstance(value, dict):
            role = string(value.get("agent_role")) or string(payload.get("agent_role"))
            nickname = string(value.get("agent_nickname")) or string(payload.get("agent_nickname"))
            return role, parent or string(value.get("parent_thread_id")), nickname
        return string(value) or name, parent, None
    return None, parent, None
