"""More turns of the real agents: among themselves, beside each other, resumed, without a daemon, and after us.

They run with `pytest tests/agents --agents=all`.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agents.conftest import need
from agents.history import POOL_ASKED, POOL_CURE, SOCKET_FAILS, TARIFF_LINE, TARIFF_WHY, tariff
from agents.moves import Ask, Create, Open, Say, Shell
from agents.stand_in import StandIn
from agents.world import COMMANDS, LATE, SOON, World
from made.problems import POOL
from made.transcript import Agent
from recall.lock import read_lock

pytestmark = pytest.mark.usefixtures("many")

PAIRS: list[tuple[Agent, Agent]] = [("codex", "qwen-code"), ("qwen-code", "claude-code"), ("claude-code", "codex")]
"""Who worked first, and who comes after."""
OURS = ("recalld", "mcp__recall", "Search every earlier session of every coding agent")
"""What stands in a request of an agent that we are wired into."""
FILES: dict[Agent, dict[str, bytes]] = {
    "claude-code": {
        "settings.json": b'{\n    "cleanupPeriodDays": 365,\n    "env": { "EDITOR": "vi" }\n}\n',
        ".claude.json": b'{"numStartups": 3, "mcpServers": {}}',
    },
    "codex": {
        "config.toml": b"# by hand\r\n[tui]\r\nnotifications = false   # never\r\n",
        "hooks.json": b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    },
    "qwen-code": {"settings.json": b'{\n\t"$version": 4,\n\t"ui": { "hideTips": true } // quiet\n}\n'},
}
"""Files of a person who set the agents up by hand."""
REWRITTEN = {".claude.json"}
"""Files that an agent writes itself while it runs."""


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_one_real_agent_worked_out_another_is_told(world: World, model: StandIn, first: Agent, second: Agent) -> None:
    need(first, second)
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    works = world.project / "pool.toml"
    moves = (
        Shell(f"test -e {works} || {{ echo 'PoolError: vermilion lease of ledger 7 has run out' >&2; sleep 0.3; exit 4; }}"),
        Create(str(works), "vermilion_leases = 24"),
        Shell(f"test -e {works} && echo exported; sleep 0.3"),
        Say("The ledger has twenty-four vermilion leases now, and the export gets through."),
    )
    world.turn(first, model, "find out why the ledger export runs out of vermilion leases", *moves).end()
    (solved,) = world.found('"the export gets through"')
    world.recall("install", second)
    fails = Shell("echo 'PoolError: vermilion lease of ledger 9 has run out' >&2; sleep 0.3; exit 4")
    world.turn(second, model, "the ledger export runs out of vermilion leases once more", fails, Say("Oh.")).end()
    begin, after = model.requests()[:2]
    assert solved[0] == first
    assert solved[1] in begin
    assert "the export gets through" in begin
    assert "This error was met before" not in begin
    assert "This error was met before" in after
    assert "vermilion_leases = 24" in after


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_of_two_agents_at_one_file_the_second_is_told_of_the_first(
    world: World, model: StandIn, first: Agent, second: Agent
) -> None:
    need(first, second)
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", second)
    file = world.project / "customs.py"
    held = Say("Written.", when=threading.Event())
    assert held.when is not None
    with StandIn() as other:
        busy = world.turn(first, other, "write down the customs", Create(str(file), TARIFF_LINE), held)
        try:
            assert held.asked.wait(LATE), busy.output()
            session, _ = busy.written("write down the customs")
            world.turn(second, model, "look at the customs", Open(str(file), TARIFF_LINE), Say("Seen.")).end()
        finally:
            held.when.set()
            busy.end()
    told = model.requests()[1]
    assert f"{session}) edited this file" in told
    assert "may be working on it right now" in told


def test_every_prompt_and_answer_of_a_session_that_goes_on_is_found_within_a_second(
    world: World, model: StandIn, agent: Agent
) -> None:
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    session: str | None = None
    for word in ("amaranth", "bergamot", "coriander"):
        prompt, answer = f"what became of the {word} order", f"The {word} order has been shipped."
        held = Say(answer, when=threading.Event())
        assert held.when is not None
        turn = world.turn(agent, model, prompt, held, resume=session)
        try:
            asked_in, asked = turn.is_found(prompt)
            held.when.set()
            answered_in, answered = turn.is_found(answer)
        finally:
            held.when.set()
            turn.end()
        assert asked_in == answered_in == (session or asked_in)
        assert max(asked, answered) <= SOON
        session = asked_in
    assert world.found("order") == {(agent, session)}


@pytest.mark.parametrize(
    ("agent", "compacts"),
    [("claude-code", "/compact"), ("codex", "and now the tolls")],
)
def test_after_a_compaction_a_session_is_told_what_it_did(world: World, model: StandIn, agent: Agent, compacts: str) -> None:
    need(agent)
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", agent)
    file = world.project / "customs.py"
    # Tokens from which Codex compacts: the stand-in model says that every answer took it past them.
    small = {"model_auto_compact_token_limit": "105"}
    turn = world.turn(agent, model, "write down the customs", Create(str(file), "DUTY = 4"), Say("They are all there."))
    turn.end()
    session, _ = turn.written("They are all there.")
    world.turn(agent, model, compacts, Say("So be it."), resume=session, codex=small).end()
    world.turn(agent, model, "go on with the harbour", Say("I do."), resume=session).end()
    told = model.requests()[0].partition("What this session did before its context was compacted")[2]
    assert "write down the customs" in told
    assert "customs.py" in told.partition("Files edited")[2]


def test_a_person_who_has_set_no_variable_is_served(tmp_path: Path, model: StandIn, agent: Agent) -> None:
    world = World(tmp_path, named=False)
    try:
        others = [other for other in COMMANDS if other != agent]
        earlier = world.session(others[0], *POOL).session
        world.recall("start")
        world.recall("sync")  # what was before has been read when the agent starts
        world.recall("install")
        moves = (Ask("recall", {"query": "QueuePool limit"}), Say("It is the pool again, I am afraid."))
        turn = world.turn(agent, model, POOL_ASKED, *moves)
        _, took = turn.is_found("the pool again, I am afraid")
        turn.end()
        assert took <= SOON
        begin, *_, end = [request for request in model.requests() if "It is the pool again" not in request]
        assert POOL_CURE in begin
        assert end.count(earlier) > begin.count(earlier)
        assert world.found(f'"{POOL_CURE}"') == {(others[0], earlier)}
        assert world.places.data.is_relative_to(world.home)
    finally:
        world.close()


def test_a_patch_of_codex_s_own_tool_is_told_of_the_file(world: World, model: StandIn) -> None:
    need("codex")
    file = world.project / "tariff.py"
    file.write_text(f"{TARIFF_LINE}\n")
    world.session("claude-code", *tariff(file))
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", "codex")
    # Codex offers its patch tool to models that it knows to have been taught it.
    turn = world.turn("codex", model, "mark it", Open(str(file), TARIFF_LINE), Say("Marked."), codex={"model": '"gpt-5.5"'})
    turn.end()
    assert "# seen" in file.read_text()
    assert TARIFF_WHY in model.requests()[1].partition("last edited on")[2]


def test_without_a_daemon_a_turn_goes_on_and_the_next_one_is_told(world: World, model: StandIn, agent: Agent) -> None:
    others = [other for other in COMMANDS if other != agent]
    world.session(others[0], *POOL)
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", agent)
    world.recall("stop")
    assert read_lock(world.places) is None
    world.turn(agent, model, "is anybody there", Shell(SOCKET_FAILS), Say("Nobody.")).end()
    world.recall("sync")
    world.turn(agent, model, POOL_ASKED, Say("I see.")).end()
    assert POOL_CURE in model.requests()[0]


def test_after_uninstall_nothing_of_ours_is_left(world: World, model: StandIn, agent: Agent) -> None:
    others = [other for other in COMMANDS if other != agent]
    world.session(others[0], *POOL)
    before = {world.stores[agent] / name: data for name, data in FILES[agent].items()}
    for path, data in before.items():
        path.write_bytes(data)
    world.recall("start")
    world.recall("sync")  # what was before has been read when the agent starts
    world.recall("install", agent)
    world.turn(agent, model, POOL_ASKED, Ask("recall", {"query": "QueuePool"}), Say("I see.")).end()
    assert all(ours in model.everything() for ours in OURS), [o for o in OURS if o not in model.everything()]
    world.recall("uninstall", agent)
    for path, data in before.items():
        if path.name in REWRITTEN:
            assert b"recall" not in path.read_bytes()
        else:
            assert path.read_bytes() == data
    assert not _left(world.stores[agent])
    world.turn(agent, model, POOL_ASKED, Say("I cannot say.")).end()
    assert POOL_ASKED in model.everything()
    assert not [ours for ours in (*OURS, POOL_CURE, str(world.places.data)) if ours in model.everything()]


def _left(store: Path) -> list[Path]:
    """Return what bears our name where an agent looks for servers, hooks and skills."""
    skills = [path for path in store.glob("skills/*") if path.name == "recall"]
    settings = [path for path in store.glob("*") if path.suffix in (".json", ".toml")]
    return skills + [path for path in settings if b"launcher" in path.read_bytes()]
