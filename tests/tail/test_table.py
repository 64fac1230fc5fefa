"""What telling files apart promises, case by case. The agent of these tests is in `tailing_kit`."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard

from recalld.tail.actions import Look, Move, Read, Replace, Trouble, Whole
from recalld.tail.found import Stat
from tailing_kit import Store, age, append, found, lines, look, said


def test_a_file_that_did_not_change_is_not_opened_again(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    age(path)
    store.sync()
    path.chmod(0)
    assert store.table.reconcile(look(store.root)) == []
    assert said(store) == ["1", "2"]


def test_half_a_line_waits_for_its_other_half(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1") + b"2.....")
    store.sync()
    assert said(store) == ["1"]
    append(path, b"....\n3\n")
    store.sync()
    assert said(store) == ["1", "2", "3"]


def test_an_append_to_a_1_gb_file_reads_less_than_64_kib(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    with path.open("wb") as file:
        file.truncate(2**30)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + lines("1"))
    store.sync()
    append(path, lines("2"))
    before = io_read()
    store.bytes_read = 0
    actions = store.table.examine(found(store.root, path))
    assert [type(a) for a in actions if not isinstance(a, Whole)] == [Read]
    store.carry_out([a for a in actions if isinstance(a, Read)])
    assert said(store)[-1] == "2"
    assert 0 < store.bytes_read < 64 * 1024
    if before is not None:
        after = io_read()
        assert after is not None
        assert after - before < 64 * 1024


def io_read() -> int | None:
    """Bytes that this process has read from anywhere, where the system tells."""
    try:
        return int(Path("/proc/self/io").read_text().split()[1])
    except FileNotFoundError:
        return None


@pytest.mark.parametrize(
    "text",
    [lines("x"), lines("x", "2"), lines("x", "y", "z", "z"), lines("1")],
    ids=["shorter", "same", "longer", "cut"],
)
def test_a_rewrite_in_place_is_read_anew(store: Store, text: bytes) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.write_bytes(text)
    assert store.kinds(store.sync()) == ["Replace"]
    assert said(store) == [line.decode().rstrip(".") for line in text.splitlines()]
    assert len(store.table.files()) == 1


def test_an_atomic_replacement_of_the_same_size_and_edges_is_noticed(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines(*(f"{i}" for i in range(1000))))
    store.sync()
    other = store.root / "live/tmp"
    other.write_bytes(path.read_bytes().replace(b"\n500.", b"\nnew."))
    os.replace(other, path)
    assert store.kinds(store.sync()) == ["Replace"]
    assert said(store)[500] == "new"


def test_a_change_in_the_middle_that_moves_the_mtime_is_found_in_idle_time(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines(*(f"{i}" for i in range(1000))))
    age(path)
    store.sync()
    with path.open("r+b") as file:
        file.seek(500 * 21)
        file.write(b"new")
    actions = store.table.reconcile(look(store.root))
    assert {type(a) for a in actions} == {Whole, Look}
    store.carry_out(actions)
    assert said(store)[500] == "new"


def test_every_file_is_verified_once_after_a_start(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines(*(f"{i}" for i in range(1000))))
    age(path)
    store.sync()
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(500 * 21)
        file.write(b"new")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    store.restart()
    store.sync()
    assert said(store)[500] == "new"
    assert store.table.reconcile(look(store.root)) == []


def test_a_file_cut_to_nothing_keeps_what_it_said_until_it_has_a_line_again(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.write_bytes(b"")
    store.sync()
    path.write_bytes(b"half a li")
    store.sync()
    store.restart()
    store.sync()
    assert said(store) == ["1", "2"]
    append(path, b"ne\n")
    assert store.kinds(store.sync()) == ["Replace"]
    assert said(store) == ["half a line"]


def test_a_file_cut_to_nothing_and_deleted_keeps_what_it_said(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.write_bytes(b"")
    store.sync()
    path.unlink()
    assert store.kinds(store.sync()) == ["Gone"]
    assert said(store) == ["1", "2"]


def test_a_cut_file_that_grows_again_to_what_it_was_is_the_same_file(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.write_bytes(b"")
    store.sync()
    path.write_bytes(lines("1", "2", "3"))
    assert store.kinds(store.sync()) == ["Read"]
    assert said(store) == ["1", "2", "3"]


@pytest.mark.parametrize("partial", [False, True], ids=["whole scan", "hints"])
def test_archiving_compressing_and_unpacking_move_one_checkpoint(store: Store, partial: bool) -> None:
    live, archived = store.root / "live/a.jsonl", store.root / "archive/a.jsonl"
    packed = store.root / "archive/a.jsonl.zst"
    only = [live, archived, packed] if partial else []
    live.write_bytes(lines("1", "2"))
    store.sync(*only)
    live.rename(archived)
    assert store.kinds(store.sync(*only)) == ["Move"]
    packed.write_bytes(zstandard.compress(archived.read_bytes()))
    store.sync(*only)
    archived.unlink()
    assert store.kinds(store.sync(*only)) == ["Move", "Read"]
    live.write_bytes(zstandard.decompress(packed.read_bytes()) + lines("3"))
    packed.unlink()
    assert store.kinds(store.sync(*only)) == ["Move", "Read"]
    assert said(store) == ["1", "2", "3"]
    assert len(store.table.files()) == 1


def test_a_rename_to_another_name_is_followed_by_inode(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.rename(store.root / "live/b.jsonl")
    assert store.kinds(store.sync()) == ["Move"]
    assert said(store, "b") == ["1", "2"]


def test_the_same_path_and_text_under_a_new_device_and_inode_is_the_same_file(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    age(path)
    store.sync()
    file = store.table.files()[0]
    here = found(store.root, path)
    moved = type(here)(here.source, Stat(here.stat.dev + 7, here.stat.ino + 1, here.stat.size, here.stat.mtime_ns))
    assert [type(a) for a in store.table.examine(moved)] == [Look]
    assert (file.dev, file.ino) == (moved.stat.dev, moved.stat.ino)


def test_two_files_that_swap_their_names_swap_nothing_else(store: Store) -> None:
    a, b, c = (store.root / f"live/{name}.jsonl" for name in "abc")
    a.write_bytes(lines("1", "2"))
    b.write_bytes(lines("x", "y", "z"))
    store.sync()
    ids = {store.table.at("plain", str(p)).id: text for p, text in ((a, "1"), (b, "x"))}  # type: ignore[union-attr]
    a.rename(c)
    b.rename(a)
    c.rename(b)
    actions = store.sync()
    assert store.kinds(actions) == ["Move", "Move"]
    assert said(store, "a") == ["x", "y", "z"]
    assert said(store, "b") == ["1", "2"]
    assert {i: store.lines[i][0].decode()[0] for i in ids} == ids


def test_a_chain_of_renames_within_one_look_is_followed(store: Store) -> None:
    names = "abcde"
    for name in names[:-1]:
        (store.root / f"live/{name}.jsonl").write_bytes(lines(name + "1"))
    store.sync()
    for name, following in reversed(list(pairwise(names))):
        (store.root / f"live/{name}.jsonl").rename(store.root / f"live/{following}.jsonl")
    (store.root / "live/a.jsonl").write_bytes(lines("new"))
    assert store.kinds(store.sync()) == ["Move"] * 4 + ["Read"]
    assert {n: said(store, n) for n in names} == {"a": ["new"], **{n: [f"{p}1"] for p, n in pairwise(names)}}


def test_another_file_with_the_inode_of_a_deleted_one_is_a_new_file(store: Store) -> None:
    a = store.root / "live/a.jsonl"
    a.write_bytes(lines("1", "2"))
    store.sync()
    inode = a.stat().st_ino
    a.unlink()
    b = store.root / "live/b.jsonl"
    b.write_bytes(lines("x", "y", "z"))
    here = found(store.root, b)
    reused = type(here)(here.source, Stat(here.stat.dev, inode, here.stat.size, here.stat.mtime_ns))
    scan = look(store.root)
    scan.found = [reused]
    assert store.kinds(store.table.reconcile(scan)) == ["Gone", "Read"]


def test_deletion_keeps_what_was_said_and_a_return_is_noticed(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.unlink()
    assert store.kinds(store.sync()) == ["Gone"]
    assert store.kinds(store.sync()) == []
    path.write_bytes(lines("1", "2", "3"))
    assert store.kinds(store.sync()) == ["Back", "Read"]
    assert said(store) == ["1", "2", "3"]


def test_a_file_deleted_and_made_again_with_the_same_inode_is_read_anew(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1", "2"))
    store.sync()
    path.unlink()
    path.write_bytes(lines("x", "y", "z"))  # most file systems hand out the inode again
    assert store.kinds(store.sync()) == ["Replace"]
    assert said(store) == ["x", "y", "z"]


@pytest.mark.parametrize("order", [("plain", "packed"), ("packed", "plain"), ("both",)])
def test_of_a_plain_and_a_compressed_copy_the_plain_one_is_read(store: Store, order: tuple[str, ...]) -> None:
    plain, packed = store.root / "live/a.jsonl", store.root / "live/a.jsonl.zst"
    for step in order:
        if step in ("packed", "both"):
            packed.write_bytes(zstandard.compress(lines("1", "2")))
        if step in ("plain", "both"):
            plain.write_bytes(lines("1", "2"))
        store.sync()
    assert [f.path for f in store.table.files()] == [str(plain)]
    assert [f.source.path for f in store.table.copies()] == [packed]
    plain.unlink()
    assert store.kinds(store.sync(plain)) == ["Move", "Read"]
    assert [f.path for f in store.table.files()] == [str(packed)]
    assert said(store) == ["1", "2"]


@pytest.mark.parametrize("order", [("plain", "packed"), ("packed", "plain"), ("both",)])
@pytest.mark.parametrize("partial", [False, True], ids=["whole scan", "hints"])
def test_of_a_plain_file_and_another_text_compressed_beside_it_the_plain_one_counts(
    store: Store, order: tuple[str, ...], partial: bool
) -> None:
    plain, packed = store.root / "live/a.jsonl", store.root / "live/a.jsonl.zst"
    for step in order:
        if step in ("packed", "both"):
            packed.write_bytes(zstandard.compress(lines("1", "stale")))
        if step in ("plain", "both"):
            plain.write_bytes(lines("1", "2"))
        store.sync(*([plain if step == "plain" else packed] if partial and step != "both" else []))
    assert said(store) == ["1", "2"]
    assert [f.path for f in store.table.files()] == [str(plain)]
    assert store.sync() == []
    append(plain, lines("3"))
    store.sync()
    assert said(store) == ["1", "2", "3"]
    store.restart()
    store.sync()
    assert said(store) == ["1", "2", "3"]
    plain.unlink()
    store.sync()
    assert said(store) == ["1", "stale"]


def test_a_copy_is_not_compared_again_while_it_does_not_change(store: Store) -> None:
    (store.root / "live/a.jsonl").write_bytes(lines("1", "2"))
    (store.root / "archive/a.jsonl").write_bytes(lines("1", "2"))
    for path in store.root.glob("*/a.jsonl"):
        age(path)
    store.sync()
    for path in store.root.glob("*/a.jsonl"):
        path.rename(path)
        path.chmod(0o200)
    before = io_read()
    assert store.table.reconcile(look(store.root)) == []
    if before is not None:
        assert (io_read() or 0) - before < 4096 * 2


def test_a_copy_that_grows_beyond_the_file_takes_over(store: Store) -> None:
    live, archived = store.root / "live/a.jsonl", store.root / "archive/a.jsonl"
    live.write_bytes(lines("1", "2"))
    archived.write_bytes(lines("1", "2"))
    store.sync()
    append(archived, lines("3"))
    assert store.kinds(store.sync()) == ["Move", "Read"]
    assert said(store) == ["1", "2", "3"]
    append(live, lines("3", "4"))
    assert store.kinds(store.sync()) == ["Move", "Read"]
    assert said(store) == ["1", "2", "3", "4"]


def test_a_file_of_the_same_name_with_another_text_is_a_file_of_its_own(store: Store) -> None:
    (store.root / "live/a.jsonl").write_bytes(lines("1", "2"))
    (store.root / "archive/a.jsonl").write_bytes(lines("x"))
    store.sync()
    assert sorted(said(store)) == ["1", "2", "x"]
    assert len(store.table.files()) == 2


def test_another_text_in_the_archive_of_a_file_that_is_gone_is_that_file_rewritten(store: Store) -> None:
    live, away = store.root / "live/a.jsonl", store.root / "archive/a.jsonl"
    live.write_bytes(lines("1", "2"))
    store.sync()
    live.unlink()
    away.write_bytes(lines("x", "y"))
    assert store.kinds(store.sync(away)) == ["Move", "Replace"]  # whatever a look was told to look at
    assert said(store) == ["x", "y"] and len(store.table.files()) == 1
    assert store.sync() == []


def test_another_text_of_that_name_in_another_directory_replaces_nothing(store: Store) -> None:
    (store.root / "live/one").mkdir()
    (store.root / "live/two").mkdir()
    (store.root / "live/one/a.jsonl").write_bytes(lines("1", "2"))
    store.sync()
    (store.root / "live/two/a.jsonl").write_bytes(lines("x"))
    (store.root / "live/one/a.jsonl").unlink()
    store.sync()
    assert sorted(said(store)) == ["1", "2", "x"]


def test_a_read_that_was_not_carried_out_is_given_again(store: Store) -> None:
    path = store.root / "live/a.jsonl"
    path.write_bytes(lines("1"))
    first = store.table.reconcile(look(store.root))
    again = store.table.reconcile(look(store.root))
    assert [type(a) for a in first] == [type(a) for a in again] == [Read]
    store.sync()
    path.write_bytes(lines("x", "y"))
    assert [type(a) for a in store.table.reconcile(look(store.root))] == [Replace]
    assert [type(a) for a in store.table.reconcile(look(store.root))] == [Replace]


def test_what_was_not_looked_at_is_not_gone(store: Store) -> None:
    (store.root / "live/a.jsonl").write_bytes(lines("1"))
    (store.root / "live/b.jsonl").write_bytes(lines("2"))
    store.sync()
    (store.root / "live/a.jsonl").unlink()
    assert store.kinds(store.sync(store.root / "live/b.jsonl")) == []
    assert store.kinds(store.sync(store.root / "live")) == ["Gone"]


def test_a_copy_of_a_file_that_a_partial_look_does_not_see_is_no_rename(store: Store) -> None:
    live, archived = store.root / "live/a.jsonl", store.root / "archive/a.jsonl"
    live.write_bytes(lines("1"))
    store.sync()
    archived.write_bytes(lines("1"))
    assert store.kinds(store.sync(archived)) == []
    assert [f.path for f in store.table.files()] == [str(live)]


def test_a_damaged_file_is_told_and_stops_nothing(store: Store) -> None:
    packed = store.root / "live/a.jsonl.zst"
    packed.write_bytes(zstandard.compress(lines("1", "2")))
    store.sync()
    packed.write_bytes(b"no zstd frame at all, and of another size")
    (store.root / "live/b.jsonl").write_bytes(lines("x"))
    actions = store.table.reconcile(look(store.root))
    assert {type(a) for a in actions} == {Trouble, Read}
    assert said(store) == ["1", "2"]


def test_a_meta_file_is_read_at_every_change(store: Store) -> None:
    path = store.root / "live/a.meta.json"
    path.write_text("{}")
    assert store.kinds(store.sync()) == ["Read"]
    age(path)
    assert store.kinds(store.sync()) == ["Read"]
    assert store.kinds(store.sync()) == []
    path.unlink()
    assert store.kinds(store.sync()) == ["Gone"]


def test_an_id_depends_on_agent_and_path_and_is_never_given_twice(store: Store) -> None:
    a, b = store.root / "live/a.jsonl", store.root / "live/b.jsonl"
    a.write_bytes(lines("1"))
    store.sync()
    first = store.table.files()[0].id
    a.rename(b)
    store.sync()
    a.write_bytes(lines("x"))
    store.sync()
    ids = [f.id for f in store.table.files()]
    assert len(set(ids)) == 2
    assert first in ids
    other = Store(store.root)
    b.unlink()
    other.sync()
    assert [f.id for f in other.table.files()] == [first]


def test_a_move_tells_where_the_file_was(store: Store) -> None:
    live, archived = store.root / "live/a.jsonl", store.root / "archive/a.jsonl"
    live.write_bytes(lines("1"))
    store.sync()
    live.rename(archived)
    moves = [a for a in store.sync() if isinstance(a, Move)]
    assert [(m.was, m.file.path, m.source.path) for m in moves] == [(str(live), str(archived), archived)]
