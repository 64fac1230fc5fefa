"""Where a hook looks: the project that the agent works in, without the session that asks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tantivy import Occur, Query

from recalld import analysis
from recalld.index.documents import StoredSession, session_key
from recalld.index.reader import Snapshot

_ABOVE = 40
"""Directories above the working directory that are looked at."""
_MAX_GITFILE = 4096


def project_roots(cwd: str, home: Path | None = None) -> tuple[str, ...]:
    """Return the directories that make up the project of `cwd`: the repository around it, and where that is a worktree,
    the repository it belongs to. Without a repository, `cwd` alone. The home directory is nobody's project."""
    home = home or Path.home()
    here = Path(cwd)
    for directory in (here, *list(here.parents)[:_ABOVE]):
        if directory in (home, Path("/")):
            break
        git = directory / ".git"
        try:
            if git.is_dir():
                return (str(directory),)
            if git.is_file():
                return tuple(dict.fromkeys((str(directory), *_main_of(git))))
        except OSError:
            break  # not for us to see
    return (cwd,)


def _main_of(git: Path) -> list[str]:
    with git.open("rb") as file:
        said = file.read(_MAX_GITFILE).decode("utf-8", "surrogateescape")
    target = said.removeprefix("gitdir:").strip()
    main, found, _ = target.partition("/.git/worktrees/")
    return [main] if found and main.startswith("/") else []


@dataclass(frozen=True, slots=True)
class Scope:
    """The records and sessions of a project that may be spoken of to one session."""

    roots: tuple[str, ...]
    project: Query
    others: tuple[tuple[Occur, Query], ...]
    """Keeps out the session itself, what it shares records with, sub-agents and what was rewound."""
    own: tuple[tuple[Occur, Query], ...]
    """The same, but for the sub-agents."""

    def records(self, snapshot: Snapshot, *more: Query) -> Query:
        """Return the query for the records, of those that match `more`."""
        must = [(Occur.Must, q) for q in (snapshot.term("type", "r"), self.project, *more)]
        return Query.boolean_query([*must, *self.others])

    def with_sub_agents(self, snapshot: Snapshot, *more: Query) -> Query:
        """Return the query for the records that match `more`, those of sub-agents too: what they did to the files."""
        must = [(Occur.Must, q) for q in (snapshot.term("type", "r"), self.project, *more)]
        return Query.boolean_query([*must, *self.own])

    def sessions(self, snapshot: Snapshot) -> Query:
        """Return the query for the sessions."""
        must = [(Occur.Must, snapshot.term("type", "s")), (Occur.Must, self.project)]
        return Query.boolean_query([*must, *self.others])


def scope(snapshot: Snapshot, agent: str, session: str | None, cwd: str) -> Scope:
    """Return the scope of a session that works in `cwd`."""
    roots = project_roots(cwd)
    tokens = [analysis.fold(root) for root in roots]
    project = Query.boolean_query([(Occur.Should, snapshot.term("project", token)) for token in tokens])
    others, own = (tuple(not_own(snapshot, agent, session, sub_agents=those)) for those in (False, True))
    return Scope(roots, project, others, own)


def not_own(snapshot: Snapshot, agent: str, session: str | None, *, sub_agents: bool) -> list[tuple[Occur, Query]]:
    """Return what keeps out a session and its lineage, what was rewound, and unless asked for, all sub-agents."""
    found = [(Occur.MustNot, snapshot.term("flag", "abandoned"))]
    if not sub_agents:
        found.append((Occur.MustNot, snapshot.term("flag", "subagent")))
    if session:
        own = snapshot.session(session_key(agent, session))
        skeys = [session_key(agent, session), *(own.lineage if own else [])]
        # One query each: a set of terms walks the dictionary, 0.13 ms for every query that it is a part of.
        found += [(Occur.MustNot, snapshot.term("skey", skey)) for skey in skeys]
    return found


def is_own(session: StoredSession, agent: str, asking: str | None) -> bool:
    """Tell whether `session` is the one that asks, one of its sub-agents, or shares records with it."""
    if asking is None or session.agent != agent:
        return False
    skey = session_key(agent, asking)
    return session.id == asking or session.parent == asking or skey in session.lineage
