"""`forget` and `exclude` as the indexer carries them out.

The steps of both, in this order, so that a crash between any two is made good at the next start:

1. the decision is written (and the hashes by which what it covers is known again),
2. what it covers is taken out of the index, and the main process told: no answer has it from here on,
3. the index is written anew beside the old one, without it, and the old one's files are deleted,
4. the decision is marked as carried out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from recall.errors import Ambiguous, NotFound, UsageError
from recalld import analysis, logs
from recalld.answers import iso, resolve
from recalld.decisions import Decisions, Forgotten
from recalld.index.documents import SEPARATOR, StoredRecord
from recalld.ingest.bans import Bans, file_keys, held_key
from recalld.ingest.forget import Targets, erase, gather, hold_back, remember, sub_agents, take_out
from recalld.ingest.generations import Generations
from recalld.ingest.worker import Worker
from recalld.patterns import Patterns, checked
from recalld.redact import redact_place

SIDE_KINDS = frozenset({"history", "names", "meta"})
"""Kinds of files that tell of sessions beside their transcripts."""

_LISTED = 20
"""Sessions that a dry run names."""

Result = dict[str, Any]
Params = dict[str, Any]


class Commands:
    """Over one worker. `alive` shows the main process that a long piece of work goes on."""

    def __init__(
        self,
        worker: Worker,
        generations: Generations,
        decisions: Decisions,
        bans: Bans,
        configured: Iterable[str],
        home: Path,
        alive: Callable[[], None],
    ) -> None:
        self._worker = worker
        self._generations = generations
        self._decisions = decisions
        self._bans = bans
        self._configured = tuple(configured)
        self._home = home
        self._alive = alive
        self.lost = 0
        """Records that existed nowhere else and went because of the configuration, since this process started."""
        worker.handlers["forget"] = self.forget
        worker.handlers["exclude"] = self.exclude
        worker.tidy = self.tidy

    # -- forget ------------------------------------------------------------------------------------------------------

    def forget(self, params: Params) -> Result:
        """Carry out one `forget` request; see `docs/protocol.md`."""
        if params.get("list"):
            return {"forgotten": [self._told(found) for found in self._decisions.standing()]}
        if params.get("undo"):
            return self._undo(params)
        self._worker.commit()
        decision = self._decide(params)
        targets = self._targets(decision)
        result = self._summary(decision, targets)
        if params.get("dry_run"):
            return result
        remember(decision, targets)
        if decision.kind == "project" and self._worker.complete:
            decision.read = self._read_so_far() | {held_key(skey): 0 for skey in targets.sessions}
        self._decisions.keep(decision)
        self._bans.refresh()
        hold_back(self._worker, targets, excluded=False)
        self._carry_out(targets)
        self._decisions.change(decision, erased=True)
        return {**result, "id": decision.id}

    def _read_so_far(self) -> dict[int, int]:
        """Return how far every file goes by now, in bytes of its text, by what tells it."""
        found: dict[int, int] = {}
        for file in self._worker.files.values():
            end = file.offset
            if not file.compressed and not file.deleted:
                with suppress(OSError):  # it has just gone: what was read of it is all there was
                    end = max(end, os.stat(file.path).st_size)
            for key in file_keys(file):
                found[key] = max(end, found.get(key, 0))
        return found

    def _decide(self, params: Params) -> Forgotten:
        """Return the decision that a request asks for, without what it covers."""
        session, project, before = params.get("session"), params.get("project"), params.get("before")
        if sum(given is not None for given in (session, project, before)) != 1:
            raise UsageError("say what to forget: one of session, project and before")
        number, now = self._decisions.next_id(), int(time.time() * 1000)
        if before is not None:
            return Forgotten(number, "before", iso(before) or str(before), now, before)
        if project is not None:
            if not project.strip("/ "):
                raise UsageError("project: would forget everything: name a directory below /")
            if "/" in project.strip("/") and not project.startswith("/"):
                raise UsageError(f"project: {project!r} is neither absolute nor a name: begin it with /")
            # the index holds it without its secrets, and so does the decision
            return Forgotten(number, "project", redact_place(project), now)
        snapshot = self._worker.writer.snapshot
        found = resolve(snapshot, str(session))
        skeys = {found.skey, *sub_agents(snapshot, found.skey)}
        return Forgotten(number, "session", snapshot.choosing_id(found), now, sessions=skeys)

    def _targets(self, decision: Forgotten) -> Targets:
        snapshot = self._worker.writer.snapshot
        if decision.kind == "session":
            targets = gather(snapshot, lambda _: False, decision.sessions)
        else:
            targets = gather(snapshot, _covers(decision), set())
            if decision.kind == "project":
                named = analysis.fold(decision.value).rstrip("/")
                for skey in targets.nodes:
                    session = snapshot.session(skey)
                    if session is None or session.project is None or named in analysis.project_tokens(session.project):
                        decision.sessions.add(skey)
            decision.sessions |= targets.whole
        decision.records = targets.records
        files = self._worker.files
        decision.files = [[files[f].path, n] for f, n in targets.files.items() if f in files]
        return targets

    def _summary(self, decision: Forgotten, targets: Targets) -> Result:
        snapshot = self._worker.writer.snapshot
        whole = [s for s in map(snapshot.session, sorted(targets.whole)) if s is not None]
        spared = sum(n.copied for nodes in targets.nodes.values() for n in nodes.values())
        gone = self._gone(targets)
        return {
            "kind": decision.kind,
            "value": decision.value,
            "sessions": len(whole),
            "sub_agents": sum(s.sub_agent is not None for s in whole),
            "touched": len(targets.sessions - targets.whole),
            "records": targets.records,
            "copies": targets.copies,
            "spared": spared,
            "files": sum(f in self._worker.files for f in targets.files),
            "deleted_files": len(gone),
            "unrecoverable": sum(gone.values()),
            "titles": [
                {"agent": s.agent, "id": snapshot.public_id(s), "title": s.title}
                for s in sorted(whole, key=lambda s: -(s.updated or 0))[:_LISTED]
            ],
        }

    def _gone(self, targets: Targets) -> dict[str, int]:
        """Return the files, by id, that held some of what is to go and are deleted: its records exist nowhere else."""
        files = self._worker.files
        return {f: n for f, n in targets.files.items() if f in files and files[f].deleted}

    def _told(self, decision: Forgotten) -> Result:
        """Return what `list` says of a decision, and what `undo` could not bring back."""
        lost = [(path, records) for path, records in decision.files if not os.path.exists(path)]
        return {
            "id": decision.id,
            "kind": decision.kind,
            "value": decision.value,
            "made": iso(decision.made),
            "sessions": len(decision.sessions),
            "records": decision.records,
            "files": len(decision.files),
            "deleted_files": len(lost),
            "unrecoverable": sum(records for _, records in lost),
        }

    def _undo(self, params: Params) -> Result:
        decision = self._named(params)
        result = self._told(decision)
        if params.get("dry_run"):
            return result
        self._decisions.change(decision, lifted=True)
        self._bans.refresh()
        self._read_again()
        return result

    def _read_again(self) -> None:
        """Have every file read from its beginning that holds something of what was kept out, or may."""
        self._worker.look(None)
        self._worker.read_again(
            f for f in list(self._worker.files.values()) if f.held_back or f.excluded or f.kind in SIDE_KINDS
        )

    def _named(self, params: Params) -> Forgotten:
        """Return the decision that an `undo` is about: by its number, or by what it was made for."""
        every = {decision.id: decision for decision in self._decisions.standing()}
        number, session, project = params.get("id"), params.get("session"), params.get("project")
        if number is not None:
            found = [every[number]] if number in every else []
        elif session is not None:
            of_sessions = [d for d in every.values() if d.kind == "session"]
            exact = [d for d in of_sessions if session in _names(d)]
            found = exact or [d for d in of_sessions if session and any(n.startswith(session) for n in _names(d))]
        elif project is not None:
            found = [d for d in every.values() if d.kind == "project" and d.value == redact_place(project)]
        else:
            raise UsageError("say what to take back: its number in the list, or its session or project")
        if not found:
            raise NotFound("nothing of that name has been forgotten; `recall forget --list` lists what has")
        if len(found) > 1:
            numbers = ", ".join(str(d.id) for d in found)
            raise Ambiguous(f"that was forgotten more than once (numbers {numbers}): name one by its number")
        return found[0]

    # -- exclude -----------------------------------------------------------------------------------------------------

    def exclude(self, params: Params) -> Result:
        """Carry out one `exclude` request; see `docs/protocol.md`."""
        add, remove = params.get("add"), params.get("remove")
        excluded = self._decisions.excluded
        if add is not None and remove is not None:
            raise UsageError("add: give one of add and remove")
        if add is None and remove is None:
            return {"patterns": list(excluded.patterns), "configured": list(self._configured)}
        if add is not None:
            pattern = checked(add)
            self._worker.commit()
            targets = self._matching(Patterns([pattern], self._home))
            gone = self._gone(targets)
            result = {
                "pattern": pattern,
                "sessions": len(targets.whole),
                "touched": len(targets.sessions - targets.whole),
                "records": targets.records,
                "deleted_files": len(gone),
                "unrecoverable": sum(gone.values()),
            }
            if params.get("dry_run"):
                return result
            if pattern not in excluded.patterns:
                self._decisions.change_excluded(patterns=[*excluded.patterns, pattern])
            self.settle()
            return result
        pattern = checked(str(remove))
        if pattern not in excluded.patterns:
            why = "`recall exclude list` lists them"
            if pattern in self._configured:
                why = "it is in the configuration file: remove it there"
            raise NotFound(f"{pattern!r} is not in the list: {why}")
        self._decisions.change_excluded(
            patterns=[p for p in excluded.patterns if p != pattern],
            applied=[p for p in excluded.applied if p != pattern or p in self._configured],
            lifting=True,
        )
        self._open_up()
        return {"pattern": pattern}

    def configure(self, configured: Iterable[str]) -> None:
        """Take a changed list of the configuration's patterns, and carry it out."""
        self._configured = tuple(configured)
        self.settle()

    def _patterns(self) -> list[str]:
        return list(dict.fromkeys([*self._decisions.excluded.patterns, *self._configured]))

    def _matching(self, patterns: Patterns) -> Targets:
        files = self._worker.files

        def covered(record: StoredRecord) -> bool:
            file = files.get(record.file)
            return patterns.project(record.project) or (file is not None and patterns.path(file.path))

        return gather(self._worker.writer.snapshot, covered, set())

    def _open_up(self) -> None:
        """Read again what is no longer excluded."""
        self._bans.set_patterns(Patterns(self._patterns(), self._home))
        self._bans.refresh()
        self._bans.start(())  # who is still excluded shows as the files are read
        self._read_again()

    # -- carrying out ------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Carry out everything that is decided and not carried out: at a start, and after a change."""
        patterns = self._patterns()
        self._bans.set_patterns(Patterns(patterns, self._home))
        self._bans.refresh()
        self._drop_lifted(patterns)
        if self._decisions.lifting():
            self._bans.start(())  # who is still excluded shows as the files are read
            self._read_again()
        if not self._decisions.pending(patterns):
            return
        self._worker.commit()
        files = self._worker.files
        bans = self._bans
        snapshot = self._worker.writer.snapshot
        self._warn_of_configured()
        excluding = self._matching(bans.patterns)
        hold_back(self._worker, excluding, excluded=True)
        bans.start(files.values())
        sessions = {
            skey
            for found in self._decisions.standing()
            if found.kind == "session" and not found.erased
            for skey in found.sessions
        }
        targets = gather(snapshot, lambda r: bans.drops_record(r, files.get(r.file)), sessions)
        for decision in self._decisions.standing():
            if not decision.erased:
                hold_back(self._worker, targets, excluded=False)
        self._carry_out(targets)
        self.settled()

    def _warn_of_configured(self) -> None:
        """Tell what goes for good because of a configuration that was changed: nobody was asked about it."""
        excluded = self._decisions.excluded
        new = [p for p in self._configured if p not in excluded.applied and p not in excluded.patterns]
        if not new:
            return
        lost = sum(self._gone(self._matching(Patterns(new, self._home))).values())
        if lost:
            logs.warning("excluded_for_good", records=lost, why="of files that are gone", by="[exclude] in the configuration")
            self.lost += lost

    def _drop_lifted(self, patterns: list[str]) -> None:
        """Notice patterns that were taken out of the configuration while no daemon ran."""
        excluded = self._decisions.excluded
        kept = [p for p in excluded.applied if p in patterns]
        if kept != excluded.applied:
            self._decisions.change_excluded(applied=kept, lifting=True)

    def settled(self) -> None:
        """Note that nothing of what was decided is left in the index."""
        for decision in self._decisions.standing():
            if not decision.erased:
                self._decisions.change(decision, erased=True)
        patterns = self._patterns()
        if set(self._decisions.excluded.applied) != set(patterns):
            self._decisions.change_excluded(applied=patterns)

    def tidy(self) -> None:
        """Finish what waits for everything to be read: what was taken back is; traces of what was read before it was
        known that it was not to be are erased."""
        if self._decisions.lifting():
            self._decisions.lifted()
        if self._bans.stale:
            self._bans.stale = False
            erase(self._worker, self._generations, self._alive)

    def _carry_out(self, targets: Targets) -> None:
        take_out(self._worker, targets, self._bans)
        self._worker.commit(everything=True)
        self._bans.stale = False
        erase(self._worker, self._generations, self._alive)


def _names(decision: Forgotten) -> tuple[str, str]:
    """Return what the session of a decision may be called: its id, and that behind its agent's name."""
    agent = min(decision.sessions).partition(SEPARATOR)[0]
    bare = decision.value.removeprefix(f"{agent}:")
    return bare, f"{agent}:{bare}"


def _covers(decision: Forgotten) -> Callable[[StoredRecord], bool]:
    """Return what tells which records a project's or a time's decision is about."""
    before = decision.before
    if before is not None:
        return lambda record: record.time is not None and record.time < before
    named = analysis.fold(decision.value).rstrip("/")
    known: dict[str, bool] = {}

    def covers(record: StoredRecord) -> bool:
        if record.project is None:
            return False
        found = known.get(record.project)
        if found is None:
            found = known[record.project] = named in analysis.project_tokens(redact_place(record.project))
        return found

    return covers
