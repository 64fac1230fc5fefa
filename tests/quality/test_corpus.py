"""The benchmark corpus: the same bytes each time, near the size asked for, and what it says is known is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from benchmarks.corpus import generate, known
from made.claude_code import ClaudeWriter
from made.transcript import Step


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpus")
    generate(root, sessions=160, megabytes=8, seed=3)
    return root


def files(root: Path) -> dict[str, bytes]:
    here = str(root.resolve()).encode()
    return {str(p.relative_to(root)): p.read_bytes().replace(here, b"") for p in root.rglob("*") if p.is_file()}


def manifest(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads((root / "manifest.json").read_bytes())
    return found


def records(root: Path, store: str) -> Iterator[dict[str, Any]]:
    for p in sorted((root / store).rglob("*.jsonl")):
        yield from map(orjson.loads, p.read_bytes().splitlines())


def test_the_same_arguments_make_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    generate(tmp_path, sessions=160, megabytes=8, seed=3)
    assert files(tmp_path) == files(corpus)


def test_it_has_the_sessions_and_about_the_size_asked_for(corpus: Path) -> None:
    made = manifest(corpus)
    assert len(made["sessions"]) == 160
    assert 0.8 * 8e6 < made["bytes"] < 1.3 * 8e6
    assert {s["agent"] for s in made["sessions"]} == {"claude-code", "codex", "qwen-code"}
    assert any(s["parent"] for s in made["sessions"])
    assert any(s["fork_of"] for s in made["sessions"])


def test_known_words_occur_in_their_session_and_its_forks_alone(corpus: Path) -> None:
    made = manifest(corpus)
    texts = {s["id"]: (corpus / s["path"]).read_bytes() for s in made["sessions"]}
    forks = {s["id"]: s["fork_of"] for s in made["sessions"]}
    for s in made["sessions"][::7]:
        for name in ("user_word", "assistant_word", "output_word", "sha"):
            holders = {i for i, text in texts.items() if s[name].encode() in text}
            assert s["id"] in holders
            assert all(i == s["id"] or forks[i] for i in holders)
    assert [k.id for k in known(3, 160)] == [s["id"] for s in made["sessions"]]


def test_a_spilled_result_lies_where_its_record_says(tmp_path: Path) -> None:
    w = ClaudeWriter(Random(1), "5b1c1e1e-0000-4000-8000-000000000001", "/w/app", 1_790_000_000_000, noise=True)
    w.store = str(tmp_path / "claude")
    w.step(Step("shell", "a long line\n" * 20_000, "cat big.log"))
    w.save(tmp_path)
    results = [r["toolUseResult"] for r in records(tmp_path, "claude") if "toolUseResult" in r]
    assert Path(results[0]["persistedOutputPath"]).read_text() == "a long line\n" * 20_000


def test_bookkeeping_has_the_share_it_has_in_real_files(corpus: Path) -> None:
    qwen = Counter(r.get("subtype") == "ui_telemetry" for r in records(corpus, "qwen"))
    assert qwen[True] > qwen.total() / 3
    claude = Counter(r["type"] for r in records(corpus, "claude"))
    assert claude["progress"] > claude.total() / 10
    assert {"attachment", "file-history-snapshot", "ai-title"} <= set(claude)
    codex = Counter(r["payload"].get("type") for r in records(corpus, "codex"))
    assert {"user_message", "item_completed", "function_call_output", "reasoning"} <= set(codex)


def test_forks_of_claude_and_qwen_repeat_ids_of_their_original(corpus: Path) -> None:
    made = {s["id"]: s for s in manifest(corpus)["sessions"]}
    checked = 0
    for s in made.values():
        if s["fork_of"] and s["agent"] != "codex":
            uids = [
                {r["uuid"] for r in map(orjson.loads, (corpus / made[i]["path"]).read_bytes().splitlines()) if "uuid" in r}
                for i in (s["id"], s["fork_of"])
            ]
            assert uids[0] & uids[1]
            checked += 1
    assert checked
