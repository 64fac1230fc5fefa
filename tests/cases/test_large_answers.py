"""Answers over the frame limit are cut, and say so; none is an error."""

from __future__ import annotations

from case_kit import DIR, Case, cc

LONG = "lorem ipsum dolor sit amet " * 9000
"""Nearly what one record may hold."""


def test_a_question_with_more_answers_than_fit_says_to_how_many_it_was_cut(case: Case) -> None:
    for s in range(30):
        sid = f"5e551011-0000-4000-8000-{s:012d}"
        said = [f"look at src/basket.py, {n}: {LONG}" for n in range(3)]
        lines = [cc("user", f"{s}-{n}", f"{s}-{n - 1}" if n else None, text, n, sessionId=sid) for n, text in enumerate(said)]
        case.write(f"{DIR}/{sid}.jsonl", *lines)
    case.read()
    answer = case.json("blame", "src/basket.py", "--limit", "100")
    shown = len(answer["sessions"])
    assert 1 < shown < 30 and answer["total"] == 30 and f"only the first {shown} fit" in answer["notice"]
    assert all(len(touch["records"]) == 3 for touch in answer["sessions"])
    assert f"only the first {shown} fit" in case.recall("blame", "src/basket.py", "--limit", "100").stdout
    assert "notice" not in case.json("blame", "src/basket.py")
