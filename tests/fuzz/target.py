"""What a target is: a check that takes bytes and raises where a promise is broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.mutate import Mutator

Check = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that is fuzzed."""

    name: str
    make: Callable[[Path], Check]
    """Makes the check; it may use the (empty, temporary) directory. Any exception of the check is a finding."""
    seeds: Callable[[], Sequence[bytes]] = field(default=lambda: [b""])
    mutate: Mutator | None = None
    longest: int = 4096
    """Bytes of one input."""
    traced: bool = True
    """Whether coverage guides it; what measures time, or runs in another process, is better off without."""
    seconds: float = 10.0
    """Processor time that one input may take; more is a finding."""
