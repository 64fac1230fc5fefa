"""An index that is committed to all day stays small: segments are merged, and files of dead ones go."""

from __future__ import annotations

from pathlib import Path

from ingest_kit import Store, claude

SESSION = "11111111-1111-4111-8111-111111111111"
FILE = f"claude/projects/-w-app/{SESSION}.jsonl"
COMMITS = 300
MOST_SEGMENTS = 40
"""Merges run beside; with none there would be a segment a commit."""
MOST_FILES_A_SEGMENT = 12


def test_many_small_commits_leave_few_segments_and_no_dead_files(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for n in range(COMMITS):
        store.append(FILE, claude("user", f"u{n}", f"u{n - 1}" if n else None, f"line {n}", n, SESSION))
        store.catch_up()
    snapshot = store.worker.writer.snapshot
    assert snapshot.count(snapshot.term("type", "r")) == COMMITS
    assert snapshot.searcher.num_segments <= MOST_SEGMENTS
    store.close()
    store.open()  # sweeps what no living segment names
    segments = store.worker.writer.snapshot.searcher.num_segments
    files = [p for p in store.index.iterdir() if not p.name.startswith(".") and "." in p.name and p.suffix != ".json"]
    store.close()
    assert len(files) <= segments * MOST_FILES_A_SEGMENT


def test_what_is_written_is_not_written_again_where_nothing_changed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.append(FILE, claude("user", "u1", None, "once", 0, SESSION))
    store.catch_up()
    before = {p.name: p.stat().st_mtime_ns for p in store.index.iterdir()}
    commits = sum(event == "commit" for event, _ in store.events)
    for _ in range(5):
        store.catch_up()
    assert sum(event == "commit" for event, _ in store.events) == commits
    assert {p.name: p.stat().st_mtime_ns for p in store.index.iterdir()} == before
    store.close()
