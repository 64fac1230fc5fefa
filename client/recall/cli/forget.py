"""`recall forget`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from recall.cli.ask import ask
from recall.cli.options import Time, Whole, confirm, json_option, params
from recall.cli.output import Line, print_json, print_lines
from recall.client import SYNC_TIMEOUT
from recall.errors import Refused, UsageError


@click.command()
@click.option("--session", metavar="ID", help="A session, its sub-agents, and what it will ever say.")
@click.option("--project", metavar="P", help="What a project holds now: an absolute path (and below), `.`, or a name.")
@click.option("--before", type=Time(), metavar="T", help="Records from before T: 7d, yesterday, or ISO 8601.")
@click.option("--dry-run", is_flag=True, help="Say what would go (with --undo: what would not return), change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--list", "as_list", is_flag=True, help="List what was forgotten.")
@click.option("--undo", is_flag=True, help="Take a decision back, and read again what the files still hold.")
@click.option("--id", "number", type=Whole(1), metavar="N", help="With --undo: its number in --list.")
@json_option
def forget(
    session: str | None,
    project: str | None,
    before: int | None,
    dry_run: bool,
    yes: bool,
    as_list: bool,
    undo: bool,
    number: int | None,
    as_json: bool,
) -> None:
    """Remove history for good, from the index and from every later reading. Agents' files stay as they are."""
    chosen = params(session=session, project=project, before=before)
    for name, value in (("session", session), ("project", project)):
        if value is not None and not value.strip():
            raise UsageError(f"--{name} is empty: say what to forget")
    given = [name for name in ("session", "project", "before") if name in chosen]
    if as_list:
        if given or undo or number is not None:
            raise UsageError("--list stands alone")
        _list(as_json)
        return
    if undo:
        if before is not None or len(given) + (number is not None) != 1:
            raise UsageError("with --undo give one of --session, --project and --id N (see --list)")
        chosen |= {"undo": True} | ({} if number is None else {"id": number})
    elif len(given) != 1 or number is not None:
        raise UsageError("say what to forget: one of --session, --project and --before")
    plan = _ask({**chosen, "dry_run": True})
    if dry_run:
        _show(plan, undo, as_json)
        return
    if not undo and not plan["records"] and not plan["copies"] and not plan["sessions"]:
        # a project or a time of which there is nothing: no decision is needed
        _show(plan, undo, as_json)
        raise click.exceptions.Exit(1)
    if not yes:
        _confirm(plan, undo, as_json)
    result = _ask(chosen)
    if as_json:
        print_json(result)
        return
    if undo:
        print_lines([[("taken back", "green"), (f"; {_cannot_return(plan)}", "")]])
    else:
        print_lines([[("forgotten", "green"), (f": {_amount(result)} (number {result['id']})", "")]])


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = ask("forget", request, timeout=SYNC_TIMEOUT)
    return answer


def _confirm(plan: dict[str, Any], undo: bool, as_json: bool) -> None:
    if as_json or not sys.stdin.isatty():
        raise Refused("this changes what is remembered: look at it with --dry-run, then repeat it with --yes")
    print_lines(_lines(plan, undo))
    question = "Take it back?" if undo else "Forget it for good?"
    confirm(question, "nothing was taken back" if undo else "nothing was forgotten")


def _show(plan: dict[str, Any], undo: bool, as_json: bool) -> None:
    if as_json:
        print_json(plan)
    else:
        print_lines(_lines(plan, undo))


def _lines(plan: dict[str, Any], undo: bool) -> list[Line]:
    from recall.clean import clean_line
    from recall.cli.render import counted

    if undo:
        lines: list[Line] = [[(f"number {plan['id']}: {plan['kind']} {clean_line(plan['value'])}", "bold")]]
        return [*lines, [(_cannot_return(plan), "yellow" if plan["unrecoverable"] else "")]]
    lines = [[("to be forgotten: ", "bold"), (_amount(plan), "")]]
    lines += [[(f"  {clean_line(s['id'])}  {clean_line(s['title'] or '')}", "dim")] for s in plan["titles"]]
    more = plan["sessions"] - len(plan["titles"])
    if more > 0:
        lines.append([(f"  and {counted(more, 'more session')}", "dim")])
    if plan["spared"]:
        copied = counted(plan["spared"], "message")
        text = f"{copied} that it copied from an older session stay there: forget that one too"
        lines.append([(text, "yellow")])
    if plan["unrecoverable"]:
        lost = counted(plan["unrecoverable"], "record")
        text = f"{lost} exist nowhere else any more: not even --undo brings them back"
        lines.append([(text, "yellow")])
    lines.append([("agents' own files stay as they are", "dim")])
    return lines


def _amount(plan: dict[str, Any]) -> str:
    from recall.cli.render import counted

    text = f"{counted(plan['records'], 'record')} of {counted(plan['files'], 'file')}"
    if plan["sessions"]:
        of_agents = f" ({plan['sub_agents']} of sub-agents)" if plan["sub_agents"] else ""
        text += f", {counted(plan['sessions'], 'session')} whole{of_agents}"
    if plan["touched"]:
        text += f", parts of {counted(plan['touched'], 'session')}"
    return text


def _cannot_return(plan: dict[str, Any]) -> str:
    from recall.cli.render import counted

    if not plan["unrecoverable"]:
        return "what the files still hold is read again"
    return (
        f"what the files still hold is read again; {counted(plan['unrecoverable'], 'record')} of"
        f" {counted(plan['deleted_files'], 'deleted file')} cannot return"
    )


def _list(as_json: bool) -> None:
    answer = _ask({"list": True})
    if as_json:
        print_json(answer)
    else:
        from recall.clean import clean_line
        from recall.cli.render import counted, when

        lines: list[Line] = [
            [
                (f"{d['id']:>4}  ", "bold"),
                (f"{d['kind']} {clean_line(os.fspath(d['value']))}", ""),
                (f"  {counted(d['records'], 'record')}, {when(d['made'])}", "dim"),
            ]
            for d in answer["forgotten"]
        ]
        print_lines(lines or [[("nothing has been forgotten", "dim")]])
    if not answer["forgotten"]:
        raise click.exceptions.Exit(1)
