import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS.parent), *(str(_TESTS / name) for name in ("ingest", "service", "forget"))]
