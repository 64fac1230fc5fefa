"""What the watcher tells: the agents' files that changed, at once, whatever happens to their directories."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recalld.watch.backend import Backend, Changed, Lost, WatchLimit
from recalld.watch.observer import ObservedTrees
from recalld.watch.watcher import Watcher, system_backend
from tailing_kit import AGENT, SOURCES

LONG = 30.0
"""Seconds after which a test gives up; nothing that works comes near."""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


class Hints:
    """Collects hints, and waits for them."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._paths: set[Path] = set()
        self._all = 0
        self.hold = threading.Event()
        self.hold.set()

    def __call__(self, paths: set[Path] | None) -> None:
        self.hold.wait(LONG)
        with self._news:
            if paths is None:
                self._all += 1
            else:
                self._paths |= paths
            self._news.notify_all()

    def covering(self, path: Path) -> None:
        """Wait for a hint that leads to `path`: itself, a directory above it, or everything."""
        with self._news:
            assert self._news.wait_for(lambda: self._all or not self._paths.isdisjoint({path, *path.parents}), LONG), (
                f"no hint of {path} in {self._paths}"
            )
            self.clear()

    def everything(self) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self._all, LONG), "no hint to scan everything"
            self.clear()

    def clear(self) -> None:
        with self._news:
            self._paths, self._all = set(), 0

    @property
    def paths(self) -> set[Path]:
        with self._news:
            return set(self._paths)


