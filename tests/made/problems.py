"""Problems and their cures, as sessions tell them."""

from __future__ import annotations

from made.transcript import Step

POOL = (
    Step("user", "the invoice export keeps dying at night, something about connections"),
    Step(
        "shell",
        "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out",
        "make export",
        exit_status=2,
    ),
    Step("assistant", "The pool is exhausted: every row opens its own session inside the loop."),
    Step("edit", "The file has been updated.", "src/export/rows.py", new="with session_scope() as s: stream_rows(s)"),
    Step("shell", "exported 4800 rows", "make export"),
    Step("assistant", "One session for the whole export now, and the rows are streamed in chunks."),
)
