"""What the scan finds, and what it leaves alone."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from recalld.watch.scan import scan
from tailing_kit import AGENT, SOURCES, look


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "live/deep/deeper").mkdir(parents=True)
    (root / "archive").mkdir()
    return root


def write(path: Path) -> Path:
    path.write_bytes(b"line\n")
    return path


def names(root: Path, *only: Path) -> list[str]:
    return sorted(str(f.source.path.relative_to(root)) for f in look(root, *only).found)


def test_files_of_the_agent_are_found_at_any_depth_and_nothing_else(root: Path) -> None:
    for name in ("live/a.jsonl", "live/deep/deeper/b.jsonl.zst", "archive/c.jsonl", "history.jsonl"):
        write(root / name)
    for name in ("live/a.txt", "other.jsonl", "archive/c.jsonl.backup"):
        write(root / name)
    (root / "elsewhere").mkdir()
    write(root / "elsewhere/d.jsonl")
    assert names(root) == ["archive/c.jsonl", "history.jsonl", "live/a.jsonl", "live/deep/deeper/b.jsonl.zst"]


def test_a_root_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    result = look(tmp_path / "nowhere")
    assert (result.found, result.problems) == ([], [])
    assert result.covers(str(tmp_path / "nowhere/live/a.jsonl"))


def test_a_part_can_be_scanned_alone(root: Path) -> None:
    write(root / "live/a.jsonl")
    write(root / "live/deep/b.jsonl")
    write(root / "history.jsonl")
    assert names(root, root / "live/deep") == ["live/deep/b.jsonl"]
    assert names(root, root / "live/a.jsonl") == ["live/a.jsonl"]
    assert names(root, root / "history.jsonl") == ["history.jsonl"]
    assert names(root, root / "live/gone.jsonl") == []
    assert names(root, root.parent) == names(root, root) == names(root)
    part = look(root, root / "live/deep")
    assert part.covers(str(root / "live/deep/deeper/x.jsonl"))
    assert not part.covers(str(root / "live/a.jsonl"))


def test_a_whole_scan_covers_places_and_the_roots_own_files_only(root: Path) -> None:
    result = look(root)
    assert result.covers(str(root / "live/x/y.jsonl"))
    assert result.covers(str(root / "history.jsonl"))
    assert not result.covers(str(root / "elsewhere/d.jsonl"))


def test_links_that_leave_the_root_or_lead_nowhere_are_reported_and_not_read(root: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "secret.jsonl")
    (root / "live/out.jsonl").symlink_to(outside)
    (root / "live/nowhere.jsonl").symlink_to(tmp_path / "missing")
    (root / "live/self.jsonl").symlink_to(root / "live/self.jsonl")
    result = look(root)
    assert result.found == []
    assert {p.path.name for p in result.problems} == {"out.jsonl", "nowhere.jsonl", "self.jsonl"}


def test_directory_loops_end(root: Path) -> None:
    write(root / "live/a.jsonl")
    (root / "live/deep/up").symlink_to(root / "live")
    assert names(root) == ["live/a.jsonl"]
    assert [p.path.name for p in look(root).problems] == ["up"]
    assert names(root, root / "live/deep/up/a.jsonl") == []


def test_a_link_within_the_root_is_read_once(root: Path) -> None:
    write(root / "live/a.jsonl")
    (root / "live/again.jsonl").symlink_to(root / "live/a.jsonl")
    (root / "store").mkdir()
    write(root / "store/b.data")
    (root / "live/b.jsonl").symlink_to(root / "store/b.data")
    assert names(root) == ["live/a.jsonl", "live/b.jsonl"]
    assert look(root).problems == []


def test_a_root_and_a_place_may_be_links(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "disk"
    elsewhere.mkdir()
    (root / "archive").rmdir()
    (root / "archive").symlink_to(elsewhere)
    write(elsewhere / "c.jsonl")
    (elsewhere / "d.jsonl").symlink_to(elsewhere / "c.jsonl")
    (tmp_path / "link").symlink_to(root)
    assert "archive/c.jsonl" in names(tmp_path / "link")


def test_what_is_no_regular_file_is_left_alone_and_reported(root: Path) -> None:
    os.mkfifo(root / "live/fifo.jsonl")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(root / "live")  # a socket's path has to be short
        try:
            server.bind("socket.jsonl")
        finally:
            os.chdir(here)
    result = look(root)
    assert result.found == []
    assert sorted(p.path.name for p in result.problems) == ["fifo.jsonl", "socket.jsonl"]


@pytest.fixture
def nobody() -> Iterator[None]:
    """Not root, to whom no directory is unreadable."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_an_unreadable_directory_is_a_problem_and_its_files_are_not_held_to_be_missing(
    root: Path, request: pytest.FixtureRequest
) -> None:
    write(root / "live/a.jsonl")
    write(root / "live/deep/b.jsonl")
    for path in (root, *root.parents):
        if path.stat().st_uid == os.geteuid() and len(path.parts) > 2:
            path.chmod(0o755)
    (root / "live/deep").chmod(0)
    request.getfixturevalue("nobody")
    result = look(root)
    assert [f.source.path.name for f in result.found] == ["a.jsonl"]
    assert [p.path.name for p in result.problems] == ["deep"]
    assert not result.covers(str(root / "live/deep/b.jsonl"))
    assert result.covers(str(root / "live/c.jsonl"))


def test_names_that_are_no_utf8_survive(root: Path) -> None:
    name = b"caf\xe9.jsonl"
    try:
        (root / "live" / os.fsdecode(name)).write_bytes(b"line\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert [os.fsencode(f.source.path.name) for f in look(root).found] == [name]


def test_what_is_excluded_is_neither_looked_at_nor_missing(root: Path) -> None:
    write(root / "live/a.jsonl")
    write(root / "live/deep/b.jsonl")
    refused = {str(root / "live/deep"), str(root / "live/a.jsonl")}
    result = scan(SOURCES, {AGENT: [root]}, excluded=lambda path: path in refused)
    assert result.found == []
    assert not result.covers(str(root / "live/deep/b.jsonl"))
    assert not result.covers(str(root / "live/a.jsonl"))
    assert result.covers(str(root / "live/c.jsonl"))


def test_nothing_is_opened(root: Path) -> None:
    path = write(root / "live/a.jsonl")
    os.utime(path, ns=(1, 1))
    look(root)
    assert path.stat().st_atime_ns == 1


def test_a_root_given_twice_is_scanned_once(root: Path) -> None:
    write(root / "live/a.jsonl")
    assert len(scan(SOURCES, {AGENT: [root, root]}).found) == 1
