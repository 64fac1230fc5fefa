"""Whatever the order in which files appear and grow, the index says the same."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest_kit import Store, claude, codex_meta, codex_said, differences, dump, encode, qwen

A, B, C, D, E, F, G = (f"{x}1111111-1111-4111-8111-111111111111" for x in "abcdefg")
T, U, V = (f"01a1aaaa-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))
P = "claude/projects/-w-app/"
R = "codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-"
Q = "qwen/projects/-w-web/chats/"


def _forked(lines: list[dict[str, Any]], origin: str, fork: str) -> list[dict[str, Any]]:
    return [x | {"sessionId": fork, "forkedFrom": {"sessionId": origin, "messageUuid": x["uuid"]}} for x in lines]


def _world() -> dict[str, list[dict[str, Any]]]:
    """Sessions with every kind of tie between files: forks of forks, a copy without a mark, rewinds, titles for nodes of
    other files, prompt histories, sub-agents with side files, fragments, rollbacks, messages that are only called the
    same, records without ids, and a fork that goes back to before a compaction."""
    first = [
        claude("user", "u1", None, "add a cache", 1, A),
        claude("assistant", "a1", "u1", "where should it live?", 2, A),
        claude("user", "u2", "a1", "in redis", 3, A),
        claude("assistant", "a2", "u2", "using redis", 4, A),
    ]
    rewound = [claude("user", "u3", "a1", "no, in memory", 5, A), claude("assistant", "a3", "u3", "using a dict", 6, A)]
    fork = [*_forked(first, A, B), claude("user", "b1", "a2", "and the tests?", 7, B)]
    fork_of_fork = [*_forked(fork, B, C), claude("user", "c1", "b1", "also the docs", 8, C)]
    unmarked = [x | {"sessionId": D} for x in first[:2]] + [claude("user", "d1", "a1", "forget the cache", 9, D)]
    namesake = [
        claude("user", "u1", None, "paint it green", 11, E),
        claude("assistant", "a1", "u1", "where should it live?", 2, E),
        claude("system", "k1", None, "", 13, E, subtype="compact_boundary", logicalParentUuid="a1"),
        claude("user", "k2", "k1", "green was wanted", 14, E, isCompactSummary=True),
        claude("user", "k3", "k2", "and a border", 15, E),
    ]
    fork_of_namesake = [*_forked(namesake, E, F), claude("user", "l1", "a1", "no border", 16, F)]
    nameless = [{"type": "user", "timestamp": x["timestamp"], "message": x["message"]} for x in (first[0], first[2])]
    said = [
        qwen("user", "q1", None, "the page is blank", 1, A),
        qwen("system", "y1", "q1", None, 2, A, subtype="ui_telemetry", systemPayload={}),
        qwen("assistant", "q2", "y1", None, 3, A, message={"role": "model", "parts": [{"text": "hm", "thought": True}]}),
        qwen("assistant", "q2", "y1", "first half", 3, A, model="small"),
        qwen("assistant", "q2", "y1", "second half", 4, A),
        qwen("assistant", "q2", "y1", None, 4, A, model="large"),
        qwen("assistant", "q5", "q2", "an answer too many", 5, A),
        qwen("user", "q3", "q2", "try again", 5, A),
        qwen("user", "q4", "q2", "or rather not", 6, A),
    ]
    parent = [
        codex_meta(T),
        codex_said("user", "count them", 1),
        codex_said("agent", "seven", 2),
        codex_said("user", "again", 3),
        {
            "timestamp": "2026-11-01T00:04:00.000Z",
            "type": "event_msg",
            "payload": {"type": "thread_rolled_back", "num_turns": 1},
        },
        codex_said("user", "really?", 5),
    ]
    branch = [codex_meta(U, forked_from_id=T), *parent[1:3], codex_said("user", "and the rest?", 6)]
    branch_of_branch = [codex_meta(V, forked_from_id=U), *branch[1:], codex_said("agent", "none", 7)]
    return {
        f"{P}{A}.jsonl": [*first, *rewound],
        f"{P}{B}.jsonl": fork,
        f"{P}{C}.jsonl": fork_of_fork,
        f"{P}{D}.jsonl": unmarked,
        f"{P}{E}.jsonl": namesake,
        f"{P}{F}.jsonl": fork_of_namesake,
        f"{P}{G}.jsonl": nameless,
        f"{P}f0000000-1111-4111-8111-111111111111.jsonl": [
            {"type": "summary", "summary": "A cache in memory", "leafUuid": "a3"},
            {"type": "summary", "summary": "The tests of the fork", "leafUuid": "b1"},
        ],
        f"{P}{A}/subagents/agent-7.jsonl": [
            claude("user", "s1", None, "look for caches", 3, A, isSidechain=True, agentId="7"),
            claude("assistant", "s2", "s1", "there are none", 4, A, isSidechain=True, agentId="7"),
        ],
        f"{P}{A}/subagents/agent-7.meta.json": [{"agentType": "Explore", "description": "find caches"}],
        "claude/history.jsonl": [
            {"display": "add a cache", "timestamp": 1_796_000_000_000, "project": "/w/app", "sessionId": A},
            {"display": "an older question", "timestamp": 1_790_000_000_000, "project": "/w/app", "sessionId": "gone"},
            {"display": "and another", "timestamp": 1_790_000_001_000, "project": "/w/app", "sessionId": "gone"},
        ],
        f"{R}{T}.jsonl": parent,
        f"{R}{U}.jsonl": branch,
        f"{R}{V}.jsonl": branch_of_branch,
        "codex/session_index.jsonl": [{"id": U, "thread_name": "The rest", "updated_at": "2026-11-02T00:00:00Z"}],
        f"{Q}{A}.jsonl": said,
        f"{Q}{B}.jsonl": [*_forked(said[:6], A, B), qwen("user", "r1", "q2", "on another branch", 9, B)],
    }


WORLD = _world()
NAMES = sorted(WORLD)


def _at_once() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        store = Store(Path(place))
        for name in NAMES:
            store.append(name, *WORLD[name])
        found = _without_root(dump(store.catch_up()), place)
        store.close()
        return found


def _without_root(dumped: dict[str, Any], place: str) -> dict[str, Any]:
    def strip(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(place, "")
        if isinstance(value, list):
            return [strip(v) for v in value]
        return {k: strip(v) for k, v in value.items()} if isinstance(value, dict) else value

    return {key: strip(value) for key, value in dumped.items()}


STEPS = st.lists(
    st.tuples(st.sampled_from(range(len(NAMES))), st.integers(1, 4), st.sampled_from(["", "look", "look", "restart"])),
    max_size=24,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(order=st.permutations(range(len(NAMES))), steps=STEPS)
def test_any_order_of_files_and_lines_gives_the_same_index(order: list[int], steps: list[tuple[int, int, str]]) -> None:
    """Lines arrive a few at a time in files picked at random; the indexer looks, or is started anew, at any moment."""
    with tempfile.TemporaryDirectory() as place:
        store = Store(Path(place))
        written = dict.fromkeys(NAMES, 0)
        for which, count, then in [*steps, *((n, 1000, "look") for n in order)]:
            name = NAMES[which]
            lines = WORLD[name][written[name] : written[name] + count]
            written[name] += len(lines)
            if lines:
                store.append(name, *lines)
            if then:
                store.catch_up()
            if then == "restart":
                store.close()
                store.open()
        found = _without_root(dump(store.catch_up()), place)
        store.close()
        assert differences(found, EXPECTED) == []


EXPECTED = _at_once()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(order=st.permutations(range(len(NAMES))))
def test_what_a_first_build_writes_and_does_not_commit_yet_is_looked_back_at(order: list[int]) -> None:
    """Every file is written as soon as it is read, and committed with others, or when a later one asks for it."""
    with tempfile.TemporaryDirectory() as place:
        store = Store(Path(place), batch_bytes=1)
        for newest, which in enumerate(order):
            path = store.append(NAMES[which], *WORLD[NAMES[which]])
            os.utime(path, (1_790_000_000 + newest, 1_790_000_000 + newest))
        found = _without_root(dump(store.catch_up()), place)
        commits = sum(event == "commit" for event, _ in store.events)
        store.close()
        assert differences(found, EXPECTED) == []
        assert commits < len(NAMES)


OLD = [
    WORLD[f"{R}{T}.jsonl"][0],
    codex_said("user", "count them", 1),
    codex_said("agent", "sevenish, I think", 2),
    codex_said("user", "hm", 3),
]
"""What the first rollout said before it was rewritten: the fork has copied other words than it holds."""


def _put_away(store: Store, name: str, *, compressed: bool, in_place: bool) -> str:
    """Rewrite the rollout as the world has it and archive it; return its new name."""
    away = name.replace("sessions/2026/11/30", "archived_sessions") + (".zst" if compressed else "")
    data = encode(WORLD[name])
    if in_place:
        store.path(name).write_bytes(data)  # the same inode, until it is compressed
    else:
        store.path(name).unlink()
    if in_place and not compressed:
        store.path(name).rename(store.path(away))
    else:
        store.path(away).write_bytes(zstandard.compress(data) if compressed else data)
        store.path(name).unlink(missing_ok=True)
    return away


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    order=st.permutations(range(len(NAMES))),
    at=st.integers(0, len(NAMES) - 1),
    said=st.integers(1, len(OLD)),
    compressed=st.booleans(),
    in_place=st.booleans(),
    between=st.sampled_from(["nothing", "look", "off", "gone"]),
    back=st.booleans(),
)
def test_a_rollout_rewritten_and_put_away_ends_as_what_it_holds(
    order: list[int], at: int, said: int, compressed: bool, in_place: bool, between: str, back: bool
) -> None:
    """While the service is off, or runs and looks at the old place once more, before or after any other file is read."""
    name = f"{R}{T}.jsonl"
    with tempfile.TemporaryDirectory() as place:
        store = Store(Path(place))
        store.append(name, *OLD[:said])
        store.catch_up()
        away = ""
        for n, which in enumerate(order):
            if n == at:
                store.catch_up()
                if between == "off":
                    store.close()
                elif between == "look":
                    store.write(name, *WORLD[name])
                    store.catch_up()
                elif between == "gone":
                    kept = store.path(name).rename(Path(place) / "kept")
                    store.catch_up()
                    kept.rename(store.path(name))
                away = _put_away(store, name, compressed=compressed, in_place=in_place)
                if between == "off":
                    store.open()
                store.catch_up()
                if back:
                    store.path(name).write_bytes(encode(WORLD[name]))
                    store.path(away).unlink()
                    store.catch_up()
            if NAMES[which] != name:
                store.append(NAMES[which], *WORLD[NAMES[which]])
        found = _without_root(dump(store.catch_up()), place)
        store.close()
        wanted = EXPECTED if back else _moved(name, away)
        assert differences(found, wanted) == []


def _moved(name: str, away: str) -> dict[str, Any]:
    """Return what is expected with one file under another name."""

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(v) for v in value]
        return value.replace(f"/{name}", f"/{away}") if isinstance(value, str) else value

    return {
        key: {field: put(v) if field in ("file", "files", "places") else v for field, v in body.items()}
        for key, body in EXPECTED.items()
    }
