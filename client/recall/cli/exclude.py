"""`recall exclude`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from recall.cli.ask import ask
from recall.cli.options import confirm, json_option, working_directory
from recall.cli.output import Line, print_json, print_lines
from recall.client import SYNC_TIMEOUT
from recall.errors import Refused, UsageError


@click.group(invoke_without_command=True)
@click.pass_context
def exclude(context: click.Context) -> None:
    """Projects and paths never to read; what is already in the index goes.

    PATTERN is a directory (it and everything below), a glob (`*` within a component, `**` across), or a name without
    `/`: every project with a component of that name.
    """
    if context.invoked_subcommand is None:
        raise UsageError("say what to do: exclude add PATTERN, exclude remove PATTERN, or exclude list")


@exclude.command("add", short_help="Exclude PATTERN; what the index holds of it goes.")
@click.argument("pattern")
@click.option("--dry-run", is_flag=True, help="Say what would go, change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def add(pattern: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Exclude PATTERN; what the index holds of it is removed from it for good."""
    wanted = _absolute(pattern)
    plan = _ask({"add": wanted, "dry_run": True})
    if dry_run:
        _show(plan, as_json, "would be excluded", ahead=True)
        return
    if plan["records"] and not yes:
        if as_json or not sys.stdin.isatty():
            raise Refused("this deletes what the index holds of it: look with --dry-run, then repeat it with --yes")
        _show(plan, False, "to be excluded", ahead=True)
        confirm("Exclude it, and delete that from the index?", "nothing was excluded")
    _show(_ask({"add": wanted}), as_json, "excluded")


@exclude.command("remove")
@click.argument("pattern")
@json_option
def remove(pattern: str, as_json: bool) -> None:
    """Take PATTERN off the list; its files are read again."""
    answer = _ask({"remove": _absolute(pattern)})
    if as_json:
        print_json(answer)
    else:
        print_lines([[("no longer excluded: ", "green"), (_clean(answer["pattern"]), "")]])


@exclude.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List what is excluded, here and in the configuration."""
    answer = _ask({})
    if as_json:
        print_json(answer)
    else:
        lines: list[Line] = [[(_clean(p), "")] for p in answer["patterns"]]
        lines += [[(_clean(p), ""), ("  configuration", "dim")] for p in answer["configured"]]
        print_lines(lines or [[("nothing is excluded", "dim")]])
    if not answer["patterns"] and not answer["configured"]:
        raise click.exceptions.Exit(1)


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = ask("exclude", request, timeout=SYNC_TIMEOUT)
    return answer


def _absolute(pattern: str) -> str:
    """Return a pattern with `.` and relative paths taken from here; names and globs without a beginning stay."""
    if pattern.split("/", 1)[0] in (".", ".."):
        return os.path.normpath(os.path.join(working_directory(), pattern))
    if pattern.startswith("~"):
        return os.path.expanduser(pattern)
    return pattern


def _show(plan: dict[str, Any], as_json: bool, what: str, *, ahead: bool = False) -> None:
    """Print a plan, or what became of it; `ahead` of it, also what cannot be taken back."""
    if as_json:
        print_json(plan)
        return
    from recall.cli.render import counted

    amount = f"{counted(plan['records'], 'record')}, {counted(plan['sessions'], 'session')} whole"
    if plan["touched"]:
        amount += f", parts of {counted(plan['touched'], 'session')}"
    lines: list[Line] = [[(f"{what}: ", "bold"), (_clean(plan["pattern"]), ""), (f"  ({amount})", "dim")]]
    if ahead and plan.get("unrecoverable"):
        lost = counted(plan["unrecoverable"], "record")
        lines.append([(f"{lost} exist nowhere else any more: not even `exclude remove` brings them back", "yellow")])
    if ahead and plan["records"]:
        lines.append([("all of it is deleted from the index; agents' own files stay as they are", "dim")])
    print_lines(lines)


def _clean(text: str) -> str:
    from recall.clean import clean_line

    return clean_line(text)
