"""Proactive recall, judged: what it must help with, and where it must hold its tongue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.ingest_kit import Store
from quality.hooks.load import Half, HookSet, Prompt, Score, judge, load
from recalld.hooks.engine import Engine
from recalld.index.documents import split_session_key
from recalld.index.reader import Snapshot
from recalld.settings import HOOK_BUDGET, HooksConfig

HALVES: tuple[Half, ...] = ("dev", "held")
RECALL, SILENCE = 0.95, 0.98
"""Of the prompts with an answer, the share that must be told the right session; of the others, the share that must be
told nothing."""


def score(made: HookSet, snapshot: Snapshot) -> Score:
    """Put every prompt to a session of its own."""
    engine = Engine()
    number = iter(range(10_000))

    def ask(prompt: Prompt) -> Sequence[str]:
        given = {"session_id": f"asks-{next(number)}", "cwd": prompt.cwd, "prompt": prompt.text}
        answer = engine.answer(snapshot, HooksConfig(), "claude-code", "UserPromptSubmit", json.dumps(given).encode())
        if answer.output:
            context = json.loads(answer.output)["hookSpecificOutput"]["additionalContext"]
            assert len(context.encode()) <= HOOK_BUDGET
        named = [split_session_key(skey)[1] for skey in answer.sessions]
        assert all(session in answer.output for session in named)
        return named

    return judge(ask, made.prompts)


@pytest.mark.parametrize("half", HALVES)
def test_prompts_get_the_session_that_helps_and_no_other_prompt_gets_anything(half: Half, tmp_path: Path) -> None:
    made = load(half)
    made.write(tmp_path)
    store = Store(tmp_path)
    found = score(made, store.catch_up())
    store.close()
    missed = [p.text for p in found.missed] + [p.text for p, _ in found.wrong]
    assert found.recall >= RECALL, missed
    assert found.silence >= SILENCE, [p.text for p, _ in found.noise]
