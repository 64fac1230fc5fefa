"""Starting, reaching and stopping a real recalld."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from recall.lock import read_lock
from recall.service.systemd import Systemd


@pytest.fixture
def user(home: Any) -> Iterator[Any]:
    """A home whose daemon, if one was left running, is ended afterwards."""
    yield home
    lock = read_lock(home.places)
    if lock is not None and lock.pid:
        os.kill(lock.pid, signal.SIGKILL)


def test_start_runs_one_in_the_background_and_stop_ends_it(user: Any) -> None:
    done = user.recall("start", "--json")
    assert done.returncode == 0
    assert done.stderr == "recall: starting recalld in the background\n"
    pid = json.loads(done.stdout)["pid"]
    lock = read_lock(user.places)
    assert lock is not None
    assert lock.pid == pid
    assert os.getsid(pid) == pid  # a session of its own: neither Ctrl-C nor a closed terminal reaches it
    assert user.recall("status").returncode == 0
    done = user.recall("start")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"already running, pid {pid}" in done.stdout
    assert user.recall("stop").stdout == "recalld is stopped\n"
    assert read_lock(user.places) is None
    assert user.recall("status").returncode == 3
    assert json.loads(user.recall("stop", "--json").stdout) == {"schema": 1, "stopped": False}


def test_the_data_directory_and_the_log_are_the_users_alone(user: Any) -> None:
    user.recall("start")
    assert user.places.data.stat().st_mode & 0o777 == 0o700
    assert (user.places.data / "recalld.log").stat().st_mode & 0o777 == 0o600


def test_starts_at_the_same_moment_end_with_one_daemon(user: Any) -> None:
    starts = [
        subprocess.Popen(user.command("start", "--json"), env=user.env, cwd=user.work, stdout=-1, stderr=-1)
        for _ in range(5)
    ]
    answers = [(process.communicate(timeout=60)[0], process.returncode) for process in starts]
    assert [status for _, status in answers] == [0] * 5
    assert len({json.loads(out)["pid"] for out, _ in answers}) == 1


def test_a_daemon_that_dies_at_its_start_is_told_with_its_last_words(user: Any) -> None:
    user.places.config.write_text("[index]\nmax_line_bytes = 'many'\n")
    done = user.recall("start", "--json")
    assert done.returncode == 3
    message = json.loads(done.stdout)["error"]["message"]
    assert "ended at its start" in message
    assert "max_line_bytes" in message
    assert "recalld.log" in message


def test_a_data_directory_that_cannot_be_used_is_a_clear_error(user: Any) -> None:
    user.places.data.write_text("a file")
    done = user.recall("start")
    assert done.returncode == 3
    assert "RECALLD_DATA_DIR" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_socket_path_that_is_too_long_is_a_clear_error(user: Any) -> None:
    done = user.recall("start", RECALLD_RUNTIME_DIR="/tmp/" + "x" * 120)
    assert done.returncode != 0
    assert "RECALLD_RUNTIME_DIR" in done.stderr


def test_a_log_that_has_grown_is_set_aside(user: Any) -> None:
    user.places.data.mkdir()
    log = user.places.data / "recalld.log"
    log.write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    user.recall("start")
    assert log.stat().st_size < 100_000
    assert (user.places.data / "recalld.log.1").stat().st_size > 4 * 1024 * 1024


def test_places_that_are_relative_are_the_same_for_the_daemon(user: Any) -> None:
    relative = {"RECALLD_DATA_DIR": "../data", "RECALLD_RUNTIME_DIR": "../run", "RECALLD_CONFIG": "../config.toml"}
    assert user.recall("start", **relative).returncode == 0
    assert user.recall("status").returncode == 0  # with the absolute ones


def test_python_can_start_it_too(user: Any) -> None:
    code = "import recall\nwith recall.connect(start=True) as client: print(client.ping()['version'])"
    done = subprocess.run([sys.executable, "-c", code], env=user.env, cwd=user.work, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{__import__('recall').__version__}\n")


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


def install(user: Any) -> None:
    """Put the service there for this home's places, as `recall service install` would, with a stand-in systemctl."""
    user.program("systemctl", SYSTEMCTL.replace("{python}", sys.executable))
    plan = Systemd(user.env).plan_install(user.places, ["recalld"])
    for path, text in plan.write.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_where_the_service_is_installed_start_and_stop_go_through_it(user: Any) -> None:
    install(user)
    done = user.recall("start", "--json")
    assert json.loads(done.stdout)["how"] == "service"
    done = user.recall("stop")
    assert "stopped recalld.socket and recalld.service" in done.stderr
    assert done.stdout == "recalld is stopped\n"
    calls = (user.root / "home" / "systemctl.log").read_text().splitlines()
    assert "--user start recalld.socket recalld.service" in calls
    assert "--user stop recalld.socket recalld.service" in calls


def test_a_service_of_other_places_is_left_alone(user: Any) -> None:
    install(user)
    elsewhere = user.root / "else"
    done = user.recall("start", "--json", RECALLD_DATA_DIR=str(elsewhere))
    assert json.loads(done.stdout)["how"] == "background"
    assert user.recall("stop", RECALLD_DATA_DIR=str(elsewhere)).returncode == 0
    assert not (user.root / "home" / "systemctl.log").exists()


def test_where_the_service_fails_a_background_daemon_does_it_and_that_is_said(user: Any) -> None:
    install(user)
    user.program("systemctl", "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n")
    done = user.recall("start", "--json")
    assert json.loads(done.stdout)["how"] == "background"
    assert "No medium found" in done.stderr
    assert "in the background" in done.stderr
