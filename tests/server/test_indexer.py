"""Supervision of a child that misbehaves, with little patience."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from recall.errors import Unavailable
from recalld.server.indexer import Indexer

HERE = Path(__file__).parent


class World:
    """An indexer over the tests' child, and what it reports."""

    def __init__(self, home: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        self.home = home / "child"
        self.home.mkdir()
        self.indexes: list[tuple[str, list[str] | None]] = []
        self.moved = asyncio.Event()

    def fault(self, name: str) -> None:
        (self.home / name).touch()

    def run(self, test: Callable[[Indexer], Awaitable[None]], command: list[str] | None = None, **options: Any) -> None:
        async def main() -> None:
            indexer = Indexer(
                lambda name, sessions: self.indexes.append((name, sessions)),
                lambda: self.moved.set(),
                command=command or [sys.executable, str(HERE / "child.py"), str(self.home)],
                first_delay=0.01,
                **options,
            )
            indexer.start()
            try:
                async with asyncio.timeout(30):
                    await test(indexer)
            finally:
                await indexer.stop(1.0)

        asyncio.run(main())


@pytest.fixture
def world(home: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> World:
    return World(home, env, monkeypatch)


def test_a_child_that_is_silent_over_its_work_is_killed_and_its_work_done_by_the_next(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        await indexer.ask("doctor")
        world.fault("hang")
        assert await indexer.ask("sync") == {"commits": 1}
        assert indexer.restarts > 0
        assert indexer.last_failure == "signal 9"

    world.run(test, silence=3.0)


def test_a_child_without_work_may_be_silent(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        await indexer.ask("doctor")
        before = indexer.pid, indexer.restarts
        await asyncio.sleep(2.5)  # nothing is to happen: there is no event to wait for
        assert (indexer.pid, indexer.restarts) == before
        assert indexer.alive

    world.run(test, silence=2.0)


def test_what_must_not_be_asked_twice_fails_when_the_child_dies_over_it(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        world.fault("die")
        await indexer.ask("doctor")
        deletion = asyncio.ensure_future(indexer.ask("forget", {"session": "s"}))
        sync = asyncio.ensure_future(indexer.ask("sync"))
        with pytest.raises(Unavailable, match="ask again"):
            await deletion
        await sync

    world.run(test)


def test_what_the_operating_system_refuses_fails_what_was_asked_with_its_reason_until_it_does_not(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        indexer.explain = lambda number: f"number {number}"
        world.fault("full")
        for _ in range(2):  # the second does not wait out the restart that is due, it brings it
            with pytest.raises(Unavailable, match=f"number {errno.ENOSPC}"):
                await indexer.ask("sync")
        assert indexer.last_failure == f"exit status 1, {os.strerror(errno.ENOSPC)}"
        assert indexer.trouble == f"number {errno.ENOSPC}"
        (world.home / "full").unlink()
        indexer._delay = 1000.0
        assert await indexer.ask("sync") == {"commits": 1}
        assert indexer.trouble is None

    world.run(test)


def test_a_child_that_asks_for_another_is_no_failure_and_nothing_asked_meanwhile_is_lost(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        world.fault("renew")
        asked = [asyncio.ensure_future(indexer.ask("doctor")) for _ in range(4)]
        await asyncio.gather(*asked)
        while not (world.home / "stopped").exists() or not indexer.running:
            await world.moved.wait()
            world.moved.clear()
        first = indexer.pid
        assert await indexer.ask("sync") == {"commits": 1}
        assert (indexer.pid, indexer.restarts, indexer.last_failure) == (first, 0, None)
        assert indexer.status["complete"]
        assert indexer.redacted == {"github-token": 2}  # doctor counts them in

    world.run(test)


def test_a_child_that_dies_in_place_of_another_is_a_failure(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        world.fault("renew_badly")
        while not (world.home / "stopped").exists():
            await world.moved.wait()
            world.moved.clear()
        await indexer.ask("sync")
        assert (indexer.restarts, indexer.last_failure, indexer.redacted) == (1, "exit status 3", {})

    world.run(test)


def test_events_come_in_order_a_commit_before_what_waited_for_it(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        await indexer.ask("sync")
        assert [sessions for _, sessions in world.indexes] == [None, ["codex\x1fs1"]]
        assert len({name for name, _ in world.indexes}) == 1

    world.run(test)


def test_a_program_that_cannot_be_started_is_a_failure_that_is_told(world: World) -> None:
    async def test(indexer: Indexer) -> None:
        while indexer.restarts < 3:
            await world.moved.wait()
            world.moved.clear()
        assert indexer.last_failure is not None
        assert "cannot be started" in indexer.last_failure

    world.run(test, command=["/nonexistent/recalld-indexer"])


def test_a_child_that_speaks_nonsense_is_ended(world: World) -> None:
    script = "import os, sys, time; os.write(int(sys.argv[-1]), b'GET / HTTP/1.1'); time.sleep(600)"

    async def test(indexer: Indexer) -> None:
        while not indexer.restarts:
            await world.moved.wait()
            world.moved.clear()

    world.run(test, command=[sys.executable, "-c", script])


def test_pending_questions_fail_when_the_daemon_stops(world: World) -> None:
    script = "import sys; sys.stdin.read(); import time; time.sleep(600)"
    pending: list[asyncio.Future[dict[str, Any]]] = []

    async def test(indexer: Indexer) -> None:
        pending.append(asyncio.ensure_future(indexer.ask("sync")))
        while indexer.pid is None:
            await asyncio.sleep(0)
        await indexer.stop(0.1)
        with pytest.raises(Unavailable, match="stopping"):
            await pending[0]
        with pytest.raises(Unavailable, match="stopping"):
            await indexer.ask("sync")

    world.run(test, command=[sys.executable, "-c", script])
