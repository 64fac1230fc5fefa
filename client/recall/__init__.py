"""recall: the thin client of recalld.

    import recall

    with recall.connect() as client:
        for hit in client.search("cache invalidation")["hits"]:
            print(hit["session"]["title"])

Importing this package costs next to nothing: the names below are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from recall.aio import AsyncClient, connect_async
    from recall.client import Client, connect
    from recall.errors import DaemonUnreachable, RecallError, RequestError

__all__ = [
    "AsyncClient",
    "Client",
    "DaemonUnreachable",
    "RecallError",
    "RequestError",
    "__version__",
    "connect",
    "connect_async",
]

_HOME_OF = {
    "AsyncClient": "recall.aio",
    "Client": "recall.client",
    "DaemonUnreachable": "recall.errors",
    "RecallError": "recall.errors",
    "RequestError": "recall.errors",
    "connect": "recall.client",
    "connect_async": "recall.aio",
}


def __getattr__(name: str) -> Any:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'recall' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value
