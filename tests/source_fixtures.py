"""Fixtures of the sources: `<row>.json` says which file of the agent it is and what must come out of it, `<row>.jsonl`
(or `.txt`) is the file. `<row>` is the name of a row in the tables of `docs/formats/<agent>.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgpack

from recalld.model import Item, Message
from recalld.sources.base import Line, Source, SourceFile
from recalld.sources.claude_code import ClaudeCode
from recalld.sources.jsonl import decode
from recalld.sources.qwen_code import QwenCode

REPOSITORY = Path(__file__).parents[1]
FIXTURES = REPOSITORY / "tests" / "fixtures"
ROOT = Path("/agents/store")
SOURCES: dict[str, Source] = {"claude-code": ClaudeCode(), "qwen-code": QwenCode()}

_ROW = re.compile(r"^\| `([a-z0-9-]+)` \|", re.MULTILINE)


def documented_rows(agent: str) -> list[str]:
    """Names of the rows in the tables of the agent's format page."""
    return _ROW.findall((REPOSITORY / "docs" / "formats" / f"{agent}.md").read_text())


def fixture_rows(agent: str) -> list[str]:
    return sorted(path.stem for path in (FIXTURES / agent).glob("*.json"))


def expectation(agent: str, row: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / agent / f"{row}.json").read_text())
    return found


def content(agent: str, row: str) -> bytes:
    return (FIXTURES / agent / f"{row}.jsonl").read_bytes()


def lines(data: bytes) -> list[Line]:
    """The lines of a file as the ingest hands them to a parser; what does not decode is left out."""
    result: list[Line] = []
    offset = 0
    for number, raw in enumerate(data.splitlines(keepends=True)):
        found = decode(raw)
        if not isinstance(found, str):
            result += [Line(offset, len(raw), number, value) for value in found]
        offset += len(raw)
    return result


def feed(source: Source, file: SourceFile, given: Iterable[Line], sittings: Iterable[int] = ()) -> list[Item]:
    """What a parser yields that is given up and made again, from its stored state, before each line in `sittings`."""
    parser = source.parser(file, None)
    breaks = set(sittings)
    items: list[Item] = []
    for number, line in enumerate(given):
        if number in breaks:
            parser = source.parser(file, msgpack.unpackb(msgpack.packb(parser.state())))
        items += parser.feed(line)
    return items


def compact(value: Any) -> Any:
    """Items as JSON, without what is at its default; offsets are left to their own test."""
    if isinstance(value, tuple | list):
        return [compact(item) for item in value]
    if not hasattr(value, "__dataclass_fields__"):
        return value
    found = {f.name: compact(getattr(value, f.name)) for f in fields(value) if f.name not in ("offset", "length")}
    kept = {
        name: item
        for name, item in found.items()
        if item is not None and item != [] and (item is not False or name == "is_error")
    }
    if isinstance(value, Message):
        return {"message": kept}
    return {"fact": kept} if "name" in kept and "value" in kept else kept


def compact_file(file: SourceFile | None) -> dict[str, Any] | None:
    if file is None:
        return None
    return {"kind": file.kind, "session": file.session, "logical": file.logical, "parent": file.parent}
