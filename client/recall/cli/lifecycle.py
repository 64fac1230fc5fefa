"""`recall start` and `recall stop`."""

from __future__ import annotations

import sys

import click

from recall.cli.options import json_option
from recall.cli.output import print_json, print_lines, warn
from recall.places import places


@click.command()
@json_option
def start(as_json: bool) -> None:
    """Start the daemon: through its service where that is installed, else in the background.

    On a terminal the first build of the index is shown; Ctrl-C leaves it running.
    """
    from recall import daemon
    from recall.cli.progress import watch

    where = places()
    started = daemon.start(where, say=warn)
    if as_json:
        print_json({"how": started.how, "pid": started.lock.pid, "version": started.lock.version})
        return
    words = {"running": "already running", "service": "started as a service", "background": "started"}
    print_lines([[(f"recalld is {words[started.how]}, pid {started.lock.pid}", "")]])
    if sys.stderr.isatty():
        with daemon.reach(where) as client:
            watch(client, sys.stderr, until=lambda: False)


@click.command()
@json_option
def stop(as_json: bool) -> None:
    """Stop the daemon, and the socket unit that would start it again."""
    from recall import daemon

    stopped = daemon.stop(places(), say=warn)
    if as_json:
        print_json({"stopped": stopped})
        return
    print_lines([[("recalld is stopped" if stopped else "no recalld was running", "")]])
