"""`blame`: which sessions wrote, read, or spoke of a file."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tantivy import Query

from recalld import analysis, answers
from recalld.hooks.history import asked_before
from recalld.index.documents import StoredRecord
from recalld.index.reader import Snapshot
from recalld.questions import common
from recalld.search.boundary import guarded
from recalld.search.filters import Filters, phrase

KINDS = ("edit", "read", "command", "mention")
"""What a session can have done with a path, the weightiest first."""
_LOOKED_AT = {"touched": 900, "command": 300, "mention": 300}
"""Records that are read to tell, the newest ones: together 10 ms."""
_RECORDS = 3
_ASKED = 500
"""Characters of what was asked that are told."""
_OUTSIDE = "\"'`(<[=,:"
"""Characters before a path that are not part of it."""


@dataclass(slots=True)
class _Touch:
    skey: str
    records: list[tuple[int, StoredRecord]] = field(default_factory=list)
    """(place of what it did in KINDS, record)."""


@guarded
def blame(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"path", "sessions": [{"session", "touches", "kinds", "first", "last", "asked", "records"}], "total"}`.

    `asked` is what a person wanted when the session last did that, None where nobody said.
    `path` is absolute, relative to `cwd` or to any project, or the last part of one; other params: `agent`, `project`,
    `since`, `until`, `limit`. A file in another worktree of a project, or in a project that has moved, is the same
    file.
    """
    path = common.required(params, "path")
    limit = common.limit_of(params, 20)
    chosen = common.compiled(snapshot, params)
    cwd = params.get("cwd")
    found: dict[str, _Touch] = {}
    for wanted in _readings(snapshot, path, cwd if isinstance(cwd, str) else None):
        found = _touches(snapshot, chosen, wanted)
        if found:
            break
    touches = sorted(found.values(), key=_order)
    answer = {
        "path": path,
        "sessions": [_json(snapshot, t) for t in touches[:limit]],
        "total": len(touches),
    }
    return common.noticed(answer, snapshot, chosen, bool(touches))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One reading of the path that was asked for."""

    absolute: str | None
    project: str | None
    """The project that `absolute` lies in, where one is known."""
    relative: str
    """What a path must end with, on whole components."""

    def is_named_by(self, written: str, project: str | None) -> bool:
        """Tell whether a path as some record has it, in a session of `project`, is the file."""
        full = posixpath.normpath(posixpath.join(project or "/", written))
        if self.absolute is None:
            return full == self.relative or full.endswith("/" + self.relative.lstrip("/"))
        if full == self.absolute:
            return True
        if self.project is None or not full.endswith("/" + self.relative):
            return False
        return self._is_twin(full[: -len(self.relative) - 1], posixpath.normpath(project or "/"))

    def _is_twin(self, root: str, project: str) -> bool:
        """Tell whether a directory is a worktree of the project, or the project before it moved, rather than one within it
        that holds a file of the same name. `project` is where the session ran that named it."""
        assert self.project is not None
        if root.startswith(self.project + "/"):
            within = root[len(self.project) + 1 :].partition("/")[0]
            return within.startswith(".") or "worktree" in within.lower()
        name = posixpath.basename(self.project)
        mine = posixpath.basename(root)
        if mine == name or mine.startswith((name + "-", name + "_", name + ".")):
            return True
        return f"/{name}/" in root and f"{project}/".startswith(f"{root}/")  # `worktrees/name/branch`, worked in


def _readings(snapshot: Snapshot, path: str, cwd: str | None) -> list[_Wanted]:
    """Return what the path may mean, the likeliest first."""
    path = posixpath.expanduser(path)
    bare = posixpath.normpath(path).lstrip("/")
    while bare.startswith("../"):
        bare = bare[3:]
    if posixpath.isabs(path) or cwd:
        absolute = posixpath.normpath(posixpath.join(cwd or "/", path))
        project = _project_of(snapshot, absolute)
        if project is None and cwd and not posixpath.isabs(path):
            project = posixpath.normpath(cwd)
        relative = absolute[len(project) + 1 :] if project and project != "/" else absolute.lstrip("/")
        first = _Wanted(absolute, project if project != "/" else None, relative)
        return [first] if posixpath.isabs(path) else [first, _Wanted(None, None, bare)]
    return [_Wanted(None, None, bare)]


def _project_of(snapshot: Snapshot, absolute: str) -> str | None:
    """Return the deepest directory above `absolute` in which sessions ran."""
    above = posixpath.dirname(absolute)
    while above != "/":
        if snapshot.frequency("project", analysis.fold(above)):
            below = snapshot.term("project", analysis.fold(above))
            record = next(iter(common.newest(snapshot, snapshot.all_of(below, snapshot.term("type", "r")), 1)), None)
            if record is not None and record.project is not None:
                project = posixpath.normpath(record.project)
                return project if absolute.startswith(project + "/") else above
        above = posixpath.dirname(above)
    return None


def _touches(snapshot: Snapshot, chosen: Filters, wanted: _Wanted) -> dict[str, _Touch]:
    tokens = analysis.tokens(wanted.relative)
    if not tokens:
        return {}
    found: dict[str, _Touch] = {}

    def add(record: StoredRecord, what: int) -> None:
        found.setdefault(record.skey, _Touch(record.skey)).records.append((what, record))

    named = _constant(phrase(snapshot, "path", tokens))
    touching = common.kinds(snapshot, "edit", "read", "tool_call")
    newest = common.newest(snapshot, common.within(chosen, named, touching), _LOOKED_AT["touched"])
    touched = [r for r in newest if any(wanted.is_named_by(p, r.project) for p in r.paths)]
    written = {r.key for r in common.that_worked(snapshot, [r for r in touched if r.kind == "edit"])}
    for record in touched:
        # An edit that failed wrote nothing: the file was spoken of.
        add(record, 1 if record.kind != "edit" else 0 if record.key in written else KINDS.index("mention"))
    spoken = _constant(phrase(snapshot, "text", tokens))
    for what, names in ((2, ("command",)), (3, ("message", "summary", "output"))):
        query = common.within(chosen, spoken, common.kinds(snapshot, *names))
        for record in common.newest(snapshot, query, _LOOKED_AT[KINDS[what]]):
            if _speaks_of(record, wanted):
                add(record, what)
    return found


def _constant(query: Query) -> Query:
    return Query.const_score_query(query, 1.0)


def _speaks_of(record: StoredRecord, wanted: _Wanted) -> bool:
    """Tell whether a text holds the path: written out, and not as the end of another one."""
    text, path = record.text, wanted.relative
    at = text.find(path)
    while at >= 0:
        end = at + len(path)
        goes_on = end < len(text) and (text[end].isalnum() or text[end] in "_-/")
        start = at
        while start > 0 and not text[start - 1].isspace() and text[start - 1] not in _OUTSIDE:
            start -= 1
        written = text[start:end]
        if not goes_on:
            if wanted.is_named_by(written, record.project):
                return True
            if written.startswith(("a/", "b/")) and wanted.is_named_by(written[2:], record.project):
                return True  # a diff
        at = text.find(path, end)
    return False


def _order(touch: _Touch) -> tuple[int, int, str]:
    best = min(what for what, _ in touch.records)
    return min(best, 3), -max(r.time or 0 for _, r in touch.records), touch.skey


def _json(snapshot: Snapshot, touch: _Touch) -> dict[str, Any]:
    session = snapshot.session(touch.skey)
    times = [r.time for _, r in touch.records if r.time]
    shown = sorted(touch.records, key=lambda w: (w[0], -(w[1].time or 0)))[:_RECORDS]
    asked = asked_before(snapshot, shown[0][1]) if shown[0][0] < KINDS.index("mention") else None
    return {
        "session": answers.session_json(snapshot, session) if session else None,
        "touches": len(touch.records),
        "kinds": [KINDS[n] for n in sorted({what for what, _ in touch.records})],
        "first": answers.iso(min(times, default=None)),
        "last": answers.iso(max(times, default=None)),
        "asked": asked.text[:_ASKED] if asked else None,
        "records": [answers.record_json(snapshot, r) for _, r in shown],
    }
