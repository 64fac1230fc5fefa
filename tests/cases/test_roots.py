"""Roots: copies, links, limits of the disk, and what only the index still holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest
from awaiting import until
from case_kit import CLAUDE, CODEX, Case, Q, S, cc, is_root, meta, person, qw
from machine import RECALLD

DIR = "claude/projects/-srv-shop"
OTHER = "5e551011-0000-4000-8000-0000000000aa"


def long(n: int) -> list[dict[str, Any]]:
    return [cc("user", f"u{i}", f"u{i - 1}" if i else None, f"line {i} " + "padding " * 20, i) for i in range(n)]


def test_a_copy_of_a_whole_root_as_a_second_root(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "twinterm", 0), cc("user", "u2", "u1", "second", 1))
    case.write(f"{DIR}/{S}/subagents/agent-1.jsonl", cc("user", "s1", None, "subtwinterm", 1, isSidechain=True, agentId="1"))
    shutil.copytree(case.claude, case.root / "backup")
    case.places.config.write_text(f'[sources.claude-code]\nroots = ["{case.claude}", "{case.root}/backup"]\n')
    case.read()
    assert case.matches("twinterm") == 1 and case.matches("subtwinterm") == 1 and case.ask("status")["sessions"] == 2
    case.append(f"backup/projects/-srv-shop/{S}.jsonl", cc("user", "u3", "u2", "onlybackupterm", 2))
    case.read()
    assert case.matches("twinterm") == 1 and case.found("onlybackupterm") == [S]
    shutil.rmtree(case.root / "backup")
    case.read()
    assert case.matches("twinterm") == 1 and case.found("twinterm") == [S]
    case.append(CLAUDE, cc("user", "u4", "u2", "originalterm", 3))
    case.read()
    assert case.found("originalterm") == [S] and case.matches("twinterm") == 1
    assert case.sessions()[S]["source_deleted"] is False


def test_two_agents_with_sessions_of_one_id(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "sameidterm claude", 0))
    case.write(f"qwen/projects/-srv-site/chats/{S}.jsonl", qw("user", "u1", None, "sameidterm qwen", 0, sessionId=S))
    case.read()
    hits = case.ask("search", query="sameidterm")["hits"]
    assert sorted(h["session"]["agent"] for h in hits) == ["claude-code", "qwen-code"]
    assert all(h["match_count"] == 1 for h in hits)
    assert case.ask("status")["sessions"] == 2
    error = case.json("show", S, ok=(4,))["error"]
    assert error["code"] == "ambiguous" and "2 sessions" in error["message"]
    assert f"claude-code:{S} (sameidterm claude)" in error["message"] and f"qwen-code:{S} (sameidterm qwen)" in error["message"]
    for agent, said in (("claude-code", "sameidterm claude"), ("qwen-code", "sameidterm qwen")):
        name = f"{agent}:{S}"
        assert [r["text"] for r in case.json("show", name)["records"]] == [said]
        assert case.json("show", name[:-20], "--around", "u1")["session"]["agent"] == agent
        assert case.json("resume", name)["session"]["agent"] == agent
        assert [h["session"]["agent"] for h in case.ask("search", query="sameidterm", session=[name])["hits"]] == [agent]
        assert [h["session"]["agent"] for h in case.ask("search", query=f"sameidterm session:{name}")["hits"]] == [agent]
    assert case.json("show", f"codex:{S}")["error"]["code"] == "not_found"


def test_forgetting_the_session_of_one_agent_leaves_the_other_agents_of_that_id(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "sameidterm claude", 0))
    case.write(f"qwen/projects/-srv-site/chats/{S}.jsonl", qw("user", "u1", None, "sameidterm qwen", 0, sessionId=S))
    case.read()
    assert case.json("forget", "--session", S, "--yes", ok=(4,))["error"]["code"] == "ambiguous"
    assert case.json("forget", "--session", f"qwen-code:{S}", "--yes")["value"] == f"qwen-code:{S}"
    assert [h["session"]["agent"] for h in case.ask("search", query="sameidterm")["hits"]] == ["claude-code"]
    assert case.json("forget", "--undo", "--session", S, "--yes")["value"] == f"qwen-code:{S}"
    case.read()
    assert len(case.ask("search", query="sameidterm")["hits"]) == 2


def test_an_excluded_unknown_or_disabled_agent(case: Case) -> None:
    case.write(CODEX, meta(), *person("disabledterm", 1))
    case.write(CLAUDE, cc("user", "u1", None, "enabledterm", 0))
    case.places.config.write_text("[sources.codex]\nenabled = false\n")
    case.read()
    assert case.found("enabledterm") == [S] and case.found("disabledterm") == []


@pytest.mark.skipif(sys.platform != "linux" or not is_root(), reason="a small file system of its own needs mount rights")
def test_a_full_disk_loses_nothing_once_there_is_room(case: Case) -> None:
    case.places.data.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", str(case.places.data)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("may not mount")
    try:
        case.start()
        ballast = case.places.data / "ballast"
        ballast.write_bytes(b"x" * 2_000_000)
        for n in range(8):
            case.append(
                CLAUDE,
                *[cc("user", f"u{n}-{i}", None, f"fullterm{n}x{i} " + os.urandom(2000).hex(), i) for i in range(60)],
            )
        until(lambda: "indexer_died" in case.log(), case.log)
        assert case.ask("ping")["pid"]
        subprocess.run(["mount", "-o", "remount,size=64m", str(case.places.data)], check=True)
        ballast.unlink()
        case.read()
        assert case.sessions()[S]["records"] == 480
        assert case.found("fullterm7x59") == [S] and case.found("fullterm0x0") == [S]
    finally:
        case.sweep()
        subprocess.run(["umount", "-l", str(case.places.data)], check=False)
        case.process = None


def test_a_hard_linked_copy_of_a_root_is_one_history(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "linktwinterm", 0))
    twin = case.path(f"backup/projects/-srv-shop/{S}.jsonl")
    os.link(case.path(CLAUDE), twin)
    case.places.config.write_text(f'[sources.claude-code]\nroots = ["{case.claude}", "{case.root}/backup"]\n')
    case.read()
    assert case.matches("linktwinterm") == 1
    for n in range(5):
        case.append(CLAUDE, cc("user", f"v{n}", "u1", f"grownterm {n}", n + 1))
        case.read()
    assert case.matches("grownterm") == 5 and case.matches("linktwinterm") == 1
    twin.unlink()
    case.read()
    assert case.matches("grownterm") == 5 and case.sessions()[S]["source_deleted"] is False
    case.append(CLAUDE, cc("user", "w", "u1", "lastterm", 9))
    case.read()
    assert case.found("lastterm") == [S]


def test_one_root_named_in_several_ways_is_one_root(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "onerootterm", 0))
    (case.root / "alias").symlink_to(case.claude)
    names = [f"{case.claude}/", f"{case.root}/./claude", f"{case.root}/codex/../claude", f"{case.root}/alias"]
    case.places.config.write_text(f"[sources.claude-code]\nroots = {json.dumps(names)}\n")
    case.env["CLAUDE_CONFIG_DIR"] = f"{case.claude}//"
    case.read()
    assert case.matches("onerootterm") == 1
    status = case.ask("status")
    assert status["sessions"] == 1
    assert status["files"] == 1
    case.append(CLAUDE, cc("user", "u2", "u1", "secondrootterm", 1))
    until(lambda: case.matches("secondrootterm") == 1, case.log)


def test_the_runtime_directory_in_qwen_codes_settings(case: Case) -> None:
    elsewhere = case.root / "elsewhere"
    del case.env["QWEN_RUNTIME_DIR"]
    (case.qwen / "settings.json").write_text(f'{{ // where sessions go\n "advanced": {{"runtimeOutputDir": "{elsewhere}"}} }}')
    case.write(f"elsewhere/projects/-srv-site/chats/{Q}.jsonl", qw("user", "q1", None, "runtimeterm", 0))
    case.read()
    assert case.found("runtimeterm") == [Q]


def test_history_of_a_purged_transcript_survives_a_rebuild(case: Case) -> None:
    case.write(
        "claude/history.jsonl",
        {"display": "purgeterm asked", "timestamp": 1764320400000, "project": "/srv/shop", "sessionId": S},
    )
    path = case.write(
        CLAUDE, cc("user", "u1", None, "purgeterm asked", 0), cc("assistant", "a1", "u1", "purgeterm answered", 1)
    )
    case.read()
    path.unlink()
    case.read()
    outdate(case)
    case.read()
    assert case.lines(S) == ["purgeterm asked", "purgeterm answered"]
    assert case.matches("purgeterm") == 2


def test_what_a_purged_file_said_survives_a_rebuild_where_another_goes_on_under_its_name(case: Case) -> None:
    """Claude Code goes on with a session in another project's directory, in a file of the same name."""
    path = case.write(CLAUDE, cc("user", "u1", None, "beforeterm asked", 0), cc("assistant", "a1", "u1", "beforeterm said", 1))
    later = [cc("user", "u2", "a1", "afterterm asked", 2), cc("assistant", "a2", "u2", "afterterm said", 3)]
    case.write(f"claude/projects/-srv-shop-tree/{S}.jsonl", *later)
    case.read()
    path.unlink()
    case.read()
    told = ["beforeterm asked", "beforeterm said", "afterterm asked", "afterterm said"]
    assert case.lines(S) == told
    outdate(case)
    case.read()
    assert case.lines(S) == told
    assert (case.matches("beforeterm"), case.matches("afterterm")) == (2, 2)
    case.append(f"claude/projects/-srv-shop-tree/{S}.jsonl", cc("user", "u3", "a2", "lastterm asked", 4))
    case.read()
    assert case.lines(S) == [*told, "lastterm asked"]


