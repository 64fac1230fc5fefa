"""Starts a child process that talks to this one over a socket."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Sequence


async def spawn(command: Sequence[str]) -> tuple[asyncio.subprocess.Process, socket.socket]:
    """Start `command` with `--control-fd N` and return (the process, our end of the socket whose other end is its N, set
    not to block). Raise OSError where it cannot be started."""
    ours, theirs = socket.socketpair()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            "--control-fd",
            str(theirs.fileno()),
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for us: we tell the child
        )
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    ours.setblocking(False)
    return process, ours
