"""Starting, reaching and stopping a real recalld."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from recall.lock import read_lock
from recall.service.systemd import Systemd


def daemons(home: Any) -> list[psutil.Process]:
    """The processes of this home that run `recalld` itself, their indexers left out."""
    found = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        command, env = process.info["cmdline"] or [], process.info["environ"] or {}
        if env.get("RECALLD_DATA_DIR") == str(home.places.data) and any(Path(word).name == "recalld" for word in command):
            found.append(process)
    return found


def test_start_runs_one_in_the_background_and_stop_ends_it(home: Any) -> None:
    done = home.recall("start", "--json")
    assert done.returncode == 0
    assert done.stderr == "recall: starting recalld in the background\n"
    pid = json.loads(done.stdout)["pid"]
    lock = read_lock(home.places)
    assert lock is not None
    assert lock.pid == pid
    assert os.getsid(pid) == pid  # a session of its own: neither Ctrl-C nor a closed terminal reaches it
    assert home.recall("status").returncode == 0
    done = home.recall("start")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"already running, pid {pid}" in done.stdout
    assert home.recall("stop").stdout == "recalld is stopped\n"
    assert read_lock(home.places) is None
    assert home.recall("status").returncode == 3
    assert json.loads(home.recall("stop", "--json").stdout) == {"schema": 1, "stopped": False}


def test_the_data_directory_and_the_log_are_the_users_alone(home: Any) -> None:
    home.recall("start")
    assert home.places.data.stat().st_mode & 0o777 == 0o700
    assert (home.places.data / "recalld.log").stat().st_mode & 0o777 == 0o600


def test_starts_at_the_same_moment_end_with_one_daemon(home: Any) -> None:
    starts = [
        subprocess.Popen(home.command("start", "--json"), env=home.env, cwd=home.work, stdout=-1, stderr=-1) for _ in range(5)
    ]
    answers = [(process.communicate(timeout=60)[0], process.returncode) for process in starts]
    assert [status for _, status in answers] == [0] * 5
    pids = {json.loads(out)["pid"] for out, _ in answers}
    assert len(pids) == 1
    _, alive = psutil.wait_procs([daemon for daemon in daemons(home) if daemon.pid not in pids], timeout=60)
    assert alive == []  # those that came second have ended


def test_a_daemon_that_dies_at_its_start_is_told_with_its_last_words(home: Any) -> None:
    home.places.config.write_text("[index]\nmax_line_bytes = 'many'\n")
    done = home.recall("start", "--json")
    assert done.returncode == 3
    message = json.loads(done.stdout)["error"]["message"]
    assert "ended at its start" in message
    assert "max_line_bytes" in message
    assert "recalld.log" in message


def test_a_data_directory_that_cannot_be_used_is_a_clear_error(home: Any) -> None:
    home.places.data.write_text("a file")
    done = home.recall("start")
    assert done.returncode == 3
    assert "RECALLD_DATA_DIR" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_socket_path_that_is_too_long_is_a_clear_error(home: Any) -> None:
    done = home.recall("start", RECALLD_RUNTIME_DIR="/tmp/" + "x" * 120)
    assert done.returncode == 4
    assert "RECALLD_RUNTIME_DIR" in done.stderr
    assert not home.places.data.exists()  # nothing was started


def test_a_log_that_has_grown_is_set_aside(home: Any) -> None:
    home.places.data.mkdir()
    log = home.places.data / "recalld.log"
    log.write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    home.recall("start")
    assert log.stat().st_size < 100_000
    assert (home.places.data / "recalld.log.1").stat().st_size > 4 * 1024 * 1024


@pytest.mark.parametrize("name", ["RECALLD_DATA_DIR", "RECALLD_RUNTIME_DIR", "RECALLD_CONFIG"])
@pytest.mark.parametrize("command", [["start"], ["status"], ["install"], ["service", "install"]])
def test_a_place_that_is_relative_is_refused_since_every_directory_would_have_its_own(
    home: Any, command: list[str], name: str
) -> None:
    done = home.recall(*command, **{name: "some/where"})
    assert done.returncode == 4
    assert name in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not home.places.data.exists()
    assert list(home.work.iterdir()) == []


@pytest.mark.parametrize("command", ["start", "search x", "install", "service install", "hook codex Stop"])
def test_a_shared_data_directory_is_refused_before_anything_is_written_to_it(home: Any, command: str) -> None:
    (home.root / "codex").mkdir()
    shared = home.root / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    done = home.recall(*command.split(), RECALLD_DATA_DIR=str(shared))
    assert list(shared.iterdir()) == []
    if command.startswith("hook"):
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    else:
        assert done.returncode in (3, 4)
        assert "is a shared directory" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("command", "status"), [("status", 3), ("search x", 3), ("stop", 3), ("doctor", 1), ("install", 4)])
def test_a_data_directory_that_the_system_keeps_from_us_is_one_clear_line(home: Any, command: str, status: int) -> None:
    (home.root / "codex").mkdir()
    kept = home.root / "kept"
    kept.symlink_to("kept")  # to root, too, this cannot be opened; another user's directory fails in the same place
    done = home.recall(*command.split(), RECALLD_DATA_DIR=str(kept))
    assert done.returncode == status
    assert str(kept) in (done.stdout if command == "doctor" else done.stderr)
    assert len(done.stderr.splitlines()) == (command != "doctor")
    assert home.recall("hook", "codex", "Stop", RECALLD_DATA_DIR=str(kept)).stderr == ""


def test_python_can_start_it_too(home: Any) -> None:
    code = "import recall\nwith recall.connect(start=True) as client: print(client.ping()['version'])"
    done = subprocess.run([sys.executable, "-c", code], env=home.env, cwd=home.work, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{__import__('recall').__version__}\n")


def session_line(number: int, text: str) -> str:
    """One line of a Claude Code transcript."""
    record = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/w/app",
        "sessionId": "11111111-1111-4111-8111-111111111111",
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"u{number}",
        "timestamp": f"2026-01-15T10:00:{number:02d}.000Z",
    }
    return json.dumps(record) + "\n"


def test_a_question_starts_a_daemon_says_so_and_finds_what_is_there(home: Any) -> None:
    transcript = home.root / "claude" / "projects" / "-w-app" / "11111111-1111-4111-8111-111111111111.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(session_line(1, "the wombat is in the attic"))
    done = home.recall("wombat", "--json")
    assert done.returncode == 0
    assert done.stderr == "recall: starting recalld in the background\n"
    assert json.loads(done.stdout)["hits"][0]["session"]["title"] == "the wombat is in the attic"
    done = home.recall("wombat", "--json")
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_answers_about_a_real_session(home: Any) -> None:
    transcript = home.root / "claude" / "projects" / "-w-app" / "11111111-1111-4111-8111-111111111111.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(session_line(1, "the wombat is in the attic") + session_line(2, "and the quoll below"))
    assert home.recall("sync").returncode == 0
    assert "the quoll below" in home.recall("show", "1111").stdout
    assert "the wombat" in home.recall("sessions", "--project", "/w", "--since", "2026-01-01").stdout
    assert home.recall("sessions", "--since", "2026-02-01").returncode == 1
    assert "2 records" in home.recall("search", "quoll", "--since", "2026-01-15", "--until", "2026-01-15").stdout
    assert home.recall("resume", "1111").stdout.endswith("claude --resume 11111111-1111-4111-8111-111111111111\n")
    assert "1 session, 2 records" in home.recall("status").stdout
    assert home.recall("show", "9999").returncode == 1
    assert json.loads(home.recall("call", "ping").stdout)["version"]


SYSTEMCTL = """#!/usr/bin/env bash
# Stands in for systemctl: notes how it was called; `start` and `stop` do what the units would.
echo "$*" >> "$HOME/systemctl.log"
state="$HOME/active"
case "$2" in
  start) touch "$state"; setsid {python} -m recalld </dev/null >/dev/null 2>&1 & ;;
  stop) rm -f "$state"; kill "$(grep -o '"pid": *[0-9]*' "$RECALLD_DATA_DIR/recalld.lock" | grep -o '[0-9]*')" ;;
  is-active) test -e "$state" ;;
