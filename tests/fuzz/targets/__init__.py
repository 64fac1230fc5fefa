"""All targets, by name."""

from __future__ import annotations

from tests.fuzz.target import Target
from tests.fuzz.targets import asking, deciding, reading, redacting, speaking, wiring

TARGETS: tuple[Target, ...] = (
    *reading.TARGETS,
    *asking.TARGETS,
    *speaking.TARGETS,
    *redacting.TARGETS,
    *deciding.TARGETS,
    *wiring.TARGETS,
)


def find(name: str) -> Target:
    """Return the target of that name; end the program where there is none."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise SystemExit(f"no target {name!r}: there are {', '.join(target.name for target in TARGETS)}")
