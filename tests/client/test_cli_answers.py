"""`recall search`, `show`, `sessions` and `resume` against a real socket: what they send, print, and end with."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.cells import cell_len

from recall.errors import Ambiguous, NotFound

SID = "11111111-1111-4111-8111-111111111111"


# -- search --------------------------------------------------------------------------------------------


def test_json_is_the_answer_with_its_schema_and_nothing_else(home: Any, serve: Any, made: Any) -> None:
    answer = made.found({"record": made.record(), "snippet": "stale cache", "highlights": [[6, 11]]})
    serve(lambda method, params: answer)
    done = home.recall("search", "cache", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"schema": 1, **answer}


def test_nothing_found_is_an_answer_with_status_1(home: Any, serve: Any, made: Any) -> None:
    serve(lambda method, params: made.found(hits=[], total=0, tier=None))
    done = home.recall("nothing", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["hits"] == []
    assert "error" not in json.loads(done.stdout)
    assert home.recall("nothing").returncode == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["search", "cache", "--offset", "500"], "no more: 187 sessions in all"),
        (["sessions", "--offset", "500"], "no more: 187 sessions in all"),
        (["show", "1111", "--offset", "500"], "no more: 187 records in all"),
    ],
)
def test_a_page_behind_the_last_one_says_how_much_there_is(
    home: Any, serve: Any, made: Any, args: list[str], said: str
) -> None:
    empty = {"search": {"hits": []}, "sessions": {"sessions": []}, "show": {"session": made.session(), "records": []}}
    serve(lambda method, params: made.found() | {"total": 187} | empty[method])
    assert home.recall(*args).stdout.splitlines()[-1] == said


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (["statsu"], "`recall status`"),
        (["serach", "cache"], "`recall search`"),
        (["--limit", "1", "sessions"], "`recall sessions`"),
        (["help"], "`recall --help`"),
        (["--limt", "1", "cache"], "--limit"),
        (["search", "cache", "--sicne=7d"], "--since"),
    ],
)
def test_a_mistyped_command_or_option_is_searched_for_and_hinted_at(
    home: Any, serve: Any, made: Any, args: list[str], meant: str
) -> None:
    server = serve(lambda method, params: made.found())
    done = home.recall(*args)
    assert (done.returncode, server.asked[0][0]) == (0, "search")
    assert len(done.stderr.splitlines()) == 1
    assert f"did you mean {meant}?" in done.stderr
    assert home.recall(*args, "--json").stderr == ""


@pytest.mark.parametrize(
    "args", [["cache"], ["now", "what"], ["help", "text"], ["search", "statsu"], ["--", "statsu"], ["search", "--", "--limt"]]
)
def test_other_queries_get_no_hint(home: Any, serve: Any, made: Any, args: list[str]) -> None:
    serve(lambda method, params: made.found())
    assert home.recall(*args).stderr == ""


def test_more_matches_than_are_shown_name_the_search_that_shows_them(home: Any, serve: Any, made: Any) -> None:
    answer = made.found({"record": made.record(), "snippet": "stale cache", "highlights": []}, query='"a b" c')
    answer["hits"][0]["match_count"] = 80
    server = serve(lambda method, params: answer)
    line = next(line for line in home.recall('"a b" c').stdout.splitlines() if "79 more" in line)
    assert line.strip() == """and 79 more: recall search '"a b" c' --session 11111111"""
    home.recall("search", '"a b" c', "--session", "11111111")
    assert [params.get("matches") for _, params in server.asked] == [None, 100]
    answer["query"] = "--json"
    assert "79 more: recall search --session 11111111 -- --json\n" in home.recall("--", "--json").stdout


def test_options_become_parameters_and_the_rest_the_query(home: Any, serve: Any, made: Any) -> None:
    server = serve(lambda method, params: made.found())
    home.recall(
        *("cache", "-stale", "--json", "--limit", "3", "--agent=codex", "--no-verify", "--role", "tool"),
        *("--since", "2026-01-02", "--until", "2026-01-02", "--not-session", "abc", "--sub-agents", "--sort", "newest"),
    )
    method, params = server.asked[0]
    assert method == "search"
    day = int(datetime(2026, 1, 2, tzinfo=UTC).timestamp() * 1000)
    assert params == {
        "query": "cache -stale --no-verify",
        "limit": 3,
        "offset": 0,
        "agent": ["codex"],
        "role": ["tool"],
        "since": day,
        "until": day + 86_400_000 - 1,
        "not_session": ["abc"],
        "sub_agents": True,
        "sort": "newest",
        "cwd": str(home.work),
        "utc_offset_min": 0,
        "tz": "UTC",
    }


def test_two_dashes_make_everything_query_text(home: Any, serve: Any, made: Any) -> None:
    server = serve(lambda method, params: made.found())
    home.recall("search", "--json", "--", "--limit", "5", "-x")
    home.recall("--", "status")
    assert [params["query"] for _, params in server.asked] == ["--limit 5 -x", "status"]


def test_a_point_as_project_is_where_one_stands(home: Any, serve: Any, made: Any) -> None:
    server = serve(lambda method, params: made.found())
    home.recall("search", "x", "--project", ".")
    home.recall("search", "x", "--project", "../home")
    home.recall("search", "x", "--project", "app")
    assert [p["project"] for _, p in server.asked] == [[str(home.work)], [str(home.root / "home")], ["app"]]


def test_output_for_people_holds_what_matters_and_no_escape_where_there_is_no_terminal(
    home: Any, serve: Any, made: Any
) -> None:
    match = {"record": made.record(), "snippet": "why is the cache stale", "highlights": [[11, 16]]}
    serve(lambda method, params: made.found(match))
    done = home.recall("cache")
    assert "\x1b" not in done.stdout
    for text in ("Cache invalidation", "claude-code", "/w/app", "11111111", "why is the cache stale", "1 session"):
        assert text in done.stdout


def test_an_index_that_is_still_filling_is_said(home: Any, serve: Any, made: Any) -> None:
    state = {"records": 4, "complete": False, "pending_bytes": 2_500_000}
    serve(lambda method, params: made.found(index=state))
    assert "still filling: 2.5 MB" in home.recall("cache").stdout


def test_a_terminal_gets_colours_and_the_match_marked_unless_no_color_is_set(home: Any, serve: Any, made: Any) -> None:
    match = {"record": made.record(), "snippet": "why is the cache stale", "highlights": [[11, 16]]}
    serve(lambda method, params: made.found(match))
    assert re.search(r"\x1b\[[0-9;]+mcache\x1b\[0m", home.in_terminal("cache"))
    assert "\x1b" not in home.in_terminal("cache", NO_COLOR="1")


def test_a_narrow_terminal_gets_titles_cut_and_the_rest_wrapped_with_its_indent(home: Any, serve: Any, made: Any) -> None:
    snippet = "why is the cache stale after " + "a deployment " * 6 + "界" * 40
    match = {"record": made.record(), "snippet": snippet, "highlights": [[11, 16]]}
    answer = made.found(match)
    answer["hits"][0]["session"] = made.session(title="Cache invalidation " * 5)
    serve(lambda method, params: answer)
    lines = home.in_terminal("cache", COLUMNS="40", NO_COLOR="1").splitlines()
    assert max(map(cell_len, lines)) <= 40
    assert lines[0] == " 1. Cache invalidation Cache invalidati…"
    assert all(line.startswith("    ") for line in lines[1 : lines.index("")])
    assert snippet.replace(" ", "") in "".join(lines).replace(" ", "")
    assert re.search(r"\x1b\[[0-9;]+mcache\x1b\[0m", home.in_terminal("cache", COLUMNS="40"))


@pytest.mark.parametrize("question", ["blame", "fix"])
def test_the_questions_fit_a_narrow_terminal_as_a_search_does(home: Any, serve: Any, made: Any, question: str) -> None:
    session = made.session(title="Cache invalidation " * 5, project="/w/app/with/a/long/name")
    record = made.record(text="why is the cache stale after " + "a deployment " * 6)
    touch = {"session": session, "touches": 2, "kinds": ["edit"], "last": None, "records": [record]}
    fixed = {"error": "ValueError: " + "no such key " * 6, "time": None, "session": session, "next": [record], "held": True}
    serve(lambda method, params: {"sessions": [touch]} if method == "blame" else {"fixes": [fixed]})
    shown = home.in_terminal(question, "cache", COLUMNS="40", NO_COLOR="1")
    assert max(map(cell_len, shown.splitlines())) <= 40
    assert record["text"].replace(" ", "") in "".join(shown.split())
    assert max(map(cell_len, home.recall(question, "cache").stdout.splitlines())) > 100


def test_blame_says_why_where_the_title_does_not(home: Any, serve: Any, made: Any) -> None:
    touch = {"session": made.session(title="Tidy the header"), "touches": 1, "kinds": ["edit"], "last": None, "records": []}
    reasons = ["stream the rows", "Tidy the header", None]
    serve(lambda method, params: {"sessions": [touch | {"asked": asked} for asked in reasons]})
    shown = home.recall("blame", "a.py").stdout
    assert "asked: stream the rows" in shown
    assert shown.count("asked:") == 1


def test_session_text_neither_reaches_the_terminal_raw_nor_is_read_as_markup(home: Any, serve: Any, made: Any) -> None:
    evil = "[bold red]x[/] \x1b]0;owned\x07\x1b[2J\u202etxet \x9b31m"
    hostile = made.session(title=evil, project="/w/\x1b[31m", branch=evil)
    match = {"record": made.record(tool=evil, kind="command"), "snippet": evil, "highlights": [[0, 5]]}
    answer = made.found()
    answer["hits"] = [{"session": hostile, "score": 1.0, "matches": [match], "match_count": 9}]
    shown = {"session": hostile, "records": [made.record(text=evil)], "compactions": []}
    serve(lambda method, params: shown if method == "show" else answer)
    for out in (home.in_terminal("x"), home.in_terminal("show", "1111")):
        assert "[bold red]x[/]" in re.sub(r"\x1b\[[0-9;]*m", "", out)
        rest = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", rest)


# -- show, sessions, resume ------------------------------------------------------------------------------


def test_show_prints_the_conversation(home: Any, serve: Any, made: Any) -> None:
    records = [
        made.record(),
        made.record(role="tool", kind="output", tool="Bash", text="boom", is_error=True, exit_status=2),
        made.record(role="assistant", text="\n".join(f"line {n}" for n in range(100)), abandoned=True),
    ]
    server = serve(lambda method, params: {"session": made.session(), "records": records, "compactions": []})
    done = home.recall("show", "1111", "--kind", "output", "--all-branches", "--around", "u1")
    assert done.returncode == 0
    for text in (
        "why is the cache stale",
        "error (exit 2)",
        "abandoned",
        "line 29",
        "70 more lines",
        "claude --resume",
    ):
        assert text in done.stdout
    assert "line 30" not in done.stdout
    asked = server.asked[0][1]
    assert (asked["session"], asked["kind"], asked["all_branches"], asked["around"]) == ("1111", "output", True, "u1")


def test_show_says_so_where_a_filter_leaves_no_record(home: Any, serve: Any, made: Any) -> None:
    serve(lambda method, params: {"session": made.session(), "records": [], "total": 0, "compactions": []})
    assert home.recall("show", "1111", "--role", "system").stdout.endswith("\nno such record in it\n")


def test_a_session_that_does_not_exist_is_status_1_and_an_ambiguous_one_4(home: Any, serve: Any) -> None:
    def handler(method: str, params: dict[str, Any]) -> Any:
        raise NotFound("no such session") if params["session"] == "x" else Ambiguous("several sessions")

    serve(handler)
    done = home.recall("show", "x", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "not_found"
    done = home.recall("show", "y")
    assert done.returncode == 4
    assert done.stderr == "recall: several sessions\n"
    assert done.stdout == ""


def test_sessions_lists_and_ends_with_1_where_there_are_none(home: Any, serve: Any, made: Any) -> None:
    sessions = [made.session(), made.session(parent=SID, sub_agent="Explore", source_deleted=True)]
    server = serve(lambda m, p: {"total": 2 if p.get("agent") else 0, "sessions": sessions if p.get("agent") else []})
    done = home.recall("sessions", "--agent", "codex", "--since", "7d")
    assert done.returncode == 0
    assert "sub-agent Explore" in done.stdout
    assert "transcript deleted" in done.stdout
    assert isinstance(server.asked[0][1]["since"], int)
    assert home.recall("sessions", "--json").returncode == 1


def resume_answer(made: Any, argv: list[str], cwd: str | None, reason: str | None = None) -> dict[str, Any]:
    return {"session": made.session(), "argv": argv, "cwd": cwd, "reason": reason}


def test_a_session_that_its_agents_own_list_leaves_out_is_named_as_one(home: Any, serve: Any, made: Any) -> None:
    listed = made.session(agent="codex", provider="openai", resume=f"codex resume {SID}")
    hidden = made.session(agent="codex", provider="proxy", resume=f"codex -c model_provider=proxy resume {SID}")
    serve(lambda m, p: {"total": 2, "sessions": [listed, hidden]})
    said = home.recall("sessions").stdout
    assert said.count("not in the agent's own list") == 1
    assert "provider proxy, not in the agent's own list" in said


def test_a_sub_agent_whose_parent_is_not_known_is_named_as_one(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: {"total": 1, "sessions": [made.session(sub_agent="review")]})
    assert "sub-agent review" in home.recall("sessions").stdout


def test_resume_prints_a_line_that_a_shell_reads_back(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: resume_answer(made, ["claude", "--resume", "a b"], "/w/it's"))
    assert home.recall("resume", "1111").stdout == """cd '/w/it'"'"'s' && claude --resume 'a b'\n"""


def test_resume_says_where_the_directory_is_not_there(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: resume_answer(made, ["claude"], p["session"]))
    assert home.recall("resume", str(home.work)).stderr == ""
    done = home.recall("resume", "/no/such")
    assert (done.returncode, done.stdout) == (0, "cd /no/such && claude\n")
    assert done.stderr == "recall: the directory /no/such is not there any more: restore it before you run this\n"


def test_resume_refuses_with_the_reason(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: resume_answer(made, ["claude"], "/w", "its transcript was deleted"))
    for option in ([], ["--exec"], ["--json"]):
        done = home.recall("resume", "1111", *option)
        assert done.returncode == 4
        assert "its transcript was deleted" in done.stderr


def test_resume_names_the_parent_of_a_sub_agents_session(home: Any, serve: Any, made: Any) -> None:
    child = made.session(parent="abc-1", sub_agent="Explore")
    serve(lambda m, p: resume_answer(made, ["claude"], "/w", "it is a sub-agent's") | {"session": child})
    assert home.recall("resume", "1111").stderr.endswith("it is a sub-agent's (recall resume abc-1)\n")


def test_resume_exec_becomes_the_agent_in_its_directory_without_a_shell(home: Any, serve: Any, made: Any) -> None:
    home.program("claude", f"#!{sys.executable}\nimport os, sys\nprint(os.getcwd(), os.environ['PWD'], sys.argv[1:])\n")
    there = home.root / "pro ject"
    there.mkdir()
    serve(lambda m, p: resume_answer(made, ["claude", "--resume", "$(touch pwned); x"], str(there)))
    done = home.recall("resume", "1111", "--exec")
    assert done.stdout == f"{there} {there} ['--resume', '$(touch pwned); x']\n"
    assert list(there.iterdir()) == []


@pytest.mark.parametrize(("program", "where", "said"), [("claude", "gone", "cannot be entered"), ("nosuch", ".", "PATH")])
def test_resume_exec_says_what_is_missing(home: Any, serve: Any, made: Any, program: str, where: str, said: str) -> None:
    serve(lambda m, p: resume_answer(made, [program], str(home.root / where)))
    done = home.recall("resume", "1111", "--exec")
    assert done.returncode == 4
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_resume_never_prints_control_characters(home: Any, serve: Any, made: Any) -> None:
    serve(lambda m, p: resume_answer(made, ["claude"], "/w/\x1b[2J"))
    done = home.recall("resume", "1111")
    assert done.returncode == 4
    assert "\x1b" not in done.stdout + done.stderr
