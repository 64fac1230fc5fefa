"""What tools take and give, as JSON Schema, and answers cut to what a model should be handed.

The shapes are those of `docs/protocol.md`. Many agents show the model the structured answer and not the text, so it is
cleaned and held to a budget as well: long texts are cut and marked `truncated`, which their schema says.
"""

from __future__ import annotations

from typing import Any

from recalld.mcp.untrusted import NOTICE, harmless
from recalld.server.methods import KINDS, ROLES
from recalld.settings import AGENTS

Schema = dict[str, Any]

FOUND_CHARS = 240
"""Characters of a record's text in `recall`: the snippet beside it has what was found."""
RECORD_CHARS = 600
"""Characters of a record's text in an answer that holds many."""
SHOWN_CHARS = 4_000
"""Characters of a record's text in `show`."""
TEXT_CHARS = 4_000
"""Characters of any other text."""
STRUCTURED_CHARS = 24_000
"""Characters of all texts of one structured answer, about: six thousand tokens."""


def object_of(properties: dict[str, Schema], required: tuple[str, ...] | None = None) -> Schema:
    """Return the schema of a map; all `properties` are required where `required` is not given."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names}


def list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(kind: str) -> Schema:
    return {"type": [kind, "null"]}


TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer"}
MAYBE = _or_null("string")

SESSION = object_of(
    {
        "agent": TEXT,
        "id": TEXT,
        "parent": MAYBE,
        "sub_agent": MAYBE,
        "project": MAYBE,
        "title": MAYBE,
        "started": MAYBE,
        "updated": MAYBE,
        "records": COUNT,
        "branch": MAYBE,
        "model": MAYBE,
        "provider": MAYBE,
        "path": MAYBE,
        "source_deleted": {"type": "boolean"},
        "resume": MAYBE,
    },
    required=("agent", "id"),
)
MAYBE_SESSION = SESSION | {"type": ["object", "null"]}
RECORD = object_of(
    {
        "agent": TEXT,
        "session": TEXT,
        "id": TEXT,
        "parent": MAYBE,
        "project": MAYBE,
        "time": MAYBE,
        "role": TEXT,
        "kind": TEXT,
        "tool": MAYBE,
        "paths": list_of(TEXT),
        "command": MAYBE,
        "exit_status": _or_null("integer"),
        "is_error": _or_null("boolean"),
        "model": MAYBE,
        "branch": MAYBE,
        "text": TEXT,
        "truncated": {"type": "boolean"},
        "abandoned": {"type": "boolean"},
        "source": {"type": "object"},
    },
    required=("agent", "session", "id", "role", "kind", "text"),
)
_NOTICE: Schema = {"type": "string", "description": "How to take what is said here."}


def answer_of(properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    """Return the schema of a tool's structured answer."""
    return object_of({"notice": _NOTICE, **properties}, required=("notice", *required))


QUERY: Schema = {"type": "string", "minLength": 1, "maxLength": 4_000}
PROJECT: Schema = {
    "type": "string",
    "maxLength": 4_000,
    "description": "Only this project: an absolute path (and below), `.` for the current one, or a directory's name.",
}
AGENT: Schema = {"type": "string", "enum": list(AGENTS), "description": "Only sessions of this agent."}
SINCE: Schema = {"type": "string", "maxLength": 100, "description": "Not before: ISO 8601, `7d`, `12h`, `yesterday`."}
UNTIL: Schema = {"type": "string", "maxLength": 100, "description": "Not after, written in the same way."}
ROLE: Schema = {"type": "string", "enum": list(ROLES), "description": "Only records of this role."}
KIND: Schema = {"type": "string", "enum": list(KINDS), "description": "Only records of this kind."}


def limit(default: int, most: int) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": most, "default": default}


def input_of(properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    """Return a tool's input schema. Unknown keys are refused: a misspelt filter must not widen an answer."""
    return object_of(properties, required) | {"additionalProperties": False}


class Budget:
    """Characters that are left for the texts of one answer."""

    def __init__(self, characters: int = STRUCTURED_CHARS) -> None:
        self._left = characters

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def cleaned(self, value: Any, most: int) -> Any:
        """Return `value` with every text in it made harmless; a record's own is cut at `most`, and says so."""
        if isinstance(value, str):
            return self._text(value, TEXT_CHARS)
        if isinstance(value, list):
            return [self.cleaned(item, most) for item in value]
        if not isinstance(value, dict):
            return value
        if not isinstance(value.get("text"), str):
            return {key: self.cleaned(item, most) for key, item in value.items()}
        kept = self._text(value["text"], most)
        cut = {key: kept if key == "text" else self.cleaned(item, most) for key, item in value.items()}
        cut["truncated"] = bool(value.get("truncated")) or len(kept) < len(value["text"])
        return cut

    def _text(self, value: str, most: int) -> str:
        kept = harmless(value[: 4 * most])[:most]
        self._left -= len(kept)
        return kept


def structured(answer: dict[str, Any], name: str | None = None, most: int = RECORD_CHARS) -> dict[str, Any]:
    """Return `answer` for a model: harmless, and the list `name` ended where the budget is spent. `next_offset`, where
    the answer has one, then leads to what was left out."""
    budget = Budget()
    # What an answer itself has to say stands beside the notice that says how to take it, never in its place.
    rest = {"note" if key == "notice" else key: budget.cleaned(v, most) for key, v in answer.items() if key != name}
    if name is None:
        return {"notice": NOTICE, **rest}
    kept: list[Any] = []
    items = answer[name]
    for item in items:
        if budget.spent and kept:
            break
        kept.append(budget.cleaned(item, most))
    if len(kept) < len(items) and "next_offset" in answer:
        end = answer["total"] if answer["next_offset"] is None else answer["next_offset"]  # where this page ended
        rest["next_offset"] = end - (len(items) - len(kept))
    return {"notice": NOTICE, **rest, name: kept}
