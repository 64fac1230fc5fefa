"""How long a search takes, by what is asked, over an index of a made corpus.

    PYTHONPATH=daemon:client:. python -m tests.benchmarks.search_speed CORPUS [--index DIR] [--socket] [--each N]

CORPUS is what `corpus.py` made. The index is built in a temporary directory, or kept in DIR and used again. Every kind of
question is asked `--each` times, all different, in the process: `first` right after a commit that changed one session,
when no question has been asked of the snapshot yet, `again` a second time. With `--socket` the same questions are put to a real daemon over the
corpus, with `--writing` also while there is a commit a second. All in milliseconds: `cpu` is the thread's own time, which a loaded machine changes little, `wall` is what a clock says.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.benchmarks.service import SETTLE_S, machine_over, quantiles
from tests.made.text import COMMON, Text, coined

from recalld.index.reader import IndexReader
from recalld.index.writer import IndexWriter
from recalld.ingest.texts import Texts
from recalld.ingest.worker import Worker
from recalld.redact import Redactor
from recalld.search import search
from recalld.search.warming import warm
from recalld.settings import Config
from recalld.sources import SOURCES
from recalld.watch.scan import nothing

Questions = dict[str, list[str]]
_LIVE = "99999999-2222-4222-8222-222222222222"
_BETWEEN_S = 0.02
"""Between two questions while an agent writes: 50 questions fall on a commit."""


def questions(corpus: Path, each: int) -> Questions:
    """Return `each` different questions of every kind; the kinds are named for the tier that answers them."""
    manifest = json.loads((corpus / "manifest.json").read_text())
    rng = Random("search speed")
    known = rng.sample(manifest["sessions"], min(each, len(manifest["sessions"])))
    vocabulary = Text(Random(f"{manifest['seed']}:words"))
    frequent = [w for w in COMMON if len(w) > 3 and w.isalpha()]
    middling = [w for w in vocabulary.table[::7] if len(w) > 4 and w.isalpha() and w not in COMMON]

    def rare(n: int) -> str:
        name = ("user_word", "assistant_word", "output_word", "sha")[n % 4]
        return str(known[n % len(known)][name])

    def slip(word: str) -> str:
        at = rng.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if word[at] != word[at + 1] else word + "q"

    makers: dict[str, Callable[[int], str]] = {
        "exact_rare": rare,
        "exact_common_word": lambda n: frequent[n % len(frequent)],
        "exact_two_common": lambda n: " ".join(rng.sample(frequent, 2)),
        "exact_three_middling": lambda n: " ".join(rng.choices(middling[:4000], k=3)),
        "exact_phrase": lambda n: '"' + " ".join(rng.sample(frequent, 2)) + '"',
        "exact_filtered": lambda n: f"{rng.choice(frequent)} agent:codex project:{Path(known[n % each]['project']).name}",
        "forms": lambda n: rng.choice(middling) + ("s", "ed", "ing")[n % 3],
        "close": lambda n: slip(rng.choice(middling)),
        "related_ten_words": lambda n: " ".join(rng.sample(frequent, 5) + rng.choices(middling, k=5)),
        "miss_word": lambda n: f"{coined(rng, 4)}wug{n}",
        "miss_letters": lambda n: "".join(rng.choices("bcdfghjklmnpqrstvwxz", k=12)),
        "miss_three": lambda n: " ".join("".join(rng.choices("bcdfghjklmnpqrstvwxz", k=9)) for _ in range(3)),
    }
    asked = {name: list(dict.fromkeys(make(n) for n in range(each))) for name, make in makers.items()}
    # Mostly something particular, now and then what is everywhere, sometimes what is nowhere.
    common = ["error", "cache", "failed test", "connection", "config", "timeout"]
    asked["usual_mix"] = [w for n in range(each) for w in ([rare(n), common[n % 6]] if n % 4 == 0 else [rare(n)])][:each]
    return asked


def build(corpus: Path, index: Path) -> None:
    """Build an index of a corpus."""
    writer = IndexWriter(index)
    roots = {"claude-code": [corpus / "claude"], "codex": [corpus / "codex"], "qwen-code": [corpus / "qwen"]}
    worker = Worker(writer, "1", SOURCES, roots, Config(), Texts(Redactor()), lambda event, **fields: None, nothing)
    worker.look(None)
    worker.run(until_idle=True)
    writer.close()


def in_process(index: Path, asked: Questions, each_snapshot: int) -> dict[str, Any]:
    """Return the figures of asking in this process."""
    reader = IndexReader(index)
    reader.snapshot.records = reader.snapshot.record_count  # as a daemon's, which counts at every commit
    figures: dict[str, Any] = {}
    for _ in warm(reader.snapshot):  # as a daemon does when nothing is asked
        pass
    written_to = reader.snapshot.values("skey", "", 5)
    for kind, texts in asked.items():
        tiers: Counter[str] = Counter()
        took: dict[str, tuple[list[float], list[float]]] = {"first": ([], []), "again": ([], [])}
        gc.collect()
        gc.freeze()
        for n, text in enumerate(texts):
            if n % each_snapshot == 0:
                reader.reload([written_to[n % 5]])  # as after a commit of one of the sessions that are going on
            for turn, (cpu, wall) in took.items():
                began, spent = time.perf_counter(), time.thread_time()
                answer = search(reader.snapshot, {"query": text})
                cpu.append((time.thread_time() - spent) * 1000)
                wall.append((time.perf_counter() - began) * 1000)
                if turn == "first":
                    tiers[str(answer["tier"])] += 1
        figures[kind] = {
            "tiers": dict(tiers),
            **{turn: {"cpu": quantiles(cpu), "wall": quantiles(wall)} for turn, (cpu, wall) in took.items()},
        }
    return figures


class Writing(threading.Thread):
    """An agent that writes a line a second into a session of its own, so that there is a commit a second."""

    def __init__(self, corpus: Path) -> None:
        super().__init__()
        self.path = corpus / "claude" / "projects" / "-bench-live" / f"{_LIVE}.jsonl"
        self._halt = threading.Event()

    def run(self) -> None:
        self.path.parent.mkdir(parents=True)
        with self.path.open("ab", buffering=0) as stream:
            for n in itertools.count():
                line = {
                    "type": "user",
                    "uuid": f"live-{n}",
                    "parentUuid": f"live-{n - 1}" if n else None,
                    "sessionId": _LIVE,
                    "timestamp": "2026-11-30T10:00:00.000Z",
                    "cwd": "/bench/live",
                    "message": {"role": "user", "content": f"the error of the cache in a failed test {n}"},
                }
                stream.write(json.dumps(line).encode() + b"\n")
                if self._halt.wait(1.0):
                    break
        self.path.unlink()
        self.path.parent.rmdir()

    def stop(self) -> None:
        self._halt.set()
        self.join()


def over_the_socket(corpus: Path, asked: Questions, *, writing: bool) -> dict[str, Any]:
    """Return the figures of asking a real daemon, round trips, each question once; with `writing`, while an agent writes
    a line a second."""
    figures: dict[str, Any] = {}
    with machine_over(corpus) as machine:
        machine.start()
        machine.sync()
        time.sleep(SETTLE_S)
        agent = Writing(corpus) if writing else None
        if agent:
            agent.start()
        try:
            with machine.client() as client:
                for text in asked["usual_mix"][:50]:
                    client.search(text, limit=10)
                for kind, texts in asked.items():
                    took: list[float] = []
                    for text in texts:
                        began = time.perf_counter()
                        client.search(text, limit=10)
                        took.append((time.perf_counter() - began) * 1000)
                        if writing:
                            time.sleep(_BETWEEN_S)
                    figures[kind] = quantiles(took)
        finally:
            if agent:
                agent.stop()
        machine.stop()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.search_speed")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--index", type=Path, help="where the index is kept; made if it is not there")
    parser.add_argument("--each", type=int, default=200, help="questions of each kind")
    parser.add_argument("--each-snapshot", type=int, default=1, help="questions between two commits")
    parser.add_argument("--socket", action="store_true", help="ask a daemon too: it reads the corpus first")
    parser.add_argument("--writing", action="store_true", help="with --socket: ask also while an agent writes a line a second")
    parser.add_argument("--only", nargs="*", help="kinds of questions")
    arguments = parser.parse_args()
    asked = questions(arguments.corpus, arguments.each)
    if arguments.only:
        asked = {kind: texts for kind, texts in asked.items() if kind in arguments.only}
    with tempfile.TemporaryDirectory(prefix="recalld-speed-") as place:
        index = arguments.index or Path(place) / "index"
        if not (index / "meta.json").exists():
            build(arguments.corpus, index)
        figures: dict[str, Any] = {"in_process": in_process(index, asked, arguments.each_snapshot)}
    if arguments.socket:
        figures["socket"] = over_the_socket(arguments.corpus, asked, writing=False)
        if arguments.writing:
            figures["socket_writing"] = over_the_socket(arguments.corpus, asked, writing=True)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
