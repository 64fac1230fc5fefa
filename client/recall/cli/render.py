"""Sessions, hits and records as lines for people. Everything out of a session is cleaned before it is printed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from recall.clean import clean, clean_line, marked
from recall.cli.output import Line
from recall.times import ago
from recall.types import Hit, Record, SearchResult, Session

AGENT_STYLE = {"claude-code": "bold orange3", "codex": "bold green", "qwen-code": "bold magenta"}
ROLE_STYLE = {"user": "bold cyan", "assistant": "bold", "tool": "yellow", "system": "dim"}
MATCH = "bold black on yellow"
TIER = {
    "forms": "word forms",
    "close": "close spellings",
    "related": "no record has all the words; these are the nearest",
}
TEXT_LINES = 30
"""Lines of one record that `show` prints; `--json` has all of them."""


def hits(answer: SearchResult, offset: int = 0, width: int | None = None, named: bool = False) -> Iterator[Line]:
    """Yield a search answer as lines: best first; fitted to `width` cells where there is one. With `named`, sessions were
    named, and all matches asked for."""
    for number, hit in enumerate(answer["hits"], offset + 1):
        yield from _hit(number, hit, None if named else answer["query"], width)
        yield []
    yield from wrapped([(_summary(answer, offset), "dim")], width)


def _hit(number: int, hit: Hit, query: str | None, width: int | None) -> Iterator[Line]:
    session = hit["session"]
    yield cut([(f"{number:>2}. ", "dim"), *_title(session, hit.get("title_highlights", []))], width)
    yield from details(session, width)
    for match in hit["matches"]:
        record = match["record"]
        spans: Line = [("    ", ""), (f"{label(record)} ", ROLE_STYLE.get(record["role"], ""))]
        spans += [(piece, MATCH if lit else "") for piece, lit in marked(match["snippet"], match["highlights"])]
        yield from wrapped(spans, width)
    more = hit["match_count"] - len(hit["matches"])
    if more > 0 and hit["matches"]:
        command = f"recall show {short(session)}"
        if query is not None:
            text = shlex.quote(clean_line(query))
            command = f"recall search {text} --session {short(session)}"
            if query.startswith("-"):  # it may be what an option is called
                command = f"recall search --session {short(session)} -- {text}"
        told = "more" if query is not None else "more, or the same again"
        yield [(f"    and {more:,} {told}: {command}", "dim")]


def _summary(answer: SearchResult, offset: int) -> str:
    parts = [counted(answer["total"], "session")]
    if answer["tier"] in TIER:
        parts.append(TIER[answer["tier"]])
    if notice := answer.get("notice"):
        parts.append(clean_line(notice))
    parts.append(f"{answer['took_ms']:.1f} ms")
    if answer.get("next_offset"):
        parts.append(f"more with --offset {answer['next_offset']}")
    return " · ".join(parts) + filling(answer["index"])


def noted(answer: Any) -> str:
    """Return the words that say how an answer was found and what is to be said of it, or ""."""
    parts = [TIER[answer["tier"]]] if answer.get("tier") in TIER else []
    if notice := answer.get("notice"):
        parts.append(clean_line(notice))
    return "".join(f" · {part}" for part in parts)


def filling(index: Any) -> str:
    """Return the words that say that the index is not complete, or ""."""
    if index["complete"]:
        return ""
    pending = index["pending_bytes"]
    return " · the index is still filling" + (f": {size(pending)} to read" if pending else "")


def session_lines(session: Session, width: int | None = None) -> Iterator[Line]:
    """Yield one entry of a list of sessions, fitted to `width` cells where there is one."""
    yield cut(_title(session, []), width)
    yield from details(session, width)


def details(session: Session, width: int | None) -> Iterator[Line]:
    """Yield what stands below a session's title, fitted to `width` cells where there is one."""
    yield from wrapped([("    ", ""), *about(session)], width, gaps=True)


def cut(line: Line, width: int | None) -> Line:
    """Return the line cut to `width` cells where there is one."""
    if width is None:
        return line
    from recall.cli import fit

    return fit.cut(line, width)


def wrapped(line: Line, width: int | None, gaps: bool = False) -> Iterator[Line]:
    """Yield the line wrapped to `width` cells where there is one, with `gaps` only at several blanks together."""
    if width is None:
        yield line
        return
    from recall.cli import fit

    yield from fit.wrapped(line, width, gaps)


