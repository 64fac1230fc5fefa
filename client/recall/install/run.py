"""`install` and `uninstall`: from what is to be wired to what was done, file by file.

A file that cannot be changed safely is left alone and named; the others are done all the same.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from recall.errors import NotFound, RecallError, Refused
from recall.hooks.write import launcher_path, write_launcher
from recall.install import edit
from recall.install.agents import Agent, agents, version
from recall.install.files import Changed, apply, decoded, planned, read
from recall.install.ledger import Ledger
from recall.install.stranger import why_not_tool
from recall.install.wiring import File, Keep, Part, Setup, files
from recall.places import Places

SKILL_NAME = "SKILL.md"

What = Literal["made", "changed", "unchanged", "restored", "removed", "refused"]


@dataclass(slots=True)
class FileDone:
    """What became of one file. `diff` is filled in for a dry run, `message` where there is something to say."""

    path: Path
    what: What
    parts: list[str] = field(default_factory=list)
    message: str | None = None
    diff: str = ""


@dataclass(slots=True)
class AgentDone:
    """What became of one agent's files, and what its user must still do."""

    agent: Agent
    files: list[FileDone] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)

    @property
    def refused(self) -> bool:
        return any(done.what == "refused" for done in self.files)


def chosen(names: Sequence[str], env: Mapping[str, str]) -> list[Agent]:
    """Return the agents of these names, or all that are found; raise NotFound where one is not here."""
    known = agents(env)
    if not names:
        found = [agent for agent in known if agent.found]
        if not found:
            raise NotFound("no agent is found: neither its directory nor its command; see `recall install --help`")
        return found
    picked = [agent for agent in known if agent.name in names]
    for agent in picked:
        if not agent.found:
            raise NotFound(f"{agent.title} is not found: there is no {agent.home} and no command {agent.command!r}")
    return picked


def setup_for(agent: Agent, places: Places, env: Mapping[str, str], *, mcp: bool = True) -> Setup:
    """Return how an agent of its version is wired."""
    tool_hooks = False
    if mcp and agent.mcp_hooks_from is not None:
        known = version(agent, env)
        tool_hooks = known is not None and known >= agent.mcp_hooks_from
    # Codex's trust is a hash of each hook: one that works stays as it is, of whichever kind.
    return Setup(str(absolute_launcher(places)), tool_hooks, env, either=agent.name == "codex" and mcp)


def absolute_launcher(places: Places) -> Path:
    """Return the launcher's path as it is written into the agents' files."""
    return Path(os.path.abspath(launcher_path(places)))


def install(
    names: Sequence[str],
    places: Places,
    env: Mapping[str, str] = os.environ,
    *,
    hooks: bool = True,
    mcp: bool = True,
    dry_run: bool = False,
) -> list[AgentDone]:
    """Wire recall into the agents; return what was done. Doing it again changes nothing."""
    picked = chosen(names, env)
    places.check_data()
    ledger = Ledger(places)
    if not dry_run:
        write_launcher(places, env)
    done = []
    for agent in picked:
        setup = setup_for(agent, places, env, mcp=mcp)
        why = why_not_tool(agent, setup) if setup.tool_hooks or setup.either else None
        if why is not None:  # hooks that call it already become commands too
            setup = replace(setup, tool_hooks=False, either=False)
        result = AgentDone(agent)
        # Parts that were wired before and are not asked for now stay: only `uninstall` takes things out.
        asked = [part.what for file in files(agent, setup, hooks=hooks, mcp=mcp) for part in file.parts]
        for file in files(agent, setup):
            result.files += [d for d in [_wire(file, asked, ledger, dry_run=dry_run)] if d is not None]
        for done_file in result.files:
            if why is not None and "hooks" in done_file.parts:
                done_file.message = "; ".join(text for text in (done_file.message, why) if text)
        result.todo = _todo(result, hooks=hooks, mcp=mcp)
        done.append(result)
    return done


def _todo(result: AgentDone, *, hooks: bool, mcp: bool) -> list[str]:
    title = result.agent.title
    todo = []
    if hooks and result.agent.name == "codex":
        todo.append("in Codex, type /hooks and trust the hooks of recall: until then it skips them without a word")
    if any(done.what in ("made", "changed") for done in result.files):
        todo.append(f"start {title} anew: sessions that are open now keep what they read at their start")
    return todo


