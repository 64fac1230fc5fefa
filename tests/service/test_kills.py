"""Killed at any moment, nothing is lost and nothing doubled.

`pytest tests/service/test_kills.py --kills 500` goes on for longer; `--seed N` repeats a run.
"""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from ingest_kit import claude, codex_meta, codex_said, encode, qwen
from machine import Machine

CLAUDE = "11111111-1111-4111-8111-111111111111"
QWEN = "22222222-2222-4222-8222-222222222222"
CODEX = "01a1aaaa-0000-7000-8000-000000000001"


class Agents(threading.Thread):
    """Three agents that write on, whatever happens to the service; every session says `line 1`, `line 2`, …"""

    def __init__(self, machine: Machine, seed: int) -> None:
        super().__init__(name="agents")
        self.files = {
            CLAUDE: machine.claude / "projects" / "-w-app" / f"{CLAUDE}.jsonl",
            CODEX: machine.codex / "sessions" / "2026" / "11" / "30" / f"rollout-2026-11-30T10-00-00-{CODEX}.jsonl",
            QWEN: machine.qwen / "projects" / "-w-web" / "chats" / f"{QWEN}.jsonl",
        }
        for file in self.files.values():
            file.parent.mkdir(parents=True)
        self.files[CODEX].write_bytes(encode([codex_meta(CODEX)]))
        self.written = 0
        self._random = random.Random(seed)
        self._halt = threading.Event()

    def run(self) -> None:
        while not self._halt.wait(self._random.random() * 0.004):
            for _ in range(self._random.choice((1, 1, 1, 40))):
                self._write()

    def _write(self) -> None:
        n = self.written + 1
        before = str(n - 1) if n > 1 else None
        lines: dict[str, Any] = {
            CLAUDE: claude("user", str(n), before, f"line {n}", n, CLAUDE),
            CODEX: codex_said("user", f"line {n}", n),
            QWEN: qwen("user", str(n), before, f"line {n}", n, QWEN),
        }
        for session, line in lines.items():
            data = encode([line])
            cut = self._random.randrange(len(data))
            with self.files[session].open("ab", buffering=0) as stream:  # in two writes, so that a kill falls between
                stream.write(data[:cut])
                stream.write(data[cut:])
        self.written = n

    def stop(self) -> int:
        """Stop writing; return how many lines each session has."""
        self._halt.set()
        self.join()
        return self.written


def _kill_something(machine: Machine, dice: random.Random) -> str:
    """Kill the daemon or its indexer, and have a whole daemon again."""
    indexer = machine.indexer()
    if indexer is not None and dice.random() < 0.3:
        try:
            indexer.kill()
        except psutil.NoSuchProcess:
            return "indexer (gone)"
        return "indexer"
    machine.kill()
    if dice.random() < 0.15:
        _outdate(machine.places.data / "index")
    machine.start()
    return "daemon"


def _outdate(index: Path) -> None:
    """Make the current index one of an older version: the next start builds another beside it."""
    current = index / "current"
    if not current.exists():  # killed before there was one
        return
    told = json.loads(current.read_bytes())
    told["made_with"]["redactor"] = 0
    current.write_text(json.dumps(told))


def test_killed_at_random_moments_nothing_is_lost_or_doubled(machine: Machine, request: pytest.FixtureRequest) -> None:
    """Kills fall into reads, commits, merges and rebuilds while three agents write."""
    kills = request.config.getoption("--kills")
    seed = request.config.getoption("--seed")
    if seed is None:
        seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}, kills {kills}")
    dice = random.Random(seed)
    agents = Agents(machine, seed)
    machine.start()
    agents.start()
    try:
        for _ in range(kills):
            time.sleep(dice.random() ** 2 * 0.6)  # the moment of the kill is the thing under test
            _kill_something(machine, dice)
    finally:
        written = agents.stop()
    machine.sync()
    for session in (CLAUDE, CODEX, QWEN):
        assert machine.texts(session) == [f"line {n}" for n in range(1, written + 1)], f"seed {seed}"
    with machine.client() as client:
        status = client.status()
    assert (status["records"], status["sessions"], status["pending_bytes"]) == (3 * written, 3, 0)
    assert machine.stop() == 0
