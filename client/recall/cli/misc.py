"""`recall completion` and `recall version`."""

from __future__ import annotations

import click

from recall import __version__
from recall.cli.options import json_option
from recall.cli.output import print_json, print_lines


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def completion(shell: str, as_json: bool) -> None:
    """Print the completion script of SHELL: put `eval "$(recall completion bash)"` into its startup file."""
    from click.shell_completion import get_completion_class

    from recall.cli import COMPLETE, cli

    kind = get_completion_class(shell)
    assert kind is not None  # the three that click brings
    script = kind(cli, {}, "recall", COMPLETE).source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        print_lines([[(line, "")] for line in script.split("\n")])


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the version of this command."""
    if as_json:
        print_json({"version": __version__})
    else:
        print_lines([[(f"recall {__version__}", "")]])
