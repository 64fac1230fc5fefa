"""Every target holds for what its fuzzing begins with and for a few hundred changes of it, and the command runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

REPOSITORY = Path(__file__).resolve().parents[2]
LONG = {"daemon", "redact-time"}
"""Targets that are for long runs: one starts a service, one measures time."""
SLOW = {"store": 3, "install": 8, "zst": 6, "table": 8}
"""Inputs of a target that costs a process, an index, or many files."""


@pytest.mark.parametrize("target", [t for t in TARGETS if t.name not in LONG], ids=lambda target: target.name)
def test_a_target_holds_for_its_seeds_and_some_changes_of_them(target: Target, tmp_path: Path) -> None:
    check = target.make(tmp_path)
    dice = Random(3)
    seeds = list(target.seeds())
    most = SLOW.get(target.name, 150)
    for seed in dice.sample(seeds, min(most, len(seeds))):
        check(seed[: target.longest])
        changed = seed
        for _ in range(3 if target.mutate is not None and target.name not in SLOW else 0):
            assert target.mutate is not None
            changed = target.mutate(changed, dice)
            check(changed[: target.longest])


def test_the_command_runs_a_target_and_says_what_it_did(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "clean", "--minutes", "0.03", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + (tmp_path / "clean" / "log").read_text()
    name, _, executions, findings = done.stdout.splitlines()[1].split()
    assert (name, findings) == ("clean", "0")
    assert int(executions) > 0
