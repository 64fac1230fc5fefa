"""`recall install` and `uninstall` on real files: what they wire, and that nothing else is touched."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from install.user_files import FILES, FOREIGN, KINDS, NAMES, PLAIN, TOML, lay
from recall.install import edit, files, jsonc

if TYPE_CHECKING:
    from install.conftest import User

EVERY = [(agent, kind) for agent in FILES for kind in KINDS]


def said(path: Path) -> Any:
    """What a file says, comments and byte order mark aside."""
    text = path.read_bytes().decode("utf-8-sig")
    return jsonc.parse(text).value if path.suffix == ".json" else tomllib.loads(text)


def handlers(settings: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every handler in a file's hooks with its event."""
    return [(event, h) for event, groups in settings["hooks"].items() for group in groups for h in group["hooks"]]


def ours(user: User, settings: Any) -> list[tuple[str, dict[str, Any]]]:
    launcher = str(user.launcher)
    return [
        (event, handler)
        for event, handler in handlers(settings)
        if handler.get("server") == "recall" or str(handler.get("command")).startswith(launcher)
    ]


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_uninstall_gives_every_file_its_bytes_its_mode_and_its_link_back(user: User, agent: str, kind: str) -> None:
    user.agent(agent)
    paths = lay(user.home, agent, kind)
    before, modes = user.tree(), [path.stat().st_mode for path in paths]
    assert user.recall("install").returncode == 0
    assert user.tree() != before
    assert [path.stat().st_mode for path in paths] == modes
    assert user.recall("uninstall").returncode == 0
    assert user.tree() == before
    assert [path.stat().st_mode for path in paths] == modes


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_install_adds_our_entries_and_leaves_all_others(user: User, agent: str, kind: str) -> None:
    user.agent(agent)
    paths = lay(user.home, agent, kind)
    before = {path: said(path) if path.stat().st_size else {} for path in paths}
    lines = {path: path.read_bytes().decode("utf-8-sig").splitlines() for path in paths}
    user.recall("install")
    for path in paths:
        after = said(path)
        if path.suffix == ".toml":
            assert after["mcp_servers"].pop("recall")["command"] == str(user.launcher)
            assert after == before[path] or not before[path]
            continue
        for key, value in before[path].items():
            if key not in ("hooks", "mcpServers"):
                assert after[key] == value
        for event, groups in before[path].get("hooks", {}).items():
            assert after["hooks"][event][: len(groups)] == groups
        for name, server in before[path].get("mcpServers", {}).items():
            assert after["mcpServers"][name] == server
        if kind in ("foreign entries", "CRLF", "tabs", "comments"):  # lines of the user are there, in their order
            mine = [line.rstrip(",") for line in lines[path]]
            theirs = iter(line.rstrip(",") for line in path.read_bytes().decode("utf-8-sig").splitlines())
            assert all(line in theirs for line in mine)
    assert ("\r\n" in paths[0].read_bytes().decode()) == (kind == "CRLF")


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_installing_again_changes_nothing(user: User, agent: str, kind: str) -> None:
    user.agent(agent)
    lay(user.home, agent, kind)
    user.recall("install")
    once = user.tree()
    again = user.json("install")
    assert user.tree() == once
    assert {f["what"] for a in again["agents"] for f in a["files"]} == {"unchanged"}


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_a_dry_run_shows_the_change_and_makes_none(user: User, agent: str, kind: str) -> None:
    user.agent(agent)
    lay(user.home, agent, kind)
    before = user.tree()
    shown = user.json("install", "--dry-run")
    assert user.tree() == before
    assert not user.places.data.exists()
    diffs = [f["diff"] for f in shown["agents"][0]["files"]]
    assert all(diff and "+" in diff for diff in diffs)
    assert str(user.launcher) in "".join(diffs)


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_uninstall_takes_our_entries_alone_out_of_a_file_that_was_changed_since(
    user: User, agent: str, kind: str
) -> None:
    user.agent(agent)
    paths = lay(user.home, agent, kind)
    before = {path: said(path) if path.stat().st_size else {} for path in paths}
    user.recall("install")
    for path in paths:  # the agent, or a person, goes on writing
        text = files.decoded(path, path.read_bytes())
        assert text is not None
        if path.suffix == ".json":
            text = edit.put(text, ("later",), {"added": [1]})
        else:
            text += "[tui]\nadded = 1\n"
        path.write_bytes(files.encoded(text, path.read_bytes()) or b"")
    user.recall("uninstall")
    for path in paths:
        added = {"later": {"added": [1]}} if path.suffix == ".json" else {"tui": {"added": 1}}
        assert said(path) == before[path] | added
    assert not list(user.home.rglob("SKILL.md"))


@pytest.mark.parametrize("agent", FILES)
def test_files_that_were_not_there_are_made_private_and_go_again(user: User, agent: str) -> None:
    user.agent(agent)
    before = user.tree()
    user.recall("install")
    made = [user.home / name for name in FILES[agent]]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in made)
    user.recall("uninstall")
    assert user.tree() == before


@pytest.mark.parametrize("agent", FILES)
def test_of_a_file_that_was_made_what_others_added_stays(user: User, agent: str) -> None:
    directory = user.agent(agent)
    user.recall("install")
    path = directory / ("settings.json" if agent != "codex" else "hooks.json")
    path.write_text(edit.put(path.read_text(), ("theirs",), 1))
    user.recall("uninstall")
    assert said(path) == {"theirs": 1}


def test_a_handler_that_somebody_put_beside_ours_stays(user: User) -> None:
    directory = user.agent("qwen")
    user.recall("install")
    path = directory / "settings.json"
    theirs = {"type": "command", "command": "theirs"}
    path.write_text(edit.append(path.read_text(), ("hooks", "SessionStart", 0, "hooks"), theirs))
    user.recall("uninstall")
    assert said(path) == {"hooks": {"SessionStart": [{"hooks": [theirs]}]}}


