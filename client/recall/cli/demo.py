"""`recall demo`."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from types import FrameType

import click

from recall.cli.options import json_option
from recall.cli.output import Line, print_json, print_lines
from recall.demo.run import Act


@click.command()
@json_option
def demo(as_json: bool) -> None:
    """See it work: made-up sessions of three agents, in a temporary place that is removed afterwards.

    Starts a daemon of its own, indexes, searches, appends a line as an agent would and finds it, kills the daemon and
    starts it again, and says how long each took. Nothing of yours is read or written.
    """
    from recall.demo.run import perform

    signal.signal(signal.SIGTERM, _interrupt)
    acts = perform(dict(os.environ))
    if as_json:
        print_json({"acts": [{"act": a.act, "what": a.what, "took_ms": a.took_ms, **a.details} for a in acts]})
        return
    for act in acts:
        print_lines(_lines(act))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that the daemon is stopped and the temporary place removed."""
    raise KeyboardInterrupt


def _lines(act: Act) -> Iterator[Line]:
    from recall.clean import clean_line
    from recall.cli.render import MATCH, TIER, about

    took = f"{act.took_ms:9.1f} ms" if act.took_ms else " " * 12
    yield [(f"{took}  ", "cyan"), (f"{act.act:<8}", "bold"), (act.what, "")]
    margin = " " * 14
    if act.act == "search":
        answer = act.details["answer"]
        hit = answer["hits"][0]
        tier = TIER.get(answer["tier"] or "", "")
        spans: Line = [(f"{margin}› ", "dim"), (act.details["query"], MATCH)]
        yield [*spans, (f"  {tier}" if tier else "", "dim")]
        yield [(f"{margin}  {clean_line(hit['session']['title'] or '')}  ", "italic"), *about(hit["session"])]
    elif act.act == "resume":
        yield [(f"{margin}$ {act.details['command']}", "bold")]
