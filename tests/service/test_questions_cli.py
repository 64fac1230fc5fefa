"""The questions on the command line: told to people and as JSON, with the exit status that says whether there is an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ingest_kit import encode, when
from machine import Machine

S = "11111111-1111-4111-8111-111111111111"


def _line(kind: str, uid: str, parent: str | None, content: Any, n: int) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": S,
        "timestamp": when(n),
        "cwd": "/srv/shop",
        "message": {"role": kind, "content": content},
    }


def _use(id: str, name: str, **given: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id, "name": name, "input": given}]


def _result(id: str, text: str, error: bool = False) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}]


@pytest.fixture
def told(machine: Machine) -> Machine:
    """A machine whose history holds an error, the edit that mended it, and the command that then passed."""
    path = machine.claude / "projects" / "-srv-shop" / f"{S}.jsonl"
    path.parent.mkdir(parents=True)
    failure = "Exit code 1\nRuntimeError: basket lock 4711 timed out in /srv/shop/basket.py"
    lines = [
        _line("user", "u1", None, "the basket tests hang, please mend them", 1),
        _line("assistant", "a1", "u1", _use("t1", "Bash", command="pytest tests/basket -q"), 2),
        _line("user", "r1", "a1", _result("t1", failure, True), 3),
        _line("assistant", "a2", "r1", _use("t2", "Edit", file_path="/srv/shop/basket.py", old_string="a", new_string="b"), 4),
        _line("user", "r2", "a2", _result("t2", "done"), 5),
        _line("assistant", "a3", "r2", _use("t3", "Bash", command="pytest tests/basket -q"), 6),
        _line("user", "r3", "a3", _result("t3", "12 passed"), 7),
        _line("assistant", "a4", "r3", [{"type": "text", "text": "Decided: the basket lock is taken once, per request."}], 8),
    ]
    path.write_bytes(encode(lines))
    machine.start()
    machine.sync()
    return machine


QUESTIONS = {
    "context": ("basket lock", "session", "Decided: the basket lock"),
    "blame": ("/srv/shop/basket.py", "sessions", "edit"),
    "how": ("pytest", "commands", "pytest tests/basket -q"),
    "fix": ("RuntimeError: basket lock 99 timed out in /srv/shop/basket.py", "fixes", "basket.py"),
    "files": ("basket", "files", "basket.py"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_to_people_and_as_json(told: Machine, question: str) -> None:
    asked, field, word = QUESTIONS[question]
    assert word in told.recall(question, asked).stdout
    answer = json.loads(told.recall(question, "--json", asked).stdout)
    assert answer["schema"] == 1
    assert answer[field]
    assert word in json.dumps(answer)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_without_an_answer_says_so(told: Machine, question: str) -> None:
    assert "nothing found" in told.recall(question, "zzyzzx-unheard-of", ok=(1,)).stdout
    answer = json.loads(told.recall(question, "--json", "zzyzzx-unheard-of", ok=(1,)).stdout)
    assert not answer[QUESTIONS[question][1]]


def test_an_error_that_is_not_found_comes_with_what_else_to_try(told: Machine) -> None:
    said = told.recall("fix", "E0499", ok=(1,)).stdout
    assert "the whole line" in said and "is:error" in said


def test_how_a_digest_was_found_is_said_where_it_is_not_as_asked(told: Machine) -> None:
    assert "close spellings" in told.recall("context", "baskett", "lock").stdout
    assert json.loads(told.recall("context", "--json", "baskett", "lock").stdout)["tier"] == "close"
    assert "spellings" not in told.recall("context", "basket", "lock").stdout


@pytest.mark.parametrize("asked", [["search", "basket"], ["sessions"], ["context", "basket"], ["how", "pytest"]])
def test_a_filter_that_nothing_fits_is_named(told: Machine, asked: list[str]) -> None:
    for project, named in (("relative/path", "project:relative/path"), ("", "project: is empty")):
        assert named in told.recall(*asked, "--project", project, ok=(1,)).stdout
        assert named in json.loads(told.recall(*asked, "--json", "--project", project, ok=(1,)).stdout)["notice"]


def test_agents_have_short_names(told: Machine) -> None:
    assert told.recall("search", "basket", "--agent", "claude").returncode == 0
    assert told.recall("search", "basket", "--agent", "bogus", ok=(2,)).returncode == 2


def test_a_project_to_forget_is_absolute_or_a_name(told: Machine) -> None:
    done = told.recall("forget", "--project", "relative/path", "--dry-run", ok=(2,))
    assert "neither absolute nor a name" in done.stderr
