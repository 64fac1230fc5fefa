"""Which agents are wired, and with what."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from install.user_files import FOREIGN, NAMES, PLAIN, TOML, handlers, ours, said

if TYPE_CHECKING:
    from install.conftest import User


def test_agents_are_found_by_their_directory_or_their_command(user: User) -> None:
    user.agent("codex")
    command = user.bin / "qwen"
    command.write_text("#!/bin/sh\necho 0.24.4\n")
    command.chmod(0o755)
    done = user.json("install")
    assert [agent["agent"] for agent in done["agents"]] == ["codex", "qwen-code"]


def test_without_any_agent_that_is_said(user: User) -> None:
    done = user.recall("install")
    assert done.returncode == 1
    assert "no agent is found" in done.stderr


def test_an_agent_that_is_named_and_not_there_is_an_error(user: User) -> None:
    user.agent("codex")
    done = user.recall("install", "claude-code")
    assert done.returncode == 1
    assert "Claude Code is not found" in done.stderr
    assert not user.places.data.exists()


@pytest.mark.parametrize(
    ("agent", "version", "calls_tools"),
    [
        ("claude", "2.1.117 (Claude Code)", False),
        ("claude", "2.1.118 (Claude Code)", True),
        ("claude", "2.1.332 (Claude Code)", True),
        ("codex", "codex-cli 0.170.9", False),
        ("codex", "codex-cli 0.171.0", True),
        ("qwen", "0.24.4", False),
        ("claude", "no idea", False),
    ],
)
def test_hooks_call_the_mcp_tool_where_the_agents_version_can_and_never_twice(
    user: User, agent: str, version: str, calls_tools: bool
) -> None:
    directory = user.agent(agent, version)
    user.recall("install")
    settings = said(directory / ("hooks.json" if agent == "codex" else "settings.json"))
    found = handlers(settings)
    assert len({event for event, _ in found}) == len(found) == 6
    kinds = {event: handler["type"] for event, handler in found}
    assert (kinds["UserPromptSubmit"] == "mcp_tool") is calls_tools
    assert kinds["SessionStart"] == kinds["SessionEnd"] == kinds["PreCompact"] == "command"
    for event, handler in found:
        if handler["type"] == "mcp_tool":
            assert (handler["server"], handler["tool"]) == ("recall", "hook_context")
            assert (handler["input"]["agent"], handler["input"]["event"]) == (NAMES[agent], event)
        else:
            assert handler["command"] == f"{user.launcher} hook {NAMES[agent]} {event}"


def test_without_mcp_hooks_are_commands(user: User) -> None:
    directory = user.agent("claude", "2.1.332")
    user.recall("install", "--no-mcp")
    assert {handler["type"] for _, handler in handlers(said(directory / "settings.json"))} == {"command"}
    assert not (directory / ".claude.json").exists()


STRANGERS = {
    "claude": (".claude.json", '{"mcpServers": {"recall": {"command": "mine"}}}'),
    "codex": ("config.toml", '[mcp_servers.recall]\ncommand = "mine"\n'),
}


@pytest.mark.parametrize(("agent", "version"), [("claude", "2.1.332"), ("codex", "codex-cli 0.171.0")])
def test_hooks_do_not_call_a_server_of_our_name_that_is_somebody_elses(user: User, agent: str, version: str) -> None:
    directory = user.agent(agent, version)
    name, text = STRANGERS[agent]
    hooks = directory / ("hooks.json" if agent == "codex" else "settings.json")
    user.recall("install")
    assert "mcp_tool" in hooks.read_text()
    (directory / name).write_text(text)
    calls = [f for f in user.json("doctor")["findings"] if f["check"] == "server"]
    assert "hooks of ours call it" in calls[0]["message"] and calls[0]["path"] == str(directory / name)
    done = user.json("install")["agents"][0]
    assert {handler["type"] for _, handler in handlers(said(hooks))} == {"command"}
    assert len(handlers(said(hooks))) == 6
    message = next(f["message"] for f in done["files"] if f["path"] == str(hooks))
    assert "the MCP server `recall`" in message and "is not ours" in message
    assert (directory / name).read_text() == text
    left = [f for f in user.json("doctor")["findings"] if f["check"] == "server"]
    assert "cannot ask recall" in left[0]["message"]
    assert user.json("install")["agents"][0]["files"][0]["what"] == "unchanged"


def test_what_is_not_ours_and_stays_does_not_count_as_changed(user: User) -> None:
    path = user.agent("claude") / "settings.json"
    path.write_text('{"statusLine": {"type": "command", "command": "my-line"}}')
    done = next(f for f in user.json("install")["agents"][0]["files"] if f["path"] == str(path))
    assert (done["what"], done["parts"]) == ("changed", ["hooks"])
    assert done["message"] == "the status line there is not ours and stays"


def test_without_hooks_nothing_runs_by_itself(user: User) -> None:
    directory = user.agent("claude", "2.1.332")
    done = user.json("install", "--no-hooks")
    assert not (directory / "settings.json").exists()
    assert (directory / ".claude.json").exists()
    assert (directory / "skills" / "recall" / "SKILL.md").exists()
    assert not any("hooks" in todo for todo in done["agents"][0]["todo"])


def test_what_was_wired_before_stays_where_less_is_asked_for(user: User) -> None:
    directory = user.agent("qwen")
    user.recall("install")
    once = user.tree()
    user.recall("install", "--no-hooks", "--no-mcp")
    assert user.tree() == once
    assert "hooks" in said(directory / "settings.json")


def test_codex_hooks_that_work_keep_every_letter_when_codex_learns_a_new_kind(user: User) -> None:
    directory = user.agent("codex", "codex-cli 0.150.0")
    user.recall("install")
    trusted = (directory / "hooks.json").read_bytes()
    user.agent("codex", "codex-cli 0.171.0")
    user.recall("install")
    assert (directory / "hooks.json").read_bytes() == trusted


def test_claude_code_hooks_become_tool_calls_when_its_version_can(user: User) -> None:
    directory = user.agent("claude", "2.1.100")
    (directory / "settings.json").write_text(PLAIN)
    user.recall("install")
    user.agent("claude", "2.1.332")
    user.recall("install")
    found = ours(user.launcher, said(directory / "settings.json"))
    assert len(found) == 6
    assert ("UserPromptSubmit", "mcp_tool") in [(event, handler["type"]) for event, handler in found]
    user.recall("uninstall")
    assert (directory / "settings.json").read_text() == PLAIN


def test_codex_is_given_the_places_that_it_does_not_hand_on(user: User) -> None:
    directory = user.agent("codex")
    (directory / "config.toml").write_text(TOML)
    done = user.json("install")
    server = said(directory / "config.toml")["mcp_servers"]["recall"]
    assert server["env"]["RECALLD_DATA_DIR"] == str(user.places.data)
    assert server["env"]["CODEX_HOME"] == str(directory)
    assert "XDG_RUNTIME_DIR" in server["env_vars"]
    assert any("/hooks" in todo for todo in done["agents"][0]["todo"])


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        "[mcp_servers]\nother.command = 'x'\n",
        'mcp_servers.other.command = "x"\n[tui]\na = """\n[mcp_servers.recall]\n"""\n',
        '[mcp_servers]\n[mcp_servers."recall"]\ncommand = "theirs"\n',
    ],
)
def test_codex_servers_are_wired_however_they_are_written(user: User, text: str) -> None:
    path = user.agent("codex") / "config.toml"
    path.write_text(text)
    before = said(path)
    user.recall("install")
    now = said(path)
    if "theirs" in text:
        assert path.read_text() == text
        return
    assert now["mcp_servers"].pop("recall")["command"] == str(user.launcher)
    assert now == before
    path.write_text(path.read_text() + "\n# changed since\n")
    user.recall("uninstall")
    assert said(path) == before
    assert "# changed since" in path.read_text()


def test_the_status_line_of_a_user_stays(user: User) -> None:
    path = user.agent("claude") / "settings.json"
    mine = {"type": "command", "command": "my-line"}
    path.write_text(json.dumps({"statusLine": mine}))
    user.recall("install")
    assert said(path)["statusLine"] == mine


def test_uninstall_without_its_records_still_takes_out_what_is_ours(user: User) -> None:
    directory = user.agent("qwen")
    (directory / "settings.json").write_text(PLAIN)
    user.recall("install")
    for path in (user.places.data / "install").iterdir():
        path.unlink()
    user.recall("uninstall")
    assert said(directory / "settings.json") == FOREIGN
    assert not (directory / "skills").exists()


def test_uninstall_of_one_agent_leaves_the_others_wired(user: User) -> None:
    user.agent("codex")
    user.agent("qwen")
    user.recall("install")
    user.recall("uninstall", "codex")
    assert user.json("doctor")["agents"] == {"codex": "not installed", "qwen-code": "wired"}


def test_copies_of_the_users_files_are_private(user: User) -> None:
    (user.agent("qwen") / "settings.json").write_text(PLAIN)
    user.recall("install")
    kept = list((user.places.data / "install").iterdir())
    assert len(kept) == 2
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)