BACKENDS = [
    pytest.param(system_backend, id="system"),
    pytest.param(ObservedTrees, id="observer"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "live/deep").mkdir(parents=True)
    (root / "archive").mkdir()
    return root


@pytest.fixture
def hints() -> Hints:
    return Hints()


@pytest.fixture
def watch(root: Path, hints: Hints) -> Iterator[Callable[..., Watcher]]:
    """Start a watcher that tells `hints`."""
    running: list[Watcher] = []

    def start(**options: Any) -> Watcher:
        watcher = Watcher(SOURCES, {AGENT: [root]}, hints, **{"patrol": 0.05, **options})
        watcher.start()
        running.append(watcher)
        return watcher

    yield start
    for watcher in running:
        watcher.stop()


def append(path: Path) -> Path:
    with path.open("ab") as file:
        file.write(b"line\n")
    return path


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_new_file_an_append_a_rename_and_a_deletion_are_told(
    watch: Callable[..., Watcher], root: Path, hints: Hints, backend: Any
) -> None:
    watcher = watch(backend=backend)
    assert {w.mode for w in watcher.watched()} == {"events"}
    path = root / "live/deep/a.jsonl"
    append(path)
    hints.covering(path)
    append(path)
    hints.covering(path)
    path.rename(root / "archive/a.jsonl")
    hints.covering(root / "archive/a.jsonl")
    (root / "archive/a.jsonl").unlink()
    hints.covering(root / "archive/a.jsonl")
    append(root / "history.jsonl")
    hints.covering(root / "history.jsonl")


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_files_and_reading_are_not_told(watch: Callable[..., Watcher], root: Path, hints: Hints, backend: Any) -> None:
    path = append(root / "live/a.jsonl")
    (root / "else").mkdir()
    watch(backend=backend)
    path.read_bytes()
    append(root / "live/a.txt")
    append(root / "config.toml")
    append(root / "else/b.jsonl")
    last = append(root / "live/last.jsonl")
    with hints._news:
        assert hints._news.wait_for(lambda: last in hints._paths, LONG)
    assert hints.paths <= {last}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_new_tree_of_directories_is_told_and_watched(
    watch: Callable[..., Watcher], root: Path, hints: Hints, backend: Any
) -> None:
    watch(backend=backend)
    deep = root / "live/one/two/three"
    deep.mkdir(parents=True)
    hints.covering(append(deep / "a.jsonl"))
    hints.covering(append(deep / "a.jsonl"))


def test_a_directory_moved_in_with_its_files_is_told_and_watched(
    watch: Callable[..., Watcher], root: Path, hints: Hints, tmp_path: Path
) -> None:
    watch()
    (tmp_path / "outside/inner").mkdir(parents=True)
    append(tmp_path / "outside/inner/a.jsonl")
    (tmp_path / "outside").rename(root / "live/moved")
    hints.covering(root / "live/moved/inner/a.jsonl")
    hints.covering(append(root / "live/moved/inner/a.jsonl"))


@linux
def test_a_directory_renamed_within_the_tree_is_watched_under_its_new_name(
    watch: Callable[..., Watcher], root: Path, hints: Hints
) -> None:
    watch()
    (root / "live/deep").rename(root / "live/renamed")
    hints.covering(root / "live/deep/a.jsonl")
    path = append(root / "live/renamed/a.jsonl")
    with hints._news:
        assert hints._news.wait_for(lambda: not hints._paths.isdisjoint({path, *path.parents}), LONG)


@linux
def test_what_follows_a_rename_out_of_the_tree_is_not_held_back(
    watch: Callable[..., Watcher], root: Path, hints: Hints, tmp_path: Path
) -> None:
    path = append(root / "live/a.jsonl")
    held: list[str | None] = []
    arrived = threading.Event()

    def spying(changed: Changed, lost: Lost) -> Backend:
        def tell(name: str | None, is_directory: bool) -> None:
            held.append(name)
            changed(name, is_directory)
            if name == str(root / "live/b.jsonl"):
                arrived.set()

        return system_backend(tell, lost)

    watcher = watch(backend=spying)
    # an observer that pairs renames sleeps on the first until its other half is overdue, whatever comes behind it
    path.rename(tmp_path / "outside.jsonl")
    append(root / "live/b.jsonl")
    assert arrived.wait(LONG)
    assert held.index(str(path)) < held.index(str(root / "live/b.jsonl"))
    assert not any(type(t).__name__ == "InotifyEmitter" for t in threading.enumerate())
    assert {w.mode for w in watcher.watched()} == {"events"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_roots_that_do_not_exist_yet_are_watched_when_they_do(
    watch: Callable[..., Watcher], root: Path, hints: Hints, tmp_path: Path, backend: Any
) -> None:
    root.rename(tmp_path / "later")
    watcher = watch(backend=backend)
    assert {(w.mode, w.exists) for w in watcher.watched()} == {("events", False)}
    (root / "live").mkdir(parents=True)
    path = append(root / "live/a.jsonl")
    hints.covering(path)
    hints.covering(append(path))
    (root / "archive").mkdir()
    hints.covering(append(root / "archive/b.jsonl"))
    hints.covering(append(root / "history.jsonl"))
    while not all(w.exists for w in watcher.watched()):
        hints.covering(root / "archive")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_root_that_is_removed_and_made_again_is_watched_again(
    watch: Callable[..., Watcher], root: Path, hints: Hints, tmp_path: Path, backend: Any
) -> None:
    path = append(root / "live/a.jsonl")
    watch(backend=backend)
    for turn in range(3):
        root.rename(tmp_path / f"away{turn}")
        hints.covering(path)
        (root / "live").mkdir(parents=True)
        hints.covering(append(path))
        hints.clear()
        append(path)
        hints.covering(path)
        append(tmp_path / f"away{turn}/live/a.jsonl")


@linux
def test_a_deleted_place_is_waited_for(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    watcher = watch()
    (root / "archive").rmdir()
    hints.covering(root / "archive")
    assert {w.exists for w in watcher.watched() if w.directory.name == "archive"} == {False}
    (root / "archive").mkdir()
    hints.covering(append(root / "archive/b.jsonl"))


@linux
def test_a_full_event_queue_ends_in_a_hint_to_scan_everything(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    blocked, go = threading.Event(), threading.Event()

    def slow(changed: Changed, lost: Lost) -> Backend:
        def tell(name: str | None, is_directory: bool) -> None:
            blocked.set()
            go.wait(LONG)
            changed(name, is_directory)

        return system_backend(tell, lost)

    watch(backend=slow)
    first, second = root / "live/a.jsonl", root / "live/b.jsonl"
    append(first)
    assert blocked.wait(LONG)
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with first.open("ab", buffering=0) as one, second.open("ab", buffering=0) as two:
        for _ in range(limit // 2 + 2):  # in turn: the kernel joins equal events that follow each other
            one.write(b"\n")
            two.write(b"\n")
    (root / "live/during").mkdir()  # nobody tells of it
    go.set()
    hints.everything()
    hints.covering(append(root / "live/during/c.jsonl"))


@linux
def test_without_a_watch_to_be_had_places_are_scanned(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    def none_left(changed: Changed, lost: Lost) -> Backend:
        raise WatchLimit("inotify instance limit reached")

    watcher = watch(backend=none_left, fastest=0.02, slowest=0.05)
    assert {(w.mode, w.reason) for w in watcher.watched()} == {("scan", "inotify instance limit reached")}
    path = append(root / "live/a.jsonl")
    hints.covering(path)
    for _ in range(3):
        append(path)
        hints.covering(path)
    path.unlink()
    hints.covering(path)


@linux
def test_a_real_lack_of_inotify_instances_is_survived(root: Path) -> None:
    """In a process of its own, whose descriptors are used up."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            import resource

            top = len(os.listdir("/proc/self/fd"))
            resource.setrlimit(resource.RLIMIT_NOFILE, (top, top))
            while True:
                try:
                    os.dup(0)
                except OSError:
                    break
            hints = Hints()
            watcher = Watcher(SOURCES, {AGENT: [root]}, hints, why_not=lambda path: None)
            watcher.start()
            code = 0 if {w.mode for w in watcher.watched()} == {"scan"} else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


STARVED = """
import sys, threading
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from recalld.watch.watcher import Watcher
from tailing_kit import AGENT, SOURCES
root = Path(sys.argv[1])
told = threading.Event()
def hint(paths):
    if paths and root / "live/late.jsonl" in paths: told.set()
with Watcher(SOURCES, {AGENT: [root]}, hint, fastest=0.02, slowest=0.05) as watcher:
    before = {w.directory.name: w.mode for w in watcher.watched()}
    for number in range(9):
        (root / f"live/{number}").mkdir()
    (root / "live/8/a.jsonl").write_bytes(b"line")
    for _ in range(300):
        with (root / "live/late.jsonl").open("ab") as file:
            file.write(b"line")
        if told.wait(0.1):
            break
    print(before["live"], {w.directory.name: (w.mode, w.remedy) for w in watcher.watched()}["live"], told.is_set())
"""


@linux
def test_running_out_of_watches_turns_events_into_scans(root: Path) -> None:
    """For real: a user namespace has limits of its own."""
    starve = "echo 6 > /proc/sys/user/max_inotify_watches"
    if subprocess.run(["unshare", "-Ur", "sh", "-c", starve], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody make user namespaces")
    command = f'{starve} && exec "$@"'
    result = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", command, "-", sys.executable, "-c", STARVED, root, *sys.path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stdout.startswith("events ('scan', "), result
    assert "max_user_watches" in result.stdout
    assert result.stdout.endswith("True\n")


@linux
def test_watches_that_were_refused_are_asked_for_again(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    refusals = iter(("first", "second"))

    def scarce(changed: Changed, lost: Lost) -> Backend:
        for refusal in refusals:
            raise WatchLimit(refusal)
        return system_backend(changed, lost)

    watcher = watch(backend=scarce, safety=0.05)
    assert {w.reason for w in watcher.watched()} == {"first"}
    while {w.mode for w in watcher.watched()} != {"events"}:
        hints.everything()
    hints.covering(append(root / "live/a.jsonl"))


def test_on_a_network_file_system_places_are_scanned_with_the_reason(
    watch: Callable[..., Watcher], root: Path, hints: Hints
) -> None:
    def remote(path: Path) -> str | None:
        return "it lies on a nfs4 file system" if path.name == "live" else None

    watcher = watch(why_not=remote, fastest=0.02, slowest=0.05)
    modes = {w.directory.name: (w.mode, w.reason) for w in watcher.watched()}
    assert modes["live"] == ("scan", "it lies on a nfs4 file system")
    assert modes["archive"] == ("events", None)
    path = append(root / "live/deep/a.jsonl")
    hints.covering(path)
    hints.covering(append(path))
    hints.covering(append(root / "archive/a.jsonl"))


def test_a_scanned_root_may_come_and_go(watch: Callable[..., Watcher], root: Path, hints: Hints, tmp_path: Path) -> None:
    path = append(root / "live/a.jsonl")
    watch(why_not=lambda path: "remote", fastest=0.02, slowest=0.05)
    hints.covering(path)
    root.rename(tmp_path / "away")
    hints.covering(path)
    (root / "live").mkdir(parents=True)
    hints.covering(append(path))


def test_whatever_happens_there_is_a_hint_to_scan_everything(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    watch(safety=0.05)
    hints.everything()
    hints.everything()


def test_excluded_paths_are_not_told(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    watch(excluded=lambda path: path.startswith(str(root / "live/deep")))
    append(root / "live/deep/a.jsonl")
    last = append(root / "live/b.jsonl")
    hints.covering(last)
    assert root / "live/deep/a.jsonl" not in hints.paths


def test_many_changes_come_in_few_hints(watch: Callable[..., Watcher], root: Path, hints: Hints) -> None:
    calls: list[int] = []
    done = threading.Event()

    def count(paths: set[Path] | None) -> None:
        calls.append(len(paths or ()))
        if paths is None or root / "live/last.jsonl" in paths:
            done.set()

    with Watcher(SOURCES, {AGENT: [root]}, count):
        for number in range(500):
            append(root / f"live/{number}.jsonl")
        append(root / "live/last.jsonl")
        assert done.wait(LONG)
    assert len(calls) < 250


def test_a_link_as_root_is_watched_under_its_own_name(tmp_path: Path, root: Path, hints: Hints) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    for backend in (system_backend, ObservedTrees):
        with Watcher(SOURCES, {AGENT: [link]}, hints, backend=backend):
            append(root / "live/a.jsonl")
            hints.covering(link / "live/a.jsonl")


def test_no_thread_or_descriptor_outlives_the_watcher(root: Path, hints: Hints) -> None:
    threads = set(threading.enumerate())
    descriptors = sorted(os.listdir("/dev/fd"))
    for _ in range(2):
        with Watcher(SOURCES, {AGENT: [root]}, hints):
            append(root / "live/a.jsonl")
            hints.covering(root / "live/a.jsonl")
    assert set(threading.enumerate()) == threads
    assert sorted(os.listdir("/dev/fd")) == descriptors


def test_it_may_be_stopped_from_a_hint(root: Path) -> None:
    stopped = threading.Event()

    def stop(paths: set[Path] | None) -> None:
        watcher.stop()
        stopped.set()

    watcher = Watcher(SOURCES, {AGENT: [root]}, stop)
    watcher.start()
    append(root / "live/a.jsonl")
    assert stopped.wait(LONG)
