"""The MCP server of one connection: the table of tools, and sessions as resources, on the SDK's low-level server."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from recall import __version__
from recall.clean import clean_line
from recall.errors import RecallError
from recalld import logs
from recalld.mcp.asking import Asking
from recalld.mcp.resources import list_resources, list_templates, read_resource
from recalld.mcp.text import cut
from recalld.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS, Tool

NAME = "recall"
"""The server's name, which the agents put before its tools: `mcp__recall__fix`. Their transcripts are told by it."""

_VALIDATORS = {tool.name: Draft202012Validator(tool.takes) for tool in TOOLS}

Context = ServerRequestContext[Any, Any]


def declared(tool: Tool) -> types.Tool:
    """Return a tool as it is listed. None changes anything, and none reaches beyond this machine."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def argument_fault(validator: Draft202012Validator, arguments: dict[str, Any]) -> str | None:
    """Return what is wrong with a call's arguments, in a line, or None."""
    fault = best_match(validator.iter_errors(arguments))
    if fault is None:
        return None
    where = ".".join(str(part) for part in fault.absolute_path)
    return cut(clean_line(f"{where}: {fault.message}" if where else fault.message), 300)


def failed(message: str) -> types.CallToolResult:
    """Return a tool's error: the model reads it and can do better."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


async def call(asking: Asking, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Return a tool's result. What goes wrong is a result too, in one line that says what to do."""
    tool = BY_NAME.get(name)
    if tool is None:
        return failed(f"there is no tool {name[:50]!r}; there are: {', '.join(BY_NAME)}")
    fault = argument_fault(_VALIDATORS[name], arguments)
    if fault is not None:
        return failed(f"{name}: {fault}")
    try:
        answer = await tool.call(asking, arguments)
    except RecallError as error:
        logs.info("mcp_tool_failed", tool=name, code=error.code)
        return failed(cut(clean_line(f"{name}: {error.message}"), 500))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)], structured_content=answer.structured
    )


def tools_server(asking: Asking) -> Server:
    """Return a server that answers for `asking`."""

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[declared(tool) for tool in TOOLS])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await call(asking, params.name, params.arguments or {})

    async def resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await list_resources(asking, params.cursor if params is not None else None)

    async def templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return list_templates()

    async def read(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await read_resource(asking, params.uri)

    return Server(
        NAME,
        version=__version__,
        title="Recall of earlier sessions",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources,
        on_list_resource_templates=templates,
        on_read_resource=read,
    )
