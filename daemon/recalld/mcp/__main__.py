"""`python -m recalld.mcp --control-fd N`: the process. Started by the main process only."""

from __future__ import annotations

import os
import socket

import click

from recalld import logs
from recalld.server.children import die_with_parent

IDLE = 300.0
"""Seconds without a word on any connection after which the child asks to go."""


@click.command()
@click.option("--control-fd", type=int, required=True, help="Descriptor of the pipe to the main process.")
@click.option("--idle", type=float, default=IDLE, show_default=True, help="Seconds of silence before it asks to go.")
def main(control_fd: int, idle: float) -> None:
    """Serve MCP on the connections that come over the control pipe, until it closes."""
    die_with_parent()
    logs.setup(os.environ.get("RECALLD_LOG_LEVEL", "info"))
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    from recalld.mcp.child import run  # takes most of the time of a start: not before it dies with its parent

    run(control, idle)


if __name__ == "__main__":
    main()
