"""Codex: threads, forks, sub-agents, and what happens to their files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_kit import CODEX, ROLLOUT, Case, T, agent, at, cx, encode, event, meta, person, response, zst

U = "01a1beef-0000-7000-8000-0000000000d4"


def test_only_the_first_session_meta_is_the_identity(case: Case) -> None:
    case.write(CODEX, meta(), meta(U, cwd="/srv/other", model_provider="elsewhere"), *person("mine", 1))
    case.read()
    assert (
        set(case.sessions()) == {T}
        and case.sessions()[T]["project"] == "/srv/api"
        and case.sessions()[T]["provider"] == "openai"
    )


def test_the_thread_id_inside_counts_not_the_file_name(case: Case) -> None:
    case.write(f"{ROLLOUT}{U}.jsonl", meta(T), *person("insideterm", 1))
    case.read()
    assert set(case.sessions()) == {T}


def test_a_fork_without_ordinals_shares_its_beginning(case: Case) -> None:
    first = [*person("the queue stalls", 1), *agent("a lock is held", 2)]
    case.write(f"{ROLLOUT}{U}.jsonl", meta(U, forked_from_id=T), meta(T), *first, *person("fork question", 9))
    case.read()
    assert case.found("stalls") == [U]
    case.write(CODEX, meta(T), *first, *person("original goes on", 3))
    case.read()
    assert case.found("stalls") == [T] and case.matches("stalls") == 1
    assert case.lines(U) == ["the queue stalls", "a lock is held", "fork question"]
    assert case.sessions()[U]["records"] == 1 and case.sessions()[T]["records"] == 3
    case.path(CODEX).unlink()
    case.read()
    assert case.lines(U) == ["the queue stalls", "a lock is held", "fork question"] and case.matches("stalls") == 1


def test_segments_of_one_thread_are_one_session(case: Case) -> None:
    case.write(CODEX, meta(T), *person("segment one", 1))
    case.write(f"codex/sessions/2026/11/29/rollout-2026-11-29T09-00-00-{T}_{U}.jsonl", meta(T), *person("segment two", 5))
    case.read()
    assert set(case.sessions()) == {T} and case.lines(T) == ["segment one", "segment two"]


def test_names_last_wins_whatever_comes_first(case: Case) -> None:
    case.write(
        "codex/session_index.jsonl",
        {"id": T, "thread_name": "First name", "updated_at": at(1)},
        {"id": T, "thread_name": "Second name", "updated_at": at(2)},
        {"id": U, "thread_name": "No such", "updated_at": at(2)},
    )
    case.read()
    assert case.sessions() == {}
    case.write(CODEX, meta(), *person("hello", 1))
    case.read()
    assert case.sessions()[T]["title"] == "Second name" and case.found("second") == [T]
    case.append("codex/session_index.jsonl", {"id": T, "thread_name": "Third name", "updated_at": at(3)})
    case.read()
    assert case.sessions()[T]["title"] == "Third name" and set(case.sessions()) == {T}


def test_history_gives_way_to_the_rollout(case: Case) -> None:
    case.write(
        "codex/history.jsonl",
        {"session_id": T, "ts": 1764320400, "text": "typedterm"},
        {"session_id": U, "ts": 1764320401, "text": "orphanterm"},
    )
    case.read()
    assert case.sessions()[T]["source_deleted"] is True and case.found("typedterm") == [T]
    assert case.records(T)[0]["time"] == "2025-11-28T09:00:00.000Z"
    case.write(CODEX, meta(), *person("typedterm", 1))
    case.read()
    assert case.matches("typedterm") == 1 and case.sessions()[T]["source_deleted"] is False
    assert case.found("orphanterm") == [U]


def test_compressed_then_unpacked_then_appended_is_one_session(case: Case) -> None:
    f = case.write(CODEX, meta(), *person("packedterm", 1))
    case.read()
    z = f.with_name(f.name + ".zst")
    z.write_bytes(zst(f.read_bytes()))
    case.read()
    assert case.matches("packedterm") == 1 and case.sessions()[T]["path"] == str(f)
    f.unlink()
    case.read()
    assert (
        case.matches("packedterm") == 1
        and case.sessions()[T]["path"] == str(z)
        and case.sessions()[T]["source_deleted"] is False
    )
    archived = case.path(f"codex/archived_sessions/{z.name}")
    z.rename(archived)
    case.read()
    assert case.sessions()[T]["path"] == str(archived)
    import zstandard

    f.write_bytes(zstandard.decompress(archived.read_bytes()))
    archived.unlink()
    case.append(CODEX, *person("appendedterm", 2))
    case.read()
    assert case.lines(T) == ["packedterm", "appendedterm"] and case.matches("packedterm") == 1
    record = case.records(T)[1]
    data = f.read_bytes()
    at_, length = record["source"]["offset"], record["source"]["length"]
    assert b"appendedterm" in data[at_ : at_ + length] and data[at_ + length - 1 : at_ + length] == b"\n"
    assert case.ask("status")["sessions"] == 1


@pytest.mark.parametrize("first", ["plain", "packed", "both"])
def test_of_a_rollout_and_what_was_packed_of_it_once_the_plain_one_counts(case: Case, first: str) -> None:
    def pack() -> None:
        case.path(CODEX + ".zst").write_bytes(zst(encode(meta(), *person("onceterm", 1), *person("staleterm", 2))))

    if first != "plain":
        pack()
    if first == "packed":
        case.read()
    case.write(CODEX, meta(), *person("onceterm", 1), *person("plainterm", 2))
    case.read()
    if first == "plain":
        pack()
        case.read()
    assert case.lines(T) == ["onceterm", "plainterm"] and case.found("staleterm") == []
    assert case.sessions()[T]["path"] == str(case.path(CODEX))


def test_a_rollout_first_seen_compressed(case: Case) -> None:
    case.path(CODEX + ".zst").write_bytes(
        zst(b"".join(__import__("case_kit").encode(x) for x in (meta(), *person("coldterm", 1))))
    )
    case.read()
    assert case.found("coldterm") == [T]


def test_a_damaged_archive_is_reported_and_harms_nothing_else(case: Case) -> None:
    whole = zst(__import__("case_kit").encode(meta(), *person("cutterm", 1)))
    case.path(CODEX + ".zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"garbage" * 20)
    case.path(f"{ROLLOUT}{U}.jsonl.zst").write_bytes(whole[: len(whole) // 2])
    other = "01a1beef-0000-7000-8000-0000000000e5"
    case.write(f"{ROLLOUT}{other}.jsonl", meta(other), *person("soundterm", 1))
    case.read()
    assert case.found("soundterm") == [other]
    assert T in json.dumps(case.findings())


def test_legacy_rewritten_as_paginated_under_the_same_path(case: Case) -> None:
    case.write(
        CODEX,
        meta(history_mode="legacy"),
        event("user_message", 1, message="migrateterm"),
        response("user", "migrateterm", 1),
        event("agent_message", 2, message="answerterm"),
        response("assistant", "answerterm", 2),
    )
    case.read()
    before = case.said(T)
    tmp = case.write(CODEX + ".tmp", meta(history_mode="paginated"), *person("migrateterm", 1), *agent("answerterm", 2))
    tmp.rename(case.path(CODEX))
    case.read()
    assert case.said(T) == before == [("user", "message", "migrateterm"), ("assistant", "message", "answerterm")]


@pytest.mark.parametrize(("source", "kind"), [({"subagent": "review"}, "review"), ({"subagent": {"thread_spawn": {"parent_thread_id": U, "depth": 1, "agent_role": "explorer"}}}, "explorer"), ({"subagent": {"other": "guardian"}}, "guardian")])  # fmt: skip
def test_sub_agents_are_told_by_their_source(case: Case, source: Any, kind: str) -> None:
    case.write(CODEX, meta(source=source, parent_thread_id=U), *person("sub work", 1))
    case.read()
    s = case.sessions()[T]
    assert s["sub_agent"] == kind and s["parent"] == U
    assert case.sessions(sub_agents=False) == {}


@pytest.mark.parametrize("source", ["cli", "exec", "vscode", "mcp", None, 7, {"odd": []}])
def test_any_other_source_is_a_main_session(case: Case, source: Any) -> None:
    case.write(CODEX, meta(source=source), *person("main work", 1))
    case.read()
    assert set(case.sessions(sub_agents=False)) == {T}


def test_a_sub_agent_does_not_show_what_it_inherited(case: Case) -> None:
    first = [*person("parentterm", 1), *agent("delegating", 2)]
    replay = [meta(T), *first]
    start = 1 + len(replay)
    lines = [
        meta(
            U,
            parent_thread_id=T,
            subagent_history_start_ordinal=start,
            source={"subagent": {"thread_spawn": {"parent_thread_id": T, "depth": 1}}},
        ),
        *replay,
        *person("subtaskterm", 3),
    ]
    case.write(f"{ROLLOUT}{U}.jsonl", *[x | {"ordinal": n} for n, x in enumerate(lines)])
    case.read()
    assert case.lines(U) == ["subtaskterm"] and case.found("parentterm") == []
    case.write(CODEX, meta(T), *first)
    case.read()
    assert case.found("parentterm") == [T] and case.lines(U) == ["subtaskterm"]


def test_the_provider_and_how_to_resume_it(case: Case) -> None:
    case.write(CODEX, meta(model_provider="relay"), *person("providerterm", 1))
    case.write(f"{ROLLOUT}{U}.jsonl", meta(U), *person("plain", 1))
    case.read()
    assert (
        case.sessions()[T]["resume"] == f"codex resume -c model_provider=relay {T}"
        or "model_provider=relay" in case.sessions()[T]["resume"]
    )
    assert "model_provider" not in case.sessions()[U]["resume"]
    case.path("codex/config.toml").write_text('model_provider = "relay"\n')
    assert "model_provider" not in case.sessions()[T]["resume"]
    assert "model_provider=openai" in case.sessions()[U]["resume"]


def test_of_two_names_the_later_one_is_the_title(case: Case) -> None:
    names = "codex/session_index.jsonl"
    case.write(CODEX, meta(), *person("hello", 1), event("thread_name_updated", 30, thread_name="Told in the rollout"))
    case.write(names, {"id": T, "thread_name": "Told before", "updated_at": at(20)})
    case.read()
    assert case.sessions()[T]["title"] == "Told in the rollout"
    case.append(names, {"id": T, "thread_name": "Told after", "updated_at": at(40)})
    case.read()
    assert case.sessions()[T]["title"] == "Told after"


def test_a_session_is_of_the_directory_it_began_in_and_a_record_of_its_own(case: Case) -> None:
    elsewhere = cx("turn_context", {"cwd": "/srv/web", "model": "m"}, 1)
    case.write(CODEX, meta(cwd="/srv/api"), elsewhere, *person("elsewhereterm", 2))
    case.read()
    assert case.sessions()[T]["project"] == "/srv/api"
    assert [r["project"] for r in case.records(T)] == ["/srv/web"]
    assert case.found("elsewhereterm project:/srv/web") == [T]


@pytest.mark.parametrize("late", [False, True])
def test_what_a_sub_agent_replays_without_ordinals_is_its_parents(case: Case, late: bool) -> None:
    first = [*person("parentterm", 1), *agent("delegating", 2)]
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": T, "depth": 1}}}
    child = [meta(U, source=spawn), meta(T), *first, *person("subtaskterm", 9)]
    files = [(CODEX, [meta(T), *first]), (f"{ROLLOUT}{U}.jsonl", child)]
    for name, lines in reversed(files) if late else files:
        case.write(name, *lines)
        case.read()
    assert case.found("parentterm") == [T] and case.matches("parentterm") == 1
    assert case.lines(U) == ["subtaskterm"] and case.sessions()[U]["records"] == 1
    assert case.sessions()[U]["title"] == "subtaskterm"
