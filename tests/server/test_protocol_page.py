"""The protocol page is enough to write a client: it names all there is, and its example works."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from recall import errors, wire
from recall.places import Places
from recalld.server import connection, server
from recalld.server.method import inline
from recalld.server.methods import METHODS
from recalld.server.params import Param
from server.kit import running

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def section(method: str) -> str:
    match = re.search(rf"^### .*`{method}`.*?(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    assert match, f"{method} is not on the page"
    return match.group()


def test_every_method_and_every_parameter_is_on_the_page() -> None:
    for name, method in METHODS.items():
        text = section(name)
        for parameter in method.params:
            assert f"`{parameter}`" in text, f"{name}: {parameter} is not on the page"


def test_the_page_names_no_method_that_there_is_not() -> None:
    methods = PAGE.split("## Methods")[1].split("\n## ")[0]
    for line in re.findall(r"^### .*$", methods, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", line):
            assert name in METHODS


def test_every_error_code_that_a_daemon_sends_is_on_the_page() -> None:
    clients_own = {"error", "unreachable", "already_running", "bad_config"}
    for code in errors.EXIT_STATUS.keys() - clients_own:
        assert f"`{code}`" in PAGE, f"{code} is not on the page"


def test_the_limits_on_the_page_are_the_real_ones() -> None:
    assert f"{wire.MAX_FRAME:,} bytes" in PAGE
    assert f"At most {connection.MAX_OPEN} requests" in PAGE
    assert f"At most {server.MAX_CONNECTIONS} connections" in PAGE
    assert f"for {server.STALL:g} s" in PAGE


def test_the_pages_example_client_works(places: Places) -> None:
    script = textwrap.dedent(PAGE.split("## A client in one screen")[1])
    methods = {"search": inline(lambda service, params: {"asked": params["query"]}, {"query": Param("text")})}
    with running(places, methods) as path:
        script = script.replace("/run/user/1000/recalld/recalld.sock", str(path))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=20)
    assert "'asked': 'flaky test'" in done.stdout


def test_the_pages_example_frame_is_a_ping() -> None:
    frame = wire.pack({"v": 1, "id": 1, "method": "ping", "params": {}})
    shown = re.search(r"^    (00 00 00 .*)$", PAGE, re.MULTILINE)
    assert shown is not None
    assert frame == bytes.fromhex(shown.group(1))
