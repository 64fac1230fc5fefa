"""`recall install` and `recall uninstall`."""

from __future__ import annotations

import os
from typing import Any

import click

from recall.cli.options import AGENTS, json_option
from recall.cli.output import Line, print_json, print_lines
from recall.install.run import AgentDone, FileDone
from recall.places import places

REFUSED = 4
"""Exit status where a file could not be changed."""

_WORDS = {
    "made": "made",
    "changed": "changed",
    "unchanged": "nothing to change",
    "restored": "as it was before, to the byte",
    "removed": "removed",
    "refused": "left alone",
}


@click.command()
@click.argument("agents", metavar="[AGENT…]", nargs=-1, type=click.Choice(AGENTS))
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--no-hooks", is_flag=True, help="Neither hooks nor a status line: nothing runs by itself.")
@click.option("--no-mcp", is_flag=True, help="No MCP server.")
@json_option
def install(agents: tuple[str, ...], dry_run: bool, no_hooks: bool, no_mcp: bool, as_json: bool) -> None:
    """Wire recall into the agents that are found, or into those named: claude-code, codex, qwen-code.

    Doing it again changes nothing. A copy of each file is kept beside it (.bak); `recall uninstall` takes it all back.
    """
    from recall.install import run

    done = run.install(agents, places(), os.environ, hooks=not no_hooks, mcp=not no_mcp, dry_run=dry_run)
    _report(done, as_json=as_json, dry_run=dry_run)


@click.command()
@click.argument("agents", metavar="[AGENT…]", nargs=-1, type=click.Choice(AGENTS))
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
def uninstall(agents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Take recall out of all agents, or of those named.

    A file that nobody changed since gets its very bytes back; out of one that was changed our entries alone are taken.
    """
    from recall.install import run

    _report(run.uninstall(agents, places(), os.environ, dry_run=dry_run), as_json=as_json, dry_run=dry_run)


def _report(done: list[AgentDone], *, as_json: bool, dry_run: bool) -> None:
    if as_json:
        print_json({"dry_run": dry_run, "agents": [_json(result) for result in done]})
    else:
        print_lines(_lines(done, dry_run=dry_run))
    if any(result.refused for result in done):
        raise click.exceptions.Exit(REFUSED)


def _json(result: AgentDone) -> dict[str, Any]:
    return {
        "agent": result.agent.name,
        "files": [
            {"path": str(f.path), "what": f.what, "parts": f.parts, "message": f.message, "diff": f.diff or None}
            for f in result.files
        ],
        "todo": result.todo,
    }


def _lines(done: list[AgentDone], *, dry_run: bool) -> list[Line]:
    if not done:
        return [[("nothing of recall is wired into any agent", "")]]
    lines: list[Line] = []
    for result in done:
        lines.append([(result.agent.title, "bold")])
        if not result.files:
            lines.append([("  nothing to do", "dim")])
        for file in result.files:
            lines += _file_lines(file, dry_run=dry_run)
        lines += [[("  do: ", "bold yellow"), (todo, "")] for todo in result.todo if not dry_run]
    return lines


def _file_lines(file: FileDone, *, dry_run: bool) -> list[Line]:
    from recall.clean import clean, clean_line
    from recall.cli.render import home

    what = _WORDS[file.what]
    if dry_run and file.what not in ("unchanged", "refused"):
        what = f"would be {what}"
    parts = f" ({', '.join(file.parts)})" if file.parts else ""
    style = "red" if file.what == "refused" else ("dim" if file.what == "unchanged" else "green")
    lines: list[Line] = [[(f"  {clean_line(home(str(file.path)))}: ", ""), (what, style), (parts, "dim")]]
    if file.message:
        lines.append([(f"    {clean_line(file.message)}", "red" if file.what == "refused" else "yellow")])
    for line in clean(file.diff).splitlines():
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        lines.append([(f"    {line}", colour)])
    return lines
