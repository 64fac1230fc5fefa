"""What `install` writes into files that are not ours: whatever they hold, it comes out again, and twice is once."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import mutate
from tests.fuzz.draw import Draw, text_of
from tests.fuzz.target import Check, Target

from install.user_files import PLAIN
from install.user_files import TOML as PLAIN_TOML
from recall.errors import Refused
from recall.install import edit, toml
from recall.install.jsonc import parse
from recall.install.run import install, uninstall
from recall.places import Places

FILES = {
    "claude-code": (".claude/settings.json", ".claude/.claude.json"),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "qwen-code": (".qwen/settings.json",),
}
JSON = [
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "//",
        "/*",
        "*/",
        "\n",
        "\r\n",
        "\t",
        '"hooks"',
        '"mcpServers"',
        '"recall"',
        '"statusLine"',
        "null",
    ),
    *(
        '"hooks": {"Stop": []},',
        '"mcpServers": {},',
        '"hooks": [],',
        '"a": 1',
        "1e5",
        '"UserPromptSubmit"',
        '"command"',
        '"ui": {"x": 1}',
        "{}",
    ),
]
TOML = [
    *(
        "[mcp_servers]\n",
        "[mcp_servers.recall]\n",
        "mcp_servers = {}\n",
        "[[a]]\n",
        "a.b = 1\n",
        '"""',
        "'''",
        "{",
        "}",
        "#",
        "\r\n",
        "mcp_servers.x = {a = 1}\n",
    ),
    *PLAIN_TOML.split(),
]


def _tree(home: Path) -> dict[str, bytes]:
    return {str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()}


def _install(work: Path) -> Check:
    """The whole of it, on disk: install, again, uninstall; and with a change in between."""

    def check(data: bytes) -> None:
        draw = Draw(data)
        agent, other, between = draw.pick(sorted(FILES)), draw.byte(), draw.flag()
        content = draw.rest()
        home = work / "home"
        for place in (home, work / "data"):
            shutil.rmtree(place, ignore_errors=True)
        first, *rest = FILES[agent]
        if other & 1 and rest:
            first, rest = rest[0], []
        (home / first).parent.mkdir(parents=True)
        (home / first).write_bytes(content)
        before = _tree(home)
        places = Places(work / "data", work / "run", work / "config.toml")
        folders = {"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex", "QWEN_HOME": ".qwen"}
        env = {"HOME": str(home), "PATH": "/nonexistent"} | {name: str(home / f) for name, f in folders.items()}
        done = install([agent], places, env)
        refused = {str(f.path) for one in done for f in one.files if f.what == "refused"}
        wired = _tree(home)
        if str(home / first) in refused:
            assert wired[first] == content, "refused, and changed"
        again = install([agent], places, env)
        assert _tree(home) == wired, "installing again changes something"
        assert {f.what for one in again for f in one.files} <= {"unchanged", "refused"}
        if between and str(home / first) not in refused:
            (home / first).write_bytes(wired[first] + b"\n")
        uninstall([agent], places, env)
        after = _tree(home)
        if between and str(home / first) not in refused:
            _says_the_same(first, content, after[first])
        else:
            assert after == before, "uninstall does not give the bytes back"
        assert not (work / "data" / "install" / "ledger.json").exists() or refused

    return check


def _says_the_same(name: str, before: bytes, after: bytes) -> None:
    texts = [data.decode("utf-8-sig") for data in (before, after)]
    if name.endswith(".toml"):
        was, now = (tomllib.loads(text.replace("\r\n", "\n")) for text in texts)
        was.setdefault("mcp_servers", {})
        now.setdefault("mcp_servers", {})
        assert repr(was) == repr(now), "something of the person's is gone"
        return
    was, now = (parse(text).value if text.strip() else {} for text in texts)
    assert json.dumps(was) == json.dumps(now), "something of the person's is gone"


def _edits(work: Path) -> Check:
    paths: tuple[edit.Path, ...] = (("a",), ("hooks", "Stop"), ("mcpServers", "recall"), ("",), ("a", "b", "c"))
    new = ({"x": [1, "y"]}, [], "text\n", {"": None}, 3)

    def check(data: bytes) -> None:
        draw = Draw(data)
        kind, path, value = draw.byte() % 3, draw.pick(paths), draw.pick(new)
        text = text_of(draw.rest())
        if kind == 2:
            _toml(text)
            return
        try:
            added = edit.append(text, path, value) if kind else edit.put(text, path, value)
        except Refused:
            return
        root = parse(added).value
        for part in path:
            root = root[part]
        assert (root[-1] if kind else root) == value
        if kind == 0:
            assert parse(edit.put(added, path, value)).value == parse(added).value
            if not edit.has(text, path[:1]):
                assert parse(edit.remove(added, path[:1])).value == parse(text).value
        else:
            assert parse(edit.remove(added, (*path, len(root) - 1))).value is not None

    def _toml(text: str) -> None:
        where = ("mcp_servers", "recall")
        entry = {"command": "/x y", "args": ["mcp", "é\n"], "env": {"A B": "1"}}
        try:
            added = toml.put_table(text, where, entry)
        except Refused:
            return
        assert toml.parse(added)["mcp_servers"]["recall"] == entry
        assert toml.put_table(added, where, entry) and toml.parse(toml.put_table(added, where, entry)) is not None
        try:
            removed = toml.remove_table(added, where)
        except Refused:
            raise AssertionError("what was put in cannot be taken out") from None
        assert "recall" not in toml.parse(removed).get("mcp_servers", {})

    return check


def _documents(header: int) -> Sequence[bytes]:
    one_line = json.dumps(json.loads(PLAIN)).encode()
    odd = PLAIN.replace('"theme"', '// mine\n /* "x" */ "theme"').replace("\n", "\r\n").encode()
    texts = [PLAIN.encode(), one_line, odd, b"{}", b"", b"{\n}", b'{"a": 1,}', b"\xef\xbb\xbf" + PLAIN.encode()]
    tables = [
        PLAIN_TOML.encode(),
        PLAIN_TOML.rstrip().encode(),
        b"mcp_servers = {}\n",
        b"[mcp_servers]\nx = {a = 1}\n",
        b"a = '''\n[mcp_servers.recall]\n'''\n",
    ]
    found = [bytes((0, n, 0, 0))[:header] + text for n in (0, 1, 2) for text in texts]
    found += [bytes((0, 1, 1, 0))[:header] + text for text in tables]
    return [*found, *(bytes((2, 0, 0, 0)) + text for text in tables)]


TARGETS = (
    Target("install", _install, lambda: _documents(4), mutate.words(4, [*JSON, *TOML]), longest=1500, seconds=30),
    Target(
        "edits",
        _edits,
        lambda: [d[:1] + bytes(4) + d[4:] for d in _documents(4)],
        mutate.words(5, [*JSON, *TOML]),
        longest=1500,
    ),
)
