"""A project is forgotten as it is: what is said in it later is read, whatever time it tells."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import zstandard
from ingest_kit import codex_said, encode
from machine import Machine
from talks import OTHER, T_FORK, S, T, claude_file, codex_file, copied, put, talk, thread
from test_forget import forget, hits, lose_the_index, outdate, restart, word
from traces import traces

NEW = "11111111-1111-4111-8111-777777777777"


def beginning(machine: Machine, mine: str) -> tuple[Path, Path]:
    """A session and a thread in one project, forgotten."""
    claude = put(claude_file(machine.claude, S), *talk(S, f"one {mine}", f"two {mine}"))
    codex = put(codex_file(machine.codex, T), *thread(T, f"three {mine}", f"four {mine}", cwd="/w/app/api"))
    put(claude_file(machine.claude, OTHER, "-w-else"), *talk(OTHER, "elsewhere", cwd="/w/else"))
    machine.start()
    machine.sync()
    assert forget(machine, project="/w/app")["records"] == 4
    return claude, codex


@pytest.mark.parametrize("again", [restart, lose_the_index, outdate])
def test_what_is_said_later_is_read_though_it_tells_an_earlier_time(machine: Machine, again: Any) -> None:
    mine, later = word(), word()
    claude, codex = beginning(machine, mine)
    put(claude, *talk(S, f"five {later}", start=2))
    put(codex, codex_said("user", f"six {later}", 9))
    put(claude_file(machine.claude, NEW), *talk(NEW, f"seven {later}"))
    put(claude_file(machine.claude, OTHER, "-w-else"), *talk(OTHER, f"eight {later}", start=1))
    machine.sync()
    assert set(hits(machine, later)) == {S, T, NEW, OTHER} and hits(machine, mine) == []
    again(machine)
    assert set(hits(machine, later)) == {S, T, NEW, OTHER}
    assert traces(machine.places.data, mine) == []


def test_files_that_are_put_elsewhere_do_not_bring_back_what_was_forgotten(machine: Machine) -> None:
    mine, later = word(), word()
    claude, codex = beginning(machine, mine)
    put(codex, codex_said("user", f"six {later}", 9))
    machine.sync()
    machine.stop()
    archived = machine.codex / "archived_sessions" / f"{codex.name}.zst"
    archived.parent.mkdir(parents=True)
    archived.write_bytes(zstandard.compress(codex.read_bytes()))
    codex.unlink()
    moved = claude_file(machine.claude, S, "-w-moved")
    moved.parent.mkdir(parents=True)
    shutil.move(claude, moved)
    put(moved, *talk(S, f"five {later}", start=2))
    put(claude_file(machine.claude, NEW), *copied(talk(S, f"one {mine}", f"two {mine}"), NEW))
    put(codex_file(machine.codex, T_FORK), *thread(T_FORK, f"three {mine}", f"four {mine}", cwd="/w/app/api"))
    machine.start()
    machine.sync()
    lose_the_index(machine)
    assert set(hits(machine, later)) == {S, T}
    assert traces(machine.places.data, mine) == []


def test_a_file_that_is_as_it_was_then_is_no_newer(machine: Machine) -> None:
    mine = word()
    beginning(machine, word())
    old = claude_file(machine.claude, NEW)
    old.with_name("aside").write_bytes(encode(talk(NEW, f"one {mine}")))
    os.utime(old.with_name("aside"), (1, 1))
    old.with_name("aside").rename(old)  # put back out of a backup
    machine.sync()
    assert hits(machine, mine) == []


def test_taking_a_forgotten_project_back_brings_back_all_of_it(machine: Machine) -> None:
    mine, later = word(), word()
    claude, _ = beginning(machine, mine)
    put(claude, *talk(S, f"five {later}", start=2))
    machine.sync()
    forget(machine, project="/w/app", undo=True)
    machine.sync()
    assert set(hits(machine, mine)) == {S, T} and hits(machine, later) == [S]
