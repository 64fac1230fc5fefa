"""What the methods work on: the places, the configuration, the index as last committed, the indexer."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recall import __version__
from recall.errors import ConfigError, DeadlineExceeded, IndexFailure, RecallError, Unavailable
from recall.places import Places
from recalld import logs
from recalld.config import Config, effective_roots, load
from recalld.decisions import Decisions
from recalld.index.reader import IndexReader, Snapshot
from recalld.ingest.generations import Generations
from recalld.placement import shared_places
from recalld.search.boundary import guarded
from recalld.server import agents
from recalld.server.counts import Counts
from recalld.server.hooks import Hooks
from recalld.server.indexer import COMMAND, Indexer
from recalld.server.mcp_host import McpHost
from recalld.server.notify import Notifier
from recalld.server.process import resident_bytes
from recalld.server.warmer import Warmer
from recalld.sources import SOURCES


class Service:
    """The state of one daemon. `env` is its environment, `command` starts the indexer."""

    def __init__(
        self,
        places: Places,
        config: Config,
        env: Mapping[str, str],
        notifier: Notifier,
        *,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.places = places
        self.config = config
        self.notifier = notifier
        self.config_error: str | None = None
        """Why the configuration file could not be read again; the one before it stands."""
        self.index_error: str | None = None
        """Why the newest state of the index cannot be shown."""
        self.indexer = Indexer(self._index_changed, self._status_changed, command=command)
        self.indexer.explain = self._explain
        self.mcp = McpHost()
        self.reader: IndexReader | None = None
        self.hooks = Hooks()
        self.counts = Counts(SOURCES, self._progress)
        self.warmer = Warmer()
        self._env = dict(env)
        self._started = time.monotonic()
        self._readable = asyncio.Event()
        self._moved = asyncio.Event()

    # -- the index --------------------------------------------------------------------------------------------------

    def open_last(self) -> None:
        """Open the current index, if there is one that this version reads: a start need not wait for the indexer.

        Not while something decided has yet to be carried out: the index may hold what was forgotten. Raise
        DecisionsDamaged where that cannot be told.
        """
        if Decisions(self.places.data).pending(self.config.exclude.patterns):
            return
        current = Generations(self.places.index).current()
        if current is not None and current.readable:
            self._index_changed(current.name, None)

    def is_ready(self) -> bool:
        """Tell whether there is an index to answer from."""
        return self.reader is not None

    async def wait_ready(self) -> None:
        """Return when there is one."""
        await self._readable.wait()

    def late(self, method: str) -> RecallError:
        """Return why a request was not answered in time."""
        if not self.indexer.running:
            why = self.indexer.trouble or self.indexer.last_failure
            how = f" ({why})" if why else ""
            return Unavailable(f"the indexing process is being started{how}: ask again, or see `recall doctor`")
        if self.reader is None:
            return Unavailable(f"there is no index to answer from yet ({self.index_error or 'it is being made'})")
        return DeadlineExceeded(f"no answer to {method} within the request's deadline")

    @property
    def snapshot(self) -> Snapshot:
        """The last committed state; raise Unavailable where there is none."""
        if self.reader is None:
            raise self.late("")
        return self.reader.snapshot

    def _index_changed(self, name: str, sessions: list[str] | None) -> None:
        path = self.places.index / Path(name).name
        try:
            if self.reader is None or self.reader.path != path or sessions is None:
                # Without a list of what changed an indexer has started: the directory may be another one of that name.
                self.reader = guarded(IndexReader)(path)
                self._readable.set()
                logs.info("index_opened", index=path.name)
            else:
                guarded(self.reader.reload)(sessions)
            self.counts.moved(self.reader.snapshot)
        except (IndexFailure, OSError, ValueError) as error:  # what tantivy raises for a damaged or vanished file
            self.index_error = logs.told(f"{type(error).__name__}: {error}")
            logs.error("index_unreadable", index=path.name, error=logs.where(error))
            return
        self.index_error = None
        self._progress()

    def _progress(self) -> None:
        if self.reader is not None:
            self.reader.snapshot.complete = bool(self.indexer.status.get("complete"))
            self.reader.snapshot.pending_bytes = int(self.indexer.status.get("pending_bytes", 0))
            self.reader.snapshot.records = self.counts.records if self.counts.known.is_set() else None
            if self.reader.snapshot.complete:
                self.warmer.moved(self.reader.snapshot)

    def _status_changed(self) -> None:
        self._progress()
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
        self.notifier.status(self._status_line())

    def _status_line(self) -> str:
        status = self.indexer.status
        if self.indexer.state == "waiting":
            return f"restarting the indexing process ({self.indexer.last_failure})"
        total, pending = int(status.get("total_bytes", 0)), int(status.get("pending_bytes", 0))
        if not status.get("complete") and total:
            return f"indexing, {100 * (total - pending) // total} % of {total // 10**6} MB"
        return "up to date" if status.get("complete") else "starting"

    async def settled(self) -> None:
        """Return when all that an answer tells is of the newest snapshot, its counts included."""
        await self.counts.settled()

    async def moved(self) -> None:
        """Return when the indexer next reports progress."""
        await self._moved.wait()

    # -- configuration ----------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the configuration again. One that cannot be used is reported, and the one before it stands."""
        self.notifier.reloading()
        try:
            self.config = load(self.places.config, Path(self._env.get("HOME") or Path.home()))
            self.config_error = None
            logs.info("config_loaded", warnings=len(self.config.warnings))
            self.indexer.tell("reload")
        except ConfigError as error:
            self.config_error = logs.told(error.message)
            logs.error("config_refused", error=self.config_error)
        self.notifier.ready()

    def roots(self) -> dict[str, list[Path]]:
        """Return the directories that are read, by agent."""
        return effective_roots(self.config, self._env)

    def _explain(self, number: int) -> str:
        """Return what an error number means for whoever can mend it."""
        data = os.fsdecode(self.places.data)
        if number == errno.ENOSPC:
            return f"the disk that holds {data} is full"
        if number == errno.EDQUOT:
            return f"the quota of the disk that holds {data} is used up"
        return f"{data} cannot be worked on ({os.strerror(number)})"

    # -- what is known of ourselves ---------------------------------------------------------------------------------

    async def status(self) -> dict[str, Any]:
        """Return the `status` answer."""
        if self.reader is not None:
            await self.counts.known.wait()
        said, indexer = self.indexer.status, self.indexer
        if said.get("complete"):
            await self.counts.settled()  # while the index fills, the counts before the last commit do
        counts = self.counts.by_agent
        by_agent: dict[str, Any] = {}
        told: Mapping[str, Any] = said.get("agents", {})
        roots = self.roots()
        indexed = [agent for agent, count in counts.items() if any(count)]
        for agent in dict.fromkeys([*roots, *told, *indexed]):
            files = told.get(agent, {})
            records, sessions = counts.get(agent, (0, 0))
            by_agent[agent] = {
                "files": files.get("files", 0),
                "sessions": sessions,
                "records": records,
                "skipped_lines": files.get("skipped_lines", 0),
                "roots": [os.fsdecode(root) for root in roots.get(agent, [])],
            }
        last = said.get("last_commit")
        mine = resident_bytes(os.getpid())
        child = resident_bytes(indexer.pid) if indexer.pid else 0
        mcp = resident_bytes(self.mcp.pid) if self.mcp.pid else 0
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started, 3),
            "records": self.counts.records,
            "sessions": self.counts.sessions,
            "files": sum(agent["files"] for agent in by_agent.values()),
            "pending_bytes": said.get("pending_bytes", 0),
            "total_bytes": said.get("total_bytes", 0),
            "rate": said.get("rate", 0),
            "complete": bool(said.get("complete")),
            "last_commit": None if last is None else _iso(last),
            "rss_bytes": mine + child + mcp,
            "agents": by_agent,
            "disabled": [agent for agent in SOURCES if agent not in roots],
            "hooks": self.hooks.stats.summary(),
            "indexer": {
                "state": indexer.state,
                "pid": indexer.pid,
                "restarts": indexer.restarts,
                "last_failure": indexer.last_failure,
                "trouble": indexer.trouble,
                "rss_bytes": child,
            },
            "mcp": {"pid": self.mcp.pid, "connections": self.mcp.connections, "rss_bytes": mcp},
        }

    def findings(self) -> list[dict[str, Any]]:
        """Return what this process alone knows to be wrong, as `doctor` gives it."""
        found: list[dict[str, Any]] = []

        def add(check: str, message: str, remedy: str, path: Path | None = None) -> None:
            where = None if path is None else os.fsdecode(path)
            found.append({"check": check, "path": where, "offset": None, "message": message, "remedy": remedy})

        config = self.places.config
        if self.config_error is not None:
            add("config", f"not in use since it cannot be read: {self.config_error}", "correct the file", config)
        # Those of the file before say nothing of the one that is there now.
        for warning in self.config.warnings if self.config_error is None else ():
            add(
                "config",
                f"line {warning.line}: {logs.told(warning.message)}",
                "remove the key or correct its name",
                config,
            )
        if self.indexer.trouble is not None:
            full = self.indexer.errno in (errno.ENOSPC, errno.EDQUOT)
            what = "make room on it" if full else "mend that"
            remedy = f"{what}: what waits is read within half a minute, or at once with `recall sync`"
            add("disk" if full else "indexer", f"nothing can be indexed: {self.indexer.trouble}", remedy, self.places.data)
        elif not (self.indexer.running or self.indexer.renewing):
            how = self.indexer.last_failure or "it is starting"
            add("indexer", f"the indexing process does not run: {how}", "wait a moment; if it stays, see the log")
        elif self.indexer.restarts:
            text = f"the indexing process was restarted {self.indexer.restarts} times, last: {self.indexer.last_failure}"
            add("indexer", text, "see the log around `indexer_died`")
        for message, remedy in shared_places(self.places.data):
            add("placement", message, remedy, self.places.data)
        if self.index_error is not None:
            add(
                "index",
                self.index_error,
                "stop recalld and remove the index directory: it is built anew",
                self.places.index,
            )
        return found + agents.findings(self.config, self.roots(), self.counts.by_agent)

    def notes(self) -> dict[str, Any]:
        """Return what this process alone knows that is no fault, as `doctor` gives it."""
        return {"no_agents": agents.none_found(self.roots(), self.counts.by_agent)}


def _iso(ms: int) -> str | None:
    from recalld.answers import iso

    return iso(ms)
