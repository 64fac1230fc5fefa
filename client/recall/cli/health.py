"""`recall status`, `doctor`, `sync`, `call`."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

import click

from recall import __version__
from recall.cli.ask import ask, ask_running, reach
from recall.cli.options import json_option
from recall.cli.output import Line, print_json, print_lines, write_json
from recall.client import SYNC_TIMEOUT
from recall.errors import DaemonUnreachable, DataUnusable, RecallError, UsageError
from recall.places import places
from recall.types import Finding, Notes, Status

WIRING = {"not installed": "not wired  (recall install)"}
"""What people are told where the word of the JSON would be read as the agent itself that is not installed."""


@click.command()
@json_option
def status(as_json: bool) -> None:
    """Say how the daemon and the index are. Starts none: where none runs, that is the answer, with status 3."""
    answer: Status = ask_running("status")
    if as_json:
        print_json(dict(answer))
        return
    from recall.clean import clean_line
    from recall.cli.render import counted, home, size, span, when

    pending = f", {size(answer['pending_bytes'])} to read" if answer["pending_bytes"] else ""
    state = "complete" if answer["complete"] else f"filling{pending}"
    lines: list[Line] = [
        [("recalld ", "bold"), (f"{answer['version']}, pid {answer['pid']}, up {span(answer['uptime_s'])}", "")],
        [
            (f"{counted(answer['records'], 'record')} in {counted(answer['sessions'], 'session')}, ", ""),
            (f"{counted(answer['files'], 'file')}; index ", ""),
            (state, "green" if answer["complete"] else "yellow"),
        ],
        [(f"last commit {when(answer['last_commit']) or 'none yet'}, memory {size(answer['rss_bytes'])}", "dim")],
    ]
    if (trouble := answer.get("indexer", {}).get("trouble")) is not None:
        lines.append([(f"nothing can be indexed: {clean_line(trouble)}", "bold red"), ("  (recall doctor)", "dim")])
    for agent, counts in answer["agents"].items():
        skipped = f", {counted(counts['skipped_lines'], 'line')} skipped" if counts["skipped_lines"] else ""
        roots = ", ".join(home(root) for root in counts["roots"])
        lines.append(
            [
                (f"  {agent:<12}", "bold"),
                (f"{counted(counts['sessions'], 'session')}, {counted(counts['records'], 'record')}{skipped}", ""),
                (f"  {roots}", "dim"),
            ]
        )
    lines += _hook_lines(answer)
    print_lines(lines)


def _hook_lines(answer: Status) -> list[Line]:
    lines: list[Line] = []
    for agent, events in answer.get("hooks", {}).items():
        told = ", ".join(
            f"{event} {counts['answers']}/{counts['answers'] + counts['silences']} in {counts['p99_ms']:g} ms"
            for event, counts in events.items()
        )
        lines.append([(f"  {agent:<12}", "bold"), (f"hooks answered, slowest hundredth: {told}", "")])
    return lines


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what is wrong and what to do about it; exit status 1 when something is. Starts no daemon."""
    places_fit = True
    try:
        answer: Status = ask_running("status")
        told = ask_running("doctor")
        findings: list[Finding] = [*told["findings"], *compared(answer, os.environ)]
        notes: Notes = told.get("notes", {})
    except DataUnusable as error:
        findings, notes, places_fit = [finding("places", error.message, "name a directory of your own")], {}, False
    except DaemonUnreachable as error:
        from recall.cli import absent

        findings, notes = absent.findings(places(), error), {}
    wired: Mapping[str, str] = {}
    if places_fit:
        from recall.install.findings import standing

        wired, more = standing(places(), os.environ)
        known = {item["message"] for item in findings}  # what cannot be read is met on every way to it
        findings += [item for item in more if item["message"] not in known]
    if as_json:
        print_json({"findings": findings, "notes": notes, "agents": wired})
    else:
        lines = _finding_lines(findings) if findings else [[("all is well", "green")]]
        lines += [[(f"  {agent:<12}", "bold"), (WIRING.get(state, state), "dim")] for agent, state in wired.items()]
        print_lines([*lines, *_note_lines(notes)])
    if findings:
        raise click.exceptions.Exit(1)


def compared(answer: Status, env: Mapping[str, str]) -> list[Finding]:
    """Return where this environment and the daemon's differ: agents' roots that it does not read, another version.

    An agent that the configuration switches off is not read on purpose.
    """
    from recall.service.record import roots

    found: list[Finding] = []
    for agent, root in roots(env).items():
        if agent in answer.get("disabled", []):
            continue
        known = answer["agents"].get(agent, {"roots": []})["roots"]
        if os.path.realpath(root) not in [os.path.realpath(path) for path in known]:
            text = f"{agent} keeps its sessions in {root} here, and the daemon does not read that directory"
            remedy = f"add it to [sources.{agent}] roots in the configuration, or run `recall service install` here"
            found.append(finding("environment", text, remedy, root))
    if answer["version"] != __version__:
        text = f"the daemon is version {answer['version']}, this command is {__version__}"
        found.append(finding("version", text, "recall stop, then recall start"))
    return found


