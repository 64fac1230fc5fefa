"""Where events are not to be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from recalld.watch.mounts import file_system, why_not_events


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    table = tmp_path / "mounts"
    point = tmp_path / "with space"
    table.write_text(
        f"/dev/a / ext4 rw 0 0\n"
        f"host:/x {tmp_path}/net nfs4 rw 0 0\n"
        f"host:/y {str(point).replace(' ', chr(92) + '040')} fuse.sshfs rw 0 0\n"
        f"/dev/b {tmp_path}/net/local ext4 rw 0 0\n"
        f"tmpfs {tmp_path}/twice tmpfs rw 0 0\nshare {tmp_path}/twice cifs rw 0 0\nbroken\n"
    )
    return table


def test_the_innermost_and_latest_mount_counts(tmp_path: Path, mounts: Path) -> None:
    assert file_system(tmp_path / "else", mounts) == "ext4"
    assert file_system(tmp_path / "net/a", mounts) == "nfs4"
    assert file_system(tmp_path / "network", mounts) == "ext4"
    assert file_system(tmp_path / "net/local/a", mounts) == "ext4"
    assert file_system(tmp_path / "twice", mounts) == "cifs"
    assert file_system(tmp_path / "with space/a", mounts) == "fuse.sshfs"


def test_file_systems_that_others_write_to_are_scanned(tmp_path: Path, mounts: Path) -> None:
    assert why_not_events(tmp_path / "else", mounts) is None
    assert "nfs4" in (why_not_events(tmp_path / "net", mounts) or "")
    assert "sshfs" in (why_not_events(tmp_path / "with space", mounts) or "")


def test_a_system_that_does_not_tell_is_trusted(tmp_path: Path) -> None:
    assert why_not_events(tmp_path, tmp_path / "no such table") is None
