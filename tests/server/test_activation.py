"""Sockets that a service manager passes, and what it is told in return."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from recall.errors import ConfigError
from recall.lock import read_lock
from recall.places import Places, places
from recalld.server.listen import listener
from recalld.server.notify import Notifier
from server.kit import Peer

HERE = Path(__file__).parent
ACTIVATE = shutil.which("systemd-socket-activate")
ANALYZE = shutil.which("systemd-analyze")
UNITS = HERE.parents[1] / "systemd"


class Manager:
    """The service manager's notification socket."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(20)

    def wait(self, line: str) -> None:
        while line not in self.socket.recv(4096).decode().split("\n"):
            pass


@pytest.mark.skipif(ACTIVATE is None, reason="systemd-socket-activate is not installed")
def test_the_first_question_to_a_passed_socket_starts_the_daemon_and_is_answered(
    home: Path, env: dict[str, str], places: Places
) -> None:
    path = home / "given.sock"
    manager = Manager(str(home / "notify"))
    (home / "child").mkdir()
    env |= {"NOTIFY_SOCKET": str(home / "notify"), "WATCHDOG_USEC": "200000", "PYTHONDONTWRITEBYTECODE": "1"}
    handed = [f"-E{name}={value}" for name, value in env.items()]
    command = [sys.executable, str(HERE / "launch.py"), str(home / "child")]
    process = subprocess.Popen([str(ACTIVATE), "-l", str(path), *handed, *command], env=env, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        while f"Listening on {path}" not in process.stderr.readline():
            assert process.poll() is None
        with Peer(path) as peer:
            assert peer.ask("ping")["result"]["pid"] == process.pid
            for line in ("READY=1", "STATUS=up to date", "WATCHDOG=1", "WATCHDOG=1"):
                manager.wait(line)
            assert peer.ask("sync")["ok"]
        lock = read_lock(places)
        assert lock is not None
        assert lock.socket == str(path)
        assert not places.socket.exists(), "it bound a socket of its own as well"
        process.send_signal(signal.SIGTERM)
        manager.wait("STOPPING=1")
        assert process.wait(20) == 0
        assert path.exists(), "the socket is the manager's to remove"
    finally:
        process.kill()
        process.wait(20)


def test_sockets_meant_for_another_process_are_not_taken(places: Places) -> None:
    env = {"LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x"}
    found = listener(places, env)
    assert found.ours
    assert env == {}, "a child would believe it"
    found.close()
    assert not places.socket.exists()


def test_a_socket_left_by_a_dead_daemon_is_replaced(places: Places) -> None:
    places.runtime.mkdir()
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(places.socket))
    left.close()
    found = listener(places, {})
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(places.socket))
    client.close()
    found.close()


def test_a_file_that_is_no_socket_is_not_replaced(places: Places) -> None:
    places.runtime.mkdir()
    places.socket.write_text("somebody's")
    with pytest.raises(ConfigError, match="not a socket"):
        listener(places, {})
    assert places.socket.read_text() == "somebody's"


def test_a_socket_that_another_put_in_the_place_of_ours_is_left_at_the_end(places: Places) -> None:
    found = listener(places, {})
    places.socket.unlink()
    other = socket.socket(socket.AF_UNIX)
    other.bind(str(places.socket))
    found.close()
    assert places.socket.exists()
    other.close()


def test_touching_renews_the_sockets_times_and_tells_when_it_is_gone(places: Places) -> None:
    found = listener(places, {})
    os.utime(places.socket, (1, 1))
    assert found.touch()
    assert places.socket.stat().st_mtime > 1
    places.socket.unlink()
    assert not found.touch()
    found.close()


def test_a_socket_whose_directory_something_else_has_taken_comes_back_when_it_can(places: Places) -> None:
    found = listener(places, {})
    shutil.rmtree(places.runtime)
    places.runtime.write_text("in the way")
    assert not found.touch()
    with pytest.raises(ConfigError, match="not a directory"):
        found.renew(places)
    places.runtime.unlink()
    fresh = found.renew(places)
    assert fresh is not None
    fresh.close()
    found.close()


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_an_abstract_notification_socket_is_spoken_to() -> None:
    name = f"recalld-test-{os.getpid()}"
    manager = Manager("\0" + name)
    env = {"NOTIFY_SOCKET": "@" + name, "OTHER": "1"}
    notifier = Notifier(env)
    assert env == {"OTHER": "1"}
    notifier.status("one")
    notifier.status("one")
    notifier.ready()
    assert manager.socket.recv(100) == b"STATUS=one"
    assert manager.socket.recv(100).startswith(b"READY=1\n")


def test_without_a_manager_nothing_is_said_and_a_missing_one_stops_nothing(home: Path) -> None:
    Notifier({}).ready()
    Notifier({"NOTIFY_SOCKET": str(home / "nowhere")}).ready()


def test_the_watchdog_is_fed_twice_as_often_as_asked_and_only_by_the_process_asked() -> None:
    asked = {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "60000000"}
    assert Notifier(dict(asked)).watchdog_interval == 30
    assert Notifier(asked | {"WATCHDOG_PID": "1"}).watchdog_interval is None
    assert Notifier({"WATCHDOG_USEC": "60000000"}).watchdog_interval is None


def verify(home: Path, units: Path) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "SYSTEMD_UNIT_PATH": f"{units}:",
    }
    done = subprocess.run(
        [str(ANALYZE), "--user", "verify", str(units / "recalld.socket"), str(units / "recalld.service")],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stderr + ("" if done.returncode == 0 else f"exit status {done.returncode}")


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("hardened", [False, True])
def test_the_units_are_usable_as_they_lie_where_recalld_is_in_local_bin(home: Path, hardened: bool) -> None:
    program = home / ".local" / "bin" / "recalld"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    units = home / "units"
    units.mkdir()
    for name in ("recalld.socket", "recalld.service"):
        shutil.copy(UNITS / name, units)
    if hardened:
        (units / "recalld.service.d").mkdir()
        shutil.copy(UNITS / "hardening.conf", units / "recalld.service.d")
    assert verify(home, units) == ""
    program.unlink()
    assert verify(home, units) != "", "the check finds nothing at all"


def test_the_socket_unit_listens_where_clients_look() -> None:
    text = (UNITS / "recalld.socket").read_text()
    default = places({"XDG_RUNTIME_DIR": "%t", "HOME": "/h"}).socket
    assert f"ListenStream={default}\n" in text
    for line in ("SocketMode=0600", "DirectoryMode=0700"):
        assert line in text


def test_the_service_unit_can_open_nothing_but_unix_sockets() -> None:
    lines = (UNITS / "recalld.service").read_text().splitlines()
    promised = {"Type=notify", "RestrictAddressFamilies=AF_UNIX", "NoNewPrivileges=yes", "UMask=0077", "KillMode=mixed"}
    assert promised <= set(lines)
    watchdog = next(line for line in lines if line.startswith("WatchdogSec="))
    assert int(watchdog.split("=")[1]) >= 60
