"""`recall mcp`: becomes the relay. Agents are given the launcher instead, which gets there without this."""

from __future__ import annotations

import os
import sys

import click

from recall.cli.options import AGENTS
from recall.places import places


@click.command()
@click.option("--context-search", is_flag=True, help="One tool, `context_search`: Qwen Code's profile.")
@click.option("--agent", type=click.Choice(AGENTS), help="Which agent asks, where its environment does not tell.")
def mcp(context_search: bool, agent: str | None) -> None:
    """Serve MCP on stdin and stdout, one JSON-RPC message a line, until stdin ends.

    The server runs in the daemon, which is started when it is needed. `recall install` wires it into your agents.
    """
    from recall.hooks.write import settings

    arguments = ["--context-search"] if context_search else []
    if agent is not None:
        arguments += ["--agent", agent]
    given = settings(places())
    start = (
        "import sys\n"
        f"sys.path.insert(0, {given['relay']!r})\n"
        "import os, relay\n"
        f"env = dict(os.environb) | {{k.encode(): os.fsencode(v) for k, v in {given['env']!r}.items()}}\n"
        f"relay.main({arguments!r}, {given!r}, env)\n"
    )
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", start])
