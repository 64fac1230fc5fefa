"""The line kept for a file: who changed it last and why; who is at it right now."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.hooks_history import ASKED, PROJECT, STARTED, History
from made.problems import POOL
from made.transcript import AGENTS, Agent, Step
from recalld import questions

FILE = f"{PROJECT}/src/export/rows.py"
EDITED = (
    Step("user", "stream the rows instead of collecting them"),
    Step("edit", "ok", FILE, new="yield from rows"),
    Step("assistant", "Done."),
)
READS: dict[str, dict[str, Any]] = {
    "claude-code": {"tool_name": "Read", "tool_input": {"file_path": FILE}},
    "codex": {
        "tool_name": "apply_patch",
        "tool_input": {"command": f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-a\n+b\n*** End Patch"},
    },
    "qwen-code": {"tool_name": "read_file", "tool_input": {"absolute_path": FILE}},
}


@pytest.mark.parametrize("earlier", AGENTS)
@pytest.mark.parametrize("asking", AGENTS)
def test_whoever_reads_or_edits_a_file_is_told_who_changed_it_last_and_why(
    history: History, asking: Agent, earlier: Agent
) -> None:
    changed = history.session(*EDITED, agent=earlier)
    said = history.hook("PostToolUse", agent=asking, **READS[asking])
    assert changed.session in said
    assert "last edited on 20" in said
    assert "stream the rows instead of collecting them" in said
    assert "right now" not in said
    assert history.hook("PostToolUse", agent=asking, **READS[asking]) == ""


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_patch_by_way_of_codex_s_shell_is_an_edit(history: History, event: str) -> None:
    history.session(*EDITED, agent="claude-code")
    command = f"apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: {FILE}\n+x\n*** End Patch\nPATCH"
    said = history.hook(event, agent="codex", tool_name="Bash", tool_input={"command": command})
    assert "last edited" in said


def test_a_file_that_another_session_edits_right_now_is_said_to_be(history: History) -> None:
    busy = history.session(*EDITED, agent="codex")
    history.now = STARTED + 120_000
    said = history.hook("PreToolUse", tool_name="Edit", tool_input={"file_path": FILE})
    assert "right now" in said
    assert busy.session in said


def test_the_newest_change_counts(history: History) -> None:
    history.session(*EDITED, agent="codex")
    later = (Step("user", "sort them first"), Step("edit", "ok", FILE, new="sorted"))
    newest = history.session(*later, agent="qwen-code", started=STARTED + 3_600_000)
    said = history.hook("PostToolUse", **READS["claude-code"])
    assert newest.session in said
    assert "sort them first" in said
    assert "stream the rows" not in said


def test_a_session_is_not_told_of_its_own_changes(history: History) -> None:
    asking = history.session(*EDITED, agent="claude-code")
    assert history.hook("PostToolUse", session=asking.session, **READS["claude-code"]) == ""


def test_another_file_of_the_same_name_is_another_file(history: History) -> None:
    history.session(*EDITED)
    other = {"file_path": f"{PROJECT}/src/import/rows.py"}
    assert history.hook("PostToolUse", tool_name="Read", tool_input=other) == ""


def test_a_relative_path_is_the_project_s(history: History) -> None:
    history.session(Step("user", "why"), Step("edit", "ok", "src/export/rows.py", new="x"), agent="claude-code")
    assert "last edited" in history.hook("PostToolUse", **READS["claude-code"])


def test_to_a_reader_an_old_change_is_no_news_and_to_an_editor_it_is(history: History) -> None:
    history.session(*EDITED)
    history.now = STARTED + 90 * 86_400_000
    assert history.hook("PostToolUse", **READS["claude-code"]) == ""
    assert "last edited" in history.hook("PostToolUse", tool_name="Edit", tool_input={"file_path": FILE})


def test_a_session_that_goes_through_everything_is_not_followed(history: History) -> None:
    paths = [f"{PROJECT}/src/m{n}.py" for n in range(40)]
    history.session(Step("user", "rename it"), *(Step("edit", "ok", path, new="renamed") for path in paths))
    said = [history.hook("PostToolUse", tool_name="Read", tool_input={"file_path": path}) for path in paths]
    assert 1 <= sum(map(bool, said)) < 20


@pytest.mark.parametrize("earlier", AGENTS)
def test_an_edit_that_failed_changed_nothing(history: History, earlier: Agent) -> None:
    failed = "apply_patch verification failed: Failed to find expected lines in rows.py"
    history.session(EDITED[0], Step("edit", failed, FILE, new="yield", exit_status=1), agent=earlier)
    history.now = STARTED + 120_000
    assert history.hook("PreToolUse", tool_name="Edit", tool_input={"file_path": FILE}) == ""


def test_the_reason_of_a_change_is_a_task_and_not_the_go_ahead(history: History) -> None:
    history.session(EDITED[0], Step("assistant", "Shall I?"), Step("user", "yes, go on"), EDITED[1])
    said = history.hook("PostToolUse", **READS["claude-code"])
    assert "stream the rows instead" in said
    assert "go on" not in said


def test_whoever_comes_to_a_file_later_is_told_of_too(history: History) -> None:
    history.session(*EDITED, agent="codex")
    history.now = STARTED + 120_000
    editing = {"tool_name": "Edit", "tool_input": {"file_path": FILE}}
    assert history.hook("PreToolUse", **editing)
    assert history.hook("PreToolUse", **editing) == ""
    later = (Step("user", "sort them first"), Step("edit", "ok", FILE, new="sorted"))
    newest = history.session(*later, agent="qwen-code", started=STARTED + 3_600_000)
    history.now = STARTED + 3_720_000
    said = history.hook("PreToolUse", **editing)
    assert newest.session in said
    assert "right now" in said
    assert "sort them first" in said
    assert history.hook("PreToolUse", **editing) == ""


def test_what_a_prompt_is_told_leaves_out_edits_that_failed(history: History) -> None:
    refused = Step("edit", "String to replace not found", "src/wrong.py", new="pool_size=50", exit_status=1)
    history.session(*POOL[:3], refused, *POOL[3:], agent="claude-code")
    said = history.prompt(ASKED)
    assert "src/export/rows.py" in said
    assert "wrong.py" not in said
    digest = questions.context(history.snapshot, {"query": "invoice export QueuePool"})["markdown"]
    assert "src/export/rows.py" in digest
    assert "wrong.py" not in digest
