"""The demo: it does the main job, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recall.demo.run import LIVE_WORD, OFFLINE_WORD
from recall.demo.stage import SESSIONS, raise_stage

FILES = sorted(SESSIONS.rglob("*.jsonl"))


def left_behind(root: Path) -> list[str]:
    """What is in the home and temporary directory beyond what `Home` itself made."""
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.name not in ("home", "work", "bin", "run"))


def daemons_of(root: Path) -> list[int]:
    """Processes that have anything below `root` in their environment and are daemons."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(root) in (process / "environ").read_bytes() and b"recalld" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue  # it ended, or is another user's
    return found


def test_the_demo_does_the_main_job_and_leaves_nothing_behind(home: Any) -> None:
    done = home.recall("demo", "--json")
    assert done.returncode == 0, done.stderr
    acts = json.loads(done.stdout)["acts"]
    assert [a["act"] for a in acts if a["act"] != "search"] == ["start", "index", "resume", "append", "kill -9", "stop"]
    index = next(a for a in acts if a["act"] == "index")
    assert set(index["agents"]) == {"claude-code", "codex", "qwen-code"}
    assert min(index["agents"].values()) >= 4
    killed = next(a for a in acts if a["act"] == "kill -9")
    assert killed["records_after"] == killed["records_before"] + 1  # the line written while no daemon ran
    assert all(a["answer"]["hits"] for a in acts if a["act"] == "search")
    assert left_behind(home.root) == []
    assert daemons_of(home.root) == []


def test_the_demo_is_readable_without_a_terminal(home: Any) -> None:
    done = home.recall("demo")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for text in (
        "start",
        "index",
        "duplicate charges webhook",
        "claude --resume",
        "nothing lost, nothing twice",
        " ms",
    ):
        assert text in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_cleans_up(home: Any, number: signal.Signals) -> None:
    process = subprocess.Popen(
        home.command("demo"),
        env=home.env | {"PYTHONUNBUFFERED": "1"},
        cwd=home.work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "start" in process.stdout.readline()  # its daemon runs now
    drain = threading.Thread(target=process.stdout.read)
    drain.start()
    process.send_signal(number)
    assert process.wait(60) == 130
    drain.join()
    assert left_behind(home.root) == []
    assert daemons_of(home.root) == []


def test_bundled_sessions_are_json_lines_and_hold_none_of_the_words_that_the_demo_adds() -> None:
    assert len([f for f in FILES if "subagents" not in f.parts and f.name != "session_index.jsonl"]) == 12
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
        assert LIVE_WORD not in text
        assert OFFLINE_WORD not in text


def test_times_on_the_stage_are_recent_and_keep_their_distances(tmp_path: Path) -> None:
    now = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    stage = raise_stage(tmp_path, {"PATH": "/bin", "CLAUDE_CONFIG_DIR": "/the/users/own"}, now)
    rollouts = sorted(tmp_path.glob("codex/sessions/*/*/*/rollout-*.jsonl"))
    assert len(rollouts) == 4
    for path in [
        *rollouts,
        *tmp_path.glob("claude/projects/*/*.jsonl"),
        *tmp_path.glob("qwen/projects/*/chats/*.jsonl"),
    ]:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        times = [datetime.fromisoformat(line["timestamp"]) for line in lines if "timestamp" in line]
        assert times == sorted(times)
        assert timedelta(0) < now - times[-1] < timedelta(days=30)
        assert times[-1] - times[0] < timedelta(hours=1)
    assert all(value.startswith(str(tmp_path)) for name, value in stage.env.items() if name not in ("PATH",))
