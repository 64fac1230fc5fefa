"""A decision's file that holds anything else stops the service with its name, and never with a fault of ours."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import msgpack
import pytest

from recall.errors import DecisionsDamaged, Unavailable
from recalld.decisions import Decisions, Forgotten

GOOD = [1, "session", "s", 5, None, ["a"], b"\1" * 8, b"", [["/x", 2]], 2, True, False]


def sealed(values: Any) -> bytes:
    """Return a file as it is written, with a checksum that fits."""
    content = msgpack.packb(values)
    return bytes(msgpack.packb([1, zlib.crc32(content), content]))


def kept(root: Path, name: str, data: bytes) -> Path:
    (root / "decisions").mkdir(exist_ok=True)
    path = root / "decisions" / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "values",
    [
        *([*GOOD, [], "of a later version"], [*GOOD, "text"], [*GOOD, [b"\1" * 8, b""]], [*GOOD, [b"\1", b"\1"]], GOOD[:2], {"a": 1}, [], None, 7, ["x", *GOOD[1:]], [*GOOD[:5], 7, *GOOD[6:]]),
        *(
            [*GOOD[:5], [["nested"]], *GOOD[6:]],
            [*GOOD[:6], "text", *GOOD[7:]],
            [*GOOD[:6], b"\1" * 7, *GOOD[7:]],
            [*GOOD[:6], None, *GOOD[7:]],
        ),
    ],
)
def test_what_is_no_decision_is_refused_by_the_name_of_its_file(tmp_path: Path, values: Any) -> None:
    path = kept(tmp_path, "forget-000001.decision", sealed(values))
    with pytest.raises(DecisionsDamaged, match=str(path)):
        Decisions(tmp_path)


@pytest.mark.parametrize("values", [[1, [], False], [[1], [], False], ["text", [], False], [[], [], False, "more"], None, 3])
def test_what_is_no_list_of_exclusions_is_refused_by_the_name_of_its_file(tmp_path: Path, values: Any) -> None:
    path = kept(tmp_path, "exclude.decision", sealed(values))
    with pytest.raises(DecisionsDamaged, match=str(path)):
        Decisions(tmp_path)


def test_a_decision_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = Forgotten(3, "before", "2026-11-30", 5, 4, {"a\0b"}, {1, 2**64 - 1}, {7}, [["/x", 2]], 2, True, True)
    one.read = {2**64 - 1: 2**40, 5: 0}
    decisions = Decisions(tmp_path)
    decisions.keep(one)
    decisions.excluded.patterns = ["/w/a\nb"]
    decisions.keep_excluded()
    again = Decisions(tmp_path)
    assert again.forgotten == {3: one}
    assert again.excluded == decisions.excluded


def test_a_decision_of_before_files_were_measured_is_read(tmp_path: Path) -> None:
    kept(tmp_path, "forget-000001.decision", sealed(GOOD))
    assert Decisions(tmp_path).forgotten[1].read == {}


def test_what_cannot_be_written_is_as_it_was_in_memory_and_leaves_nothing_beside(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path)
    one = Forgotten(1, "session", "s", 5)
    decisions.keep(one)
    decisions.change_excluded(patterns=["/w/a"])
    for name in ("forget-000001", "forget-000002", "exclude"):
        blocked = decisions.directory / f"{name}.decision"
        blocked.unlink(missing_ok=True)
        (blocked / "in the way").mkdir(parents=True)  # what a rename cannot replace
    with pytest.raises(Unavailable):
        decisions.change_excluded(patterns=["/w/a", "/w/b"], lifting=True)
    with pytest.raises(Unavailable):
        decisions.change(one, erased=True)
    with pytest.raises(Unavailable):
        decisions.keep(Forgotten(2, "session", "t", 5))
    assert (decisions.excluded.patterns, decisions.excluded.lifting, one.erased) == (["/w/a"], False, False)
    assert (list(decisions.forgotten), decisions.next_id()) == ([1], 2)
    assert list(decisions.directory.glob("*.new")) == []


def test_what_a_crash_left_of_a_decision_that_was_being_written_is_swept(tmp_path: Path) -> None:
    kept(tmp_path, "forget-000001.new", b"half of")
    Decisions(tmp_path).sweep()
    assert list((tmp_path / "decisions").iterdir()) == []
