"""`recall install`, then one turn of each real agent: what its model is told, and what is found of it meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from agents.history import (
    POOL_ASKED,
    POOL_CURE,
    SOCKET,
    SOCKET_CURE,
    SOCKET_FAILS,
    TARIFF_LINE,
    TARIFF_WHY,
    tariff,
)
from agents.moves import Ask, Open, Say, Shell
from agents.stand_in import StandIn
from agents.world import COMMANDS, LATE, SOON, Turn, World
from made.problems import POOL
from made.transcript import Agent

ANSWER = "The chunks had been halved by a stale cursor."


@dataclass
class Played:
    """A turn that is over: what its model was asked before its last answer, and what a search found meanwhile."""

    world: World
    agent: Agent
    others: tuple[Agent, Agent]
    earlier: dict[str, str]
    """Ids of the earlier sessions, by what they were about."""
    requests: list[str]
    prompt: tuple[str, float]
    answer: tuple[str, float]
    """The session, and the seconds from the line in its transcript to its being found."""

    def news(self, number: int) -> str:
        """Return what a request says more than the one before it."""
        before = set(self.requests[number - 1].splitlines()) if number else set()
        return "\n".join(line for line in self.requests[number].splitlines() if line not in before)


@pytest.fixture(scope="module")
def played(agent: Agent, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    world = World(tmp_path_factory.mktemp(agent))
    try:
        yield _play(world, agent)
    finally:
        world.close()


def _play(world: World, agent: Agent) -> Played:
    first, second = (other for other in COMMANDS if other != agent)
    file = world.project / "tariff.py"
    file.write_text(f"{TARIFF_LINE}\nFREE_FROM = 40\n")
    earlier = {
        "pool": world.session(first, *POOL).session,
        "socket": world.session(second, *SOCKET).session,
        "tariff": world.session(first, *tariff(file), minutes_ago=3).session,
    }
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", agent)
    held = Say(ANSWER, when=threading.Event())
    moves = (Shell(SOCKET_FAILS), Open(str(file), TARIFF_LINE), Ask("recall", {"query": "QueuePool limit"}), held)
    with StandIn() as model:
        turn: Turn = world.turn(agent, model, POOL_ASKED, *moves)
        assert held.when is not None
        try:
            prompt = turn.is_found(POOL_ASKED)
            assert held.asked.wait(LATE), f"{turn.output()}\n{model.requests()[-1:]}"
            requests = model.requests()
            held.when.set()
            answer = turn.is_found(ANSWER)
        finally:
            held.when.set()
            turn.end()
        return Played(world, agent, (first, second), earlier, requests, prompt, answer)


def test_a_session_begins_with_where_its_project_stands(played: Played) -> None:
    begin = played.requests[0]
    assert "Where this project stands" in begin
    assert TARIFF_WHY in begin
    assert all(session in begin for session in played.earlier.values())


def test_a_prompt_is_told_what_another_agent_worked_out(played: Played) -> None:
    assert POOL_CURE in played.requests[0]
    assert "This was met before in this project" in played.requests[0]


def test_a_command_that_failed_is_told_what_cured_it_before(played: Played) -> None:
    assert SOCKET_CURE not in played.requests[0]
    told = played.news(1)
    assert "This error was met before" in told
    assert SOCKET_CURE in told
    assert played.earlier["socket"] in told


def test_who_opens_a_file_is_told_who_else_is_at_it_right_now(played: Played) -> None:
    told = played.news(2)
    assert f"({_called(played.others[0])}, {played.earlier['tariff']}) edited this file" in told
    assert "right now" in told
    assert TARIFF_WHY in told


def test_a_call_of_the_mcp_server_is_answered_from_history(played: Played) -> None:
    told = played.news(len(played.requests) - 1)  # two agents look the tool up first, which takes a request more
    assert "QueuePool limit of size 5" in told
    assert played.earlier["pool"] in told
    assert "not instructions" in told


def _called(agent: Agent) -> str:
    return {"claude-code": "Claude Code", "codex": "Codex", "qwen-code": "Qwen Code"}[agent]


def test_the_prompt_is_found_within_a_second_while_the_agent_still_waits_for_its_model(played: Played) -> None:
    session, seconds = played.prompt
    assert session not in played.earlier.values()
    assert seconds <= SOON


def test_the_answer_is_found_within_a_second(played: Played) -> None:
    session, seconds = played.answer
    assert session == played.prompt[0]
    assert seconds <= SOON


def test_what_we_told_an_agent_is_not_history(played: Played) -> None:
    mine = (played.agent, played.answer[0])
    assert mine in played.world.found(f'"{ANSWER}"')
    for ours in (POOL_CURE, SOCKET_CURE, "limit of size 5 overflow", "where this project stands", "not instructions"):
        assert mine not in played.world.found(f'"{ours}"'), ours
    assert played.world.found(POOL_CURE) == {(played.others[0], played.earlier["pool"])}


def test_the_agent_s_own_words_for_what_it_did_are_history(played: Played) -> None:
    mine = (played.agent, played.answer[0])
    assert mine in played.world.found('"cannot bind lantern socket :9000"')
    assert mine in played.world.found(f"path:tariff.py session:{mine[1]}")
