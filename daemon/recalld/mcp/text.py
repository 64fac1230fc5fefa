"""The text form of an answer: framed, cleaned, at most 4 KB.

History is untrusted: it was written by models, web pages and programs. It is put into the project's frame, which it
cannot close from inside, and which keeps it from being indexed again when it comes back in a transcript.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recall import frame
from recall.clean import clean_line
from recalld.mcp.untrusted import NOTICE, harmless

MAX_BYTES = 4096
"""UTF-8 bytes of a tool's text, frame and all."""

_END_ROOM = 200
"""Bytes kept for the last line, which says what was left out."""
_WORTH = 300
"""Bytes of room from which a block that does not fit is shown in part."""


def cut(text: str, most: int) -> str:
    """Return `text` cut to `most` UTF-8 bytes, between characters; what was cut ends with `…`."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text
    return data[: max(0, most - 3)].decode("utf-8", "ignore") + "…"


def framed(kind: str, head: str, blocks: Sequence[str], tail: str = "", most: int = MAX_BYTES) -> str:
    """Return the blocks that fit in a frame of at most `most` bytes, `head` before, `tail` (ours, trusted) behind."""
    opening = f'{frame.OPEN} answer="{kind}">\n{NOTICE}\n'
    closing = f"\n{frame.CLOSE}"
    left = most - len((opening + closing + tail).encode()) - _END_ROOM
    parts = [cut(harmless(head), left)]
    left -= len(parts[0].encode())
    for number, block in enumerate(blocks):
        text = harmless(block)
        size = len(text.encode("utf-8", "replace")) + 1
        if size <= left:
            parts.append(text)
            left -= size
            continue
        if left > _WORTH:
            parts.append(cut(text, left - 1))
            number += 1
        if number < len(blocks):
            parts.append(f"({len(blocks) - number} more left out: ask more precisely, or page on)")
        break
    return opening + "\n".join(parts) + closing + tail


def place(session: dict[str, Any] | None) -> str:
    """Return a session in a line: agent, id, project, day, title."""
    if session is None:
        return "a session that is no longer known"
    when = (session.get("updated") or session.get("started") or "")[:10]
    words = [session["agent"], session["id"], session.get("project") or "", when]
    kind = session.get("sub_agent")
    if kind:
        words.append(f"(sub-agent {kind})")
    title = clean_line(session.get("title") or "")
    return " · ".join(word for word in words if word) + (f' · "{cut(title, 160)}"' if title else "")


def record_head(record: dict[str, Any]) -> str:
    """Return what a record is, in brackets: tool or role, how it ended, when, its id."""
    what = record.get("tool") or record["role"]
    if record["kind"] not in ("message", "tool_call"):
        what = f"{record['kind']} {what}" if record.get("tool") else record["kind"]
    status = record.get("exit_status")
    flags = f" exit {status}" if status else (" failed" if record.get("is_error") else "")
    when = (record.get("time") or "")[:16].replace("T", " ")
    return f"[{what}{flags} {when} id {record['id']}]"


def record_line(record: dict[str, Any], most: int = 300) -> str:
    """Return a record in a line: what it is, and the beginning of its text."""
    return f"{record_head(record)} {cut(clean_line(record.get('command') or record['text']), most)}"


def record_block(record: dict[str, Any], most: int) -> str:
    """Return a record: a line that says what it is, and at most `most` bytes of its text."""
    return f"{record_head(record)}\n{cut(record['text'], most)}".rstrip()


def search(answer: dict[str, Any]) -> str:
    """Return the text of a `search` answer."""
    query = clean_line(answer["query"])
    if not answer["hits"]:
        head = f"Nothing in past sessions matches: {cut(query, 300)}{_state(answer['index'])}"
        if answer.get("notice"):
            head += f"\n{cut(clean_line(answer['notice']), 600)}"
        return framed("recall", head, [])
    shown, total = len(answer["hits"]), answer["total"]
    head = f"{shown} of {counted(total, 'session')} for: {cut(query, 300)} ({answer['tier']} match){_state(answer['index'])}"
    if answer.get("notice"):
        head += f"\n{clean_line(answer['notice'])}"
    blocks = []
    for hit in answer["hits"]:
        lines = [place(hit["session"])]
        lines += [
            f"  {_said_by(match['record'])} id {match['record']['id']}: {cut(clean_line(match['snippet']), 420)}"
            for match in hit["matches"]
        ]
        blocks.append("\n".join(lines))
    return framed("recall", head, blocks, "\nRead more: the tool `show` with session, and around=<id>.")


def _said_by(record: dict[str, Any]) -> str:
    return f"{record['role']} {(record.get('time') or '')[:16].replace('T', ' ')}"


def _state(index: dict[str, Any]) -> str:
    return "" if index.get("complete", True) else " (the index is still filling: ask again later for older sessions)"


def show(answer: dict[str, Any]) -> str:
    """Return the text of a `show` answer."""
    following = answer.get("next_offset")
    head = f"{place(answer['session'])}\n{counted(answer['total'], 'record')}"
    blocks = [record_block(record, 1200) for record in answer["records"]]
    more = f"\nNext page: offset={following}." if following is not None else ""
    return framed("show", head, blocks, more)


def context(answer: dict[str, Any]) -> str:
    """Return the text of a `context` answer."""
    if answer["session"] is None:
        return framed("context", f"Nothing in past sessions matches: {cut(clean_line(answer['query']), 300)}", [])
    head = place(answer["session"])
    if answer.get("tier") in ("close", "related"):
        head += f"\n({answer['tier']} match: no record holds the words as they were asked)"
    return framed("context", head, answer["markdown"].split("\n"))


def blame(answer: dict[str, Any], path: str) -> str:
    """Return the text of a `blame` answer."""
    blocks = []
    for touch in answer["sessions"]:
        did = f"{', '.join(touch['kinds'])}, {counted(touch['touches'], 'time')}, last {touch['last']}"
        head = f"{place(touch['session'])}\n  {did}"
        if touch.get("asked"):
            head += f"\n  asked: {cut(clean_line(touch['asked']), 300)}"
        blocks.append("\n".join([head, *(f"  {record_line(record)}" for record in touch["records"])]))
    return framed("blame", _counted(blocks, "session touched", "sessions touched", path), blocks)


def how(answer: dict[str, Any], tool: str) -> str:
    """Return the text of a `how` answer."""
    blocks = [
        f"{cut(clean_line(use['command']), 600)}\n  {counted(use['runs'], 'run')} in {counted(use['sessions'], 'session')},"
        f" {use['failed']} failed, last {use['last']} in {use['project']}"
        for use in answer["commands"]
    ]
    return framed("how", _counted(blocks, "command line of", "command lines of", tool), blocks)


def fix(answer: dict[str, Any], error: str) -> str:
    """Return the text of a `fix` answer."""
    held = {True: "it stayed away afterwards", False: "it came back", None: "whether it held is not known"}
    blocks = []
    for found in answer["fixes"]:
        error_line = cut(clean_line(found["error"]), 300)
        head = f"{place(found['session'])}\n  error: {error_line}\n  what was done next ({held[found['held']]}):"
        blocks.append("\n".join([head, *(f"  {record_line(record, 500)}" for record in found["next"])]))
    return framed("fix", _counted(blocks, "earlier occurrence of", "earlier occurrences of", error), blocks)


def files(answer: dict[str, Any], topic: str) -> str:
    """Return the text of a `files` answer."""
    blocks = [
        f"{use['path']}  ({counted(use['touches'], 'touch', 'touches')} in {counted(use['sessions'], 'session')},"
        f" last {use['last']})"
        for use in answer["files"]
    ]
    return framed("files", _counted(blocks, "file of work on", "files of work on", topic), blocks)


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 time`, `2 touches`; without `many` the plural has an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def _counted(blocks: list[str], one: str, many: str, what: str) -> str:
    subject = cut(clean_line(what), 300)
    if not blocks:
        return f"Past sessions hold nothing about: {subject}"
    return f"{len(blocks)} {one if len(blocks) == 1 else many} {subject}"
