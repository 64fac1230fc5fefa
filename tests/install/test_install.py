"""`recall install` and `uninstall` on real files: what they wire, and that nothing else is touched."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from install.user_files import FILES, KINDS, NAMES, PLAIN, lay, said
from recall.install import agents, edit, files, toml, wiring

if TYPE_CHECKING:
    from install.conftest import User

EVERY = [(agent, kind) for agent in FILES for kind in KINDS]


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
def test_uninstall_takes_our_entries_alone_out_of_a_file_that_was_changed_since(user: User, agent: str, kind: str) -> None:
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


@pytest.mark.parametrize(("agent", "name"), [("claude", "settings.json"), ("codex", "config.toml"), ("qwen", "settings.json")])
def test_what_is_no_file_is_left_alone_and_not_waited_for(user: User, agent: str, name: str) -> None:
    path = user.agent(agent) / name
    os.mkfifo(path)
    for command in ("install", "doctor", "uninstall"):
        assert str(path) in user.recall(command).stdout
    assert path.is_fifo()


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


@pytest.mark.parametrize(("agent", "kind"), EVERY)
def test_what_an_agent_writes_while_its_file_is_being_wired_is_kept(user: User, agent: str, kind: str) -> None:
    user.agent(agent)
    paths = lay(user.home, agent, kind)
    (known,) = [a for a in agents.agents(user.env) if a.name == NAMES[agent]]
    setup = wiring.Setup(str(user.launcher), tool_hooks=False, env=user.env)
    mine = [file for file in wiring.files(known, setup) if file.path in paths]
    assert len(mine) == len(paths)
    for file in mine:
        wire_while_rewritten(file)
        text = files.decoded(file.path, file.path.read_bytes())
        assert text is not None
        assert said(file.path)["later"] == {"added": 1}
        assert all(part.state(text) == "wired" for part in file.parts)
        assert ("\r\n" in text) == (kind == "CRLF")


def wire_while_rewritten(file: wiring.File) -> None:
    """Wire a file into which its agent writes between our reading it and our writing it."""
    rewritten = False

    def change(text: str | None) -> str | None:
        nonlocal rewritten
        current = file.begin(text)
        if not rewritten:
            rewritten = True
            put = edit.put if file.path.suffix == ".json" else toml.put_table
            data = files.encoded(put(current, ("later",), {"added": 1}), file.path.read_bytes())
            assert data is not None
            file.path.write_bytes(data)
        for part in file.parts:
            current = part.put(current)
        return current

    files.apply(file.path, change)


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
