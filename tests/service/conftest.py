import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "ingest")]

from machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """One user's machine, with nothing of the real one in it; what it started is ended afterwards."""
    one = Machine(tmp_path)
    try:
        yield one
    finally:
        one.sweep()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=30, help="how often the service is killed (default 30)")
    parser.addoption("--seed", type=int, default=None, help="seed of the moments; printed by a run that fails")
