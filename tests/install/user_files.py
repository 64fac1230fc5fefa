"""Files as people and agents leave them, for every test that must hold on each, and what they say."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recall.install import jsonc

FOREIGN = {
    "theme": "dark",
    "hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "/opt/other/hook --fast", "timeout": 3}]}],
        "Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "say done"}]}],
    },
    "mcpServers": {"other": {"command": "/opt/other/server", "args": ["launcher", "mcp"]}},
}
PLAIN = json.dumps(FOREIGN, indent=2) + "\n"
TOML = '# mine\nmodel = "made-up"   # the best\n\n[mcp_servers.other]\ncommand = "/opt/other/server"\n'


def _plain(path: Path, text: str) -> None:
    path.write_text(text)


def _crlf(path: Path, text: str) -> None:
    path.write_bytes(text.replace("\n", "\r\n").encode())


def _byte_order_mark(path: Path, text: str) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())


def _symlink(path: Path, text: str) -> None:
    real = path.parent.parent / f"dotfiles-{path.name}"
    real.write_text(text)
    real.chmod(0o640)
    path.symlink_to(real)


def _one_line(path: Path, text: str) -> None:
    path.write_text(json.dumps(json.loads(text)) if path.suffix == ".json" else text.rstrip("\n"))


def _tabs(path: Path, text: str) -> None:
    path.write_text(json.dumps(json.loads(text), indent="\t") if path.suffix == ".json" else text)


def _comments(path: Path, text: str) -> None:
    path.write_text("// by hand\n" + text.replace('"theme"', '/* nice */ "theme"') if path.suffix == ".json" else text)


def _private(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def _empty(path: Path, text: str) -> None:
    path.write_text("")


def _empty_object(path: Path, text: str) -> None:
    path.write_text("{}" if path.suffix == ".json" else "")


KINDS: dict[str, Callable[[Path, str], None]] = {
    "foreign entries": _plain,
    "CRLF": _crlf,
    "byte order mark": _byte_order_mark,
    "symbolic link": _symlink,
    "one line": _one_line,
    "tabs": _tabs,
    "comments": _comments,
    "private": _private,
    "empty": _empty,
    "empty object": _empty_object,
}
"""How a file may lie there, by name."""

FILES = {
    "claude": (".claude/settings.json", ".claude/.claude.json"),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "qwen": (".qwen/settings.json",),
}
NAMES = {"claude": "claude-code", "codex": "codex", "qwen": "qwen-code"}


def lay(home: Path, agent: str, kind: str) -> list[Path]:
    """Write all files of an agent in one of the ways; return them."""
    paths = [home / name for name in FILES[agent]]
    for path in paths:
        KINDS[kind](path, PLAIN if path.suffix == ".json" else TOML)
    return paths


def said(path: Path) -> Any:
    """What a file says, comments and byte order mark aside."""
    text = path.read_bytes().decode("utf-8-sig")
    return jsonc.parse(text).value if path.suffix == ".json" else tomllib.loads(text)


def handlers(settings: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every handler in a file's hooks with its event."""
    return [(event, h) for event, groups in settings["hooks"].items() for group in groups for h in group["hooks"]]


def ours(launcher: Path, settings: Any) -> list[tuple[str, dict[str, Any]]]:
    return [
        (event, handler)
        for event, handler in handlers(settings)
        if handler.get("server") == "recall" or str(handler.get("command")).startswith(str(launcher))
    ]
