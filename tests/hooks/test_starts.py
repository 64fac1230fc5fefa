"""What a session is told at its start, and after its context was compacted."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hooks.hooks_history import OTHER, STARTED, History
from made.problems import POOL
from made.transcript import Step

DECIDED = (
    Step("user", "add a test for the parser"),
    Step("assistant", "I used a mock for the feed."),
    Step("user", "We never use mocks here, take the recorded feeds in tests/feeds."),
    Step("edit", "ok", "tests/test_parser.py", new="feed('storm.pb')"),
    Step("assistant", "Recorded feeds it is. Still open: the platform change parser has no test yet."),
)


def test_a_start_tells_what_was_decided_what_is_open_and_what_was_touched(history: History) -> None:
    history.session(*POOL)
    last = history.session(*DECIDED, agent="qwen-code", started=STARTED + 3_600_000)
    said = history.hook("SessionStart", source="startup")
    assert last.session in said
    assert "never use mocks here" in said
    assert "platform change parser has no test yet" in said
    assert "tests/test_parser.py" in said
    assert said.index("test_parser.py") < said.index("rows.py")
    assert len(said.encode()) <= 2000


def test_a_project_without_history_starts_in_silence(history: History) -> None:
    history.session(*POOL, project="/home/ada/work/other")
    assert history.hook("SessionStart", source="startup") == ""


def test_a_session_that_goes_on_brings_its_own_context(history: History) -> None:
    history.session(*POOL)
    for source in ("resume", "fork"):
        assert history.hook("SessionStart", source=source) == ""
    assert history.hook("SessionStart", source="clear")


def test_after_a_compaction_a_session_is_told_what_it_did_itself(history: History) -> None:
    asking = history.session(*DECIDED, *POOL[1:], agent="claude-code")
    history.session(*OTHER)
    said = history.hook("SessionStart", session=asking.session, source="compact")
    assert "tests/test_parser.py" in said
    assert "src/export/rows.py" in said
    assert "make export" in said
    assert "never use mocks" in said
    assert "darker header" not in said


def test_a_question_without_an_answer_is_open_and_small_talk_is_not(history: History) -> None:
    history.session(*OTHER, Step("user", "move the invoice numbers to the archive database before Friday"))
    history.session(*DECIDED[:4], Step("user", "ok, continue"), started=STARTED + 1000)
    said = history.hook("SessionStart", source="startup")
    assert "asked and not answered: move the invoice numbers" in said
    assert "not answered: ok" not in said


def test_the_project_is_the_repository_around_the_directory_and_its_worktrees(history: History, tmp_path: Path) -> None:
    repository, tree = tmp_path / "w" / "shop", tmp_path / "w" / "shop-fix"
    (repository / "src").mkdir(parents=True)
    git = ["git", "-C", str(repository), "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(tree)]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    solved = history.session(*POOL, project=str(repository / "web"))
    for cwd in (repository / "src", tree):
        assert solved.session in history.hook("SessionStart", cwd=str(cwd), session=str(cwd))
    assert history.hook("SessionStart", cwd=str(tmp_path / "w" / "shop-other")) == ""
