"""Whose thread a file holds, and how what it says is named in that thread."""

from __future__ import annotations

import re
from typing import Any

from recalld.model import Record
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


_COUNTED = re.compile(r"[A-Za-z]{0,16}[_-]?\d{1,6}(?=[:@]|\Z)")
"""An id that some providers count (`call_0`), and count anew when a thread is resumed."""


def named(record: Record, uid: str, segment: str | None) -> str:
    """Give a record its id, and return it: `uid`, or what tells it from another segment's (`segment`: its name)."""
    record.id = _in_segment(uid, segment)
    record.call = record.call and _in_segment(record.call, segment)
    return record.id


def _in_segment(id: str, segment: str | None) -> str:
    if segment is None or not (counted := _COUNTED.match(id)):
        return id
    return f"{counted[0]}@{segment}{id[counted.end() :]}"
