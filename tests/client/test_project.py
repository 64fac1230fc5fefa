"""The project's own commands and pages: what they promise is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from recall.cli import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_on_the_page_of_commands(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert re.search(rf"recall {name}\b", PAGE), f"docs/cli.md does not have `recall {name}`"
    options = [option for param in command.params for option in param.opts if option.startswith("--")]
    assert [option for option in options if option not in PAGE] == []


@make
def test_make_says_what_is_missing_where_python_is_too_old(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(["make", "test", "PYTHON="], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "recalld needs Python 3.11 or newer" in done.stderr
    assert not (tmp_path / ".venv").exists()


@make
@pytest.mark.parametrize("target", ["demo", "test", "lint"])
def test_make_has_the_targets_that_the_pages_name(tmp_path: Path, target: str) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(["make", "-n", target], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "-m venv --clear .venv" in done.stdout


def test_the_check_script_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


def test_an_installed_package_has_the_service_templates_where_they_are_looked_for() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {kind: f"recall/units/{kind}" for kind in ("systemd", "launchd")}


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "cli.md", ROOT / "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
