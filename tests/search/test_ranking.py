"""What comes first."""

from __future__ import annotations

import pytest

from search.search_store import DAY, NOW, Store


def test_what_is_said_stands_above_what_is_printed(store: Store) -> None:
    printed = store.add("p", {"text": "the cache was stale", "kind": "output", "role": "tool"})
    said = store.add("s", "the cache was stale")
    assert store.exact("stale cache") == [said, printed]


def test_a_title_counts(store: Store) -> None:
    plain = store.add("p", "the zebra cache")
    titled = store.add("t", "the zebra cache", title="The zebra cache")
    assert store.exact("zebra") == [titled, plain]


def test_the_newer_of_equals_comes_first_and_never_buries_a_better_one(store: Store) -> None:
    old = store.add("old", "the stale cache, the cache: stale again", time=NOW - 900 * DAY)
    new = store.add("new", "the stale cache, the cache: stale again", time=NOW - DAY)
    for n in range(5):
        store.add(f"n{n}", f"a long text of today that speaks of other things and of the cache too, number {n}", time=NOW)
    found = store.exact("cache")
    assert found[:2] == [new, old]


def test_big_sessions_do_not_win_by_size(store: Store) -> None:
    store.add("big", *[f"step {n}: the cache and much else that was done on this day" for n in range(400)])
    small = store.add("small", "what about the cache eviction", "evict from the cache by age")
    assert store.exact("cache")[0] == small
    question = "how should old entries be evicted from that cache of ours by age"
    assert store.found(question)[0] == small


def test_repeated_output_counts_once(store: Store) -> None:
    same = {"text": "warning: cache miss", "kind": "output", "role": "tool"}
    store.add("loop", *[dict(same) for _ in range(50)])
    other = store.add("said", "why is there a cache miss", "a cache miss means that")
    answer = store.ask("cache miss")
    assert answer["hits"][0]["session"]["id"] == other
    assert [len(h["matches"]) for h in answer["hits"]] == [2, 1]
    assert answer["hits"][1]["match_count"] == 50


def test_words_side_by_side_come_first(store: Store) -> None:
    apart = store.add("a", "pool of many a worker and then the connection at last")
    beside = store.add("b", "then at last of many a worker and the connection pool")
    assert store.exact("connection pool") == [beside, apart]


def test_sessions_with_all_words_in_one_record_come_before_spread_ones(store: Store) -> None:
    spread = store.add("a", "alpha alpha alpha", "beta beta beta", time=NOW)
    together = store.add("b", "alpha and a great many other words that say nothing and then beta", time=NOW - 900 * DAY)
    assert store.exact("alpha beta") == [together, spread]


@pytest.mark.parametrize("query", ["needle", "needle haystack", "where did the needle and zzz go", "needles", "role:user"])
def test_as_many_matches_of_a_session_are_shown_as_are_asked_for_each_text_once(store: Store, query: str) -> None:
    for sid in ("a", "b"):
        store.add(sid, *(f"needle {n % 30}" for n in range(60)), "haystack")
    plain = store.ask(query)["hits"]
    for hit, first in zip(store.ask(query, matches=100)["hits"], plain, strict=True):
        texts = [match["record"]["text"] for match in hit["matches"]]
        assert len(texts) == len(set(texts)) >= 15
        assert {match["record"]["session"] for match in hit["matches"]} == {hit["session"]["id"]}
        assert hit["matches"][:3] == first["matches"]
        assert hit["match_count"] == first["match_count"]
