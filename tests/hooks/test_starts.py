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


def test_a_rule_is_a_decision_and_a_complaint_or_a_question_is_none(history: History) -> None:
    history.session(
        Step("user", "The export never finishes, it always dies at night."),
        Step("assistant", "The job decided to stop by itself."),
        Step("user", "can we always use UTC?"),
        Step("assistant", "Yes."),
        Step("user", "Always run tools/fmt.sh before you commit."),
        Step("user", "Bitte niemals direkt auf main einchecken."),
    )
    said = history.hook("SessionStart", source="startup").partition("Decided:")[2].partition("Open:")[0]
    assert "Always run tools/fmt.sh before you commit." in said
    assert "niemals direkt auf main" in said
    for nothing in ("never finishes", "decided to stop", "can we always"):
        assert nothing not in said


def test_what_was_asked_again_and_answered_is_not_open(history: History) -> None:
    task = Step("user", "rename the ledger table to journal everywhere")
    history.session(task)
    history.session(
        task, Step("assistant", "It is renamed. Nothing is pending, and no follow-up is needed."), started=STARTED + 1000
    )
    assert "Open:" not in history.hook("SessionStart", source="startup")


def test_work_that_was_begun_and_not_ended_is_not_said_to_be_untouched(history: History) -> None:
    history.session(Step("user", "rename the ledger table to journal everywhere"), Step("edit", "ok", "a.sql", new="journal"))
    said = history.hook("SessionStart", source="startup")
    assert "asked, begun and not ended: rename the ledger" in said


def test_an_agent_that_talks_much_hides_neither_decisions_nor_what_is_open(history: History) -> None:
    talk = [Step("assistant", f"Step {n} of the tidying is done.") for n in range(120)]
    history.session(*DECIDED)
    long = history.session(*OTHER[:1], *talk, agent="claude-code", started=STARTED + 3_600_000)
    said = history.hook("SessionStart", source="startup")
    assert "never use mocks here" in said
    assert "platform change parser has no test yet" in said
    assert "darker header" in history.hook("SessionStart", session=long.session, source="compact")


def test_after_a_compaction_the_go_ahead_is_not_what_was_asked_and_a_command_ended_once(history: History) -> None:
    again = (Step("user", "yes, go on"), Step("shell", "ok", "make export"), Step("user", "ok"))
    asking = history.session(*POOL, *again, agent="claude-code")
    said = history.hook("SessionStart", session=asking.session, source="compact")
    assert "- the invoice export keeps dying" in said
    assert "go on" not in said
    assert said.count("make export") == 1
    assert "(failed)" not in said


def test_an_edit_that_failed_touched_no_file(history: History) -> None:
    failed = Step("edit", "String to replace not found", "src/rows.py", new="x", exit_status=1)
    asking = history.session(*OTHER, failed, agent="claude-code")
    assert "rows.py" not in history.hook("SessionStart", source="startup")
    assert "rows.py" not in history.hook("SessionStart", session=asking.session, source="compact")


def test_what_sub_agents_edited_was_touched_and_is_the_session_s_own_after_a_compaction(history: History) -> None:
    asking = history.session(*OTHER, agent="claude-code")
    for parent, path in ((asking.session, "src/helped.py"), ("another-session", "src/elsewhere.py")):
        edit = Step("edit", "ok", path, new="x")
        ident = f"a{path[4:8]}"
        history.session(Step("user", "make the header darker"), edit, agent="claude-code", parent=parent, ident=ident)
    assert "src/helped.py" in history.hook("SessionStart", source="startup")
    said = history.hook("SessionStart", session=asking.session, source="compact")
    assert "src/helped.py" in said
    assert "elsewhere" not in said


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
