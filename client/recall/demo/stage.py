"""The demo's stage: a temporary home with the bundled sessions in it, their times moved up to now."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recall.daemon import LOCATION_VARIABLES
from recall.places import MAX_SOCKET_PATH, SOCKET_NAME, Places

SESSIONS = Path(__file__).resolve().parent / "sessions"
WRITTEN_AT = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""The `now` that the bundled sessions' times are relative to."""

_TIME = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "PYTHONPATH")
"""What the demo's daemon gets of the user's environment: nothing that says where something lies."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A temporary place in which everything of the demo lies."""

    root: Path
    places: Places
    env: dict[str, str]

    @property
    def claude(self) -> Path:
        return self.root / "claude"


def raise_stage(root: Path, env: Mapping[str, str], now: datetime | None = None) -> Stage:
    """Fill `root`, an empty directory, with three agents' stores; return the stage, every location set inside it."""
    stores = {"claude-code": root / "claude", "codex": root / "codex", "qwen-code": root / "qwen"}
    shift = (now or datetime.now(UTC)) - WRITTEN_AT
    for agent, store in stores.items():
        store.mkdir()
        source = SESSIONS / agent
        for path in sorted(source.rglob("*.json*")):
            data = _moved(path.read_bytes(), shift)
            rollout = path.name.startswith("rollout-")
            target = store / (_rollout_name(path, data) if rollout else path.relative_to(source))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    (root / "home").mkdir()
    own = Places(data=root / "data", runtime=root / "run", config=root / "config.toml")
    agents = (stores["claude-code"], stores["codex"], stores["qwen-code"], stores["qwen-code"])
    values = (*agents, own.data, own.runtime, own.config)
    inside = {name: str(value) for name, value in zip(LOCATION_VARIABLES, values, strict=True)}
    kept = {name: env[name] for name in _PASSED_ON if name in env}
    return Stage(root, own, kept | inside | {"HOME": str(root / "home")})


def temporary_root() -> str:
    """Make a temporary directory, short enough for the socket; return its path."""
    base = tempfile.gettempdir()
    if len(os.fsencode(base)) + len(f"/recall-demo-xxxxxxxx/run/{SOCKET_NAME}") > MAX_SOCKET_PATH:
        base = "/tmp"
    return tempfile.mkdtemp(prefix="recall-demo-", dir=base)


def _moved(data: bytes, shift: timedelta) -> bytes:
    """Return `data` with every time moved by `shift`."""

    def move(found: re.Match[bytes]) -> bytes:
        moment = datetime.fromisoformat(found[0].decode()) + shift
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".encode()

    return _TIME.sub(move, data)


def _rollout_name(path: Path, data: bytes) -> Path:
    """Where Codex would have put this rollout: directories and name tell its local time."""
    first = _TIME.search(data)
    assert first is not None  # a bundled file; a test reads them all
    local = datetime.fromisoformat(first[0].decode()).astimezone()
    name = f"rollout-{local:%Y-%m-%dT%H-%M-%S}-{path.stem.removeprefix('rollout-')}.jsonl"
    return Path("sessions", f"{local:%Y}", f"{local:%m}", f"{local:%d}", name)
