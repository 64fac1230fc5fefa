"""What a file holds is what is found, also where nothing but reading all of it tells that it changed."""

from __future__ import annotations

import time
from pathlib import Path

from ingest_kit import Store, claude, encode, says

from recalld.tail.memory import QUIET
from recalld.tail.table import FileTable

S = "11111111-1111-4111-8111-111111111111"
NAME = f"claude/projects/-w-app/{S}.jsonl"
LONG = "x" * 5000
"""The edges that every growth compares are within one line each."""


def test_a_line_changed_in_the_middle_of_a_growing_file_is_found_anew_when_it_is_quiet(tmp_path: Path) -> None:
    store = Store(tmp_path)
    lines = [claude("user", f"u{n}", f"u{n - 1}" if n else None, f"said{n} {LONG}", n, S) for n in range(4)]
    path = store.write(NAME, *lines[:3])
    store.catch_up()
    now = [time.time()]
    store.worker.table = FileTable(store.worker.files.values(), now=lambda: now[0])
    store.catch_up()
    with path.open("r+b") as stream:
        stream.seek(len(encode(lines[:1])))
        stream.write(encode([claude("user", "u1", "u0", f"told1 {LONG}", 1, S), *lines[2:]]))
    assert [text[:5] for text in says(store.catch_up(), S)] == ["said0", "said1", "said2", "said3"]  # not seen yet
    now[0] += QUIET + 1
    store.worker.look({*store.worker.table.due()[0]})
    store.worker.run(until_idle=True)
    assert [text[:5] for text in says(store.worker.writer.snapshot, S)] == ["said0", "told1", "said2", "said3"]
    store.close()
