"""Commands, patches and other calls: one record for the call, one for its output, and how it ended."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from recalld.model import Record
from sources.codex_lines import called, event, gave, item, meta, ran, read, records, response, said_item, texts


def only(given: list[Any]) -> Record:
    (record,) = records(read([meta(), *given]))
    return record


@pytest.mark.parametrize(
    ("line", "script"),
    [
        (called("c", "exec_command", cmd="ls -l"), "ls -l"),
        (called("c", "shell", command=["bash", "-lc", "ls | wc -l"]), "ls | wc -l"),
        (called("c", "shell", command=["/usr/bin/zsh", "-lc", "ls"]), "ls"),
        (called("c", "shell", command=["git", "commit", "-m", "two words"]), "git commit -m 'two words'"),
        (called("c", "shell", command=["bash", "-l", "-c", "ls | wc"]), "ls | wc"),
        (called("c", "shell", command=["bash", "-euo", "pipefail", "-c", "make all"]), "make all"),
        (called("c", "shell", command=["pwsh.exe", "-NoProfile", "-Command", "Get-Item x"]), "Get-Item x"),
        (called("c", "shell", command=[r"C:\Program Files\PowerShell\7\pwsh.exe", "-Command", "dir"]), "dir"),
        (called("c", "shell", command=["cmd.exe", "/c", "dir"]), "dir"),
        (called("c", "shell", command=["bash", "run.sh", "-c", "x"]), "bash run.sh -c x"),
        (called("c", "shell", command=["bash", "-lc"]), "bash -lc"),
        (called("c", "shell_command", command="make test", workdir="/w/api"), "make test"),
        (response("local_shell_call", call_id="c", action={"type": "exec", "command": ["bash", "-lc", "ls"]}), "ls"),
        (event("exec_command_end", call_id="c", command=["bash", "-lc", "ls"], exit_code=0, stdout=""), "ls"),
    ],
)
def test_a_command_reads_as_a_person_would_type_it(line: dict[str, Any], script: str) -> None:
    record = records(read([meta(), line]))[0]
    assert (record.kind, record.command, record.text, record.id, record.call) == ("command", script, script, "c", "c")


@pytest.mark.parametrize(
    ("output", "text", "status"),
    [
        ("Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno samples", "no samples", 3),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine\n", "fine\n", 0),
        ("Exit code: 1", "", 1),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}), "fine", 0),
        ({"content": "broken", "metadata": {"exit_code": 2}}, "broken", 2),
        ([{"type": "input_text", "text": "Wall time: 1 s\nOutput:"}, {"type": "input_text", "text": "a"}], "a", None),
        ("Wall time: 0 s\nOutput:\nExit code: 0\nWall time: 0 s\nOutput:\nSuccess.", "Success.", 0),
        (
            "Wall time: 0 s\nProcess exited with code 0\nOutput:\nExit code: 7\nby a program",
            "Exit code: 7\nby a program",
            0,
        ),
        ("two\nlines", "two\nlines", None),
        ("ran\nProcess exited with code 4", "ran\nProcess exited with code 4", 4),
        ("-1 is no status: Exit code: none", "-1 is no status: Exit code: none", None),
        ('{"a": 1}', '{"a": 1}', None),
        (None, "", None),
    ],
)
def test_an_output_is_freed_of_its_header_and_says_how_the_command_ended(output: Any, text: str, status: int | None) -> None:
    record = records(read([meta(), called("c", cmd="x"), gave("c", output)]))[1]
    assert (record.role, record.kind, record.text, record.exit_status) == ("tool", "output", text, status)
    assert record.is_error is (None if status is None else status != 0)
    assert (record.id, record.call, record.tool) == ("c:out", "c", "exec_command")


def test_a_command_told_by_an_item_and_by_response_items_is_one_command_and_one_output() -> None:
    lines = [
        called("c1", cmd="make"),
        ran("c1", "make", "hi\n", 2),
        gave("c1", "Process exited with code 2\nOutput:\nhi\n"),
    ]
    for order in permutations(lines):
        found = records(read([meta(), *order]))
        assert sorted((r.kind, r.text, r.exit_status, r.is_error) for r in found) == [
            ("command", "make", None, None),
            ("output", "hi\n", 2, True),
        ]
        assert {r.id for r in found} == {"c1", "c1:out"}


def test_the_end_of_a_command_that_ran_on_is_told_when_it_comes() -> None:
    given = [
        called("c1", cmd="serve"),
        gave("c1", "Wall time: 10 s\nProcess running with session ID 7\nOutput:\nlistening"),
        said_item("assistant", "i1", "It runs."),
        ran("c1", "serve", "listening\nkilled", 137),
    ]
    found = records(read([meta(), *given]))
    assert [(r.id, r.exit_status) for r in found if r.kind == "output"] == [("c1:out", None), ("c1:exit", 137)]


def test_a_failed_flag_counts_where_no_status_is_known() -> None:
    given = item("CommandExecution", "c", command=["ls"], aggregated_output="", status="declined")
    assert records(read([meta(), given]))[1].is_error is True
    ended = item("CommandExecution", "c", command=["ls"], aggregated_output="", status="completed", exit_code=2)
    assert records(read([meta(), ended]))[1].is_error is True


def test_a_call_id_that_a_provider_uses_again_is_a_new_call() -> None:
    turn = [called("call_0", cmd="ls"), gave("call_0", "a")]
    found = records(read([meta(), *turn, *turn]))
    assert [r.kind for r in found] == ["command", "output"] * 2
    assert len({r.id for r in found}) == 4
    assert [r.call for r in found] == [found[0].id] * 2 + [found[2].id] * 2


PATCH = """*** Begin Patch
*** Update File: src/cache.py
@@ def get
-    return None
+    return self.store[key]
*** Add File: src/new.py
+print("otter")
*** Update File: old.py
*** Move to: new_name.py
*** Delete File: gone.py
*** End Patch
"""
PATHS = ("src/cache.py", "src/new.py", "old.py", "new_name.py", "gone.py")


@pytest.mark.parametrize(
    "line",
    [
        response("custom_tool_call", name="apply_patch", input=PATCH, call_id="c"),
        called("c", "apply_patch", input=PATCH),
        called("c", "exec_command", cmd=f"apply_patch <<'PATCH'\n{PATCH}PATCH"),
        called("c", "shell", command=["apply_patch", PATCH]),
        called("c", "shell", command=["bash", "-lc", f"cd /w/api && apply_patch <<'EOF'\n{PATCH}EOF\n"]),
    ],
)
def test_a_patch_is_an_edit_with_its_paths_and_the_lines_it_adds(line: dict[str, Any]) -> None:
    record = only([line])
    assert (record.kind, record.paths, record.command) == ("edit", PATHS, None)
    assert "    return self.store[key]" in record.text
    assert 'print("otter")' in record.text
    assert "return None" not in record.text


@pytest.mark.parametrize(
    ("more", "before", "path"),
    [
        ({"workdir": "/w/other"}, "", "/w/other/a.py"),
        ({"workdir": "/w/api"}, "", "a.py"),
        ({"workdir": "lib"}, "", "lib/a.py"),
        ({}, "cd lib && ", "lib/a.py"),
        ({}, "set -e\ncd 'my lib'; ", "my lib/a.py"),
        ({}, "cd /w/other\n", "/w/other/a.py"),
        ({}, "cd lib && cd ..; ", "a.py"),
        ({"workdir": "/w"}, "cd api && ", "a.py"),
        ({}, 'cd "$HOME" && ', "a.py"),
    ],
)
def test_paths_of_a_patch_in_another_directory_name_it(more: dict[str, Any], before: str, path: str) -> None:
    patch = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
    assert only([called("c", cmd=f"{before}apply_patch '{patch}'", **more)]).paths == (path,)
    if not before:
        assert only([called("c", "apply_patch", input=patch, **more)]).paths == (path,)
        given = item("CommandExecution", "c", command=["apply_patch", patch], cwd=more.get("workdir", "/w/api"), exit_code=0)
        assert records(read([meta(), given]))[0].paths == (path,)


def test_a_file_change_item_is_the_same_edit_as_its_call() -> None:
    changes = {"/w/api/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-old\n+fresh\n", "move_path": "/w/api/b.py"}}
    change = item("FileChange", "c", changes=changes, status="completed", stdout="Success.", stderr="")
    alone = records(read([meta(), change]))
    assert (alone[0].kind, alone[0].paths) == ("edit", ("/w/api/a.py", "/w/api/b.py"))
    assert "fresh" in alone[0].text
    assert "old" not in alone[0].text
    assert (alone[1].text, alone[1].is_error) == ("Success.", False)
    call = response("custom_tool_call", name="apply_patch", input=PATCH, call_id="c")
    output = response("custom_tool_call_output", call_id="c", output="Success.")
    assert [r.kind for r in records(read([meta(), call, change, output]))] == ["edit", "output"]
    end = event("patch_apply_end", call_id="c", changes=changes, success=False, stdout="", stderr="no such file")
    assert [(r.kind, r.is_error) for r in records(read([meta(), call, end, output]))] == [
        ("edit", None),
        ("output", True),
    ]


OLDER_CHANGES = {
    "new.py": {"add": {"content": "otter"}},
    "old.py": {"update": {"unified_diff": "@@\n-a\n+lemur", "move_path": "moved.py"}},
    "gone.py": {"delete": {"content": "badger"}},
    "odd.py": {"add": 7},
}
LISTED_CHANGES = [
    {"path": "new.py", "kind": {"type": "add"}, "diff": "otter"},
    {"path": "old.py", "kind": {"type": "update", "move_path": "moved.py"}, "diff": "@@\n-a\n+lemur"},
    {"path": "gone.py", "kind": "delete", "diff": "badger"},
    {"path": "odd.py"},
    7,
]


@pytest.mark.parametrize("changes", [OLDER_CHANGES, LISTED_CHANGES])
def test_changes_in_the_form_of_other_versions_are_the_same_edit(changes: object) -> None:
    record = only([event("patch_apply_end", call_id="c", changes=changes)])
    assert record.paths == ("new.py", "old.py", "moved.py", "gone.py", "odd.py")
    assert record.text == "new.py\notter\nold.py\nmoved.py\nlemur\ngone.py\nodd.py"


def test_a_tool_of_a_server_is_one_call_and_one_output_in_all_its_forms() -> None:
    call = response("function_call", name="find", namespace="mcp__maps", arguments='{"place": "pier"}', call_id="c")
    result = {"content": [{"type": "text", "text": "north"}], "isError": False}
    done = item("McpToolCall", "c", server="maps", tool="find", arguments={"place": "pier"}, status="completed", result=result)
    invocation = {"server": "maps", "tool": "find", "arguments": {"place": "pier"}}
    ended = event("mcp_tool_call_end", call_id="c", invocation=invocation, result={"Ok": result})
    for order in permutations([call, done, ended, gave("c", "Wall time: 1 s\nOutput:\nnorth")]):
        found = records(read([meta(), *order]))
        assert sorted((r.kind, r.text) for r in found) == [("output", "north"), ("tool_call", "place: pier")]
        assert {r.tool for r in found if r.kind == "tool_call"} == {"mcp__maps__find"}


@pytest.mark.parametrize("result", [{"Err": "no route"}, {"Ok": {"content": [{"text": "no route"}], "isError": True}}])
def test_a_tool_that_failed_says_so(result: dict[str, Any]) -> None:
    invocation = {"server": "maps", "tool": "find", "arguments": None}
    found = records(read([meta(), event("mcp_tool_call_end", call_id="c", invocation=invocation, result=result)]))
    assert (found[1].text, found[1].is_error) == ("no route", True)


@pytest.mark.parametrize(
    "lines",
    [
        [
            response("function_call", name="search", namespace="mcp__recall", arguments="{}", call_id="c"),
            item("McpToolCall", "c", server="recall", tool="search", arguments={}, status="completed",
                 result={"content": [{"type": "text", "text": "otterword"}]}),
            gave("c", "otterword"),
        ],
        [called("c", "mcp__recalld__search", query="q"), gave("c", "otterword")],
        [called("c", "recall__search", query="q"), gave("c", "otterword")],
        [item("McpToolCall", "c", server="recalld", tool="search", arguments={}, result={"content": "otterword"})],
        [called("c", cmd="recall lemur | head -3"), gave("c", "otterword")],
        [called("c", cmd="cd /w && recall show 1"), ran("c", "cd /w && recall show 1", "otterword", 0)],
        [response("custom_tool_call", name="exec", input='tools.exec_command({cmd: "recall lemur"})', call_id="c"),
         response("custom_tool_call_output", call_id="c", output="otterword")],
    ],
)  # fmt: skip
def test_what_we_answered_is_dropped_and_the_question_stays(lines: list[dict[str, Any]]) -> None:
    for sittings in ([], [2], range(9)):
        found = records(read([meta(), *lines], sittings=sittings))
        assert [r.role for r in found] == ["assistant"]
        assert "otterword" not in found[0].text


def test_a_command_that_only_mentions_our_name_keeps_its_output() -> None:
    assert texts(read([meta(), called("c", cmd="grep recall README.md"), gave("c", "otterword")]))[1] == "otterword"


@pytest.mark.parametrize(
    ("line", "tool", "word"),
    [
        (response("web_search_call", id="ws_1", action={"type": "search", "query": "lemur"}), "web_search", "lemur"),
        (event("web_search_end", call_id="ws_1", query="lemur"), "web_search", "lemur"),
        (item("Plan", "turn-1-plan", text="# Look at the lemur"), "plan", "lemur"),
        (called("c", "update_plan", plan=[{"step": "look at the lemur", "status": "pending"}]), "update_plan", "lemur"),
        (item("DynamicToolCall", "c", tool="look", arguments={"at": "lemur"}), "look", "lemur"),
        (item("CollabAgentToolCall", "c", tool="spawn_agent", prompt="count the lemurs"), "spawn_agent", "lemurs"),
        (
            response("image_generation_call", id="ig", revised_prompt="a lemur", result="AAAA"),
            "image_generation",
            "lemur",
        ),
        (response("custom_tool_call", name="exec", input="look('lemur')", call_id="c"), "exec", "lemur"),
        (called("c", "write_stdin", session_id=7, chars="lemur\n"), "write_stdin", "lemur"),
        (response("function_call", name="odd", arguments="{not json lemur", call_id="c"), "odd", "lemur"),
    ],
)
def test_every_other_tool_is_a_call_that_its_arguments_find(line: dict[str, Any], tool: str, word: str) -> None:
    record = only([line])
    assert (record.role, record.kind, record.tool) == ("assistant", "tool_call", tool)
    assert word in record.text


def test_a_look_at_an_image_is_a_read() -> None:
    look = [called("c", "view_image", path="/w/api/a.png"), item("ImageView", "c", path="/w/api/a.png")]
    record = only(look)
    assert (record.kind, record.paths) == ("read", ("/w/api/a.png",))


def test_a_command_that_a_person_ran_is_theirs_in_either_form() -> None:
    result = "Exit code: 2\nDuration: 0.1 seconds\nOutput:\nnone"
    told = f"<user_shell_command>\n<command>\nls lemur\n</command>\n<result>\n{result}\n</result>\n</user_shell_command>"
    response_form = response("message", role="user", content=[{"type": "input_text", "text": told}])
    item_form = ran("c9", "ls lemur", "none", 2)
    item_form["payload"]["item"]["source"] = "user_shell"
    for order in ([response_form], [item_form], [response_form, item_form], [item_form, response_form]):
        found = records(read([meta(), *order]))
        assert [(r.role, r.kind, r.exit_status) for r in found] == [("user", "command", None), ("tool", "output", 2)]
        assert (found[0].text, found[1].text) == ("ls lemur", "none")
