"""Runs one target for a time: by coverage with atheris where it is installed, else with hypothesis.

A finding does not end the run. Findings are told apart by what was raised and where; the first input of each is made
smaller and kept, with its traceback.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tests.fuzz.target import Check, Target

REPOSITORY = Path(__file__).resolve().parents[2]
SMALLER_SECONDS = 5.0
"""Time spent on making one finding smaller."""
MOST_FINDINGS = 200


class TooSlow(Exception):
    """One input took more processor time than its target allows."""


class Run:
    """One run of one target: what it found goes into `out`."""

    def __init__(self, target: Target, check: Check, out: Path) -> None:
        self.target = target
        self.executions = 0
        self.found: dict[str, str] = {}
        self._check = check
        self._out = out
        self._began = time.monotonic()
        self._written = 0.0
        out.mkdir(parents=True, exist_ok=True)
        signal.signal(signal.SIGVTALRM, self._late)

    def _late(self, number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"over {self.target.seconds} s of processor time")

    def one(self, data: bytes) -> None:
        """Try one input; keep it where it is a finding that is new."""
        self.executions += 1
        failure = self._failure(data)
        if failure is not None and failure[0] not in self.found and len(self.found) < MOST_FINDINGS:
            self.found[failure[0]] = ""
            self._keep(data, *failure)
        now = time.monotonic()
        if failure is not None or now - self._written > 2:
            self._written = now
            self.write()

    def write(self) -> None:
        """Write the figures, so that they are there however the process ends."""
        said = {"executions": self.executions, "seconds": time.monotonic() - self._began, "found": self.found}
        (self._out / "figures.json").write_text(json.dumps(said))

    def _failure(self, data: bytes) -> tuple[str, str] | None:
        signal.setitimer(signal.ITIMER_VIRTUAL, self.target.seconds)
        try:
            self._check(data)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001  # a panic of Rust derives from it, and all are findings
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            return _place(error), "".join(traceback.format_exception(error))[-6000:]
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return None

    def _keep(self, data: bytes, key: str, told: str) -> None:
        small = self._smaller(data, key)
        name = hashlib.blake2b(key.encode(), digest_size=6).hexdigest()
        self.found[key] = name
        (self._out / f"{name}.input").write_bytes(small)
        (self._out / f"{name}.txt").write_text(f"{key}\n\n{small[:2000]!r}\n\n{told}", errors="backslashreplace")
        print(f"{self.target.name}: {key}: {name}", file=sys.stderr, flush=True)

    def _smaller(self, data: bytes, key: str) -> bytes:
        """Leave out what is not needed, for a while."""
        end = time.monotonic() + SMALLER_SECONDS
        size = len(data) // 2
        while size >= 1:
            at = 0
            while at < len(data):
                if time.monotonic() > end:
                    return data
                less = data[:at] + data[at + size :]
                failure = self._failure(less)
                if failure is not None and failure[0] == key:
                    data = less
                else:
                    at += size
            size //= 2
        return data


def _place(error: BaseException) -> str:
    """Tell findings apart: what was raised, and the last line of ours that it passed, and of the target."""
    frames = traceback.extract_tb(error.__traceback__)
    places = []
    for folder in ("tests/fuzz/targets", ""):
        ours = [
            f for f in frames if folder in f.filename and f.filename.startswith(str(REPOSITORY)) and ".venv" not in f.filename
        ]
        if ours:
            places.append(f"{Path(ours[-1].filename).name}:{ours[-1].lineno}")
    return f"{type(error).__name__} at {' '.join(dict.fromkeys(places))}"


def _work(scratch: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix="work-", dir=scratch))


def has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def run(name: str, seconds: float, seed: int, out: Path, scratch: Path) -> None:
    """Run a target until its time is over. With atheris this does not return."""
    atheris: Any = None
    if has_atheris():
        import atheris  # type: ignore[import-not-found, no-redef]  # optional

        # What is loaded from here on reports its coverage.
        with atheris.instrument_imports(include=["recalld", "recall"], enable_loader_override=False):
            from tests.fuzz.targets import find

            target = find(name)
            check = target.make(_work(scratch))
    else:
        from tests.fuzz.targets import find

        target = find(name)
        check = target.make(_work(scratch))
    it = Run(target, check, out)
    if atheris is None or not target.traced:
        _without_coverage(it, seconds, seed)
        it.write()
        return
    corpus = scratch / "corpus"
    corpus.mkdir(exist_ok=True)
    for seed_input in target.seeds():
        (corpus / hashlib.blake2b(seed_input, digest_size=8).hexdigest()).write_bytes(seed_input[: target.longest])
    mutate = target.mutate

    def mutator(data: bytes, most: int, number: int) -> bytes:
        dice = Random(number)
        if mutate is None or dice.random() < 0.3:
            return bytes(atheris.Mutate(data, most))
        return mutate(data, dice)[:most]

    arguments = [
        *("fuzz", str(corpus), f"-max_total_time={max(1, int(seconds))}", f"-seed={seed or 1}", "-timeout=120"),
        *(f"-max_len={target.longest}", "-rss_limit_mb=3000", "-verbosity=0", "-print_final_stats=0", "-reload=0"),
        f"-artifact_prefix={out}/",
    ]
    atheris.Setup(arguments, it.one, custom_mutator=mutator, internal_libfuzzer=True)
    atheris.Fuzz()


def _without_coverage(it: Run, seconds: float, seed: int) -> None:
    """Bytes from hypothesis: any at all, and seeds that the target's mutator has changed a few times."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    target = it.target
    seeds = list(target.seeds())
    mutate = target.mutate

    def changed(pair: tuple[bytes, int]) -> bytes:
        data, number = pair
        dice = Random(number)
        for _ in range(dice.randint(0, 8)):
            data = mutate(data, dice) if mutate is not None else data
        return data[: target.longest]

    near = st.tuples(st.sampled_from(seeds), st.integers(0, 2**40)).map(changed)
    inputs = st.one_of(near, near, near, st.binary(max_size=min(400, target.longest)))
    end = time.monotonic() + seconds
    while time.monotonic() < end:

        @seeded(seed)
        @settings(
            max_examples=500,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(inputs)
        def some(data: bytes) -> None:
            if time.monotonic() < end:
                it.one(data)

        some()
        seed += 1
