"""What `recall doctor` says of the agents' directories: configured ones that are not there, an agent's that is gone."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recalld.settings import Config

Finding = dict[str, Any]


def findings(config: Config, roots: Mapping[str, Sequence[Path]], counts: Mapping[str, tuple[int, int]]) -> list[Finding]:
    """Return what is missing. `roots`: what is read, by agent; `counts`: (records, sessions) in the index, by agent."""
    found: list[Finding] = []

    def add(message: str, remedy: str, path: Path) -> None:
        found.append({"check": "root", "path": os.fsdecode(path), "offset": None, "message": message, "remedy": remedy})

    for agent, places in roots.items():
        missing = [root for root in config.source(agent).roots or () if not root.is_dir()]
        for root in missing:
            text = f"the configuration names a directory for {agent} that is not there"
            add(text, f"bring it back, or take it out of [sources.{agent}] roots", root)
        if any(counts.get(agent, ())) and places and not missing and not any(root.is_dir() for root in places):
            text = f"the directory of {agent} is gone; what the index holds of it stays"
            add(text, f"bring it back, or set enabled = false under [sources.{agent}] in the configuration", places[0])
    return found


def none_found(roots: Mapping[str, Sequence[Path]], counts: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return the directories that are waited for where no agent has one, nor ever had; else []."""
    places = [root for each in roots.values() for root in each]
    if any(any(count) for count in counts.values()) or any(root.is_dir() for root in places):
        return []
    return [os.fsdecode(root) for root in places]
