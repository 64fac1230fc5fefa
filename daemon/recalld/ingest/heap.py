"""Giving memory back to the system, where the allocator keeps what was freed."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """Return freed memory to the system: after a first build or a start, what is needed from then on is far less.

    Only glibc keeps it, and only glibc has the call; elsewhere this does nothing. Takes some milliseconds.
    """
    gc.collect()
    if sys.platform != "linux":
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except AttributeError:
        return  # another C library (musl), which gives back by itself
    trim(0)
