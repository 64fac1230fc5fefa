"""Decides, for each call of a hook, what is said to the agent. Silence is the default and the answer to every doubt."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recalld.hooks import context, digest, errors
from recalld.hooks.files import about_file
from recalld.hooks.fix import fix
from recalld.hooks.memory import Memory
from recalld.hooks.payload import Call, parse
from recalld.hooks.recall import Told, recall
from recalld.hooks.scope import not_own, scope
from recalld.index.reader import Snapshot
from recalld.questions.runs import only_looks
from recalld.search.boundary import guarded
from recalld.settings import HooksConfig

FLUSH = frozenset({"PreCompact", "SessionEnd"})
"""Events that say nothing and have the transcript read to its end."""
_LOOKED_UP = 3
"""Files of one tool call that are looked up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hook prints, and what is to be done besides."""

    output: str = ""
    """The JSON of the agent's schema; "" is silence."""
    read: Path | None = None
    """A transcript that is to be read to its end now."""
    sessions: tuple[str, ...] = ()
    """Keys of the sessions that it speaks of."""
    keys: tuple[Hashable, ...] = ()
    """What it says, for the memory."""
    said: set[Hashable] = field(default_factory=set)
    """What its session was told so far."""

    def remember(self) -> None:
        """It was handed over: it is not to be said again."""
        self.said.update(self.keys)


SILENCE = Answer()


class Engine:
    """Answers hooks, from one snapshot each, and remembers what it said to whom.

    Safe to be called from several threads: what a race could do is say one thing twice.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._memory = Memory()
        self._clock = clock

    @guarded
    def answer(
        self, snapshot: Snapshot, config: HooksConfig, agent: str, event: str, payload: bytes | str | Mapping[str, Any]
    ) -> Answer:
        """Return the answer to one call; who hands it over calls its `remember`.

        `payload`: the agent's JSON as it came, or a map of the same fields. Raise IndexFailure where the index fails;
        anything that is wrong with the payload is silence.
        """
        call = parse(agent, event, payload)
        if call is None:
            return SILENCE
        if event in FLUSH:
            return Answer(read=Path(call.transcript)) if call.transcript and call.transcript.startswith("/") else SILENCE
        handler = _HANDLERS.get(event)
        budget = config.allowed(agent, event, call.cwd)
        if handler is None or not budget or (call.sub_agent and not config.sub_agents):
            return SILENCE
        if event == "SessionStart" and call.source == "compact" and call.session:
            self._memory.forget(agent, call.session)
        said = self._memory.said(agent, call.session) if call.session else set()
        told = handler(self, snapshot, call, said)
        if told is None:
            return SILENCE
        text = context.framed(told.text, budget)
        if not text:
            return SILENCE
        return Answer(context.answer(event, text), sessions=told.sessions, keys=told.keys, said=said)

    def _start(self, snapshot: Snapshot, call: Call, said: set[Hashable]) -> Told | None:
        if call.cwd is None or call.source in ("resume", "fork"):
            return None  # it brings its own context
        if call.source == "compact":
            return digest.after_compaction(snapshot, call.agent, call.session, call.cwd) if call.session else None
        return digest.at_start(snapshot, scope(snapshot, call.agent, call.session, call.cwd))

    def _prompt(self, snapshot: Snapshot, call: Call, said: set[Hashable]) -> Told | None:
        if call.prompt is None or call.cwd is None:
            return None
        here = scope(snapshot, call.agent, call.session, call.cwd)
        told = recall(snapshot, here, call.prompt, said)
        if told is None and errors.looks_failed(call.prompt):
            # An error is the same error in whatever project it was met.
            told = fix(snapshot, call.prompt, call.agent, call.session, said)
        return told

    def _failed(self, snapshot: Snapshot, call: Call, said: set[Hashable]) -> Told | None:
        if call.command is None or not call.output:
            return None
        if call.event == "PostToolUse":
            status = call.exit_status
            seems = errors.looks_failed(call.output) and not only_looks(call.command)
            if status == 0 or (status is None and not seems):
                return None
        return fix(snapshot, call.output, call.agent, call.session, said)

    def _tool(self, snapshot: Snapshot, call: Call, said: set[Hashable]) -> Told | None:
        if call.command is not None:
            return None if call.event == "PreToolUse" else self._failed(snapshot, call, said)
        others = not_own(snapshot, call.agent, call.session, sub_agents=True)
        found = [
            told
            for path in call.paths[:_LOOKED_UP]
            if (
                told := about_file(
                    snapshot,
                    path,
                    agent=call.agent,
                    session=call.session,
                    edits=call.edits,
                    others=others,
                    said=said,
                    now=int(self._clock() * 1000),
                )
            )
        ]
        if not found:
            return None
        return Told(
            "\n".join(t.text for t in found),
            tuple(k for t in found for k in t.keys),
            tuple(s for t in found for s in t.sessions),
        )


_HANDLERS: dict[str, Callable[[Engine, Snapshot, Call, set[Hashable]], Told | None]] = {
    "SessionStart": Engine._start,
    "UserPromptSubmit": Engine._prompt,
    "PostToolUseFailure": Engine._failed,
    "PreToolUse": Engine._tool,
    "PostToolUse": Engine._tool,
}
