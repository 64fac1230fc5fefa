"""What is looked at again once it is quiet: young timestamps, and files that grew."""

from __future__ import annotations

import os
import time

from recalld.tail.actions import Whole
from recalld.tail.memory import MOST_CHECKED, QUIET
from recalld.tail.table import FileTable
from tailing_kit import Store, age, append, lines, said


def test_a_young_timestamp_is_not_trusted(store: Store) -> None:
    now = [time.time()]
    store.table = FileTable(now=lambda: now[0])
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"9")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # a clock too coarse to tell
    ready, wait = store.table.due()
    assert ready == []
    assert wait is not None
    now[0] += wait
    ready, _ = store.table.due()
    assert ready == [path]
    assert store.table.due() == ([], None)
    assert store.kinds(store.sync(*ready)) == ["Replace"]
    assert said(store) == ["9", "2"]


def long_lines(*names: str) -> bytes:
    return lines(*names, size=5000)  # the edges that every growth compares are one line each


def test_a_change_in_the_middle_of_a_file_that_also_grew_is_found_when_it_is_quiet(store: Store) -> None:
    now = [time.time()]
    store.table = FileTable(now=lambda: now[0])
    path = store.root / "live/a.jsonl"
    path.write_bytes(long_lines("1", "2", "3"))
    age(path)
    store.sync()
    with path.open("r+b") as file:
        file.write(long_lines("1", "x", "3", "4"))
    age(path, 30)
    assert store.kinds(store.sync()) == ["Read"]
    now[0] += QUIET / 2
    append(path, long_lines("5"))
    age(path, 30)
    store.sync()
    now[0] += QUIET / 2 + 1
    assert store.table.due()[0] == []  # it has grown since
    now[0] += QUIET / 2
    ready, wait = store.table.due()
    assert ready == [path] and wait is None
    store.sync(*ready)
    assert said(store) == ["1", "x", "3", "4", "5"]
    assert store.table.due() == ([], None)


def test_a_file_that_grew_and_is_as_it_was_is_compared_once(store: Store) -> None:
    now = [time.time()]
    store.table = FileTable(now=lambda: now[0])
    path = store.root / "live/a.jsonl"
    path.write_bytes(long_lines("1", "2", "3"))
    store.sync()
    append(path, long_lines("4"))
    store.sync()
    now[0] += QUIET + 1
    actions = store.sync(*store.table.due()[0])
    assert [type(a) for a in actions] == [Whole]
    assert store.table.due() == ([], None) and store.sync() == []


def test_how_long_a_file_waits_depends_on_how_much_is_read_and_very_long_ones_are_left(store: Store) -> None:
    now = [time.time()]
    store.table = FileTable(now=lambda: now[0])
    for name, size in (("a", MOST_CHECKED - 2**20), ("b", MOST_CHECKED)):
        path = store.root / f"live/{name}.jsonl"
        with path.open("wb") as file:
            file.truncate(size)
            file.seek(0, os.SEEK_END)
            file.write(b"\n" + lines("1"))
        store.sync()
        append(path, lines("2"))
        age(path)
        store.sync()
    ready, wait = store.table.due()
    assert ready == [] and wait is not None and wait > QUIET + 2
    now[0] += wait + 1
    assert store.table.due() == ([store.root / "live/a.jsonl"], None)
