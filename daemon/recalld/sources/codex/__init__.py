"""Codex CLI: where its files lie, what they are, how a session is resumed. `docs/formats/codex.md` has the format."""

from __future__ import annotations

import re
import stat
import time
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from recalld.model import Item
from recalld.sources.base import FileKind, Parser, Resume, SessionView, SourceFile
from recalld.sources.codex.rollout import RolloutParser
from recalld.sources.codex.side import HistoryParser, NamesParser

DEFAULT_PROVIDER = "openai"
"""Codex's provider where its config names none."""

_SETTLED_NS = 1_000_000_000
"""Age from which a file's times tell its versions apart."""

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(rf"rollout-.*?({_UUID})(?:_(.+))?\.jsonl")
_SIDE_FILES: dict[str, FileKind] = {"history.jsonl": "history", "session_index.jsonl": "names"}
_FOLDERS = ("sessions", "archived_sessions")


class Codex:
    """The source for Codex CLI. See `base.Source`."""

    name = "codex"
    fragments = False
    linear = False
    lineage: Literal["ids", "prefix"] = "prefix"
    command = "codex"

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        given = env.get("CODEX_HOME")
        return [Path(given) if given else home / ".codex"]

    def classify(self, root: Path, path: Path) -> SourceFile | None:
        try:
            parts = path.relative_to(root).parts
        except ValueError:
            return None
        if len(parts) == 1 and (kind := _SIDE_FILES.get(parts[0])):
            return SourceFile(self.name, root, path, kind, None, parts[0])
        if len(parts) < 2 or parts[0] not in _FOLDERS or not path.name.startswith("rollout-"):
            return None
        logical = path.name.removesuffix(".zst")
        if not logical.endswith(".jsonl"):
            return None
        named = _NAME.fullmatch(logical)
        session = named[1] if named else None
        return SourceFile(self.name, root, path, "transcript", session, logical, compressed=logical != path.name)

    def watched(self, root: Path) -> list[Path]:
        """`sessions` and `archived_sessions` with all below, and `root` for the two files that lie in it.

        Other things that change often lie beside them (databases, logs): `root` itself must not be watched recursively.
        """
        return [*(root / folder for folder in _FOLDERS), root]

    def parser(self, file: SourceFile, state: Mapping[str, Any] | None) -> Parser:
        if file.kind == "history":
            return HistoryParser(state)
        if file.kind == "names":
            return NamesParser()
        named = _NAME.fullmatch(file.logical)
        return RolloutParser(file, named[2] if named else None, state)

    def meta(self, file: SourceFile, data: bytes) -> Iterable[Item]:
        return ()

    def resume(self, session: SessionView) -> Resume:
        """`codex resume ID`, which Codex takes anywhere; the directory is the session's, where a person wants to be.

        A session of another provider than the configured one is named its provider: Codex would not find it else.
        """
        named: tuple[str, ...] = ()
        if session.provider and session.provider != configured_provider(session.root):
            named = ("-c", f"model_provider={session.provider}")
        argv = ("codex", *named, "resume", session.id)
        reason = "its transcript is no longer on disk" if session.source_deleted else None
        return Resume(argv, session.project, reason)


def configured_provider(root: Path | None) -> str | None:
    """Return the `model_provider` in `root`'s config.toml (its profile's first), `openai` where none is named, None
    where the file cannot be read."""
    if root is None:
        return None
    path = root / "config.toml"
    try:
        now = path.stat()
        if not stat.S_ISREG(now.st_mode):
            return None  # a FIFO would be waited for
        if time.time_ns() - now.st_ctime_ns < _SETTLED_NS:
            return _read_provider(path)  # it may change again without a new time
        return _provider_in(path, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    except FileNotFoundError:
        return DEFAULT_PROVIDER
    except (OSError, ValueError):
        return None  # unknown: naming the session's provider is right whatever it says


@lru_cache(maxsize=16)
def _provider_in(path: Path, *version: int) -> str:
    """Return the provider in a config of this `version`: every session of an answer asks, and parsing takes long."""
    return _read_provider(path)


def _read_provider(path: Path) -> str:
    config = tomllib.loads(path.read_text(encoding="utf-8"))
    profiles = config.get("profiles")
    profile = profiles.get(str(config.get("profile"))) if isinstance(profiles, dict) else None
    for table in (profile, config):
        if isinstance(table, dict) and isinstance(found := table.get("model_provider"), str):
            return found
    return DEFAULT_PROVIDER
