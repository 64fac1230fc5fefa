"""Edits of TOML files: one table in, one table out, nothing else moves."""

from __future__ import annotations

from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Refused
from recall.install import toml

PATH = ("mcp_servers", "recall")
KEYS = st.sampled_from(["a", "b", "with space", "mcp", "é"])
SCALARS = st.booleans() | st.integers(-9, 9) | st.text(max_size=8)
LEAVES = SCALARS | st.lists(st.integers(0, 9), max_size=3)
TABLES: Any = st.dictionaries(KEYS, LEAVES | st.dictionaries(KEYS, LEAVES, max_size=2), max_size=4)
OURS = st.dictionaries(
    st.sampled_from(["command", "args", "env", "enabled"]),
    SCALARS | st.lists(st.text(max_size=5), max_size=3) | st.dictionaries(KEYS, st.text(max_size=5), max_size=2),
    min_size=1,
)


def with_servers(value: dict[str, Any], servers: dict[str, Any]) -> dict[str, Any]:
    return value | ({"mcp_servers": servers} if servers else {})


@given(TABLES, st.dictionaries(KEYS, st.just({"command": "x"}), max_size=2), OURS, st.booleans())
def test_a_table_that_is_put_in_is_there_and_comes_out_again_to_the_byte(
    value: dict[str, Any], servers: dict[str, Any], ours: dict[str, Any], crlf: bool
) -> None:
    text = tomlkit.dumps(with_servers(value, servers))
    if text and not text.endswith("\n"):
        text += "\n"
    if crlf:
        text = text.replace("\r", "").replace("\n", "\r\n")
    before = toml.parse(text)
    added = toml.put_table(text, PATH, ours)
    assert added.startswith(text)
    assert toml.parse(added)["mcp_servers"] == before.get("mcp_servers", {}) | {"recall": ours}
    assert toml.remove_table(added, PATH) == text


@given(TABLES, OURS, OURS)
def test_putting_a_table_in_again_replaces_it(value: dict[str, Any], first: dict[str, Any], second: dict[str, Any]) -> None:
    text = toml.put_table(tomlkit.dumps(value), PATH, first)
    assert toml.parse(toml.put_table(text, PATH, second)) == value | {"mcp_servers": {"recall": second}}


def test_what_is_no_toml_is_refused_with_its_place() -> None:
    with pytest.raises(Refused, match=r"line 2, column 5"):
        toml.put_table("a = 1\nb = = 2\n", PATH, {"command": "x"})


def test_comments_behind_and_before_stay() -> None:
    text = "# first\n[a]\nb = 1 # why\n\n# last\n"
    added = toml.put_table(text, PATH, {"command": "x"})
    assert toml.remove_table(added + "\n[later]\nc = 2 # too\n", PATH) == text + "\n[later]\nc = 2 # too\n"
