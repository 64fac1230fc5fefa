"""What a method is to the socket server, whatever it does. The server knows no method by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from socket import socket
from typing import Any, Generic, Literal, Protocol, TypeVar

from recall.errors import RecallError
from recalld.server.params import Param

Result = dict[str, Any]
Params = dict[str, Any]


class Serves(Protocol):
    """What the server asks of the object that it hands to handlers."""

    def is_ready(self) -> bool:
        """Tell whether there is an index to answer from."""
        ...

    async def wait_ready(self) -> None:
        """Return when there is."""
        ...

    def late(self, method: str) -> RecallError:
        """Return the error for a request whose deadline has passed: why it took so long."""
        ...


S = TypeVar("S", bound=Serves)
Send = Callable[[Result], Awaitable[None]]
"""Sends one `item` of a streamed reply; returns when the client has taken what was sent before."""
TakeOver = Callable[[S, Params, socket, bytes], None]


@dataclass(frozen=True, slots=True)
class Method(Generic[S]):
    """One method of the wire.

    `inline` runs in the event loop and must take well under a millisecond; `pool` runs in a thread; `task` is a
    coroutine function that gets `send` as well.
    """

    kind: Literal["inline", "pool", "task"]
    call: Callable[[S, Params], Result] | None = None
    run: Callable[[S, Params, Send], Awaitable[Result]] | None = None
    params: Mapping[str, Param] = field(default_factory=dict)
    deadline: float = 10.0
    """Seconds, where the request names none."""
    needs_index: bool = False
    """It waits, within its deadline, until there is an index."""
    pages: str | None = None
    """Name of the list in its result that may be cut to fit into a frame."""
    take_over: TakeOver[S] | None = None
    """After the reply the connection speaks something else: this gets the request's parameters, the socket, which is
    then its own to close, and the bytes that the client has sent behind its request."""
    inline_limit: int | None = None
    """An `inline` method with a larger `limit` than this goes to the pool."""


def inline(
    call: Callable[[S, Params], Result],
    params: Mapping[str, Param] | None = None,
    *,
    needs_index: bool = False,
    pages: str | None = None,
    inline_limit: int | None = None,
) -> Method[S]:
    """Return a method that runs in the event loop."""
    return Method("inline", call, params=params or {}, needs_index=needs_index, pages=pages, inline_limit=inline_limit)


def pool(
    call: Callable[[S, Params], Result],
    params: Mapping[str, Param] | None = None,
    *,
    needs_index: bool = False,
    pages: str | None = None,
    deadline: float = 10.0,
) -> Method[S]:
    """Return a method that runs in a thread."""
    return Method("pool", call, params=params or {}, needs_index=needs_index, pages=pages, deadline=deadline)


def task(
    run: Callable[[S, Params, Send], Awaitable[Result]],
    params: Mapping[str, Param] | None = None,
    *,
    deadline: float = 10.0,
    take_over: TakeOver[S] | None = None,
) -> Method[S]:
    """Return a method that is a coroutine function, and may stream, or take the connection over at its end."""
    return Method("task", run=run, params=params or {}, deadline=deadline, take_over=take_over)
