"""A small indexer for tests: it speaks the control protocol and writes a real index, and does what it is told wrong.

Its first argument is a directory: a file there named after a fault makes it have that fault.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from recall import wire
from recalld.index.documents import StoredRecord, StoredSession, session_key
from recalld.index.writer import IndexWriter
from recalld.ingest.generations import Generations
from recalld.server.children import die_with_parent

SKEY = session_key("codex", "s1")
STATUS = {"pending_bytes": 0, "total_bytes": 100, "complete": True, "agents": {}, "last_commit": 1_800_000_000_000}


def main() -> None:
    die_with_parent()
    directory = Path(sys.argv[1])
    control = socket.socket(fileno=int(sys.argv[sys.argv.index("--control-fd") + 1]))
    (directory / "born").write_text(
        json.dumps({"pid": os.getpid(), "env": dict(os.environ), "fds": sorted(os.listdir("/proc/self/fd"))})
    )

    def send(**event: Any) -> None:
        control.sendall(wire.pack(event))

    def told(fault: str) -> bool:
        """Have this fault once."""
        try:
            (directory / fault).unlink()
        except FileNotFoundError:
            return False
        return True

    if told("die_at_start"):
        os._exit(3)
    generations = Generations(Path(os.environ["RECALLD_DATA_DIR"]) / "index")
    generation = generations.current() or generations.new()
    writer = IndexWriter(generation.path, patience=10)
    generations.make_current(generation)
    send(event="ready", index=generation.name, status=STATUS)
    badly = told("renew_badly")
    if badly:
        (directory / "die_at_start").touch()
    if badly or told("renew"):
        send(event="status", status=STATUS)
        send(event="renew", redacted={"github-token": 2})
    reloads = commits = 0
    decoder = wire.Decoder()
    while True:
        data = control.recv(65536)
        if not data:
            os._exit(0)
        decoder.feed(data)
        for message in decoder:
            name, number = message["cmd"], message.get("id")
            if name == "stop":
                if told("hang_at_stop"):
                    signal.pause()
                (directory / "stopped").touch()
                return
            if name == "reload":
                reloads += 1
            elif name == "sync":
                if told("die"):
                    os.kill(os.getpid(), signal.SIGKILL)
                if told("hang"):
                    signal.pause()
                if (directory / "full").exists():  # a fault that stays
                    send(event="failed", errno=errno.ENOSPC)
                    os._exit(1)
                if told("fail"):
                    send(event="done", id=number, error={"code": "index", "message": "the disk is full"})
                    continue
                if told("progress"):
                    for done in (10, 50):
                        send(event="status", status=STATUS | {"pending_bytes": 100 - done, "complete": False})
                commits += 1
                write(writer, commits)
                send(event="commit", index=generation.name, sessions=[SKEY], status=STATUS)
                send(event="done", id=number, result={"commits": commits})
            elif name == "doctor":
                if told("die_at_doctor"):
                    os._exit(1)
                if told("hang"):
                    signal.pause()
                finding = {"check": "reloads", "path": None, "offset": None, "message": str(reloads), "remedy": "none"}
                send(event="done", id=number, result={"findings": [finding]})


def write(writer: IndexWriter, number: int) -> None:
    """Add record `number`, saying `word<number>`, and the session that then has as many."""
    now = int(time.time() * 1000)
    writer.replace(
        StoredRecord(
            skey=SKEY, id=f"r{number}", uid=f"r{number}", up=None, parent=None, project="/w/api", time=now, role="user",
            kind="message", tool=None, paths=[], command=None, exit_status=None, is_error=None, model=None, branch=None,
            text=f"say word{number}", truncated=False, abandoned=False, call=None, side=None, file="f", offset=number,
            length=1, ord=number, sub=0, subagent=False, redactor=1,
        )
    )  # fmt: skip
    writer.replace(
        StoredSession(skey=SKEY, sid="s1", title=f"title{number}", project="/w/api", records=number, files=["f"], updated=now)
    )
    writer.commit()


main()
