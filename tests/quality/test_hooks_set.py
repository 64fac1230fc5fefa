"""The judged set for proactive recall has its numbers, and each prompt's answer is in its history."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from quality.hooks.load import Half, judge, load
from quality.search.load import load as load_search

HALVES: tuple[Half, ...] = ("dev", "held")


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_sixty_prompts_with_an_answer_and_sixty_without(half: Half) -> None:
    made = load(half)
    assert Counter(p.answer is not None for p in made.prompts) == {True: 60, False: 60}
    assert len({p.text for p in made.prompts}) == 120
    quiet = Counter(p.kind for p in made.prompts if p.answer is None)
    assert set(quiet) == {"filler", "unknown", "other-project"}
    assert min(quiet.values()) >= 15


@pytest.mark.parametrize("half", HALVES)
def test_answers_lie_in_the_project_of_the_prompt(half: Half) -> None:
    made = load(half)
    projects = {s.id: s.project for s in made.sessions}
    assert len(projects) == len(made.sessions)
    for p in made.prompts:
        if p.answer:
            assert projects[p.answer] == p.cwd, p.text


@pytest.mark.parametrize("half", HALVES)
def test_quiet_prompts_of_another_project_have_no_history_there(half: Half) -> None:
    made = load(half)
    projects = {s.project for s in made.sessions}
    for p in made.prompts:
        if p.kind == "other-project":
            assert p.cwd not in projects, p.text
        elif p.answer is None:
            assert p.cwd in projects, p.text


def test_a_prompt_is_no_query_of_the_search_set() -> None:
    for half in HALVES:
        assert not {p.text for p in load(half).prompts} & {q.text for q in load_search(half).queries}


def test_a_hook_that_always_speaks_and_one_that_never_does_are_both_bad(tmp_path: Path) -> None:
    made = load("dev")
    made.write(tmp_path)
    assert len(list(tmp_path.rglob("*.jsonl"))) == len(made.sessions)
    everything = [s.id for s in made.sessions]
    loud, silent = judge(lambda _: everything, made.prompts), judge(lambda _: [], made.prompts)
    assert (loud.recall, loud.precision, loud.silence) == (1, 0.5, 0)
    assert (silent.recall, silent.precision, silent.silence) == (0, 1, 1)
