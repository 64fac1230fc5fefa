"""For child processes: end with the main process. Light, since every child imports it first."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies (Linux), and end it now if that has happened already.

    Called once, first thing, from a child's main thread. Elsewhere there is no such call: there, and besides it, the
    child ends when its control socket closes. SIGKILL, since a commit is atomic and nothing else needs an end in order.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it died between the two; dying earlier shows as a closed control socket
        os._exit(0)
