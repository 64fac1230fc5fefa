"""Supervises the indexer: the child process that reads files and writes the index.

It is started again when it dies, after 0.1 s at first, then after twice as long each time, up to 30 s; a life of 30 s
and more makes the wait short again. What was asked of it meanwhile waits for the next one where asking twice does no
harm. A child that has work and gives no sign of life for a minute is killed, and so started again.

A child that dies of something that the operating system refused (a full disk) says so, and then what was asked fails
with that reason: the next one would meet the same. Asking again does not wait for the restart that is due, it brings it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from recall.errors import RecallError, RequestError, Unavailable
from recalld import logs
from recalld.server.control import Control, Event
from recalld.server.spawn import spawn

COMMAND = (sys.executable, "-P", "-m", "recalld.ingest")
FIRST_DELAY, LAST_DELAY = 0.1, 30.0
"""Seconds before the first and, at most, before a later restart."""
SOUND_LIFE = 30.0
"""Seconds of life after which a death counts as the first again."""
SILENCE = 60.0
"""Seconds without a sign of life, while it has work, after which the child counts as hung; it promises one in 5."""
STOP = 4.0
"""Seconds it gets to commit what it has read."""
REPEATABLE = frozenset({"sync"})
"""Commands that a new child is asked again when the old one died over them: it did not die of these."""

State = Literal["starting", "running", "waiting", "stopped"]


@dataclass(slots=True)
class _Pending:
    command: dict[str, Any]
    future: asyncio.Future[dict[str, Any]]
    sent: bool = False


class Indexer:
    """The child and what is known of it.

    `on_index(name, sessions)` is called when a commit (or a start) makes a new state of the index directory `name`
    visible, before anything that the child reports later; `sessions` are the keys whose documents changed, None where
    any may have. `on_status()` is called when `status` has changed. `silence` and `first_delay` are seconds.
    """

    def __init__(
        self,
        on_index: Callable[[str, list[str] | None], None],
        on_status: Callable[[], None],
        *,
        command: Sequence[str] = COMMAND,
        silence: float = SILENCE,
        first_delay: float = FIRST_DELAY,
    ) -> None:
        self._on_index = on_index
        self._on_status = on_status
        self._command = tuple(command)
        self._silence = silence
        self._first_delay = first_delay
        self.may_restart: Callable[[], bool] = lambda: True
        """Asked before another child is started in the place of one that died; False ends the supervision."""
        self.explain: Callable[[int], str] = os.strerror
        """What to say of an error number of the operating system."""
        self.errno: int | None = None
        """What the last child died of, where it said so; until one has read everything."""
        self._refused: int | None = None
        """The same of the child that lives, which is about to die of it."""
        self.state: State = "starting"
        self.pid: int | None = None
        self.restarts = 0
        self.last_failure: str | None = None
        """How the last child that died unasked did so."""
        self.status: dict[str, Any] = {}
        """What the child said last of files and progress; see `docs/architecture.md`."""
        self.redacted: dict[str, int] = {}
        """Secrets by kind that children took out before they asked for another one."""
        self._pending: dict[int, _Pending] = {}
        self._number = 0
        self._control: Control | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._roused = asyncio.Event()
        """Somebody asks for something: the next child is to start now."""
        self._working = asyncio.Event()
        self._heard = 0.0
        self._delay = first_delay
        self._ending = self._renewing = False
        """The child was told to end for another one; the other one has not yet looked at everything."""

    def start(self) -> None:
        """Start the child, and another whenever it dies, until `stop`."""
        self._task = asyncio.get_running_loop().create_task(self._supervise())

    @property
    def running(self) -> bool:
        return self.state == "running"

    @property
    def renewing(self) -> bool:
        """Another child takes the place of one that has ended its work well: what is asked waits for it, a second."""
        return self._renewing and self.state == "starting"

    @property
    def trouble(self) -> str | None:
        """What keeps it from its work, for people; None where it works, or where nobody knows."""
        return None if self.errno is None else self.explain(self.errno)

    @property
    def alive(self) -> bool:
        """It has nothing to do, or has shown a sign of life lately, or is being started again."""
        if self.state in ("waiting", "stopped") or not self._working.is_set():
            return True
        return asyncio.get_running_loop().time() - self._heard < self._silence + 10

    async def ask(self, name: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result, waiting for as long as it takes; the caller sets the limit.

        Raise RequestError with the child's code, or Unavailable where the child died over it.
        """
        if self.state == "stopped":
            raise Unavailable("recalld is stopping")
        self._number += 1
        number = self._number
        command: dict[str, Any] = {"cmd": name, "id": number}
        if params is not None:
            command["params"] = params
        pending = _Pending(command, asyncio.get_running_loop().create_future())
        self._pending[number] = pending
        self._send(pending)
        if self.errno is not None:
            self._roused.set()
        try:
            return await pending.future
        finally:
            self._pending.pop(number, None)
            self._set_working()

    def tell(self, name: str, params: dict[str, Any] | None = None) -> None:
        """Send a command that has no answer. A child that is not there reads everything anew when it starts."""
        if self._control is not None and self.running:
            self._control.send({"cmd": name} if params is None else {"cmd": name, "params": params})

    async def stop(self, seconds: float = STOP) -> None:
        """Let the child commit and end, kill it after `seconds`; return when it is gone. Pending commands fail.

        One that has not said that it is ready has read nothing, and is killed at once.
        """
        self._stopping.set()
        self._roused.set()
        process, control = self._process, self._control
        if process is not None and not self.running:
            _kill(process)  # it has read nothing yet
        elif process is not None and control is not None:
            control.send({"cmd": "stop"})
            try:
                await asyncio.wait_for(process.wait(), seconds)
            except TimeoutError:
                logs.error("indexer_killed", pid=process.pid, why="did not stop")
                _kill(process)
        if self._task is not None:
            await self._task
        self.state = "stopped"
        self._fail_pending(lambda _: True, "recalld is stopping")

    # -- one life after the other -----------------------------------------------------------------------------------

    async def _supervise(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            born = loop.time()
            failure = await self._live()
            if self._stopping.is_set():
                return
            if self._ending:
                self._ending = False
                self._fail_pending(_died_over, "the indexing process died over it: ask again")  # it may have, at the end
                continue
            self._renewing, self.redacted = False, {}
            self.last_failure, self.restarts = failure, self.restarts + 1
            if loop.time() - born >= SOUND_LIFE:
                self._delay = self._first_delay
            self.state = "waiting"
            logs.error("indexer_died", how=failure, restart_in=self._delay, restarts=self.restarts)
            if (trouble := self.trouble) is not None:
                self._fail_pending(lambda _: True, f"{trouble}: mend that, then ask again")
            else:
                self._fail_pending(_died_over, "the indexing process died over it: ask again")
            self._on_status()
            self._roused.clear()
            with suppress(TimeoutError):  # nobody asked for the end, or for anything, meanwhile: go on
                await asyncio.wait_for(self._roused.wait(), self._delay)
            self._delay = min(self._delay * 2, LAST_DELAY)
            if not self._stopping.is_set() and not self.may_restart():
                return

    async def _live(self) -> str:
        """Start a child and return how it ended."""
        loop = asyncio.get_running_loop()
        self.state = "starting"
        try:
            process, ours = await spawn(self._command)
        except OSError as error:
            return f"cannot be started: {error.strerror}"
        for pending in self._pending.values():
            pending.sent = False
        _, control = await loop.connect_accepted_socket(lambda: Control(self._event), ours)
        self._process, self._control, self.pid = process, control, process.pid
        self._heard = loop.time()
        self._refused = None
        self._set_working()
        logs.info("indexer_started", pid=process.pid)
        if self._stopping.is_set():  # asked to stop while it was being made
            _kill(process)
        watch = loop.create_task(self._watch(process))
        closed = loop.create_task(self._closed(control, process))
        status = await process.wait()
        try:  # what it said last is still to be heard: a commit that is done is done
            await asyncio.wait_for(control.closed.wait(), 1.0)
        except TimeoutError:
            logs.warning("indexer_pipe_held", pid=process.pid)  # by a process of its own that outlives it
        watch.cancel()
        closed.cancel()
        control.close()
        self._process, self._control, self.pid = None, None, None
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        self.errno = self._refused
        return how if self.errno is None else f"{how}, {os.strerror(self.errno)}"

    async def _closed(self, control: Control, process: asyncio.subprocess.Process) -> None:
        """A child that has closed its pipe is of no use, alive or not."""
        await control.closed.wait()
        await asyncio.sleep(STOP)
        logs.error("indexer_killed", pid=process.pid, why="closed its pipe")
        _kill(process)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Kill the child when it is silent over its work. Sleeps, without a timer, while there is none."""
        loop = asyncio.get_running_loop()
        while True:
            await self._working.wait()
            rest = self._heard + self._silence - loop.time()
            if rest <= 0:
                logs.error("indexer_killed", pid=process.pid, why="no sign of life", seconds=self._silence)
                _kill(process)
                return
            await asyncio.sleep(rest)

    # -- what is said -----------------------------------------------------------------------------------------------

    def _event(self, event: Event) -> None:
        self._heard = asyncio.get_running_loop().time()
        kind = event.get("event")
        self._take_status(event.get("status"))
        if kind == "ready":
            self.state = "running"
            self._on_index(event["index"], None)
            logs.info("indexer_ready", pid=self.pid, index=event["index"])
            for pending in self._pending.values():
                self._send(pending)
        elif kind == "failed":
            self._refused = event["errno"]
        elif kind == "renew":
            self._renew(event.get("redacted") or {})
        elif kind == "commit":
            self._on_index(event["index"], event.get("sessions"))
        elif kind == "done":
            self._done(event)
        if kind in ("ready", "status", "commit"):
            self._on_status()
        self._set_working()

    def _renew(self, redacted: dict[str, int]) -> None:
        """Have the child end that has built an index, and one start that has not its memory. It asks when all is
        committed; what it was asked before it is told to stop it answers, and what comes later waits for the next."""
        if self._control is None or self._stopping.is_set():
            return
        logs.info("indexer_renewed", pid=self.pid)
        self.redacted = redacted
        self.state, self._ending, self._renewing = "starting", True, True
        self._control.send({"cmd": "stop"})

    def _take_status(self, status: dict[str, Any] | None) -> None:
        if not status:
            return
        if self.state == "running" and status.get("complete"):
            self._renewing, self.errno = False, None
        self.status = status | {"complete": True} if self._renewing else status  # the one before had read everything

    def _done(self, event: Event) -> None:
        pending = self._pending.get(event["id"])
        if pending is None or pending.future.done():
            return  # its caller's deadline has passed
        error = event.get("error")
        if error is not None:
            pending.future.set_exception(RequestError(error["code"], error["message"]))
        else:
            pending.future.set_result(event.get("result") or {})

    def _send(self, pending: _Pending) -> None:
        if self.running and self._control is not None and not pending.sent:
            pending.sent = True
            self._heard = asyncio.get_running_loop().time()  # silence over this counts from now
            self._control.send(pending.command)
        self._set_working()

    def _set_working(self) -> None:
        work = self.state == "starting" or self._pending or self.status.get("pending_bytes")
        if work and not self._working.is_set():
            self._heard = asyncio.get_running_loop().time()
            self._working.set()
        elif not work:
            self._working.clear()

    def _fail_pending(self, which: Callable[[_Pending], bool], message: str) -> None:
        for pending in self._pending.values():
            if which(pending) and not pending.future.done():
                error: RecallError = Unavailable(message)
                pending.future.set_exception(error)


def _died_over(pending: _Pending) -> bool:
    return pending.sent and pending.command["cmd"] not in REPEATABLE


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        process.kill()