def _wire(file: File, asked: Sequence[str], ledger: Ledger, *, dry_run: bool) -> FileDone | None:
    notes: list[str] = []
    bases: list[bytes | None] = []
    left: list[str] = []

    def change(text: str | None) -> str | None:
        notes.clear()
        bases.clear()
        left.clear()
        current = file.begin(text)
        states = {part: part.state(current) for part in file.parts}
        parts = [part for part, state in states.items() if part.what in asked or state in ("wired", "stale")]
        for part, state in states.items():
            if part.what in asked and state == "other":
                notes.append(f"the {part.what} there is not ours and stays")
                left.append(part.what)
        parts = [part for part in parts if states[part] != "other"]
        if all(states[part] == "wired" for part in parts):
            return text
        data = read(file.path)
        if ledger.unchanged(file.path, data):
            base = ledger.base(file.path)
            clean = decoded(file.path, base)
        else:
            ours = [part for part, state in states.items() if state in ("wired", "stale")]
            clean = _without(file, current, ours, _kept(file, ledger)) if ours else text
            base = data if not ours else (None if clean is None else clean.encode())
        bases.append(base)
        new = file.begin(clean)
        for part in parts:
            new = part.put(new)
        return new

    if not file.parts:
        return None
    try:
        if dry_run:
            changed = planned(file.path, change)
        else:
            backups: list[Path] = []
            changed = apply(file.path, change, lambda c: _back_up(file.path, c, ledger, backups))
            if changed.after is not None and changed.before != changed.after:
                ledger.note(file.path, bases[0], changed.after, backups[0] if backups else None)
    except RecallError as error:
        return FileDone(file.path, "refused", message=error.message)
    names = [part.what for part in file.parts if part.what in asked and part.what not in left]
    message = "; ".join(notes) or None
    if changed.before == changed.after:
        return FileDone(file.path, "unchanged", names, message) if names or message else None
    what: What = "made" if changed.before is None else "changed"
    return FileDone(file.path, what, names, message, _diff(file.path, changed) if dry_run else "")


def _back_up(path: Path, changed: Changed, ledger: Ledger, made: list[Path]) -> None:
    """Keep a copy beside the file, once: before it is changed for the first time."""
    if changed.before is None or path in ledger or made:
        return
    for name in (f"{path.name}.bak", f"{path.name}.recalld.bak"):
        copy = path.with_name(name)
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, path.stat().st_mode & 0o777)
        except FileExistsError:
            continue  # somebody's copy, or ours of an earlier time: it stays
        except OSError as error:
            raise Refused(f"{copy}: cannot be written: {error.strerror}") from error
        with os.fdopen(handle, "wb") as file:
            file.write(changed.before)
        made.append(copy)
        return


def uninstall(
    names: Sequence[str], places: Places, env: Mapping[str, str] = os.environ, *, dry_run: bool = False
) -> list[AgentDone]:
    """Take recall out of the agents; return what was done.

    A file that nobody changed since gets its bytes back, one that was made goes; out of a changed one our entries are
    taken alone.
    """
    ledger = Ledger(places)
    done = []
    for agent in agents(env):
        if names and agent.name not in names:
            continue
        result = AgentDone(agent)
        setup = Setup(str(absolute_launcher(places)), tool_hooks=False, env=env, either=True)
        for file in files(agent, setup):
            result.files += [d for d in [_unwire(file, ledger, dry_run=dry_run)] if d is not None]
        if result.files or names:
            done.append(result)
    return done


def _unwire(file: File, ledger: Ledger, *, dry_run: bool) -> FileDone | None:
    restored = False

    def change(text: str | None) -> str | None:
        nonlocal restored
        restored = False
        if text is None:
            return None
        if ledger.unchanged(file.path, read(file.path)):
            restored = True
            return decoded(file.path, ledger.base(file.path))
        if not text.strip():
            return text
        current = file.begin(text)
        ours = [part for part in file.parts if part.state(current) in ("wired", "stale")]
        return _without(file, current, ours, _kept(file, ledger)) if ours else text

    try:
        changed = planned(file.path, change) if dry_run else apply(file.path, change)
        if not dry_run:
            _forget(file, ledger, changed, restored=restored)
    except RecallError as error:
        return FileDone(file.path, "refused", message=error.message)
    if changed.before == changed.after:
        return None
    what: What = "removed" if changed.after is None else ("restored" if restored else "changed")
    names = [part.what for part in file.parts]
    return FileDone(file.path, what, names, diff=_diff(file.path, changed) if dry_run else "")


def _forget(file: File, ledger: Ledger, changed: Changed, *, restored: bool) -> None:
    entry = ledger.entry(file.path)
    if entry is not None and entry.backup is not None and restored:
        backup = Path(entry.backup)
        if read(backup) == changed.after:  # it says what the file itself says again
            backup.unlink()
    ledger.drop(file.path)
    if changed.after is None and file.path.name == SKILL_NAME:
        for directory in (file.path.parent, file.path.parent.parent):  # `recall` and `skills`
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()


def _without(file: File, text: str, ours: Sequence[Part], keep: Keep) -> str | None:
    """Return `text` without our parts; None where that leaves nothing of a file that was not there without us."""
    for part in ours:
        text = part.take(text, keep)
    return None if file.is_empty(text) and not keep(()) else text


def _kept(file: File, ledger: Ledger) -> Keep:
    """Tell what was there without us. Where nothing is known of it: the file, and nothing in it that we leave empty."""
    if file.path not in ledger:
        return lambda path: not path and file.path.name != SKILL_NAME
    base = decoded(file.path, ledger.base(file.path))
    if base is None:
        return lambda path: False
    began = file.begin(base)
    return lambda path: not path or edit.has(began, path)


def _diff(path: Path, changed: Changed) -> str:
    def lines(data: bytes | None) -> list[str]:
        return [] if data is None else data.decode("utf-8", "replace").splitlines()

    was = str(path) if changed.before is not None else "/dev/null"
    will = str(path) if changed.after is not None else "/dev/null"
    return "\n".join(difflib.unified_diff(lines(changed.before), lines(changed.after), was, will, lineterm=""))
