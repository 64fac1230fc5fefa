"""`recall hook`, `recall statusline`: the launcher's work, for people and where the launcher is not installed."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

import click

from recall.errors import RecallError
from recall.hooks import launch
from recall.hooks.write import settings
from recall.places import places


class _Unfailing(click.Command):
    """A command without a usage error: what is not the wish for help alone is an argument, `--bogus` too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args in (["-h"], ["--help"]) else ["--", *args])


@click.command(cls=_Unfailing)
@click.argument("words", metavar="AGENT EVENT", nargs=-1)
def hook(words: tuple[str, ...]) -> None:
    """Answer a hook of AGENT (claude-code, codex, qwen-code): its JSON on stdin, JSON or nothing on stdout.

    Never fails: whatever is wrong, the exit status is 0 and nothing is printed. An agent takes any other for a wish to
    stop what the person asked for.
    """
    sys.excepthook = launch.leave
    signal.signal(signal.SIGALRM, launch.leave)
    signal.setitimer(signal.ITIMER_REAL, launch.LIMIT)
    try:
        if len(words) == 2:
            places().check_data()  # a start that is asked for leaves a stamp there
            _run("hook", *words)
        launch.read_value()  # an agent that is still writing must not meet a closed pipe
    except (RecallError, OSError):
        pass  # `doctor` says what is wrong with the places; an agent must not hear of it
    raise SystemExit(0)


@click.command()
@click.argument("words", metavar="AGENT", nargs=-1)
def statusline(words: tuple[str, ...]) -> None:
    """Print the status line for AGENT, which hands its JSON in on stdin; it starts no daemon, and tells if none runs."""
    _run("statusline", *words)


def _run(*words: str) -> NoReturn:
    launch.main(["recall", *words], settings(places()))
    raise SystemExit(0)
