"""A title that a file gave to a message goes with the line that gave it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_kit import Store, claude, dump

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
C = "33333333-3333-4333-8333-333333333333"
LINES = [claude("user", f"u{n}", f"u{n - 1}" if n else None, f"said {n}", n, A) for n in range(2)]


def _name(session: str) -> str:
    return f"claude/projects/-w-app/{session}.jsonl"


def _calls(leaf: str, title: str) -> dict[str, Any]:
    return {"type": "summary", "summary": title, "leafUuid": leaf}


def _title(store: Store) -> str:
    title = dump(store.catch_up())[("s", f"claude-code\x1f{A}", None)]["title"]
    assert isinstance(title, str)
    return title


@pytest.mark.parametrize("teller", [A, B], ids=["its own file", "another one"])
@pytest.mark.parametrize("off", [False, True], ids=["running", "off"])
def test_a_title_goes_when_the_file_that_gave_it_is_rewritten_without_it(tmp_path: Path, teller: str, off: bool) -> None:
    store = Store(tmp_path)
    store.write(_name(A), *LINES)
    store.append(_name(teller), _calls("u1", "a name"))
    assert _title(store) == "a name"
    if off:
        store.close()
    store.write(_name(teller), *(LINES if teller == A else [claude("user", "x", None, "else", 3, B)]))
    if off:
        store.open()
    assert _title(store) == "said 0"
    store.close()


def test_a_title_that_is_gone_does_not_come_back_with_another_one_of_its_file(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(_name(A), *LINES)
    store.write(_name(B), _calls("u1", "a name"))
    assert _title(store) == "a name"
    store.write(_name(B), _calls("elsewhere", "another name"))
    store.catch_up()
    store.close()
    store.open()
    store.append(_name(A), claude("user", "u2", "u1", "said 2", 4, A))
    assert _title(store) == "said 0"
    store.close()


def test_what_another_file_called_it_comes_in_its_place(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(_name(A), *LINES)
    store.write(_name(B), _calls("u1", "one name"))
    store.catch_up()
    store.write(_name(C), _calls("u1", "another name"))
    store.catch_up()
    store.write(_name(C), claude("user", "x", None, "else", 3, C))
    assert _title(store) == "one name"
    store.close()
