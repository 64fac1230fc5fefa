"""The demo's acts: build the index, search, find what is being written, survive a kill."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recall import daemon
from recall.client import Client
from recall.demo.stage import Stage, raise_stage, temporary_root
from recall.errors import RecallError

LIVE_WORD = "quokkacache"
"""A word that the bundled sessions do not hold."""
OFFLINE_WORD = "numbatqueue"
"""Another one, written while no daemon runs."""

SYNC_WITHIN = 60.0
"""Seconds in which so few files must be read."""

FOUND_WITHIN = 10.0
"""Seconds in which what was appended must be found: far over what it takes, so that a busy machine passes."""

QUERIES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("duplicate charges webhook", {}, "plain words, over all agents"),
    ("DeadlockDetected", {}, "an error, as it was written"),
    ('"reached heap limit"', {}, "a phrase"),
    ("a41c9e0b77d2", {}, "a revision id"),
    ("ledger/settle.py", {}, "a path"),
    ("命令补全", {}, "Chinese, without spaces"),
    ("reconnecting storm", {}, "other forms of the words"),
    ("exponental backof", {}, "with spelling mistakes"),
    ("is:error agent:claude-code", {}, "fields: what failed in Claude Code"),
    ("charge backfill", {"sub_agents": True}, "sub-agents too"),
)
"""Queries, their options, and what each shows."""


@dataclass(slots=True)
class Act:
    """One thing that the demo did: `took_ms` is wall time of that thing alone."""

    act: str
    what: str
    took_ms: float
    details: dict[str, Any] = field(default_factory=dict)


def perform(env: dict[str, str]) -> Iterator[Act]:
    """Do the demo in a temporary place that is removed at the end, however it ends; yield each act when it is done.

    Raise RecallError where the product does not do what it promises.
    """
    root = Path(temporary_root())
    try:
        stage = raise_stage(root, env)
        with _Daemon(stage) as service:
            yield from _acts(stage, service)
    finally:
        shutil.rmtree(root)


class _Daemon:
    """The demo's own daemon: its process is ours, so that it can be killed and is never left behind."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Daemon:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @contextmanager
    def running(self) -> Iterator[Client]:
        """Start a daemon and give a client of it; the daemon outlives the client."""
        self._process = daemon.launch(self._stage.places, self._stage.env)
        with daemon.wait_for(self._stage.places, self._process) as client:
            yield client

    def kill(self) -> None:
        """`kill -9`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it as the system would; kill it where it does not end."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(daemon.STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise RecallError("the demo's daemon did not end when it was asked to: please report this") from None


def _acts(stage: Stage, service: _Daemon) -> Iterator[Act]:
    began = time.perf_counter()
    with service.running() as client:
        yield Act("start", "a daemon, in a temporary place", _since(began))

        began = time.perf_counter()
        client.request("sync", timeout=SYNC_WITHIN)
        built = _since(began)
        status = client.status()
        agents = {name: counts["sessions"] for name, counts in status["agents"].items()}
        counts = {"sessions": status["sessions"], "records": status["records"], "agents": agents}
        yield Act("index", f"{status['records']} records of {status['sessions']} sessions", built, counts)

        for query, options, shows in QUERIES:
            began = time.perf_counter()
            answer = client.search(query, limit=3, **options)
            took = _since(began)
            if not answer["hits"]:
                raise RecallError(f"the demo searched for {query!r} and found nothing: please report this")
            yield Act("search", shows, took, {"query": query, "answer": answer})

        top = client.search(QUERIES[0][0], limit=1)["hits"][0]["session"]
        yield Act("resume", "the way back into that session", 0.0, {"command": top["resume"], "title": top["title"]})

        began = time.perf_counter()
        _append(stage, f"Remember that the {LIVE_WORD} must be warmed before the deploy.")
        _until_found(client, LIVE_WORD)
        yield Act("append", "a line, as an agent writes it, found", _since(began), {"query": LIVE_WORD})
        before = client.status()["records"]

    service.kill()
    _append(stage, f"And drain the {OFFLINE_WORD} first.")
    began = time.perf_counter()
    with service.running() as client:
        answer = client.search(LIVE_WORD)
        recovered = _since(began)
        client.request("sync", timeout=SYNC_WITHIN)
        after = client.status()["records"]
        missed = client.search(OFFLINE_WORD)
        if not answer["hits"] or after != before + 1 or not missed["hits"]:
            raise RecallError(f"after kill -9 there were {after} records where {before + 1} belong: please report this")
        details = {"records_before": before, "records_after": after}
        yield Act("kill -9", "started again and answering; nothing lost, nothing twice", recovered, details)

    began = time.perf_counter()
    service.stop()
    yield Act("stop", "stopped, and the temporary place removed", _since(began))


def _until_found(client: Client, word: str) -> None:
    end = time.monotonic() + FOUND_WITHIN
    while not client.search(word)["hits"]:
        if time.monotonic() > end:
            raise RecallError(f"what the demo appended was not found within {FOUND_WITHIN:g} s: please report this")
        time.sleep(0.001)


def _append(stage: Stage, text: str) -> None:
    """Add a user's message to the end of one Claude Code session."""
    path = next(p for p in sorted(stage.claude.glob("projects/*tidewatch/*.jsonl")))
    last = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if '"uuid"' in line][-1]
    now = datetime.now(UTC)
    record = {
        **{name: last[name] for name in ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch")},
        "parentUuid": last["uuid"],
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": str(uuid.uuid4()),
        "timestamp": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z",
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
