"""`recall hook`, `recall statusline`: the launcher's work, for people and where the launcher is not installed."""

from __future__ import annotations

from typing import NoReturn

import click

from recall.hooks import launch
from recall.hooks.write import settings
from recall.places import places


@click.command()
@click.argument("words", metavar="AGENT EVENT", nargs=-1)
def hook(words: tuple[str, ...]) -> None:
    """Answer a hook of AGENT (claude-code, codex, qwen-code): its JSON on stdin, JSON or nothing on stdout.

    Never fails: whatever is wrong, the exit status is 0 and nothing is printed. An agent takes any other for a wish to
    stop what the person asked for.
    """
    _run("hook", *words)


@click.command()
@click.argument("words", metavar="AGENT", nargs=-1)
def statusline(words: tuple[str, ...]) -> None:
    """Print the status line for AGENT, which hands its JSON in on stdin; nothing where no daemon runs."""
    _run("statusline", *words)


def _run(*words: str) -> NoReturn:
    launch.main(["recall", *words], settings(places()))
    raise SystemExit(0)
