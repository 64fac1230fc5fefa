"""`recall doctor` on how the agents are wired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from install.user_files import FILES, NAMES

if TYPE_CHECKING:
    from install.conftest import User


def findings(user: User) -> list[tuple[str, str]]:
    return [(f["check"], f["message"]) for f in user.json("doctor")["findings"] if f["check"] != "daemon"]


def test_doctor_says_nothing_of_agents_that_were_never_wired(user: User) -> None:
    user.agent("codex")
    assert findings(user) == []
    assert user.json("doctor")["agents"] == {"codex": "not installed"}
    assert "codex       not wired" in user.recall("doctor").stdout  # for Codex itself is installed


@pytest.mark.parametrize("agent", FILES)
def test_doctor_finds_all_well_after_install(user: User, agent: str) -> None:
    user.agent(agent)
    user.recall("install")
    assert findings(user) == []
    assert user.json("doctor")["agents"] == {NAMES[agent]: "wired"}


def test_doctor_tells_what_is_stale_and_what_is_gone(user: User) -> None:
    directory = user.agent("qwen")
    user.recall("install")
    path = directory / "settings.json"
    text = path.read_text()
    path.write_text(text.replace("hook qwen-code SessionEnd", "hook qwen-code SessionOver"))
    assert findings(user) == [("stale", "Qwen Code: the hooks is of another version")]
    (directory / "skills" / "recall" / "SKILL.md").unlink()
    user.launcher.unlink()
    assert [check for check, _ in findings(user)] == ["stale", "missing", "missing"]
    assert user.json("doctor")["agents"] == {"qwen-code": "missing"}
    user.recall("install")
    assert findings(user) == []


def test_doctor_names_a_file_that_can_no_longer_be_read(user: User) -> None:
    directory = user.agent("qwen")
    user.recall("install")
    (directory / "settings.json").write_text("{")
    assert any("line 1" in message for _, message in findings(user))
