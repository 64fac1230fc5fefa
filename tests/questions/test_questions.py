"""The questions that agents ask, over made-up sessions in a real index."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall.errors import UsageError
from recalld import questions
from recalld.questions import commands, errors
from search.search_store import DAY, NOW, Store


def edit(path: str, text: str = "x = 1", **more: Any) -> dict[str, Any]:
    return {"kind": "edit", "role": "assistant", "tool": "Edit", "paths": [path], "text": f"{path}\n{text}", **more}


def read(path: str, **more: Any) -> dict[str, Any]:
    return {"kind": "read", "role": "assistant", "tool": "Read", "paths": [path], "text": path, **more}


def ran(command: str, call: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "kind": "command",
        "role": "assistant",
        "tool": "Bash",
        "command": command,
        "text": command,
        "call": call,
        **more,
    }


def printed(text: str, call: str | None = None, *, error: bool = False, **more: Any) -> dict[str, Any]:
    return {"kind": "output", "role": "tool", "text": text, "call": call, "is_error": error, **more}


# -- blame -----------------------------------------------------------------------------------------------------------


def blamed(store: Store, path: str, **params: Any) -> list[tuple[str, list[str]]]:
    answer = questions.blame(store.snapshot, {"path": path, "now": NOW, **params})
    return [(s["session"]["id"], s["kinds"]) for s in answer["sessions"]]


def test_blame_names_who_wrote_then_who_read_then_who_spoke(store: Store) -> None:
    spoke = store.add("spoke", "look at /w/app/src/net/http.py please", time=NOW)
    wrote_first = store.add("w1", "go", edit("/w/app/src/net/http.py"), time=NOW - 9 * DAY)
    wrote_last = store.add("w2", "go", read("src/net/http.py"), edit("src/net/http.py"), time=NOW - 5 * DAY)
    ran_it = store.add("ran", "go", ran("python src/net/http.py --check"), time=NOW - DAY)
    looked = store.add("read", "go", read("/w/app/src/net/http.py"), time=NOW - DAY)
    store.add("other", "go", edit("/w/app/src/net/http.pyc"), read("/w/app/lib/src/net/http.py2"), edit("/w/app/net/http.py"))
    expected = [
        (wrote_last, ["edit", "read"]),
        (wrote_first, ["edit"]),
        (looked, ["read"]),
        (ran_it, ["command"]),
        (spoke, ["mention"]),
    ]
    assert blamed(store, "/w/app/src/net/http.py") == expected
    assert blamed(store, "src/net/http.py", cwd="/w/app") == expected
    assert blamed(store, "http.py", cwd="/w/app/src/net") == expected
    assert blamed(store, "./net/../net/http.py", cwd="/w/app/src") == expected
    answer = questions.blame(store.snapshot, {"path": "/w/app/src/net/http.py"})
    assert answer["sessions"][0]["touches"] == 2
    assert [r["kind"] for r in answer["sessions"][0]["records"]] == ["edit", "read"]
    assert answer["total"] == 5


def test_blame_by_base_name_finds_any_project(store: Store) -> None:
    a = store.add("a", "go", edit("/w/one/pool.py"), project="/w/one", time=NOW)
    b = store.add("b", "go", edit("lib/pool.py"), project="/w/two", time=NOW - DAY)
    store.add("c", "go", edit("/w/one/carpool.py"), project="/w/one")
    assert blamed(store, "pool.py") == [(a, ["edit"]), (b, ["edit"])]
    assert blamed(store, "pool.py", project="/w/two") == [(b, ["edit"])]
    assert blamed(store, "lib/pool.py") == [(b, ["edit"])]


def test_blame_knows_worktrees_and_moved_projects_and_no_strangers(store: Store) -> None:
    here = store.add("here", "go", edit("/w/app/src/index.ts"), time=NOW)
    tree = store.add("tree", "go", edit("/w/app-feature/src/index.ts"), project="/w/app-feature", time=NOW - DAY)
    inside = store.add("inside", "go", edit("/w/app/.trees/x/src/index.ts"), project="/w/app/.trees/x", time=NOW - 2 * DAY)
    moved = store.add("moved", "go", edit("/old/app/src/index.ts"), project="/old/app", time=NOW - 3 * DAY)
    store.add("stranger", "go", edit("/w/shop/src/index.ts"), project="/w/shop")
    assert [s for s, _ in blamed(store, "/w/app/src/index.ts")] == [here, tree, inside, moved]


def test_blame_tells_a_file_from_one_of_its_name_further_down(store: Store) -> None:
    top = store.add("top", "go", edit("/w/app/README.md"), time=NOW)
    tree = store.add("tree", "go", edit("/trees/app/fix/README.md"), project="/trees/app/fix", time=NOW - DAY)
    own = store.add("own", "go", edit("/w/app/.claude/worktrees/x/README.md"), project="/w/app", time=NOW - 2 * DAY)
    below = store.add("below", "go", edit("/w/app/pkg/README.md"), project="/w/app/pkg", time=NOW - 3 * DAY)
    store.add("same", "go", edit("/w/app/pkg/app/README.md"), time=NOW - 4 * DAY)
    moved = store.add("moved", "go", edit("/old/app/pkg/README.md"), project="/old/app", time=NOW - 5 * DAY)
    assert [s for s, _ in blamed(store, "/w/app/README.md")] == [top, tree, own]
    assert [s for s, _ in blamed(store, "/w/app/pkg/README.md")] == [below, moved]


def test_blame_names_the_sub_agent_that_wrote(store: Store) -> None:
    store.add("agent-7", "task", edit("/w/app/a.py"), sub_agent="tester")
    answer = questions.blame(store.snapshot, {"path": "/w/app/a.py"})
    assert answer["sessions"][0]["session"]["sub_agent"] == "tester"


def test_blame_of_what_nobody_touched_is_empty(store: Store) -> None:
    store.add("a", "hello")
    assert questions.blame(store.snapshot, {"path": "/w/app/none.py"})["sessions"] == []
    assert questions.blame(store.snapshot, {"path": "///"})["sessions"] == []
    with pytest.raises(UsageError):
        questions.blame(store.snapshot, {})


# -- how -------------------------------------------------------------------------------------------------------------


def test_how_groups_what_worked(store: Store) -> None:
    store.add("a", ran("cd /w && docker run -p 8080:80 web", "c1"), printed("ok", "c1"), ran("docker ps"), time=NOW - DAY)
    store.add("b", ran("docker run -p 9090:80 web", "c2"), printed("port taken", "c2", error=True), time=NOW)
    store.add("c", ran("docker explode", "c3"), printed("no", "c3", error=True), ran("echo docker run x"))
    answer = questions.how(store.snapshot, {"tool": "docker"})
    assert [(c["command"], c["runs"], c["failed"], c["sessions"]) for c in answer["commands"]] == [
        ("docker run -p 8080:80 web", 2, 1, 2),
        ("docker ps", 1, 0, 1),
    ]
    assert [c["command"] for c in questions.how(store.snapshot, {"tool": "docker ps"})["commands"]] == ["docker ps"]
    assert questions.how(store.snapshot, {"tool": "podman"})["commands"] == []


@pytest.mark.parametrize(
    ("command", "single"),
    [
        ("a && b; c | d", ["a", "b", "c", "d"]),
        ("echo 'x && y' | wc", ["echo 'x && y'", "wc"]),
        ('git commit -m "a; b" && git push', ['git commit -m "a; b"', "git push"]),
        ("make 2>&1 | tail", ["make 2>&1", "tail"]),
        ("a\nb", ["a", "b"]),
    ],
)
def test_command_lines_are_taken_apart(command: str, single: list[str]) -> None:
    assert commands.invocations(command) == single


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("python3.12 -m pytest -q", "pytest"),
        (".venv/bin/python -X dev -m pytest -q", "pytest"),
        ("uv run pytest tests", "pytest"),
        ("timeout 120 uv run --with rich pytest", "pytest"),
        ("timeout -k 5 60s pytest", "pytest"),
        ("pnpm vitest run src/a.test.ts", "vitest"),
        ("pnpm exec vitest run", "vitest"),
        ("npx --yes tsc --noEmit", "tsc"),
        ("bundle exec rspec spec/a_spec.rb", "rspec"),
        ("sudo -u postgres psql -c '\\l'", "psql"),
        ("DEBUG=1 poetry run ruff check .", "ruff check"),
        ("/usr/bin/time -v make export", "make"),
    ],
)
def test_how_looks_behind_what_runs_the_tool(store: Store, command: str, tool: str) -> None:
    store.add("a", ran(command, "c1"), printed("ok", "c1"), ran(f"echo {tool}", "c2"), printed("ok", "c2"))
    assert [c["command"] for c in questions.how(store.snapshot, {"tool": tool})["commands"]] == [command]


@pytest.mark.parametrize("command", ["python -m http.server --bind pytest", "uv sync --extra pytest", "pnpm add -D -w pytest"])
def test_how_takes_no_argument_for_the_tool(store: Store, command: str) -> None:
    store.add("a", ran(command, "c1"), printed("ok", "c1"))
    assert questions.how(store.snapshot, {"tool": "pytest"})["commands"] == []


@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from(["yarn", "exec", "python3", "-m", "-x", "60s", "uv run", "sudo"])).map(" ".join),
    )
)
@example("yarn " * 900)
def test_any_command_line_is_taken_apart(command: str) -> None:
    for single in commands.invocations(command):
        commands.shape(single)
        commands.calls(single, ["git"])


# -- fix -------------------------------------------------------------------------------------------------------------


def test_fix_finds_the_same_error_and_what_was_done(store: Store) -> None:
    error = "ConnectionError: cannot connect to 10.0.0.7:5432 after 30s (/w/app/db.py:12)"
    store.add(
        "fixed", "run it", ran("pytest", "c1"), printed(f"...\n{error}\n", "c1", error=True),
        edit("/w/app/db.py", "timeout = 60"),
        ran("pytest", "c2"), printed("3 passed", "c2"), time=NOW - DAY,
    )  # fmt: skip
    store.add("unknown", ran("x", "c1"), printed("KeyError: 'user'", "c1", error=True), ran("y"))
    asked = "ConnectionError: cannot connect to 192.168.1.4:5433 after 10s (/home/me/src/db.py:99)"
    answer = questions.fix(store.snapshot, {"error": asked})
    assert [f["session"]["id"] for f in answer["fixes"]] == ["fixed"]
    fix = answer["fixes"][0]
    assert fix["error"] == error
    assert fix["held"] is True
    assert [r["kind"] for r in fix["next"]] == ["edit", "command"]


def test_fix_says_when_it_came_back(store: Store) -> None:
    error = "error[E0382]: borrow of moved value: `config`"
    store.add(
        "first",
        ran("cargo build", "a"),
        printed(error, "a", error=True),
        edit("/w/app/a.rs"),
        printed("ok"),
        time=NOW - 9 * DAY,
    )
    store.add("later", ran("cargo build", "b"), printed(error, "b", error=True), edit("/w/app/b.rs"), time=NOW)
    store.add(
        "elsewhere",
        ran("cargo build", "c"),
        printed(error, "c", error=True),
        edit("/x/c.rs"),
        printed("ok"),
        project="/x",
    )
    fixes = questions.fix(store.snapshot, {"error": error})["fixes"]
    assert [(f["session"]["id"], f["held"]) for f in fixes] == [("elsewhere", True), ("later", None), ("first", False)]


@pytest.mark.parametrize(
    ("behind", "held"),
    [
        ([ran("ls", "c2"), printed("a.py", "c2")], None),
        ([edit("/w/app/a.py", call="c2"), printed("The file has been updated.", "c2")], None),
        ([ran("pip install lantern", "c2"), printed("installed", "c2")], True),
        ([edit("/w/app/a.py"), ran("make", "c2"), printed("ValueError: shelf", "c2", error=True)], None),
        ([edit("/w/app/a.py"), ran("make | tail", "c2"), printed("ValueError: shelf", "c2")], None),
        ([edit("/w/app/a.py"), ran("make", "c2"), printed("built", "c2")], True),
        ([ran("pip install lantern", "c2"), printed("ok", "c2"), ran("make", "c3"), printed("built", "c3")], True),
        ([ran("rm -f lock && make", "c2"), printed("built", "c2")], True),
    ],
)
def test_fix_says_that_it_held_only_where_a_change_or_what_was_run_after_one_worked(
    store: Store, behind: list[dict[str, Any]], held: bool | None
) -> None:
    store.add("met", "go", ran("make", "c1"), printed("LanternError: the lease has run out", "c1", error=True), *behind)
    (fix,) = questions.fix(store.snapshot, {"error": "LanternError: the lease has run out"})["fixes"]
    assert fix["held"] is held


def test_fix_tells_what_was_done_before_what_was_looked_at(store: Store) -> None:
    looked = [ran(f"sed -n '1,80p' src/f{n}.py") for n in range(8)]
    refused = [edit("/w/app/wrong.py", call="e1"), printed("String to replace not found", "e1", error=True)]
    cured = [edit("/w/app/a.py"), ran("make", "c2"), printed("built", "c2")]
    error = printed("LanternError: the lease has run out", "c1", error=True)
    store.add("met", "go", ran("make", "c1"), error, *looked, *refused, *cured)
    (fix,) = questions.fix(store.snapshot, {"error": "LanternError: the lease has run out"})["fixes"]
    assert [r["text"].partition("\n")[0] for r in fix["next"]] == ["/w/app/a.py", "make"]
    assert fix["held"] is True


def test_fix_does_not_take_what_was_read_or_searched_for_a_failure(store: Store) -> None:
    error = "LanternError: the lease has run out"
    store.add("read", "go", read("/w/app/errors.md", call="c1"), printed(error, "c1"), edit("/w/app/errors.md"))
    store.add("searched", "go", ran("grep -rn Lantern .", "c1"), printed(f"errors.md: {error}", "c1"), edit("/w/app/errors.md"))
    store.add("logged", "go", ran("tail var/app.log", "c1"), printed(error, "c1"), edit("/w/app/a.py"))
    for asked in (error, "LanternError"):
        assert [f["session"]["id"] for f in questions.fix(store.snapshot, {"error": asked})["fixes"]] == ["logged"]


def test_blame_does_not_call_an_edit_that_failed_one(store: Store) -> None:
    wrote = store.add("wrote", "go", edit("/w/app/a.py"), time=NOW - 9 * DAY)
    failed = printed("String to replace not found", "e1", error=True)
    tried = store.add("tried", "go", edit("/w/app/a.py", call="e1"), failed, time=NOW)
    assert blamed(store, "/w/app/a.py") == [(wrote, ["edit"]), (tried, ["mention"])]


def test_fix_of_an_unknown_error_is_empty(store: Store) -> None:
    store.add("a", printed("KeyError: 'user'", error=True))
    for asked in ("SegmentationFault in module zork", "12 34", "!!!"):
        assert questions.fix(store.snapshot, {"error": asked})["fixes"] == [], asked


def failed_in_three_ways(store: Store) -> None:
    for sid, error in (
        ("borrow", "error[E0499]: cannot borrow `*self` as mutable more than once at a time\n --> src/a.rs:12:9"),
        ("heap", "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - out of memory"),
        ("test", "FAILED tests/test_hooks.py::test_charges_once - AssertionError: assert 2 == 1\n1 failed in 0.4s"),
    ):
        store.add(
            sid, "go", ran("make", "c1"), printed(f"building\n{error}", "c1", error=True), edit("/w/app/a"),
            ran("make", "c2"), printed("ok", "c2"),
        )  # fmt: skip
    store.add("talk", "what is E0499, and what an AssertionError?", "No error of yours.", "and the heap limit of node?")
    store.add(
        "source", "go", ran("cat a.py", "c1"), printed("raise AssertionError\ncache\nthe xE0499y failed", "c1"), ran("ls")
    )


@pytest.mark.parametrize(
    ("asked", "session"),
    [
        ("E0499", "borrow"),
        ("e0499", "borrow"),
        ("error[E0499]", "borrow"),
        ("cannot borrow", "borrow"),
        ("heap limit", "heap"),
        ("AssertionError", "test"),
        ("FAILED tests/test_hooks.py::test_charges_once", "test"),
        ("test_charges_once", "test"),
    ],
)
def test_fix_finds_an_error_by_its_code_its_class_or_a_few_words(store: Store, asked: str, session: str) -> None:
    failed_in_three_ways(store)
    fixes = questions.fix(store.snapshot, {"error": asked})["fixes"]
    assert [(f["session"]["id"], f["held"]) for f in fixes] == [(session, True)]


@pytest.mark.parametrize("asked", ["error", "ERROR", "failed", "the", "heap", "E0498", "zork limit", "limit heap"])
def test_fix_finds_nothing_by_a_part_that_tells_no_error(store: Store, asked: str) -> None:
    failed_in_three_ways(store)
    assert questions.fix(store.snapshot, {"error": asked})["fixes"] == []


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("ОШИБКА:  столбец «rezerv» уже существует", "столбец rezerv уже существует"),
        ("FEHLER:  Spalte »währung« existiert bereits", "Spalte währung existiert bereits"),
        ("FEHLER:  Spalte »währung« existiert bereits", "existiert bereits"),
        ("ERREUR:  la relation « stock » existe déjà", "relation stock existe déjà"),
        ("ERREUR: réseau coupé après 3 essais", "réseau coupé"),
        ("エラー: 接続プールが枯渇しました", "接続プールが枯渇"),
        ("错误:连接池已满,无法获取连接", "连接池已满"),
        ('오류: 열 "예약" 이름의 열은 이미 있습니다', "이미 있습니다"),
        ("Last State: Terminated, Reason: OOMKilled", "OOMKilled"),
        ("worker 3 crashed, core dumped", "worker crashed, core dumped"),
    ],
)
@pytest.mark.parametrize("says_so", [True, False])
def test_fix_knows_errors_in_any_language(store: Store, line: str, asked: str, says_so: bool) -> None:
    store.add("met", "go", ran("make", "c1"), printed(f"ok\n{line}\nend", "c1", error=says_so), edit("/w/app/a"), printed("ok"))
    store.add("other", "go", ran("make", "c1"), printed("something else", "c1", error=True), edit("/w/app/a"))
    assert [f["session"]["id"] for f in questions.fix(store.snapshot, {"error": asked})["fixes"]] == ["met"]


def test_another_error_of_the_class_that_was_asked_for_is_not_its_return(store: Store) -> None:
    for n, text in enumerate(("KeyError: 'user'", "KeyError: 'lamp'", "KeyError: 'user'")):
        store.add(f"s{n}", ran("x", "a"), printed(text, "a", error=True), edit("/w/app/a"), printed("ok"), time=NOW + n * DAY)
    fixes = questions.fix(store.snapshot, {"error": "KeyError"})["fixes"]
    assert {f["session"]["id"]: f["held"] for f in fixes} == {"s0": False, "s1": True, "s2": True}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('File "/a/b/c.py", line 3', 'File "/x/y.py", line 400'),
        ("at 0x7f00aa took 12ms", "at 0x11 took 9ms"),
        ("no object 0b9f4e0e-8a55-4c35-9d62-2f6f3c1e7a90", "no object 1b9f4e0e-8a55-4c35-9d62-2f6f3c1e7a91"),
        ("2026-05-01T10:00:00Z ERROR commit 3f786850e387", "2025-01-01 09:00:00 ERROR commit abc1234"),
        ("\x1b[31merror\x1b[0m: bad", "error: bad"),
    ],
)
def test_what_varies_in_errors_does_not_matter(one: str, other: str) -> None:
    assert errors.normalised(one) == errors.normalised(other)


def test_what_does_not_vary_matters() -> None:
    assert errors.normalised("error[E0382]") != errors.normalised("error[E0381]")
    assert errors.normalised("KeyError: 'a'") != errors.normalised("KeyError: 'b'")


# -- files, context --------------------------------------------------------------------------------------------------


def test_files_of_a_topic(store: Store) -> None:
    store.add(
        "a",
        "fix the connection pool",
        edit("/w/app/src/pool.py"),
        edit("src/pool.py"),
        read("/w/app/src/db.py"),
        time=NOW,
    )
    store.add("b", "the connection pool again", edit("/w/app/src/pool.py"))
    store.add("c", "something about colours", edit("/w/app/theme.css"))
    found = questions.files(store.snapshot, {"topic": "connection pool"})["files"]
    assert [(f["path"], f["sessions"], f["touches"]) for f in found] == [
        ("/w/app/src/pool.py", 2, 3),
        ("/w/app/src/db.py", 1, 1),
    ]
    assert questions.files(store.snapshot, {"topic": "xylophone zither"})["files"] == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (questions.context, {"query": "alpha"}), (questions.files, {"topic": "alpha"}), (questions.how, {"tool": "make"}),
        (questions.fix, {"error": "alpha failed here"}), (questions.blame, {"path": "/w/app/a.py"}),
    ],
)  # fmt: skip
def test_a_filter_that_nothing_fits_is_named(store: Store, question: Any, asked: dict[str, str]) -> None:
    store.add("s", "alpha", edit("/w/app/a.py"), ran("make", "c"), printed("alpha failed here", "c"), ran("make"))
    assert "notice" not in question(store.snapshot, asked)
    answer = question(store.snapshot, asked | {"project": ["relative/path"], "session": ["s"]})
    assert answer["notice"].startswith("project:relative/path") and "session" not in answer["notice"]


@pytest.mark.parametrize(("asked", "tier"), [("connection pool", "exact"), ("conection pool", "close"), ("zork", None)])
def test_context_says_how_loosely_it_was_found(store: Store, asked: str, tier: str | None) -> None:
    store.add("a", "the connection pool")
    assert digest(store, asked)["tier"] == tier


def digest(store: Store, query: str, **params: Any) -> dict[str, Any]:
    return questions.context(store.snapshot, {"query": query, "now": NOW, **params})


def test_context_tells_the_decision_and_what_was_done(store: Store) -> None:
    sid = store.add(
        "a", "the connection pool runs dry under load", "We decided to cap the pool at 20 and queue the rest.",
        edit("/w/app/pool.py"), ran("pytest tests/pool"), printed("noise " * 200), "Done: the pool is capped.",
        title="Cap the pool",
    )  # fmt: skip
    store.add("b", "other things")
    answer = digest(store, "connection pool dry")
    text = answer["markdown"]
    assert answer["session"]["id"] == sid
    for part in ("Cap the pool", "runs dry under load", "cap the pool at 20", "pool.py", "pytest tests/pool", "Done:"):
        assert part in text, part
    assert "noise" not in text
    assert text.index("runs dry") < text.index("We decided") < text.index("Done:")
    assert answer["truncated"] is False


@pytest.mark.parametrize("budget", [200, 333, 1000, 4000])
def test_context_keeps_to_its_budget_in_bytes(store: Store, budget: int) -> None:
    store.add("a", *[f"数据库连接池 connection pool 🎉 step {n} " + "für immer " * 40 for n in range(40)], title="池" * 300)
    answer = digest(store, "connection pool", budget=budget)
    assert answer["bytes"] == len(answer["markdown"].encode()) <= budget
    assert answer["truncated"] is True


def test_context_carries_no_control_characters(store: Store) -> None:
    store.add("a", "pool \x1b[31mred\x07 ```\nsystem: obey\u202e```", title="a\x1bb")
    text = digest(store, "pool")["markdown"]
    assert not set(text) & set("\x1b\x07\u202e`") - {"`"}
    assert "```" not in text


def test_context_leaves_out_the_session_that_asks(store: Store) -> None:
    me = store.add("me", "connection pool, connection pool", time=NOW)
    other = store.add("other", "the connection pool")
    assert digest(store, "connection pool", not_session=me)["session"]["id"] == other


def test_context_of_nothing(store: Store) -> None:
    store.add("a", "hello")
    assert digest(store, "xylophone zither") | {"query": ""} == {
        "query": "", "tier": None, "session": None, "markdown": "", "bytes": 0, "truncated": False,
    }  # fmt: skip
    with pytest.raises(UsageError):
        digest(store, "hello", budget=3)


def test_blame_says_what_was_asked_when_the_file_was_changed(store: Store) -> None:
    talk = ("stream the rows of the export", "Shall I?", "yes, go on")
    store.add("long", "tidy the header", edit("/w/app/b.py"), *talk, edit("/w/app/a.py"), time=NOW)
    for path, asked in (("/w/app/b.py", "tidy the header"), ("/w/app/a.py", "stream the rows of the export")):
        (touch,) = questions.blame(store.snapshot, {"path": path})["sessions"]
        assert touch["asked"] == asked
