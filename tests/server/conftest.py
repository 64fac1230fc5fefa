"""Every place of a daemon in a temporary directory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from environment import environment
from processes import end_all
from recall.places import Places

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home() -> Iterator[Path]:
    """A short temporary directory: a socket's path has little room."""
    with tempfile.TemporaryDirectory(prefix="rd-") as name:
        yield Path(name)
        end_all("HOME", str(Path(name) / "home"))


@pytest.fixture
def places(home: Path) -> Places:
    return Places(data=home / "data", runtime=home / "run", config=home / "config.toml")


@pytest.fixture
def env(home: Path, places: Places) -> dict[str, str]:
    """The whole environment of a daemon that touches nothing but `home`."""
    return environment(home, places) | {"PYTHONPATH": os.pathsep.join([str(ROOT / "daemon"), str(ROOT / "client")])}
