"""Options that several commands share, and how they become parameters of a request."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recall.cli.output import warn
from recall.errors import RecallError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

AGENTS = ("claude-code", "codex", "qwen-code")
SHORT_NAMES = {"claude": "claude-code", "claudecode": "claude-code", "qwen": "qwen-code", "qwencode": "qwen-code"}
ROLES = ("user", "assistant", "tool", "system")
KINDS = ("message", "tool_call", "command", "read", "edit", "output", "summary")

COMPLETED_FROM = 200
"""Sessions, the newest, whose ids a shell completes: more than a person tells apart by their beginnings."""
COMPLETION_TIMEOUT = 1.0
"""Seconds after which a key press gets no ids."""

F = TypeVar("F", bound=Callable[..., Any])


class Time(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions of click
    """A time option; its value is milliseconds since the epoch, UTC."""

    name = "T"

    def __init__(self, end: bool = False) -> None:
        self._end = end

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        from recall.times import parse_time

        try:
            return parse_time(value, end=self._end)
        except UsageError as error:
            self.fail(error.message, param, ctx)


class AgentName(click.Choice):  # type: ignore[type-arg,unused-ignore]  # generic in newer versions of click
    """An agent's name, or a short one that a query takes too (`agent:claude`)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(SHORT_NAMES.get(value.lower(), value) if isinstance(value, str) else value, param, ctx)


class Whole(click.IntRange):
    """A whole number within bounds, which the message names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            bounds = f"{self.min:,} or more" if self.max is None else f"from {self.min:,} to {self.max:,}"
            self.fail(f"{value!r} should be a whole number, {bounds}.", param, ctx)


def confirm(question: str, otherwise: str) -> None:
    """Ask on the terminal; where the answer is no, say what was not done and end with status 1."""
    if not click.confirm(question, default=False, err=True):
        warn(f"recall: {otherwise}")
        raise click.exceptions.Exit(1)


def json_option(command: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")(command)


def session_argument(command: F) -> F:
    """SESSION; a shell completes the ids of the newest sessions."""
    return click.argument("session", callback=_named, shell_complete=_complete_session)(command)


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("it is empty: give an id, or the beginning of one.", ctx, param)
    return value


def _complete_session(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids that begin so, of the newest sessions, with their titles. In silence, and without a daemon none:
    whoever presses a key has not asked for one."""
    from click.shell_completion import CompletionItem

    from recall.clean import clean_line
    from recall.cli.ask import ask_running

    try:
        answer = ask_running("sessions", {"limit": COMPLETED_FROM, "sub_agents": True}, COMPLETION_TIMEOUT)
    except (RecallError, OSError):
        return []
    found = [s for s in answer["sessions"] if s["id"].startswith(incomplete) and s["id"].isprintable()]
    return [CompletionItem(s["id"], help=clean_line(s["title"] or "") or None) for s in found]


def agent_option(multiple: bool = False) -> Callable[[F], F]:
    """`--agent A`; several mean either."""
    return click.option("--agent", type=AgentName(AGENTS), multiple=multiple, help="Only this agent.")


def project_option(multiple: bool = False) -> Callable[[F], F]:
    """`--project P`; several mean either."""
    text = "Only this project: an absolute path (and below), `.`, or one component's name."
    return click.option("--project", metavar="P", multiple=multiple, help=text)


def since_option(command: F) -> F:
    """`--since T`."""
    return click.option("--since", type=Time(), help="Not before: 7d, 12h, 30m, yesterday, or ISO 8601.")(command)


def until_option(command: F) -> F:
    """`--until T`."""
    return click.option("--until", type=Time(end=True), help="Not after; a bare date includes its day.")(command)


def limit_option(default: int, most: int = 10_000) -> Callable[[F], F]:
    """`--limit N`, up to what the daemon takes."""
    return click.option("--limit", type=Whole(1, most), default=default, show_default=True, metavar="N", help="At most N.")


def offset_option(command: F) -> F:
    """`--offset N`."""
    return click.option("--offset", type=Whole(0), default=0, metavar="N", help="Skip the first N (`next_offset`).")(command)


def sub_agents_option(command: F) -> F:
    """`--sub-agents`."""
    return click.option("--sub-agents", is_flag=True, help="Sessions of sub-agents too.")(command)


def params(**given: Any) -> dict[str, Any]:
    """Return the parameters of a request: what was given, without what was not, and where we are.

    `cwd` tells the daemon what `.` and a relative path mean; None and False are left out.
    """
    found = {name: value for name, value in given.items() if value is not None and value is not False}
    found["cwd"] = working_directory()
    for name, value in list(found.items()):
        if isinstance(value, tuple):  # an option that may be given several times
            if value:
                found[name] = list(value)
            else:
                del found[name]
    project = found.get("project")
    if isinstance(project, str):
        found["project"] = _project(project, found["cwd"])
    elif project is not None:
        found["project"] = [_project(value, found["cwd"]) for value in project]
    return found


def _project(value: str, here: str) -> str:
    """Return a project as the daemon knows it: relative paths are taken from `here`, a bare name stays one."""
    if value.split("/", 1)[0] in (".", "..", "~"):
        return os.path.normpath(os.path.join(here, os.path.expanduser(value)))
    return value


def working_directory() -> str:
    """Return the working directory as the shell names it (through symbolic links), as agents record it."""
    actual = _actual_directory()
    named = os.environ.get("PWD", "")
    try:
        if os.path.isabs(named) and os.path.samefile(named, actual):
            return named
    except OSError:
        pass  # PWD is stale: the system's answer stands
    return actual


def _actual_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise UsageError("the working directory is gone: cd to one that exists") from error
