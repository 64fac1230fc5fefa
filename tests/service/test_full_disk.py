"""A full disk is called that wherever one looks, nothing is promised that it did not take, and room is enough to go on."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine import RECALLD, Machine

from recall.errors import RequestError

SESSION = "11111111-1111-4111-8111-111111111111"
SIZE = "6m"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine whose daemon keeps its data on a small disk of its own, in a namespace of mounts."""
    one = Machine(tmp_path)
    one.places.data.mkdir()
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare is not installed: no namespace of mounts")
    options = ["--mount"] if os.getuid() == 0 else ["--user", "--map-root-user", "--mount"]
    mount = f"mount -t tmpfs -o size={SIZE},mode=700 none {shlex.quote(str(one.places.data))}"
    probe = subprocess.run([unshare, *options, "sh", "-c", mount], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        pytest.skip(f"no mounts can be made here: {probe.stderr[:200]}")
    one.command = [unshare, *options, "sh", "-c", f"{mount} && exec {shlex.quote(str(RECALLD))}"]
    try:
        yield one
    finally:
        one.sweep()


def write(machine: Machine, *texts: str) -> None:
    path = machine.codex / "sessions" / "2026" / "11" / "30" / f"rollout-2026-11-30T10-00-00-{SESSION}.jsonl"
    lines = []
    if not path.exists():
        path.parent.mkdir(parents=True)
        meta = f'{{"id":"{SESSION}","timestamp":"2026-11-30T10:00:00Z","cwd":"/w/app"}}'
        lines.append(f'{{"timestamp":"2026-11-30T10:00:00Z","type":"session_meta","payload":{meta}}}')
    for text in texts:
        said = f'{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}'
        lines.append(f'{{"timestamp":"2026-11-30T10:00:01Z","type":"response_item","payload":{said}}}')
    with path.open("a") as stream:
        stream.writelines(line + "\n" for line in lines)


def fill(path: Path) -> None:
    """Write until nothing more fits."""
    with path.open("wb", buffering=0) as stream:
        while True:
            try:
                stream.write(bytes(4096))
            except OSError:
                return


def test_a_full_disk_is_named_and_room_is_enough_to_go_on(machine: Machine) -> None:
    write(machine, "one")
    machine.start()
    machine.sync()
    assert machine.process is not None
    data = Path(f"/proc/{machine.process.pid}/root{machine.places.data}")  # as the daemon sees it
    machine.env["RECALLD_DATA_DIR"] = str(data)  # for the command line
    reason = f"the disk that holds {machine.places.data} is full"
    fill(data / "filler")

    for wanted in ({"add": "/w/else"}, {"add": "/w/app"}):
        with machine.client() as client, pytest.raises(RequestError, match="No space left on device"):
            client.exclude(**wanted)
    with machine.client() as client, pytest.raises(RequestError, match="No space left on device"):
        client.forget(session=SESSION)
    with machine.client() as client:
        assert client.exclude() == {"patterns": [], "configured": []}
        assert client.forget(list=True) == {"forgotten": []}
    assert [p.name for p in (data / "decisions").iterdir()] == []
    assert machine.texts(SESSION) == ["one"]

    write(machine, "two")
    for _ in range(2):
        assert reason in machine.recall("sync", ok=(4,)).stderr
    assert 'why="No space left on device"' in machine.log()
    assert reason in machine.recall("status").stdout
    found = machine.recall("doctor", ok=(1,)).stdout
    assert f"disk: nothing can be indexed: {reason}" in found
    assert "make room" in found
    assert machine.texts(SESSION) == ["one"]

    (data / "filler").unlink()
    machine.recall("sync")
    assert machine.texts(SESSION) == ["one", "two"]
    assert reason not in machine.recall("status").stdout
    assert reason not in machine.recall("doctor", ok=(0, 1)).stdout


def test_a_first_build_that_does_not_fit_fails_a_sync_with_the_reason(machine: Machine) -> None:
    words = " ".join(f"{n:x}{n * n:x}" for n in range(2000))
    write(machine, *(f"{n} {words}" for n in range(400)))
    machine.start()
    with machine.client() as client, pytest.raises(RequestError, match="is full"):
        client.sync()
    with machine.client() as client:
        assert "is full" in str(client.status()["indexer"]["trouble"])
