"""Which messages of a session a rewind or a rollback left behind.

Agents append; nothing is taken out of a transcript. A person who goes back and says something else starts a second
branch at the same parent, and the first one stays in the file. But side branches are also made by parallel tool calls,
whose results each hang on their own call, so a branch counts as abandoned only if it starts with something a *person*
said or did, where another such thing at the same place lies on the live path. Lines that say nothing of the tree
(a history of prompts, a record without ids) are no branches of it: nothing abandons them, and they nothing.

A compaction's summary hangs on what it sums up. Who then goes back to before it leaves the summary behind, and all that
was said after it: so a summary on which a person went on is such a start too, though it displaces nothing itself (a
message that was typed while the compaction ran has the same parent).

Where an agent makes no side branches (`Source.linear`) whatever was said or called beside the live path counts as well:
an answer that was asked for again, or a turn that was taken back before anything else was said. What calls gave back does
not: an old version may have hung it on its call.
"""

from __future__ import annotations

from collections.abc import Iterable

from recalld.ingest.nodes import Branches, Node


def work_out(nodes: dict[str, Node], order: list[Node], leaf: str | None, *, linear: bool) -> tuple[Branches, set[str]]:
    """Return (what is live, the uids of abandoned nodes).

    `order` is the conversation's order. `leaf` is the node that the agent called the live end, if it still is: the
    last node with records is where the conversation went on.
    """
    if leaf is None or leaf not in nodes:
        leaf = next((n.uid for n in reversed(order) if n.linked and (n.held or n.owner)), None)
    live: set[str] = set()
    at = leaf
    while at is not None and at in nodes and at not in live:
        live.add(at)
        at = nodes[at].up

    siblings: dict[str | None, list[Node]] = {}
    summaries: list[Node] = []
    turns: dict[str | None, int] = {}
    for node in order:
        if not node.linked:
            continue
        # A live end without records is a rewind after which nothing was said yet: it stands for what will be.
        rewound = node.uid == leaf and not node.held and node.owner is None
        if node.summary or node.turn:
            turns[node.parent] = turns.get(node.parent, 0) + 1
        if node.summary:
            summaries.append(node)
        elif (node.turn or rewound) and (node.parent is not None or _at_root(nodes, node)):
            siblings.setdefault(node.parent, []).append(node)
    starts = {
        node.uid
        for group in siblings.values()
        if len(group) > 1 and any(n.uid in live for n in group)
        for node in group
        if node.uid not in live
    }
    starts |= {
        node.uid
        for node in summaries
        if node.uid not in live and turns.get(node.uid) and any(n.uid in live for n in siblings.get(node.parent, ()))
    }
    if linear:
        starts |= {n.uid for n in order if n.parent in live and n.uid not in live and _opens(n)}
    return Branches(live, leaf, turns), _below(nodes, starts) if starts else set()


def _opens(node: Node) -> bool:
    """Return whether something is said or called in a node: not what came of it."""
    return any(h.kind not in ("output", "summary") for h in node.held)


def extend(branches: Branches, nodes: dict[str, Node], new: list[Node], *, linear: bool) -> bool:
    """Take nodes that came behind all others into `branches`; return False where the rules must be applied anew.

    The common case is an append to the live path. The live end may also move to a side branch of the last turn (the
    results of parallel calls do that), as long as that displaces nothing that a person said.
    """
    for node in new:
        if not node.linked:
            continue
        if node.turn or node.summary:
            branches.turns[node.parent] = branches.turns.get(node.parent, 0) + 1
            if branches.turns[node.parent] > 1:
                return False
        if not (node.held or node.owner):
            continue
        path: list[str] = []
        at: str | None = node.uid
        while at is not None and at not in branches.live:
            if at not in nodes or len(path) > len(nodes) or nodes[at].abandoned:
                return False
            path.append(at)
            at = nodes[at].up
        if at is None and branches.live:
            return False  # another root
        left = branches.leaf
        while left is not None and left != at:
            if nodes[left].turn or left not in branches.live or (linear and _opens(nodes[left])):
                return False
            branches.live.discard(left)
            left = nodes[left].up
            if left is not None and left not in nodes:
                return False
        branches.live.update(path)
        branches.leaf = node.uid
    return True


def _at_root(nodes: dict[str, Node], node: Node) -> bool:
    """Return whether only bookkeeping lies between a node and a root. A missing parent is no root."""
    seen: set[str] = set()
    while node.up is not None:
        above = nodes.get(node.up)
        if above is None or above.uid in seen:
            return False
        seen.add(above.uid)
        node = above
    return True


def _below(nodes: dict[str, Node], starts: set[str]) -> set[str]:
    """Return `starts` and every node that hangs below one of them."""
    verdict: dict[str, bool] = dict.fromkeys(starts, True)
    for uid in nodes:
        path: list[str] = []
        at: str | None = uid
        while at is not None and at in nodes and at not in verdict:
            verdict[at] = False  # until known; also ends a cycle
            path.append(at)
            at = nodes[at].up
        if at is not None and verdict.get(at):
            verdict.update(dict.fromkeys(path, True))
    return {uid for uid, is_below in verdict.items() if is_below}


def rolled_back(order: list[Node], rollbacks: Iterable[tuple[str, int, int]], rank: dict[str, int]) -> set[str]:
    """Return the uids that rollbacks took back, for agents whose conversation is the order of lines.

    `rollbacks` are (file, offset, number of a person's turns); each takes the last turns before it that are still live.
    """
    gone: set[str] = set()
    marks = sorted((rank.get(file, 0), offset, turns) for file, offset, turns in rollbacks)
    turns: list[list[str]] = []
    at = 0
    for where, offset, count in marks:
        while at < len(order) and (rank.get(order[at].file, 0), order[at].offset) < (where, offset):
            node = order[at]
            at += 1
            if node.person:
                turns.append([])
            if turns:
                turns[-1].append(node.uid)
        for _ in range(min(count, len(turns))):
            gone.update(turns.pop())
    return gone