esac
"""


def install(home: Any) -> None:
    """Put the service there for this home's places, as `recall service install` would, with a stand-in systemctl."""
    home.program("systemctl", SYSTEMCTL.replace("{python}", sys.executable))
    plan = Systemd(home.env).plan_install(home.places, ["recalld"])
    for path, text in plan.write.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_where_the_service_is_installed_start_and_stop_go_through_it(home: Any) -> None:
    install(home)
    done = home.recall("start", "--json")
    assert json.loads(done.stdout)["how"] == "service"
    done = home.recall("stop")
    assert "stopped recalld.socket and recalld.service" in done.stderr
    assert done.stdout == "recalld is stopped\n"
    calls = (home.root / "home" / "systemctl.log").read_text().splitlines()
    assert "--user start recalld.socket recalld.service" in calls
    assert "--user stop recalld.socket recalld.service" in calls


def test_a_service_of_other_places_is_left_alone(home: Any) -> None:
    install(home)
    elsewhere = home.root / "else"
    done = home.recall("start", "--json", RECALLD_DATA_DIR=str(elsewhere))
    assert json.loads(done.stdout)["how"] == "background"
    assert home.recall("stop", RECALLD_DATA_DIR=str(elsewhere)).returncode == 0
    assert not (home.root / "home" / "systemctl.log").exists()


def test_where_the_service_fails_a_background_daemon_does_it_and_that_is_said(home: Any) -> None:
    install(home)
    home.program("systemctl", "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n")
    done = home.recall("start", "--json")
    assert json.loads(done.stdout)["how"] == "background"
    assert "No medium found" in done.stderr
    assert "in the background" in done.stderr
