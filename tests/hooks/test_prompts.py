"""A prompt gets an answer when the project's history holds something specific to it, and silence otherwise."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooks.hooks_history import ASKED, OTHER, PROJECT, STARTED, History
from made.problems import POOL
from made.transcript import AGENTS, Agent, Step
from recalld.settings import HooksConfig, ProjectHooks

FILLER = (
    "ok, continue",
    "run the tests",
    "yes",
    "1",
    "/compact",
    "looks good, commit and push",
    "继续",
    "ja, mach weiter",
)


@pytest.mark.parametrize("asking", AGENTS)
@pytest.mark.parametrize("earlier", AGENTS)
def test_every_agent_is_told_what_every_agent_solved(history: History, asking: Agent, earlier: Agent) -> None:
    solved = history.session(*POOL, agent=earlier)
    history.session(*OTHER, agent=earlier)
    said = history.prompt(ASKED, agent=asking)
    assert solved.session in said
    assert "stream_rows" in said


@pytest.mark.parametrize("text", FILLER)
def test_filler_is_met_with_silence(history: History, text: str) -> None:
    history.session(*POOL, Step("user", "ok, continue"), Step("user", "run the tests"))
    assert history.prompt(text) == ""


def test_what_the_history_says_nothing_about_is_met_with_silence(history: History) -> None:
    history.session(*POOL)
    assert history.prompt("write a receiver for sFlow datagrams and export its counters") == ""


def test_what_was_asked_before_in_the_same_words_does_not_stand_before_what_answered_it(history: History) -> None:
    solved = history.session(*POOL, agent="codex")
    for number in range(6):
        assert solved.session in history.prompt(ASKED, session=f"asks-{number}")
        history.session(Step("user", ASKED), Step("assistant", "I do not know."), started=STARTED + number * 60_000)


def test_what_was_asked_before_in_the_same_words_is_told_where_there_is_nothing_else(history: History) -> None:
    asked = history.session(Step("user", ASKED), Step("assistant", "The pool is raised to forty."))
    assert asked.session in history.prompt(ASKED)


def test_another_project_is_not_spoken_of(history: History) -> None:
    history.session(*POOL, project="/home/ada/work/webshop")
    history.session(*OTHER)
    assert history.prompt("please look at the invoice export, it dies at night") == ""


def test_the_same_error_is_spoken_of_wherever_it_was_met(history: History) -> None:
    solved = history.session(*POOL, project="/home/ada/work/webshop")
    said = history.prompt("TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out")
    assert solved.session in said


def test_a_session_is_never_its_own_answer(history: History) -> None:
    asking = history.session(*POOL, agent="claude-code")
    assert history.prompt(ASKED, session=asking.session) == ""


def test_what_a_session_inherited_is_no_answer(history: History) -> None:
    first = history.session(*POOL, agent="claude-code")
    second = history.session(agent="claude-code")
    copied = [json.loads(line) | {"sessionId": second.session} for line in first.lines]
    path = history.root / second.path
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in copied))
    assert history.prompt(ASKED, session=second.session) == ""


def test_nothing_is_said_twice_in_one_session(history: History) -> None:
    history.session(*POOL)
    assert history.prompt(ASKED, session="one")
    assert history.prompt(ASKED, session="one") == ""
    assert history.prompt(ASKED, session="two")


def test_what_was_not_handed_over_was_not_said(history: History) -> None:
    history.session(*POOL)
    given = {"session_id": "s", "cwd": PROJECT, "prompt": ASKED}
    for _ in range(2):  # as when the agent's patience ends before the answer is there
        answer = history.engine.answer(history.snapshot, HooksConfig(), "codex", "UserPromptSubmit", given)
        assert answer.output
    answer.remember()
    assert not history.engine.answer(history.snapshot, HooksConfig(), "codex", "UserPromptSubmit", given).output


def test_after_a_compaction_it_may_be_said_again(history: History) -> None:
    history.session(*POOL)
    assert history.prompt(ASKED)
    history.hook("SessionStart", source="compact")
    assert history.prompt(ASKED)


def test_a_continuation_of_qwen_code_is_no_prompt(history: History) -> None:
    history.session(*POOL)
    assert history.hook("UserPromptSubmit", agent="qwen-code", prompt=ASKED) == ""
    assert history.prompt(ASKED, agent="qwen-code")


def test_the_notice_of_a_sub_agent_is_no_prompt(history: History) -> None:
    history.session(*POOL)
    assert history.prompt(f"<task-notification>\n<result>{ASKED}</result>\n</task-notification>") == ""


def test_sub_agents_are_told_nothing_unless_that_is_configured(history: History) -> None:
    history.session(*POOL)
    assert history.prompt(ASKED, agent_id="a1", agent_type="Explore") == ""
    history.config = HooksConfig(sub_agents=True)
    assert history.prompt(ASKED, agent_id="a1", agent_type="Explore")


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "Notification", "NoSuchEvent"])
def test_events_that_are_not_answered_are_met_with_silence(history: History, event: str) -> None:
    history.session(*POOL)
    assert history.hook(event, prompt=ASKED, last_assistant_message=ASKED) == ""


def test_hooks_can_be_off_by_event_by_agent_and_by_project(history: History) -> None:
    history.session(*POOL)
    for off in (
        HooksConfig(enabled=False),
        HooksConfig(events={"claude-code": ("SessionStart",)}),
        HooksConfig(budgets={"UserPromptSubmit": 0}),
        HooksConfig(projects={"/home/ada": ProjectHooks(enabled=False)}),
        HooksConfig(projects={PROJECT: ProjectHooks(events=("SessionStart",))}),
        HooksConfig(projects={PROJECT: ProjectHooks(budget_bytes=0)}),
    ):
        history.config = off
        assert history.prompt(ASKED) == ""
    history.config = HooksConfig(
        events={"codex": ()}, projects={PROJECT: ProjectHooks(), "/home/ada": ProjectHooks(enabled=False)}
    )
    assert history.prompt(ASKED)


def test_what_was_rewound_is_not_spoken_of(history: History) -> None:
    writer = history.session(Step("user", "start"), agent="claude-code")
    root = writer.last  # type: ignore[attr-defined]  # Claude Code's writer knows its last node
    writer.steps(POOL)
    writer.last = root  # type: ignore[attr-defined]
    writer.steps(OTHER)
    writer.save(history.root)
    assert history.prompt(ASKED) == ""


def test_a_long_session_is_not_everything_at_once(history: History) -> None:
    """Words that stand hundreds of messages apart in one session say nothing about a prompt that joins them."""
    talk = [Step("assistant", f"Step {n} of the tidying is done.") for n in range(60)]
    words = ["the marmalade jar", "a periscope", "some turquoise paint", "one accordion"]
    history.session(*[step for word in words for step in (Step("user", f"look at {word}"), *talk)])
    assert history.prompt("put marmalade, periscope, turquoise and accordion together") == ""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 2500), filling=st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_the_budget_holds_in_bytes(history: History, budget: int, filling: str) -> None:
    history.config = replace(HooksConfig(), budget_bytes=budget)
    ident = "aaaaaaaa-0000-4000-8000-00000000000a"
    history.session(*POOL, Step("assistant", f"invoice export QueuePool {filling * 40}"), agent="claude-code", ident=ident)
    said = history.prompt(ASKED, session=f"{budget}{filling!r}")
    assert len(said.encode()) <= budget
    assert not said or said.endswith("</recalld-context>")


@given(payload=st.binary(max_size=200))
def test_no_bytes_on_stdin_are_an_error(payload: bytes) -> None:
    from recalld.hooks.payload import parse

    parse("codex", "UserPromptSubmit", payload)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = (
    "session_id",
    "cwd",
    "prompt",
    "submitted_prompt",
    "source",
    "tool_name",
    "tool_input",
    "tool_response",
    "error",
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    agent=st.sampled_from(AGENTS),
    event=st.sampled_from(["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact"]),
    fields=st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=6),
)
def test_no_shape_of_a_payload_is_an_error(history: History, agent: str, event: str, fields: dict[str, object]) -> None:
    history.engine.answer(history.store.worker.writer.snapshot, HooksConfig(), agent, event, json.dumps(fields).encode())


def test_a_payload_may_come_as_a_map_of_flat_fields(history: History) -> None:
    """As an MCP tool gets it: `tool_input.command` is a name."""
    history.session(*POOL)
    given = {
        "session_id": "s",
        "cwd": PROJECT,
        "tool_name": "Bash",
        "tool_input.command": "make export",
        "error": "Exit code 2\n" + POOL[1].text,
    }
    answer = history.engine.answer(history.snapshot, HooksConfig(), "claude-code", "PostToolUseFailure", given)
    assert "stream_rows" in answer.output
