"""What a line reader promises: every complete line once, whatever the chunks, the sittings and the sizes."""

from __future__ import annotations

import os
import socket
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.tail.fingerprint import digest
from recalld.tail.lines import LineReader, RawLine
from recalld.tail.text import MAX_WINDOW, Damaged, NotRegular, TooLarge

TEXTS = st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=12)


def read(path: Path, offset: int = 0, **options: object) -> tuple[list[RawLine], LineReader]:
    with LineReader(path, offset, **options) as reader:  # type: ignore[arg-type]
        return [line for batch in reader.batches() for line in batch], reader


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines")


@given(TEXTS, st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), st.integers(1, 40), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_chunking_yields_the_complete_lines_with_their_places(
    place: Path, texts: list[bytes], partial: bytes, chunk: int, compressed: bool
) -> None:
    whole = b"".join(text + b"\n" for text in texts)
    path = place / "a"
    path.write_bytes(zstandard.compress(whole + partial) if compressed else whole + partial)
    lines, reader = read(path, chunk=chunk, compressed=compressed)
    assert [line.data for line in lines] == texts
    assert all(whole[line.offset : line.offset + line.length] == (line.data or b"") + b"\n" for line in lines)
    assert (reader.offset, reader.crc, reader.lines) == (len(whole), zlib.crc32(whole), len(texts))
    assert (reader.head, reader.tail) == (digest(whole[:4096]), digest(whole[-4096:]))


@given(st.lists(st.binary(min_size=0, max_size=9000).map(lambda b: b.replace(b"\n", b"")), max_size=6), st.data())
@settings(max_examples=150, deadline=None)
def test_two_sittings_end_where_one_does(place: Path, texts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(text + b"\n" for text in texts)
    cut = data.draw(st.integers(0, len(whole)))
    path = place / "b"
    path.write_bytes(whole[:cut])
    first, before = read(path, chunk=1000)
    path.write_bytes(whole)
    second, after = read(path, before.offset, crc=before.crc, chunk=1000)
    assert [line.data for line in first + second] == texts
    assert (after.crc, after.head, after.tail) == (zlib.crc32(whole), digest(whole[:4096]), digest(whole[-4096:]))


@given(TEXTS, st.integers(1, 30), st.integers(1, 12))
@settings(max_examples=300, deadline=None)
def test_a_line_over_the_limit_costs_itself_only(place: Path, texts: list[bytes], limit: int, chunk: int) -> None:
    whole = b"".join(text + b"\n" for text in texts)
    path = place / "c"
    path.write_bytes(whole)
    lines, reader = read(path, max_line=limit, chunk=chunk)
    assert [line.data for line in lines] == [text if len(text) + 1 <= limit else None for text in texts]
    assert [line.length for line in lines] == [len(text) + 1 for text in texts]
    assert (reader.crc, reader.head, reader.tail) == (zlib.crc32(whole), digest(whole[:4096]), digest(whole[-4096:]))


def test_a_skipped_first_line_longer_than_the_edge_leaves_a_right_fingerprint(tmp_path: Path) -> None:
    whole = bytes(range(11, 211)) * 100 + b"\nshort\n"
    (tmp_path / "a").write_bytes(whole)
    for chunk in (700, 5000, 2**18):
        lines, reader = read(tmp_path / "a", max_line=1000, chunk=chunk)
        assert [line.data for line in lines] == [None, b"short"]
        assert (reader.head, reader.tail) == (digest(whole[:4096]), digest(whole[-4096:]))


def test_a_carriage_return_and_a_nul_belong_to_the_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\n\x00\n\xef\xbb\xbftwo\r\n")
    assert [line.data for line in read(tmp_path / "a")[0]] == [b"one\r", b"\x00", b"\xef\xbb\xbftwo\r"]


def test_nothing_is_read_beyond_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\nthree\n")
    lines, reader = read(tmp_path / "a", limit=9)
    assert [line.data for line in lines] == [b"one", b"two"]
    assert (reader.offset, reader.bytes_read) == (8, 9)


def test_a_file_shorter_than_the_offset_yields_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"one\n"))
    assert read(tmp_path / "a", 9)[0] == []
    assert read(tmp_path / "a.zst", 9, compressed=True)[0] == []


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotRegular):
        LineReader(tmp_path / "fifo", 0)
    with pytest.raises(NotRegular):
        LineReader(tmp_path, 0)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        with pytest.raises(OSError):
            LineReader(tmp_path / "socket", 0)


