"""Asks a daemon all of the set of everyday work, and tells what it answered otherwise than it should."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quality.worked.load import Asked, queries, questions
from recall.client import Client

TOP = {"how": 2, "files": 2}
"""Entries of an answer among which the one meant may stand; else it must come first."""


@dataclass(slots=True)
class Score:
    """How many questions of each kind were answered right, and how the others were answered."""

    right: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def add(self, one: Asked, right: bool, answered: object) -> None:
        self.asked[one.kind] = self.asked.get(one.kind, 0) + 1
        self.right[one.kind] = self.right.get(one.kind, 0) + right
        if not right:
            self.missed.append(f"{one.kind}: {one.text!r} means {', '.join(one.wanted) or 'nothing'}; answered {answered}")


def judge(client: Client, names: Mapping[str, str]) -> Score:
    """Return the score; `names` are the sessions' names by their ids."""
    score = Score()
    for one in queries():
        answer: Any = client.search(one.text)
        found = [names.get(hit["session"]["id"], "?") for hit in answer["hits"]]
        if one.kind == "partly":
            right = answer["tier"] in (None, "related")
        else:
            right = found[0] in one.wanted if found and one.wanted else not found and not one.wanted
        score.add(one, right, (answer["tier"], found[:3]))
    for one in questions():
        method = one.kind.removeprefix("absent:")
        entries = _entries(method, getattr(client, method)(one.text), names)
        said = entries[: TOP.get(method, 1)]
        score.add(one, any(one.wanted[0] in entry for entry in said) if one.wanted else not entries, said)
    return score


def _entries(method: str, answer: Any, names: Mapping[str, str]) -> list[str]:
    """Return an answer's entries as text: the names of sessions, what was done, commands, paths."""
    if method == "blame":
        return [names[entry["session"]["id"]] for entry in answer["sessions"]]
    if method == "context":
        return [names[answer["session"]["id"]]] if answer["session"] else []
    if method == "fix":
        return [json.dumps([(r["paths"], r["text"]) for r in f["next"]], ensure_ascii=False) for f in answer["fixes"]]
    if method == "how":
        return [entry["command"] for entry in answer["commands"]]
    return [entry["path"] for entry in answer["files"]]
