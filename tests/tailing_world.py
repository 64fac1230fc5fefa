"""Things that happen to session files, and what a perfect observer would know afterwards."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import zstandard

from tailing_kit import Store, look

NAMES = ("a", "b")


@dataclass
class World:
    """Session files that things happen to, and what a perfect observer of each look would know."""

    root: Path
    store: Store
    count: int = 0
    remembered: dict[str, set[bytes]] = field(default_factory=dict)
    """Complete lines of what was deleted, as the last look before the deletion found them."""

    def line(self) -> bytes:
        self.count += 1
        return f"line {self.count} ".encode().ljust(9 + self.count * 37 % 90, b".") + b"\n"

    def paths(self, name: str) -> list[Path]:
        found = [*self.root.glob(f"live/**/{name}.jsonl*"), *self.root.glob(f"archive/{name}.jsonl*")]
        return sorted(found)

    def plain(self, name: str) -> Path | None:
        return next((p for p in self.paths(name) if p.suffix == ".jsonl"), None)

    def text(self, path: Path) -> bytes:
        data = path.read_bytes()
        return zstandard.decompress(data) if path.suffix == ".zst" else data

    def lines(self, name: str) -> set[bytes]:
        """Return the complete lines of a session that are on disk."""
        result: set[bytes] = set()
        for path in self.paths(name):
            if path.suffix != ".zst" or self.is_form_of_plain(path):
                result.update(self.text(path).split(b"\n")[:-1])
        return result

    def is_form_of_plain(self, packed: Path) -> bool:
        """Say whether a compressed file counts: nothing plain lies beside it, or the same."""
        plain = packed.with_suffix("")
        if not plain.exists():
            return True
        one, other = self.text(packed), self.text(plain)
        return one.startswith(other) or other.startswith(one)

    # what can happen

    def append(self, name: str) -> None:
        path = self.plain(name) or self.root / "live" / f"{name}.jsonl"
        if not self.paths(name) or path.exists():
            with path.open("ab") as file:
                file.write(self.line() + self.line())

    def append_half(self, name: str) -> None:
        path = self.plain(name)
        if path is not None:
            with path.open("ab") as file:
                file.write(self.line()[:-4])

    def rewrite(self, name: str) -> None:
        path = self.plain(name)
        if path is not None:
            path.write_bytes(self.line() * 2 + self.line())

    def replace(self, name: str) -> None:
        path = self.plain(name)
        if path is not None:
            other = self.root / "live" / "temporary"
            other.write_bytes(self.line() + self.line())
            os.replace(other, path)

    def cut(self, name: str) -> None:
        path = self.plain(name)
        if path is not None:
            kept = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(kept[: len(kept) // 2 + 1]))

    def archive(self, name: str) -> None:
        for path in self.paths(name):
            if path.parent.name == "live":
                os.replace(path, self.root / "archive" / path.name)

    def unarchive(self, name: str) -> None:
        for path in self.paths(name):
            if path.parent.name == "archive":
                os.replace(path, self.root / "live" / path.name)

    def move_deeper(self, name: str) -> None:
        for path in self.paths(name):
            if path.parent.name == "live":
                (self.root / "live/deep").mkdir(exist_ok=True)
                os.replace(path, self.root / "live/deep" / path.name)

    def compress(self, name: str) -> None:
        path = self.plain(name)
        if path is not None and path.stat().st_size:
            Path(f"{path}.zst").write_bytes(zstandard.compress(path.read_bytes()))
            path.unlink()

    def unpack(self, name: str) -> None:
        for path in self.paths(name):
            if path.suffix == ".zst":
                path.with_suffix("").write_bytes(self.text(path))
                path.unlink()

    def copy(self, name: str) -> None:
        path = self.plain(name)
        if path is not None:
            target = self.root / ("archive" if path.parent.name == "live" else "live") / path.name
            shutil.copy(path, target)

    def compressed_copy(self, name: str) -> None:
        path = self.plain(name)
        if path is not None and path.stat().st_size:
            Path(f"{path}.zst").write_bytes(zstandard.compress(path.read_bytes()))

    def delete_a_copy(self, name: str) -> None:
        paths = self.paths(name)
        texts = [self.text(p) for p in paths]
        for path, text in zip(paths, texts, strict=True):
            if texts.count(text) > 1:
                path.unlink()
                return

    def swap_with_other(self, name: str) -> None:
        mine, other = self.plain(name), self.plain("b" if name == "a" else "a")
        if mine is not None and other is not None:
            third = self.root / "live" / "temporary"
            os.replace(mine, third)
            os.replace(other, mine)
            os.replace(third, other)

    def delete(self, name: str) -> None:
        self.look()
        remembered = self.lines(name)
        for path in self.paths(name):
            path.unlink()
        self.look()
        self.remembered.setdefault(name, set()).update(remembered)

    def look(self, name: str = "") -> None:
        self.store.sync()
        # a session that is there again: what its file says now takes the place of what the deleted one said
        for name in NAMES:
            if self.lines(name):
                self.remembered.pop(name, None)

    def look_at_a_part(self, name: str) -> None:
        self.store.sync(self.root / "live")

    def look_at_one_path(self, name: str) -> None:
        self.store.sync(self.root / ("live", "archive")[self.count % 2] / f"{name}.jsonl")

    def crash_half_way(self, name: str) -> None:
        """Carry out and commit only some of what a look found."""
        actions = self.store.table.reconcile(look(self.root))
        self.store.carry_out(actions[: len(actions) // 2])
        self.store.restart()

    def crash_without_a_commit(self, name: str) -> None:
        self.store.table.reconcile(look(self.root))
        self.store.restart()

    def crash(self, name: str = "") -> None:
        self.store.restart()

    def check(self) -> None:
        """Compare what is known with what the files hold."""
        known = self.store.known()
        for name in NAMES:
            told = known.get(f"session/{name}", set())
            assert self.lines(name) <= told, "lost"
            assert self.remembered.get(name, set()) <= told, "deleted and forgotten"
            for file in self.store.table.files():
                if not file.deleted and file.session == name:
                    on_disk = self.text(Path(file.path)).split(b"\n")[:-1]
                    # a file cut to nothing keeps what it said until it has a line again
                    assert not on_disk or self.store.lines.get(file.id, []) == on_disk, "stale, or out of order"


STEPS = [
    *("append", "append", "append", "append_half", "rewrite", "replace", "cut", "archive", "unarchive", "move_deeper"),
    *("compress", "unpack", "copy", "compressed_copy", "delete_a_copy", "swap_with_other", "delete", "look", "crash"),
    *("look", "look_at_a_part", "look_at_one_path", "crash_half_way", "crash_without_a_commit"),
]
