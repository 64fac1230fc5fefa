"""Sessions as resources: `recall://session/<id>`, each the text of one session along its live branch."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from recall.clean import clean_line
from recall.errors import RecallError
from recalld.mcp import text
from recalld.mcp.asking import Asking

PREFIX = "recall://session/"
MIME = "text/plain"
PAGE = 50
"""Sessions of one page of the list."""
MAX_BYTES = 64 * 1024
"""UTF-8 bytes of one resource: a client puts it into the model's context whole."""
_RECORDS = 400


async def list_resources(asking: Asking, cursor: str | None) -> types.ListResourcesResult:
    """Return a page of sessions, this directory's project first asked, newest first."""
    if cursor is not None and not cursor.isdecimal():
        raise MCPError(code=types.INVALID_PARAMS, message="cursor: must be one that a page gave")
    answer = await _asked(asking, "sessions", {"limit": PAGE, "offset": int(cursor or 0)})
    following = answer.get("next_offset")
    return types.ListResourcesResult(
        resources=[_resource(session) for session in answer["sessions"]],
        next_cursor=None if following is None else str(following),
    )


def _resource(session: dict[str, Any]) -> types.Resource:
    title = clean_line(session.get("title") or "") or session["id"]
    return types.Resource(
        uri=PREFIX + session["id"],
        name=session["id"],
        title=text.cut(title, 200),
        description=text.cut(text.place(session), 400),
        mime_type=MIME,
    )


def list_templates() -> types.ListResourceTemplatesResult:
    """Return the one template."""
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template=PREFIX + "{id}",
                name="session",
                title="One earlier session",
                description="The text of a session by its id, or a unique beginning of it.",
                mime_type=MIME,
            )
        ]
    )


async def read_resource(asking: Asking, uri: str) -> types.ReadResourceResult:
    """Return a session's text; raise MCPError where there is none of that name."""
    if not uri.startswith(PREFIX) or not uri[len(PREFIX) :]:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no such resource; sessions are at {PREFIX}<id>")
    answer = await _asked(asking, "show", {"session": uri[len(PREFIX) :], "limit": _RECORDS})
    head = f"{text.place(answer['session'])}\n{answer['total']} records"
    blocks = [text.record_block(record, 4000) for record in answer["records"]]
    said = text.framed("session", head, blocks, most=MAX_BYTES)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=MIME, text=said)])


async def _asked(asking: Asking, method: str, params: dict[str, Any]) -> dict[str, Any]:
    try:
        return await asking.ask(method, params)
    except RecallError as error:
        code = types.INVALID_PARAMS if error.code in ("not_found", "ambiguous") else types.INTERNAL_ERROR
        raise MCPError(code=code, message=text.cut(clean_line(error.message), 300)) from error
