"""The life of the service: starts, ends, what is damaged under it, and what it does about that."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tantivy
from awaiting import until
from case_kit import CLAUDE, CODEX, DIR, QWEN, Case, Q, S, T, cc, meta, person, qw
from machine import RECALLD

from recalld.index.documents import (
    StoredCopy,
    StoredFacts,
    StoredFile,
    StoredLinks,
    StoredRecord,
    StoredSession,
    to_body,
)
from recalld.index.former import FormerIndex

KINDS: dict[str, type] = {
    "r": StoredRecord,
    "c": StoredCopy,
    "l": StoredLinks,
    "n": StoredFacts,
    "s": StoredSession,
    "f": StoredFile,
}

GONE = "5e551011-0000-4000-8000-0000000000dd"
GONE_FILE = f"claude/projects/-srv-shop/{GONE}.jsonl"


def fill(case: Case) -> None:
    """Three sessions on disk, and one that only the index still holds."""
    case.write(CLAUDE, cc("user", "u1", None, "cartterm", 0), cc("assistant", "a1", "u1", "cart answer", 1))
    case.write(CODEX, meta(), *person("queueterm", 1))
    case.write(QWEN, qw("user", "q1", None, "pageterm", 0))
    gone = case.write(GONE_FILE, cc("user", "g1", None, "purgedterm", 0, sessionId=GONE))
    case.read()
    gone.unlink()
    case.read()


def index_directory(case: Case) -> Path:
    told = json.loads((case.places.index / "current").read_bytes())
    return case.places.index / str(told["dir"])


def holds_what_files_hold(case: Case) -> None:
    assert case.found("cartterm") == [S] and case.found("queueterm") == [T] and case.found("pageterm") == [Q]
    assert [case.matches(w) for w in ("cartterm", "queueterm", "pageterm")] == [1, 1, 1]


def truncate_largest(directory: Path) -> None:
    for path in directory.iterdir():
        if path.suffix in (".store", ".term", ".idx", ".pos", ".fast", ".fieldnorm"):
            os.truncate(path, path.stat().st_size // 2)


def empty_segments(directory: Path) -> None:
    for path in directory.iterdir():
        if path.suffix in (".store", ".term", ".idx", ".fast"):
            os.truncate(path, 0)


def lose_segments(directory: Path) -> None:
    for path in directory.iterdir():
        if path.suffix in (".store", ".term", ".idx", ".fast"):
            path.unlink()


def scramble_segments(directory: Path) -> None:
    for path in directory.iterdir():
        if path.suffix in (".store", ".term", ".idx", ".pos", ".fast"):
            path.write_bytes(bytes((b * 7 + 13) % 256 for b in path.read_bytes()))


def lose_meta(directory: Path) -> None:
    (directory / "meta.json").unlink()


def garble_meta(directory: Path) -> None:
    (directory / "meta.json").write_text("{ not json")


def empty_meta(directory: Path) -> None:
    (directory / "meta.json").write_text("")


def lose_directory(directory: Path) -> None:
    shutil.rmtree(directory)


@pytest.mark.parametrize("damage", [truncate_largest, empty_segments, lose_segments, scramble_segments, lose_meta, garble_meta, empty_meta, lose_directory])  # fmt: skip
def test_a_damaged_index_is_built_anew_from_the_files(case: Case, damage: Callable[[Path], None]) -> None:
    fill(case)
    case.end()
    damage(index_directory(case))
    case.read()
    holds_what_files_hold(case)
    assert "damaged" in case.log()
    case.append(CLAUDE, cc("user", "u2", "a1", "laterterm", 2))
    case.read()
    assert case.found("laterterm") == [S]
    case.end()
    case.read()
    holds_what_files_hold(case)


def test_sound_parts_of_a_damaged_index_keep_what_only_they_hold(case: Case) -> None:
    fill(case)
    case.append(CLAUDE, cc("user", "u2", "a1", "laterterm", 2))
    case.read()
    case.end()
    stores = sorted(index_directory(case).glob("*.store"), key=lambda p: p.stat().st_mtime_ns)
    assert len(stores) > 1
    os.truncate(stores[-1], 100)
    case.read()
    holds_what_files_hold(case)
    assert case.found("purgedterm") == [GONE] and case.sessions()[GONE]["source_deleted"] is True
    [told] = [f["message"] for f in case.findings() if f["check"] == "index"]
    assert "damaged" in told and "lost" in told
    assert not (case.places.data / "index.damaged").exists()


@pytest.mark.parametrize(
    "text",
    ["", "garbage", "{}", '{"dir": "77", "made_with": {}}', '{"dir": "../..", "made_with": {"format": 1}}', "[]"],
)
def test_a_garbled_pointer_to_the_index_costs_nothing(case: Case, text: str) -> None:
    fill(case)
    case.end()
    (case.places.index / "current").write_text(text)
    case.read()
    holds_what_files_hold(case)
    assert case.found("purgedterm") == [GONE]
    assert (case.root / "claude").is_dir()


def test_a_lost_pointer_to_the_index_costs_nothing(case: Case) -> None:
    fill(case)
    case.end()
    (case.places.index / "current").unlink()
    case.read()
    holds_what_files_hold(case)
    assert case.found("purgedterm") == [GONE]


def as_format_1(directory: Path) -> None:
    """Write the index anew with the terms of format 1, as far as they are read ever again."""
    stored = [(kind, x) for kind, cls in KINDS.items() for x in FormerIndex(directory).all_of(cls, kind)]
    shutil.rmtree(directory)
    directory.mkdir(mode=0o700)
    builder = tantivy.SchemaBuilder()
    for name in ("type", "file", "skey"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("body", stored=True)
    writer = tantivy.Index(builder.build(), str(directory)).writer(20_000_000, 1)
    for kind, x in stored:
        document = tantivy.Document()
        document.add_text("type", kind)
        document.add_text("file", x.id if isinstance(x, StoredFile) else getattr(x, "file", ""))
        document.add_text("skey", getattr(x, "skey", None) or "")
        document.add_bytes("body", to_body(x))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def tell_format(case: Case, number: int) -> None:
    pointer = case.places.index / "current"
    told = json.loads(pointer.read_bytes())
    told["made_with"]["format"] = number
    pointer.write_text(json.dumps(told))


@pytest.mark.parametrize("rewrite", [as_format_1, lambda directory: None])
def test_an_index_of_a_former_format_gives_what_only_it_holds(case: Case, rewrite: Callable[[Path], None]) -> None:
    fill(case)
    case.end()
    rewrite(index_directory(case))
    tell_format(case, 1)
    case.read()
    holds_what_files_hold(case)
    assert case.found("purgedterm") == [GONE] and case.sessions()[GONE]["source_deleted"] is True
    assert not (case.places.data / "index.damaged").exists() and case.findings() == []
    case.end()
    case.read()
    assert case.found("purgedterm") == [GONE]


def as_nobody_knows(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.mkdir(mode=0o700)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("something", stored=True)
    tantivy.Index(builder.build(), str(directory)).writer(20_000_000, 1).commit()


def test_an_index_of_a_later_version_is_kept(case: Case) -> None:
    fill(case)
    case.end()
    as_nobody_knows(index_directory(case))
    tell_format(case, 99)
    for _ in range(2):
        case.read()
        holds_what_files_hold(case)
        [told] = [f["message"] for f in case.findings() if f["check"] == "index"]
        kept = case.places.data / "index.damaged" / "1-former"
        assert kept.is_dir() and str(kept) in told
        case.end()


@pytest.mark.parametrize("what", ["data", "index", "generation"])
def test_a_data_directory_deleted_under_a_running_daemon(case: Case, what: str) -> None:
    fill(case)
    shutil.rmtree({"data": case.places.data, "index": case.places.index, "generation": index_directory(case)}[what])
    case.append(CLAUDE, cc("user", "u2", "a1", "afterterm", 2))
    until(lambda: case.json("search", "afterterm").get("hits"), case.log)
    case.recall("sync")
    assert [len(case.json("search", w)["hits"]) for w in ("cartterm", "queueterm", "pageterm")] == [1, 1, 1]
    case.recall("stop")
    case.process = None


@pytest.mark.parametrize("damage", [truncate_largest, scramble_segments, lose_segments])
def test_an_index_damaged_under_a_running_daemon(case: Case, damage: Callable[[Path], None]) -> None:
    fill(case)
    damage(index_directory(case))
    case.append(CLAUDE, cc("user", "u2", "a1", "afterterm", 2))

    def found(word: str) -> bool:
        done = case.recall("search", word, "--json", ok=(0, 1, 3, 4))
        return done.returncode == 0 and json.loads(done.stdout)["tier"] == "exact"

    for word in ("afterterm", "cartterm", "queueterm", "pageterm"):
        until(lambda word=word: found(word), case.log)  # type: ignore[misc]
    for session in (S, T, Q):
        until(lambda s=session: case.recall("show", s, ok=(0, 3, 4)).returncode == 0, case.log)  # type: ignore[misc]
    case.recall("stop")
    case.process = None


def test_commits_that_are_told_late_are_counted(case: Case) -> None:
    """What is read after the first of them holds what the others tell."""
    case.write(CLAUDE, cc("user", "u1", None, "earlyterm", 0))
    case.read()
    assert case.process is not None
    told = case.log().count(" commit ")
    case.process.send_signal(signal.SIGSTOP)
    for number in range(4):
        sid = f"5e55000{number}-0000-4000-8000-00000000000a"
        case.write(f"{DIR}/{sid}.jsonl", cc("user", f"v{number}", None, "lateterm", number, sessionId=sid))
        until(lambda seen=told + 1 + number: case.log().count(" commit ") >= seen, case.log)  # type: ignore[misc]
    case.process.send_signal(signal.SIGCONT)
    case.read()
    status = case.ask("status")
    assert (status["records"], status["sessions"]) == (5, 5)
    assert case.ask("search", query="lateterm")["index"]["records"] == 5


@pytest.mark.parametrize("what", ["socket", "runtime", "lock", "data"])
def test_what_is_taken_away_under_an_idle_daemon_comes_back(case: Case, what: str) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "guardterm", 0))
    case.read()
    assert case.process is not None
    places = case.places
    if what in ("socket", "lock"):
        (places.socket if what == "socket" else places.lock).unlink()
    else:
        shutil.rmtree(places.runtime if what == "runtime" else places.data)
    until(lambda: places.socket.exists() and places.lock.exists() and "pid" in places.lock.read_text(), case.log)
    assert case.json("status")["pid"] == case.process.pid
    assert case.json("search", "guardterm")["hits"]
    assert places.socket.stat().st_mode & 0o777 == 0o600
    assert places.runtime.stat().st_mode & 0o777 == 0o700


def test_an_agents_directory_that_is_relative(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "relativeterm", 0))
    case.env |= {"CLAUDE_CONFIG_DIR": "claude"}
    case.read()
    assert case.found("relativeterm") == [S]
    assert case.json("search", "relativeterm")["hits"]


@pytest.mark.parametrize("name", ["RECALLD_DATA_DIR", "RECALLD_RUNTIME_DIR", "RECALLD_CONFIG"])
def test_a_place_that_is_relative_is_refused(case: Case, name: str) -> None:
    case.env |= {name: "there"}
    for command in ([RECALLD], ["recall", "status"]):
        if command[0] == "recall":
            done = case.recall(*command[1:], ok=(4,))
        else:
            done = subprocess.run(command, env=case.env, cwd=case.root, capture_output=True, text=True, check=False)
        assert done.returncode == 4 and name in done.stderr
    assert not (case.root / "there").exists()


@pytest.mark.parametrize("part", ["analysis", "redactor", "sources"])
def test_an_index_made_with_an_older_part_is_made_anew_and_keeps_what_only_it_holds(case: Case, part: str) -> None:
    fill(case)
    case.end()
    pointer = case.places.index / "current"
    told = json.loads(pointer.read_bytes())
    now = told["made_with"].copy()
    told["made_with"][part] = 0
    pointer.write_text(json.dumps(told))
    case.read()
    holds_what_files_hold(case)
    assert case.found("purgedterm") == [GONE]
    assert json.loads(pointer.read_bytes())["made_with"] == now


def test_a_second_daemon_names_the_first(case: Case) -> None:
    case.start()
    assert case.process is not None
    second = subprocess.run([RECALLD], env=case.env, capture_output=True, text=True, timeout=20, check=False)
    assert second.returncode == 5 and str(case.process.pid) in second.stderr and second.stderr.count("\n") == 1


def test_an_over_long_socket_path_is_a_clear_error(case: Case) -> None:
    long = case.root / ("r" * 90) / ("s" * 30)
    done = subprocess.run(
        [RECALLD],
        env=case.env | {"RECALLD_RUNTIME_DIR": str(long)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 4 and "long" in done.stderr and "RECALLD_RUNTIME_DIR" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_stale_socket_and_a_file_in_its_place(case: Case) -> None:
    case.places.runtime.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(case.places.socket))
    case.read()
    case.end()
    assert not case.places.socket.exists()


def test_signals_end_it_with_everything_committed(case: Case) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        case.start()
        assert case.process is not None
        case.write(CLAUDE, *[cc("user", f"u{n}", None, f"line {n}", n % 60) for n in range(3000)])
        case.process.send_signal(number)
        assert case.process.wait(6) == 0
        case.process = None
    case.read()
    assert case.sessions()[S]["records"] == 3000


def test_sighup_takes_a_good_configuration_and_refuses_a_bad_one(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "firstterm", 0))
    extra = "second root/claude é"
    case.write(f"{extra}/projects/-srv-x/{GONE}.jsonl", cc("user", "x1", None, "extraterm", 0, sessionId=GONE))
    case.read()
    assert case.found("extraterm") == [] and case.process is not None
    case.places.config.write_text("[sources.claude-code]\nroots = 7\n")
    case.process.send_signal(signal.SIGHUP)
    until(lambda: any(f["check"] == "config" for f in case.findings()), case.log)
    assert case.found("firstterm") == [S]
    case.places.config.write_text(f'[sources.claude-code]\nroots = ["{case.root / extra}"]\nodd = 1\n', encoding="utf-8")
    case.process.send_signal(signal.SIGHUP)
    until(lambda: case.found("extraterm") == [GONE], case.log)
    assert case.found("firstterm") == [S]
    roots = case.ask("status")["agents"]["claude-code"]["roots"]
    assert str(case.root / extra) in roots
    assert any("odd" in f["message"] for f in case.findings())


@pytest.mark.parametrize(
    "text",
    [
        "[sources",
        '[sources.claude-code]\nroots = "one"\n',
        '[index]\nmax_line_bytes = "big"\n',
        "\ufeff[index]\nmax_line_bytes = -1\n",
    ],
)
def test_a_configuration_that_is_wrong_at_the_start_is_one_line(case: Case, text: str) -> None:
    case.places.config.write_text(text, encoding="utf-8")
    done = subprocess.run([RECALLD], env=case.env, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 4 and str(case.places.config) in done.stderr and "line" in done.stderr
    assert done.stderr.strip().count("\n") == 0


def test_it_runs_with_next_to_no_environment_and_closed_outputs(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "bareterm", 0))
    names = (
        "HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "QWEN_HOME",
        "QWEN_RUNTIME_DIR",
        "RECALLD_DATA_DIR",
        "RECALLD_RUNTIME_DIR",
        "RECALLD_CONFIG",
    )
    words = [f"{n}={case.env[n]}" for n in names]
    case.process = subprocess.Popen(["env", "-i", *words, "sh", "-c", f"exec '{RECALLD}' <&- >&- 2>&-"])
    until(lambda: case.places.lock.exists() and '"pid"' in case.places.lock.read_text(), case.log)
    until(lambda: case.json("search", "bareterm").get("hits"), case.log)
    assert case.process.poll() is None
    case.end()


def test_places_with_spaces_and_letters_beyond_ascii(tmp_path: Path) -> None:
    case = Case(tmp_path / "дом с пробелом 'q' é")
    try:
        case.write(CLAUDE, cc("user", "u1", None, "placeterm", 0))
        case.read()
        assert case.found("placeterm") == [S] and case.sessions()[S]["path"] == str(case.path(CLAUDE))
        assert case.json("status")["sessions"] == 1
        case.end()
    finally:
        case.sweep()


def test_the_indexer_killed_is_started_again(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "oneterm", 0))
    case.read()
    child = case.indexer()
    assert child is not None
    child.kill()
    case.append(CLAUDE, cc("user", "u2", "u1", "twoterm", 1))
    case.read()
    assert case.found("twoterm") == [S] and case.lines(S) == ["oneterm", "twoterm"]


def test_children_die_with_a_daemon_that_is_killed(case: Case) -> None:
    case.read()
    child = case.indexer()
    assert child is not None
    case.kill()
    child.wait(10)
    case.read()


def test_everything_it_makes_is_private(case: Case) -> None:
    fill(case)
    for path in [case.places.data, *case.places.data.rglob("*")]:
        mode = path.stat().st_mode & 0o777
        assert not (path.is_dir() and mode & 0o077), (path, oct(mode))
    assert case.places.socket.stat().st_mode & 0o777 == 0o600
    assert case.places.runtime.stat().st_mode & 0o777 == 0o700


def test_nothing_of_the_agents_is_touched(case: Case) -> None:
    def state() -> dict[str, tuple[int, int, int, int]]:
        found = {}
        for root in (case.claude, case.codex, case.qwen):
            for path in [root, *root.rglob("*")]:
                s = path.stat()
                found[str(path)] = (s.st_ino, s.st_mtime_ns, s.st_ctime_ns, s.st_mode)
        return found

    fill(case)
    before = state()
    case.end()
    case.read()
    case.json("search", "cartterm")
    assert state() == before
