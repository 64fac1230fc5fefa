"""The configuration file: every key, warnings for what is not known, errors that name the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import ConfigError
from recalld import settings
from recalld.config import MAX_CONFIG, effective_roots, line_of, load, parse
from recalld.redact import KINDS as NAMED
from recalld.secret_kinds import KINDS
from recalld.settings import AGENTS, Config, HooksConfig, IndexConfig, ProjectHooks, RedactConfig, SourceConfig

HOME = Path("/home/nobody")
FILE = Path("config.toml")
DOCS = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"


def test_no_file_means_the_defaults(home: Path) -> None:
    assert load(home / "none.toml") == Config(home / "none.toml")


def test_every_table_is_read() -> None:
    config = parse(
        """
[sources.claude-code]
roots = ["~/.claude", "/srv/claude"]
[sources.codex]
enabled = false
[index]
max_line_bytes = 1048576
batch_bytes = 1000000
[redact]
disabled = ["jwt"]
[exclude]
patterns = ["/home/nobody/private/**"]
[hooks]
enabled = true
budget_ms = 100
budget_bytes = 2000
[hooks.budgets]
SessionStart = 3000
[hooks.events]
codex = ["SessionStart"]
[hooks.projects."~/quiet"]
enabled = false
""",
        FILE,
        HOME,
    )
    assert config.warnings == ()
    assert config.source("claude-code") == SourceConfig(roots=(HOME / ".claude", Path("/srv/claude")))
    assert config.source("codex") == SourceConfig(enabled=False)
    assert config.source("qwen-code") == SourceConfig()
    assert config.index == replace(IndexConfig(), max_line_bytes=1048576, batch_bytes=1000000)
    assert config.redact.disabled == ("jwt",)
    assert config.exclude.patterns == ("/home/nobody/private/**",)
    assert config.hooks == HooksConfig(
        budget_ms=100,
        budget_bytes=2000,
        budgets={"SessionStart": 3000},
        events={"codex": ("SessionStart",)},
        projects={"/home/nobody/quiet": ProjectHooks(enabled=False)},
    )


def test_an_unknown_key_is_a_warning_with_its_line_and_the_rest_counts() -> None:
    config = parse("colour = 1\n[index]\nbatch_size = 2\nbatch_bytes = 100000\n[sources.other]\n", FILE, HOME)
    assert [(w.line, w.message.split(":")[0]) for w in config.warnings] == [
        (1, "unknown key colour"),
        (3, "unknown key index.batch_size"),
        (5, "unknown key sources.other"),
    ]
    assert config.index.batch_bytes == 100000


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('# c\n[index]\n\nbatch_bytes = "big"\n', 4, "index.batch_bytes"),
        ("[index]\nbatch_bytes = true", 2, "index.batch_bytes"),
        ("[index]\nbatch_bytes = 1", 2, "index.batch_bytes"),
        ("index = 3", 1, "index"),
        ('[sources.codex]\nenabled = true\nroots = [\n  "/a",\n  1,\n]\n', 3, "sources.codex.roots"),
        ('[sources.codex]\nroots = ["relative"]', 2, "sources.codex.roots"),
        ('\n\nsources.codex = {enabled = "yes"}', 3, "sources.codex.enabled"),
        ('[hooks]\n[hooks.budgets]\nStop = "x"', 3, "hooks.budgets.Stop"),
        ('[hooks.projects."relative/path"]\nenabled = false', 1, "hooks.projects.relative/path"),
        ('[redact]\ndisabled = "jwt"', 2, "redact.disabled"),
        ('[redact.projects."app"]\ndisabled = ["jwt"]', 1, "redact.projects.app"),
        ('[redact.projects."/app"]\ndisabled = [1]', 2, "redact.projects./app.disabled"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_that_names_the_line(text: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"line {line}: {key} ")):
        parse(text, FILE, HOME)


@pytest.mark.parametrize("text", ["[index", "a = \n", 'x = "unfinished', "[a]\n[a]\n"])
def test_what_is_not_toml_is_an_error_that_names_a_line(text: str) -> None:
    with pytest.raises(ConfigError, match=r"line \d"):
        parse(text, FILE, HOME)


def test_an_unknown_kind_of_secret_is_a_warning_with_its_line_and_the_known_ones_count() -> None:
    text = '[redact]\ndisabled = ["jwt", "jtw"]\n[redact.projects."~/app"]\ndisabled = ["cookie", "cake"]\ncolour = 1\n'
    config = parse(text, FILE, HOME)
    assert [(w.line, w.message.split(":")[0]) for w in config.warnings] == [
        (2, "unknown kind 'jtw' in redact.disabled"),
        (4, "unknown kind 'cake' in redact.projects.~/app.disabled"),
        (5, "unknown key redact.projects.~/app.colour"),
    ]
    assert config.redact == RedactConfig(disabled=("jwt",), projects={str(HOME / "app"): ("cookie",)})


def test_a_project_adds_to_the_kinds_that_are_left_everywhere_and_so_do_the_directories_above_it() -> None:
    config = RedactConfig(disabled=("jwt",), projects={"/w/app": ("cookie",), "/w/app/sub": ("password",)})
    assert config.disabled_in(None) == config.disabled_in("/w/application") == config.disabled_in("/w") == {"jwt"}
    assert config.disabled_in("/w/app") == config.disabled_in("/w/app/lib") == {"jwt", "cookie"}
    assert config.disabled_in("/w/app/sub/x") == {"jwt", "cookie", "password"}


def test_the_kinds_that_the_configuration_knows_are_those_that_the_rules_name() -> None:
    assert KINDS == NAMED


def test_bytes_that_are_not_utf8_are_an_error_that_names_the_line(home: Path) -> None:
    (home / "c.toml").write_bytes(b"# fine\n# \xff\n")
    with pytest.raises(ConfigError, match="line 2"):
        load(home / "c.toml")


def test_a_file_that_cannot_be_a_configuration_is_refused(home: Path) -> None:
    (home / "c.toml").write_bytes(b"#" * (MAX_CONFIG + 1))
    with pytest.raises(ConfigError):
        load(home / "c.toml")
    with pytest.raises(ConfigError):
        load(home)


@given(st.text(alphabet=st.sampled_from('[]{}="\n.# \tabhooksindexsourcescodexrootsenabledtrue1'), max_size=80))
def test_any_text_is_a_configuration_or_a_config_error(text: str) -> None:
    with suppress(ConfigError):
        assert parse(text, FILE, HOME).path == FILE


@given(
    st.lists(
        st.sampled_from(["\n", "# note\n", "other = [\n1,\n2]\n", 'long = """\na\nkey = 1\n"""\n']),
        max_size=5,
        unique=True,
    )
)
def test_the_line_of_a_key_is_found_whatever_stands_before_it(before: list[str]) -> None:
    text = "".join(before) + "key = 5\n"
    tomllib.loads(text)
    assert line_of(text, ("key",)) == "".join(before).count("\n") + 1


class _Source:
    """A source's only part that roots are made of."""

    def __init__(self, variable: str, usual: str) -> None:
        self._variable, self._usual = variable, usual

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        return [Path(env[self._variable]) if env.get(self._variable) else home / self._usual]


