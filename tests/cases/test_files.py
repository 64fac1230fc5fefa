"""What happens to files while they are watched, from the outside."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from awaiting import until
from case_kit import CLAUDE, CODEX, QWEN, Case, Q, S, T, at, cc, encode, is_root, meta, person, qw

DIR = "claude/projects/-srv-shop"
OTHER = "5e551011-0000-4000-8000-0000000000aa"


def long(n: int) -> list[dict[str, Any]]:
    return [cc("user", f"u{i}", f"u{i - 1}" if i else None, f"line {i} " + "padding " * 20, i) for i in range(n)]


def test_bytes_that_arrive_one_at_a_time(case: Case) -> None:
    case.read()
    path = case.path(CLAUDE)
    data = encode(cc("user", "u1", None, "dripterm ü € 𝄞", 0), cc("user", "u2", "u1", "second", 1))
    with path.open("ab", buffering=0) as stream:
        for byte in data:
            stream.write(bytes([byte]))
    case.read()
    assert case.lines(S) == ["dripterm ü € 𝄞", "second"]


def test_a_last_line_without_a_newline_is_not_pending(case: Case) -> None:
    half = encode(cc("user", "u2", "u1", "halfterm", 1)).rstrip(b"\n")
    case.write(CLAUDE, cc("user", "u1", None, "whole", 0), half)
    case.read()
    status = case.ask("status")
    assert status["pending_bytes"] == 0 and status["complete"] is True and case.found("halfterm") == []
    case.append(CLAUDE, b"\n")
    case.read()
    assert case.found("halfterm") == [S]
    for part in range(0, len(half), len(half) // 8):  # alone, so that nothing is committed
        case.append(CLAUDE, half[part : part + len(half) // 8])
        case.recall("sync")
        status = case.json("status")
        assert status["pending_bytes"] == 0 == case.ask("search", query="whole")["index"]["pending_bytes"] and status["complete"]


def test_truncated_and_grown_again(case: Case) -> None:
    path = case.write(CLAUDE, *long(50))
    case.read()
    assert case.sessions()[S]["records"] == 50
    os.truncate(path, 0)
    case.read()
    assert case.sessions()[S]["records"] == 50
    case.append(CLAUDE, cc("user", "n1", None, "anewterm", 0))
    case.read()
    assert case.lines(S) == ["anewterm"]


def test_cut_in_the_middle_of_a_line_then_appended(case: Case) -> None:
    path = case.write(CLAUDE, *long(20))
    case.read()
    os.truncate(path, path.stat().st_size - 40)
    case.append(CLAUDE, b"\n", cc("user", "z", "u18", "afterwards", 30))
    case.read()
    assert case.lines(S)[-1] == "afterwards" and case.sessions()[S]["records"] == 20


def test_regrown_past_the_old_size_before_anyone_looked(case: Case) -> None:
    path = case.write(CLAUDE, *long(5))
    case.read()
    inode = path.stat().st_ino
    with path.open("r+b") as stream:
        stream.truncate(0)
        stream.write(encode(*[cc("user", f"n{i}", None, f"fresh {i} " + "padding " * 20, i) for i in range(9)]))
    assert path.stat().st_ino == inode
    case.read()
    assert case.sessions()[S]["records"] == 9 and case.found("line") == []


def test_one_byte_changed_in_place_with_the_time_put_back(case: Case) -> None:
    path = case.write(CLAUDE, *long(3))
    case.read()
    case.end()
    before = path.stat()
    with path.open("r+b") as stream:
        stream.seek(path.read_bytes().index(b"line 1") + 5)
        stream.write(b"7")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    case.start()
    until(lambda: case.found('"line 7"') == [S], case.log)
    assert case.found('"line 1"') == []


def test_renames_of_a_file_its_directory_and_both_at_once(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "moveterm", 0))
    case.read()
    (case.root / DIR).rename(case.root / "claude/projects/-srv-moved")
    case.read()
    s = case.sessions()[S]
    assert s["path"] == str(case.root / f"claude/projects/-srv-moved/{S}.jsonl") and s["source_deleted"] is False
    case.append(f"claude/projects/-srv-moved/{S}.jsonl", cc("user", "u2", "u1", "onterm", 1))
    case.read()
    assert case.lines(S) == ["moveterm", "onterm"] and case.matches("moveterm") == 1


def test_deleted_then_back_with_more(case: Case) -> None:
    path = case.write(CLAUDE, cc("user", "u1", None, "backterm", 0))
    case.read()
    data = path.read_bytes()
    path.unlink()
    case.read()
    assert case.sessions()[S]["source_deleted"] is True
    path.write_bytes(data + encode(cc("user", "u2", "u1", "moreterm", 1)))
    case.read()
    assert case.sessions()[S]["source_deleted"] is False
    assert case.lines(S) == ["backterm", "moreterm"] and case.matches("backterm") == 1


def test_a_whole_tree_deleted_and_its_root_removed(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "treeterm", 0))
    case.write(QWEN, qw("user", "q1", None, "qwenterm", 0))
    case.read()
    shutil.rmtree(case.claude)
    case.read()
    assert case.found("treeterm") == [S] and case.sessions()[S]["source_deleted"] is True
    case.write(f"{DIR}/{OTHER}.jsonl", cc("user", "v1", None, "regrownterm", 0, sessionId=OTHER))
    until(lambda: case.found("regrownterm") == [OTHER], case.log)
    assert case.found("qwenterm") == [Q] and case.sessions()[Q]["source_deleted"] is False


def test_a_root_that_appears_after_the_start(case: Case) -> None:
    for directory in (case.claude, case.codex, case.qwen):
        shutil.rmtree(directory)
    case.read()
    case.write(CLAUDE, cc("user", "u1", None, "lateterm", 0))
    case.write(CODEX, meta(), *person("lateterm", 1))
    case.write(QWEN, qw("user", "q1", None, "lateterm", 0))
    until(lambda: sorted(case.found("lateterm")) == sorted([S, T, Q]), case.log)


def test_a_root_that_is_a_link_and_links_below_it(case: Case) -> None:
    real = case.root / "real"
    shutil.rmtree(case.claude)
    real.mkdir()
    case.claude.symlink_to(real)
    case.write(CLAUDE, cc("user", "u1", None, "linkedterm", 0))
    outside = case.write("outside.jsonl", cc("user", "o1", None, "outsideterm", 0))
    (case.root / DIR / f"{OTHER}.jsonl").symlink_to(outside)
    (case.root / DIR / "loop").symlink_to(case.root / DIR)
    (case.root / DIR / "5e551011-0000-4000-8000-0000000000ff.jsonl").symlink_to("nowhere")
    case.read()
    assert case.found("linkedterm") == [S] and case.found("outsideterm") == []
    case.append(CLAUDE, cc("user", "u2", "u1", "eventterm", 1))
    until(lambda: case.found("eventterm") == [S], case.log)
    told = json.dumps(case.findings())
    assert OTHER in told


@pytest.mark.skipif(is_root(), reason="root may read everything")
def test_permission_denied_then_granted(case: Case) -> None:
    path = case.write(CLAUDE, cc("user", "u1", None, "lockedterm", 0))
    case.write(QWEN, qw("user", "q1", None, "openterm", 0))
    path.chmod(0)
    case.read()
    assert case.found("openterm") == [Q] and case.found("lockedterm") == []
    assert str(path) in json.dumps(case.findings())
    path.chmod(0o600)
    case.read()
    assert case.found("lockedterm") == [S] and str(path) not in json.dumps(case.findings())


def test_a_file_that_becomes_a_directory_and_back(case: Case) -> None:
    path = case.write(CLAUDE, cc("user", "u1", None, "solidterm", 0))
    case.read()
    path.unlink()
    path.mkdir()
    case.read()
    assert case.found("solidterm") == [S] and case.sessions()[S]["source_deleted"] is True
    path.rmdir()
    case.write(CLAUDE, cc("user", "u1", None, "solidterm", 0), cc("user", "u2", "u1", "again", 1))
    case.read()
    assert case.lines(S) == ["solidterm", "again"] and case.matches("solidterm") == 1


def test_odd_bytes_cost_nothing_else(case: Case) -> None:
    glued = encode(cc("user", "g1", None, "gluedone", 2)).rstrip(b"\n") + encode(cc("user", "g2", "g1", "gluedtwo", 3))
    case.write(
        CLAUDE,
        b"\xef\xbb\xbf" + encode(cc("user", "b1", None, "bomterm", 0)),
        encode(cc("user", "c1", "b1", "crlfterm", 1)).replace(b"\n", b"\r\n"),
        glued,
        encode(cc("user", "s1", "g2", "half \ud83d surrogateterm", 4)),
        encode(cc("user", "s2", "s1", "XX escapedterm", 5)).replace(b"XX", b"\\ud83d"),
        b"\x00" * 512 + encode(cc("user", "n1", "s2", "nulterm", 6)),
        b"\r\n\n   \n",
        b"{'single': 1}\n",
        b"true\n",
        b'"text"\n',
        encode(cc("user", "e1", "n1", "endterm", 7)),
    )
    case.read()
    for word in ("bomterm", "crlfterm", "gluedone", "gluedtwo", "surrogateterm", "escapedterm", "nulterm", "endterm"):
        assert case.found(word) == [S], word
    assert case.ask("status")["agents"]["claude-code"]["skipped_lines"] == 3
    offsets = {f["offset"] for f in case.skipped() if f["path"].endswith(f"{S}.jsonl")}
    assert case.findings() == [], "there is nothing to do about them"
    data = case.path(CLAUDE).read_bytes()
    assert offsets == {data.index(b"{'single'"), data.index(b"true\n"), data.index(b'"text"')}
    for record in case.records(S):
        where = record["source"]
        assert record["text"].split()[-1].encode() in data[where["offset"] : where["offset"] + where["length"]]


def test_a_line_over_the_limit_is_skipped_and_named(case: Case) -> None:
    case.places.config.write_text("[index]\nmax_line_bytes = 100000\n")
    case.write(
        CLAUDE,
        cc("user", "u1", None, "beforeterm", 0),
        cc("user", "u2", "u1", "giantterm " * 20000, 1),
        cc("user", "u3", "u2", "afterterm", 2),
    )
    case.read()
    assert case.found("giantterm") == [] and case.found("beforeterm") == [S] and case.found("afterterm") == [S]
    [told] = case.skipped()
    assert told["offset"] == len(encode(cc("user", "u1", None, "beforeterm", 0))) and "100000" in told["message"]


def test_a_line_of_200_megabytes_is_skipped_in_little_memory(case: Case) -> None:
    case.read()
    path = case.path(CLAUDE)
    with path.open("wb") as stream:
        stream.write(encode(cc("user", "u1", None, "beforeterm", 0)))
        stream.write(b'{"type":"user","message":{"content":"')
        for _ in range(200):
            stream.write(b"x" * 2**20)
        stream.write(b'"}}\n')
        stream.write(encode(cc("user", "u3", "u1", "afterterm", 2)))
    case.read()
    assert case.found("afterterm") == [S]
    child = case.indexer()
    assert child is not None
    peak = next(x for x in Path(f"/proc/{child.pid}/status").read_text().splitlines() if x.startswith("VmHWM"))
    assert int(peak.split()[1]) < 250_000, peak


def test_text_over_the_limit_is_cut_and_marked(case: Case) -> None:
    case.write(CLAUDE, cc("user", "u1", None, "startterm " + "é" * 200_000 + " endterm", 0))
    case.read()
    [record] = case.records(S)
    assert record["truncated"] is True and len(record["text"].encode()) <= 256 * 1024
    assert case.found("startterm") == [S] and case.found("endterm") == []


def test_a_name_that_is_not_utf8(case: Case) -> None:
    raw = os.fsencode(case.root / "claude/projects") + b"/-srv-\xff\xfe"
    os.mkdir(raw)
    with open(raw + b"/" + S.encode() + b".jsonl", "wb") as stream:
        stream.write(encode(cc("user", "u1", None, "bytenameterm", 0)))
    case.read()
    assert case.found("bytenameterm") == [S] and case.json("show", S)["records"][0]["text"] == "bytenameterm"
    case.recall("sessions")
    case.end()
    case.read()
    assert case.matches("bytenameterm") == 1


def test_fifos_sockets_and_devices_are_left_alone(case: Case) -> None:
    directory = case.path(CLAUDE).parent
    os.mkfifo(directory / f"{OTHER}.jsonl")
    case.write(CLAUDE, cc("user", "u1", None, "regularterm", 0))
    case.read()
    assert case.found("regularterm") == [S] and OTHER in json.dumps(case.findings())


def test_times_that_are_missing_ancient_or_ahead(case: Case) -> None:
    lines = [
        cc("user", "u1", None, "firstterm", 0),
        cc("user", "u2", "u1", "timelessterm", 0),
        cc("user", "u3", "u2", "epochterm", 0),
        cc("user", "u4", "u3", "futureterm", 0),
    ]
    del lines[1]["timestamp"]
    lines[2]["timestamp"] = 1764320400
    lines[3]["timestamp"] = "2199-01-01T00:00:00.000Z"
    case.write(CLAUDE, *lines)
    plain = cc("user", "v1", None, "ordinaryterm", 0, sessionId=OTHER)
    case.write(f"{DIR}/{OTHER}.jsonl", plain)
    third = "5e551011-0000-4000-8000-0000000000ab"
    bare = cc("user", "w1", None, "nowhenterm", 0, sessionId=third)
    del bare["timestamp"]
    path = case.write(f"{DIR}/{third}.jsonl", bare)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    case.read()
    times = {r["text"]: r["time"] for r in case.records(S)}
    assert times["timelessterm"] == at(0) and times["epochterm"] == "2025-11-28T09:00:00.000Z"
    assert times["futureterm"].startswith("2199")
    assert case.records(third)[0]["time"] == "2023-11-14T22:13:20.000Z"
    order = [s["id"] for s in case.ask("sessions", limit=10)["sessions"]]
    assert order == [OTHER, third, S]
    newest = case.ask("search", query="role:user", sort="newest")["hits"]
    assert [h["session"]["id"] for h in newest][-1] == S or len(newest) == 3


def test_a_file_that_shrinks_while_it_is_read(case: Case) -> None:
    case.read()
    path = case.path(CLAUDE)
    stop = threading.Event()

    def churn() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            path.write_bytes(encode(*long(200 if n % 2 else 20)))

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(5):
            case.read()
    finally:
        stop.set()
        thread.join()
    path.write_bytes(encode(cc("user", "f", None, "finalterm", 0)))
    case.read()
    assert case.lines(S) == ["finalterm"]


def test_thousands_of_files_at_once(case: Case) -> None:
    case.read()
    for n in range(2000):
        sid = f"5e551011-0000-4000-8000-{n:012d}"
        case.write(
            f"claude/projects/-srv-{n % 50}/{sid}.jsonl",
            cc("user", f"u{n}", None, f"crowdterm number{n}", n, sessionId=sid),
        )
    case.read()
    assert case.ask("status")["sessions"] == 2000 and case.ask("search", query="crowdterm")["total"] == 2000
    assert case.found("number1999") == ["5e551011-0000-4000-8000-000000001999"]