def _title(session: Session, highlights: list[list[int]]) -> Line:
    title = session["title"]
    if not title:
        return [("(no title)", "dim")]
    return [(piece, MATCH if lit else "bold") for piece, lit in marked(title, highlights)]


def about(session: Session) -> Line:
    """Return what a session is in one line: agent, project, age, size, id."""
    agent = clean_line(session["agent"])
    spans: Line = [(agent, AGENT_STYLE.get(agent, "bold"))]
    if session["parent"] is not None or session["sub_agent"] is not None:
        spans.append((f" sub-agent {clean_line(session['sub_agent'] or '')}".rstrip(), "italic"))
    facts = [
        home(session["project"]),
        when(session["updated"]),
        counted(session["records"], "record"),
        short(session),
    ]
    spans.append(("  " + "  ".join(fact for fact in facts if fact), "dim"))
    if session["source_deleted"]:
        spans.append(("  transcript deleted", "red"))
    if session["provider"] and "model_provider=" in (session["resume"] or ""):  # it is not the configured one
        spans.append((f"  provider {clean_line(session['provider'])}, not in the agent's own list", "yellow"))
    return spans


def record_lines(record: Record) -> Iterator[Line]:
    """Yield one record of a session: a head line and its text, indented and cut at TEXT_LINES."""
    head: Line = [(label(record), ROLE_STYLE.get(record["role"], ""))]
    if record["time"]:
        head.append((f"  {clock(record['time'])}", "dim"))
    if record["abandoned"]:
        head.append(("  abandoned", "dim italic"))
    if record["is_error"]:
        status = record["exit_status"]
        head.append((f"  error{'' if status is None else f' (exit {status})'}", "bold red"))
    yield head
    lines = clean(record["text"]).rstrip().split("\n")
    for line in lines[:TEXT_LINES]:
        yield [("  " + line.expandtabs(4), "")]
    if len(lines) > TEXT_LINES:
        yield [(f"  … {len(lines) - TEXT_LINES} more lines", "dim")]
    elif record["truncated"]:
        yield [("  … cut", "dim")]


def label(record: Record) -> str:
    """Return who speaks and how: `user`, `assistant`, `Bash $`, `Edit`, `Bash ›`."""
    tool = clean_line(record["tool"] or "")
    if record["kind"] == "message":
        return clean_line(record["role"])
    if record["kind"] == "output":
        return f"{tool or 'tool'} ›"
    if record["kind"] == "command":
        return f"{tool or 'command'} $"
    return tool or clean_line(record["kind"])


def short(session: Session) -> str:
    """Return a prefix of the session's id that names it in practice: enough of it to be unique."""
    sid = clean_line(session["id"])
    if len(sid) != 36 or sid.count("-") != 4:
        return sid
    return sid[:18] if sid[14] == "7" else sid[:8]  # a version 7 UUID starts with the time: its neighbours share that


def home(path: str | None) -> str:
    """Return a path with `~` for the home directory, cleaned, or ""."""
    if not path:
        return ""
    mine = os.path.expanduser("~")
    if mine != "/" and (path == mine or path.startswith(mine + "/")):
        path = "~" + path[len(mine) :]
    return clean_line(path)


def when(time: str | None) -> str:
    """Return how long ago a time of an answer was, or ""."""
    moment = _moment(time)
    return ago(moment) if moment else ""


def clock(time: str | None) -> str:
    """Return a time of an answer in the local zone, to the second, or ""."""
    moment = _moment(time)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S") if moment else ""


def _moment(time: str | None) -> datetime | None:
    if not time:
        return None
    try:
        return datetime.fromisoformat(time)
    except ValueError:
        return None  # no time that we can read is no time: a list must not fail over it


def size(count: int) -> str:
    """Return a number of bytes in words."""
    value = float(count)
    for unit in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def counted(count: int, what: str) -> str:
    """Return a count with its noun: `1 session`, `12,345 sessions`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def no_more(total: int, what: str) -> str:
    """Return what is said of a page behind the last one."""
    return f"no more: {counted(total, what)} in all"


def span(seconds: float) -> str:
    """Return a duration in its two largest units."""
    total = int(seconds)
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s"
    if total < 86400:
        return f"{total // 3600} h {total % 3600 // 60} min"
    return f"{total // 86400} d {total % 86400 // 3600} h"
