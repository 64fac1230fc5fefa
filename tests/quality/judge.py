"""Judge this project by its judged sets: `tests/quality/judge.py redaction|search|hooks [SET]`.

Search and hooks run a real daemon over the made-up history in a temporary directory. For `dev` every failure is listed,
and for sets that have been opened and are spent; for `held` the figures alone, so that looking at it teaches nothing but
the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "daemon"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))

from benchmarks.corpus import generate
from environment import environment
from quality.hooks import load as hooks
from quality.redaction import load as redaction
from quality.search import load as search
from recall.places import Places

CHECKOUT = Path(__file__).resolve().parents[2]
HALVES = {
    "redaction": ("dev", "opened", "trial", "final", "last", "fresh"),
    "search": ("dev", "held"),
    "hooks": ("dev", "held"),
}


class World:
    """A temporary place with the history in it, and the commands run over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # this checkout is what is judged, whatever is installed
        code = os.pathsep.join(str(CHECKOUT / part) for part in ("daemon", "client"))
        self.env = environment(root, Places(root / "data", root / "run", root / "config.toml")) | {"PYTHONPATH": code}
        for name in ("home", "run"):
            (root / name).mkdir(mode=0o700)

    def recall(self, *args: str, stdin: str = "", ok: Sequence[int] = (0,)) -> str:
        """Run `recall` and return what it wrote; raise CalledProcessError on an exit status that is not in `ok`."""
        command = [sys.executable, "-m", "recall", *args]
        done = subprocess.run(command, env=self.env, cwd=self.root / "home", input=stdin, capture_output=True, text=True)
        if done.returncode not in ok:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return done.stdout


@contextmanager
def world(sessions: search.SearchSet | hooks.HookSet, among: int) -> Iterator[World]:
    """Run a daemon that has read the set's history, and `among` sessions of the benchmark corpus beside it."""
    # a socket's path is limited to about a hundred bytes
    with tempfile.TemporaryDirectory(prefix="rj", dir="/tmp") as name:
        root = Path(name)
        sessions.write(root)
        if among:
            generate(root, among, among * 0.04)
        here = World(root)
        with (root / "log").open("wb") as log:
            daemon = subprocess.Popen([sys.executable, "-m", "recalld"], env=here.env, stdout=log, stderr=log)
        try:
            # before it listens, a question would start a second daemon
            while "pid" not in json.loads(here.recall("status", "--json", ok=(0, 3))):
                if daemon.poll() is not None:
                    raise RuntimeError((root / "log").read_text())
            here.recall("sync")
            yield here
        finally:
            daemon.terminate()
            daemon.wait(20)


def judge_redaction(half: redaction.Half, among: int) -> tuple[str, list[str]]:
    """Return the figures, and a line for each failure."""
    from recalld.redact import Redactor

    score = redaction.judge(Redactor().redact, redaction.items(half))
    figures = (
        f"secrets found {score.recall:.1%} of {score.secrets}, "
        f"false alarms {score.false_alarms:.2%} of {score.innocents}, "
        f"words lost in {len(score.lost_words)}"
    )
    parts = (("leaked", score.leaked), ("false alarm", score.alarms), ("words lost", score.lost_words))
    return figures, [f"{name}: {i.kind}: {i.text!r} -> {out!r}" for name, found in parts for i, out in found]


def judge_search(half: search.Half, among: int) -> tuple[str, list[str]]:
    """Return the figures, and a line for each query whose session did not come first."""
    made = search.load(half)
    names = {s.id: s.name for s in made.sessions}
    with world(made, among) as here:

        def ask(text: str) -> tuple[list[str], str | None]:
            found = json.loads(here.recall("search", "--json", "--", text, ok=(0, 1)))
            return [h["session"]["id"] for h in found["hits"]], found["tier"]

        score = search.judge(ask, made.queries)
    kinds = ", ".join(f"{kind} {share:.0%}" for kind, share in score.by_kind().items())
    figures = (
        f"hit@1 {score.hit(1):.1%}, hit@5 {score.hit(5):.1%}, MRR {score.mrr:.3f} of {len(score.ranks)}; "
        f"answers invented {len(score.invented)} of {score.absent}\nhit@1: {kinds}"
    )
    missed = [f"{q.kind}: {q.text!r} means {names[q.answer or '']}, at {r}" for q, r in score.ranks if r != 1]
    return figures, missed + [f"invented: {q.text!r}" for q in score.invented]


def named(text: str, ids: Sequence[str]) -> list[str]:
    """Return the sessions that `text` names by their id or by a beginning of it that no other id has."""
    found = []
    for token in re.findall(r"[0-9a-f]{8}[0-9a-f-]*", text):
        matching = [i for i in ids if i.startswith(token.rstrip("-"))]
        if len(matching) == 1 and matching[0] not in found:
            found.append(matching[0])
    return found


def judge_hooks(half: hooks.Half, among: int) -> tuple[str, list[str]]:
    """Return the figures, and a line for each prompt that was not helped or not left alone."""
    made = hooks.load(half)
    ids, names = [s.id for s in made.sessions], {s.id: s.name for s in made.sessions}
    spoken: dict[str, str] = {}
    with world(made, among) as here:

        def ask(p: hooks.Prompt) -> list[str]:
            # each prompt comes from a session of its own, so that nothing is left out as said before
            event: Mapping[str, str] = {
                "session_id": f"00000000-0000-4000-8000-{made.prompts.index(p):012d}",
                "transcript_path": "",
                "cwd": p.cwd,
                "hook_event_name": "UserPromptSubmit",
                "prompt": p.text,
            }
            spoken[p.text] = here.recall("hook", "claude-code", "UserPromptSubmit", stdin=json.dumps(event))
            told = named(spoken[p.text], ids)
            return told or (["something"] if spoken[p.text].strip() not in ("", "{}") else [])

        score = hooks.judge(ask, made.prompts)
    figures = f"recall {score.recall:.1%}, precision {score.precision:.1%}, silence {score.silence:.1%}"
    failed = [f"missed: {p.text!r} needs {names[p.answer or '']}" for p in score.missed]
    failed += [f"wrong: {p.text!r} needs {names[p.answer or '']}, got {_names(t, names)}" for p, t in score.wrong]
    failed += [f"noise ({p.kind}): {p.text!r} got {_names(t, names)}" for p, t in score.noise]
    return figures, failed


def _names(told: Sequence[str], names: Mapping[str, str]) -> list[str]:
    return [names.get(i, i) for i in told]


JUDGES = {"redaction": judge_redaction, "search": judge_search, "hooks": judge_hooks}


def main() -> None:
    """Run from the command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("what", choices=sorted(JUDGES))
    p.add_argument("half", nargs="?", default="dev")
    p.add_argument("--among", type=int, default=0, help="sessions of the benchmark corpus beside the history")
    a = p.parse_args()
    if a.half not in HALVES[a.what]:
        p.error(f"{a.what} has {' and '.join(HALVES[a.what])}")
    figures, failures = JUDGES[a.what](a.half, a.among)
    if a.half != "held":
        print("\n".join(failures))
    print(f"{a.what} {a.half}: {figures}")


if __name__ == "__main__":
    main()
