"""What the configuration file can say, as frozen dataclasses with the defaults. `config.py` reads the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

AGENTS = ("claude-code", "codex", "qwen-code")
"""Agents that may have a `[sources.<agent>]` table; `recalld.sources.SOURCES` holds the same names."""

KIB, MIB, GIB = 1024, 1024**2, 1024**3


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
    batch_bytes: int = 16 * MIB
    """Bytes of transcript after which the first build commits."""
    writer_heap_bytes: int = 48_000_000
    """Memory that the index writer may fill before it writes a segment."""


@dataclass(frozen=True, slots=True)
class RedactConfig:
    """`[redact]`."""

    disabled: tuple[str, ...] = ()
    """Kinds of secrets that are left as they are."""


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
    budget_bytes: int = 4000
    """What one hook may add to an agent's context, in bytes of UTF-8."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Bytes by event, in place of `budget_bytes`."""
    events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Events that are answered, by agent; an agent without an entry: all that recalld answers."""
    projects: Mapping[str, ProjectHooks] = field(default_factory=dict)
    """By absolute path."""


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
