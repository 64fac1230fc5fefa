"""Which file systems tell of changes. Where others than this machine can write, the kernel's events are not enough."""

from __future__ import annotations

import os
import re
from pathlib import Path

REMOTE = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "coda"),
        *("vboxsf", "vmhgfs", "virtiofs", "prl_fs"),
    )
)
"""Types of file systems that other machines (or a host outside the virtual machine) write to."""

LOCAL_FUSE = frozenset(("fuseblk", "fuse.gocryptfs", "fuse.encfs", "fuse.ecryptfs", "fuse.mergerfs", "fuse.bindfs"))
"""FUSE types through which nobody but this machine writes. All others are held to be remote (sshfs, rclone, …)."""


def file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """Return the type of the file system that `path` lies on (or would lie on), None where the system does not tell."""
    try:
        table = mounts.read_text(errors="surrogateescape")
    except OSError:
        return None
    real = os.path.realpath(path)
    best: tuple[int, str] | None = None
    for line in table.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _unescape(fields[1]).rstrip("/")
        # of two mounts at one point the later one is on top
        if (real == point or real.startswith(point + "/")) and (best is None or len(point) >= best[0]):
            best = (len(point), fields[2])
    return None if best is None else best[1]


def why_not_events(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """Return why changes below `path` are to be found by scanning, or None where events can be trusted."""
    kind = file_system(path, mounts)
    if kind is None:
        return None
    if kind in REMOTE or (kind.startswith("fuse") and kind not in LOCAL_FUSE):
        return f"it lies on a {kind} file system, where other machines' changes raise no events"
    return None


def _unescape(text: str) -> str:
    r"""Undo the table's escapes: \040 is a space."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), text)
