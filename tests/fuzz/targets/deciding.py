"""What a person decided or configured, as it lies on disk: the configuration, exclusions, decisions."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgpack
from tests.fuzz import mutate
from tests.fuzz.draw import Draw, text_of
from tests.fuzz.target import Check, Target

from recall.errors import ConfigError, DecisionsDamaged, UsageError
from recalld import analysis
from recalld.config import effective_roots, load
from recalld.decisions import Decisions, Forgotten
from recalld.patterns import Patterns, checked

HOME = Path("/home/nobody")

CONFIG = """
[sources.claude-code]
roots = ["~/.claude", "/srv/claude"]
enabled = true
[index]
max_line_bytes = 1048576
[redact]
disabled = ["jwt"]
[redact.projects."~/x"]
disabled = ["password"]
[exclude]
patterns = ["/home/nobody/private/**", "secret"]
[hooks]
budget_ms = 100
[hooks.budgets]
SessionStart = 3000
[hooks.events]
codex = ["SessionStart"]
[hooks.projects."~/quiet"]
enabled = false
"""
TOML = [
    *CONFIG.split(),
    *(
        "=",
        "[",
        "]",
        "[[",
        "]]",
        '"""',
        "'''",
        "{",
        "}",
        "{a=",
        ",",
        "\n",
        "#",
        "inf",
        "nan",
        "0x1",
        "1e400",
        "1979-05-27",
        "a.b.c = 1\n",
    ),
    *(
        "unknown = 1\n",
        "[unknown]\n",
        "[hooks.projects.'\\0']\n",
        "= 9" + "9" * 30,
        "[" * 200,
        "a." * 100,
        "\\u0000",
        "\\UFFFFFFFF",
        "\t",
    ),
]


def _config(work: Path) -> Check:
    path = work / "config.toml"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        try:
            config = load(path, HOME)
        except ConfigError as error:
            assert str(path) in error.message
            return
        lines = data.count(b"\n") + 1
        assert all(1 <= warning.line <= lines for warning in config.warnings)
        effective_roots(config, {"HOME": "/home/nobody"})
        for agent in ("claude-code", "codex"):
            config.hooks.allowed(agent, "SessionStart", "/home/nobody/quiet/a")
        Patterns(config.exclude.patterns, HOME)

    return check


PATTERNS = (
    "/w/secret",
    "~/secret",
    "/w/*/secret",
    "**/private",
    "client-*",
    "a?b",
    "/a/**/b/**/c",
    "*a*a*a*a*",
    "/é/..//x/",
    "ﬁ",
    "~x",
    "/",
    "**",
)


def _patterns(work: Path) -> Check:
    def check(data: bytes) -> None:
        listed, _, path = text_of(data).encode("utf-8", "replace").decode().partition("\0")
        good = []
        for line in listed.split("\n"):
            try:
                kept = checked(line)
            except UsageError:
                continue
            assert checked(kept) == kept, "a pattern changes when it is read again"
            good.append(kept)
        if not good:
            return
        one = Patterns(good, HOME)
        for subject in (path, f"/{path}", path * 20, "/".join(path)):
            one.project(subject)
            one.path(subject)
            one.directory(subject.replace("/", "-"))
        for kept in good:
            if kept.startswith("/") and not set("*?") & set(kept) and "" not in analysis.fold(kept).split("/")[1:]:
                assert one.path(kept) and one.path(f"{kept}/x\n.jsonl") and one.project(kept) and one.project(f"{kept}/x")

    return check


def _decisions(work: Path) -> Check:
    def check(data: bytes) -> None:
        draw = Draw(data)
        kind, name = draw.byte() % 3, draw.pick(("exclude.decision", "forget-000001.decision", "forget-x.decision"))
        content = draw.rest()
        if kind == 1:
            content = msgpack.packb([1, zlib.crc32(content), content])
        shutil.rmtree(work, ignore_errors=True)
        (work / "decisions").mkdir(parents=True)
        (work / "decisions" / name).write_bytes(content)
        try:
            found = Decisions(work)
        except DecisionsDamaged as error:
            assert name in error.message
            return
        found.pending(["a"])
        found.standing()
        found.lifting()
        found.next_id()
        with suppress(UsageError):  # one that no version of ours has written
            Patterns(found.excluded.patterns, HOME)
        for decision in list(found.forgotten.values()):
            found.keep(decision)
        found.keep_excluded()
        again = Decisions(work)
        assert {k: v for k, v in again.forgotten.items() if k in found.forgotten} == found.forgotten

    return check


def _kept() -> Sequence[bytes]:
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as place:
        one = Decisions(Path(place))
        one.keep(Forgotten(1, "session", "s", 5, None, {"a\0b"}, {1, 2**64 - 1}, {3}, [["/x", 2]], 2, True))
        one.excluded.patterns = ["/w/x"]
        one.keep_excluded()
        for name in os.listdir(one.directory):
            whole = (one.directory / name).read_bytes()
            index = 0 if name.startswith("exclude") else 1
            found.append(bytes((0, 0, index)) + whole)
            found.append(bytes((1, 0, index)) + msgpack.unpackb(whole)[2])
    return found


TARGETS = (
    Target("config", _config, lambda: [CONFIG.encode(), b"\xef\xbb\xbf" + CONFIG.encode()], mutate.words(0, TOML)),
    Target(
        "patterns",
        _patterns,
        lambda: [f"{p}\nsecret\0/w/secret/a".encode() for p in PATTERNS],
        mutate.words(0, [*PATTERNS, "*", "**/", "?", "/", "a", "aaaaaaaa", "\n", "\0"]),
        longest=400,
    ),
    Target("decisions", _decisions, _kept, longest=600),
)
