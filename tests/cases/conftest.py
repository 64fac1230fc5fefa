import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "service")]

from case_kit import Case


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    """One user's machine, seen from outside: files go in, answers come out."""
    one = Case(tmp_path)
    try:
        yield one
        one.end()
    finally:
        one.sweep()
