"""A made-up history in a real index, and an agent that asks it by its hooks."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from ingest.ingest_kit import Store
from made.agents import WRITERS
from made.transcript import Agent, Step, Writer, uuid4, uuid7
from recalld.hooks.engine import Answer, Engine
from recalld.index.reader import Snapshot
from recalld.settings import HooksConfig

PROJECT = "/home/ada/work/orders"
STARTED = 1_795_000_000_000

ASKED = "the invoice export fails with a QueuePool limit again since yesterday"
OTHER = (Step("user", "give the landing page a darker header"), Step("assistant", "The header is slate blue now."))


class History:
    """Sessions on disk and in the index. `say` is one call of a hook by an agent that works in PROJECT."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root)
        self.rng = Random(7)
        self.engine = Engine(clock=lambda: self.now / 1000)
        self.now = STARTED + 86_400_000
        self.config = HooksConfig()
        self.answer = Answer()
        """The last one."""

    def close(self) -> None:
        self.store.close()

    def session(
        self,
        *steps: Step,
        agent: Agent = "codex",
        project: str = PROJECT,
        started: int = STARTED,
        ident: str | None = None,
        **more: Any,
    ) -> Writer:
        """Write one session."""
        made = ident or (uuid7(self.rng, started) if agent == "codex" else uuid4(self.rng))
        writer = WRITERS[agent](self.rng, made, project, started, **more)
        writer.steps(steps)
        writer.save(self.root)
        return writer

    @property
    def snapshot(self) -> Snapshot:
        return self.store.catch_up()

    def hook(self, event: str, *, agent: str = "claude-code", session: str = "asks", **payload: Any) -> str:
        """Return what is said to the agent, "" for silence; the answer is checked against the agents' schema."""
        given = {"session_id": session, "cwd": PROJECT, "hook_event_name": event} | payload
        self.answer = self.engine.answer(self.snapshot, self.config, agent, event, json.dumps(given).encode())
        self.answer.remember()
        return context(self.answer.output, event)

    def prompt(self, text: str, *, agent: str = "claude-code", **payload: Any) -> str:
        given = {"prompt": text} | ({"submitted_prompt": text} if agent == "qwen-code" else {})
        return self.hook("UserPromptSubmit", agent=agent, **(given | payload))


def context(output: str, event: str) -> str:
    """Return the context in a hook's output, which holds that and nothing else."""
    if not output:
        return ""
    said: Mapping[str, Any] = json.loads(output)
    assert set(said) == {"hookSpecificOutput"}
    inside = said["hookSpecificOutput"]
    assert set(inside) == {"hookEventName", "additionalContext"}
    assert inside["hookEventName"] == event
    text = inside["additionalContext"]
    assert isinstance(text, str)
    assert text
    return text


def now_ms() -> int:
    return int(time.time() * 1000)
