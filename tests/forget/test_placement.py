"""`recall doctor` warns where the data directory is seen by others, or by other machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machine import Machine

from recalld.placement import shared_places

QUIET = Path("/dev/null")
"""A table of mounts without a network file system."""


def warnings(directory: Path, mounts: Path = QUIET) -> list[str]:
    return [message for message, _ in shared_places(directory, mounts=mounts)]


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("Dropbox", "Dropbox"),
        ("Dropbox (Work)", "Dropbox"),
        ("OneDrive - Firm", "OneDrive"),
        ("Library/Mobile Documents/x", "iCloud"),
        ("Library/CloudStorage/GoogleDrive-me", "Google Drive"),
        ("Library/CloudStorage/Box-Box", "a cloud storage provider"),
        ("Nextcloud", "Nextcloud"),
    ],
)
def test_a_synced_directory_is_told_by_its_name(tmp_path: Path, name: str, service: str) -> None:
    data = tmp_path / name / "recalld"
    data.mkdir(parents=True, mode=0o700)
    found = warnings(data)
    assert len(found) == 1
    assert service in found[0]


@pytest.mark.parametrize(("marker", "service"), [(".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox")])
def test_a_synced_directory_is_told_by_its_marker(tmp_path: Path, marker: str, service: str) -> None:
    (tmp_path / "shared" / marker).mkdir(parents=True)
    data = tmp_path / "shared" / "deep" / "recalld"
    data.mkdir(parents=True, mode=0o700)
    assert [service in message for message in warnings(data)] == [True]


def test_a_link_into_a_synced_directory_is_seen_through(tmp_path: Path) -> None:
    real = tmp_path / "Dropbox" / "recalld"
    real.mkdir(parents=True, mode=0o700)
    (tmp_path / "data").symlink_to(real)
    assert len(warnings(tmp_path / "data")) == 1


def test_a_network_file_system_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/home {tmp_path} nfs4 rw 0 0\n")
    assert ["nfs4" in message for message in warnings(data, mounts)] == [True]


def test_directories_that_others_may_write_to_are_told(tmp_path: Path) -> None:
    data = tmp_path / "loose" / "data"
    data.mkdir(parents=True, mode=0o700)
    (tmp_path / "loose").chmod(0o777)
    assert [str(tmp_path / "loose") in message for message in warnings(data)] == [True]
    (tmp_path / "loose").chmod(0o1777)  # as /tmp is: nobody can put another one in its place
    assert warnings(data) == []
    data.chmod(0o750)
    assert ["may enter" in message for message in warnings(data)] == [True]


def test_an_ordinary_place_is_no_finding(tmp_path: Path) -> None:
    data = tmp_path / "dropboxes" / "syncing" / "data"
    data.mkdir(parents=True, mode=0o700)
    (tmp_path / "dropboxes").chmod(0o755)
    assert warnings(data) == []


def test_doctor_says_so(machine: Machine) -> None:
    (machine.root / ".stfolder").mkdir()
    machine.start()
    machine.sync()
    found = json.loads(machine.recall("doctor", "--json", ok=(1,)).stdout)["findings"]
    assert [f["path"] for f in found if f["check"] == "placement"] == [str(machine.places.data)]
