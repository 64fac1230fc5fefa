"""How often a question about a conversation finds the session that answers it first, or among the first five.

    PYTHONPATH=daemon:client python tests/benchmarks/quality/locomo.py FILE [--misses N]

FILE is LoCoMo's JSON (Maharana et al., ACL 2024), whole or in part; it is not part of this project. Each conversation
becomes one project in an index of its own, a session for a session, a record for a turn ("Speaker: text"), with the
real
dates. Every question is asked verbatim, and the first session that holds one of its evidence turns counts.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tantivy

from recalld.index.documents import StoredRecord, StoredSession, document, hash_of, session_key
from recalld.index.reader import IndexReader, Snapshot
from recalld.index.schema import build_schema, register_tokenizers
from recalld.search import search

TURN_MS = 60_000
_EVIDENCE = re.compile(r"D(\d+):\d+")


@dataclass(slots=True)
class Result:
    """Where one question's answer was found."""

    question: str
    rank: int | None
    tier: str | None
    ms: float


def turns(conversation: dict[str, Any]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (number, start in epoch ms, texts) of each session that has turns."""
    number = 1
    while f"session_{number}" in conversation:
        said = conversation[f"session_{number}"]
        if said:
            date = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            start = int(date.replace(tzinfo=UTC).timestamp() * 1000)
            yield number, start, [f"{turn['speaker']}: {turn['text']}" for turn in said]
        number += 1


def build(conversation: dict[str, Any], path: Path) -> Snapshot:
    """Index one conversation at `path` and return its snapshot."""
    index = tantivy.Index(build_schema(), path=str(path))
    register_tokenizers(index)
    writer = index.writer(15_000_000, num_threads=1)
    for number, start, texts in turns(conversation):
        skey = session_key("claude-code", f"D{number}")
        for n, text in enumerate(texts):
            role = "user" if n % 2 == 0 else "assistant"
            record = StoredRecord(
                skey=skey, id=f"{n}", uid=f"{n}", up=None, parent=None, project="/c", time=start + n * TURN_MS,
                role=role, kind="message", tool=None, paths=[], command=None, exit_status=None, is_error=None,
                model=None, branch=None, text=text, truncated=False, abandoned=False, call=None, side=None,
                file=f"f{number}",
                offset=n * 1000, length=999, ord=n, sub=0, subagent=False, redactor=0,
                hash=hash_of(role, "message", text),
            )  # fmt: skip
            writer.add_document(document(record))
        end = start + len(texts) * TURN_MS
        session = StoredSession(skey, f"D{number}", started=start, updated=end, records=len(texts), files=[f"f{number}"])
        writer.add_document(document(session))
    writer.commit()
    writer.wait_merging_threads()
    return IndexReader(path).snapshot


def ask(snapshot: Snapshot, conversation: dict[str, Any], questions: list[dict[str, Any]]) -> Iterator[Result]:
    """Ask every question that has evidence, and yield where the answer was."""
    known = {f"D{number}" for number, _, _ in turns(conversation)}
    for asked in questions:
        evidence = {f"D{m}" for line in asked["evidence"] for m in _EVIDENCE.findall(line)} & known
        if not evidence:
            continue
        began = time.perf_counter()
        answer = search(snapshot, {"query": asked["question"], "limit": 50})
        took = (time.perf_counter() - began) * 1000
        ids = [hit["session"]["id"] for hit in answer["hits"]]
        rank = next((n for n, found in enumerate(ids, 1) if found in evidence), None)
        yield Result(asked["question"], rank, answer["tier"], took)


def figures(results: list[Result]) -> str:
    """Return hit@1, hit@5 (per cent) and the mean reciprocal rank."""
    count = max(len(results), 1)
    first = 100 * sum(r.rank == 1 for r in results) / count
    five = 100 * sum(r.rank is not None and r.rank <= 5 for r in results) / count
    mrr = sum(1 / r.rank for r in results if r.rank) / count
    return f"n {len(results):4d}  hit@1 {first:5.1f}  hit@5 {five:5.1f}  MRR {mrr:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="show so many questions that were not answered first")
    options = parser.parse_args()
    every: list[Result] = []
    for sample in json.loads(options.file.read_text()):
        with tempfile.TemporaryDirectory() as place:
            results = list(ask(build(sample["conversation"], Path(place)), sample["conversation"], sample["qa"]))
        print(f"{sample['sample_id']:10s} {figures(results)}")
        every += results
    print(f"{'all':10s} {figures(every)}")
    tiers = sorted({r.tier or "none" for r in every})
    print("tiers      " + ", ".join(f"{t} {sum((r.tier or 'none') == t for r in every)}" for t in tiers))
    times = sorted(r.ms for r in every)
    print(f"time       p50 {times[len(times) // 2]:.2f} ms, p99 {times[len(times) * 99 // 100]:.2f} ms")
    for result in [r for r in every if r.rank != 1][: options.misses]:
        print(f"{result.rank or '-':>4} {result.tier or '-':8} {result.question}")


if __name__ == "__main__":
    main()
