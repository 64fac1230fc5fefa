"""A store of the agent in `tailing_kit`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tailing_kit import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for name in ("live", "archive"):
        (tmp_path / name).mkdir()
    return Store(tmp_path)
