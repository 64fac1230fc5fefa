"""Qwen Code: roots, resuming, and messages in fragments."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from recalld.model import Message
from recalld.sources.base import Line
from recalld.sources.qwen_code import QwenCode
from source_fixtures import ROOT

Q = "22222222-2222-4222-8222-222222222222"
SOURCE = QwenCode()


@dataclass
class View:
    id: str = Q
    project: str | None = "/w/web"
    resume_project: str | None = None
    provider: str | None = None
    sub_agent: bool = False
    source_deleted: bool = False
    root: Path | None = ROOT


def records(*objects):
    file = SOURCE.classify(ROOT, ROOT / f"projects/-w-web/chats/{Q}.jsonl")
    assert file is not None
    parser = SOURCE.parser(file, None)
    items = [item for n, value in enumerate(objects) for item in parser.feed(Line(n, 1, n, {"cwd": "/w/web"} | value))]
    return [record for item in items if isinstance(item, Message) for record in item.records]


@pytest.mark.parametrize(
    ("env", "settings", "root"),
    [
        ({}, None, "{home}/.qwen"),
        ({"QWEN_HOME": "/x/qwen"}, None, "/x/qwen"),
        ({"QWEN_RUNTIME_DIR": "/x/run", "QWEN_HOME": "/x/run"}, None, "/x/run"),
        ({"QWEN_RUNTIME_DIR": "/x/run", "QWEN_HOME": "/x/qwen"}, None, "/x/run"),
        ({"QWEN_RUNTIME_DIR": ""}, {"advanced": {"runtimeOutputDir": "~/out"}}, "{home}/out"),
        ({}, {"advanced": {"runtimeOutputDir": "/x/out"}}, "/x/out"),
        ({"QWEN_RUNTIME_DIR": "~/run"}, {"advanced": {"runtimeOutputDir": "/x/out"}}, "{home}/run"),
        ({}, {"advanced": {"runtimeOutputDir": "relative/out"}}, "{home}/.qwen"),
        ({}, {"advanced": [1]}, "{home}/.qwen"),
        ({}, [1], "{home}/.qwen"),
    ],
)
def test_the_root(tmp_path, env, settings, root):
    if settings is not None:
        (tmp_path / ".qwen").mkdir()
        (tmp_path / ".qwen" / "settings.json").write_text(json.dumps(settings))
    assert SOURCE.roots(env, tmp_path) == [Path(root.format(home=tmp_path))]


def test_settings_are_those_of_qwen_home_and_may_hold_comments(tmp_path):
    settings = '\ufeff// mine\n{"advanced": {/* there */ "runtimeOutputDir": "/x//out"}} // "'
    (tmp_path / "settings.json").write_text(settings)
    assert SOURCE.roots({"QWEN_HOME": str(tmp_path)}, Path("/nowhere")) == [Path("/x//out")]
    (tmp_path / "settings.json").write_text("{broken")
    assert SOURCE.roots({"QWEN_HOME": str(tmp_path)}, Path("/nowhere")) == [tmp_path]


def test_settings_that_are_no_file_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "settings.json")
    assert SOURCE.roots({"QWEN_HOME": str(tmp_path)}, Path("/nowhere")) == [tmp_path]


def test_both_places_of_sessions_are_watched():
    assert SOURCE.watched(ROOT) == [ROOT / "projects", ROOT / "tmp" / "projects"]


@pytest.mark.parametrize("name", ["{q}", "{q}.ledger", "22222222222242228222222222222222", "a" * 31, "a" * 37, "g" * 36])
def test_names_that_are_sessions(name):
    file = SOURCE.classify(ROOT, ROOT / "projects/-w/chats" / f"{name.format(q=Q)}.jsonl")
    assert (file is not None) == (name in ("{q}", "22222222222242228222222222222222"))


def test_archiving_and_moving_keep_the_logical_name():
    names = (
        f"projects/-w/chats/{Q}.jsonl",
        f"projects/-w/chats/archive/{Q}.jsonl",
        f"projects/-v/chats/{Q}.jsonl",
        f"tmp/projects/-w/chats/{Q}.jsonl",
    )
    files = [SOURCE.classify(ROOT, ROOT / name) for name in names]
    assert {file.logical for file in files if file} == {Q}
    assert None not in files


@pytest.mark.parametrize(
    ("view", "cwd", "works"),
    [
        (View(), "/w/web", True),
        (View(resume_project="/w/later"), "/w/later", True),
        (View(sub_agent=True), "/w/web", False),
        (View(source_deleted=True), "/w/web", False),
        (View(project=None), None, False),
    ],
)
def test_a_session_is_resumed_in_its_last_directory_or_says_why_not(view, cwd, works):
    found = SOURCE.resume(view)
    assert found.argv == ("qwen", "--resume", Q)
    assert found.cwd == cwd
    assert (found.reason is None) is works


def test_a_status_is_about_the_call_it_names():
    parts = [{"functionResponse": {"id": c, "name": "read_file", "response": {"output": c}}} for c in ("c1", "c2")]
    line = {
        "type": "tool_result",
        "uuid": "t",
        "message": {"parts": parts},
        "toolCallResult": {"callId": "c2", "status": "error"},
    }
    assert [(r.call, r.is_error) for r in records(line)] == [("c1", None), ("c2", True)]


def test_text_beside_a_tool_result_is_output_and_not_what_the_user_said():
    parts = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "a"}}}, {"text": "b"}]
    assert [(r.role, r.text) for r in records({"type": "tool_result", "uuid": "t", "message": {"parts": parts}})] == [
        ("tool", "a\nb")
    ]


def test_a_thought_is_never_a_record():
    parts = [{"text": "secret plan", "thought": True}]
    assert records({"type": "assistant", "uuid": "a", "message": {"role": "model", "parts": parts}}) == []
