"""What the configuration file can say, as frozen dataclasses with the defaults. `config.py` reads the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

AGENTS = ("claude-code", "codex", "qwen-code")
"""Agents that may have a `[sources.<agent>]` table; `recalld.sources.SOURCES` holds the same names."""

KIB, MIB, GIB = 1024, 1024**2, 1024**3

HOOK_BUDGET = 1500
HOOK_BUDGETS: Mapping[str, int] = {"SessionStart": 2000}
"""Bytes of UTF-8 that one hook may add to an agent's context: some 400 tokens, frame included."""


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """`[sources.<agent>]`."""

    enabled: bool = True
    roots: tuple[Path, ...] | None = None
    """The agent's directories; None: where the agent itself keeps them."""


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """`[index]`: limits."""

    max_line_bytes: int = 32 * MIB
    """A longer line is skipped, counted and reported."""
    max_text_bytes: int = 256 * KIB
    """Text of one record beyond this is cut and the record marked."""
    max_uncompressed_bytes: int = 4 * GIB
    """What one compressed file may grow to."""
    batch_bytes: int = 3 * MIB
    """Bytes of transcript after which the first build commits."""
    writer_heap_bytes: int = 36_000_000
    """Memory that the index writer may fill before it writes a segment."""


@dataclass(frozen=True, slots=True)
class RedactConfig:
    """`[redact]`."""

    disabled: tuple[str, ...] = ()
    """Kinds of secrets that are left as they are."""
    projects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further kinds, by absolute path: for what was said in that directory and below."""

    def disabled_in(self, project: str | None) -> frozenset[str]:
        """Return the kinds that are left as they are in the texts of `project`, None for one that is not known."""
        if project is None or not self.projects:
            return frozenset(self.disabled)
        above = [project, *map(str, Path(project).parents)]
        return frozenset(self.disabled).union(*(self.projects.get(path, ()) for path in above))


@dataclass(frozen=True, slots=True)
class ExcludeConfig:
    """`[exclude]`: what is never read, beside what `recall exclude` keeps."""

    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectHooks:
    """`[hooks.projects."<path>"]`: what hooks do in this directory and below. None: as everywhere."""

    enabled: bool = True
    events: tuple[str, ...] | None = None
    budget_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class HooksConfig:
    """`[hooks]`."""

    enabled: bool = True
    budget_ms: int = 300
    """How long one hook may keep its agent waiting."""
    budget_bytes: int | None = None
    """What one hook may add to an agent's context, in bytes of UTF-8; None: 2,000 at a session's start, else 1,500."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Bytes by event, in place of `budget_bytes`."""
    sub_agents: bool = False
    """Sub-agents are answered too."""
    events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Events that are answered, by agent; an agent without an entry: all that recalld answers."""
    projects: Mapping[str, ProjectHooks] = field(default_factory=dict)
    """By absolute path."""

    def allowed(self, agent: str, event: str, cwd: str | None) -> int:
        """Return how many bytes may be said to `agent` on `event` in the directory `cwd`; 0: it is off."""
        above = [cwd, *map(str, Path(cwd).parents)] if cwd else []
        project = next((self.projects[path] for path in above if path in self.projects), ProjectHooks())
        events = project.events if project.events is not None else self.events.get(agent)
        if not self.enabled or not project.enabled or (events is not None and event not in events):
            return 0
        if project.budget_bytes is not None:
            return project.budget_bytes
        usual = self.budget_bytes if self.budget_bytes is not None else HOOK_BUDGETS.get(event, HOOK_BUDGET)
        return self.budgets.get(event, usual)


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """Something in the file that was not understood and does no harm."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file."""

    path: Path | None = None
    sources: Mapping[str, SourceConfig] = field(default_factory=dict)
    index: IndexConfig = field(default_factory=IndexConfig)
    redact: RedactConfig = field(default_factory=RedactConfig)
    exclude: ExcludeConfig = field(default_factory=ExcludeConfig)
    hooks: HooksConfig = field(default_factory=HooksConfig)
    warnings: tuple[ConfigWarning, ...] = ()

    def source(self, agent: str) -> SourceConfig:
        """Return an agent's table, or the default where there is none."""
        return self.sources.get(agent, SourceConfig())
