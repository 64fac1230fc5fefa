"""Measures a whole recalld over a large made store: building, memory, asking, appending, starting, idling.

Every figure is one of a real daemon, asked over its socket. The machine is as noisy as it is: medians are to be quoted,
and two figures compared only from one run.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.service.machine import Machine

SEARCHES = 2000
APPENDS = 100
IDLE_S = 20.0
SETTLE_S = 3.0
"""Between the first build and the appends: merges of the last segments take a moment of their own."""


def quantiles(values: list[float]) -> dict[str, float]:
    """Return the median and the 99th percentile of `values`, and how many there are."""
    if not values:
        return {"n": 0}
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 3),
        "n": len(ordered),
    }


def private_bytes(processes: list[psutil.Process]) -> int:
    """Return the anonymous memory of some processes (RssAnon; elsewhere than on Linux their USS), summed."""
    total = 0
    for process in processes:
        try:
            status = Path(f"/proc/{process.pid}/status")
            if status.exists():
                line = next(x for x in status.read_text().splitlines() if x.startswith("RssAnon"))
                total += int(line.split()[1]) * 1024
            else:
                total += process.memory_full_info().uss
        except (psutil.Error, OSError, StopIteration):
            continue  # it has just ended
    return total


class Sampler(threading.Thread):
    """Samples the private memory of a daemon and all its children until stopped."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self._halt = threading.Event()
        self.peak = 0

    def run(self) -> None:
        while not self._halt.wait(0.05):
            try:
                family = [self._process, *self._process.children(recursive=True)]
            except psutil.Error:
                return
            self.peak = max(self.peak, private_bytes(family))

    def stop(self) -> int:
        self._halt.set()
        self.join()
        return self.peak


@contextmanager
def machine_over(corpus: Path) -> Iterator[Machine]:
    """Yield a machine whose agents' stores are those of `corpus` (linked, never written but by the append benchmark)."""
    with tempfile.TemporaryDirectory(prefix="recalld-bench-") as place:
        machine = Machine(Path(place))
        machine.env |= {
            "CLAUDE_CONFIG_DIR": str(corpus / "claude"),
            "CODEX_HOME": str(corpus / "codex"),
            "QWEN_HOME": str(corpus / "qwen"),
            "QWEN_RUNTIME_DIR": str(corpus / "qwen"),
        }
        try:
            yield machine
        finally:
            machine.sweep()


def words_of(corpus: Path) -> list[str]:
    """Return queries that have an answer: rare words of sessions, and common ones."""
    manifest = json.loads((corpus / "manifest.json").read_text())
    rare = [s[name] for s in manifest["sessions"][:300] for name in ("user_word", "output_word", "sha") if s.get(name)]
    common = ["error", "cache", "failed test", "connection", "config", "timeout"]
    mixed = []
    for n, word in enumerate(rare):
        mixed += [word, common[n % len(common)]] if n % 4 == 0 else [word]
    return mixed


def ask(machine: Machine, queries: list[str], stop: threading.Event | None, count: int, **params: Any) -> list[float]:
    """Ask `count` searches for ten sessions, or until `stop`; return their round trips in milliseconds."""
    took: list[float] = []
    with machine.client() as client:
        n = 0
        while n < count and not (stop and stop.is_set()):
            query = queries[n % len(queries)]
            started = time.perf_counter()
            client.search(query, limit=10, **params)
            took.append((time.perf_counter() - started) * 1000)
            n += 1
            if stop is not None:
                time.sleep(0.002)  # a person or an agent asks now and then; a tight loop would measure itself
    return took


