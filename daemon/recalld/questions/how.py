"""`how`: in what ways a command line tool was called and worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tantivy import Query

from recalld import analysis, answers
from recalld.index.documents import StoredRecord
from recalld.index.reader import Snapshot
from recalld.questions import commands, common
from recalld.search.boundary import guarded
from recalld.search.filters import phrase

_LOOKED_AT = 400
"""Commands that are taken apart, the newest ones: 10 ms."""


@dataclass(slots=True)
class _Use:
    command: str
    """The newest that worked."""
    last: StoredRecord
    runs: int = 0
    failed: int = 0
    sessions: set[str] = field(default_factory=set)


@guarded
def how(snapshot: Snapshot, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"tool", "commands": [{"command", "runs", "sessions", "failed", "last", "project"}], "total"}` for a
    tool.

    `tool` is a program, or a program and the words that follow it (`git rebase`). Calls that differ in values alone
    (paths, numbers, quoted text) are one use, shown as it last worked; what never worked is left out. Other params:
    `agent`, `project`, `since`, `until`, `limit`.
    """
    tool = common.required(params, "tool")
    limit = common.limit_of(params, 20)
    chosen = common.compiled(snapshot, params)
    wanted = tool.lower().split()
    terms = [t for t in (analysis.tokens(w) for w in wanted) if t]
    uses: dict[str, _Use] = {}
    if terms:
        named = [Query.const_score_query(phrase(snapshot, "text", t), 0.0) for t in terms]
        query = common.within(chosen, *named, common.kinds(snapshot, "command"))
        _collect(uses, snapshot, common.newest(snapshot, query, _LOOKED_AT), wanted)
    worked = [u for u in uses.values() if u.runs > u.failed]
    worked.sort(key=lambda u: (u.failed - u.runs, -u.runs, -(u.last.time or 0), u.command))
    answer = {
        "tool": tool,
        "commands": [
            {
                "command": u.command,
                "runs": u.runs,
                "sessions": len(u.sessions),
                "failed": u.failed,
                "last": answers.iso(u.last.time),
                "project": u.last.project,
            }
            for u in worked[:limit]
        ],
        "total": len(worked),
    }
    return common.noticed(answer, snapshot, chosen, bool(worked))


def _collect(uses: dict[str, _Use], snapshot: Snapshot, records: list[StoredRecord], tool: list[str]) -> None:
    failed = common.failed_calls(snapshot, records)
    for record in records:  # newest first
        fails = bool(record.is_error) or (record.call is not None and (record.skey, record.call) in failed)
        for invocation in commands.invocations(record.command or record.text):
            if not commands.calls(invocation, tool):
                continue
            key = commands.shape(invocation)
            use = uses.get(key)
            if use is None:
                use = uses[key] = _Use(invocation, record)
            elif use.runs == use.failed and not fails:
                use.command, use.last = invocation, record
            use.runs += 1
            use.failed += fails
            use.sessions.add(record.skey)
