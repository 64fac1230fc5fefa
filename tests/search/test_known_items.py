"""What people type to find a session again brings that session first; what is not there brings nothing."""

from __future__ import annotations

from pathlib import Path

from ingest.ingest_kit import Store
from quality.search.load import judge, load
from recalld.search import search

FIRST, AMONG_FIVE = 0.95, 0.97


def test_known_items_are_found_first_and_nothing_is_invented(tmp_path: Path) -> None:
    made = load("dev")  # the other half is for judging, once
    made.write(tmp_path)
    store = Store(tmp_path)
    snapshot = store.catch_up()

    def ask(text: str) -> tuple[list[str], str | None]:
        answer = search(snapshot, {"query": text})
        return [hit["session"]["id"] for hit in answer["hits"]], answer["tier"]

    score = judge(ask, made.queries)
    store.close()
    assert score.hit(1) >= FIRST
    assert score.hit(5) >= AMONG_FIVE
    assert score.invented == []
