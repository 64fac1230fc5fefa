"""One daemon for all tests that only ask; one of their own for those that end it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_kit import Client, User


@pytest.fixture(scope="module")
def asked() -> Iterator[User]:
    """A user whose daemon is up and has read everything."""
    with tempfile.TemporaryDirectory(prefix="rm-") as name:
        user = User(Path(name))
        user.start()
        yield user
        user.end()


@pytest.fixture(scope="module")
def client(asked: User) -> Iterator[Client]:
    """A client that has shaken hands."""
    with Client(asked) as client:
        client.handshake()
        yield client


@pytest.fixture
def user() -> Iterator[User]:
    """A user whose daemon does not run."""
    with tempfile.TemporaryDirectory(prefix="rm-") as name:
        user = User(Path(name))
        yield user
        user.end()