SOURCES: Any = {"claude-code": _Source("CLAUDE_CONFIG_DIR", ".claude"), "codex": _Source("CODEX_HOME", ".codex")}


def roots(text: str, env: dict[str, str]) -> dict[str, list[str]]:
    found = effective_roots(parse(text, FILE, HOME), {"HOME": str(HOME)} | env, SOURCES)
    return {agent: [str(path) for path in paths] for agent, paths in found.items()}


def test_roots_are_the_agents_own_where_nothing_else_is_said() -> None:
    assert roots("", {}) == {"claude-code": ["/home/nobody/.claude"], "codex": ["/home/nobody/.codex"]}


def test_roots_in_the_environment_take_the_place_of_the_agents_own() -> None:
    assert roots("", {"CODEX_HOME": "/else"})["codex"] == ["/else"]


def test_roots_in_the_configuration_take_the_place_of_the_agents_own_and_stand_beside_the_environments() -> None:
    text = '[sources.codex]\nroots = ["/one", "/two"]'
    assert roots(text, {})["codex"] == ["/one", "/two"]
    assert roots(text, {"CODEX_HOME": "/three"})["codex"] == ["/one", "/two", "/three"]
    assert roots(text, {"CODEX_HOME": "/two"})["codex"] == ["/one", "/two"]


def test_a_disabled_agent_has_no_roots() -> None:
    assert list(roots("[sources.codex]\nenabled = false", {"CODEX_HOME": "/x"})) == ["claude-code"]


def test_the_documentation_lists_every_key_and_its_default() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for cls in (
        settings.SourceConfig,
        IndexConfig,
        settings.RedactConfig,
        settings.ExcludeConfig,
        HooksConfig,
        ProjectHooks,
    ):
        for one in fields(cls):
            assert f"`{one.name}`" in text, f"{cls.__name__}.{one.name} is not documented"
    for name, value in ((one.name, getattr(IndexConfig(), one.name)) for one in fields(IndexConfig)):
        assert re.search(rf"`{name}` \| `{value}`", text), f"the default of {name} is not {value} in the documentation"
    for agent in AGENTS:
        assert agent in text
