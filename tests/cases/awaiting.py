"""Waiting for what must come to be."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(holds: Callable[[], Any], log: Callable[[], str], seconds: float = 30.0) -> None:
    """Return when `holds` is true; fail, showing the log, when it is not within `seconds`."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, log()
        time.sleep(0.02)
