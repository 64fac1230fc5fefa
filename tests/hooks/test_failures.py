"""A command that fails gets the earlier cure of the same failure, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.hooks_history import ASKED, PROJECT, History
from made.problems import POOL
from made.transcript import AGENTS, Agent, Step

ERROR = POOL[1].text
FAILED: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": (
        "PostToolUseFailure",
        {"tool_name": "Bash", "tool_input": {"command": "make export"}, "error": f"Exit code 2\n{ERROR}"},
    ),
    "codex": (
        "PostToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "make export"}, "tool_response": f"{ERROR}\n"},
    ),
    "qwen-code": (
        "PostToolUseFailure",
        {
            "tool_name": "run_shell_command",
            "tool_input": {"command": "make export", "is_background": False},
            "error": f"Command: make export\nDirectory: (root)\nOutput: {ERROR}\nError: (none)\nExit Code: 2\n"
            "Signal: (none)\nProcess Group PGID: (none)",
        },
    ),
}
"""What the agents hand over when a command failed, as recorded from them."""


@pytest.mark.parametrize("asking", AGENTS)
@pytest.mark.parametrize("earlier", AGENTS)
def test_every_agent_is_told_the_cure_that_every_agent_found(history: History, asking: Agent, earlier: Agent) -> None:
    solved = history.session(*POOL, agent=earlier)
    event, payload = FAILED[asking]
    said = history.hook(event, agent=asking, **payload)
    assert solved.session in said
    assert "QueuePool limit" in said
    assert "stream_rows" in said
    assert "until the command worked" in said
    assert history.hook(event, agent=asking, **payload) == ""


def test_numbers_times_and_places_may_differ(history: History) -> None:
    history.session(
        Step("user", "start the worker"),
        Step("shell", "2026-01-02 10:00:01 pid 4711 Error: cannot bind lantern socket :8123", "make up", exit_status=1),
        Step("edit", "ok", "compose.yml", new="lantern: {network_mode: host}"),
        Step("shell", "up", "make up"),
        Step("assistant", "The lantern runs in the host's network now."),
    )
    error = "2026-11-30 20:15:59 pid 22 Error: cannot bind lantern socket :9000"
    assert "network_mode" in history.hook(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "make up"}, error=error
    )


def test_a_command_that_holds_the_words_of_its_error_is_not_taken_for_it(history: History) -> None:
    # Qwen Code puts the command in front of what it printed, also where it worked.
    command = f"test -e {PROJECT}/some/rather/deeply/nested/place/where/the/marker/lies"
    printed = "LanternError: the vermilion lease has run out"
    history.session(
        Step("user", "export it"),
        Step("shell", printed, f"{command} || echo '{printed}'", exit_status=4),
        Step("edit", "ok", "leases.toml", new="vermilion = 24"),
        Step("shell", f"Command: {command} && echo exported\nOutput: exported\nExit Code: 0", f"{command} && echo exported"),
        Step("assistant", "There are more leases now."),
        agent="qwen-code",
    )
    said = history.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "export"}, error=printed)
    assert "vermilion = 24" in said
    assert f"> Output: {printed}" in said


def test_a_failure_that_nobody_cured_is_not_spoken_of(history: History) -> None:
    history.session(POOL[0], POOL[1], agent="qwen-code")
    history.session(POOL[0], POOL[1], Step("edit", "ok", "a.py", new="x"), POOL[1], agent="codex")
    event, payload = FAILED["claude-code"]
    assert history.hook(event, **payload) == ""


def test_what_did_not_help_is_left_out(history: History) -> None:
    history.session(
        *POOL[:2],
        Step("shell", "restarted", "systemctl restart pgbouncer"),
        POOL[1],
        *POOL[2:],
    )
    event, payload = FAILED["claude-code"]
    said = history.hook(event, **payload)
    assert "stream_rows" in said
    assert "pgbouncer" not in said


@pytest.mark.parametrize(
    ("failed", "other"),
    [
        ("npm run build", "npm run lint"),
        ("uv run pytest", "uv run ruff check"),
        ("docker compose up web", "docker compose ps"),
        ("python manage.py migrate", "python manage.py check"),
        ("npx -y tsc -p web", "npx -y prettier src"),
        ("git -C web push", "git -C web status"),
    ],
)
def test_another_command_of_the_same_program_is_no_proof_of_a_cure(history: History, failed: str, other: str) -> None:
    tried = (POOL[0], Step("shell", ERROR, failed, exit_status=2), POOL[3])
    history.session(*tried, Step("shell", "clean", other), POOL[5])
    event, payload = FAILED["claude-code"]
    said = history.hook(event, **payload)
    assert "stream_rows" in said
    assert "until the command worked" not in said


@pytest.mark.parametrize(
    ("failed", "again"),
    [
        ("cd web && npm run build 2>&1 | tail -20", "cd web && CI=1 npm run build --verbose"),
        ("timeout 60 uv run pytest -q", "uv run pytest"),
        ("npm ci && npm run build", "npm run build | tail; echo done"),
    ],
)
def test_the_same_command_is_the_same_however_it_is_wrapped(history: History, failed: str, again: str) -> None:
    tried = (POOL[0], Step("shell", ERROR, failed, exit_status=2), POOL[3])
    history.session(*tried, Step("shell", "12 passed; 0 failed, no errors", again), POOL[5])
    event, payload = FAILED["claude-code"]
    assert "until the command worked" in history.hook(event, **payload)


@pytest.mark.parametrize("earlier", AGENTS)
def test_a_pipe_hides_how_a_command_ended_and_another_error_is_no_success(history: History, earlier: Agent) -> None:
    piped = "make export 2>&1 | tail -5"
    other = Step("shell", "ValueError: the shelf has no lantern index", piped)
    history.session(POOL[0], Step("shell", ERROR, piped), POOL[3], other, POOL[2], agent=earlier)
    event, payload = FAILED["claude-code"]
    assert "until the command worked" not in history.hook(event, **payload)


@pytest.mark.parametrize("earlier", AGENTS)
@pytest.mark.parametrize(
    "step",
    [
        Step("read", f"known errors\n{ERROR}", "docs/errors.md"),
        Step("shell", f"docs/errors.md:4: {ERROR}", "cd web && grep -rn QueuePool . | head"),
        Step("shell", f"-  {ERROR}", "git show HEAD~2"),
    ],
)
def test_an_error_that_stands_in_a_file_was_nobody_s_failure(history: History, earlier: Agent, step: Step) -> None:
    history.session(Step("user", "tidy the page of errors"), step, *POOL[3:], agent=earlier)
    event, payload = FAILED["claude-code"]
    assert history.hook(event, **payload) == ""


def test_an_error_that_was_read_in_a_log_was_one(history: History) -> None:
    history.session(POOL[0], Step("shell", ERROR, "tail -50 var/worker.log"), *POOL[3:])
    event, payload = FAILED["claude-code"]
    assert "stream_rows" in history.hook(event, **payload)


@pytest.mark.parametrize("earlier", AGENTS)
def test_a_failure_deep_in_a_long_run_is_told_with_what_came_behind_it(history: History, earlier: Agent) -> None:
    before = [Step("shell", "ok", f"./prepare-{n}.sh") for n in range(80)]
    history.session(POOL[0], *before, *POOL[1:], agent=earlier)
    event, payload = FAILED["claude-code"]
    said = history.hook(event, **payload)
    assert "stream_rows" in said
    assert "prepare" not in said


def test_an_edit_that_failed_is_no_step_of_a_cure(history: History) -> None:
    refused = Step("edit", "String to replace not found", "src/wrong.py", new="pool_size=50", exit_status=1)
    history.session(*POOL[:3], refused, *POOL[3:], agent="claude-code")
    event, payload = FAILED["claude-code"]
    said = history.hook(event, **payload)
    assert "stream_rows" in said
    assert "wrong.py" not in said


def test_a_session_is_not_told_of_its_own_failure(history: History) -> None:
    asking = history.session(*POOL, agent="claude-code")
    event, payload = FAILED["claude-code"]
    assert history.hook(event, session=asking.session, **payload) == ""


@pytest.mark.parametrize("output", ["Exit code 1", "error: command failed", "make: *** [all] Error 2", "", "FAILED"])
def test_what_all_failures_print_is_met_with_silence(history: History, output: str) -> None:
    history.session(
        Step("user", "build it"),
        Step("shell", f"{output}\nsomething else", "make all", exit_status=2),
        Step("edit", "ok", "Makefile", new="all:"),
        Step("shell", "done", "make all"),
        Step("assistant", "It builds."),
    )
    assert history.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make all"}, error=output) == ""


def test_a_command_of_codex_that_worked_is_met_with_silence(history: History) -> None:
    history.session(*POOL)
    assert (
        history.hook("PostToolUse", agent="codex", tool_name="Bash", tool_input={"command": "ls"}, tool_response="a.py\nb.py\n")
        == ""
    )


def test_a_command_that_says_it_ended_with_zero_has_not_failed(history: History) -> None:
    history.session(*POOL)
    output = f"Output: {ERROR}\nExit Code: 0"
    assert (
        history.hook(
            "PostToolUse",
            agent="qwen-code",
            tool_name="run_shell_command",
            tool_input={"command": "cat log"},
            tool_response={"llmContent": output},
        )
        == ""
    )


def test_a_huge_output_is_looked_at_from_both_ends(history: History) -> None:
    history.session(*POOL)
    noise = "\n".join(f"row {n}" for n in range(200_000))
    event, payload = FAILED["codex"]
    assert "stream_rows" in history.hook(event, agent="codex", **(payload | {"tool_response": f"{noise}\n{ERROR}\n"}))


@pytest.mark.parametrize(
    "command", ["rg -n QueuePool", "sed -n '1,80p' docs/errors.md", "cd web && cat docs/errors.md", "git diff"]
)
def test_an_error_that_codex_reads_in_a_file_is_no_failure(history: History, command: str) -> None:
    history.session(*POOL)
    payload = FAILED["codex"][1] | {"tool_input": {"command": command}}
    assert history.hook("PostToolUse", agent="codex", **payload) == ""


def test_a_cure_that_a_prompt_was_told_is_not_told_again_for_the_failure(history: History) -> None:
    history.session(*POOL)
    event, payload = FAILED["claude-code"]
    assert "stream_rows" in history.prompt(ASKED, session="one")
    assert history.hook(event, session="one", **payload) == ""
    assert "stream_rows" in history.hook(event, session="two", **payload)
    assert history.prompt(ASKED, session="two") == ""
