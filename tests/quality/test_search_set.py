"""The known-item set can be decided: each question points at one session of its half, and at no other."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import orjson
import pytest

from quality.families import MadeSession
from quality.search.load import Half, Query, judge, load

HALVES: tuple[Half, ...] = ("dev", "held")
AS_WRITTEN = ("error", "flag", "file", "person", "id", "apart", "date")
"""Kinds whose words all occur in the session meant. A paraphrase, a typo, and what is asked in another language than
English (where words bend or have no spaces) are judged by reading."""


def words(text: str) -> list[str]:
    return [w for w in re.findall(r"\w+", text.casefold()) if w]


def split(query: str) -> tuple[list[str], int, int]:
    """Return the query's words and the time it is limited to."""
    low, high = 0, 2**62
    for name, day in re.findall(r"(since|until):(\S+)", query):
        ms = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)
        low, high = (ms, high) if name == "since" else (low, ms + 86_400_000)
    return words(re.sub(r"(since|until):\S+", "", query)), low, high


@cache
def all_text(s: MadeSession) -> str:
    return " ".join(f"{p.text} {p.target} {p.new}" for p in s.steps).casefold()


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_its_numbers(half: Half) -> None:
    made = load(half)
    answered = [q for q in made.queries if q.answer]
    assert (len(answered), len(made.queries) - len(answered)) == (150, 10)
    assert len({q.text for q in made.queries}) == 160
    assert len(made.sessions) >= 180
    assert {s.agent for s in made.sessions} == {"claude-code", "codex", "qwen-code"}
    assert len({s.id for s in made.sessions}) == len(made.sessions)


@cache
def vocabulary(s: MadeSession) -> frozenset[str]:
    return frozenset(words(all_text(s)))


def holds_all(s: MadeSession, query: Query) -> bool:
    wanted, low, high = split(query.text)
    if not low <= s.started < high:
        return False
    if query.kind == "file":
        return query.text.casefold() in all_text(s)
    body = vocabulary(s)
    return all(w in body or (query.kind == "id" and len(w) >= 7 and any(b.startswith(w) for b in body)) for w in wanted)


@pytest.mark.parametrize("half", HALVES)
def test_what_is_quoted_stands_in_the_session_meant_and_in_no_other(half: Half) -> None:
    made = load(half)
    wrong = []
    for q in made.queries:
        if q.kind in AS_WRITTEN:
            holders = [s.id for s in made.sessions if holds_all(s, q)]
            if holders != [q.answer]:
                wrong.append((q.kind, q.text, [s.name for s in made.sessions if s.id in holders]))
    assert not wrong


@pytest.mark.parametrize("half", HALVES)
def test_words_apart_stand_in_no_single_record(half: Half) -> None:
    made = load(half)
    by_id = {s.id: s for s in made.sessions}
    for q in made.queries:
        if q.kind == "apart" and q.answer:
            for p in by_id[q.answer].steps:
                assert not all(w in f"{p.text} {p.target} {p.new}".casefold() for w in words(q.text)), q.text


@pytest.mark.parametrize("half", HALVES)
def test_nonsense_and_absent_things_occur_nowhere(half: Half) -> None:
    made = load(half)
    bodies = [all_text(s) for s in made.sessions]
    for q in made.queries:
        if q.kind == "nonsense":
            assert not any(w in body for body in bodies for w in words(q.text)), q.text
        elif q.kind == "absent":
            assert not any(q.text.strip('"').casefold() in body for body in bodies), q.text


def test_transcripts_are_written_for_all_three_agents_and_hold_what_was_said(tmp_path: Path) -> None:
    made = load("dev")
    made.write(tmp_path)
    files = list(tmp_path.rglob("*.jsonl"))
    assert len(files) == len(made.sessions)
    assert {f.relative_to(tmp_path).parts[0] for f in files} == {"claude", "codex", "qwen"}
    for f in files:
        for line in f.read_bytes().splitlines():
            orjson.loads(line)
    one = made.sessions[0]
    assert orjson.dumps(one.core[0].text) in (tmp_path / one.writer().path).read_bytes()


def test_a_perfect_search_scores_one_and_a_silent_one_nothing() -> None:
    queries = load("dev").queries
    answers = {q.text: q.answer for q in queries}

    def perfect(text: str) -> tuple[list[str], str | None]:
        found = answers[text]
        return ([found], "exact") if found else ([], None)

    best, silent = judge(perfect, queries), judge(lambda _: ([], None), queries)
    assert (best.hit(1), best.mrr, best.invented) == (1, 1, [])
    assert (silent.hit(5), silent.mrr, silent.invented) == (0, 0, [])
