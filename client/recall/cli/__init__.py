"""The command line: a thin skin over `recall.Client`, one module a group of commands.

`run` turns every outcome into an exit status: 0 found or done, 1 nothing found, 2 wrong usage, 3 no daemon, 4 any other
error, 130 interrupted. A reader that closed its end early (`recall sessions | head -1`) is not an error.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click

from recall.cli.group import LazyGroup
from recall.errors import RecallError, UsageError

COMMANDS: dict[str, tuple[str, str]] = {
    "search": ("recall.cli.search:search", "Search (`recall QUERY…` is short for it)."),
    "show": ("recall.cli.sessions:show", "Show one session along its live branch."),
    "sessions": ("recall.cli.sessions:sessions", "List sessions, newest first."),
    "resume": ("recall.cli.sessions:resume", "Print, or run, the command that reopens a session in its agent."),
    "context": ("recall.cli.questions:context", "Print a digest of what was decided and done."),
    "blame": ("recall.cli.questions:blame", "Say which sessions touched a file."),
    "how": ("recall.cli.questions:how", "Say how a tool was called, and whether that worked."),
    "fix": ("recall.cli.questions:fix", "Say what was done about an error, and whether it held."),
    "files": ("recall.cli.questions:files", "Say which files a topic touched."),
    "forget": ("recall.cli.forget:forget", "Remove history for good."),
    "exclude": ("recall.cli.exclude:exclude", "Name projects and paths never to read."),
    "status": ("recall.cli.health:status", "Say how the daemon and the index are."),
    "doctor": ("recall.cli.health:doctor", "Say what is wrong and what to do about it."),
    "sync": ("recall.cli.health:sync", "Wait until all that is on disk is in the index."),
    "call": ("recall.cli.health:call", "Send one raw request to the daemon."),
    "hook": ("recall.cli.hook:hook", "Answer a hook of an agent (JSON on stdin)."),
    "statusline": ("recall.cli.hook:statusline", "Print the status line for an agent."),
    "start": ("recall.cli.lifecycle:start", "Start the daemon."),
    "stop": ("recall.cli.lifecycle:stop", "Stop the daemon."),
    "service": ("recall.cli.service:service", "Install the daemon as a user service (systemd, launchd)."),
    "install": ("recall.cli.install:install", "Wire hooks, MCP, skill and status line into your agents."),
    "uninstall": ("recall.cli.install:uninstall", "Take all of that out again."),
    "mcp": ("recall.cli.mcp:mcp", "Serve MCP on stdin and stdout (agents start this)."),
    "demo": ("recall.cli.demo:demo", "See it work on made-up sessions, in a temporary place."),
    "completion": ("recall.cli.misc:completion", "Print the completion script of a shell."),
    "version": ("recall.cli.misc:version", "Print the version."),
}
"""Every command: where it is, and its line in `recall --help`. Adding a command is one line here; its module is only
imported when it is used."""

INTERRUPTED = 130
COMPLETE = "_RECALL_COMPLETE"


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="A first word that is no command starts a query: `recall cache bug` is `recall search cache bug`.",
)
def cli() -> None:
    """Search what you and your coding agents did: Claude Code, Codex, Qwen Code."""


def run(arguments: list[str]) -> int:
    """Run `recall` with `arguments`; return the exit status. Never raises for what a user or a daemon can do wrong."""
    _open_streams()
    if COMPLETE in os.environ:
        cli.main(args=arguments, prog_name="recall", complete_var=COMPLETE)
    words = routed(arguments)
    as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
    try:
        with cli.make_context("recall", words) as context:
            if words is not arguments and not as_json:
                context.call_on_close(lambda: _hint(arguments))
            cli.invoke(context)
        return _flushed(0)
    except click.exceptions.Exit as done:
        return _flushed(done.exit_code, as_json)
    except click.UsageError as error:
        where = f"; see `{error.ctx.command_path} --help`" if error.ctx else ""
        return _failed(UsageError(error.format_message().rstrip(".") + where), as_json)
    except RecallError as error:
        return _failed(error, as_json)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _closed()
    except OSError as error:
        return _failed(_told(error), as_json)


def routed(arguments: list[str]) -> list[str]:
    """Return the arguments with the command that they mean in front: `search` where the first is none."""
    if not arguments:
        return ["--help"]
    first = arguments[0]
    if first == "--version":
        return ["version", *arguments[1:]]
    if first in COMMANDS or first in ("-h", "--help"):
        return arguments
    return ["search", *arguments]


def _hint(arguments: list[str]) -> None:
    """Say on stderr which command may have been meant by what became a search."""
    from recall.cli.hints import command_meant
    from recall.cli.output import warn
    from recall.cli.search import search, split_query

    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    words = split_query(options, *search.kinds_of_options())[1]
    if (meant := command_meant(words, COMMANDS)) is not None:
        warn(f"recall: this was a search; did you mean `recall {meant}`?")


def _open_streams() -> None:
    """Open what was closed by whoever started us (`>&-`) on nothing: the next file or socket that is opened would get
    its number, and be written to."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    # They are as long-lived as the process.
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _told(error: OSError) -> RecallError:
    """Return an error of the system as one of ours: of the file that it names, else of what is read and printed here."""
    what = f"{os.fsdecode(error.filename)} cannot be used" if error.filename else "input or output failed"
    return RecallError(f"{what}: {error.strerror}")


def _failed(error: RecallError, as_json: bool) -> int:
    from recall.cli.output import print_json, warn

    try:
        if as_json:
            print_json({"error": {"code": error.code, "message": error.message}})
        sys.stdout.flush()
    except OSError:  # nobody reads there, or the device is full
        _closed()
    try:
        warn(f"recall: {error.message}")
    except OSError:  # the status still tells
        _closed(sys.stderr)
    return error.exit_status


def _flushed(status: int, as_json: bool = False) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed()
    except OSError as error:
        return _failed(_told(error), as_json)
    return status


def _closed(stream: TextIO | None = None) -> int:
    """Let the interpreter's last flush of stdout, or of `stream`, go nowhere: whoever read there has what they wanted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())
    return 0
