import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent), str(_TESTS / "service"), str(_TESTS / "ingest")]

from machine import Machine  # the path is set just above


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """One user's machine, with nothing of the real one in it; what it started is ended afterwards."""
    one = Machine(tmp_path)
    try:
        yield one
    finally:
        one.sweep()
