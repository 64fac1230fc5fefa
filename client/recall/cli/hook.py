"""`recall hook`, `recall statusline`: the launcher's work, for people and where the launcher is not installed."""

from __future__ import annotations

from typing import NoReturn

import click

from recall.hooks import launch
from recall.hooks.write import settings
from recall.places import places

AGENTS = ("claude-code", "codex", "qwen-code")


@click.command()
@click.argument("agent", type=click.Choice(AGENTS))
@click.argument("event")
def hook(agent: str, event: str) -> None:
    """Answer a hook of AGENT: its JSON on stdin, JSON or nothing on stdout. Never fails: whatever is wrong, the exit
    status is 0 and nothing is printed."""
    _run("hook", agent, event)


@click.command()
@click.argument("agent", type=click.Choice(AGENTS))
def statusline(agent: str) -> None:
    """Print the status line for AGENT, which hands its JSON in on stdin; nothing where no daemon runs."""
    _run("statusline", agent)


def _run(*words: str) -> NoReturn:
    launch.main(["recall", *words], settings(places()))
    raise SystemExit(0)
