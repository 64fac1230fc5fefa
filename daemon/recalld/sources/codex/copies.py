"""Telling the copies of one thing from two things that are alike.

Codex writes a turn up to three times: as an event, as a response item, as the last words of a finished task. A copy has
no mark that says so, its time differs, and its id mostly too. What holds: each *form* tells every turn at most once. So
the n-th telling of a text in one form is the n-th time that it was said, and it is new exactly when no other form has
told it n times already. That needs neither an order among the copies nor that they stand side by side; and a person
who says the same sentence in two turns has said it twice in each form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

EVENT, ITEM, RESPONSE, COMPLETE = range(4)
"""The forms: a legacy event, an `item_completed`, a `response_item`, what `task_complete` repeats."""
_TOLD = 4

MAX_TEXTS = 64
"""Texts that are remembered; copies stand a few lines apart, and a new turn forgets all."""
MAX_IDS = 64


def key_of(role: str, text: str) -> bytes:
    """Return what identifies a text of `role` among its copies: they may differ in white space."""
    return blake2b("".join([role, *text.split()]).encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Copies:
    """What has been told lately. Bounded; goes through msgpack as lists."""

    def __init__(self, state: Sequence[Any] | None = None) -> None:
        texts, ids = state or ((), ())
        self._texts: dict[bytes, list[int]] = {key: list(counts) for key, counts in texts}
        self._ids: dict[str, tuple[bytes, int]] = {id: (key, forms) for id, key, forms in ids}

    def state(self) -> list[Any]:
        texts = [[key, counts] for key, counts in self._texts.items()]
        return [texts, [[id, key, forms] for id, (key, forms) in self._ids.items()]]

    def new_turn(self) -> None:
        """Forget the texts: whatever is told from here on is a telling of something new."""
        self._texts.clear()

    def knows(self, id: str) -> bool:
        """Say whether something of this id was told lately."""
        return id in self._ids

    def is_first(self, key: bytes, form: int, id: str | None) -> bool:
        """Count one telling of `key` in `form`, and say whether it is the first of its turn.

        Two forms that share an id tell the same, though the text may differ (citations are cut out of one of them).
        """
        if id is not None and (known := self._ids.get(id)):
            key_known, forms = known
            if key_known == key or not forms >> form & 1:
                self._ids[id] = (key_known, forms | 1 << form)
                if (counts := self._texts.get(key_known)) and counts[form] < counts[_TOLD]:
                    counts[form] += 1
                return False
        counts = self._texts.pop(key, None) or [0, 0, 0, 0, 0]
        self._texts[key] = counts
        counts[form] += 1
        first = counts[form] > counts[_TOLD]
        if first:
            counts[_TOLD] = counts[form]
        elif form == COMPLETE:
            counts[form] = counts[_TOLD]  # an interrupted turn has no such line: this one has not fallen behind
        if id is not None and id not in self._ids:
            self._ids[id] = (key, 1 << form)
            if len(self._ids) > MAX_IDS:
                del self._ids[next(iter(self._ids))]
        if len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]
        return first


class Call:
    """What is remembered of one tool call, so that no form of it or of its output makes a second record."""

    __slots__ = ("answered", "called", "origin", "ours", "response", "tool", "uid", "unsettled")

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.tool: str | None = None
        self.origin: str | None = None
        """Id of the call whose command it has go on; None where it is a call of its own."""
        self.called = False
        """There is a record of the call."""
        self.answered = False
        """There is a record of its output."""
        self.ours = False
        """It asked this project: its output is dropped."""
        self.response = False
        """A response item told of the call."""
        self.unsettled = False
        """The record of the output has no exit status yet."""

    def flags(self) -> int:
        return self.called | self.answered << 1 | self.ours << 2 | self.response << 3 | self.unsettled << 4


class Calls:
    """The latest calls by their ids. Bounded: an output that comes later than MAX calls after its call is still a
    record, but no longer knows its tool."""

    MAX = 128
    MAX_RUNNING = 32

    def __init__(self, state: Sequence[Any] | None = None, running: Mapping[str, Sequence[Any]] | None = None) -> None:
        self.running: dict[str, list[Any]] = {name: list(value) for name, value in (running or {}).items()}
        """What goes on behind its output (`outputs.Output.running`): the id of the call, and whether it is ours."""
        self._calls: dict[str, Call] = {}
        for id, uid, tool, flags, *more in state or ():
            call = self._calls[id] = Call(uid)
            call.tool = tool
            call.origin = more[0] if more else None  # a state of 0.1.0 has none
            call.called, call.answered, call.ours = bool(flags & 1), bool(flags & 2), bool(flags & 4)
            call.response, call.unsettled = bool(flags & 8), bool(flags & 16)

    def state(self) -> list[Any]:
        return [[id, call.uid, call.tool, call.flags(), call.origin] for id, call in self._calls.items()]

    def get(self, id: str) -> Call:
        """Return what is known of a call, new where nothing is."""
        call = self._calls.get(id)
        return call or self.new(id, id)

    def new(self, id: str, uid: str) -> Call:
        """Start a call under an id, which an earlier one may have had: some providers count anew every turn."""
        self._calls.pop(id, None)
        call = self._calls[id] = Call(uid)
        if len(self._calls) > self.MAX:
            del self._calls[next(iter(self._calls))]
        return call

    def goes_on(self, name: str, call: Call) -> None:
        """Remember which call goes on under a name, which an earlier one may have had."""
        self.running.pop(name, None)
        self.running[name] = [call.origin or call.uid, call.ours]
        if len(self.running) > self.MAX_RUNNING:
            del self.running[next(iter(self.running))]

    def continued(self, name: str | None) -> tuple[str | None, bool]:
        """Return (id of the call that goes on under a name, whether it is ours)."""
        found = self.running.get(name) if name is not None else None
        return (found[0], found[1]) if found else (None, False)
