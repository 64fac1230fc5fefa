"""What earlier sessions worked out, made up: a pool that runs dry, a socket that cannot be bound, a tariff."""

from __future__ import annotations

from pathlib import Path

from made.transcript import Step

POOL_CURE = "stream_rows"
"""A word that occurs in the cure alone."""
POOL_ASKED = "the invoice export fails with a QueuePool limit again since the stocktaking"

SOCKET = (
    Step("user", "start the worker"),
    Step("shell", "Error: cannot bind lantern socket :8123", "make up", exit_status=1),
    Step("edit", "ok", "compose.yml", new="lantern: {network_mode: host}"),
    Step("shell", "up", "make up"),
    Step("assistant", "The lantern runs in the host's network now."),
)
SOCKET_CURE = "network_mode"
# One agent loses the output of a command that ends at once.
SOCKET_FAILS = "echo 'Error: cannot bind lantern socket :9000' >&2; sleep 0.3; exit 3"

TARIFF_LINE = "RATE = 3"
TARIFF_WHY = "raise the tariff for parcels"


def tariff(path: Path) -> tuple[Step, ...]:
    """A change of the file at `path`."""
    return (Step("user", TARIFF_WHY), Step("edit", "ok", str(path), new=TARIFF_LINE), Step("assistant", "Raised."))
