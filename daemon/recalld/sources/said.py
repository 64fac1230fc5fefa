"""What a person said, out of what the harness wrote around it.

Agents put reminders, hook output and command echoes into the texts of user messages, in blocks with tags. A block
counts only when it is closed; a tag in prose stays prose. Everything here first looks for a cheap literal: most texts
have none.
"""

from __future__ import annotations

import re

from recall import frame

_MAX_INSIDE = 4
"""Blocks inside a block that are looked at, so that no text costs the square of its length."""


def drop_blocks(text: str, name: str) -> str:
    """Return `text` without its closed `<name>…</name>` blocks.

    A block begins at the first opening tag that starts a line, as the harness writes it, else at the last one before
    the closing tag, so that a tag someone merely mentions takes nothing with it. Whole blocks that begin a line inside
    it belong to it: a reminder may quote a file that shows one.
    """
    opening, closing = f"<{name}>", f"</{name}>"
    if closing not in text:
        return text
    kept: list[str] = []
    at = 0
    while (end := text.find(closing, at)) >= 0:
        start = _opening(text, opening, at, end)
        if start < 0:
            kept.append(text[at : end + len(closing)])  # a closing tag alone is prose
        else:
            kept.append(text[at:start])
            end = _closing(text, opening, closing, start, end)
        at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept)


def _opening(text: str, opening: str, at: int, end: int) -> int:
    start = text.find(opening, at, end)
    while start >= 0:
        if not text[text.rfind("\n", 0, start) + 1 : start].strip() or start == at:
            return start
        start = text.find(opening, start + 1, end)
    return text.rfind(opening, at, end)


def _closing(text: str, opening: str, closing: str, start: int, first: int) -> int:
    """Return where the block ends that begins at `start`: at `first`, its first closing tag, unless as many blocks as
    begin inside end there too."""
    begins = re.compile(f"^[ \\t]*{re.escape(opening)}", re.MULTILINE)
    inside = 0
    at, end = start + len(opening), first
    for _ in range(_MAX_INSIDE):
        if end < 0:
            break
        inside += sum(1 for _ in begins.finditer(text, at, end))
        if not inside:
            return end
        inside -= 1
        at = end + len(closing)
        end = text.find(closing, at)
    return first


def block(text: str, name: str) -> str | None:
    """Return what the first closed `<name>…</name>` block of `text` holds, stripped."""
    opening = f"<{name}>"
    start = text.find(opening)
    if start < 0:
        return None
    end = text.find(f"</{name}>", start)
    return text[start + len(opening) : end].strip() if end >= 0 else None


REMINDER = "system-reminder"
_END_OF_REMINDER = f"</{REMINDER}>"

_CLAUDE_BLOCKS = (
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "task-notification",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_selection",
)
_INTERRUPTED = "[Request interrupted by user"
_INTERRUPTED_LINE = re.compile(r"^[ \t]*\[Request interrupted by user[^\]\n]*\]", re.MULTILINE)
CONTINUED = "This session is being continued from a previous conversation"
"""How the line begins with which Claude Code starts a continued session."""


def claude(text: str) -> str:
    """Return what a person said in a user message of Claude Code: "" where nobody said anything. A slash command is
    given as it was typed."""
    text = frame.strip(text)
    if "<" in text:
        text = drop_blocks(text, REMINDER)
        typed = _slash_command(text)
        for name in _CLAUDE_BLOCKS:
            text = drop_blocks(text, name)
        if typed:
            text = f"{typed}\n{text.strip()}"
    if _INTERRUPTED in text:
        text = _INTERRUPTED_LINE.sub("", text)
    return text.strip()


def _slash_command(text: str) -> str | None:
    """The command as typed, where the text is one: it begins with the block that names or announces it."""
    if not text.lstrip().startswith("<command-"):
        return None
    name = block(text, "command-name")
    if not name:
        return None
    arguments = block(text, "command-args")
    return f"{name} {arguments}" if arguments else name


def without_continued(text: str) -> str:
    """Return `text` without the line that starts a continued session."""
    if not text.startswith(CONTINUED):
        return text
    return text.partition("\n")[2].strip()


def output(text: str) -> str:
    """Return the text of a tool's output without what was added behind it for the model, or framed by us."""
    text = frame.strip(text)
    while _END_OF_REMINDER in text[-40:] and text.rstrip().endswith(_END_OF_REMINDER):
        start = text.rfind(f"<{REMINDER}>")
        if start < 0 or text[text.rfind("\n", 0, start) + 1 : start].strip():
            return text
        text = text[:start].rstrip()
    return text


QWEN_CONTEXT = "qwen:user-prompt-submit-context"


def qwen(text: str) -> str:
    """Return what a person said in one text of Qwen Code, without the context that hooks added."""
    text = frame.strip(text)
    if "<" in text:
        text = drop_blocks(text, QWEN_CONTEXT)
        text = drop_blocks(text, "qwen:session-start-context")
        text = drop_blocks(text, REMINDER)
    return text.strip()


_FILES = "--- Content from referenced files ---"
_END_OF_FILES = "--- End of content ---"


def without_files(text: str) -> str:
    """Return a prompt of Qwen Code without the contents of the files that it names with `@`, which stand behind it."""
    start = text.find(_FILES)
    if start < 0 or text[text.rfind("\n", 0, start) + 1 : start].strip():
        return text
    end = text.rfind(_END_OF_FILES)
    if end < start:
        return text
    behind = text[end + len(_END_OF_FILES) :].strip()
    return "\n".join(part for part in (text[:start].strip(), behind) if part)
