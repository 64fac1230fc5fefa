"""`recall service install|uninstall|status`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from recall import service as services
from recall.cli.options import json_option
from recall.cli.output import Line, print_json, print_lines
from recall.errors import ConfigError, Refused
from recall.places import places
from recall.service import Manager, Plan, record

dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.pass_context
def service(context: click.Context) -> None:
    """Run recalld as a user service: systemd on Linux, launchd on macOS.

    Everything is the user's own: no root, nothing system-wide.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@service.command(short_help="Install the service and start it.")
@json_option
@dry_run_option
def install(as_json: bool, dry_run: bool) -> None:
    """Install and start the service, for the places and the agents' directories of this environment.

    Directories that environment variables name (CLAUDE_CONFIG_DIR, CODEX_HOME, QWEN_HOME, QWEN_RUNTIME_DIR) are
    recorded in the configuration, since a service manager reads no shell profile. Installing again changes what has
    changed.
    """
    from recall import daemon

    manager = _manager()
    where = places()
    where.check_data()
    plan = manager.plan_install(where, daemon.command())
    text = _read_text(where.config)
    wanted = record.recorded(text, record.roots(os.environ))
    if wanted != text:
        plan.write[where.config] = wanted
    plan.write = {path: body for path, body in plan.write.items() if _read_text(path) != body}
    active = manager.installed() and manager.active()
    last = plan.renew if active and plan.write else plan.start
    report = _Report(plan.write, [], [*plan.reload, *last], as_json, dry_run)
    if dry_run:
        report.show()
        return
    _write(plan)
    if not as_json:
        report.show()  # before what may fail, so that a person sees what was written
    failed = f"the files are written, but {manager.what} could not be started"
    _run(manager, plan.reload, failed)
    if not active and daemon.running(where) is not None:
        daemon.stop(where)  # one in the background: it holds the lock that the service needs
    _run(manager, last, failed)
    if as_json:
        report.show()


@service.command(short_help="Stop it, and remove what `install` wrote.")
@json_option
@dry_run_option
def uninstall(as_json: bool, dry_run: bool) -> None:
    """Stop the service and remove what `install` wrote. The index and the configuration stay."""
    manager = _manager()
    plan = manager.plan_uninstall()
    report = _Report({}, plan.remove, [*plan.stop, *plan.reload], as_json, dry_run)
    if dry_run:
        report.show()
        return
    failed: Refused | None = None
    try:
        _run(manager, plan.stop, "the files are removed, but the service could not be stopped")
    except Refused as error:  # the files go all the same, and the error is told after that
        failed = error
    for path in plan.remove:
        path.unlink(missing_ok=True)
        if path.parent.name.endswith(".d") and not any(path.parent.iterdir()):
            path.parent.rmdir()
    if not as_json:
        report.show()
    if failed is not None:
        raise failed
    _run(manager, plan.reload, "the files are removed, but the service manager was not told")
    if as_json:
        report.show()


@service.command(short_help="Say whether it is installed and listening.")
@json_option
def status(as_json: bool) -> None:
    """Say whether the service is installed and listening, and whether it is the one of these places."""
    manager = _manager()
    installed = manager.installed()
    active = installed and manager.active()
    serves = manager.serves(places(), os.environ)
    if as_json:
        print_json({"installed": installed, "active": active, "serves": serves})
        return
    if not installed:
        lines: list[Line] = [[("not installed: recall service install", "")]]
    else:
        lines = [[(f"{manager.what}: {'listening' if active else 'installed, not listening'}", "")]]
        if not serves:
            lines.append([("it was installed for other places: run `recall service install` again here", "yellow")])
    print_lines(lines)


def _manager() -> Manager:
    found = services.manager(os.environ)
    if found is None:
        raise Refused("this platform has neither systemd nor launchd: use `recall start`")
    return found


def _read_text(path: os.PathLike[str]) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{os.fspath(path)} cannot be read: {error}") from error


def _write(plan: Plan) -> None:
    for path, text in plan.write.items():
        try:
            record.write(path, text)
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror}") from error


def _run(manager: Manager, commands: list[list[str]], failed: str) -> None:
    for arguments in commands:
        try:
            manager.run(arguments)
        except Refused as error:
            raise Refused(f"{failed}: {error.message}") from error


@dataclass(frozen=True, slots=True)
class _Report:
    """What was, or would be, done."""

    written: Mapping[Path, str]
    removed: list[Path]
    commands: list[list[str]]
    as_json: bool
    dry_run: bool

    def show(self) -> None:
        commands = [" ".join(arguments) for arguments in self.commands]
        if self.as_json:
            written, removed = [str(path) for path in self.written], [str(path) for path in self.removed]
            print_json({"dry_run": self.dry_run, "written": written, "removed": removed, "commands": commands})
            return
        verb = "would " if self.dry_run else ""
        lines: list[Line] = [[(f"{verb}write {path}", "")] for path in self.written]
        lines += [[(f"{verb}remove {path}", "")] for path in self.removed]
        lines += [[(f"{verb}run {command}", "dim")] for command in commands]
        print_lines(lines or [[("nothing to do", "")]])
