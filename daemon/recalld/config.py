"""The configuration file: TOML into frozen dataclasses. `docs/configuration.md` lists every key.

A key that is not known is a warning (a newer or older recalld may know it); a value of the wrong type is an error that
names the line, because what a person meant to keep out must not be read by mistake.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recall.errors import ConfigError, UsageError
from recalld.patterns import checked
from recalld.secret_kinds import KINDS
from recalld.settings import (
    AGENTS,
    GIB,
    KIB,
    MIB,
    Config,
    ConfigWarning,
    ExcludeConfig,
    HooksConfig,
    IndexConfig,
    ProjectHooks,
    RedactConfig,
    SourceConfig,
)

if TYPE_CHECKING:  # sources know no configuration, and reading one needs none of them
    from recalld.sources.base import Source

__all__ = ["Config", "ConfigWarning", "effective_roots", "line_of", "load", "parse"]

MAX_CONFIG = 256 * KIB
"""Bytes of a configuration file that are read at all."""


def load(path: Path, home: Path | None = None) -> Config:
    """Return what the file at `path` says; the defaults where there is none. `home` stands for `~`.

    Raise ConfigError, naming the line, where it is not TOML or holds a value of the wrong type.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG + 1)
    except FileNotFoundError:
        return Config(path)
    except OSError as error:
        raise ConfigError(f"cannot read {path} ({error.strerror}): make it readable or remove it") from error
    if len(data) > MAX_CONFIG:
        raise ConfigError(f"{path} is over {MAX_CONFIG} bytes: it cannot be meant for recalld")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}, line {line}: not UTF-8: save the file as UTF-8") from error
    return parse(text, path, home if home is not None else Path.home())


