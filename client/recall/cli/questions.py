"""`recall context`, `blame`, `how`, `fix`, `files`: the questions that only history can answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from recall.cli.ask import ask
from recall.cli.options import (
    Whole,
    agent_option,
    json_option,
    limit_option,
    params,
    project_option,
    since_option,
    sub_agents_option,
    until_option,
)
from recall.cli.output import Line, print_json, print_lines, width
from recall.cli.search import QueryCommand
from recall.types import BlameResult, ContextResult, FilesResult, FixResult, HowResult, Record

F = TypeVar("F", bound=Callable[..., Any])

HELD = {True: ("did not come back", "green"), False: ("came back", "red"), None: ("not seen since", "dim")}
MOST = 1_000
"""Answers that a question can be asked for: they come in one frame."""
NEXT_CHARS = 160
"""Characters that are shown of what was done next."""


def _filters(command: F) -> F:
    """The filters that every question has."""
    for option in (until_option, since_option, project_option(multiple=True), agent_option(multiple=True), json_option):
        command = option(command)
    return command


def _text(words: tuple[str, ...]) -> str:
    return " ".join(words)


def _tell(answer: Any, as_json: bool, found: bool, lines: Callable[[], Iterator[Line]], hint: str = "") -> None:
    """Print an answer; end with 1 where there is none, saying what else to try (`hint`)."""
    if as_json:
        print_json(dict(answer))
    else:
        from recall.cli.render import noted

        said = noted(answer)
        if found:
            print_lines([*lines(), *([[(said.removeprefix(" · "), "dim")]] if said else [])])
        else:
            print_lines([[("nothing found" + hint + said, "dim")]])
    if not found:
        raise click.exceptions.Exit(1)


def _beginning(record: Record) -> Line:
    """Return who speaks in a record, and how it begins."""
    from recall.clean import clean_line
    from recall.cli.render import label

    return [("    ", ""), (f"{label(record)} ", "dim"), (clean_line(record["text"])[:NEXT_CHARS], "")]


@click.command(cls=QueryCommand)
@click.argument("query", nargs=-1, required=True)
@_filters
@sub_agents_option
@click.option("--budget", type=Whole(200, 1024 * 1024), metavar="BYTES", help="At most this long.")
def context(query: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Print a digest of the session that answers QUERY, in Markdown: what was decided and done."""
    answer: ContextResult = ask("context", params(query=_text(query), **given))

    def lines() -> Iterator[Line]:
        from recall.clean import clean

        for line in clean(answer["markdown"]).splitlines():
            yield [(line, "")]

    _tell(answer, as_json, bool(answer["session"]), lines)


@click.command()
@click.argument("path")
@_filters
@limit_option(10, MOST)
def blame(path: str, as_json: bool, **given: Any) -> None:
    """List the sessions that wrote, read, ran or mentioned PATH: who wrote first, then the newest."""
    answer: BlameResult = ask("blame", params(path=path, **given))

    def lines() -> Iterator[Line]:
        from recall.clean import clean_line
        from recall.cli.render import counted, cut, details, when, wrapped

        columns = width()
        for touch in answer["sessions"]:
            did = ", ".join(touch["kinds"])
            yield [(did, "bold"), (f"  {counted(touch['touches'], 'time')}, last {when(touch['last'])}", "dim")]
            yield cut([("    ", ""), (clean_line(touch["session"]["title"] or "(no title)"), "")], columns)
            yield from details(touch["session"], columns)
            asked = clean_line(touch.get("asked") or "")
            if asked and asked[:40] != clean_line(touch["session"]["title"] or "")[:40]:
                yield cut([("    asked: ", "dim"), (asked, "")], columns)
            for record in touch["records"][:1]:
                yield from wrapped(_beginning(record), columns)

    _tell(answer, as_json, bool(answer["sessions"]), lines)


@click.command(cls=QueryCommand)
@click.argument("tool", nargs=-1, required=True)
@_filters
@limit_option(10, MOST)
def how(tool: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """List how TOOL was called, what worked most often first."""
    answer: HowResult = ask("how", params(tool=_text(tool), **given))

    def lines() -> Iterator[Line]:
        from recall.clean import clean_line
        from recall.cli.render import counted, home, when

        for use in answer["commands"]:
            yield [(clean_line(use["command"]), "bold")]
            failed = f", {use['failed']} failed" if use["failed"] else ""
            details = f"{counted(use['runs'], 'run')}{failed}  last {when(use['last'])}  {home(use['project'])}"
            yield [("    ", ""), (details.rstrip(), "red" if use["failed"] >= use["runs"] else "dim")]

    _tell(answer, as_json, bool(answer["commands"]), lines)


@click.command(cls=QueryCommand)
@click.argument("error", nargs=-1, required=True)
@_filters
@limit_option(5, MOST)
def fix(error: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """List what was done after ERROR, and whether it came back.

    ERROR is a line as it was printed (numbers, paths and ids in it need not be the same), or what tells it in one: a
    code, a class, a few words.
    """
    answer: FixResult = ask("fix", params(error=_text(error), **given))

    def lines() -> Iterator[Line]:
        from recall.clean import clean_line
        from recall.cli.render import details, when, wrapped

        columns = width()
        for one in answer["fixes"]:
            text, style = HELD[one["held"]]
            yield from wrapped([(clean_line(one["error"])[:NEXT_CHARS], "bold")], columns)
            yield [("    ", ""), (text, style), (f"  {when(one['time'])}", "dim")]
            for record in one["next"]:
                yield from wrapped(_beginning(record), columns)
            yield from details(one["session"], columns)

    _tell(answer, as_json, bool(answer["fixes"]), lines, ": give the whole line, or try `recall search … is:error`")


@click.command(cls=QueryCommand)
@click.argument("topic", nargs=-1, required=True)
@_filters
@limit_option(20, MOST)
def files(topic: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """List the files that were touched where TOPIC was worked on."""
    answer: FilesResult = ask("files", params(topic=_text(topic), **given))

    def lines() -> Iterator[Line]:
        from recall.clean import clean_line
        from recall.cli.render import counted, when

        for file in answer["files"]:
            counts = f"  {counted(file['sessions'], 'session')}, {counted(file['touches'], 'time')}"
            yield [(clean_line(file["path"]), "bold"), (f"{counts}, last {when(file['last'])}", "dim")]

    _tell(answer, as_json, bool(answer["files"]), lines)
