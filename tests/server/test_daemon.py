"""The daemon as a whole: its lifecycle, its signals, and what it does when its indexer dies."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recall import __version__
from recall.lock import read_lock
from recall.places import Places
from server.kit import Peer

HERE = Path(__file__).parent


class Daemon:
    """A daemon in a process of its own, with the tests' indexer."""

    def __init__(self, home: Path, places: Places, env: dict[str, str]) -> None:
        self.places, self.env = places, env
        self.faults = home / "child"
        self.faults.mkdir()
        self.log = home / "log"
        self.process: subprocess.Popen[bytes] | None = None
        self.pid = 0

    def start(self, command: list[str] | None = None, **env: str) -> Daemon:
        """Start it and wait until it answers."""
        command = command or [sys.executable, str(HERE / "launch.py"), str(self.faults)]
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = self.log.with_name(f"notify{self.pid}")
        ready.bind(str(address))
        ready.settimeout(20)
        self.process = subprocess.Popen(
            command, env=self.env | {"NOTIFY_SOCKET": str(address)} | env, stderr=self.log.open("ab")
        )
        self.said = ready
        self.wait_said("READY=1")
        self.pid = self.process.pid
        return self

    def wait_said(self, line: str) -> None:
        """Wait until it has told the service manager `line`."""
        while line not in self.said.recv(4096).decode().split("\n"):
            pass

    def peer(self) -> Peer:
        return Peer(self.places.socket)

    def ask(self, method: str, params: Any = None, **more: Any) -> Any:
        with self.peer() as peer:
            reply = peer.ask(method, params, **more)
        assert reply["ok"], reply
        return reply["result"]

    def child(self) -> dict[str, Any]:
        """What the newest indexer noted at its birth; waits until one is up."""
        self.ask("search", {"query": "anything"})
        return dict(json.loads((self.faults / "born").read_text()))

    def fault(self, name: str) -> None:
        (self.faults / name).touch()

    def end(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(20)

    def logged(self) -> str:
        return self.log.read_text()


@pytest.fixture
def daemon(home: Path, places: Places, env: dict[str, str]) -> Iterator[Daemon]:
    daemon = Daemon(home, places, env)
    yield daemon
    if daemon.process is not None:
        daemon.process.kill()
        daemon.process.wait(20)


def wait_gone(pid: int, act: Callable[[], object]) -> None:
    """Do `act`, and wait until the process `pid` has ended."""
    handle = os.pidfd_open(pid)
    try:
        act()
        readable, _, _ = select.select([handle], [], [], 20)
        assert readable, "the process lives on"
    finally:
        os.close(handle)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_status_0_and_leaves_no_socket_lock_or_child(daemon: Daemon, number: int) -> None:
    daemon.start()
    child = daemon.child()["pid"]
    wait_gone(child, lambda: daemon.end(number))
    assert daemon.process is not None
    assert daemon.process.returncode == 0
    assert (daemon.faults / "stopped").exists(), "the indexer was not asked to commit"
    assert not daemon.places.socket.exists()
    assert read_lock(daemon.places) is None


def test_an_indexer_that_hangs_at_the_stop_is_killed(daemon: Daemon) -> None:
    daemon.start()
    child = daemon.child()["pid"]
    daemon.fault("hang_at_stop")
    wait_gone(child, lambda: daemon.end())
    assert daemon.process is not None
    assert daemon.process.returncode == 0
    assert 'why="did not stop"' in daemon.logged()


def test_lock_and_socket_are_for_their_owner_and_say_who_listens_where(daemon: Daemon) -> None:
    daemon.start()
    lock = read_lock(daemon.places)
    assert lock is not None
    assert (lock.pid, lock.version, lock.socket) == (daemon.pid, __version__, str(daemon.places.socket))
    modes = [p.stat().st_mode & 0o777 for p in (daemon.places.data, daemon.places.runtime, daemon.places.socket)]
    assert modes == [0o700, 0o700, 0o600]


def test_a_second_daemon_ends_with_status_5_and_names_the_first(daemon: Daemon) -> None:
    daemon.start()
    second = subprocess.run(
        [sys.executable, "-m", "recalld"], env=daemon.env, capture_output=True, text=True, timeout=20, check=False
    )
    assert second.returncode == 5
    assert f"pid {daemon.pid}" in second.stderr
    assert "Traceback" not in second.stderr
    assert daemon.ask("ping")["pid"] == daemon.pid


def test_after_kill_9_the_child_is_gone_and_a_new_daemon_replaces_the_socket_and_answers(daemon: Daemon) -> None:
    daemon.start()
    daemon.ask("sync")
    child = daemon.child()["pid"]
    wait_gone(child, lambda: daemon.end(signal.SIGKILL))
    assert read_lock(daemon.places) is None
    assert daemon.places.socket.exists()
    daemon.start()
    assert daemon.ask("search", {"query": "word1"})["total"] == 1


def test_a_sync_is_answered_after_the_commit_that_it_waited_for_can_be_seen(daemon: Daemon) -> None:
    daemon.start()
    with daemon.peer() as peer:
        for n in range(1, 6):
            assert peer.ask("sync")["result"] == {"commits": n}
            found = peer.ask("search", {"query": f"word{n}"})["result"]
            assert [hit["session"]["title"] for hit in found["hits"]] == [f"title{n}"]
            assert peer.ask("sessions")["result"]["sessions"][0]["records"] == n


def test_an_indexer_that_dies_over_a_sync_is_started_again_and_the_sync_is_answered(daemon: Daemon) -> None:
    daemon.start()
    first = daemon.child()["pid"]
    daemon.fault("die")
    daemon.ask("sync")
    status = daemon.ask("status")["indexer"]
    assert (status["state"], status["restarts"], status["last_failure"]) == ("running", 1, "signal 9")
    assert status["pid"] != first
    assert any("restarted 1 time" in finding["message"] for finding in daemon.ask("doctor")["findings"])


def test_searches_go_on_while_the_indexer_is_away(daemon: Daemon) -> None:
    daemon.start()
    daemon.ask("sync")
    child = daemon.child()["pid"]
    daemon.fault("die_at_start")
    wait_gone(child, lambda: os.kill(child, signal.SIGKILL))
    assert daemon.ask("search", {"query": "word1"})["total"] == 1
    daemon.ask("sync")
    assert daemon.ask("status")["indexer"]["restarts"] == 2


def test_a_sync_that_nobody_can_answer_is_unavailable_at_its_deadline(daemon: Daemon) -> None:
    daemon.start([sys.executable, "-c", BROKEN_CHILD])
    with daemon.peer() as peer:
        reply = peer.ask("sync", deadline_ms=300)
        assert reply["error"]["code"] == "unavailable"
        assert "exit status 9" in reply["error"]["message"]
        assert peer.ask("search", {"query": "x"}, deadline_ms=100)["error"]["code"] == "unavailable"
        findings = peer.ask("doctor")["result"]["findings"]
        assert any(f["check"] == "indexer" and "exit status 9" in f["message"] for f in findings)
        assert peer.ask("status")["result"]["indexer"]["state"] in ("waiting", "starting")
    assert daemon.end() == 0


BROKEN_CHILD = """
import sys
from recall.places import places
from recalld import logs
from recalld.server.lifecycle import serve
logs.setup("info")
serve(places(), command=[sys.executable, "-c", "raise SystemExit(9)"])
"""


def test_an_indexer_that_dies_over_a_doctors_look_is_itself_a_finding(daemon: Daemon) -> None:
    daemon.start()
    daemon.child()
    daemon.fault("die_at_doctor")
    finding = next(f for f in daemon.ask("doctor")["findings"] if f["check"] == "indexer")
    assert "died" in finding["message"]


def test_the_indexers_own_error_reaches_the_client_with_its_code(daemon: Daemon) -> None:
    daemon.start()
    daemon.fault("fail")
    with daemon.peer() as peer:
        assert peer.ask("sync")["error"] == {"code": "index", "message": "the disk is full"}


def test_a_sync_streams_its_progress_to_who_asks_for_it(daemon: Daemon) -> None:
    daemon.start()
    daemon.child()
    daemon.fault("progress")
    with daemon.peer() as peer:
        peer.send("sync", {"progress": True})
        messages = []
        while not messages or "ok" not in messages[-1]:
            message = peer.receive()
            assert message is not None
            messages.append(message)
    assert messages[-1]["result"] == {"commits": 1}
    assert all("pending_bytes" in message["item"] for message in messages[:-1])


def test_the_child_gets_its_control_socket_and_nothing_else_of_ours(daemon: Daemon) -> None:
    daemon.start(WATCHDOG_USEC="60000000")
    born = daemon.child()
    assert len(born["fds"]) == 5, "three standard ones, the control socket, and the one that lists them"
    assert not {"NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"} & set(born["env"])


def test_status_and_doctor_have_the_promised_fields(daemon: Daemon) -> None:
    Path(daemon.env["CODEX_HOME"]).mkdir(parents=True)
    daemon.start()
    daemon.ask("sync")
    status = daemon.ask("status")
    assert status["version"] == __version__
    assert status["pid"] == daemon.pid
    assert (status["records"], status["sessions"], status["complete"]) == (1, 1, True)
    assert status["last_commit"] == "2027-01-15T08:00:00.000Z"
    assert status["rss_bytes"] > 10**6
    assert set(status["agents"]) == {"claude-code", "codex", "qwen-code"}
    codex = status["agents"]["codex"]
    assert codex == {
        "files": 0,
        "sessions": 1,
        "records": 1,
        "skipped_lines": 0,
        "roots": [daemon.env["CODEX_HOME"]],
    }
    assert daemon.ask("doctor")["findings"] == [
        {"check": "reloads", "path": None, "offset": None, "message": "0", "remedy": "none"}
    ]


def test_show_session_and_resume_take_a_prefix_and_refuse_what_is_not_there(daemon: Daemon) -> None:
    daemon.start()
    daemon.ask("sync")
    assert [r["text"] for r in daemon.ask("show", {"session": "s"})["records"]] == ["say word1"]
    assert daemon.ask("session", {"session": "s1"})["session"]["id"] == "s1"
    assert daemon.ask("resume", {"session": "s1"})["argv"][0] == "codex"
    with daemon.peer() as peer:
        assert peer.ask("show", {"session": "zz"})["error"]["code"] == "not_found"
        assert peer.ask("sessions", {"since": "someday"})["error"]["code"] == "bad_request"
        assert peer.ask("sessions", {"since": "2026-11-30T10:00:00"})["error"]["code"] == "bad_request"
        assert peer.ask("sessions", {"since": "2100-01-01T00:00:00Z"})["result"]["sessions"] == []


def test_sighup_reads_the_configuration_again_and_tells_the_child(daemon: Daemon, home: Path) -> None:
    daemon.start()
    daemon.child()
    daemon.places.config.write_text(f'[sources.codex]\nroots = ["{home}/other"]\n')
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_said("RELOADING=1")
    daemon.wait_said("READY=1")
    assert daemon.ask("status")["agents"]["codex"]["roots"] == [f"{home}/other", daemon.env["CODEX_HOME"]]
    missing, reloads = daemon.ask("doctor")["findings"]
    assert (missing["check"], missing["path"]) == ("root", f"{home}/other")
    assert "not there" in missing["message"]
    assert reloads["message"] == "1"
    (home / "other").mkdir()
    assert [f["check"] for f in daemon.ask("doctor")["findings"]] == ["reloads"]


def test_an_agent_whose_directory_vanished_is_a_finding_and_none_at_all_is_a_note(daemon: Daemon) -> None:
    daemon.start()
    told = daemon.ask("doctor")
    assert "root" not in {f["check"] for f in told["findings"]}
    assert daemon.env["CODEX_HOME"] in told["notes"]["no_agents"]
    daemon.ask("sync")  # now the index holds a record of Codex, and its directory is not there
    told = daemon.ask("doctor")
    gone = next(f for f in told["findings"] if f["check"] == "root")
    assert gone["path"] == daemon.env["CODEX_HOME"]
    assert "codex is gone" in gone["message"] and "enabled = false" in gone["remedy"]
    assert told["notes"]["no_agents"] == []


def test_a_configuration_that_became_wrong_is_reported_and_the_one_before_stands(daemon: Daemon) -> None:
    daemon.places.config.write_text("colour = 1\n[sources.codex]\nenabled = false\n")
    daemon.start()
    daemon.child()
    assert daemon.ask("status")["disabled"] == ["codex"]
    daemon.places.config.write_text("[sources.codex]\nenabled = 1\n")
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_said("READY=1")
    assert "codex" not in daemon.ask("status")["agents"]
    [finding] = [f for f in daemon.ask("doctor")["findings"] if f["check"] == "config"]
    assert "line 2" in finding["message"], "and nothing of the file before, which is not there any more"


def test_an_unknown_key_is_a_finding(daemon: Daemon) -> None:
    daemon.places.config.write_text("\ncolour = 1\n")
    daemon.start()
    finding = next(f for f in daemon.ask("doctor")["findings"] if f["check"] == "config")
    assert "line 2: unknown key colour" in finding["message"]


@pytest.mark.parametrize("config", ["[sources.codex]\nenabled = 1\n", "[sources\n"])
def test_a_wrong_configuration_at_the_start_ends_it_with_status_4_and_the_line(
    env: dict[str, str], places: Places, config: str
) -> None:
    places.config.write_text(config)
    done = subprocess.run([sys.executable, "-m", "recalld"], env=env, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 4
    assert "line " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_socket_path_that_is_too_long_is_an_error_that_says_what_to_set(env: dict[str, str], home: Path) -> None:
    env["RECALLD_RUNTIME_DIR"] = str(home / ("d" * 120))
    done = subprocess.run([sys.executable, "-m", "recalld"], env=env, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 4
    assert "RECALLD_RUNTIME_DIR" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_says_what_there_is_to_say_and_version_names_the_version(env: dict[str, str]) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "recalld", *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=20, check=False)

    told = run("--help").stdout
    for word in ("--log-level", "SIGHUP", "RECALLD_DATA_DIR", "CODEX_HOME", "Exit status"):
        assert word in told
    assert __version__ in run("--version").stdout
    assert run("--nonsense").returncode == 2
    for wrong in (["--log-level", "loud"], ["--nothing"], ["twice"]):
        done = run(*wrong)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr


def test_no_log_line_holds_what_sessions_or_questions_say(daemon: Daemon) -> None:
    daemon.start()
    daemon.ask("sync")
    daemon.ask("search", {"query": "say word1 Xylophone"})
    daemon.ask("show", {"session": "s1"})
    daemon.end()
    assert "word1" not in daemon.logged()
    assert "Xylophone" not in daemon.logged()


def test_the_main_process_loads_nothing_of_the_watcher_mcp_or_the_terminal(env: dict[str, str]) -> None:
    script = "import sys, recalld.server.lifecycle; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"watchdog", "mcp", "rich", "pydantic", "zstandard"}
    assert "recalld.redact" not in done.stdout.split()
