"""What others say to us: frames on the wire, an agent's hooks, the lines of MCP, and a whole daemon's methods."""

from __future__ import annotations

import atexit
import json
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
from machine import Machine
from tests.fuzz import mutate
from tests.fuzz.draw import Draw
from tests.fuzz.target import Check, Target

from hooks.hooks_history import ASKED, OTHER, PROJECT, History
from made.problems import POOL
from recall import frame as context_frame
from recall import wire
from recall.clean import clean
from recall.errors import FrameTooLarge, ProtocolError
from recall.hooks import launch
from recall.mcp import relay
from recall.places import Places
from recalld.server.method import Method, inline, pool
from recalld.server.params import Param
from recalld.settings import HooksConfig
from search.search_store import NOW
from server.kit import Peer, running

AGENTS = ("claude-code", "codex", "qwen-code")


def _said(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {"said": params.get("text")}


METHODS: dict[str, Method[Any]] = {
    "echo": inline(
        _said,
        {"text": Param("text"), "texts": Param("texts"), "n": Param("int", high=5), "when": Param("time"), "map": Param("map")},
    ),
    "payload": inline(_said, {"payload": Param("payload", required=True)}),
    "slow": pool(_said, {"text": Param("text")}),
}


def _decoded(pieces: Sequence[bytes]) -> tuple[list[Any], str, bytes]:
    """Return what comes out of a decoder, the fault that ended it, and what is left."""
    decoder = wire.Decoder(limit=5000)
    found: list[Any] = []
    for piece in pieces:
        decoder.feed(piece)
        try:
            found += decoder
        except (FrameTooLarge, ProtocolError) as error:
            return found, error.code, b""
    return found, "", decoder.rest


def _frame(work: Path) -> Check:
    server = running(Places(work / "data", work / "run", work / "config.toml"), METHODS)
    path = server.__enter__()  # the process ends with it

    def check(data: bytes, server: object = server) -> None:  # which is kept from being collected
        draw = Draw(data)
        sizes = [1 + draw.byte() % 64 for _ in range(4)]
        raw = draw.rest()
        pieces, at = [], 0
        while at < len(raw):
            size = sizes[len(pieces) % 4]
            pieces.append(raw[at : at + size])
            at += size
        assert repr(_decoded(pieces)) == repr(_decoded([raw])), "the pieces' sizes matter"
        with Peer(path) as peer:
            with suppress(BrokenPipeError, ConnectionResetError):
                peer.raw(raw)
                peer.socket.shutdown(socket.SHUT_WR)
            while (reply := peer.receive()) is not None:
                assert reply.get("ok") is True or reply["error"]["code"] not in ("internal", "error"), reply
        with Peer(path) as peer:
            assert peer.ask("echo", {"text": "next"})["result"] == {"said": "next"}, "the next client is not served"

    return check


def _frames() -> Sequence[bytes]:
    requests: list[Any] = [
        {"v": 1, "id": 1, "method": "echo", "params": {"text": "a", "n": 3}},
        {"v": 1, "id": 2, "method": "echo", "params": {"texts": ["a"], "when": "2026-11-30T10:00:00Z", "map": {}}},
        {"v": 1, "id": 3, "method": "payload", "params": {"payload": b"\0{}"}, "deadline_ms": 5},
        {"v": 1, "id": 4, "method": "slow", "params": None},
        *({"v": 9, "id": 2**63, "method": "echo"}, {"id": "x"}, [1], {1: 2}, {"v": 1, "id": -1, "method": "no"}),
    ]
    frames = [len(p := msgpack.packb(one)).to_bytes(4, "big") + p for one in requests]
    odd = [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\1\0" + b"\x91" * 256, b"\0\0\0\5\xdd\xff\xff\xff\xff"]
    return [bytes(4) + one for one in [*frames, b"".join(frames), *odd]]


# -- hooks -------------------------------------------------------------------------------------------------------------

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop", "\0")
BUDGETS = (None, 0, 1, 300, 420, 2000, 2**20)


def _hook(work: Path) -> Check:
    history = History(work)
    for agent in AGENTS:
        history.session(*POOL, agent=agent)  # type: ignore[arg-type]  # the names are its own
        history.session(*OTHER, agent=agent, project="/home/ada/work/site")  # type: ignore[arg-type]
    snapshot = history.snapshot

    def check(data: bytes) -> None:
        draw = Draw(data)
        agent, event, budget = draw.pick(AGENTS), draw.pick(EVENTS), draw.pick(BUDGETS)
        cut = draw.number()
        payload = draw.rest()
        answer = history.engine.answer(snapshot, HooksConfig(budget_bytes=budget), agent, event, payload)
        if answer.output:
            said = json.loads(answer.output)["hookSpecificOutput"]
            text = said["additionalContext"]
            assert said["hookEventName"] == event
            assert budget is None or len(text.encode()) <= budget, "over its budget"
            assert text == clean(text), "what is handed to a model is not clean"
            assert text.startswith(context_frame.OPEN) and text.endswith(context_frame.CLOSE)
            assert text.count(context_frame.CLOSE) == 1 and text.count(context_frame.OPEN) == 1, "the frame is closed within"
            assert context_frame.strip(text) == ""
        _launcher(payload, cut)

    return check


def _launcher(payload: bytes, cut: int) -> None:
    whole = launch.is_whole(payload)
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        padded = len(payload) - len(payload.rstrip())
        assert whole or padded > 8, "a whole value is waited for"
        part = payload[: cut % (len(payload) + 1)]
        if launch.is_whole(part):
            assert isinstance(json.loads(part), dict), "half a value is sent"
    names = [payload[:4].decode("latin-1"), "Stop"]
    decoder = wire.Decoder()
    decoder.feed(launch.frame("hook", names, payload))
    (message,) = decoder
    assert message["params"]["payload"] == payload and message["params"]["event"] == "Stop"
    launch.output(payload)
    text = payload.decode("utf-8", "replace")
    reply = wire.pack({"id": 1, "ok": True, "result": {"output": text}})
    assert launch.output(reply) == text.encode(), "another answer"
    refused = wire.pack({"id": 1, "ok": False, "error": {"code": "x", "message": text}})
    assert launch.output(refused) == b"" or b"\xa2ok\xc3" in payload, "an error is printed"


def _hooks() -> Sequence[bytes]:
    base = {"session_id": "asks", "cwd": PROJECT, "transcript_path": "/x.jsonl", "prompt": ASKED, "submitted_prompt": ASKED}
    error = "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out"
    tool = {
        "tool_name": "Bash",
        "tool_input": {"command": "make export"},
        "tool_response": {"stdout": error, "exit": 2},
        "error": error,
    }
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/src/export/rows.py", "old_string": "a"}}
    patch = {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: src/export/rows.py\n"}}
    found = []
    for event in range(len(EVENTS)):
        for n, more in enumerate(({}, tool, edit, patch, {"source": "compact"}, {"agent_id": "x"})):
            found.append(bytes((0, n % 3, 0, event, 0, n, 0, 9)) + json.dumps(base | more).encode())
    return found


# -- MCP ---------------------------------------------------------------------------------------------------------------


def _relay(work: Path) -> Check:
    settings = {"lock": str(work / "lock"), "socket": str(work / "none"), "recall": ["/bin/false"]}

    def check(data: bytes) -> None:
        draw = Draw(data)
        search, greeted, size = draw.flag(), draw.flag(), 1 + draw.byte()
        raw = draw.rest()
        one = relay.Relay(settings, {}, {"profile": "context-search" if search else "tools"})
        one._greeted = greeted
        buffer, whole = bytearray(), []
        for at in range(0, len(raw), size):
            buffer += raw[at : at + size]
            whole += relay.lines(buffer)
        kept = [piece + b"\n" for piece in raw.split(b"\n")[:-1] if piece.strip()]
        assert (whole, bytes(buffer)) == (kept, raw.rpartition(b"\n")[2]), "lines are lost"
        for line in whole:
            one._said(line)
        messages = [message for line in whole for message in _messages(line)]
        if greeted:
            handed_on = b"".join(message for message in messages if message)
            assert bytes(one._to_daemon) == handed_on, "what an agent says is not handed on as it is"
        refusals = bytes(one._to_agent).split(b"\n")[:-1]
        assert len(refusals) == messages.count(b""), "what is no message is not answered"
        assert all("error" in json.loads(line, parse_constant=_no_constant) for line in refusals)
        one._to_agent.clear()
        waiting = dict(one._waiting)
        for key, request in waiting.items():
            one._answer_failed(key, request, relay.UNREACHABLE)
        answers = bytes(one._to_agent).split(b"\n")[:-1]
        assert len(answers) == len(waiting)
        for (key, _), answer in zip(waiting.items(), answers, strict=True):
            told = json.loads(answer, parse_constant=_no_constant)
            assert relay.key_of(told) == key, "the answer to another question"
        for line in whole:
            one._answered(line)
        for line in whole:
            text = line.decode("utf-8", "replace")
            found = relay.parse(text)
            assert found is None or relay.key_of(found) is None or relay.written(relay.key_of(found) or ("", ""))

    return check


def _messages(line: bytes) -> list[bytes]:
    """Return what is to be handed on of a line, b"" for each thing that is no message."""
    text = line.decode("utf-8", "replace")
    message = relay.parse(text)
    if message is None:
        parts = relay.elements(text) or [""]
        return [_messages(p.encode() + b"\n")[0] if relay.parse(p) is not None else b"" for p in parts]
    if "result" in message or "error" in message:
        return [line]
    asks = isinstance(message.get("method"), str) and ("id" not in message or relay.key_of(message) is not None)
    return [line if asks else b""]


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def _mcp() -> Sequence[bytes]:
    lines: list[Any] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 'a"b', "method": "tools/call", "params": {"name": "search", "arguments": {"query": "x"}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}},
        {"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        *(
            [1, 2],
            [],
            [{"id": 2, "method": "x"}, {"method": "y"}, 3],
            {"id": None, "method": "x"},
            {"id": True, "method": "x"},
            {"id": [], "method": []},
        ),
    ]
    texts = [json.dumps(one).encode() + b"\n" for one in lines]
    return [b"\0\1\10" + one for one in [*texts, b"".join(texts)]]


# -- a whole daemon ----------------------------------------------------------------------------------------------------

HARMLESS = ("ping", "status", "search", "show", "sessions", "session", "resume", "hook", "statusline", "doctor", "mcp")
QUESTIONS = ("context", "blame", "how", "fix", "files")


def _daemon(work: Path) -> Check:
    """Every method that changes nothing, with any parameters; and what follows the reply to `mcp`."""
    from talks import Q, S, T, claude_file, codex_file, put, qwen_talk, talk, thread

    from recalld.server.methods import METHODS as SPOKEN

    machine = Machine(work)
    atexit.register(machine.sweep)
    put(claude_file(machine.claude, S), *talk(S, "alpha beta", "gamma", "error: nothing works", "make it so"))
    put(codex_file(machine.codex, T), *thread(T, "alpha on codex", "an answer"))
    put(machine.qwen / "projects" / "-w-web" / "chats" / f"{Q}.jsonl", *qwen_talk(Q, "alpha on qwen", "yes"))
    machine.start()
    machine.sync()
    names = (*HARMLESS, *QUESTIONS)
    values: tuple[Any, ...] = (
        *(
            "",
            "alpha",
            S,
            T,
            "x" * 300,
            "\0",
            "..",
            "/w/app",
            "claude-code",
            "user",
            "newest",
            "2026-11-30T10:00:00Z",
            "7d",
            "\ud800",
        ),
        *(
            0,
            1,
            -1,
            2**53,
            2**64 - 1,
            -(2**63),
            NOW,
            True,
            False,
            0.5,
            float("inf"),
            float("nan"),
            b"\xff",
            b'{"prompt": "alpha"}',
        ),
        *(
            [],
            ["alpha"],
            [1],
            {},
            {"a": {"b": [1]}},
            {"tool_input.command": "ls"},
            None,
            [[[[]]]],
            "alpha*" * 50,
            '"',
            "9" * 30,
        ),
    )

    def check(data: bytes) -> None:
        draw = Draw(data)
        requests = []
        for number in range(1, 2 + draw.byte() % 4):
            name = draw.pick(names)
            params = {p: draw.pick(values) for p in SPOKEN[name].params if draw.byte() % 3}
            if draw.flag():
                params["query" if "query" in SPOKEN[name].params else draw.pick(sorted(SPOKEN[name].params) or ["x"])] = Draw(
                    bytes(draw.byte() for _ in range(30))
                ).text()
            requests.append((number, name, params))
        with Peer(machine.places.socket) as peer:
            taken = False
            for number, name, params in requests:
                payload = msgpack.packb(
                    {"v": 1, "id": number, "method": name, "params": params}, unicode_errors="surrogatepass"
                )
                peer.raw(len(payload).to_bytes(4, "big") + payload)
                reply = peer.receive()
                assert reply is not None and reply["id"] == number, f"{name} {params}: {reply}"
                assert reply["ok"] or reply["error"]["code"] not in ("internal", "error", "index_failure"), (
                    f"{name} {params}: {reply}"
                )
                if name == "mcp" and reply["ok"]:
                    taken = True
                    break
            if taken:
                with suppress(BrokenPipeError, ConnectionResetError):
                    peer.raw(draw.rest() + b"\n")
                    peer.raw(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
                    peer.socket.shutdown(socket.SHUT_WR)
        with machine.client() as client:
            client.ping()
        assert machine.process is not None and machine.process.poll() is None
        assert "request_failed" not in machine.log(), machine.log()[-3000:]

    return check


TARGETS = (
    Target("frame", _frame, _frames),
    Target("hook", _hook, _hooks, mutate.json_lines(8)),
    Target("relay", _relay, _mcp, mutate.json_lines(3)),
    Target(
        "daemon", _daemon, lambda: [bytes(range(n, n + 120)) for n in range(0, 130, 8)], longest=400, traced=False, seconds=30
    ),
)
