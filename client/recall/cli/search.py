"""`recall search`, and `recall QUERY…`, which is the same."""

from __future__ import annotations

import sys
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
    since_option,
    sub_agents_option,
    until_option,
)
from recall.cli.output import print_json, print_lines, warn, width
from recall.errors import UsageError

NAMED_MATCHES = 100
"""Matches of a session that are shown where `--session` names it."""


class QueryCommand(click.Command):
    """A command whose arguments are a query: what is none of its options is text, also where it starts with `-`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        flags, valued = self.kinds_of_options()
        options, words = split_query(args, flags, valued)
        if not ctx.resilient_parsing and "--json" not in options:
            text = args[: args.index("--")] if "--" in args else args
            ctx.call_on_close(lambda: _hint([word for word in text if word in words], flags | valued))
        return super().parse_args(ctx, [*options, "--", *words])

    def kinds_of_options(self) -> tuple[set[str], set[str]]:
        """Return (the options that stand alone, those that take a value)."""
        flags, valued = {"-h", "--help"}, set[str]()
        for option in self.params:
            if isinstance(option, click.Option):
                (flags if option.is_flag else valued).update(option.opts)
        return flags, valued


def _hint(words: list[str], options: set[str]) -> None:
    """Say on stderr which option may have been meant by a word of the query."""
    from recall.cli.hints import option_meant

    for word in words:
        if (meant := option_meant(word, sorted(options))) is not None:
            warn(f"recall: {word} was taken as text; did you mean {meant}?")


def split_query(args: list[str], flags: set[str], valued: set[str]) -> tuple[list[str], list[str]]:
    """Return `args` as (options with their values, words of the query), each in order.

    `--` ends the options. An unknown option is a word, and so is everything after `--`.
    """
    options: list[str] = []
    words: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            words.extend(rest)
        elif arg in flags:
            options.append(arg)
        elif arg in valued:
            options.append(arg)
            options.extend(value for value in [next(rest, None)] if value is not None)
        elif arg.startswith("--") and "=" in arg and arg.split("=", 1)[0] in valued:
            options.append(arg)
        else:
            words.append(arg)
    return options, words


@click.command(cls=QueryCommand)
@click.argument("query", nargs=-1, required=True, type=click.UNPROCESSED)
@json_option
@limit_option(10)
@offset_option
@agent_option(multiple=True)
@project_option(multiple=True)
@click.option("--session", metavar="S", multiple=True, help="Only this session: an id, a unique prefix, or AGENT:ID.")
@click.option("--not-session", metavar="S", multiple=True, help="Everything but this session.")
@click.option("--role", type=click.Choice(ROLES), multiple=True, help="Only what this role said.")
@click.option("--kind", type=click.Choice(KINDS), multiple=True, help="Only records of this kind.")
@since_option
@until_option
@sub_agents_option
@click.option("--sort", type=click.Choice(["relevance", "newest"]), default="relevance", show_default=True)
def search(query: tuple[str, ...], as_json: bool, offset: int, **given: Any) -> None:
    """Search the history of all agents.

    QUERY is words that must all occur; "a phrase"; -word; word*; a OR b; and the fields agent: project: session: role:
    kind: tool: path: branch: since: until: is:error is:subagent is:abandoned. An argument that looks like an unknown
    option is query text; after `--` everything is. The same filter twice means either.
    """
    from recall.times import zone

    text = " ".join(query)
    if not text.strip():
        raise UsageError("the query is empty: give it a word")
    if named := bool(given["session"]):  # whoever names a session wants to see what is in it
        given["matches"] = NAMED_MATCHES
    answer = ask("search", params(query=text, offset=offset, **given) | zone())
    if as_json:
        print_json(answer)
    elif answer["hits"]:
        from recall.cli.render import hits

        print_lines(hits(answer, offset, width(), named))
    else:
        from recall.cli.render import filling, no_more, noted

        told = no_more(answer["total"], "session") if answer["total"] else "nothing found"
        print_lines([[(told + noted(answer) + filling(answer["index"]), "dim")]])
    if not answer["hits"]:
        sys.stdout.flush()
        raise click.exceptions.Exit(1)
