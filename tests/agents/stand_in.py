"""A model for the agents' command lines: an HTTP server on loopback that does what a test has laid out for it.

It speaks the part of three APIs that the agents need: chat completions (Qwen Code), responses (Codex), messages (Claude
Code). A test gives the moves of one turn; each request of that turn takes the next one, and what was asked is kept.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agents.moves import Ask, Call, Move, Say, Tool, play

PATIENCE = 120.0
"""Seconds that a request is held at most, where a move says to wait."""

Event = tuple[str | None, dict[str, Any]]


class StandIn(ThreadingHTTPServer):
    """The server, in a thread of its own while the context lasts."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._asked: list[tuple[str, str]] = []
        self._prompt = ""
        self._moves: list[Move] = []
        self._looked_up: set[str] = set()
        self._waits: list[Ask] = []

    def turn(self, prompt: str, *moves: Move) -> None:
        """Lay out the moves of the turn that answers `prompt`; what was asked before is forgotten."""
        with self._lock:
            self._asked.clear()
            self._prompt, self._moves = prompt, list(moves)
            self._looked_up.clear()
            self._waits.clear()

    def requests(self) -> list[str]:
        """Return the text of each request of this turn's conversation: all strings in it, a line each."""
        with self._lock:
            return [text for kind, text in self._asked if kind == "turn"]

    def everything(self) -> str:
        """Return the text of all requests, also of those that agents make beside the conversation."""
        with self._lock:
            return "\n".join(text for _, text in self._asked)

    def decide(self, body: dict[str, Any], tools: dict[str, Tool]) -> Call | str:
        """Return the answer to a request: the next move, where it is one of the turn's and there is one."""
        text = "\n".join(strings(body))
        with self._lock:
            mine = bool(tools) and self._prompt in text
            self._asked.append(("turn" if mine else "beside", text))
            if not mine or not self._moves:
                return "That is all."
            move = self._moves[0]
            answer, done = play(move, tools, text, self._looked_up, self._waits)
            if done:
                self._moves.pop(0)
        if isinstance(move, Say) and move.when is not None:
            move.asked.set()
            move.when.wait(PATIENCE)
        return answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of an agent that hangs up in the middle of an answer."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def __enter__(self) -> StandIn:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def strings(value: Any) -> Iterator[str]:
    """Yield every string within a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


class Handler(BaseHTTPRequestHandler):
    """One request: which API it is of, what tools it offers, and the answer in that API's form."""

    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, *_: object) -> None:
        """Requests are kept, not printed."""

    def do_HEAD(self) -> None:
        self.whole({})

    def do_GET(self) -> None:
        self.whole({"object": "list", "data": [{"id": "stand-in", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        api = re.search(r"/(chat/completions|responses|messages)(?:$|\?)", self.path)
        if api is None:
            self.whole({"input_tokens": 100})
            return
        offered, written = APIS[api[1]]
        answer = self.server.decide(body, offered(body))
        whole, events = written(answer, next(self.server.numbers), body.get("model"))
        if body.get("stream"):
            self.stream(events, done=api[1] == "chat/completions")
        else:
            self.whole(whole)

    def whole(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, events: list[Event], *, done: bool) -> None:
        """Send server-sent events; they end with the connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, data in events:
            named = f"event: {name}\n" if name else ""
            given = json.dumps({"type": name} | data if name else data)
            self.wfile.write(f"{named}data: {given}\n\n".encode())
        if done:
            self.wfile.write(b"data: [DONE]\n\n")


# -- what is offered ---------------------------------------------------------------------------------


def _chat_tools(body: dict[str, Any]) -> dict[str, Tool]:
    names = [tool["function"]["name"] for tool in body.get("tools") or [] if "function" in tool]
    return {name: Tool(name) for name in names}


def _responses_tools(body: dict[str, Any]) -> dict[str, Tool]:
    found = {}
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                found[f"{tool['name']}__{inner['name']}"] = Tool(inner["name"], namespace=tool["name"])
        elif "name" in tool:
            found[tool["name"]] = Tool(tool["name"], free_text=tool.get("type") == "custom")
    return found


def _messages_tools(body: dict[str, Any]) -> dict[str, Tool]:
    return {tool["name"]: Tool(tool["name"]) for tool in body.get("tools") or [] if "name" in tool}


# -- what is answered: the whole, and the same as a stream of events ---------------------------------


def _chat(answer: Call | str, number: int, model: Any) -> tuple[dict[str, Any], list[Event]]:
    called = isinstance(answer, Call)
    message: dict[str, Any] = {"role": "assistant", "content": None if called else answer}
    if isinstance(answer, Call):
        function = {"name": answer.tool.name, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    head = {"id": f"chat_{number}", "created": 1, "model": model}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    finish = "tool_calls" if called else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    whole = head | {"object": "chat.completion", "choices": [choice], "usage": usage}
    part = head | {"object": "chat.completion.chunk"}
    said = part | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    end = part | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}
    return whole, [(None, said), (None, end)]


def _responses(answer: Call | str, number: int, model: Any) -> tuple[dict[str, Any], list[Event]]:
    item: dict[str, Any]
    if isinstance(answer, str):
        text = {"type": "output_text", "text": answer, "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    else:
        kind, given = "function_call", {"arguments": json.dumps(answer.arguments)}
        if answer.tool.free_text:
            kind, given = "custom_tool_call", {"input": str(answer.arguments)}
        item = {"type": kind, "id": f"item_{number}", "call_id": f"call_{number}", "name": answer.tool.name} | given
        if answer.tool.namespace is not None:
            item["namespace"] = answer.tool.namespace
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 110,
    }
    whole = {"id": f"resp_{number}", "object": "response", "model": model, "status": "completed"}
    whole |= {"output": [item], "usage": usage}
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    empty: dict[str, Any] = item | ({"content": []} if "content" in item else {})
    return whole, [
        ("response.created", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": empty}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]


def _messages(answer: Call | str, number: int, model: Any) -> tuple[dict[str, Any], list[Event]]:
    block: dict[str, Any]
    empty: dict[str, Any]
    if isinstance(answer, str):
        block, empty = {"type": "text", "text": answer}, {"text": ""}
        delta, stop = {"type": "text_delta", "text": answer}, "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": answer.tool.name, "input": answer.arguments}
        empty = {"input": {}}
        delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}, "tool_use"
    usage = {"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [block]}
    whole |= {"stop_reason": stop, "stop_sequence": None, "usage": usage}
    return whole, [
        ("message_start", {"message": whole | {"content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": block | empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
        ("message_stop", {}),
    ]


APIS = {
    "chat/completions": (_chat_tools, _chat),
    "responses": (_responses_tools, _responses),
    "messages": (_messages_tools, _messages),
}
