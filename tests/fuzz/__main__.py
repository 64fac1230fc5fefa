"""`python -m tests.fuzz [TARGET…] --minutes N [--seed N]`: hostile input for everything that reads somebody else's.

Each target runs in a process of its own. Findings go below `--out`: the input, made smaller, and the traceback.
Exit status 1 where there are any. `python -m tests.fuzz TARGET --input FILE` tries one input again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TESTS = REPOSITORY / "tests"


def main() -> int:
    sys.path[:0] = [str(TESTS), str(TESTS / "ingest"), str(TESTS / "service"), str(TESTS / "forget")]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all of them by default")
    parser.add_argument("--minutes", type=float, default=10, help="for all targets together (default 10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where findings are kept (default: a new temporary directory)")
    parser.add_argument("--input", type=Path, help="try this file alone, with one target")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        from tests.fuzz.engine import run

        seconds = arguments.minutes * 60
        run(arguments.targets[0], seconds, arguments.seed, arguments.out, arguments.child)
        return 0
    from tests.fuzz.targets import TARGETS, find

    if arguments.input is not None:
        with tempfile.TemporaryDirectory(prefix="recalld-fuzz-") as scratch:
            find(arguments.targets[0]).make(Path(scratch))(arguments.input.read_bytes())
        return 0
    names = [find(name).name for name in arguments.targets] or [target.name for target in TARGETS]
    out = arguments.out or Path(tempfile.mkdtemp(prefix="recalld-findings-"))
    results = [_run(name, arguments.minutes * 60 / len(names), arguments.seed, out / name) for name in names]
    print(f"{'target':<14} {'seconds':>8} {'executions':>11}  findings")
    for name, (seconds, executions, found) in zip(names, results, strict=True):
        print(f"{name:<14} {seconds:>8.0f} {executions:>11}  {len(found)}")
    for name, (_, _, found) in zip(names, results, strict=True):
        for key, file in found.items():
            print(f"{name}: {key}: {out / name / file}")
    return 1 if any(found for _, _, found in results) else 0


def _run(name: str, seconds: float, seed: int, out: Path) -> tuple[float, int, dict[str, str]]:
    """Run a target in processes of its own, another one where one ends before its time; return the figures."""
    spent, executions = 0.0, 0
    found: dict[str, str] = {}
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="recalld-fuzz-", ignore_cleanup_errors=True) as scratch:
        while time.monotonic() < end - 1 or not spent:
            (out / "figures.json").unlink(missing_ok=True)
            left = max(1.0, end - time.monotonic()) / 60
            command = [sys.executable, "-m", "tests.fuzz", name, "--minutes", str(left), "--seed", str(seed)]
            began = time.monotonic()
            out.mkdir(parents=True, exist_ok=True)
            with (out / "log").open("ab") as log:
                done = subprocess.run(
                    [*command, "--out", str(out), "--child", scratch],
                    cwd=REPOSITORY,
                    env={**os.environ, "TMPDIR": scratch},
                    stdout=log,
                    stderr=log,
                    check=False,
                )
            spent += time.monotonic() - began
            seed += 1
            try:
                figures = json.loads((out / "figures.json").read_text())
            except (FileNotFoundError, ValueError):
                figures = {"executions": 0, "found": {}}
            executions += figures["executions"]
            found |= {key: f"{file}.txt" for key, file in figures["found"].items()}
            if done.returncode != 0:
                found.setdefault(f"the process ended with {done.returncode}", "log")
            if not figures["executions"]:
                break
    return spent, executions, found


if __name__ == "__main__":
    sys.exit(main())
