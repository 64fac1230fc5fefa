"""Ending what a test has started, whoever's child it is by now."""

from __future__ import annotations

import os
import select
import time

import psutil

PATIENCE = 60.0


def wait_until_gone(pid: int) -> None:
    """Return when the process has ended."""
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return  # already
        assert select.select([descriptor], [], [], PATIENCE)[0], f"process {pid} lives on"
        os.close(descriptor)
        return
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)  # no event tells of a process that is nobody's child
    raise AssertionError(f"process {pid} lives on")


def end_all(name: str, value: str) -> None:
    """Kill every process that has this environment variable, and return when all are gone.

    A killed daemon's children end by themselves, but a moment later; until then they may write into the directory that the
    test is about to remove.
    """
    told = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(name) == value:
                process.kill()
                told.append(process.pid)
        except (psutil.Error, OSError):
            continue  # it has ended, or is another user's
    for pid in told:
        wait_until_gone(pid)
