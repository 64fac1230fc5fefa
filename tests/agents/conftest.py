"""Turns of the agents' real command lines: one each by default, more with `--agents=all`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.stand_in import StandIn
from agents.world import COMMANDS, World, missing
from made.transcript import Agent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--agents", choices=("one", "all"), default="one", help="turns of the real agents: one each (default), or all"
    )


@pytest.fixture
def many(request: pytest.FixtureRequest) -> None:
    """For tests of more than one turn an agent."""
    if request.config.getoption("--agents") != "all":
        pytest.skip("runs with --agents=all")


def need(*agents: Agent) -> None:
    """Skip the test where one of these agents is not here."""
    for agent in agents:
        if (reason := missing(agent)) is not None:
            pytest.skip(reason)


@pytest.fixture(params=COMMANDS, scope="module")
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each agent that is here."""
    name: Agent = request.param
    need(name)
    return name


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    one = World(tmp_path)
    try:
        yield one
    finally:
        one.close()


@pytest.fixture
def model() -> Iterator[StandIn]:
    with StandIn() as model:
        yield model