def test_entries_of_the_same_name_that_are_not_ours_stay_and_are_said(user: User) -> None:
    directory = user.agent("qwen")
    text = json.dumps({"mcpServers": {"recall": {"command": "/opt/theirs"}}, "ui": {"statusLine": {"command": "mine"}}})
    (directory / "settings.json").write_text(text)
    done = user.json("install")
    now = said(directory / "settings.json")
    assert now["mcpServers"]["recall"] == {"command": "/opt/theirs"}
    assert now["ui"]["statusLine"] == {"command": "mine"}
    assert "the MCP server there is not ours and stays" in done["agents"][0]["files"][0]["message"]
    user.recall("uninstall")
    assert (directory / "settings.json").read_text() == text


def test_a_skill_of_the_same_name_that_is_not_ours_stays(user: User) -> None:
    skill = user.agent("claude") / "skills" / "recall" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("my own")
    user.recall("install")
    user.recall("uninstall")
    assert skill.read_text() == "my own"


@pytest.mark.parametrize(
    ("agent", "name", "text", "where"),
    [
        ("claude", "settings.json", '{\n  "hooks": {\n', "line 3, column 1"),
        ("claude", "settings.json", "[1]", "line 1"),
        ("claude", "settings.json", '{"hooks": []}', "hooks is not an object"),
        ("claude", ".claude.json", '{"mcpServers": 3}', "mcpServers is not an object"),
        ("claude", "settings.json", b'{"a": "\xff"}', "not UTF-8 at line 1, byte 7"),
        ("codex", "config.toml", "a = 1\nb = = 2\n", "line 2"),
        ("codex", "config.toml", "mcp_servers = 3\n", "mcp_servers is not a table"),
        ("qwen", "settings.json", '{"a": 1} x', "line 1, column 10"),
    ],
)
def test_a_file_that_cannot_be_understood_is_left_alone_and_named_with_the_place(
    user: User, agent: str, name: str, text: str | bytes, where: str
) -> None:
    path = user.agent(agent) / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    done = user.recall("install")
    assert done.returncode == 4
    assert where in done.stdout
    assert str(path.name) in done.stdout
    assert path.read_bytes() == data
    assert not path.with_name(f"{path.name}.bak").exists()


def test_one_file_that_is_refused_does_not_keep_the_others_from_being_wired(user: User) -> None:
    directory = user.agent("claude")
    (directory / "settings.json").write_text("{")
    user.recall("install")
    assert said(directory / ".claude.json")["mcpServers"]["recall"]["args"] == ["mcp", "--agent", "claude-code"]


def test_a_read_only_file_is_left_alone(user: User) -> None:
    path = user.agent("qwen") / "settings.json"
    path.write_text(PLAIN)
    path.chmod(0o444)
    done = user.recall("install")
    assert done.returncode == 4
    assert "is read-only" in done.stdout
    assert path.read_text() == PLAIN


def test_a_copy_is_kept_beside_a_file_once_and_never_over_somebody_elses(user: User) -> None:
    directory = user.agent("qwen")
    path = directory / "settings.json"
    path.write_text(PLAIN)
    (directory / "settings.json.bak").write_text("somebody's")
    user.recall("install")
    copy = directory / "settings.json.recalld.bak"
    assert copy.read_text() == PLAIN
    path.write_text("{}")
    user.recall("install")
    assert copy.read_text() == PLAIN
    assert (directory / "settings.json.bak").read_text() == "somebody's"


def test_a_file_that_the_agent_rewrote_in_between_keeps_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"count": 0}')
    rewritten = 0

    def change(text: str | None) -> str | None:
        nonlocal rewritten
        assert text is not None
        if rewritten < 3:  # the agent is faster than we are, three times
            rewritten += 1
            path.write_text(json.dumps({"count": rewritten}))
        return edit.put(text, ("ours",), True)

    changed = files.apply(path, change)
    assert said(path) == {"count": 3, "ours": True}
    assert changed.before == b'{"count": 3}'
    assert os.listdir(tmp_path) == ["settings.json"]


def test_a_file_that_never_comes_to_rest_is_left_to_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"count": 0}')

    def change(text: str | None) -> str | None:
        assert text is not None
        path.write_text(json.dumps({"count": said(path)["count"] + 1}))
        return edit.put(text, ("ours",), True)

    with pytest.raises(files.Refused, match="is being written all the time"):
        files.apply(path, change)
    assert "ours" not in said(path)
    assert os.listdir(tmp_path) == ["settings.json"]


def test_a_file_appearing_in_between_is_not_replaced_unread(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path_is_there = False

    def change(text: str | None) -> str | None:
        nonlocal path_is_there
        if not path_is_there:
            path_is_there = True
            path.write_text('{"theirs": 1}')
        return edit.put(text or "{}", ("ours",), True)

    files.apply(path, change)
    assert said(path) == {"theirs": 1, "ours": True}


# -- which agents, which handlers --------------------------------------------------------------------------------------


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
    found = ours(user, said(directory / "settings.json"))
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


# -- doctor ------------------------------------------------------------------------------------------------------------


def findings(user: User) -> list[tuple[str, str]]:
    return [(f["check"], f["message"]) for f in user.json("doctor")["findings"] if f["check"] != "daemon"]


def test_doctor_says_nothing_of_agents_that_were_never_wired(user: User) -> None:
    user.agent("codex")
    assert findings(user) == []
    assert user.json("doctor")["agents"] == {"codex": "not installed"}


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
