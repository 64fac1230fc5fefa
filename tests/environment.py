"""What a process of a made-up user has for an environment."""

from __future__ import annotations

import os
from pathlib import Path

from recall.places import Places


def environment(root: Path, places: Places) -> dict[str, str]:
    """Return the whole environment of a user whose home, agents' stores and temporary files lie below `root`, and whose
    recalld's `places` are these. Nothing in it leads to the real user."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    if "PYTHONPATH" in os.environ:  # it may be relative to where the tests run
        kept["PYTHONPATH"] = os.pathsep.join(str(Path(p).resolve()) for p in os.environ["PYTHONPATH"].split(os.pathsep) if p)
    return kept | {
        "HOME": str(root / "home"),
        "TMPDIR": str(root),
        "CLAUDE_CONFIG_DIR": str(root / "claude"),
        "CODEX_HOME": str(root / "codex"),
        "QWEN_HOME": str(root / "qwen"),
        "QWEN_RUNTIME_DIR": str(root / "qwen"),
        "RECALLD_DATA_DIR": str(places.data),
        "RECALLD_RUNTIME_DIR": str(places.runtime),
        "RECALLD_CONFIG": str(places.config),
    }
