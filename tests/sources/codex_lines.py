"""Codex's lines as it writes them, all made up, and what the source makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgpack

from recalld.model import Fact, Item, Message, Record
from recalld.sources.base import Line, Parser, SourceFile
from recalld.sources.codex import Codex
from recalld.sources.jsonl import decode

CODEX = Codex()
ROOT = Path("/home/ada/.codex")
THREAD = "01a1aaaa-0000-7000-8000-000000000001"
CHILD = "01a1aaaa-0000-7000-8000-000000000002"
DAY = "sessions/2026/11/30/rollout-2026-11-30T10-00-00-"

Json = dict[str, Any]


def line(kind: str, payload: Mapping[str, Any], at: int = 0, **more: Any) -> Json:
    return {
        "timestamp": f"2026-11-30T10:{at // 60:02}:{at % 60:02}.000Z",
        "type": kind,
        "payload": dict(payload),
    } | more


def meta(id: str = THREAD, **more: Any) -> Json:
    given = {"id": id, "session_id": id, "timestamp": "2026-11-30T10:00:00.000Z", "cwd": "/w/api", "source": "cli"}
    return line("session_meta", given | {"model_provider": "openai", "git": {"branch": "main"}} | more)


def event(kind: str, at: int = 0, /, **more: Any) -> Json:
    return line("event_msg", {"type": kind} | more, at)


def item(kind: str, id: str, at: int = 0, /, **more: Any) -> Json:
    given = {"type": kind, "id": id} | more
    return event("item_completed", at, thread_id=THREAD, turn_id="turn-1", item=given)


def response(kind: str, at: int = 0, /, **more: Any) -> Json:
    return line("response_item", {"type": kind} | more, at)


def said_item(role: str, id: str, text: str, at: int = 0) -> Json:
    if role == "user":
        return item("UserMessage", id, at, content=[{"type": "text", "text": text}])
    return item("AgentMessage", id, at, content=[{"type": "Text", "text": text}])


def said_event(role: str, text: str, at: int = 0) -> Json:
    return event("user_message" if role == "user" else "agent_message", at, message=text)


def said_response(role: str, *texts: str, at: int = 0, **more: Any) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return response("message", at, role=role, content=[{"type": kind, "text": text} for text in texts], **more)


def called(id: str, name: str = "exec_command", at: int = 0, /, **arguments: Any) -> Json:
    return response("function_call", at, name=name, arguments=json.dumps(arguments), call_id=id)


def gave(id: str, output: Any, at: int = 0) -> Json:
    return response("function_call_output", at, call_id=id, output=output)


def ran(id: str, script: str, output: str, status: int, at: int = 0) -> Json:
    command = ["/bin/bash", "-lc", script]
    state = "failed" if status else "completed"
    more = {"aggregated_output": output, "exit_code": status, "status": state}
    return item("CommandExecution", id, at, command=command, cwd="file:///w/api", **more)


def file_named(name: str) -> SourceFile:
    found = CODEX.classify(ROOT, ROOT / name)
    assert found is not None
    return found


def file_of(thread: str = THREAD) -> SourceFile:
    return file_named(f"{DAY}{thread}.jsonl")


def encode(given: Iterable[Json]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in given)


def decoded(data: bytes) -> list[Line]:
    """The lines of a file as the ingest hands them to a parser."""
    found: list[Line] = []
    offset = 0
    for number, raw in enumerate(data.splitlines(keepends=True)):
        objects = decode(raw)
        assert not isinstance(objects, str)
        found += [Line(offset, len(raw), number, value) for value in objects]
        offset += len(raw)
    return found


def resumed(file: SourceFile, parser: Parser) -> Parser:
    """A parser that goes on from the stored state of `parser`."""
    return CODEX.parser(file, msgpack.unpackb(msgpack.packb(parser.state())))


def read(given: Iterable[Json], file: SourceFile | None = None, sittings: Iterable[int] = ()) -> list[Item]:
    """What a file with the given lines yields, read in sittings that begin at the given lines."""
    file = file or file_of()
    parser = CODEX.parser(file, None)
    breaks = set(sittings)
    items: list[Item] = []
    for number, one in enumerate(decoded(encode(given))):
        if number in breaks:
            parser = resumed(file, parser)
        items += parser.feed(one)
    return items


def records(items: Iterable[Item]) -> list[Record]:
    return [record for one in items if isinstance(one, Message) for record in one.records]


def texts(items: Iterable[Item]) -> list[str]:
    return [record.text for record in records(items)]


def turns(items: Iterable[Item]) -> list[tuple[str, str]]:
    return [(record.role, record.text) for record in records(items)]


def facts(items: Iterable[Item]) -> dict[str, Any]:
    return {one.name: one.value for one in items if isinstance(one, Fact)}


def compact(one: Item) -> Json:
    """An item as JSON, without what has its default, and without place and time."""
    if isinstance(one, Fact):
        return {"fact": one.name, "value": one.value, "session": one.session}
    (record,) = one.records
    assert record.id == one.uid
    kept = {f.name: getattr(record, f.name) for f in fields(record)}
    found = {name: value for name, value in kept.items() if value is not None and value != ()}
    found.pop("truncated")
    found |= {"session": one.session, "project": one.project}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
