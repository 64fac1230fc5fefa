"""What Codex puts into a user's message in front of, or instead of, what the person wrote."""

from __future__ import annotations

import re
from typing import Any

from recall import frame
from recalld.sources.said import drop_blocks

TAGS = (
    "environment_context",
    "user_instructions",
    "permissions instructions",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "turn_aborted",
    "subagent_notification",  # seen in real files of role user, like those below
    "skill",
    "hook_prompt",
    "codex_internal_context",
)
"""Blocks of these names are the harness's where a message begins with them. Further in they are a person's words."""

_TAGGED = re.compile(r"<(" + "|".join(map(re.escape, TAGS)) + r")(?:\s[^<>]*)?>")
_PREAMBLE = re.compile(r"# AGENTS\.md instructions[^\n]*\s+<(INSTRUCTIONS)>")
_CWD = re.compile(r"<cwd>([^<>\n]+)</cwd>|Current working directory: ([^\n]+)")
_IMAGE = re.compile(r"</?image(?:\s[^<>]*)?>")
_THOUGHTS = frozenset({"reasoning_text", "summary_text"})
USER_TEXT = "user.text"
"""The one content_item_kind that a person wrote."""
CITATION = "oai-mem-citation"
"""The block that names the memories behind an answer; only one of the answer's copies has it."""


def without_injected(text: str) -> str:
    """Return what a person wrote in `text`: our own frames gone wherever they stand, injected blocks gone from its
    head, however many follow one another, and no space around."""
    text = frame.strip(text).strip()
    while text.startswith(("<", "# AGENTS.md")):
        block = _TAGGED.match(text) or _PREAMBLE.match(text)
        end = _end_of(text, block) if block else -1
        if end < 0:
            break
        text = text[end:].lstrip()
    return text


def _end_of(text: str, opening: re.Match[str]) -> int:
    """Return where the block that `opening` opens is closed, blocks of its name in it counted; -1 where it is not.

    Text that only mentions the opening tag leaves one tag too many: then the last closing one ends the block.
    """
    name = re.escape(opening[1])
    depth, last = 1, -1
    for tag in re.finditer(rf"<(/?){name}(?:\s[^<>]*)?>", text[opening.end() :]):
        depth += -1 if tag[1] else 1
        if tag[1]:
            last = opening.end() + tag.end()
            if depth == 0:
                return last
    return last


def without_citations(text: str) -> str:
    """Return what the model said in `text`, without our own frames."""
    return drop_blocks(frame.strip(text), CITATION).strip()


def directory_in(text: str) -> str | None:
    """Return the working directory that an `<environment_context>` at the head of `text` names, if any."""
    if text.lstrip().startswith("<environment_context>") and (found := _CWD.search(text)):
        return (found[1] or found[2]).strip() or None
    return None


def said(content: object, kinds: object) -> str:
    """Return the texts in a message's content (a text, or a list of parts), joined by newlines.

    Left out: what is not text, what the model thought, the marks around an attached image, and, where `kinds` has a
    name for each part, the parts that it does not call a person's text.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    named = isinstance(kinds, list) and len(kinds) == len(content)
    texts: list[str] = []
    for number, part in enumerate(content):
        if named and kinds[number] != USER_TEXT:  # type: ignore[index]  # named says that it is a list
            continue
        if isinstance(part, dict) and part.get("type") in _THOUGHTS:
            continue
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and not (text.startswith(("<image", "</image")) and _IMAGE.fullmatch(text.strip())):
            texts.append(text)
    return "\n".join(texts)


def kinds_of(payload: dict[str, Any], line: dict[str, Any]) -> object:
    """Return the names of a message's content parts, from wherever the version at hand puts them, or None."""
    passed = payload.get("internal_chat_message_metadata_passthrough")
    for place in (passed, payload.get("metadata"), payload, line.get("metadata")):
        if isinstance(place, dict) and (kinds := place.get("content_item_kinds")) is not None:
            return kinds
    return None
