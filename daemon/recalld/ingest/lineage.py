"""Who owns a record that several sessions hold: a pure function of what they hold.

Forks, resumes and branches repeat records. The oldest session that holds a record owns it, the others hold copies. The
function sees the sessions as sets, so it cannot depend on the order in which their files were read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recalld.model import is_name

Place = tuple[str, str]
"""(skey, uid): one node of one session."""

_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Holding:
    """What one session of a lineage holds, in conversation order."""

    forked_from: str | None
    """Skey of the session that an agent's file says it was forked from."""
    nodes: tuple[tuple[str, int | None, tuple[int, ...]], ...]
    """(uid, time in epoch ms, hashes of its records), only nodes that hold records."""
    copied: Mapping[str, Place] = field(default_factory=dict)
    """By uid, the place that a copy's text is at, or was."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """The outcome: every copy's owner, and what ages were decided by."""

    copies: dict[Place, Place]
    first_own: dict[str, int | None]


def by_ids(lineage: Mapping[str, Holding]) -> Ownership:
    """Decide for agents that keep a message's id when they copy it: what has one id and was found to be one text is one
    record."""

    def text_of(skey: str, uid: str) -> Place:
        return lineage[skey].copied.get(uid, (skey, uid))

    holders: dict[Place, list[Place]] = {}
    for skey, holding in lineage.items():
        for uid, _, _ in holding.nodes:
            if is_name(uid):
                holders.setdefault(text_of(skey, uid), []).append((skey, uid))

    first_own: dict[str, int | None] = {}
    ages: dict[str, tuple[int, int, int, str]] = {}
    for skey, holding in lineage.items():
        own = [time or 0 for uid, time, _ in holding.nodes if len(holders.get(text_of(skey, uid), ())) < 2]
        first_own[skey] = min(own, default=None)
        first = min((time for _, time, _ in holding.nodes if time is not None), default=_NEVER)
        ages[skey] = (_depth(lineage, skey), first, min(own, default=-1), skey)

    copies: dict[Place, Place] = {}
    for places in holders.values():
        if len(places) > 1:
            owner = min(places, key=lambda place: ages[place[0]])
            copies.update({place: owner for place in places if place != owner})
    return Ownership(copies, first_own)


def by_prefix(lineage: Mapping[str, Holding]) -> Ownership:
    """Decide for agents whose copies carry no common ids: a fork's longest common beginning with what it was forked
    from, by what the records say, belongs to that session."""
    copies: dict[Place, Place] = {}
    first_own: dict[str, int | None] = {}
    for skey in sorted(lineage, key=lambda s: (_depth(lineage, s), s)):
        holding = lineage[skey]
        above = lineage.get(holding.forked_from) if holding.forked_from != skey and holding.forked_from else None
        shared = 0
        if above is not None and holding.forked_from is not None and not _cyclic(lineage, skey):
            for mine, theirs in zip(holding.nodes, above.nodes, strict=False):
                if mine[2] != theirs[2]:
                    break
                place = (holding.forked_from, theirs[0])
                copies[skey, mine[0]] = copies.get(place, place)
                shared += 1
        own = [time or 0 for _, time, _ in holding.nodes[shared:]]
        first_own[skey] = min(own, default=None)
    return Ownership(copies, first_own)


def _depth(lineage: Mapping[str, Holding], skey: str) -> int:
    """Return how many forks lie between a session and the one it all began with; one that is not here counts."""
    depth, seen = 0, {skey}
    above = lineage[skey].forked_from
    while above is not None and above not in seen:
        depth += 1
        seen.add(above)
        above = lineage[above].forked_from if above in lineage else None
    return depth


def _cyclic(lineage: Mapping[str, Holding], skey: str) -> bool:
    seen: set[str] = set()
    at: str | None = skey
    while at is not None and at in lineage:
        if at in seen:
            return True
        seen.add(at)
        at = lineage[at].forked_from
    return False
