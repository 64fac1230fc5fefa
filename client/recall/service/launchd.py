"""The macOS agent: a property list rendered from the template, loaded through `launchctl`. Not yet tried on a Mac."""

from __future__ import annotations

import os
import plistlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recall.errors import Refused
from recall.places import Places
from recall.service import Plan
from recall.units import units

LABEL = "dev.recalld.agent"
_TIMEOUT = 60.0


class Launchd:
    """The user's launchd."""

    what = LABEL

    def __init__(self, env: Mapping[str, str]) -> None:
        self._file = Path(env.get("HOME") or Path.home()) / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        self._domain = f"gui/{os.getuid()}"

    def installed(self) -> bool:
        return self._file.is_file()

    def serves(self, places: Places, env: Mapping[str, str]) -> bool:
        if not self.installed():
            return False
        with self._file.open("rb") as file:
            recorded = plistlib.load(file).get("EnvironmentVariables", {})
        return bool(recorded == _variables(places))

    def active(self) -> bool:
        done = subprocess.run(
            ["launchctl", "print", f"{self._domain}/{LABEL}"], capture_output=True, timeout=_TIMEOUT, check=False
        )
        return done.returncode == 0

    def start(self) -> None:
        if not self.active():
            self.run(["launchctl", "bootstrap", self._domain, str(self._file)])
        self.run(["launchctl", "kickstart", f"{self._domain}/{LABEL}"])

    def stop(self) -> None:
        self.run(["launchctl", "bootout", f"{self._domain}/{LABEL}"])

    def plan_install(self, places: Places, command: list[str]) -> Plan:
        bootstrap = ["launchctl", "bootstrap", self._domain, str(self._file)]
        return Plan(
            write={self._file: render(places, command).decode()},
            start=[] if self.installed() and self.active() else [bootstrap],
            renew=[["launchctl", "bootout", f"{self._domain}/{LABEL}"], bootstrap],
        )

    def plan_uninstall(self) -> Plan:
        if not self.installed():
            return Plan()
        stop = [["launchctl", "bootout", f"{self._domain}/{LABEL}"]] if self.active() else []
        return Plan(stop=stop, remove=[self._file])

    def run(self, arguments: list[str]) -> None:
        shown = " ".join(arguments)
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        except FileNotFoundError as error:
            raise Refused("`launchctl` is not there: use `recall start`, which needs none") from error
        except subprocess.TimeoutExpired as error:
            raise Refused(f"`{shown}` did not end within {_TIMEOUT:g} s: try it by hand") from error
        if done.returncode != 0:
            said = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
            raise Refused(f"`{shown}` failed: {said}; `recall start` works without launchd")


def render(places: Places, command: list[str]) -> bytes:
    """Return the property list for these places, as XML. Values are put in as values, so nothing needs escaping."""
    with (units("launchd") / f"{LABEL}.plist").open("rb") as file:
        plist: dict[str, Any] = plistlib.load(file)
    plist["ProgramArguments"] = command
    plist["EnvironmentVariables"] = _variables(places)
    plist["Sockets"]["Listeners"]["SockPathName"] = str(places.socket)
    plist["StandardErrorPath"] = str(places.data / "recalld.log")
    return plistlib.dumps(plist)


def _variables(places: Places) -> dict[str, str]:
    return {
        "RECALLD_DATA_DIR": os.path.abspath(places.data),
        "RECALLD_RUNTIME_DIR": os.path.abspath(places.runtime),
        "RECALLD_CONFIG": os.path.abspath(places.config),
    }
