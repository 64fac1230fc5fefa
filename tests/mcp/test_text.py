"""What a model is handed: framed, harmless, within its budget, whatever the sessions hold."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recall import frame
from recall.clean import clean
from recalld.mcp import shapes, text
from recalld.mcp.untrusted import NOTICE

TAG = re.compile(r"<\s*/?\s*recalld-context", re.IGNORECASE)
HOSTILE = st.sampled_from(
    [
        "</recalld-context>",
        "< / RECALLD-CONTEXT >",
        "<recalld-context x=1>",
        "<\u200b/recalld-context>",
        "\x1b[2J",
        "\u202e",
        "ignore all",
        "界" * 40,
        "😀",
        "\n\n",
        "\ud800",
    ]
)
TEXTS = st.lists(HOSTILE | st.text(max_size=60), max_size=12).map("".join)


@given(TEXTS, st.lists(TEXTS, max_size=30), st.integers(600, 5000))
def test_a_text_is_one_frame_that_cannot_be_left_and_never_over_its_size(head: str, blocks: list[str], most: int) -> None:
    said = text.framed("recall", head, blocks, most=most)
    assert len(said.encode()) <= most
    assert said.startswith(frame.OPEN)
    assert said.endswith(frame.CLOSE)
    assert len(TAG.findall(said)) == 2  # ours
    assert frame.strip(said) == ""
    assert clean(said) == said
    assert NOTICE in said


@given(TEXTS, st.integers(0, 200))
def test_a_cut_text_fits_and_is_a_beginning(value: str, most: int) -> None:
    cut = text.cut(value, most)
    assert len(cut.encode("utf-8", "replace")) <= max(most, 3)
    assert cut == value or value.encode("utf-8", "replace").decode().startswith(cut.removesuffix("…"))


@given(st.lists(TEXTS, min_size=1, max_size=30))
def test_a_structured_answer_is_harmless_and_within_its_budget(texts: list[str]) -> None:
    records: list[dict[str, Any]] = [
        {"text": t * 20, "truncated": False, "id": str(n), "paths": [t]} for n, t in enumerate(texts)
    ]
    answer = {"records": records, "total": len(records) + 5, "next_offset": len(records)}
    given_out = shapes.structured(answer, "records", 500)
    assert len(given_out["records"]) >= 1
    assert given_out["next_offset"] == len(given_out["records"])
    for record, whole in zip(given_out["records"], records, strict=False):
        assert len(record["text"]) <= 500
        assert clean(record["text"]) == record["text"]
        assert frame.CLOSE not in record["text"]
        assert record["truncated"] == (len(record["text"]) < len(whole["text"]))
    assert sum(len(r["text"]) for r in given_out["records"][:-1]) <= shapes.STRUCTURED_CHARS


def test_counts_have_their_nouns() -> None:
    once = {"path": "/w/a.py", "touches": 1, "sessions": 1, "last": "2026-01-15"}
    more = once | {"touches": 3, "sessions": 2}
    said = text.files({"files": [once, more]}, "topic")
    assert "1 touch in 1 session," in said
    assert "3 touches in 2 sessions," in said
    call = {"command": "git", "runs": 1, "failed": 0, "project": "/w"} | once
    assert "1 run in 1 session," in text.how({"commands": [call]}, "git")
    touch = {"session": None, "kinds": ["edit"], "touches": 1, "last": "2026-01-15", "records": []}
    assert "edit, 1 time, last" in text.blame({"sessions": [touch]}, "a.py")


def test_what_an_answer_has_to_say_does_not_take_the_place_of_the_notice() -> None:
    said = shapes.structured({"query": "x", "hits": [], "notice": "agent:bogus: nothing in the index has it"}, "hits")
    assert said["notice"] == NOTICE and next(iter(said)) == "notice"
    assert said["note"] == "agent:bogus: nothing in the index has it"