def parse(text: str, path: Path, home: Path) -> Config:
    """As `load`, for a file's text."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error).replace("end of document", f"line {text.count(chr(10)) + 1}")
        raise ConfigError(f"{path}: not valid TOML: {said}") from error
    return _Reader(text, path, home).config(data)


class _Reader:
    """Takes the tables apart. Every `take_*` pops a key and checks it; what is left over was not known."""

    def __init__(self, text: str, path: Path, home: Path) -> None:
        self._text = text
        self._path = path
        self._home = home
        self._warnings: list[ConfigWarning] = []

    def config(self, data: dict[str, Any]) -> Config:
        sources: dict[str, SourceConfig] = {}
        tables = self._table(data, "sources", ())
        for agent in AGENTS:
            if agent in tables:
                at = ("sources", agent)
                table = self._table(tables, agent, ("sources",))
                sources[agent] = SourceConfig(
                    enabled=self._bool(table, "enabled", at, True),
                    roots=self._paths(table, "roots", at),
                )
                self._left(table, at)
        self._left(tables, ("sources",))
        config = Config(
            path=self._path,
            sources=sources,
            index=self._index(self._table(data, "index", ())),
            redact=self._redact(self._table(data, "redact", ())),
            exclude=self._exclude(self._table(data, "exclude", ())),
            hooks=self._hooks(self._table(data, "hooks", ())),
        )
        self._left(data, ())
        return replace(config, warnings=tuple(sorted(self._warnings, key=lambda warning: warning.line)))

    def _index(self, table: dict[str, Any]) -> IndexConfig:
        at, d = ("index",), IndexConfig()
        result = IndexConfig(
            max_line_bytes=self._int(table, "max_line_bytes", at, d.max_line_bytes, 64 * KIB, GIB),
            max_text_bytes=self._int(table, "max_text_bytes", at, d.max_text_bytes, KIB, 4 * MIB),
            max_uncompressed_bytes=self._int(
                table, "max_uncompressed_bytes", at, d.max_uncompressed_bytes, MIB, 1024 * GIB
            ),
            batch_bytes=self._int(table, "batch_bytes", at, d.batch_bytes, 64 * KIB, GIB),
            writer_heap_bytes=self._int(table, "writer_heap_bytes", at, d.writer_heap_bytes, 16 * MIB, 4 * GIB),
        )
        self._left(table, at)
        return result

    def _redact(self, table: dict[str, Any]) -> RedactConfig:
        at = ("redact",)
        disabled = self._kinds(table, at)
        projects = self._table(table, "projects", at)
        found: dict[str, tuple[str, ...]] = {}
        for path in list(projects):
            here = (*at, "projects", path)
            one = self._table(projects, path, (*at, "projects"))
            found[str(self._path_of(path, here))] = self._kinds(one, here)
            self._left(one, here)
        self._left(table, at)
        return RedactConfig(disabled=disabled, projects=found)

    def _kinds(self, table: dict[str, Any], at: tuple[str, ...]) -> tuple[str, ...]:
        """Return the kinds of secrets under `disabled`; one that there is not is a warning."""
        named = self._texts(table, "disabled", at) or ()
        where = (*at, "disabled")
        for kind in named:
            if kind not in KINDS:
                self._warnings.append(
                    ConfigWarning(
                        line_of(self._text, where), f"unknown kind {kind!r} in {'.'.join(where)}: it is ignored"
                    )
                )
        return tuple(kind for kind in named if kind in KINDS)

    def _exclude(self, table: dict[str, Any]) -> ExcludeConfig:
        try:
            patterns = tuple(checked(text) for text in self._texts(table, "patterns", ("exclude",)) or ())
        except UsageError as error:
            raise self._error(("exclude", "patterns"), error.message) from error
        result = ExcludeConfig(patterns=patterns)
        self._left(table, ("exclude",))
        return result

    def _hooks(self, table: dict[str, Any]) -> HooksConfig:
        at, d = ("hooks",), HooksConfig()
        budgets = self._table(table, "budgets", at)
        events = self._table(table, "events", at)
        projects = self._table(table, "projects", at)
        found: dict[str, ProjectHooks] = {}
        for path in list(projects):
            here = (*at, "projects", path)
            one = self._table(projects, path, (*at, "projects"))
            found[str(self._path_of(path, here))] = ProjectHooks(
                enabled=self._bool(one, "enabled", here, True),
                events=self._texts(one, "events", here),
                budget_bytes=self._int(one, "budget_bytes", here, -1, 0, MIB) if "budget_bytes" in one else None,
            )
            self._left(one, here)
        known = {agent: self._texts(events, agent, (*at, "events")) or () for agent in AGENTS if agent in events}
        self._left(events, (*at, "events"))
        result = HooksConfig(
            enabled=self._bool(table, "enabled", at, d.enabled),
            budget_ms=self._int(table, "budget_ms", at, d.budget_ms, 1, 60_000),
            budget_bytes=self._int(table, "budget_bytes", at, -1, 0, MIB) if "budget_bytes" in table else None,
            sub_agents=self._bool(table, "sub_agents", at, d.sub_agents),
            budgets={event: self._int(budgets, event, (*at, "budgets"), 0, 0, MIB) for event in list(budgets)},
            events=known,
            projects=found,
        )
        self._left(table, at)
        return result

    def _take(
        self, table: dict[str, Any], key: str, at: tuple[str, ...], fits: Callable[[Any], bool], what: str
    ) -> Any:
        value = table.pop(key)
        if not fits(value):
            raise self._error((*at, key), f"must be {what}")
        return value

    def _table(self, table: dict[str, Any], key: str, at: tuple[str, ...]) -> dict[str, Any]:
        if key not in table:
            return {}
        found: dict[str, Any] = self._take(table, key, at, lambda v: isinstance(v, dict), "a table")
        return found

    def _bool(self, table: dict[str, Any], key: str, at: tuple[str, ...], default: bool) -> bool:
        if key not in table:
            return default
        return bool(self._take(table, key, at, lambda v: isinstance(v, bool), "true or false"))

    def _int(self, table: dict[str, Any], key: str, at: tuple[str, ...], default: int, low: int, high: int) -> int:
        if key not in table:
            return default

        def fits(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

        return int(self._take(table, key, at, fits, f"a whole number from {low} to {high}"))

    def _texts(self, table: dict[str, Any], key: str, at: tuple[str, ...]) -> tuple[str, ...] | None:
        if key not in table:
            return None

        def fits(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(one, str) and one for one in value)

        return tuple(self._take(table, key, at, fits, "a list of non-empty strings"))

    def _paths(self, table: dict[str, Any], key: str, at: tuple[str, ...]) -> tuple[Path, ...] | None:
        texts = self._texts(table, key, at)
        return None if texts is None else tuple(self._path_of(text, (*at, key)) for text in texts)

    def _path_of(self, text: str, at: tuple[str, ...]) -> Path:
        path = self._home / text[2:] if text.startswith("~/") else self._home if text == "~" else Path(text)
        if not path.is_absolute() or "\0" in text:
            raise self._error(at, f"{text!r} is not an absolute path (it may begin with ~/)")
        return path

    def _left(self, table: dict[str, Any], at: tuple[str, ...]) -> None:
        for key in table:
            where = (*at, key)
            self._warnings.append(
                ConfigWarning(line_of(self._text, where), f"unknown key {'.'.join(where)}: it is ignored")
            )

    def _error(self, at: tuple[str, ...], message: str) -> ConfigError:
        return ConfigError(f"{self._path}, line {line_of(self._text, at)}: {'.'.join(at)} {message}")


def line_of(text: str, at: tuple[str, ...]) -> int:
    """Return the 1-based line on which the value at `at` begins in a TOML text that parses.

    The parser does not say; but a prefix of whole lines either parses or ends inside a value, so the value begins
    after the last prefix that parses without it. Quadratic, and run only where there is something to report.
    """
    lines = text.split("\n")
    last_without = 0
    for count in range(1, len(lines) + 1):
        try:
            node: Any = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        for key in at:
            if not isinstance(node, dict) or key not in node:
                last_without = count
                break
            node = node[key]
        else:
            break
    return last_without + 1


def effective_roots(
    config: Config, env: Mapping[str, str], sources: Mapping[str, Source] | None = None
) -> dict[str, list[Path]]:
    """Return the roots of every enabled agent, existing or not, in order and each once. `sources`: all that there are.

    Roots in the configuration take the place of the agent's default directory. A directory that the environment
    names beside them is read too: whoever sets CODEX_HOME for a shell expects its sessions to be found.
    """
    if sources is None:
        from recalld.sources import SOURCES

        sources = SOURCES
    home = Path(env.get("HOME") or Path.home())
    found: dict[str, list[Path]] = {}
    for agent, source in sources.items():
        settings = config.source(agent)
        if not settings.enabled:
            continue
        said = source.roots(env, home)
        if settings.roots is None:
            found[agent] = list(dict.fromkeys(said))
        else:
            usual = source.roots({"HOME": str(home)}, home)
            found[agent] = list(dict.fromkeys([*settings.roots, *(root for root in said if root not in usual)]))
    return found
