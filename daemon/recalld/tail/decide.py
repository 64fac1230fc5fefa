"""One round of decisions: the rules of `table` applied to one scan."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from recall.errors import RecallError
from recalld.index.documents import StoredFile
from recalld.sources.base import SourceFile
from recalld.tail.actions import Action, Back, Gone, Look, Move, Read, Replace, Trouble, Whole
from recalld.tail.fingerprint import compare, matches
from recalld.tail.found import Found, Scan, Stat
from recalld.tail.memory import Copy, Memory, Name, beside, put_away, rank

WHOLE_KINDS = frozenset({"meta", "spill"})
"""Kinds that are not read by offset: any change means reading them whole."""


class Round:
    """The state of one round. `free` are files on disk that no checkpoint answers to yet; `settled` the ids that have
    their file, `held` those of which this round cannot tell (not looked at, vanished meanwhile, unreadable)."""

    def __init__(self, memory: Memory, scan: Scan) -> None:
        self._memory = memory
        self._scan = scan
        self._free: dict[Name, Found] = {}
        self._there: dict[Name, Found] = {}
        self._settled: set[str] = set()
        self._held: set[str] = set()
        self._actions: list[Action] = []
        self._reads: dict[str, Read | Replace] = {}

    def decide(self) -> list[Action]:
        """Return what is to be done, what is to be read last."""
        for file_id in self._scan.same:
            self._settled.add(file_id)
            self._ask_for_whole(self._memory.by_id[file_id])
        for found in self._scan.found:
            if found.source.kind in WHOLE_KINDS:
                self._small(found)
            else:
                self._offer(found)
        for name, found in list(self._free.items()):
            self._stay(name, found)
        # what a file is compared with must itself be as it was: files of the same name are looked at too
        for found in list(self._free.values()):
            for file in self._memory.living(found.source):
                if file.id not in self._settled and self._bring(file.agent, file.path, source_of(file)):
                    self._stay((file.agent, file.path), self._there[file.agent, file.path])
        self._free = dict(sorted(self._free.items(), key=lambda item: _order(item[1])))
        # a checkpoint without its file may live on in a copy of it, wherever that lies
        for copy in self._memory.copies_of(file.id for file in self._lost()):
            self._bring(copy.source.agent, str(copy.source.path), copy.source)
        for name, found in list(self._free.items()):
            self._move(name, found)
        for name, found in list(self._free.items()):
            self._replace(name, found)
        for name, found in list(self._free.items()):
            self._rewritten(name, found)
        for name, found in list(self._free.items()):
            if found.stat.size and not self._is_copy(name, found):
                self._begin(found)
        for file in self._lost():
            self._memory.bury(file)
            self._actions.append(Gone(file))
        return [*self._actions, *self._reads.values()]

    def _offer(self, found: Found) -> None:
        name = (found.source.agent, str(found.source.path))
        self._free[name] = self._there[name] = found

    def _bring(self, agent: str, path: str, source: SourceFile) -> bool:
        """Take a file into the round that the scan did not look at; return whether it is there."""
        if (agent, path) in self._there or self._scan.covers(path):
            return False
        stat = _stat(path)
        if stat is None:
            return False
        self._offer(Found(source, stat))
        return True

    def _lost(self) -> list[StoredFile]:
        """Return the checkpoints of files held to be on disk that were looked for and not found."""
        return [
            f
            for f in self._concerned()
            if not f.deleted and f.id not in self._settled and f.id not in self._held and self._scan.covers(f.path)
        ]

    def _concerned(self) -> Iterable[StoredFile]:
        """Return the checkpoints that the scan can have looked for: all of them, unless it looked at files alone."""
        if self._scan.flat:
            return self._memory.by_id.values()
        there = {path for _, path in self._there}
        files: list[StoredFile] = []
        for path in self._scan.covered:
            known = self._memory.all_at(path)
            if not known and path not in there:
                return self._memory.by_id.values()  # a directory, or it was one
            files += known
        return files

    def _small(self, found: Found) -> None:
        """A file that is read whole: every new state of it is read."""
        source, stat = found.source, found.stat
        file = self._memory.at(source.agent, str(source.path))
        if file is None:
            file = self._memory.new(source, stat)
        elif file.deleted:
            file.deleted = False
            self._actions.append(Back(file))
        elif _state(file) == stat:
            if self._memory.doubtful(file.path):
                self._memory.note_time(file.path, stat)
                self._reads[file.id] = Read(file, "changed")
            self._settled.add(file.id)
            return
        self._settled.add(file.id)
        self._reads[file.id] = Read(file, "changed" if file.mtime_ns else "new")

    def _stay(self, name: Name, found: Found) -> None:
        """Rule 1: the same path, and the text goes on from what was read."""
        file = self._memory.at(*name)
        if file is None or file.kind != found.source.kind:
            return
        stat = found.stat
        if self._memory.unchanged(file, stat):
            self._settle(name, found, file, certain=True)
        elif stat.size and self._fits(name, found, file, whole=_other(file, stat)):
            self._settle(name, found, file)

    def _move(self, name: Name, found: Found) -> None:
        """Rule 2: another path, and the text goes on from what was read."""
        if not found.stat.size:
            return
        for file in self._memory.like(found):
            if file.id in self._settled or file.id in self._held or self._still_there(file):
                continue
            if self._fits(name, found, file, whole=(file.dev, file.ino) != (found.stat.dev, found.stat.ino)):
                self._settle(name, found, file)
                return
            if name not in self._free:
                return

    def _still_there(self, file: StoredFile) -> bool:
        """Return whether a checkpoint that this scan did not look for has its file where it was."""
        if file.deleted or self._scan.covers(file.path):
            return False
        try:
            stat = Stat.of(os.stat(file.path))
            there = _state(file) == stat or bool(stat.size and matches(Path(file.path), file, whole=_other(file, stat)))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, RecallError):
            there = True  # nothing can be said; it is not for another path to take
        if there:
            self._held.add(file.id)
        return there

    def _replace(self, name: Name, found: Found) -> None:
        """Rule 4: a known path with another text."""
        file = self._memory.at(*name)
        if file is None or file.id in self._settled or file.kind != found.source.kind:
            return
        del self._free[name]
        if not found.stat.size:
            if not file.deleted:
                self._settled.add(file.id)
                self._refresh(file, found.stat, _state(file))
            return
        self._settled.add(file.id)
        if file.deleted:
            file.deleted = False
            self._actions.append(Back(file))
        self._memory.release(file.id)
        self._reads[file.id] = Replace(file)

    def _rewritten(self, name: Name, found: Found) -> None:
        """Rule 5: a file that was put away, or fetched back, with another text than it had."""
        source, stat = found.source, found.stat
        if not stat.size:
            return
        for file in self._memory.like(found):
            if file.id in self._settled or file.id in self._held or self._still_there(file):
                continue
            if file.logical != source.logical or not self._put_away(file, found):
                continue
            self._read_anew(name, found, file)
            return

    def _read_anew(self, name: Name, found: Found, file: StoredFile) -> None:
        """Give a checkpoint a file at another path with another text."""
        del self._free[name]
        self._settled.add(file.id)
        if file.deleted:
            self._actions.append(Back(file))
        was = file.path
        self._memory.young.pop(was, None)
        self._memory.release(file.id)
        self._memory.place(file, found.source, found.stat)
        self._actions.append(Move(file, found.source, was))
        self._reads[file.id] = Replace(file)

    def _put_away(self, file: StoredFile, found: Found) -> bool:
        """Return whether the way from a checkpoint's path to where a file was found is one that agents take files:
        compressed, into an archive, or back. A name alone does not make it that file: Claude Code goes on with one
        session's id in another project's directory, and what the first one said is not to go then."""
        root, path = str(found.source.root), str(found.source.path)
        if not file.deleted and (file.dev, file.ino) == (found.stat.dev, found.stat.ino):
            return True
        return put_away(file, root, path)

    def _is_copy(self, name: Name, found: Found) -> bool:
        """Rule 3: one of several files that say the same, or of a plain file and its compressed form that do not; settle
        which of them is read."""
        known = self._memory.copies.get(name)
        living = self._memory.living(found.source)
        if known is not None and known.found.stat == found.stat and _holds(known, living):
            return True
        self._memory.copies.pop(name, None)
        for file in living:
            if file.id not in self._settled and file.id not in self._held and self._scan.covers(file.path):
                continue  # it is lost
            try:
                relation = compare(found.source.path, Path(file.path))
            except FileNotFoundError:
                continue
            except (OSError, RecallError) as error:
                self._trouble(name, error)
                return True
            if not relation.agree:
                if beside(name[1], file.path):
                    self._plain_counts(name, found, file)
                    return True
                continue
            mine, theirs = str(found.source.path), file.path
            better = rank(mine, str(found.source.root)) < rank(theirs, file.root)
            if relation.first > relation.second or (relation.first == relation.second and better):
                self._take_over(name, found, file)
            else:
                self._memory.copies[name] = Copy(found, file.id)
            return True
        return False

    def _plain_counts(self, name: Name, found: Found, file: StoredFile) -> None:
        """Of a file that is read and another one beside it, of which one is compressed, read the plain one."""
        if found.source.compressed:
            self._memory.copies[name] = Copy(found, file.id, beside=True)
            return
        was = (file.agent, file.path)
        there = self._found_at(was, file)
        self._read_anew(name, found, file)
        if there is not None:
            self._memory.copies[was] = Copy(there, file.id, beside=True)

    def _take_over(self, name: Name, found: Found, file: StoredFile) -> None:
        """Read `found` from now on, and keep the file that was read so far in mind as a copy of it."""
        was = (file.agent, file.path)
        there = self._found_at(was, file)
        self._settle(name, found, file)
        if there is not None:
            self._memory.copies[was] = Copy(there, file.id)

    def _found_at(self, name: Name, file: StoredFile) -> Found | None:
        """Return what lies where a checkpoint has its file, whether or not the scan looked at it."""
        there = self._there.get(name)
        if there is None and (stat := _stat(file.path)) is not None:
            there = Found(source_of(file), stat)
        return there

    def _begin(self, found: Found) -> None:
        """Rule 6: a new file."""
        file = self._memory.new(found.source, found.stat)
        self._settled.add(file.id)
        self._reads[file.id] = Read(file, "new")

    def _fits(self, name: Name, found: Found, file: StoredFile, *, whole: bool) -> bool:
        """Return whether the text of `found` goes on from the checkpoint; what cannot be read is out of this round."""
        if not found.source.compressed and found.stat.size < file.offset:
            return False
        try:
            return matches(found.source.path, file, whole=whole)
        except FileNotFoundError:
            self._free.pop(name, None)  # it went since the scan; the next look finds it where it is then
        except (OSError, RecallError) as error:
            self._trouble(name, error)
        there = self._memory.at(*name)
        if there is not None:
            self._held.add(there.id)
        return False

    def _trouble(self, name: Name, error: OSError | RecallError) -> None:
        self._free.pop(name, None)
        self._actions.append(trouble(name[1], error))

    def _settle(self, name: Name, found: Found, file: StoredFile, *, certain: bool = False) -> None:
        """Give a checkpoint its file. `certain`: nothing of the stat has changed, and it can be trusted."""
        stat = found.stat
        del self._free[name]
        self._memory.copies.pop(name, None)
        self._settled.add(file.id)
        was, before = file.path, _state(file)
        moved = file.mtime_ns != stat.mtime_ns or (file.dev == stat.dev and file.ino != stat.ino)
        doubt = file.offset > 0 and file.size == stat.size and moved
        if not certain:
            if file.deleted:
                self._actions.append(Back(file))
            if was != name[1]:
                self._memory.young.pop(was, None)
                self._memory.place(file, found.source, stat)
                self._actions.append(Move(file, found.source, was))
                if file.id in self._reads and isinstance(self._reads[file.id], Replace):
                    return
            else:
                self._memory.place(file, found.source, stat)
            changed = (before.size, before.mtime_ns) != (stat.size, stat.mtime_ns)
            young = self._memory.doubtful(file.path)
            if (changed or young) and (file.compressed or stat.size > file.offset):
                self._reads[file.id] = Read(file, "grown" if file.mtime_ns else "new")
                if file.mtime_ns:
                    self._memory.note_growth(file)
            else:
                self._refresh(file, stat, before)
        if doubt:
            file.verified = False
            self._memory.unchecked.add(file.id)
            self._memory.told.discard(file.id)
        self._ask_for_whole(file)

    def _ask_for_whole(self, file: StoredFile) -> None:
        if file.id in self._memory.unchecked and file.id not in self._memory.told:
            self._memory.told.add(file.id)
            self._actions.append(Whole(file))

    def _refresh(self, file: StoredFile, stat: Stat, before: Stat) -> None:
        self._memory.seen(file, stat)
        if before != stat:
            self._actions.append(Look(file))


def source_of(file: StoredFile) -> SourceFile:
    """Return what a checkpoint says of its file. `parent` is not kept: only `Source.classify` tells it."""
    return SourceFile(
        agent=file.agent,
        root=Path(file.root),
        path=Path(file.path),
        kind=file.kind,  # type: ignore[arg-type]  # the index holds what a SourceFile said
        session=file.session,
        logical=file.logical,
        compressed=file.compressed,
    )


def trouble(path: str, error: OSError | RecallError) -> Trouble:
    """Return the action that tells of an error."""
    text = (error.strerror or str(error)) if isinstance(error, OSError) else error.message
    return Trouble(Path(path), text)


def _holds(copy: Copy, living: Iterable[StoredFile]) -> bool:
    """Return whether the file that a copy is one of is still there, and beside it where that is all they share."""
    path = str(copy.found.source.path)
    return any(f.id == copy.of and (not copy.beside or beside(path, f.path)) for f in living)


def _order(found: Found) -> tuple[bool, bool, str]:
    return rank(str(found.source.path), str(found.source.root))


def _state(file: StoredFile) -> Stat:
    return Stat(file.dev, file.ino, file.size, file.mtime_ns)


def _other(file: StoredFile, stat: Stat) -> bool:
    """Return whether the whole prefix is to be compared at once: another inode, and another state.

    Some network file systems give a file a new inode number now and then; its size and mtime stay.
    """
    return file.ino != stat.ino and (file.size, file.mtime_ns) != (stat.size, stat.mtime_ns)


def _stat(path: str) -> Stat | None:
    """Return the stat of a path, or None where there is nothing to be seen."""
    try:
        return Stat.of(os.stat(path))
    except OSError:
        return None