def finding(check: str, message: str, remedy: str, path: str | None = None) -> Finding:
    """Return one finding of the client's own."""
    return {"check": check, "path": path, "offset": None, "message": message, "remedy": remedy}


def _note_lines(notes: Notes) -> list[Line]:
    from recall.clean import clean_line
    from recall.cli.render import counted, home

    lines: list[Line] = []
    for agent, types in sorted(notes.get("unknown_types", {}).items()):
        names = ", ".join(f"{clean_line(name)} ({count})" for name, count in sorted(types.items()))
        lines.append([(f"note: {agent} writes lines of types that this version does not know: {names}", "dim")])
    if redacted := notes.get("redacted", {}):
        # the counts live in the indexing process and start anew with it
        kinds = ", ".join(f"{clean_line(kind)} ({count})" for kind, count in sorted(redacted.items()))
        total = counted(sum(redacted.values()), "secret")
        lines.append([(f"note: {total} taken out since the indexing process started: {kinds}", "dim")])
    if lost := notes.get("excluded_for_good", 0):
        why = "went because of [exclude] in the configuration, since the indexing process started"
        lines.append([(f"note: {counted(lost, 'record')} of files that are gone {why}", "dim")])
    lines += _skipped_lines(notes.get("skipped_lines", []))
    if awaited := notes.get("no_agents", []):
        looked = ", ".join(home(place) for place in awaited)
        lines.append([(f"note: no agent's directory is found yet; read as soon as one is there: {looked}", "dim")])
    return lines


SKIPPED_SHOWN = 10
"""Skipped lines that `doctor` lists for people; `--json` has more."""


def _skipped_lines(skipped: list[Finding]) -> list[Line]:
    from recall.clean import clean_line
    from recall.cli.render import home

    lines: list[Line] = []
    if skipped:
        lines.append([("note: lines that could not be read and were skipped:", "dim")])
    for item in skipped[:SKIPPED_SHOWN]:
        where = f"{home(item['path'])} at byte {item['offset']}: " if item["path"] else ""
        lines.append([(f"    {where}{clean_line(item['message'])}", "dim")])
    if len(skipped) > SKIPPED_SHOWN:
        lines.append([(f"    and {len(skipped) - SKIPPED_SHOWN} more: see --json", "dim")])
    return lines


def _finding_lines(findings: list[Finding]) -> list[Line]:
    from recall.clean import clean_line
    from recall.cli.render import home

    lines: list[Line] = []
    for item in findings:
        where = home(item["path"])
        if item["offset"] is not None:
            where += f" at byte {item['offset']}"
        lines.append([(f"{clean_line(item['check'])}: ", "bold red"), (clean_line(item["message"]), "")])
        if where:
            lines.append([(f"    {where}", "dim")])
        if item["remedy"]:
            lines.append([("    do: ", "dim"), (clean_line(item["remedy"]), "")])
    return lines


@click.command()
@json_option
def sync(as_json: bool) -> None:
    """Return when every complete line that was on disk at the call is in the index."""
    answer = _watched_sync() if sys.stderr.isatty() else ask("sync", timeout=SYNC_TIMEOUT)
    if as_json:
        print_json(answer if isinstance(answer, dict) else {})


def _watched_sync() -> Any:
    """Sync on one connection while another watches how far it is."""
    from recall.cli.progress import watch

    outcome: list[Any] = []
    done = threading.Event()
    with reach(look=False) as asking, reach(look=False) as watching:

        def wait() -> None:
            try:
                outcome.append(asking.sync())
            except RecallError as error:
                outcome.append(error)
            done.set()

        threading.Thread(target=wait, daemon=True).start()
        watch(watching, sys.stderr, until=done.is_set)
        done.wait()
    if isinstance(outcome[0], RecallError):
        raise outcome[0]
    return outcome[0]


@click.command()
@click.argument("method")
@click.argument("parameters", metavar="[JSON]", default="{}")
@click.option("--json", "as_json", is_flag=True, help="As always: the reply is JSON.")
def call(method: str, parameters: str, as_json: bool) -> None:
    """Send one raw request to the daemon and print its result as JSON. JSON is an object; `-` reads stdin."""
    import orjson

    text = sys.stdin.buffer.read() if parameters == "-" else parameters.encode("utf-8", "surrogateescape")
    try:
        params = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the parameters are not JSON: {error}") from error
    if not isinstance(params, dict):
        raise UsageError('the parameters must be a JSON object, such as {"query": "cache"}')
    write_json(ask(method, params, timeout=SYNC_TIMEOUT if method == "sync" else None))
