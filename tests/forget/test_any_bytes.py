"""Whatever bytes a transcript holds: reading never dies, and a bad line costs itself alone."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest_kit import Store, claude, codex_meta, codex_said, differences, dump, qwen
from talks import Q, S, T

from recalld.index.documents import StoredRecord, from_body
from recalld.index.reader import Snapshot

COUNT = 4
"""Good lines in a file."""

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=8), v, max_size=4), max_leaves=12
)
WORDS = [
    *("type", "uuid", "parentUuid", "sessionId", "timestamp", "message", "content", "role", "text", "tool_use"),
    *("input", "id", "name", "tool_use_id", "payload", "item", "session_meta", "event_msg", "response_item", "call_id"),
    *("output", "arguments", "cwd", "forkedFrom", "messageUuid", "subtype", "summary", "leafUuid", "customTitle"),
    *("isSidechain", "agentId", "user", "assistant", "system", "custom-title", "tool_result", "parts", "ordinal"),
]
"""Names and values that parsers look for."""
shaped = st.recursive(
    scalars | st.sampled_from(WORDS) | st.sampled_from((S, T, Q)),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(WORDS), v, max_size=8),
    max_leaves=20,
)


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _no_newline(data: bytes) -> bytes:
    return data.replace(b"\n", b" ")


junk = st.one_of(
    st.binary(max_size=200).map(_no_newline),
    values.map(_json),
    st.dictionaries(st.sampled_from(WORDS), shaped, max_size=10).map(_json),
    st.integers(1, 400).map(lambda n: b'{"a":' * n + b"1" + b"}" * n),
    st.integers(1, 2000).map(lambda n: b'{"timestamp":' + b"9" * n + b',"type":"user"}'),
)


def good_claude(n: int) -> dict[str, Any]:
    return claude("user", f"good-{n}", f"good-{n - 1}" if n else None, f"goodline{n}x", n, S)


def good_codex(n: int) -> dict[str, Any]:
    return codex_said("user", f"goodline{n}x", n)


def good_qwen(n: int) -> dict[str, Any]:
    return qwen("user", f"good-{n}", f"good-{n - 1}" if n else None, f"goodline{n}x", n, Q)


AGENTS: dict[str, tuple[str, list[dict[str, Any]], Callable[[int], dict[str, Any]]]] = {
    "claude-code": (f"claude/projects/-w-app/{S}.jsonl", [], good_claude),
    "codex": (f"codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{T}.jsonl", [codex_meta(T)], good_codex),
    "qwen-code": (f"qwen/projects/-w-web/chats/{Q}.jsonl", [], good_qwen),
}


def texts(snapshot: Snapshot) -> list[str]:
    return [from_body(StoredRecord, body).text for body in snapshot.bodies(snapshot.term("type", "r"))]


def bad_lines(lines: list[bytes]) -> int:
    """Return how many lines cannot be one JSON object, whatever reads them: they do not begin like one."""
    return sum(line.strip()[:1] not in (b"", b"{", b"\xef", b"\xff", b"\xfe") for line in lines)


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_good_lines_are_found_among_any_others(agent: str, data: st.DataObject) -> None:
    name, first, good = AGENTS[agent]
    blocks = data.draw(st.lists(st.lists(junk, max_size=4), min_size=COUNT + 1, max_size=COUNT + 1))
    cut = data.draw(st.floats(0, 1))
    content = b"".join(_json(x) + b"\n" for x in first)
    for n, block in enumerate(blocks):
        content += b"".join(line + b"\n" for line in block)
        if n < COUNT:
            content += _json(good(n)) + b"\n"
    with tempfile.TemporaryDirectory(prefix="rd-") as root:
        whole = Store(Path(root) / "whole")
        whole.path(name).write_bytes(content)
        snapshot = whole.catch_up()
        said = texts(snapshot)
        assert all(any(f"goodline{n}x" in text for text in said) for n in range(COUNT))
        assert not whole.worker.troubles
        file = next(iter(whole.worker.files.values()))
        assert file.offset == len(content)
        assert file.skipped >= bad_lines([line for block in blocks for line in block])

        # in two sittings, cut anywhere, the second by another process: the same
        parts = Store(Path(root) / "parts")
        at = int(cut * len(content))
        parts.path(name).write_bytes(content[:at])
        parts.catch_up()
        parts.close()
        parts.open()
        with parts.path(name).open("ab") as stream:
            stream.write(content[at:])
        assert told(parts.catch_up(), parts) == told(snapshot, whole)
        whole.close()
        parts.close()


def told(snapshot: Snapshot, store: Store) -> dict[Any, Any]:
    """Return what an index says, with paths relative to its store."""
    found = dump(snapshot)
    text = repr(sorted(found.items(), key=repr)).replace(str(store.root), "ROOT")
    return {"all": text}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=4000), st.sampled_from(sorted(AGENTS)), st.integers(0, 2**32))
def test_any_bytes_at_all_kill_nothing(content: bytes, agent: str, seed: int) -> None:
    name, _, good = AGENTS[agent]
    dice = random.Random(seed)
    mixed = bytearray(b"\n".join(_json(good(n)) for n in range(3)))
    for _ in range(dice.randrange(30)):  # good lines with a few bytes of them changed
        mixed[dice.randrange(len(mixed))] = dice.randrange(256)
    with tempfile.TemporaryDirectory(prefix="rd-") as root:
        store = Store(Path(root))
        store.path(name).write_bytes(content + b"\n" + bytes(mixed) + b"\n" + _json(good(9)) + b"\n")
        for side in ("claude/history.jsonl", "codex/history.jsonl", "codex/session_index.jsonl"):
            store.path(side).write_bytes(content + b"\n")
        snapshot = store.catch_up()
        if agent != "codex":  # whose first line must tell the thread
            assert any("goodline9x" in text for text in texts(snapshot))
        assert differences(dump(store.catch_up()), dump(snapshot)) == []
        store.close()
