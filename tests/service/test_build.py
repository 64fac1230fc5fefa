"""Asking while a first build runs: answers are right as far as they go, say that the index fills, and never fail."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from machine import Machine

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from corpus import generate


def _ask(machine: Machine, manifest: list[dict[str, Any]], done: threading.Event, seen: dict[str, Any]) -> None:
    """Ask for words that one session alone has, until told to stop; note what was wrong."""
    with machine.client() as client:
        while not done.is_set():
            for known in manifest:
                answer: Any = client.search(known["user_word"], sub_agents=True)
                found = [hit["session"]["id"] for hit in answer["hits"]]
                if answer["tier"] == "exact" and found != [known["id"]]:
                    seen["wrong"].append((known["id"], found))
                if answer["tier"] is None and answer["index"]["complete"]:
                    seen["wrong"].append((known["id"], "not found in a complete index"))
                seen["asked"] += 1
                seen["filling"] += not answer["index"]["complete"]


def test_two_clients_ask_while_everything_is_being_read(machine: Machine) -> None:
    """Newest first: what the clients see grows, and is never wrong."""
    made = machine.root / "made"
    generate(made, sessions=600, megabytes=24, seed=7)
    machine.env |= {
        "CLAUDE_CONFIG_DIR": str(made / "claude"),
        "CODEX_HOME": str(made / "codex"),
        "QWEN_HOME": str(made / "qwen"),
        "QWEN_RUNTIME_DIR": str(made / "qwen"),
    }
    import json

    told = json.loads((made / "manifest.json").read_text())
    manifest = [s for s in told["sessions"] if s.get("user_word") and not s.get("parent")][:40]
    machine.start()
    done = threading.Event()
    seen: list[dict[str, Any]] = [{"asked": 0, "filling": 0, "wrong": []} for _ in range(2)]
    clients = [threading.Thread(target=_ask, args=(machine, manifest, done, one)) for one in seen]
    for client in clients:
        client.start()
    machine.sync()
    with machine.client() as client:
        status: Any = client.status()
    done.set()
    for thread in clients:
        thread.join()
    assert status["complete"]
    assert status["pending_bytes"] == 0
    assert status["sessions"] == len(told["sessions"])
    for one in seen:
        assert one["wrong"] == []
        assert one["asked"] > 0