def build(machine: Machine, size: int, queries: list[str] | None = None) -> dict[str, Any]:
    """Measure a first build from nothing: rate, memory, the first answer; with `queries`, asking meanwhile, which takes
    its share of the processor."""
    started = time.perf_counter()
    machine.start()
    assert machine.process is not None
    sampler = Sampler(machine.process.pid)
    sampler.start()
    first: float | None = None
    stop = threading.Event()
    during: list[float] = []
    asking = threading.Thread(target=lambda: during.extend(ask(machine, queries or [], stop, 1 << 30)))
    with machine.client() as client:
        while True:
            status: Any = client.status()
            if first is None and status["records"] > 0:
                first = time.perf_counter() - started
                if queries:
                    asking.start()
            if status["complete"] and not status["pending_bytes"]:
                break
            time.sleep(0.01 if first is None else 0.05)
        took = time.perf_counter() - started
        records, sessions = status["records"], status["sessions"]
    stop.set()
    if queries:
        asking.join()
    return {
        "seconds": round(took, 2),
        "mb_per_s": round(size / 1e6 / took, 1),
        "first_searchable_s": round(first or 0.0, 2),
        "peak_private_mb": round(sampler.stop() / 1e6, 1),
        "search_during_build_ms": quantiles(during),
        "records": records,
        "sessions": sessions,
    }


def appends(machine: Machine, corpus: Path) -> dict[str, float]:
    """Measure from a written line to an answer that holds it, in milliseconds."""
    session = "99999999-1111-4111-8111-111111111111"
    path = corpus / "claude" / "projects" / "-bench-append" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    took: list[float] = []
    try:
        with machine.client() as client, path.open("ab", buffering=0) as stream:
            for n in range(APPENDS):
                line = {
                    "type": "user",
                    "uuid": f"append-{n}",
                    "parentUuid": f"append-{n - 1}" if n else None,
                    "sessionId": session,
                    "timestamp": "2026-11-30T10:00:00.000Z",
                    "cwd": "/bench/append",
                    "message": {"role": "user", "content": f"appended markword{n}x{int(time.time())}"},
                }
                word = line["message"]["content"].split()[1]  # type: ignore[index]
                started = time.perf_counter()
                stream.write(json.dumps(line).encode() + b"\n")
                while client.search(word, limit=1)["tier"] != "exact":
                    time.sleep(0.0005)
                took.append((time.perf_counter() - started) * 1000)
                time.sleep(0.05)
    finally:
        path.unlink()
        path.parent.rmdir()
    return quantiles(took)


def start_again(machine: Machine, queries: list[str]) -> float:
    """Return the seconds from starting a daemon over an existing index to its first answer."""
    machine.stop()
    started = time.perf_counter()
    machine.start()
    with machine.client() as client:
        assert client.search(queries[0])["index"]["records"]
    return round(time.perf_counter() - started, 3)


def idle(machine: Machine) -> dict[str, float]:
    """Return private memory and the share of a core used while nothing happens."""
    assert machine.process is not None
    machine.sync()
    time.sleep(5)
    main = psutil.Process(machine.process.pid)
    family = [main, *main.children(recursive=True)]

    def cpu() -> float:
        return sum(sum(p.cpu_times()[:2]) for p in family)

    before = cpu()
    time.sleep(IDLE_S)
    return {
        "private_mb": round(private_bytes(family) / 1e6, 1),
        "percent_of_a_core": round((cpu() - before) / IDLE_S * 100, 3),
    }


def measure(corpus: Path) -> dict[str, Any]:
    """Run everything over a made store; return the figures."""
    size = sum(p.stat().st_size for p in corpus.rglob("*.jsonl"))
    queries = words_of(corpus)
    figures: dict[str, Any] = {"corpus_mb": round(size / 1e6, 1)}
    with machine_over(corpus) as machine:
        figures["build_while_asked"] = build(machine, size, queries)
        machine.stop()
    with machine_over(corpus) as machine:
        figures["build"] = build(machine, size)
        machine.sync()
        time.sleep(SETTLE_S)
        figures["append_to_found_ms"] = appends(machine, corpus)
        figures["search_ms"] = quantiles(ask(machine, queries, None, SEARCHES))
        figures["search_ten_snippets_ms"] = quantiles(ask(machine, queries, None, SEARCHES, matches=1))
        figures["start_s"] = start_again(machine, queries)
        figures["idle"] = idle(machine)
        machine.stop()
    return figures
