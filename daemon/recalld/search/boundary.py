"""Where Tantivy's own failures become errors of this project."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from recall.errors import IndexFailure

P = ParamSpec("P")
R = TypeVar("R")


def guarded(question: Callable[P, R]) -> Callable[P, R]:
    """Make a question raise IndexFailure where Tantivy fails or panics.

    A panic arrives as pyo3's PanicException, which derives from BaseException and cannot be imported: it is told by
    name.
    """

    @wraps(question)
    def ask(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return question(*args, **kwargs)
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise IndexFailure("the index failed while answering; `recall doctor` says more") from error

    return ask
