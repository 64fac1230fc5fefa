"""One daemon a data directory, and directories that only their owner may enter."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from recall.errors import AlreadyRunning, ConfigError
from recall.lock import read_lock
from recall.places import Places
from recalld.lock import DataLock, private_directory

HOLDER = """
import sys
from recall.places import places
from recalld.lock import DataLock
lock = DataLock.acquire(places())
lock.write("/made/up/recalld.sock")
print("held", flush=True)
sys.stdin.read()
"""


def hold(env: dict[str, str]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_lock_says_who_holds_it_and_where_it_listens(places: Places, env: dict[str, str]) -> None:
    assert read_lock(places) is None
    with hold(env) as process:
        found = read_lock(places)
        assert found is not None
        assert (found.pid, found.socket) == (process.pid, "/made/up/recalld.sock")
        process.kill()
    assert read_lock(places) is None, "the lock of a killed daemon still counts"


def test_a_second_daemon_is_refused_with_the_pid_of_the_first(places: Places, env: dict[str, str]) -> None:
    with hold(env) as process:
        with pytest.raises(AlreadyRunning, match=f"pid {process.pid}") as caught:
            DataLock.acquire(places)
        assert caught.value.exit_status == 5
        process.kill()
    DataLock.acquire(places).release()


def test_looking_at_the_lock_creates_nothing_and_keeps_no_daemon_from_starting(places: Places) -> None:
    assert read_lock(places) is None
    assert not places.data.exists()
    DataLock.acquire(places).release()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            read_lock(places)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(50):
            DataLock.acquire(places).release()
    finally:
        stop.set()
        for looker in lookers:
            looker.join()


def test_the_lock_file_is_for_its_owner_only(places: Places) -> None:
    places.data.mkdir(mode=0o755)
    places.lock.touch(0o666)
    places.lock.chmod(0o666)
    lock = DataLock.acquire(places)
    assert places.lock.stat().st_mode & 0o777 == 0o600
    assert places.data.stat().st_mode & 0o777 == 0o700
    lock.release()


def test_a_lock_that_is_taken_again_and_cannot_say_by_whom_says_so_later(places: Places) -> None:
    lock = DataLock.acquire(places)
    places.lock.unlink()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, usual[1]))  # nothing can be written, as on a full disk
    try:
        assert lock.renew(places, "/run/there.sock")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    held = read_lock(places)
    assert held is not None and held.pid == 0
    assert not lock.renew(places, "/run/there.sock")
    held = read_lock(places)
    assert held is not None and (held.pid, held.socket) == (os.getpid(), "/run/there.sock")
    lock.release()


def test_no_child_process_inherits_the_lock(places: Places) -> None:
    lock = DataLock.acquire(places)
    script = "print('here', flush=True); input()"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"here\n"
        lock.release()
        DataLock.acquire(places).release()
        child.kill()


def test_directories_are_made_private_and_tightened(home: Path) -> None:
    private_directory(home / "a" / "b")
    assert [p.stat().st_mode & 0o777 for p in (home / "a", home / "a" / "b")] == [0o700, 0o700]
    (home / "loose").mkdir()
    (home / "loose").chmod(0o777)
    private_directory(home / "loose")
    assert (home / "loose").stat().st_mode & 0o777 == 0o700


def test_a_shared_directory_is_refused_and_left_as_it_is(home: Path) -> None:
    shared = home / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(ConfigError, match="shared directory"):
        private_directory(shared)
    assert shared.stat().st_mode & 0o7777 == 0o1777


def test_a_file_in_the_place_of_a_directory_is_refused(home: Path) -> None:
    (home / "file").touch()
    with pytest.raises(ConfigError):
        private_directory(home / "file")
    with pytest.raises(ConfigError):
        private_directory(home / "file" / "below")


def test_a_lock_file_that_cannot_be_opened_is_an_error_that_names_it(places: Places) -> None:
    places.lock.mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"recalld\.lock"):
        DataLock.acquire(places)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_somebody_else_is_refused(home: Path) -> None:
    (home / "theirs").mkdir()
    os.chown(home / "theirs", 54321, 54321)
    with pytest.raises(ConfigError, match="another user"):
        private_directory(home / "theirs")
