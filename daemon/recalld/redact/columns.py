"""Secrets by the heading of their column: `user,password` over `ada,X`, psql's and Markdown's tables, `INSERT INTO`."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, strong

_HEADINGS = {
    "password": "password passwd pwd passphrase db_password user_password plain_password initial_password temp_password pass",
    "secret": "secret client_secret secret_key",
    "token": "token api_token access_token auth_token refresh_token",
    "api-key": "api_key apikey",
}
_KIND = {
    case: kind for kind, listed in _HEADINGS.items() for word in listed.split() for case in (word, word.capitalize(), word.upper())
}  # fmt: skip
_BEHIND = (",", ";", "\t", " |", "|", ")", "\n", "  ", " \n", '",', '";', '"\n')
NAMES = tuple(word + behind for word in _KIND for behind in _BEHIND)
"""A heading with what parts it from the next one, or ends the line."""

ROWS = 40
"""Rows below a heading that are read."""
_LINE = 2000
"""Characters of a row that are read."""

_HEADING = re.compile(r"[\"']?[A-Za-z_][\w .-]{0,30}[\"']?")
_RULE = re.compile(r"[\s|+:=-]*$")
_INSERT = re.compile(r"[^()\n;]{0,300}\)[ \t]{0,4}(?:\n[ \t]{0,40})?(?:VALUES|values|Values)[ \t\n]{0,40}\(")
_BEFORE_INSERT = re.compile(r"(?i:into|copy)[ \t]{1,4}[\w.\"`\[\]]{1,100}[ ]{0,4}\(([^()]{0,300})$")
_SQL_VALUE = re.compile(r"\s*(?:N?'((?:[^'\n]|''){0,300})'|[^,'()\n]{0,100}|\w{1,30}\([^()\n]{0,200}\))\s*")


def values_of_columns(text: str, start: int, end: int) -> Iterator[Span]:
    """The cells below a heading that names a secret, or the value at its place in an `INSERT`."""
    word = text[start:end].rstrip(',;|\t\n )"')
    kind = _KIND[word]
    before = text[start - 1 : start]
    if before not in ("", "\n", ",", ";", "\t", "|", " ", '"', "(", "`"):
        return
    at = start + len(word)
    if text[at : at + 1] in ",)" or text[at : at + 2] in ('",', "`,", '")', "`)"):
        listed = _BEFORE_INSERT.search(text[max(0, start - 420) : start])
        if listed is not None:
            if listed[0][:4].lower() == "copy":
                yield from _copied(text, at, listed[1].count(","), kind)
            else:
                yield from _inserted(text, at, listed[1].count(","), kind)
            return
    line_start = text.rfind("\n", max(0, start - 400), start) + 1
    if line_start == 0 and start > 400:
        return
    line_end = text.find("\n", end - 1, end + 400)
    if line_end < 0:
        return
    yield from _below(text, line_start, start, line_end, kind)


def _inserted(text: str, at: int, index: int, kind: str) -> Iterator[Span]:
    opened = _INSERT.match(text, at)
    place = opened.end() if opened else -1
    while place >= 0:
        for number in range(index + 1):
            value = _SQL_VALUE.match(text, place)
            if value is None:
                return
            place = value.end()
            if number == index and value[1] and _is_secret(value[1], kind, quoted=True):
                yield (*value.span(1), kind)
            if text[place : place + 1] != ",":
                break
            place += 1
        following = re.compile(r"[^'()\n]{0,200}(?:'[^'\n]{0,200}'[^'()\n]{0,40}){0,20}\)\s{0,40},\s{0,40}\(").match(
            text, place
        )
        place = following.end() if following else -1


_COPY = re.compile(r"[^()\n]{0,300}\)[ ](?i:from[ ]stdin)[^\n]{0,80}\n")


def _copied(text: str, at: int, index: int, kind: str) -> Iterator[Span]:
    """The cells of a column in the rows that `COPY … FROM stdin` reads."""
    opened = _COPY.match(text, at)
    place = opened.end() if opened else -1
    for _ in range(ROWS):
        end = text.find("\n", place, place + _LINE) if place >= 0 else -1
        cells = text[place:end].split("\t") if end >= 0 else []
        if index >= len(cells):
            return
        cell = cells[index]
        if _is_secret(cell, kind, quoted=False) or values.is_hex(cell):
            begin = place + sum(len(c) + 1 for c in cells[:index])
            yield (begin, begin + len(cell), kind)
        place = end + 1


def _below(text: str, line_start: int, start: int, line_end: int, kind: str) -> Iterator[Span]:
    head = text[line_start:line_end].rstrip("\r")
    separator = next((s for s in ("|", "\t", ";", ",") if s in head), None)
    if separator is None:
        return
    before = text[max(0, line_start - 200) : max(0, line_start - 1)].rpartition("\n")[2]
    if separator in before:
        return  # a row, and no heading
    headings = head.strip().strip("|").split(separator) if separator == "|" else head.split(separator)
    if len(headings) < 2 or not all(_HEADING.fullmatch(h.strip().strip("*` ")) for h in headings):
        return
    index = head[: start - line_start].count(separator) - (separator == "|" and head.lstrip().startswith("|"))
    at = line_end + 1
    for _ in range(ROWS):
        end = text.find("\n", at, at + _LINE)
        end = min(len(text), at + _LINE) if end < 0 else end
        row = text[at:end]
        if separator not in row and not _RULE.match(row):
            return
        leading = len(row) - len(row.lstrip())
        first = leading + 1 if separator == "|" and row.lstrip().startswith("|") else 0
        place = at + first
        cells = row[first:].split(separator)
        if not _RULE.match(row) and index < len(cells) and len(cells) <= len(headings) + 1:
            place += sum(len(cell) + 1 for cell in cells[:index])
            cell = cells[index]
            value = cell.strip().strip("`\"'")
            if value and _is_secret(value, kind, quoted=False):
                offset = place + cell.index(value)
                yield (offset, offset + len(value), kind)
        at = end + 1
        if at >= len(text):
            return


def _is_secret(value: str, kind: str, *, quoted: bool) -> bool:
    if values.is_reference(value) or values.is_empty_word(value) or values.is_machine(value) or values.is_number(value):
        return False
    if values.is_prose(value) or (not quoted and values.is_expression(value)):
        return False
    if kind in ("token", "api-key"):
        return values.is_random(value) or values.is_hex(value)
    return (
        (strong(value) or (quoted and " " not in value and len(value) > 3 and not values.mentions_secret(value)))
        and len(value) >= 4
        and not values.is_name(value)
        and (quoted or any(c.isdigit() for c in value))
    )
