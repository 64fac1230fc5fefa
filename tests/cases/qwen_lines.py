"""Pieces of Qwen Code's lines."""

from __future__ import annotations

from typing import Any

from case_kit import qw

CHATS = "qwen/projects/-srv-site/chats"
OTHER = "5e551011-0000-4000-8000-0000000000ba"


def calls(id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": id, "name": name, "args": args}}


def answer(id: str, name: str, **response: Any) -> list[dict[str, Any]]:
    return [{"functionResponse": {"id": id, "name": name, "response": response}}]


def system(uid: str, parent: str | None, subtype: str, payload: Any, n: int) -> dict[str, Any]:
    return qw("system", uid, parent, None, n, subtype=subtype, systemPayload=payload)
