"""Generate a large, made-up history of three agents, for measuring.

    python tests/benchmarks/corpus.py DIR --sessions 7000 --megabytes 270 --seed 1

writes `DIR/claude`, `DIR/codex`, `DIR/qwen` (what CLAUDE_CONFIG_DIR, CODEX_HOME and QWEN_HOME would name) and
`DIR/manifest.json`: for every session its id, agent, project, start, and words that occur in it and nowhere else.
The same arguments make the same bytes (the directory is one of them: spilled tool results are named by absolute paths).
Needs the standard library and orjson only.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from made.agents import WRITERS
from made.claude_code import ClaudeWriter
from made.codex import CodexWriter
from made.qwen_code import QwenWriter
from made.text import Text, coined
from made.transcript import Agent, Step, Writer, iso, uuid4, uuid7

END_MS = 1_796_040_000_000
"""The newest session starts before this (2026-11-30)."""
SPAN_MS = 548 * 86_400_000
"""Sessions lie over 18 months."""
PROJECTS = 40
SUB_AGENT_SHARE, FORK_SHARE, TITLE_SHARE = 0.12, 0.06, 0.6
LONG_SESSIONS_PER_7000, LONG_RECORDS, LONG_BYTES = 4, 10_000, 8_000_000
LEAST_BYTES = 12_000
"""What even the shortest session comes to, over the three agents (Codex begins with 25 KB of instructions)."""
HUGE_LINES_PER_7000, HUGE_BYTES = 5, 1_400_000
OUTPUT_MEDIAN, OUTPUT_SIGMA = 1_500, 2.2
"""Bytes of a tool output, log-normal. Lines then come to p50 0.8, 0.4, 0.6 KB and p99 16, 29, 10 KB (by agent)."""
MODELS: dict[Agent, str] = {
    "claude-code": "claude-opus-4-8",
    "codex": "gpt-5.5-codex",
    "qwen-code": "qwen3-coder-plus",
}
COMMANDS = (
    "pytest -x {p}",
    "rg -n {n} src",
    "cargo test {n}",
    "git diff {i}",
    "npm run {n}",
    "cat {p}",
    "make {n}",
    "ls -l {p}",
)


@dataclass(frozen=True, slots=True)
class Known:
    """What a benchmark may ask for: each word and id occurs in this session alone (and in its forks). `project` is the
    one planned: a sub-agent works in its parent's and a fork in its original's, which is what the manifest says."""

    index: int
    agent: Agent
    id: str
    parent: str | None
    project: str
    started: str
    user_word: str
    assistant_word: str
    output_word: str
    sha: str


def known(seed: int, sessions: int) -> Iterator[Known]:
    """Yield what is known of each session of the corpus with this seed and size, without generating it."""
    places = ("work", "src", "oss")
    projects = [f"/home/dev/{places[i % 3]}/{coined(Random(f'{seed}:project:{i}'), 2)}" for i in range(PROJECTS)]
    weights = [1 / (1 + i) for i in range(PROJECTS)]
    agents: dict[Agent, str] = {}
    for i in range(sessions):
        rng = Random(f"{seed}:known:{i}")
        started = END_MS - SPAN_MS + int(SPAN_MS * i / sessions) + rng.randrange(SPAN_MS // sessions + 1)
        agent: Agent = rng.choices(("claude-code", "codex", "qwen-code"), (48, 29, 23))[0]
        sub = agent in agents and rng.random() < SUB_AGENT_SHARE
        ident = uuid7(rng, started) if agent == "codex" else f"{rng.getrandbits(68):017x}" if sub else uuid4(rng)
        rare = [f"{coined(rng, 2)}{w}{coined(rng, 2)}{i}" for w in ("qua", "zel", "vyx")]
        project = rng.choices(projects, weights)[0]
        parent = agents[agent] if sub else None
        sha = f"{rng.getrandbits(160):040x}"
        yield Known(i, agent, ident, parent, project, iso(started), rare[0], rare[1], rare[2], sha)
        if not sub:
            agents[agent] = ident


class Generator:
    """Makes the sessions one after the other, oldest first."""

    def __init__(self, root: Path, seed: int, sessions: int, size: int) -> None:
        self.root, self.sessions, self.size, self.seed = root, sessions, size, seed
        self.rng = Random(f"{seed}:body")
        self.text = Text(Random(f"{seed}:words"))
        self.instructions = self.text.prose(3_000)
        self.recent: dict[Agent, Writer] = {}
        self.manifest: list[dict[str, Any]] = []
        self.lengths: dict[str, list[int]] = {a: [] for a in WRITERS}
        self.count: Counter[str] = Counter()
        self.long = set(self.rng.sample(range(sessions), round(sessions * LONG_SESSIONS_PER_7000 / 7000)))
        self.huge = set(self.rng.sample(range(sessions), math.ceil(sessions * HUGE_LINES_PER_7000 / 7000)))

    def run(self) -> None:
        """Write everything."""
        shares = [self.rng.lognormvariate(0, 1.7) for _ in range(self.sessions)]
        left = sum(shares)
        for k, share in zip(known(self.seed, self.sessions), shares, strict=True):
            writer = self.writer(k)
            kept = sum(i > k.index for i in self.long) * LONG_BYTES + (self.sessions - k.index) * LEAST_BYTES
            self.session(writer, k, int((self.size - self.count["bytes"] - kept) * share / left) + LEAST_BYTES)
            left -= share
            writer.save(self.root)
            made = {"project": writer.cwd, "fork_of": writer.fork_of, "path": writer.path, "lines": len(writer.lines)}
            self.manifest.append(asdict(k) | made)
            self.tally(writer)
            if not k.parent:
                self.recent[k.agent] = writer

    def tally(self, writer: Writer) -> None:
        """Count what was written."""
        self.lengths[writer.agent] += map(len, writer.lines)
        self.count["bytes"] += writer.size + sum(map(len, writer.side.values()))
        self.count["lines"] += len(writer.lines)
        self.count["spilled"] += sum(name.endswith(".txt") for name in writer.side)
        self.count[f"sessions of {writer.agent}"] += 1
        self.count["sub-agents"] += writer.parent is not None
        self.count["forks"] += writer.fork_of is not None

    def writer(self, k: Known) -> Writer:
        """Return the writer of one session; a fork's already holds what it copied."""
        rng, before = self.rng, self.recent.get(k.agent)
        fork = before is not None and not k.parent and rng.random() < FORK_SHARE and len(before.lines) > 12
        w = WRITERS[k.agent](
            rng,
            k.id,
            before.cwd if k.parent and before else k.project,
            int(datetime.fromisoformat(k.started).timestamp() * 1000),
            noise=True,
            parent=k.parent,
            model=MODELS[k.agent],
            branch=rng.choice(("main", "main", "dev", f"fix/{coined(rng, 2)}")),
            fork_of=before.session if fork and before else None,
        )
        if isinstance(w, ClaudeWriter):
            w.store = str(self.root.resolve() / "claude")
            w.old = rng.random() < 0.5
            w.version = "2.0.41" if w.old else "2.1.300"
        if isinstance(w, CodexWriter):
            w.legacy, w.instructions = k.index < self.sessions * 0.7, self.instructions
        if fork and before is not None:
            self.copy(before, w)
        elif k.parent and isinstance(w, ClaudeWriter | QwenWriter):
            w.describe(self.text.prose(6))
        return w

    def copy(self, old: Writer, new: Writer) -> None:
        """Copy the beginning of a session into its fork, as each agent does."""
        new.cwd = old.cwd
        if isinstance(new, CodexWriter):
            assert isinstance(old, CodexWriter)
            new.legacy = old.legacy
            new.begin()
        n = max(6, int(len(old.lines) * self.rng.choice((0.33, 0.33, 0.7, 1.0))))
        for line in old.lines[: min(n, 2_000)]:
            record: dict[str, Any] = orjson.loads(line)
            if isinstance(new, CodexWriter):
                if not new.legacy:
                    record["ordinal"] = new.ordinal
                    new.ordinal += 1
            else:
                record["sessionId"] = new.session
                if "uuid" in record:
                    record["forkedFrom"] = {"sessionId": old.session, "messageUuid": record["uuid"]}
                    assert isinstance(new, ClaudeWriter | QwenWriter)
                    new.last = record["uuid"]
            new.emit(record)

    def session(self, w: Writer, k: Known, target: int) -> None:
        """Write a session of about `target` bytes, or of LONG_RECORDS records."""
        rng, text, base, start = self.rng, self.text, len(w.lines), w.size
        long = k.index in self.long
        w.step(Step("user", f"{self.person()} {k.user_word}"))
        w.step(Step("assistant", f"{text.prose(20)} `{k.assistant_word}` {text.prose(8)}"))
        w.step(Step("shell", f"{text.log(200)} {k.output_word}\ncommit {k.sha}", f"git log -1 {k.sha[:12]}"))
        if k.index in self.huge:
            w.step(Step("shell", text.json(HUGE_BYTES // 2 + rng.randrange(HUGE_BYTES // 4)), f"cat {text.path()}"))
        steps = 0
        while (len(w.lines) - base < LONG_RECORDS) if long else (w.size - start < target):
            steps += 1
            w.step(self.step(w, 250, 1.0, 180_000) if long else self.step(w, OUTPUT_MEDIAN, OUTPUT_SIGMA, target // 2))
            if steps % 150 == 149:
                w.step(Step("summary", text.prose(400)))
                self.count["compactions"] += 1
        w.step(Step("assistant", text.prose(25)))
        if not k.parent and rng.random() < TITLE_SHARE:
            w.title(text.prose(6).rstrip("."))

    def person(self) -> str:
        """Return what a person types."""
        n = 4 + int(self.rng.lognormvariate(2.4, 0.8))
        return self.text.foreign(n) if self.rng.random() < 0.12 else self.text.prose(n)

    def step(self, w: Writer, median: int, sigma: float, limit: int) -> Step:
        """Return one step at random: mostly tools, as in real sessions."""
        rng, text, k = self.rng, self.text, self.rng.random()
        if k < 0.10:
            return Step("user", self.person())
        if k < 0.38:
            return Step("assistant", text.prose(15 + int(rng.lognormvariate(3, 0.8))))
        size = min(int(median * rng.lognormvariate(0, sigma)), 180_000, max(2_000, limit))
        if k < 0.68:
            command = rng.choice(COMMANDS).format(p=text.path(), n=text.name(), i=text.id())
            return Step("shell", text.output(size), command, exit_status=int(rng.random() < 0.08))
        if k < 0.82:
            return Step("read", text.code(size), f"{w.cwd}/{text.path()}")
        if k < 0.93:
            new = text.code(min(size, 4_000))
            return Step("edit", "The file has been updated.", f"{w.cwd}/{text.path()}", new=new)
        return Step("grep", text.grep(size // 2), text.name())


def summary(g: Generator, seconds: float) -> str:
    """Return what was made, as lines for people."""
    out = [f"{g.sessions} sessions, {g.count['lines']} lines, {g.count['bytes'] / 1e6:.1f} MB in {seconds:.1f} s"]
    out += [f"{name}: {n}" for name, n in sorted(g.count.items()) if name not in ("bytes", "lines")]
    for agent, lengths in g.lengths.items():
        if lengths:
            s = sorted(lengths)
            out.append(f"{agent}: line bytes p50 {s[len(s) // 2]}, p99 {s[len(s) * 99 // 100]}, max {s[-1]}")
    return "\n".join(out)


def generate(root: Path, sessions: int = 7_000, megabytes: float = 270, seed: int = 1) -> Generator:
    """Write the corpus and its manifest below `root` (empty or missing); return the generator with its counts."""
    root.mkdir(parents=True, exist_ok=True)
    g = Generator(root, seed, sessions, int(megabytes * 1_000_000))
    g.run()
    entries = {"seed": seed, "lines": g.count["lines"], "bytes": g.count["bytes"], "sessions": g.manifest}
    (root / "manifest.json").write_bytes(orjson.dumps(entries))
    return g


def main() -> None:
    """Run from the command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("directory", type=Path)
    p.add_argument("--sessions", type=int, default=7_000)
    p.add_argument("--megabytes", type=float, default=270)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    begun = time.perf_counter()
    print(summary(generate(a.directory, a.sessions, a.megabytes, a.seed), time.perf_counter() - begun))


if __name__ == "__main__":
    main()
