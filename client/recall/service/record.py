"""Where the agents keep their sessions, recorded in the configuration: a service manager reads no shell profile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from recall.errors import ConfigError

ROOT_VARIABLES = (
    ("CLAUDE_CONFIG_DIR", "claude-code"),
    ("CODEX_HOME", "codex"),
    ("QWEN_RUNTIME_DIR", "qwen-code"),
    ("QWEN_HOME", "qwen-code"),
)
"""Which variable says where which agent keeps its sessions; of one agent's, the first that is set counts."""


def roots(env: Mapping[str, str]) -> dict[str, str]:
    """Return the root that `env` gives each agent, absolute; agents that it says nothing about are left out."""
    found: dict[str, str] = {}
    for variable, agent in ROOT_VARIABLES:
        if value := env.get(variable):
            found.setdefault(agent, os.path.abspath(os.path.expanduser(value)))
    return found


def recorded(text: str, wanted: Mapping[str, str]) -> str:
    """Return the configuration `text` with the `wanted` roots in it; comments and everything else stay as they are.

    Raise ConfigError where `text` is not TOML, or has something else where roots belong.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for agent, root in wanted.items():
            sources = document.setdefault("sources", tomlkit.table(is_super_table=True))
            table = sources.setdefault(agent, tomlkit.table())
            known = table.setdefault("roots", tomlkit.array())
            if root not in [os.path.expanduser(str(value)) for value in known]:
                known.append(root)
    except (TOMLKitError, AttributeError, TypeError) as error:
        raise ConfigError(f"the roots cannot be recorded in the configuration: {error}") from error
    return tomlkit.dumps(document)


def write(path: Path, text: str) -> None:
    """Replace `path` in one step, so that nobody ever reads half a file; a symbolic link stays one."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
