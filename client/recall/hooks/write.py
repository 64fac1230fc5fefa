"""Writes the launcher: `launch.py` with its settings, as one executable file at a place that never changes.

Agents remember the command line of a hook (Codex's trust is a hash of it), so path and arguments stay the same across
upgrades, interpreters and environments; what changes is what the file holds.
"""

from __future__ import annotations

import ast
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recall.errors import Refused
from recall.places import Places

NAME = "launcher"
MAX_SHEBANG = 127
"""Bytes of the first line that every supported system reads (Linux before 5.1)."""
_HERE = Path(__file__).with_name("launch.py")
_RELAY = Path(__file__).resolve().parent.parent / "mcp"


def launcher_path(places: Places) -> Path:
    """Return where the launcher lies, whether it is there or not."""
    return places.data / NAME


def write_launcher(places: Places, env: Mapping[str, str] = os.environ) -> Path:
    """Write the launcher of this installation for `places`; return its path.

    `env` is kept only as far as it says how this interpreter finds its modules. A file that holds the same already is
    left alone. Raise Refused where the path of the interpreter cannot be written into a script, OSError where the
    data directory cannot be written.
    """
    path = launcher_path(places)
    data = launcher_text(places, env)
    try:
        if path.read_bytes() == data and os.access(path, os.X_OK):
            return path
    except FileNotFoundError:
        pass  # the first time
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{NAME}.{os.getpid()}")
    try:
        fresh.write_bytes(data)
        fresh.chmod(0o700)
        fresh.replace(path)  # never half a file: an agent may be starting it
    finally:
        fresh.unlink(missing_ok=True)
    return path


def refresh_launcher(places: Places, env: Mapping[str, str] = os.environ) -> None:
    """Write the launcher anew where there is one: the interpreter or this version may have changed since."""
    if launcher_path(places).exists():
        write_launcher(places, env)


def command(places: Places, *arguments: str) -> str:
    """Return the shell command that calls the launcher."""
    return shlex.join([str(launcher_path(places)), *arguments])


def settings(places: Places, env: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return what `launch.main` needs."""
    kept = {
        "RECALLD_DATA_DIR": os.path.abspath(places.data),
        "RECALLD_RUNTIME_DIR": os.path.abspath(places.runtime),
        "RECALLD_CONFIG": os.path.abspath(places.config),
    }
    if env.get("PYTHONPATH"):
        kept["PYTHONPATH"] = os.pathsep.join(os.path.abspath(p) for p in env["PYTHONPATH"].split(os.pathsep) if p)
    return {
        "socket": os.path.abspath(places.socket),
        "lock": os.path.abspath(places.lock),
        "stamp": os.path.abspath(places.data / "start-asked"),
        "relay": str(_RELAY),
        "recall": recall_command(),
        "env": kept,
    }


def recall_command() -> list[str]:
    """Return the `recall` command of this very installation."""
    beside = Path(sys.executable).with_name("recall")
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "recall"]


def launcher_text(places: Places, env: Mapping[str, str] = os.environ) -> bytes:
    """Return the launcher as it is to be written."""
    tree = ast.parse(_HERE.read_text(encoding="utf-8"))
    _strip(tree)
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "SETTINGS":
            node.value = ast.parse(repr(settings(places, env)), mode="eval").body
            node.annotation = ast.Name("dict", ast.Load())
    body = "# Written by recalld, which writes it anew when it starts. Do not edit.\n" + ast.unparse(tree) + "\n"
    return os.fsencode(_first_lines(_interpreter())) + body.encode("utf-8", "backslashreplace")


def _interpreter() -> str:
    """The interpreter itself, not its name in a virtual environment: nothing outside it is imported, and it starts
    faster."""
    base: str = getattr(sys, "_base_executable", "") or sys.executable
    return os.path.abspath(base)


def _first_lines(interpreter: str) -> str:
    if any(c in interpreter for c in "\\\n\0"):
        raise Refused(f"the interpreter's path {interpreter!r} cannot be written into a script: install it elsewhere")
    line = f"#!{interpreter} -IS\n"
    if len(os.fsencode(line)) <= MAX_SHEBANG and not any(c.isspace() for c in interpreter):
        return line
    # To the shell `'''exec'` is the word exec; to Python the line is the beginning of a text that nobody reads.
    return f"#!/bin/sh\n'''exec' {shlex.quote(interpreter)} -IS \"$0\" \"$@\"\n'''\n"


def _strip(tree: ast.Module) -> None:
    """Take docstrings and annotations away: the file is compiled at every call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args + ([node.args.vararg] if node.args.vararg else []):
                argument.annotation = None
        if isinstance(node, ast.FunctionDef | ast.Module):
            node.body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    tree.body = [n for n in tree.body if not isinstance(n, ast.If) or "TYPE_CHECKING" not in ast.unparse(n.test)]
