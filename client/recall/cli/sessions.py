"""`recall show`, `recall sessions`, `recall resume`."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from recall.cli.ask import ask
from recall.cli.options import (
    KINDS,
    ROLES,
    agent_option,
    json_option,
    limit_option,
    offset_option,
    params,
    project_option,
    session_argument,
    since_option,
    sub_agents_option,
)
from recall.cli.output import Line, print_json, print_lines, warn, width
from recall.errors import Refused
from recall.types import ResumeResult, ShowResult


@click.command()
@session_argument
@json_option
@click.option("--all-branches", is_flag=True, help="Also what was rewound.")
@click.option("--around", metavar="RECORD", help="The records around this one.")
@click.option("--role", type=click.Choice(ROLES), help="Only what this role said.")
@click.option("--kind", type=click.Choice(KINDS), help="Only records of this kind.")
@limit_option(200)
@offset_option
def show(session: str, as_json: bool, **given: Any) -> None:
    """Show one session along its live branch. SESSION is an id, a unique prefix, or either behind AGENT:."""
    answer: ShowResult = ask("show", params(session=session, **given))
    if as_json:
        print_json(dict(answer))
        return
    from recall.cli.render import no_more, record_lines, session_lines

    lines: list[Line] = [*session_lines(answer["session"], width()), []]
    for record in answer["records"]:
        lines += [*record_lines(record), []]
    if not answer["records"] and answer.get("total"):
        lines.append([(no_more(answer["total"], "record"), "dim")])
    elif not answer["records"]:
        lines.append([("no such record in it", "dim")])
    elif answer.get("next_offset"):
        lines.append([(f"more with --offset {answer['next_offset']}", "dim")])
    elif answer["session"]["resume"]:
        from recall.clean import clean_line

        lines.append([("reopen: ", "dim"), (clean_line(answer["session"]["resume"]), "bold")])
    print_lines(lines)


@click.command()
@json_option
@agent_option()
@project_option()
@since_option
@limit_option(20)
@offset_option
@sub_agents_option
def sessions(as_json: bool, **given: Any) -> None:
    """List sessions, newest first."""
    answer = ask("sessions", params(**given))
    if as_json:
        print_json(answer)
    else:
        from recall.cli.render import counted, no_more, noted, session_lines

        lines: list[Line] = []
        columns = width()
        for session in answer["sessions"]:
            lines += session_lines(session, columns)
        shown = len(answer["sessions"])
        more = f" · more with --offset {answer['next_offset']}" if answer.get("next_offset") else ""
        told = f"{shown} of {counted(answer['total'], 'session')}{more}"
        told = told if shown or not answer["total"] else no_more(answer["total"], "session")
        lines.append([(told + noted(answer), "dim")])
        print_lines(lines)
    if not answer["sessions"]:
        raise click.exceptions.Exit(1)


@click.command()
@session_argument
@json_option
@click.option("--exec", "execute", is_flag=True, help="Run the command in this terminal.")
def resume(session: str, as_json: bool, execute: bool) -> None:
    """Print the command that reopens SESSION (an id, a unique prefix, or AGENT:ID) in its agent, with its directory."""
    answer: ResumeResult = ask("resume", params(session=session))
    if answer["reason"]:
        parent = answer["session"]["parent"]
        way = f" (recall resume {shlex.quote(parent)})" if parent else ""
        raise Refused(f"this session cannot be reopened: {answer['reason']}{way}")
    if execute:
        _become(answer)
    if as_json:
        print_json(dict(answer))
        return
    if answer["cwd"] and not os.path.isdir(answer["cwd"]):
        warn(f"recall: the directory {answer['cwd']} is not there any more: restore it before you run this")
    # Printed as it is: it is meant to be pasted into a shell, and shlex has quoted what the session's names hold.
    print_lines([[(shell_command(answer["argv"], answer["cwd"]), "")]])


def shell_command(argv: list[str], cwd: str | None) -> str:
    """Return the line for a shell; raise Refused where a part holds control characters, which no paste survives."""
    words = [*argv, cwd or ""]
    if any(not word.isprintable() for word in words):
        raise Refused("the session's directory or id holds control characters: use `recall resume --exec`")
    command = shlex.join(argv)
    return f"cd {shlex.quote(cwd)} && {command}" if cwd else command


def _become(answer: ResumeResult) -> None:
    """Replace this process with the agent: no shell reads the words, and the agent gets the terminal."""
    if answer["cwd"]:
        try:
            os.chdir(answer["cwd"])
        except OSError as error:
            raise Refused(
                f"this session's directory {answer['cwd']} cannot be entered ({error.strerror}): restore it first"
            ) from error
        os.environ["PWD"] = answer["cwd"]
    program = answer["argv"][0]
    try:
        os.execvp(program, answer["argv"])
    except OSError as error:
        raise Refused(f"`{program}` cannot be run ({error.strerror}): install it or put it on PATH") from error
