"""What happens when an index is damaged, has the format of another version, or nothing says any more which one is current.

The files are the truth for everything that they still hold, so a new index is begun at once and filled like the first
one: it can be asked meanwhile. The damaged one is set aside (`index.damaged`, beside `index`), and when the files are
read, what only it held (sessions whose files are gone) is taken over from those of its segments that are sound. Then it
is deleted: what a person has had forgotten must not lie about. An index of a former format goes the same way. One of a
format that this version does not know stays aside: the version that made it can read it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from recall.errors import IndexFailure
from recalld import logs
from recalld.index import check
from recalld.index.former import FormerIndex
from recalld.index.schema import FORMAT
from recalld.ingest.generations import Generation, Generations
from recalld.ingest.rebuild import carry_over
from recalld.ingest.worker import Worker

_LOST = (
    "the index was damaged and has been built anew from the files; what only it held, sessions whose files are gone, is lost"
)


_FORMER = "-former"
_NAME = re.compile(rf"\d+({_FORMER})?")


class Recovery:
    """What was set aside, and what came of it. `told` is for `recall doctor`."""

    def __init__(self, generations: Generations) -> None:
        self._generations = generations
        self._aside = generations.root.with_name(generations.root.name + ".damaged")
        self.told: list[str] = []

    @property
    def waiting(self) -> bool:
        """Something lies aside that has not been gone through."""
        return self._aside.is_dir()

    def set_aside(self, generation: Generation, why: str) -> None:
        """Take a damaged index out of use; the next start builds one anew."""
        logs.error("index_damaged", index=generation.name, why=why, what="it is built anew from the files")
        self._move(generation.path)

    def set_former_aside(self, generation: Generation) -> None:
        """Take an index of another format out of use."""
        told = generation.made_with.get("format")
        logs.info("index_of_another_format", index=generation.name, format=told, wanted=FORMAT)
        self._move(generation.path, _FORMER)

    def set_strays_aside(self) -> None:
        """Where no index is current, take what indexes there are out of use: each may hold what no file does."""
        if self._generations.pointed and not self.waiting and not self._generations.every():
            logs.error("index_damaged", why="its directory is gone", what="it is built anew from the files")
            self.told.append(_LOST)
        for path in self._generations.every():
            logs.error("index_damaged", index=path.name, why="nothing says that it is current", what="it is built anew")
            self._move(path)

    def _move(self, path: Path, why: str = "") -> None:
        self._aside.mkdir(mode=0o700, exist_ok=True)
        number = 1 + max((int(p.name.partition("-")[0]) for p in self._set_aside()), default=0)
        os.rename(path, self._aside / f"{number}{why}")

    def _set_aside(self) -> list[Path]:
        """Return what lies aside, newest first: `N` where it was damaged, `N-former` where its format is another one."""
        found = [p for p in self._aside.iterdir() if _NAME.fullmatch(p.name)]
        return sorted(found, key=lambda p: -int(p.name.partition("-")[0]))

    def salvage(self, worker: Worker) -> None:
        """Take over what only the indexes set aside hold, newest first, and delete them: when all files are read."""
        if not self.waiting:
            return
        done: list[Path] = []
        for path in self._set_aside():
            if not path.name.endswith(_FORMER):
                self._salvage_one(path, worker)
            elif not self._take_over(path, worker):
                continue
            done.append(path)
        worker.touch()
        worker.commit()
        for path in done:
            shutil.rmtree(path)
        if not self._set_aside():
            shutil.rmtree(self._aside)

    def _take_over(self, path: Path, worker: Worker) -> bool:
        """Take over what only an index of another format holds; return whether it can be deleted."""
        try:
            kept = carry_over(FormerIndex(path), worker)
        except (IndexFailure, OSError, ValueError, KeyError, TypeError) as error:
            logs.error("index_kept", error=logs.where(error))
            self.told.append(
                "the index was made by a version of recalld whose format this one does not know; a new one has been built from"
                f" the files. What only the other holds, sessions whose files are gone, is kept in {path}: the version that"
                " made it can read it; delete it if you do not need it"
            )
            return False
        logs.info("index_taken_over", kept_files=kept)
        return True

    def _salvage_one(self, path: Path, worker: Worker) -> None:
        try:
            lost = check.keep_sound_segments(path)
            kept = carry_over(FormerIndex(path), worker)
        except (IndexFailure, OSError, ValueError, KeyError, TypeError) as error:
            logs.error("index_lost", error=logs.where(error))
            self.told.append(_LOST)
            return
        logs.warning("index_salvaged", kept_files=kept, lost_segments=lost)
        rest = "all that only it held was taken over" if not lost else "what only its damaged parts held is lost"
        self.told.append(
            f"the index was damaged and has been built anew from the files; {kept} files that are gone were taken over"
            f" from it, {rest}"
        )


def is_damage(failure: BaseException, generation: Generation | None) -> str | None:
    """Return what is wrong with the index where a failure may come of it; None where its files are sound.

    A panic arrives as pyo3's PanicException, which derives from BaseException and cannot be imported.
    """
    if generation is None or (not isinstance(failure, Exception) and type(failure).__name__ != "PanicException"):
        return None
    try:
        return check.damage(generation.path)
    except OSError as error:
        logs.warning("index_unchecked", error=logs.where(error))
        return None