def test_no_descriptor_stays_open_when_opening_fails(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(b"this is no zstd frame at all\n" * 9)
    before = sorted(os.listdir("/dev/fd"))
    for _ in range(3):
        with pytest.raises(Damaged):
            LineReader(tmp_path / "a.zst", 20, compressed=True)
        with pytest.raises(NotRegular):
            LineReader(tmp_path, 0)
    assert sorted(os.listdir("/dev/fd")) == before


def test_several_frames_are_one_text(tmp_path: Path) -> None:
    frames = [zstandard.compress(part) for part in (b"one\ntw", b"", b"o\nthree\n")]
    (tmp_path / "a.zst").write_bytes(b"".join(frames))
    assert [line.data for line in read(tmp_path / "a.zst", compressed=True)[0]] == [b"one", b"two", b"three"]
    assert [line.data for line in read(tmp_path / "a.zst", 4, compressed=True)[0]] == [b"two", b"three"]


def test_a_truncated_zstd_file_yields_what_is_whole(tmp_path: Path) -> None:
    lines = [os.urandom(3000).hex().encode() for _ in range(200)]
    whole = zstandard.compress(b"".join(line + b"\n" for line in lines))
    (tmp_path / "a.zst").write_bytes(whole[: len(whole) * 2 // 3])
    got = [line.data for line in read(tmp_path / "a.zst", compressed=True)[0]]
    assert 50 < len(got) < 200
    assert got == lines[: len(got)]


def test_damage_is_told_after_the_lines_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"one\ntwo\n") + b"not a frame, for sure")
    got: list[bytes | None] = []
    with LineReader(tmp_path / "a.zst", 0, compressed=True) as reader:
        batches = reader.batches()
        got.extend(line.data for line in next(batches))
        with pytest.raises(Damaged, match=r"a\.zst"):
            next(batches)
    assert got == [b"one", b"two"]
    assert reader.offset == 8


def test_a_bomb_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"x" * 99 + b"\n" + (b"y" * 999 + b"\n") * 5000))
    with LineReader(tmp_path / "a.zst", 0, compressed=True, max_uncompressed=100_000) as reader:
        batches = reader.batches()
        with pytest.raises(TooLarge):
            list(batches)
        assert (reader.lines, reader.offset) == (100, 100 + 99 * 1000)


def test_a_frame_that_wants_too_much_memory_is_refused(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, write_content_size=False)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    (tmp_path / "a.zst").write_bytes(compressor.compress(b"x\n" * 9) + compressor.flush())
    assert MAX_WINDOW < 2**28
    with LineReader(tmp_path / "a.zst", 0, compressed=True) as reader, pytest.raises(Damaged):
        list(reader.batches())


def test_a_200_mb_line_and_a_2_gb_file_take_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)  # NUL bytes that take no room on disk: one line
        file.seek(0, os.SEEK_END)
        file.write(b"\nsmall\n")
        file.truncate(2 * 2**30)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    child = os.fork()
    if child == 0:  # a process of its own: peak memory cannot be reset
        code = 1
        try:
            import resource

            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            lines, _ = read(path)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            unit = 1024 if os.uname().sysname == "Linux" else 1
            right = [line.data for line in lines] == [None, b"small", None, b"last"]
            code = 0 if right and grown * unit < 100 * 2**20 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
