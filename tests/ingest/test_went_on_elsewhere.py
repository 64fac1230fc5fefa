"""A session that goes on in another directory under its id is one conversation, whatever the directories are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest_kit import Store, claude, dump, qwen, says

S = "11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize("agent", ["claude", "qwen"])
@pytest.mark.parametrize("directories", ["ab", "ba", "cd", "dc", "ef", "fe"])
@pytest.mark.parametrize("late", [False, True], ids=["in order", "the later one first"])
def test_what_was_said_last_is_live_and_what_was_said_first_gives_the_title(
    tmp_path: Path, agent: str, directories: str, late: bool
) -> None:
    write = claude if agent == "claude" else qwen
    place = "claude/projects/-w-{}/" if agent == "claude" else "qwen/projects/-w-{}/chats/"
    said = [write("user", f"u{n}", f"u{n - 1}" if n else None, f"said {n}", n, S) for n in range(4)]
    again = [write("user", "v2", "u1", "or rather", 5, S), write("user", "v3", "v2", "like this", 6, S)]
    files = [(f"{place.format(name)}{S}.jsonl", lines) for name, lines in zip(directories, (said, again), strict=True)]
    store = Store(tmp_path)
    for name, lines in reversed(files) if late else files:
        store.write(name, *lines)
        found = store.catch_up()
    assert says(found, S) == ["said 0", "said 1", "or rather", "like this"]
    session = next(body for (kind, *_), body in dump(found).items() if kind == "s")
    assert session["title"] == "said 0"
    assert [Path(path).relative_to(tmp_path).as_posix() for path, _ in session["places"]] == [name for name, _ in files]
    store.close()
