"""What a file on disk holds is found, whatever becomes of another file of the same session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_kit import Store, claude, codex_meta, codex_said, qwen

from recalld.index.documents import StoredRecord, from_body
from recalld.index.reader import Snapshot

S = "11111111-1111-4111-8111-111111111111"
T = "01a1aaaa-0000-7000-8000-000000000001"


def _talk(agent: str) -> tuple[str, str, list[dict[str, Any]]]:
    """Return two places for one transcript, and six lines of it: the first three are to be in both."""
    if agent == "codex":
        name = f"rollout-2026-11-30T10-00-00-{T}.jsonl"
        said = [codex_said("user", f"said {n}", n) for n in range(6)]
        return f"codex/sessions/2026/11/30/{name}", f"codex/archived_sessions/{name}", [codex_meta(T), *said]
    write = claude if agent == "claude" else qwen
    said = [write("user", f"u{n}", f"u{n - 1}" if n else None, f"said {n}", n, S) for n in range(6)]
    first = f"claude/projects/-w-a/{S}.jsonl" if agent == "claude" else f"qwen/projects/-w-a/chats/{S}.jsonl"
    return first, first.replace("-w-a", "-w-b"), said


@pytest.mark.parametrize("agent", ["claude", "codex", "qwen"])
@pytest.mark.parametrize("turned", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("off", [False, True], ids=["running", "off"])
def test_what_two_transcripts_held_stays_when_one_of_them_is_rewritten(
    tmp_path: Path, agent: str, turned: bool, off: bool
) -> None:
    one, other, lines = _talk(agent)
    if turned:
        one, other = other, one
    store = Store(tmp_path)
    store.write(one, *lines[:4])
    store.catch_up()
    store.write(other, *lines[:3], lines[4])
    store.catch_up()
    if off:
        store.close()
    store.write(one, *lines[:1], lines[5])
    if off:
        store.open()
    lost = "said 2" if agent == "codex" else "said 3"  # its first line says what it is
    assert _said(store.catch_up()) == {f"said {n}" for n in range(5 if agent == "codex" else 6)} - {lost}
    store.close()


def test_what_was_shared_is_read_again_after_a_crash_in_between(tmp_path: Path) -> None:
    one, other, lines = _talk("claude")
    store = Store(tmp_path)
    store.write(one, *lines[:4])
    store.catch_up()
    store.write(other, *lines[:3], lines[4])
    store.catch_up()
    path = store.write(one, lines[5])
    store.worker.look({path})
    assert store.worker._step()  # reads the whole of it
    store.worker.commit()
    store.close()
    store.open()
    assert _said(store.catch_up()) == {"said 0", "said 1", "said 2", "said 4", "said 5"}
    store.close()


def test_where_nothing_shared_is_lost_the_other_transcript_goes_on_from_where_it_was(tmp_path: Path) -> None:
    one, other, lines = _talk("claude")
    store = Store(tmp_path)
    store.write(one, *lines[:4])
    store.catch_up()
    path = store.write(other, *lines[:3], lines[4])
    store.catch_up()
    (file,) = (f for f in store.worker.files.values() if f.path == str(path))
    before = file.head, file.tail, file.crc, file.offset
    store.write(one, lines[5], *lines[:4])
    store.catch_up()
    assert (file.head, file.tail, file.crc, file.offset) == before
    store.append(other, claude("user", "u9", "u4", "said 9", 9, S))
    assert _said(store.catch_up()) == {*(f"said {n}" for n in range(6)), "said 9"}
    store.close()


def _said(snapshot: Snapshot) -> set[str]:
    return {from_body(StoredRecord, body).text for body in snapshot.bodies(snapshot.term("type", "r"))}
