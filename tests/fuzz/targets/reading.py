"""What is read of agents' files: lines, parsers, which file is which, and a whole index out of all of it."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import zstandard
from ingest_kit import Store, claude, codex_meta, codex_said, dump, qwen
from talks import Q, S, T
from tests.fuzz import hostile, mutate
from tests.fuzz.draw import Draw
from tests.fuzz.target import Check, Target

from recalld import answers
from recalld.model import Fact, Item
from recalld.sources import SOURCES
from recalld.sources.base import Line, Source, SourceFile
from recalld.sources.jsonl import _LAST_MS, decode
from recalld.tail.fingerprint import EDGE, digest
from recalld.tail.lines import LineReader, RawLine
from recalld.tail.text import Damaged, TooLarge

ROOT = Path("/agents/store")


def _files() -> list[tuple[Source, SourceFile]]:
    """Return one file of every kind that fixtures show, with its source."""
    found: dict[tuple[str, str, bool, str], tuple[Source, SourceFile]] = {}
    for path in sorted(hostile.FIXTURES.rglob("*.json")):
        source = SOURCES[path.parent.name]
        said = json.loads(path.read_text())
        named = [*said.get("paths", []), *([said["file"]] if "file" in said else [])]
        for name in (one for one in named if isinstance(one, str)):
            file = source.classify(ROOT, ROOT / name)
            if file is not None and file.kind != "spill":
                key = (file.agent, file.kind, file.session is None, name.split("/")[0])
                found.setdefault(key, (source, file))
    return list(found.values())


def _lines(data: bytes) -> list[Line]:
    result: list[Line] = []
    offset = 0
    for number, raw in enumerate(data.split(b"\n")):
        found = decode(raw)
        if not isinstance(found, str):
            result += [Line(offset, len(raw) + 1, number, value) for value in found]
        offset += len(raw) + 1
    return result


def _feed(source: Source, file: SourceFile, lines: list[Line], breaks: set[int]) -> tuple[list[Item], dict[str, int]]:
    parser = source.parser(file, None)
    unknown: dict[str, int] = {}
    items: list[Item] = []
    last = -1
    for line in lines:
        if line.number != last and line.number in breaks:  # objects of one line are read in one sitting
            state = msgpack.packb(parser.state())
            assert len(state) < 64 * 1024, "a large state"
            _add(unknown, parser.unknown)
            parser = source.parser(file, msgpack.unpackb(state))
        last = line.number
        items += parser.feed(line)
    _add(unknown, parser.unknown)
    return items, unknown


def _add(total: dict[str, int], more: dict[str, int]) -> None:
    for name, count in more.items():
        total[name] = total.get(name, 0) + count


def _text(value: object) -> bool:
    """Tell whether a value is None or a text that can be written."""
    return value is None or (isinstance(value, str) and value.encode() is not None)


def _shape(item: Item, ends: set[tuple[int, int]]) -> None:
    """What the ingest relies on."""
    if isinstance(item, Fact):
        msgpack.packb(item.value)
        assert _text(item.session) and _text(item.leaf)
        assert item.session is not None or item.leaf is not None
        return
    assert item.session and item.uid and _text(item.session) and _text(item.uid) and _text(item.parent)
    assert _text(item.project) and _text(item.branch)
    assert item.time is None or 0 <= item.time <= _LAST_MS
    assert (item.offset, item.length) in ends, "a place that is no line's"
    for record in item.records:
        assert isinstance(record.text, str) and _text(record.text)
        assert all(_text(x) for x in (record.tool, record.command, record.call, record.side, record.id, record.model))
        assert all(isinstance(path, str) and _text(path) for path in record.paths)
        assert record.exit_status is None or abs(record.exit_status) < 2**63
        assert record.is_error in (None, True, False)


def _sources(work: Path) -> Check:
    files = _files()

    def check(data: bytes) -> None:
        draw = Draw(data)
        source, file = draw.pick(files)
        breaks = {draw.byte() % 16, draw.byte() % 16}
        content = draw.rest()
        if file.kind == "meta":
            for item in source.meta(file, content):
                _shape(item, set())
            return
        lines = _lines(content)
        ends = {(line.offset, line.length) for line in lines}
        whole, unknown = _feed(source, file, lines, set())
        for item in whole:
            _shape(item, ends)
        parts, unknown_in_parts = _feed(source, file, lines, breaks)
        assert repr(parts) == repr(whole), "sittings matter"
        assert unknown_in_parts == unknown or len(unknown) > 30, "what is not known is counted by sittings"

    return check


def _source_seeds() -> Sequence[bytes]:
    found = []
    for number, (source, file) in enumerate(_files()):
        for path in sorted((hostile.FIXTURES / source.name).glob("*.jsonl")):
            if file.kind == "transcript" or file.kind in path.stem:
                found.append(number.to_bytes(2, "big") + b"\2\5" + path.read_bytes()[:4000])
    return found


# -- lines -------------------------------------------------------------------------------------------------------------


def _expected(text: bytes, most: int) -> list[RawLine]:
    found, offset = [], 0
    for piece in text.split(b"\n")[:-1]:
        size = len(piece) + 1
        found.append(RawLine(offset, size, piece if size <= most else None))
        offset += size
    return found


def _read(path: Path, offset: int, into: list[RawLine], **more: Any) -> LineReader:
    with LineReader(path, offset, **more) as reader:
        for batch in reader.batches():
            assert batch
            into += batch
    return reader


def _lines_target(work: Path) -> Check:
    path = work / "session.jsonl"
    packed = work / "session.jsonl.zst"

    def check(data: bytes) -> None:
        draw = Draw(data)
        chunk, most = 1 + draw.below(9000), 1 + draw.below(9000)
        start, damage, times = draw.number(), draw.number(), (1, 1, 7, 40)[draw.byte() % 4]
        limit = draw.number() if draw.flag() else None
        text = draw.rest() * times
        path.write_bytes(text)
        wanted = _expected(text, most)
        got: list[RawLine] = []
        reader = _read(path, 0, got, chunk=chunk, max_line=most)
        assert got == wanted
        end = text.rfind(b"\n") + 1
        told = (reader.offset, reader.crc, reader.head, reader.tail, reader.lines)
        before = text[:end]
        assert told == (end, zlib.crc32(before), digest(before[:EDGE]), digest(before[-EDGE:]), len(wanted))
        at = wanted[start % len(wanted)].offset if wanted else 0
        got = []
        again = _read(path, at, got, crc=zlib.crc32(text[:at]), chunk=chunk, max_line=most)
        assert got == [line for line in wanted if line.offset >= at]
        assert (again.offset, again.crc, again.head, again.tail) == told[:4]
        if limit is not None:
            got = []
            _read(path, 0, got, chunk=chunk, max_line=most, limit=limit)
            assert got == _expected(text[:limit], most)
        packed.write_bytes(zstandard.compress(text))
        got = []
        reader = _read(packed, at, got, crc=zlib.crc32(text[:at]), compressed=True, chunk=chunk, max_line=most)
        assert got == [line for line in wanted if line.offset >= at]
        assert (reader.offset, reader.crc, reader.head, reader.tail) == told[:4]
        whole = packed.read_bytes()
        got = []
        packed.write_bytes(whole[: damage % (len(whole) + 1)])
        _read(packed, 0, got, compressed=True, chunk=chunk, max_line=most)
        assert got == wanted[: len(got)], "torn"
        bad = bytearray(whole)
        bad[damage % len(bad)] ^= 1 + damage % 255
        packed.write_bytes(bad)
        with suppress(Damaged):
            _read(packed, 0, [], compressed=True, chunk=chunk, max_line=most)
        packed.write_bytes(whole)
        got = []
        try:
            _read(packed, 0, got, compressed=True, chunk=chunk, max_line=most, max_uncompressed=max(1, damage))
        except TooLarge:
            assert len(text) >= damage
        assert got == wanted[: len(got)]

    return check


def _raw_zst(work: Path) -> Check:
    """Anything at all in a file that calls itself compressed."""
    path = work / "session.jsonl.zst"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        with suppress(Damaged, TooLarge):
            _read(path, 0, [], compressed=True, max_uncompressed=1 << 20)

    return check


def _zst_seeds() -> Sequence[bytes]:
    text = b"\n".join(hostile.lines()[:20])
    frames = [zstandard.ZstdCompressor(level=n, write_checksum=n == 3).compress(text) for n in (1, 3, 19)]
    return [
        *frames,
        frames[0] + frames[1],
        frames[0] + b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + frames[1],
        zstandard.compress(b"x\n" * 500_000),
    ]


# -- which file is which -----------------------------------------------------------------------------------------------


def _table(work: Path) -> Check:
    from tailing_kit import Store as Table
    from tailing_world import NAMES, STEPS, World

    def check(data: bytes) -> None:
        root = work / "root"
        shutil.rmtree(root, ignore_errors=True)
        for folder in ("live", "archive"):
            (root / folder).mkdir(parents=True)
        world = World(root, Table(root))
        for number in data[:40]:
            getattr(world, STEPS[number % len(STEPS)])(NAMES[number // len(STEPS) % len(NAMES)])
        world.look()
        world.check()

    return check


# -- all of it ---------------------------------------------------------------------------------------------------------

PLACES = {
    "claude-code": f"claude/projects/-w-app/{S}.jsonl",
    "codex": f"codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{T}.jsonl",
    "qwen-code": f"qwen/projects/-w-web/chats/{Q}.jsonl",
}
SIDES = ("claude/history.jsonl", "codex/history.jsonl", "codex/session_index.jsonl")


def _store(work: Path) -> Check:
    """An index out of one hostile transcript: nothing dies, a good line is found, and sittings do not matter."""
    agents = sorted(PLACES)
    good = {
        "claude-code": claude("user", "good", None, "goodlinex", 1, S),
        "codex": codex_said("user", "goodlinex", 1),
        "qwen-code": qwen("user", "good", None, "goodlinex", 1, Q),
    }

    def told(store: Store) -> str:
        found = dump(store.worker.writer.snapshot)
        return repr(sorted(found.items(), key=repr)).replace(str(store.root), "ROOT")

    def check(data: bytes) -> None:
        draw = Draw(data)
        agent = draw.pick(agents)
        cut, side = draw.number(), draw.byte() % 4
        content = draw.rest()
        last = json.dumps(good[agent]).encode() + b"\n"
        # A text that comes before anything with a time gets the next one, or, if none is there yet, the file's own.
        first = json.dumps(codex_meta(T) if agent == "codex" else good[agent] | {"uuid": "first"}).encode() + b"\n"
        content = first + content + b"\n" + last
        stores = []
        for name in ("whole", "parts"):
            shutil.rmtree(work / name, ignore_errors=True)
            stores.append(Store(work / name))
        whole, parts = stores
        try:
            for store in stores:
                if side < len(SIDES):
                    store.path(SIDES[side]).write_bytes(content)
            whole.path(PLACES[agent]).write_bytes(content)
            snapshot = whole.catch_up()
            assert not whole.worker.troubles, whole.worker.troubles
            files = [f for f in whole.worker.files.values() if f.path.endswith(PLACES[agent])]
            assert files[0].offset == len(content), "not all bytes are accounted for"
            assert "goodlinex" in told(whole)
            for session in snapshot.find_sessions("", limit=5) or []:
                json.dumps(answers.show(snapshot, session, limit=1000))
            at = cut % (len(content) + 1)
            parts.path(PLACES[agent]).write_bytes(content[:at])
            parts.catch_up()
            parts.close()
            parts.open()
            with parts.path(PLACES[agent]).open("ab") as stream:
                stream.write(content[at:])
            parts.catch_up()
            assert told(parts) == told(whole), "sittings matter"
        finally:
            for store in stores:
                store.close()

    return check


def _store_seeds() -> Sequence[bytes]:
    found = []
    for number, agent in enumerate(sorted(PLACES)):
        for path in sorted((hostile.FIXTURES / agent).glob("*.jsonl")):
            found.append(number.to_bytes(2, "big") + b"\1\1\3" + path.read_bytes()[:8000])
    return found


TARGETS = (
    Target("sources", _sources, _source_seeds, mutate.json_lines(4), longest=8192),
    Target(
        "lines",
        _lines_target,
        lambda: [bytes(11) + b"a\nbb\n\nccc\r\nno end", b"\0\7\0\3\0\1\0\5\2\1\0\4" + b"x" * 40 + b"\n" * 9],
    ),
    Target("zst", _raw_zst, _zst_seeds),
    Target("table", _table, lambda: [bytes(range(n, n + 20)) for n in range(0, 40, 5)], longest=40, seconds=30),
    Target("store", _store, _store_seeds, mutate.json_lines(5), longest=8192, seconds=60),
)
