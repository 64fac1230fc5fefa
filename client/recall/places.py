"""Where things lie: data, socket, configuration. Environment variables come before the platform's own places."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recall.errors import ConfigError

SOCKET_NAME = "recalld.sock"
MAX_SOCKET_PATH = 103 if os.uname().sysname == "Darwin" else 107
"""Bytes of a Unix socket's path that the system takes, without the closing NUL."""


@dataclass(frozen=True, slots=True)
class Places:
    """The three places of one recalld. Nothing outside them is written (but by `install` and `service`)."""

    data: Path
    """Index, lock, launcher, decisions. Mode 0700."""
    runtime: Path
    """The socket."""
    config: Path
    """The TOML file; it need not exist."""

    @property
    def socket(self) -> Path:
        """The socket's path; raise ConfigError where it is too long for the system."""
        path = self.runtime / SOCKET_NAME
        if len(os.fsencode(path)) > MAX_SOCKET_PATH:
            raise ConfigError(
                f"the socket path {path} is longer than the {MAX_SOCKET_PATH} bytes a Unix socket can have:"
                " set RECALLD_RUNTIME_DIR to a shorter directory"
            )
        return path

    def check_data(self) -> None:
        """Raise ConfigError where the data directory is there and is not ours alone; before anything is written to it."""
        with suppress(FileNotFoundError):  # whoever writes first makes it
            check_private(self.data)

    @property
    def lock(self) -> Path:
        return self.data / "recalld.lock"

    @property
    def index(self) -> Path:
        return self.data / "index"


def check_private(path: Path) -> None:
    """Raise ConfigError where `path` is no directory, is somebody else's, or is shared by design (sticky, like /tmp).

    Raise OSError where it cannot be looked at.
    """
    found = path.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigError(f"{path} is not a directory: remove it or choose another place")
    if found.st_uid != os.getuid():
        raise ConfigError(f"{path} belongs to another user (uid {found.st_uid}): choose a directory of your own")
    if found.st_mode & stat.S_ISVTX:
        raise ConfigError(f"{path} is a shared directory: choose a directory of its own inside it")


def places(env: Mapping[str, str] = os.environ) -> Places:
    """Return the places that `env` and the platform give; raise ConfigError where `env` names one by a relative path,
    which would be another place in every directory."""
    for name in ("RECALLD_DATA_DIR", "RECALLD_RUNTIME_DIR", "RECALLD_CONFIG"):
        if (value := env.get(name)) and not os.path.isabs(value):
            raise ConfigError(f"{name} is {value!r}, a relative path: give an absolute one")
    data = env.get("RECALLD_DATA_DIR")
    runtime = env.get("RECALLD_RUNTIME_DIR")
    config = env.get("RECALLD_CONFIG")
    if data and runtime and config:  # what hooks and services set: no platform lookups
        return Places(Path(data), Path(runtime), Path(config))
    from platformdirs import user_config_path, user_data_path

    data_dir = Path(data) if data else user_data_path("recalld", appauthor=False)
    return Places(
        data=data_dir,
        runtime=Path(runtime) if runtime else _runtime(env, data_dir),
        config=Path(config) if config else user_config_path("recalld", appauthor=False) / "config.toml",
    )


def _runtime(env: Mapping[str, str], data: Path) -> Path:
    """XDG_RUNTIME_DIR, else /run/user/<uid> if it is ours, else a folder in the data directory."""
    given = env.get("XDG_RUNTIME_DIR")
    if given:
        return Path(given) / "recalld"
    system = Path(f"/run/user/{os.getuid()}")
    try:
        if system.stat().st_uid == os.getuid():
            return system / "recalld"
    except OSError:
        pass  # there is none, as on macOS
    return data / "run"
