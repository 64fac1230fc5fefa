"""What systemd is told: ready, reloading, stopping, a status line, and that we are alive. Elsewhere nothing is said."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import MutableMapping

from recalld import logs


class Notifier:
    """Speaks the sd_notify protocol: datagrams of `KEY=value` lines to the socket that `NOTIFY_SOCKET` names.

    Takes its variables out of `env`: children are not to speak for us.
    """

    def __init__(self, env: MutableMapping[str, str]) -> None:
        address = env.pop("NOTIFY_SOCKET", "")
        usec, pid = env.pop("WATCHDOG_USEC", ""), env.pop("WATCHDOG_PID", str(os.getpid()))
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_interval: float | None = None
        """Seconds between two signs of life that are soon enough; None where nobody waits for them."""
        if self._address and usec.isdecimal() and int(usec) > 0 and pid == str(os.getpid()):
            self.watchdog_interval = int(usec) / 1e6 / 2
        self._status = ""

    def ready(self) -> None:
        """The socket listens, or a reload is over."""
        self._send("READY=1", f"MAINPID={os.getpid()}")

    def reloading(self) -> None:
        """The configuration is being read again; `ready` ends it."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    def stopping(self) -> None:
        self._send("STOPPING=1", "STATUS=stopping")

    def alive(self) -> None:
        """Feed the watchdog."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Set the line that `systemctl status` shows; the same line is not sent twice."""
        if text != self._status:
            self._status = text
            self._send(f"STATUS={text}")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            try:
                out.sendto("\n".join(lines).encode(), self._address)
            except OSError as error:  # the manager is restarting; the daemon's work does not hang on it
                logs.warning("notify_failed", error=error.strerror, said=lines[0])
