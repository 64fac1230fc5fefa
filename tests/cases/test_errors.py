"""Errors are one short line that says what to do, whatever names and texts of others they repeat."""

from __future__ import annotations

import json

import pytest
from case_kit import DIR, Case, cc

from recall.errors import RecallError

HOSTILE = "ev\x1b]0;mine\x07il\x1b[31m"


def test_what_a_file_is_called_is_cleaned_in_errors_over_the_socket_too(case: Case) -> None:
    for n in range(2):
        name = f"{HOSTILE}{n}"
        case.write(f"{DIR}/{name}.jsonl", cc("user", f"u{n}", None, "say \x1b[2J\u202ethis", n, sessionId=name))
    case.read()
    for params in ({"session": "ev"}, {"session": f"{HOSTILE}0", "around": "\x1b[1m"}, {"session": "\x1b[1mno"}):
        with pytest.raises(RecallError) as raised:
            case.ask("show", **params)
        assert raised.value.code in ("ambiguous", "not_found") and str(raised.value).isprintable()
        done = case.recall("show", "--json", params["session"], *(["--around", "x"] if "around" in params else []), ok=(1, 4))
        assert json.loads(done.stdout)["error"]["message"].isprintable() and done.stderr.strip().isprintable()


def test_an_error_repeats_only_so_much_of_what_it_was_given(case: Case) -> None:
    case.start()
    said = case.recall("show", "5" * 50_000, ok=(1,)).stderr
    assert len(said) < 2100 and said.endswith("`recall sessions` lists them\n")


def test_a_group_of_commands_without_one_is_wrong_usage_in_one_line(case: Case) -> None:
    done = case.recall("exclude", ok=(2,))
    assert done.stdout == "" and done.stderr.count("\n") == 1 and "exclude list" in done.stderr and len(done.stderr) < 120


@pytest.mark.parametrize("question", ["blame", "how", "fix", "files"])
def test_the_command_line_knows_how_many_answers_a_question_may_be_asked_for(case: Case, question: str) -> None:
    case.start()
    assert "from 1 to 1,000" in case.recall(question, "x", "--limit", "1001", ok=(2,)).stderr
    case.recall(question, "x", "--limit", "1000", ok=(1,))


def test_doctor_does_not_send_to_a_start_that_fails_again(case: Case) -> None:
    case.places.config.write_text('[index]\nmax_line_bytes = "x"\n')
    assert "line 2" in case.recall("start", ok=(3, 4)).stderr
    [found] = case.json("doctor")["findings"]
    assert "line 2" in found["message"] and found["remedy"] == "mend that, then recall start"
