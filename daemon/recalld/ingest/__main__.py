"""The indexer process: `python -m recalld.ingest --control-fd N`, started by the main process and by nobody else."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import threading
from pathlib import Path

from recall.places import places
from recalld import logs
from recalld.config import effective_roots, load
from recalld.decisions import Decisions
from recalld.index.writer import IndexWriter
from recalld.ingest.bans import Bans
from recalld.ingest.commands import Commands
from recalld.ingest.control import Control
from recalld.ingest.findings import findings, notes
from recalld.ingest.generations import Generation, Generations
from recalld.ingest.rebuild import rebuild
from recalld.ingest.recovery import Recovery, is_damage
from recalld.ingest.texts import Texts
from recalld.ingest.worker import Worker
from recalld.patterns import Patterns
from recalld.redact import Redactor, redact_message
from recalld.server.children import die_with_parent
from recalld.sources import SOURCES
from recalld.watch.watcher import Watcher

BULK_BYTES = 4 * 2**20
"""With more than this to read at the start, reading runs in a niced thread until it is done."""

RENEW_BYTES = 64 * 2**20
"""After reading more than this at the start, another indexer is asked for in place of this one, once all is committed.
What a build leaves behind in the allocator cannot be given back: after one of 280 MB it held 132 MB, and a new process
takes 66."""

NICENESS = 10

LOCK_PATIENCE_S = 10.0
"""How long to wait for the writer of an indexer that was killed a moment ago to be gone."""


class Process:
    """The indexer's parts and their order of life."""

    def __init__(self, descriptor: int) -> None:
        self.places = places()
        self.config = load(self.places.config)
        self.roots = effective_roots(self.config, os.environ)
        self.control = Control(descriptor, self._command)
        self.redactor = Redactor()
        self.texts = Texts(self.redactor, max_text=self.config.index.max_text_bytes, switches=self.config.redact)
        self.generations = Generations(self.places.index)
        self.recovery = Recovery(self.generations)
        self.decisions = Decisions(self.places.data)
        self.decisions.sweep()
        self.bans = Bans(self.decisions, self._patterns())
        self.commands: Commands | None = None
        self.worker: Worker | None = None
        self.builder: Worker | None = None
        self.watcher: Watcher | None = None
        self._early: list[dict[str, object]] = []
        self._lock = threading.Lock()

    def _command(self, message: dict[str, object]) -> None:
        """Called in the control thread."""
        with self._lock:
            if self.worker is None:
                self._early.append(message)
                if message.get("cmd") == "stop" and self.builder is not None:
                    self.builder.events.put(("command", message))
            else:
                self.worker.events.put(("command", message))

    def run(self) -> None:
        """Index until told to stop. A failure that comes of a damaged index sets it aside, for the next start."""
        self.control.start()
        try:
            self._run()
        except BaseException as failure:
            number = logs.errno_of(failure)
            if number is not None:
                self.control.send("failed", errno=number)
            generation = self.generations.current()
            why = is_damage(failure, generation)
            if why is not None and generation is not None:
                self.recovery.set_aside(generation, why)
            raise

    def _run(self) -> None:
        generation = self.generations.current()
        if generation is None:
            self.recovery.set_strays_aside()
            generation = self._begin()
        elif not generation.readable:
            self.recovery.set_former_aside(generation)
            generation = self._begin()
        pending = self.decisions.pending(self.config.exclude.patterns)
        if generation.outdated:
            if not pending:  # else nothing is answered before it is carried out
                self.control.send("ready", index=generation.name)
            generation = rebuild(self.generations, generation, self._make_builder)
        self.generations.sweep(generation)
        worker = self._make_worker(generation)
        assert self.commands is not None
        self.commands.settle()
        generation = Generation(self.generations.root / worker.name, generation.made_with)
        self.control.send("ready", index=generation.name)
        self._watch(worker)
        worker.look(None)
        to_read = worker.pending_bytes
        if to_read > BULK_BYTES:
            _run_niced(worker)
        only_here = self.recovery.told or self.commands.lost  # what `doctor` has to tell and the next one does not know
        if to_read > RENEW_BYTES and not only_here:
            self.control.send("renew", redacted=dict(self.redactor.counts))
        worker.run()
        if self.watcher is not None:
            self.watcher.stop()

    def _begin(self) -> Generation:
        generation = self.generations.new()
        IndexWriter(generation.path).close()
        self.generations.make_current(generation)
        return generation

    def _worker_over(self, generation: Generation) -> Worker:
        writer = IndexWriter(generation.path, heap_bytes=self.config.index.writer_heap_bytes, patience=LOCK_PATIENCE_S)
        return Worker(
            writer,
            generation.name,
            SOURCES,
            self.roots,
            self.config,
            self.texts,
            self.control.send,
            self._excluded,
            self.bans,
        )

    def _patterns(self) -> Patterns:
        return Patterns([*self.decisions.excluded.patterns, *self.config.exclude.patterns], Path.home())

    def _excluded(self, path: str) -> bool:
        return self.bans.patterns.path(path)

    def _make_builder(self, generation: Generation) -> Worker:
        """Return a worker that fills a new index. It is told of nothing but the end: questions are for the next one."""
        builder = self._worker_over(generation)
        builder.announce = False
        with self._lock:
            self.builder = builder
        return builder

    def _make_worker(self, generation: Generation) -> Worker:
        worker = self._worker_over(generation)
        worker.handlers["doctor"] = lambda _: {
            "findings": findings(worker, self.watcher, self.recovery.told),
            "notes": notes(worker, self.redactor, 0 if self.commands is None else self.commands.lost),
        }
        worker.handlers["reload"] = lambda _: self._reload(worker)
        worker.handlers["look"] = lambda params: worker.look({Path(str(params["path"]))}, urgent=True)
        self.commands = Commands(
            worker,
            self.generations,
            self.decisions,
            self.bans,
            self.config.exclude.patterns,
            Path.home(),
            lambda: self.control.send("alive"),
        )
        if self.recovery.waiting:
            worker.tidy = lambda: self._recover(worker)
        with self._lock:
            self.worker, self.builder = worker, None
            for message in self._early:
                worker.events.put(("command", message))
            self._early.clear()
        return worker

    def _recover(self, worker: Worker) -> None:
        """Called when all files are read, before the index counts as complete."""
        self.recovery.salvage(worker)
        assert self.commands is not None
        worker.tidy = self.commands.tidy
        worker.tidy()

    def _watch(self, worker: Worker) -> None:
        if self.watcher is not None:
            self.watcher.stop()
        self.watcher = Watcher(SOURCES, self.roots, lambda paths: worker.events.put(("hint", paths)), excluded=self._excluded)
        self.watcher.start()

    def _reload(self, worker: Worker) -> dict[str, object]:
        """Take a changed configuration in. Raises ConfigError, and goes on with the old one, where it is wrong."""
        self.config = load(self.places.config)
        self.roots = effective_roots(self.config, os.environ)
        worker.config, worker.roots = self.config, self.roots
        worker.commits.batch_bytes = self.config.index.batch_bytes
        self.texts.configure(self.config.redact)
        if self.commands is not None:
            self.commands.configure(self.config.exclude.patterns)
        self._watch(worker)
        worker.look(None)
        return {}


def _run_niced(worker: Worker) -> None:
    """Run until everything on disk is read, giving way to whoever else wants the processor."""
    failures: list[BaseException] = []

    def run() -> None:
        if sys.platform == "linux":  # where niceness is a thread's own; it ends with this thread
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        try:
            worker.run(until_idle=True)
        except BaseException as failure:  # noqa: BLE001  # raised below: nothing may go on with a writer that has failed
            failures.append(failure)

    thread = threading.Thread(target=run, name="build")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="recalld.ingest", description=__doc__)
    parser.add_argument("--control-fd", type=int, required=True)
    arguments = parser.parse_args()
    die_with_parent()
    logs.setup(os.environ.get("RECALLD_LOG_LEVEL", "info"), redact=redact_message)
    # Records have no cycles, and looking for them took a third of a first build's time: now and then is enough.
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)
    Process(arguments.control_fd).run()


if __name__ == "__main__":
    main()
