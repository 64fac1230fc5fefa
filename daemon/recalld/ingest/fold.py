"""A session's one document, folded from everything that is known of it: a pure function of nodes and facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from recalld.index.documents import StoredFile, StoredSession
from recalld.ingest.nodes import Node, Session, Totals

LEAF_RANK = 10
"""Rank of a title that is given to a node rather than to a session."""


def file_rank(session: Session, files: Mapping[str, StoredFile]) -> dict[str, int]:
    """Return the place of each file that tells of a session: transcripts by name (where a session has several, their
    names begin with times), those of one name by what they begin with (a session that went on in another directory),
    prompt histories last."""
    if session.order and session.totals:  # nothing has changed but what was appended to the last file
        ids = {*session.totals.files, session.order[-1].file, *session.facts, *session.new_links}
    else:
        ids = {n.file for n in session.nodes.values()} | set(session.facts)

    alike = Counter(known.logical for f in ids if (known := files.get(f)) is not None)
    begins = _beginnings(session) if any(n > 1 for n in alike.values()) else {}

    def key(file: str) -> tuple[bool, str, bool, int, str]:
        known = files.get(file)
        if known is None:
            return (True, "", True, 0, file)
        begin = begins.get(file)
        return (known.kind == "history", known.logical, begin is None, begin or 0, known.id)

    return {file: n for n, file in enumerate(sorted(ids, key=key))}


def _beginnings(session: Session) -> dict[str, int]:
    """Return the time of the first message that each file has of a session, where it has one with a time."""
    first: dict[str, tuple[int, int]] = {}
    for node in session.nodes.values():
        if node.time is not None and (node.file not in first or node.offset < first[node.file][0]):
            first[node.file] = node.offset, node.time
    return {file: time for file, (_, time) in first.items()}


def sum_up(session: Session, order: list[Node]) -> Totals:
    """Return what the nodes come to, summing only those that came since the last time where nothing else changed."""
    totals = session.totals
    if totals is None:
        totals = session.totals = Totals()
    for node in order[totals.nodes :]:
        if not node.held:
            continue
        own = node.owner is None
        if own and not totals.own:
            totals.first = totals.last = None  # until now they were of copies
        if own:
            totals.own += len(node.held)
            totals.project = totals.project or node.project
            totals.branch = node.branch or totals.branch
            totals.model = node.model or totals.model
        else:
            totals.copies += len(node.held)
        if node.time is not None and (own or not totals.own):
            totals.first = node.time if totals.first is None else min(totals.first, node.time)
            totals.last = node.time if totals.last is None else max(totals.last, node.time)
        totals.files[node.file] = None
    totals.nodes = len(order)
    return totals


def live_leaf(session: Session, order: list[Node], rank: Mapping[str, int]) -> str | None:
    """Return the node that a file called the live end, unless the conversation went on after that was written."""
    leaf, where = None, (-1, -1)
    for file, (name, value, _, _, offset) in session.all_facts(dict(rank)):
        if name == "live_leaf" and isinstance(value, str):
            leaf, where = value, (rank.get(file, 0), offset)
    last = next((n for n in reversed(order) if n.linked and (n.held or n.owner)), None)
    if last is None or (rank.get(last.file, 0), last.offset) > where:
        return None
    return leaf


def fold(session: Session, order: list[Node], rank: dict[str, int], files: Mapping[str, StoredFile]) -> StoredSession:
    """Return the document of a session that holds at least one record. `order` is its nodes in conversation order."""
    facts = _Facts(session, rank)
    totals = sum_up(session, order)
    # Not files that only tell of the session (titles): they do not hold it.
    holders = list(totals.files)
    transcripts = [f for f in holders if f in files and files[f].kind != "history"]
    title, given = _title(session, facts, rank)
    started = facts.last.get("started")
    return StoredSession(
        skey=session.skey,
        sid=session.id.rpartition("/")[2],
        parent=facts.parent or (session.id.rpartition("/")[0] or None),
        sub_agent=(facts.sub_agent or "") if session.sub_agent else None,
        description=facts.description,
        project=facts.last.get("first_project") or totals.project or facts.last.get("project"),
        resume_project=facts.last.get("resume_project"),
        title=title,
        given_title=given,
        started=started if totals.first is None else totals.first,
        updated=started if totals.last is None else totals.last,
        records=totals.own,
        copies=totals.copies,
        branch=totals.branch or facts.last.get("branch"),
        model=totals.model or facts.last.get("model"),
        provider=facts.last.get("provider"),
        files=holders,
        deleted=all(files[f].deleted for f in holders if f in files),
        prompt_only=not transcripts,
        live_leaf=next((n.uid for n in reversed(order) if n.held and not n.abandoned), None),
        compactions=facts.compactions,
        links=facts.links,
        forked_from=session.forked_from(),
        lineage=sorted(session.lineage),
        first_own=session.first_own,
        places=[[files[f].path, files[f].root] for f in holders] if all(f in files for f in holders) else [],
    )


class _Facts:
    """The facts of a session, each kind folded to what counts."""

    def __init__(self, session: Session, rank: dict[str, int]) -> None:
        self.last: dict[str, Any] = {}
        self.compactions: list[list[int | None]] = []
        self.links: list[str] = []
        self.parent: str | None = None
        self.sub_agent: str | None = None
        self.description: str | None = None
        self.titles: dict[str, tuple[int, int, int, int, str]] = {}
        for file, (name, value, _, time, offset) in session.all_facts(rank):
            if name == "title":
                told = (value["rank"], value.get("at") or 0, rank.get(file, 0), offset, value["text"])
                if file not in self.titles or self.titles[file][0] <= told[0]:
                    self.titles[file] = told
            elif name == "compaction":
                self.compactions.append([time, value.get("before"), value.get("after"), value.get("messages")])
            elif name == "link":
                if value not in self.links:
                    self.links.append(value)
            elif name == "parent_session":
                self.parent = value
            elif name == "sub_agent":
                self.sub_agent = value.get("type") or self.sub_agent
                self.description = value.get("description") or self.description
            else:
                self.last[name] = value


def _title(session: Session, facts: _Facts, rank: dict[str, int]) -> tuple[str | None, bool]:
    """Return (title, whether someone gave it): the highest rank wins, then the last of each file, then the latest."""
    titles = list(facts.titles.values())
    for uid, (text, file, offset) in session.leaf_titles.items():
        node = session.nodes.get(uid)
        if node is not None and node.owner is None:  # a copy's title is its owner's
            titles.append((LEAF_RANK, 0, rank.get(file, 0), offset, text))
    if titles:
        return max(titles)[-1], True
    if session.first_prompt is not None:
        return session.first_prompt[1], False
    if session.copied_prompt is not None:
        return session.copied_prompt, False
    if facts.description:
        return facts.description, False
    return None, False
