"""Which files are Codex's, what the two side files say, and how a session is resumed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from recalld.model import Message
from sources.codex_lines import CODEX, DAY, ROOT, THREAD, decoded, encode, facts, file_named, line, read, records

NAME = f"rollout-2026-11-30T10-00-00-{THREAD}.jsonl"


def test_the_store_is_where_the_environment_says() -> None:
    assert CODEX.roots({}, Path("/home/ada")) == [ROOT]
    assert CODEX.roots({"CODEX_HOME": "/srv/codex"}, Path("/home/ada")) == [Path("/srv/codex")]


def test_archiving_and_compressing_keep_a_file_what_it_is() -> None:
    names = [
        f"{DAY}{THREAD}.jsonl",
        f"{DAY}{THREAD}.jsonl.zst",
        f"archived_sessions/{NAME}",
        f"archived_sessions/{NAME}.zst",
    ]
    found = [file_named(name) for name in names]
    assert {(one.kind, one.session, one.logical) for one in found} == {("transcript", THREAD, NAME)}
    assert [one.compressed for one in found] == [False, True, False, True]


@pytest.mark.parametrize(
    "name",
    [
        "auth.json",
        "config.toml",
        "log/codex-tui.log",
        "state_5.sqlite",
        "sessions/2026/11/30/notes.jsonl",
        f"sessions/2026/11/30/{NAME}.tmp",
        f"sessions/2026/11/30/{NAME}.zst.part",
        f"backup/{NAME}",
        NAME,
        "sessions/history.jsonl",
    ],
)
def test_nothing_else_is_read(name: str) -> None:
    assert CODEX.classify(ROOT, ROOT / name) is None


def test_a_path_outside_the_store_is_not_codexs() -> None:
    assert CODEX.classify(ROOT, Path("/elsewhere") / NAME) is None


def test_the_folders_of_sessions_and_the_store_itself_are_watched() -> None:
    assert CODEX.watched(ROOT) == [ROOT / "sessions", ROOT / "archived_sessions", ROOT]


def test_a_typed_prompt_is_a_record_of_its_session() -> None:
    given = [
        {"session_id": THREAD, "ts": 1_796_032_800, "text": "find the lemur"},
        {"session_id": THREAD, "ts": 1_796_032_860, "text": "and the otter"},
        {"session_id": "other", "ts": 1_796_032_900, "text": "hello"},
        {"session_id": "other", "ts": 1_796_032_901, "text": "  "},
        {"session_id": 7, "text": "no session"},
    ]
    for sittings in ([], [1], [2]):
        found = read(given, file_named("history.jsonl"), sittings)
        messages = [(one.session, one.uid, one.time) for one in found if isinstance(one, Message)]
        assert messages == [
            (THREAD, "history-0", 1_796_032_800_000),
            (THREAD, "history-1", 1_796_032_860_000),
            ("other", "history-2", 1_796_032_900_000),
        ]
        assert next((r.role, r.kind, r.text) for r in records(found)) == ("user", "message", "find the lemur")
        assert {one.session for one in found if getattr(one, "name", None) == "prompt_only"} == {THREAD, "other"}


def test_a_name_in_the_index_is_the_title_of_its_session() -> None:
    given = [
        {"id": THREAD, "thread_name": " Lemur work ", "updated_at": "2026-11-30T10:00:00Z"},
        {"id": THREAD, "thread_name": ""},
    ]
    (fact,) = read(given, file_named("session_index.jsonl"))
    assert (fact.session, facts([fact])) == (
        THREAD,
        {"title": {"text": "Lemur work", "rank": 30, "at": 1_796_032_800_000}},
    )


@pytest.mark.parametrize("name", [f"{DAY}{THREAD}.jsonl", "history.jsonl", "session_index.jsonl"])
def test_lines_of_unknown_types_are_counted_by_name(name: str) -> None:
    parser = CODEX.parser(file_named(name), None)
    for one in decoded(encode([line("event_msg", {"type": "new_thing"}), line("new_line", {}), {"odd": 1}])):
        assert list(parser.feed(one)) == []
    assert sum(parser.unknown.values()) == 3
    if name.startswith("sessions"):
        assert {"event_msg/new_thing", "new_line"} < set(parser.unknown)


@dataclass
class View:
    provider: str | None
    root: Path | None
    id: str = THREAD
    project: str | None = "/w/api"
    resume_project: str | None = None
    sub_agent: bool = False
    source_deleted: bool = False


@pytest.mark.parametrize(
    ("config", "provider", "named"),
    [
        (None, "openai", False),
        (None, "proxy", True),
        ('model_provider = "proxy"', "proxy", False),
        ('model_provider = "openai"', "proxy", True),
        ('model = "m"', "openai", False),
        ('profile = "work"\n[profiles.work]\nmodel_provider = "proxy"', "proxy", False),
        ('profile = "gone"\nmodel_provider = "proxy"', "proxy", False),
        ("not toml [", "openai", True),
        ("model_provider = 7", "openai", False),
        ("", None, False),
    ],
)
def test_resuming_names_a_provider_that_is_not_the_configured_one(
    tmp_path: Path, config: str | None, provider: str | None, named: bool
) -> None:
    if config is not None:
        (tmp_path / "config.toml").write_text(config)
    found = CODEX.resume(View(provider, tmp_path))
    given = ("-c", f"model_provider={provider}") if named else ()
    assert found.argv == ("codex", *given, "resume", THREAD)
    assert (found.cwd, found.reason) == ("/w/api", None)


def test_a_config_that_has_changed_is_read_again(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('model_provider = "proxy"')
    assert CODEX.resume(View("proxy", tmp_path)).argv == ("codex", "resume", THREAD)
    config.write_text('model_provider = "other"')
    assert CODEX.resume(View("proxy", tmp_path)).argv[1:3] == ("-c", "model_provider=proxy")
    replacement = tmp_path / "config.new"
    replacement.write_text('model_provider = "proxy"')
    replacement.rename(config)
    assert CODEX.resume(View("proxy", tmp_path)).argv == ("codex", "resume", THREAD)
    config.unlink()
    assert CODEX.resume(View("openai", tmp_path)).argv == ("codex", "resume", THREAD)


def test_a_config_that_cannot_be_read_does_not_stop_resuming(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    assert CODEX.resume(View("openai", tmp_path)).argv[-2:] == ("resume", THREAD)
    (tmp_path / "config.toml").rmdir()
    os.mkfifo(tmp_path / "config.toml")
    assert CODEX.resume(View("openai", tmp_path)).argv[-2:] == ("resume", THREAD)
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    assert CODEX.resume(View("openai", tmp_path)).argv[-2:] == ("resume", THREAD)
    assert CODEX.resume(View("openai", None)).argv[-2:] == ("resume", THREAD)


def test_a_session_whose_file_is_gone_cannot_be_resumed(tmp_path: Path) -> None:
    assert CODEX.resume(View("openai", tmp_path, source_deleted=True)).reason
