"""Every row of `docs/formats/codex.md` has a fixture, and every fixture comes out as it says.

`tests/fixtures/codex/<row>.jsonl` is a file as Codex writes it, `<row>.json` says where it lies and what it yields.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sources.codex_lines import CODEX, compact, decoded, file_named, resumed

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "tests" / "fixtures" / "codex"
ROWS = re.findall(r"^\| `([a-z-]+)` \|", (REPOSITORY / "docs" / "formats" / "codex.md").read_text(), re.MULTILINE)


def test_the_page_and_the_fixtures_name_the_same_rows() -> None:
    assert len(set(ROWS)) == len(ROWS)
    assert sorted(ROWS) == sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_comes_out_as_its_fixture_says(row: str) -> None:
    expected = json.loads((FIXTURES / f"{row}.json").read_text())
    file = file_named(expected["file"])
    data = (FIXTURES / f"{row}.jsonl").read_bytes()
    whole = CODEX.parser(file, None)
    assert [compact(one) for given in decoded(data) for one in whole.feed(given)] == expected["items"]
    assert whole.unknown == expected["unknown"]
    again = CODEX.parser(file, None)
    found = []
    for given in decoded(data):
        found += [compact(one) for one in again.feed(given)]
        again = resumed(file, again)
    assert found == expected["items"]
