"""The user service: systemd on Linux, launchd on macOS.

`manager()` gives the one of this machine. `daemon.start` and `daemon.stop` go through it where the service is installed
for the same places; `recall service` installs and removes it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from recall.places import Places


@dataclass(slots=True)
class Plan:
    """What an installation or its removal takes: files, and commands in the order of the fields."""

    write: dict[Path, str] = field(default_factory=dict)
    stop: list[list[str]] = field(default_factory=list)
    """Before files are removed."""
    remove: list[Path] = field(default_factory=list)
    reload: list[list[str]] = field(default_factory=list)
    """What makes the service manager read the files."""
    start: list[list[str]] = field(default_factory=list)
    renew: list[list[str]] = field(default_factory=list)
    """Instead of `start`, where the service runs already and its files have changed."""


class Manager(Protocol):
    """A service manager, for this user."""

    what: str
    """What it holds of ours, in words: `recalld.socket and recalld.service`."""

    def installed(self) -> bool:
        """Tell whether the service's files are there."""
        ...

    def serves(self, places: Places, env: Mapping[str, str]) -> bool:
        """Tell whether the installed service is the one of these places."""
        ...

    def active(self) -> bool:
        """Tell whether the service manager listens for us now."""
        ...

    def start(self) -> None:
        """Start; raise Refused with what the service manager said."""
        ...

    def stop(self) -> None:
        """Stop, so that no connect starts it again; raise Refused with what the service manager said."""
        ...

    def plan_install(self, places: Places, command: list[str]) -> Plan:
        """Return what installing for these places takes."""
        ...

    def plan_uninstall(self) -> Plan:
        """Return what uninstalling takes; empty where nothing is installed."""
        ...

    def run(self, arguments: list[str]) -> None:
        """Run one of a plan's commands; raise Refused with what it said and the remedy."""
        ...


def manager(env: Mapping[str, str]) -> Manager | None:
    """Return the service manager of this platform, or None where there is none that we know."""
    platform: str = sys.platform  # a plain string, so that both branches are type-checked everywhere
    if platform == "darwin":
        from recall.service.launchd import Launchd

        return Launchd(env)
    if platform.startswith("linux"):
        from recall.service.systemd import Systemd

        return Systemd(env)
    return None
