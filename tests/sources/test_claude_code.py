"""Claude Code: roots, resuming, and what a transcript must not be able to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.model import Fact, Message
from recalld.sources.base import Line
from recalld.sources.claude_code import ClaudeCode
from source_fixtures import ROOT

S = "11111111-1111-4111-8111-111111111111"
SOURCE = ClaudeCode()
HOME = Path("/home/ann")


@dataclass
class View:
    id: str = S
    project: str | None = "/w/app"
    resume_project: str | None = None
    provider: str | None = None
    sub_agent: bool = False
    source_deleted: bool = False
    root: Path | None = ROOT


def transcript(name: str = f"projects/-w-app/{S}.jsonl"):
    file = SOURCE.classify(ROOT, ROOT / name)
    assert file is not None
    return file


def fed(*objects, name: str = f"projects/-w-app/{S}.jsonl"):
    parser = SOURCE.parser(transcript(name), None)
    return [item for n, value in enumerate(objects) for item in parser.feed(Line(n * 10, 10, n, value))]


def user(uid, content, **more):
    return {"type": "user", "uuid": uid, "message": {"role": "user", "content": content}, "cwd": "/w/app"} | more


@pytest.mark.parametrize(
    ("env", "root"),
    [
        ({}, HOME / ".claude"),
        ({"CLAUDE_CONFIG_DIR": ""}, HOME / ".claude"),
        ({"CLAUDE_CONFIG_DIR": "/x/claude"}, Path("/x/claude")),
        ({"CLAUDE_CONFIG_DIR": "~/c"}, HOME / "c"),
    ],
)
def test_the_root(env, root):
    assert SOURCE.roots(env, HOME) == [root]


def test_only_the_projects_and_the_prompt_history_are_watched():
    assert SOURCE.watched(ROOT) == [ROOT / "projects", ROOT / "history.jsonl"]


def test_the_same_session_elsewhere_or_compressed_has_the_same_logical_name():
    names = (f"projects/-w-app/{S}.jsonl", f"projects/-w-other/{S}.jsonl", f"projects/-w-app/{S}.jsonl.zst")
    files = [transcript(name) for name in names]
    assert len({file.logical for file in files}) == 1
    assert [file.compressed for file in files] == [False, False, True]


def test_a_sub_agent_deeper_below_is_found():
    file = transcript(f"projects/-w-app/{S}/subagents/workflows/w1/agent-x.jsonl")
    assert (file.session, file.parent) == (f"{S}/agent-x", S)


def test_a_name_that_is_not_utf_8_makes_an_id_that_can_be_stored():
    file = transcript("projects/-w-app/caf\udce9.jsonl")
    assert file.session == "caf\ufffd"
    assert file.path.name == "caf\udce9.jsonl"


@given(
    st.lists(
        st.sampled_from(
            [
                "projects",
                "-w-app",
                S,
                "subagents",
                "tool-results",
                "agent-a.jsonl",
                "..",
                "x.txt",
                ".x",
                "agent-a.meta.json",
            ]
        ),
        max_size=7,
    )
)
def test_no_path_raises_and_what_is_hidden_stays_so(parts):
    file = SOURCE.classify(ROOT, ROOT.joinpath(*parts))
    if ".x" in parts:
        assert file is None


@pytest.mark.parametrize(
    ("view", "cwd", "works"),
    [
        (View(), "/w/app", True),
        (View(resume_project="/w/later"), "/w/app", True),
        (View(sub_agent=True), "/w/app", False),
        (View(source_deleted=True), "/w/app", False),
        (View(project=None), None, False),
    ],
)
def test_a_session_is_resumed_in_its_first_directory_or_says_why_not(view, cwd, works):
    found = SOURCE.resume(view)
    assert found.argv == ("claude", "--resume", S)
    assert found.cwd == cwd
    assert (found.reason is None) is works


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        f"{ROOT}/.credentials.json",
        f"{ROOT}/settings.json",
        f"{ROOT}/projects/-w-app/{S}/tool-results/../../../../.credentials.json",
        f"{ROOT}/projects/-w-app/{S}/tool-results/x.txt/../../../../../../etc/shadow",
        f"projects/-w-app/{S}/tool-results/x.txt",
        f"{ROOT}x/projects/-w-app/{S}/tool-results/x.txt",
        f"{ROOT}/projects/-w-app/{S}/tool-results/x.txt\0",
        "",
        7,
        None,
        ["/etc/passwd"],
    ],
)
def test_a_transcript_cannot_have_another_file_read(path):
    block = [{"type": "tool_result", "tool_use_id": "c", "content": "cut"}]
    [message] = fed(user("u1", block, toolUseResult={"persistedOutputPath": path}))
    assert message.records[0].side is None


def test_a_spilled_output_is_named_by_its_plain_path():
    block = [{"type": "tool_result", "tool_use_id": "c", "content": "cut"}]
    path = f"{ROOT}/projects/-w-app/{S}/../{S}/tool-results/x.txt"
    [message] = fed(user("u1", block, toolUseResult={"persistedOutputPath": path}))
    assert message.records[0].side == f"{ROOT}/projects/-w-app/{S}/tool-results/x.txt"


def test_interleaved_side_conversations_keep_apart():
    def side(uid, up, content):
        return user(uid, content, parentUuid=up, isSidechain=True)

    result = [{"type": "tool_result", "tool_use_id": "c", "content": "out"}]
    items = fed(
        side("x1", None, "first"),
        side("y1", None, "second"),
        side("x2", "x1", result),
        side("y2", "y1", result),
        side("x3", "x2", result),
    )
    sessions = [(item.uid, item.session) for item in items if isinstance(item, Message)]
    assert sessions == [(uid, f"{S}/agent-{uid[0]}1") for uid in ("x1", "y1", "x2", "y2", "x3")]
    assert [item.session for item in items if isinstance(item, Fact) and item.name == "sub_agent"] == [
        f"{S}/agent-x1",
        f"{S}/agent-y1",
    ]


def test_the_first_session_id_of_an_older_sub_agent_file_is_its_parent_for_good():
    items = fed(user("u1", "a", sessionId="P"), user("u2", "b", sessionId="Q"), name="projects/-w-app/agent-z.jsonl")
    assert {item.session for item in items} == {"P/agent-z"}
    [only] = fed(user("u1", "a"), name="projects/-w-app/agent-z.jsonl")[1:]
    assert only.session == "agent-z"


def test_a_command_that_a_person_ran_to_ask_recall_is_kept_and_its_answer_dropped():
    shown = "<bash-stdout>older words</bash-stdout><bash-stderr></bash-stderr>"
    items = fed(
        user("u1", "<bash-input>recall search x</bash-input>"),
        user("u2", shown),
        user("u3", "<bash-input>ls</bash-input>"),
        user("u4", shown),
    )
    assert [[r.text for r in item.records] for item in items] == [["recall search x"], [], ["ls"], ["older words"]]


def test_without_any_directory_in_its_lines_the_project_is_the_one_on_disk(tmp_path, monkeypatch):
    project = tmp_path / "my.app_v2"
    project.mkdir()
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(project))
    line = user("u1", "hello")
    del line["cwd"]
    items = fed(line, name=f"projects/{name}/{S}.jsonl")
    assert [(item.name, item.value) for item in items if isinstance(item, Fact)] == [("project", str(project))]
