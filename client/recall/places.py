"""Where things lie: data, socket, configuration. Environment variables come before the platform's own places."""

from __future__ import annotations

import os
from collections.abc import Mapping
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

    @property
    def lock(self) -> Path:
        return self.data / "recalld.lock"

    @property
    def index(self) -> Path:
        return self.data / "index"


def places(env: Mapping[str, str] = os.environ) -> Places:
    """Return the places that `env` and the platform give."""
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
