"""`recalld`: the service in the foreground."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

import click

from recall import __version__
from recall.errors import ConfigError, RecallError
from recall.places import places
from recalld import logs

HELP = """Watch the session files of coding agents, index what is appended, answer over a Unix socket.

Runs in the foreground and logs to stderr, one line an event. `recall` is the client; `recall start` runs this in the
background, `recall service install` makes it a user service.

\b
Signals
  SIGTERM, SIGINT  commit what was read, end with status 0 within 5 s
  SIGHUP           read the configuration again

\b
Environment
  RECALLD_DATA_DIR     index, lock, decisions; one daemon for each
  RECALLD_RUNTIME_DIR  the socket, recalld.sock
  RECALLD_CONFIG       the configuration file (TOML); it need not exist
  CLAUDE_CONFIG_DIR, CODEX_HOME, QWEN_RUNTIME_DIR, QWEN_HOME
                       where the agents keep their sessions; only ever read

\b
Exit status
  0  ended by a signal      4  any other error
  2  wrong usage            5  one is running already for this data directory
"""


@click.command(help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="info",
    show_default=True,
    envvar="RECALLD_LOG_LEVEL",
    show_envvar=True,
    help="What is logged, and above.",
)
@click.version_option(__version__, prog_name="recalld")
def command(log_level: str) -> None:
    """The `recalld` command, behind its options."""
    _open_standard_streams()
    logs.setup(log_level)
    os.environ["RECALLD_LOG_LEVEL"] = log_level  # the children's too
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)  # until the event loop has its own
    try:
        from recalld.server.lifecycle import serve  # takes most of the time of a start: not for --help

        serve(places())
    except RecallError as error:
        # what quotes the configuration may quote anything; only that is worth loading the redactor for
        message = logs.told(error.message) if isinstance(error, ConfigError) else error.message
        click.echo(f"recalld: {message}", err=True)
        _leave(error.exit_status)
    _leave(0)


def main() -> None:
    """The `recalld` command. Wrong usage is one line, as every error is."""
    try:
        command.main(prog_name="recalld", standalone_mode=False)
    except click.UsageError as error:
        click.echo(f"recalld: {error.format_message().rstrip('.')}; see `recalld --help`", err=True)
        sys.exit(2)


def _open_standard_streams() -> None:
    """Open what of stdin, stdout and stderr is closed, to nowhere: else the first files opened here got their numbers, and
    a child would log into one of them."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR)
        if descriptor > 2:
            os.close(descriptor)
            break
        os.set_inheritable(descriptor, True)
    if sys.stderr is None:
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115  # for the life of the process


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _leave(status: int) -> None:
    """End, without waiting for an answer that a thread may still be busy with: the 5 s of a stop are a promise."""
    if threading.active_count() > 1:
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