@pytest.mark.parametrize("how", ["moved", "copied"])
def test_a_file_that_went_elsewhere_while_nobody_looked_is_one_session_after_a_rebuild(case: Case, how: str) -> None:
    said = [cc("user", "u1", None, "wanderterm asked", 0), cc("assistant", "a1", "u1", "wanderterm said", 1)]
    path = case.write(CLAUDE, *said)
    case.read()
    outdate(case)
    there = case.path(f"claude/projects/-srv-other/{S}.jsonl")
    if how == "moved":
        path.rename(there)
    else:
        there.write_bytes(path.read_bytes())
        path.unlink()
    case.read()
    assert case.matches("wanderterm") == 2
    session = case.sessions()[S]
    assert (session["path"], session["records"], session["source_deleted"]) == (str(there), 2, False)
    assert case.ask("status")["agents"]["claude-code"]["files"] == 1


def outdate(case: Case) -> None:
    """Have the next start build the index anew, as after an upgrade."""
    case.end()
    pointer = case.places.index / "current"
    told = json.loads(pointer.read_bytes())
    told["made_with"]["redactor"] = 0
    pointer.write_text(json.dumps(told))


@pytest.mark.skipif(sys.platform != "linux" or not is_root(), reason="a file system of its own needs mount rights")
def test_a_read_only_data_directory_is_one_clear_line(case: Case) -> None:
    case.places.data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro,mode=700", "tmpfs", str(case.places.data)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount")
    try:
        done = subprocess.run([RECALLD], env=case.env, capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 4 and "Read-only" in done.stderr and done.stderr.count("\n") == 1
    finally:
        subprocess.run(["umount", "-l", str(case.places.data)], check=False)
