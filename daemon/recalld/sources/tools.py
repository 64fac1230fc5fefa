"""Tool calls as records: what a call runs, reads, writes or looks for, told from the names agents give their tools.

Agents differ in the names and hardly in the arguments, so one table serves Claude Code and Qwen Code.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

import orjson

from recall import frame
from recalld.model import Record
from recalld.sources.jsonl import cut, string

MAX_EDIT = 4 * 1024
"""Bytes of an edit's text that are kept: enough to find it by; the file itself has the rest."""
MAX_ARGUMENTS = 16 * 1024
"""Bytes of any other call's arguments that are kept: a sub-agent's whole task fits."""
MAX_PATHS = 200
"""Paths kept of one call."""

SHELL = frozenset({"Bash", "run_shell_command", "shell", "exec_command"})
READ = frozenset({"Read", "NotebookRead", "read_file", "read_many_files"})
EDIT = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "replace", "write_file", "notebook_edit"})

_PATH_KEYS = ("file_path", "absolute_path", "notebook_path", "path", "dir_path", "paths", "file_paths")
_NEW_TEXT_KEYS = ("new_string", "content", "new_source")


def call_record(name: str, arguments: object, call: str | None, model: str | None) -> Record:
    """Return the record of one tool call. `arguments` is the agent's own object, whatever shape it has."""
    args = arguments if isinstance(arguments, dict) else {}
    if name in SHELL and (command := _command(args)) is not None:
        text, truncated = cut(frame.strip(command))
        return Record("assistant", "command", text, tool=name, command=text, call=call, model=model, truncated=truncated)
    paths = _paths(args)
    if paths and name in EDIT:
        text, truncated = cut("\n".join((paths[0], *_new_text(args))), MAX_EDIT)
        kind: Any = "edit"
    elif paths and name in READ:
        text, truncated = cut("\n".join(paths), MAX_ARGUMENTS)
        kind = "read"
    else:
        text, truncated = cut(rendered(arguments), MAX_ARGUMENTS)
        kind = "tool_call"
    return Record("assistant", kind, frame.strip(text), tool=name, paths=paths, call=call, model=model, truncated=truncated)


def _command(args: Mapping[str, Any]) -> str | None:
    command = args.get("command")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        command = shlex.join(command)
    return string(command)


def _paths(args: Mapping[str, Any]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for key in _PATH_KEYS:
        value = args.get(key)
        if value is None:
            continue
        for path in value if isinstance(value, list) else (value,):
            if isinstance(path, str) and path and len(found) < MAX_PATHS:
                found[path] = None
    return tuple(found)


def _new_text(args: Mapping[str, Any]) -> list[str]:
    texts = [args.get(key) for key in _NEW_TEXT_KEYS]
    edits = args.get("edits")
    if isinstance(edits, list):
        texts += [edit.get("new_string") for edit in edits if isinstance(edit, dict)]
    return [text for text in texts if isinstance(text, str) and text]


def rendered(arguments: object) -> str:
    """Return an object as `name: value` lines; values that are no texts as JSON."""
    if isinstance(arguments, dict):
        return "\n".join(f"{key}: {_value(value)}" for key, value in arguments.items() if value is not None)
    return "" if arguments is None else _value(arguments)


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # orjson.JSONEncodeError: nested beyond what it writes
        return "(nested too deeply)"


# -- our own answers ---------------------------------------------------------------------------------------------------

_OWN_SERVERS = frozenset({"recall", "recalld"})
_OWN_PROGRAM = "recall"
_BEFORE_A_PROGRAM = frozenset({"sudo", "time", "nohup", "env", "exec", "command", "nice", "uv", "run", "uvx", "pipx"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "fish"})
_BREAKS = ";&|()\n"
_AS_A_WORD = re.compile(r"(?<![\w.-])recall(?![\w./-])")
_MAX_LEXED = 8 * 1024
"""Characters of a command line that are split with regard to quotes, at 0.3 us each; longer ones hold a file."""


def is_own(record: Record) -> bool:
    """Return whether a tool call asks this project: its answer, as it comes back, must never be indexed."""
    if record.command is not None:
        return runs_recall(record.command)
    return record.tool is not None and is_recall_tool(record.tool)


def is_recall_tool(name: str) -> bool:
    """Return whether an MCP tool's full name is one of our server's: `mcp__recall__…`, also as a plugin's server."""
    if not name.startswith("mcp__"):
        return False
    server = name[5:].partition("__")[0]
    return server in _OWN_SERVERS or (server.startswith("plugin_") and server.rpartition("_")[2] in _OWN_SERVERS)


def runs_recall(command: str) -> bool:
    """Return whether a shell command line runs the program `recall`, alone, in a pipe or in a list of commands."""
    if _OWN_PROGRAM not in command or not _AS_A_WORD.search(command):
        return False
    if len(command) > _MAX_LEXED:
        return _runs(_plain_words(command))
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_BREAKS)
    lexer.whitespace = " \t\r"
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # quotes that do not close, as in here-documents
        words = _plain_words(command)
    return _runs(words)


def _plain_words(command: str) -> list[str]:
    for mark in _BREAKS:
        command = command.replace(mark, " ; ")
    return command.split()


def _runs(words: list[str]) -> bool:
    start = True
    shell = False
    for word in words:
        if not word.strip(_BREAKS):
            start, shell = True, False
        elif start:
            program = word.rpartition("/")[2]
            if program == _OWN_PROGRAM:
                return True
            if program in _SHELLS:
                start, shell = False, True
            elif program not in _BEFORE_A_PROGRAM and "=" not in word and not word.startswith("-"):
                start = False
        elif shell and not word.startswith("-"):
            if runs_recall(word):
                return True
            shell = False
    return False


# -- from a call to its output -----------------------------------------------------------------------------------------


class Calls:
    """Tool calls by their ids, so that an output finds its tool. Bounded: the last OPEN unanswered ones, and a few
    answered ones, for lines that agents write twice."""

    OPEN = 256
    ANSWERED = 8

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._open: dict[str, list[Any]] = {call: list(value) for call, value in state.get("open", {}).items()}
        self._answered: dict[str, list[Any]] = {call: list(value) for call, value in state.get("answered", {}).items()}

    def state(self) -> dict[str, Any]:
        return {"open": dict(self._open), "answered": dict(self._answered)}

    def add(self, record: Record) -> None:
        """Remember a call until its output comes."""
        if record.call is None:
            return
        self._open.pop(record.call, None)
        self._open[record.call] = [record.tool, is_own(record)]
        if len(self._open) > self.OPEN:
            del self._open[next(iter(self._open))]

    def answer(self, call: str | None) -> tuple[str | None, bool]:
        """Return the tool that `call` called, and whether that was one of ours; (None, False) for an unknown call."""
        if call is None:
            return None, False
        known = self._open.pop(call, None)
        if known is None:
            known = self._answered.get(call)
            return (known[0], known[1]) if known else (None, False)
        self._answered[call] = known
        if len(self._answered) > self.ANSWERED:
            del self._answered[next(iter(self._answered))]
        return known[0], known[1]
