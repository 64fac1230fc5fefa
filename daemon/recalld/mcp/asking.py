"""Asking the daemon on behalf of one MCP connection: which session asks, and where it works."""

from __future__ import annotations

import time
from typing import Any

from recall.aio import AsyncClient
from recall.errors import RecallError

LOOK_AGAIN = 60.0
"""Seconds that a guess of the asking session stands: an agent may begin another in the same process."""
_EARLIER_MS = 5_000
"""Milliseconds before the relay's start from which a session can be the one that asks: agents start both at once."""


class Asking:
    """`params` are those of the `mcp` request: `agent`, `session`, `cwd`, `since`, each where the relay knows it."""

    def __init__(self, client: AsyncClient, params: dict[str, Any]) -> None:
        self._client = client
        self.agent: str | None = params.get("agent")
        self.cwd: str | None = params.get("cwd")
        self._session: str | None = params.get("session")
        self._since: int | None = params.get("since")
        self._told = self._session is not None
        self._looked = float("-inf")

    async def session(self) -> str | None:
        """Return the id of the session that asks, or None where it is not known.

        An agent that tells its servers nothing is taken to be in the newest session of its kind in this directory that
        was written to after the relay's start. Without one none is left out: an earlier one may be just what is sought.
        """
        if self._told or self.agent is None or self.cwd is None or self._since is None:
            return self._session
        if time.monotonic() - self._looked > LOOK_AGAIN:
            self._looked = time.monotonic()
            found = await self._client.sessions(
                agent=self.agent, project=self.cwd, since=self._since - _EARLIER_MS, limit=1
            )
            self._session = found["sessions"][0]["id"] if found["sessions"] else None
        return self._session

    def told(self, session: str) -> None:
        """Take `session` as the one that asks: its hooks say so, and know better than the environment it began in."""
        self._session, self._told = session, True

    async def ask(self, method: str, params: dict[str, Any], timeout: float | None = None) -> dict[str, Any]:
        """Return the daemon's answer; raise RecallError. What is None in `params` is left out."""
        given = {name: value for name, value in params.items() if value is not None}
        if self.cwd is not None:
            given.setdefault("cwd", self.cwd)
        answer = await self._client.request(method, given, timeout)
        if not isinstance(answer, dict):
            raise RecallError(f"the daemon answered `{method}` with something other than a map")
        return answer
