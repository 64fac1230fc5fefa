"""What has been said to each session, so that nothing is said twice. It may be lost: a restart forgets it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

SESSIONS = 512
"""Sessions remembered, the last ones used."""
THINGS = 400
"""Things remembered of one session; with more of them it begins anew, and one may be said once more."""


class Memory:
    """By session: the keys of what was said, and how often an event was answered."""

    def __init__(self) -> None:
        self._said: OrderedDict[tuple[str, str], set[Hashable]] = OrderedDict()

    def said(self, agent: str, session: str) -> set[Hashable]:
        """Return what this session was told; what is added to the set is remembered."""
        key = (agent, session)
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = set()
            while len(self._said) > SESSIONS:
                self._said.popitem(last=False)
        else:
            self._said.move_to_end(key)
        if len(found) > THINGS:
            found.clear()
        return found

    def forget(self, agent: str, session: str) -> None:
        """The session's context was compacted: what it was told is gone from it."""
        self._said.pop((agent, session), None)
