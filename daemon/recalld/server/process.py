"""What the system says of a process."""

from __future__ import annotations

import os
import resource
from pathlib import Path

DESCRIPTORS = 4096
"""Open files wanted: a connection is one, and macOS starts processes with 256."""

_PROC = Path("/proc/self/statm").exists()


def resident_bytes(pid: int) -> int:
    """Return a process's resident memory; 0 where it is gone.

    Where there is no /proc: the peak of this process, and 0 for any other.
    """
    if _PROC:
        try:
            with open(f"/proc/{pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (FileNotFoundError, ProcessLookupError):
            return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if pid == os.getpid() else 0


def raise_descriptor_limit() -> None:
    """Let this process open DESCRIPTORS files, or as many as it may give itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
