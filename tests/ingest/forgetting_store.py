"""A store that can also forget."""

from __future__ import annotations

from ingest.ingest_kit import Store
from recalld.decisions import Decisions
from recalld.index.writer import IndexWriter
from recalld.ingest.bans import Bans
from recalld.ingest.commands import Commands
from recalld.ingest.generations import Generations
from recalld.ingest.texts import Texts
from recalld.ingest.worker import Worker
from recalld.patterns import Patterns
from recalld.redact import Redactor
from recalld.settings import Config
from recalld.sources import SOURCES

PLACES = {"claude-code": "claude", "codex": "codex", "qwen-code": "qwen"}


class ForgettingStore(Store):
    """A store whose worker takes the commands of `forget` and `exclude`."""

    def open(self) -> None:
        self.data = self.root / "data"
        roots = {name: [self.root / place] for name, place in PLACES.items()}
        generations = Generations(self.data / "index")
        generation = generations.current()
        if generation is None:
            generation = generations.new()
            IndexWriter(generation.path).close()
            generations.make_current(generation)
        decisions = Decisions(self.data)
        bans = Bans(decisions, Patterns(decisions.excluded.patterns, self.root))
        writer = IndexWriter(generation.path, patience=5)
        self.worker = Worker(
            writer, generation.name, SOURCES, roots, Config(), Texts(Redactor()), self._event, bans.patterns.path, bans
        )
        self.commands = Commands(self.worker, generations, decisions, bans, (), self.root, lambda: None)
        self.commands.settle()
