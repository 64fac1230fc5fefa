"""systemd user units: rendered from the templates, started and stopped through `systemctl --user`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from recall.errors import Refused
from recall.places import Places
from recall.service import Plan
from recall.units import units

SOCKET = "recalld.socket"
SERVICE = "recalld.service"
PLACES_FILE = "places.conf"
"""The drop-in beside each unit that says where its things lie: a service manager reads no shell profile."""

NO_BUS = (
    "no systemd user manager answers here: log in as this user (or run `loginctl enable-linger`) and repeat,"
    " or use `recall start`, which needs none"
)

_EXEC = re.compile(r"^ExecStart=.*$", re.MULTILINE)
"""The line of a template that names the program; templates are usable as they lie, so there is no placeholder in it."""

_TIMEOUT = 60.0
_VARIABLES = ("RECALLD_DATA_DIR", "RECALLD_RUNTIME_DIR", "RECALLD_CONFIG")


class Systemd:
    """The user's systemd."""

    what = f"{SOCKET} and {SERVICE}"

    def __init__(self, env: Mapping[str, str]) -> None:
        config = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or Path.home()) / ".config")
        self._directory = Path(config) / "systemd" / "user"

    def installed(self) -> bool:
        return (self._directory / SOCKET).is_file()

    def serves(self, places: Places, env: Mapping[str, str]) -> bool:
        return self.installed() and self._recorded() == _variables(places)

    def active(self) -> bool:
        if shutil.which("systemctl") is None:
            return False
        done = subprocess.run(
            ["systemctl", "--user", "is-active", "--quiet", SOCKET], capture_output=True, timeout=_TIMEOUT, check=False
        )
        return done.returncode == 0

    def start(self) -> None:
        self.run(["systemctl", "--user", "start", SOCKET, SERVICE])

    def stop(self) -> None:
        self.run(["systemctl", "--user", "stop", SOCKET, SERVICE])

    def plan_install(self, places: Places, command: list[str]) -> Plan:
        templates = units("systemd")
        program = " ".join(quote(word).replace("$", "$$") for word in command)
        plan = Plan()
        for name in (SOCKET, SERVICE):
            text = (templates / name).read_text(encoding="utf-8")
            plan.write[self._directory / name] = _EXEC.sub(lambda _: f"ExecStart={program}", text)
        settings = "".join(f"Environment={quote(f'{name}={value}')}\n" for name, value in _variables(places).items())
        head = "# Written by `recall service install`.\n"
        plan.write[self._drop_in(SERVICE)] = f"{head}[Service]\n{settings}"
        listen = str(places.socket).replace("%", "%%")
        plan.write[self._drop_in(SOCKET)] = f"{head}[Socket]\nListenStream=\nListenStream={listen}\n"
        plan.reload = [["systemctl", "--user", "daemon-reload"]]
        plan.start = [["systemctl", "--user", "enable", "--now", SOCKET, SERVICE]]
        plan.renew = [["systemctl", "--user", "restart", SOCKET, SERVICE]]
        return plan

    def plan_uninstall(self) -> Plan:
        files = [self._directory / SOCKET, self._directory / SERVICE, self._drop_in(SOCKET), self._drop_in(SERVICE)]
        present = [path for path in files if path.is_file()]
        if not present:
            return Plan()
        return Plan(
            stop=[["systemctl", "--user", "disable", "--now", SOCKET, SERVICE]],
            remove=present,
            reload=[["systemctl", "--user", "daemon-reload"]],
        )

    def run(self, arguments: list[str]) -> None:
        shown = " ".join(arguments)
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        except FileNotFoundError as error:
            raise Refused(f"`{arguments[0]}` is not installed: {NO_BUS}") from error
        except subprocess.TimeoutExpired as error:
            raise Refused(f"`{shown}` did not end within {_TIMEOUT:g} s: try it by hand") from error
        if done.returncode == 0:
            return
        said = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
        if "bus" in said or "not been booted" in done.stderr:
            raise Refused(f"`{shown}` failed ({said}): {NO_BUS}")
        raise Refused(f"`{shown}` failed: {said}; see `journalctl --user -u {SERVICE}`")

    def _drop_in(self, unit: str) -> Path:
        return self._directory / f"{unit}.d" / PLACES_FILE

    def _recorded(self) -> dict[str, str]:
        """The places that the installed service was told."""
        try:
            text = self._drop_in(SERVICE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        found = {}
        for line in text.splitlines():
            if line.startswith("Environment="):
                name, _, value = unquote(line.removeprefix("Environment=")).partition("=")
                found[name] = value
        return found


def _variables(places: Places) -> dict[str, str]:
    values = (places.data, places.runtime, places.config)
    return {name: os.path.abspath(value) for name, value in zip(_VARIABLES, values, strict=True)}


def quote(word: str) -> str:
    """Return `word` as one word of a unit file: quoted where it must be, specifiers (`%`) and `$` escaped.

    Raise Refused for what no unit file can hold.
    """
    if any(ord(letter) < 32 for letter in word):
        raise Refused(f"{word!r} holds a control character, which no unit file can: choose another directory")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if escaped != word or any(letter in word for letter in " \t'#;") else word


def unquote(text: str) -> str:
    """Return the word that `quote` made `text` of."""
    if not text.startswith('"'):
        return text
    out, escaped = [], False
    for letter in text[1:-1].replace("%%", "%"):
        if letter == "\\" and not escaped:
            escaped = True
            continue
        out.append(letter)
        escaped = False
    return "".join(out)
