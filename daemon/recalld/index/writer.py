"""The writing side of one index directory: one process, one `IndexWriter`, for its whole life."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import tantivy

from recall.errors import IndexFailure
from recalld.index.documents import Stored, document
from recalld.index.reader import Snapshot
from recalld.index.schema import build_schema, register_tokenizers, term_of

HEAP_BYTES = 36_000_000
"""What Tantivy may hold before it writes a segment. 32 to 48 MB made no difference in speed; memory follows it."""

THREADS = 1
"""Tantivy's indexing threads. Two took a quarter off the time alone, but the parser needs the second core."""

_COLLECT_EVERY = 64
"""Commits between two collections of files that no segment names any more."""


class IndexWriter:
    """Adds, replaces and deletes documents; nothing is visible or lasting before `commit`.

    Any failure of Tantivy raises IndexFailure and leaves the writer unusable: the process is to be restarted, and goes
    on from the last commit's checkpoints.
    """

    def __init__(self, path: Path, *, heap_bytes: int = HEAP_BYTES, patience: float = 0.0) -> None:
        """Open or create the index at `path`. A writer that died a moment ago may still hold the directory's lock:
        `patience` is how many seconds to wait for it."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        until = time.monotonic() + patience
        try:
            self._index = tantivy.Index(build_schema(), str(path), reuse=True)
            register_tokenizers(self._index)
            self._index.config_reader("manual", 0)
            while True:
                try:
                    self._writer = self._index.writer(heap_bytes, THREADS)
                    break
                except ValueError as error:
                    if "Lock" not in str(error) or time.monotonic() > until:
                        raise
                    time.sleep(0.05)
            self._writer.garbage_collect_files()
        except (ValueError, OSError) as error:
            raise IndexFailure(f"cannot open the index at {path} for writing: {error}") from error
        self._schema = build_schema()
        self._changed = False
        self._whole = False
        """What has been added since the last commit is a consistent state: it may be committed at any moment."""
        self._commits = 0
        self._flight: threading.Thread | None = None
        """A commit that is being made."""
        self._failure: BaseException | None = None
        self._snapshot = self._read()

    @property
    def snapshot(self) -> Snapshot:
        """The state of the last commit; waits for one that is being made, and makes one of what is `held`."""
        self.commit_held()
        self.settle()
        return self._snapshot

    def hold(self) -> None:
        """Note that what has been added so far is a consistent state, of which a commit can wait until somebody looks, or
        changes anything without saying `resume`.

        Every commit begins a segment, and small segments are merged: what is committed together costs less."""
        self._whole = True

    def resume(self) -> None:
        """Say that what comes next belongs to the next consistent state: what is held waits on, for both."""
        self._whole = False

    def commit_held(self) -> None:
        """Commit what is held, if anything is."""
        if self._changed and self._whole:
            self.commit()

    def _read(self) -> Snapshot:
        self._index.reload()
        return Snapshot(self._index.searcher(), self._schema, {})

    def add(self, stored: Stored) -> None:
        """Add a document whose key the index does not hold."""
        self.commit_held()
        self.settle()
        try:
            self._writer.add_document(document(stored))
        except (ValueError, OSError) as error:
            why = self._died_of(error)
            raise IndexFailure(f"a document could not be added: {why}") from why
        self._changed, self._whole = True, False

    def _died_of(self, error: Exception) -> Exception:
        """Return why the writing thread died: adding says only that it did, and the commit that must fail says why."""
        if "killed" in str(error):
            try:
                self._writer.commit()
            except (ValueError, OSError) as reason:
                return reason
        return error

    def replace(self, stored: Stored) -> None:
        """Put a document in the place of the one with its key, if there is one."""
        self.delete("key", stored.key)
        self.add(stored)

    def delete(self, name: str, value: str) -> None:
        """Delete the documents added so far that have this tag or id."""
        self.commit_held()
        self.settle()
        try:
            self._writer.delete_documents_by_term(*term_of(name, value))
        except (ValueError, OSError) as error:
            raise IndexFailure(f"documents could not be deleted: {error}") from error
        self._changed, self._whole = True, False

    def delete_all_of(self, queries: Sequence[tantivy.Query]) -> None:
        """Delete the documents added so far that match every one of `queries`."""
        self.commit_held()
        self.settle()
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, q) for q in queries])
        try:
            self._writer.delete_documents_by_query(query)
        except (ValueError, OSError) as error:
            raise IndexFailure(f"documents could not be deleted: {error}") from error
        self._changed, self._whole = True, False

    def commit(self, *, wait: bool = True) -> None:
        """Make everything so far visible and lasting. Without `wait`, return at once and go on in a thread: whatever is
        asked of the writer or its snapshot next waits until it is done, or raises what it failed with."""
        self.settle()
        if not self._changed:
            return
        self._changed = False
        self._flight = threading.Thread(target=self._commit, name="commit")
        self._flight.start()
        if wait:
            self.settle()

    def _commit(self) -> None:
        try:
            self._writer.commit()
            self._commits += 1
            if self._commits % _COLLECT_EVERY == 0:
                self._writer.garbage_collect_files()
        except BaseException as failure:  # noqa: BLE001  # a panic among them: raised where it is waited for
            self._failure = failure

    @property
    def settled(self) -> bool:
        """No commit is being made; `settle` returns at once."""
        return self._flight is None or not self._flight.is_alive()

    def settle(self) -> None:
        """Wait for a commit that is being made; raise IndexFailure, or a panic as it is, where it failed."""
        if self._flight is None:
            return
        self._flight.join()
        self._flight = None
        failure, self._failure = self._failure, None
        if isinstance(failure, ValueError | OSError):
            raise IndexFailure(f"the index could not be committed: {failure}") from failure
        if failure is not None:
            raise failure
        self._snapshot = self._read()

    def collect(self) -> None:
        """Delete the files of segments that merges have replaced."""
        self.settle()
        self._writer.garbage_collect_files()

    def close(self) -> None:
        """Wait for running merges and let go of the directory's lock. What was not committed is gone."""
        self.settle()
        self._writer.wait_merging_threads()
