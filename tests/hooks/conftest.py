from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hooks.hooks_history import History
from hooks.hooks_machine import Machine


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path)
    yield found
    found.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    found = Machine(tmp_path)
    yield found
    found.close()
