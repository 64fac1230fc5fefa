"""What is read costs what it is worth, however much is there already: counted in calls, which no other load changes."""

from __future__ import annotations

from cProfile import Profile
from pathlib import Path
from pstats import Stats

from ingest_kit import Store, claude

A = "a1111111-1111-4111-8111-111111111111"


def calls_while_reading(store: Store, name: str) -> int:
    """Read what is on disk; return how often a function of this name was called meanwhile."""
    profile = Profile()
    profile.runcall(store.catch_up)
    counts = Stats(profile).stats  # type: ignore[attr-defined]  # the stubs leave it out
    return sum(count for (_, _, called), (_, count, *_) in counts.items() if called == name)


def test_what_a_fork_repeats_is_compared_once_however_many_forks_there_are(tmp_path: Path) -> None:
    store = Store(tmp_path)
    said = [claude("user", f"u{n}", f"u{n - 1}" if n else None, f"said {n}", n, A) for n in range(20)]
    store.write(f"claude/projects/-w-app/{A}.jsonl", *said)
    store.catch_up()
    redacted = []
    for n in range(8):
        fork = f"{n:08}-1111-4111-8111-111111111111"
        copies = [x | {"sessionId": fork, "forkedFrom": {"sessionId": A, "messageUuid": x["uuid"]}} for x in said]
        own = claude("user", f"own{n}", "u19", f"fork {n}", 30 + n, fork)
        store.write(f"claude/projects/-w-app/{fork}.jsonl", *copies, own)
        redacted.append(calls_while_reading(store, "redact"))
    assert redacted[-1] < 1.5 * redacted[0]
    store.close()
