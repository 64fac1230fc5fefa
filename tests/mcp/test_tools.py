"""The server as an agent meets it: through the relay's pipes, against a real daemon."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_kit import Client, User
from recall import frame
from recalld.mcp.text import MAX_BYTES

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
STATELESS = "2026-07-28"
NAMES = ["recall", "recall_context", "blame", "fix", "how", "files", "show", "hook_context"]
SESSION = "9eb62034-35cb-4e00-b3f5-44e3bf6f1b74"
ASKED: dict[str, dict[str, Any]] = {
    "recall": {"query": "retry"},
    "recall_context": {"query": "webhook retry"},
    "blame": {"path": "/home/dev/ledger-api/ledger/webhooks.py"},
    "fix": {"error": "sqlalchemy.exc.IntegrityError: duplicate key value violates unique constraint"},
    "how": {"tool": "pytest"},
    "files": {"topic": "webhook"},
    "show": {"session": SESSION},
}


def envelope(revision: str = STATELESS) -> dict[str, Any]:
    return {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_with_a_handshake_is_served(asked: User, revision: str) -> None:
    with Client(asked) as client:
        told = client.handshake(revision)
        assert told["protocolVersion"] == revision
        assert told["serverInfo"]["name"] == "recall"
        assert "fix" in told["instructions"]
        assert "Duplicate charges" in client.text("recall", query="retry")


def test_the_stateless_revision_is_served(asked: User) -> None:
    with Client(asked) as client:
        told = client.ask("server/discover", envelope())["result"]
        assert STATELESS in told["supportedVersions"]
        assert "instructions" in told
        listed = client.ask("tools/list", envelope())["result"]["tools"]
        assert [tool["name"] for tool in listed] == NAMES
        result = client.ask("tools/call", {"name": "recall", "arguments": {"query": "retry"}} | envelope())["result"]
        assert "Duplicate charges" in result["content"][0]["text"]


def test_tools_say_when_to_call_them_what_they_take_and_that_they_only_read(client: Client) -> None:
    listed = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == NAMES
    for tool in listed:
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["openWorldHint"] is False
        if tool["name"] == "hook_context":
            assert tool["description"].startswith("For hooks only")
        else:
            assert tool["description"].startswith("Call ")
            Draft202012Validator.check_schema(tool["outputSchema"])


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_is_structured_as_declared_and_has_a_framed_text_of_at_most_4_kb(client: Client, name: str) -> None:
    (tool,) = [tool for tool in client.ask("tools/list")["result"]["tools"] if tool["name"] == name]
    result = client.call(name, **ASKED[name])
    assert not result["isError"], result
    Draft202012Validator(tool["outputSchema"]).validate(result["structuredContent"])
    assert next(iter(result["structuredContent"])) == "notice"
    (block,) = result["content"]
    assert block["type"] == "text"
    assert len(block["text"].encode()) <= MAX_BYTES
    assert block["text"].startswith(frame.OPEN)
    assert block["text"].count(frame.CLOSE) == 1


@pytest.mark.parametrize("name", ["recall", "recall_context", "blame", "fix", "how", "files"])
def test_nothing_found_is_an_answer_that_says_so(client: Client, name: str) -> None:
    (key,) = ASKED[name]
    result = client.call(name, **{key: "zzyzx-nowhere-42"})
    assert not result["isError"]
    assert "othing" in result["content"][0]["text"]


def test_show_pages_and_centres(client: Client) -> None:
    first = client.call("show", session=SESSION, limit=5)["structuredContent"]
    assert (len(first["records"]), first["next_offset"]) == (5, 5)
    second = client.call("show", session=SESSION[:8], limit=5, offset=5)["structuredContent"]
    assert {r["id"] for r in first["records"]}.isdisjoint(r["id"] for r in second["records"])
    wanted = second["records"][2]["id"]
    around = client.call("show", session=SESSION, around=wanted, limit=3)["structuredContent"]
    assert around["records"][1]["id"] == wanted


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("recall", {}, "'query' is a required property"),
        ("recall", {"query": "x", "projekt": "y"}, "projekt"),
        ("recall", {"query": "x", "limit": 0}, "limit"),
        ("recall", {"query": "x", "since": "the other day"}, "is not a time"),
        ("recall", {"query": ""}, "query"),
        ("show", {"session": "no-such-session"}, "no session has the id"),
        ("nonsense", {}, "there are: recall"),
    ],
)
def test_what_is_wrong_with_a_call_is_a_result_that_the_model_can_read(
    client: Client, name: str, arguments: dict[str, Any], says: str
) -> None:
    result = client.call(name, **arguments)
    assert result["isError"]
    (block,) = result["content"]
    assert says in block["text"]
    assert "\n" not in block["text"]
    assert len(block["text"]) < 600


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        ("{ not json", None, -32700),
        ('"text"', None, -32600),
        ("[]", None, -32600),
        ("{}", None, -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', 1.5, -32600),
        ('{"jsonrpc": "2.0", "id": "no method"}', "no method", -32600),
        ('{"id": "no version", "method": "ping"}', "no version", -32600),
        ('{"jsonrpc": "2.0", "id": "a list", "method": "tools/call", "params": []}', "a list", -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_with_an_error_and_ends_nothing(
    client: Client, line: str, number: object, code: int
) -> None:
    client.raw(line)
    answer = client.receive()
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert client.ask("ping")["result"] == {}


@pytest.mark.parametrize("method", ["notifications/unknown", "notifications/cancelled", "no/such"])
def test_a_notification_is_never_answered(client: Client, method: str) -> None:
    for params in ("", ', "params": {}', ', "params": [1]'):
        client.raw(f'{{"jsonrpc": "2.0", "method": "{method}"{params}}}')
    assert client.ask("ping")["result"] == {}


def test_a_batch_is_answered_message_by_message(client: Client) -> None:
    ping = {"jsonrpc": "2.0", "method": "ping"}
    client.raw(json.dumps([ping | {"id": "one"}, {"jsonrpc": "2.0", "method": "notifications/x"}, 5, ping | {"id": "two"}]))
    answers = [client.receive() for _ in range(3)]
    assert {a["id"]: a.get("result", a.get("error", {}).get("code")) for a in answers} == {"one": {}, None: -32600, "two": {}}


def test_half_a_surrogate_pair_in_a_query_is_no_reason_not_to_answer(client: Client) -> None:
    """JavaScript writes one as an escape; JSON allows it, and no text can hold it."""
    arguments = '{"query": "halfterm \\ud83d"}'
    client.raw(
        f'{{"jsonrpc": "2.0", "id": "half", "method": "tools/call", "params": {{"name": "recall", "arguments": {arguments}}}}}'
    )
    answer = client.receive()
    assert answer["id"] == "half"
    assert answer["result"]["structuredContent"]["hits"] == []


def test_sessions_are_resources(client: Client) -> None:
    listed = client.ask("resources/list")["result"]["resources"]
    uris = [resource["uri"] for resource in listed]
    assert f"recall://session/{SESSION}" in uris
    templates = client.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert templates[0]["uriTemplate"] == "recall://session/{id}"
    (content,) = client.ask("resources/read", {"uri": f"recall://session/{SESSION}"})["result"]["contents"]
    assert content["text"].startswith(frame.OPEN)
    assert "webhook" in content["text"]
    assert "error" in client.ask("resources/read", {"uri": "recall://session/no-such"})
    assert "error" in client.ask("resources/read", {"uri": "file:///etc/passwd"})


@pytest.mark.parametrize(("variable", "agent"), [("CLAUDE_CODE_SESSION_ID", "claude-code")])
def test_the_session_that_asks_is_left_out(asked: User, variable: str, agent: str) -> None:
    with Client(asked, "--agent", agent, **{variable: SESSION}) as client:
        client.handshake()
        answer = client.call("recall", query='"duplicate charges"')["structuredContent"]
        assert SESSION not in [hit["session"]["id"] for hit in answer["hits"]]
        named = client.call("recall", query="retry", session=SESSION)["structuredContent"]
        assert [hit["session"]["id"] for hit in named["hits"]] == [SESSION]


def test_a_hook_says_which_session_asks_from_then_on(asked: User) -> None:
    with Client(asked, "--agent", "claude-code", CLAUDE_CODE_SESSION_ID="another") as client:
        client.handshake()
        assert client.call("recall", query="retry")["structuredContent"]["hits"]
        event = {"agent": "claude-code", "event": "UserPromptSubmit", "prompt": "ok", "cwd": "/nowhere"}
        client.call("hook_context", **event, session_id=SESSION, agent_id="")
        hits = client.call("recall", query="retry")["structuredContent"]["hits"]
        assert SESSION not in [hit["session"]["id"] for hit in hits]


def test_a_hook_gets_one_text_that_is_json_and_silence_is_an_empty_object(client: Client) -> None:
    result = client.call("hook_context", agent="codex", event="UserPromptSubmit", prompt="ok", cwd="/nowhere")
    assert [block["type"] for block in result["content"]] == ["text"]
    assert json.loads(result["content"][0]["text"]) == {}
    assert "structuredContent" not in result


def test_a_hook_gets_what_the_command_would_print(client: Client) -> None:
    event = {
        "agent": "claude-code",
        "event": "UserPromptSubmit",
        "session_id": "made-up",
        "cwd": "/home/dev/ledger-api",
        "prompt": "customers were charged twice after the payment provider retried the webhook, find out why",
    }
    said = json.loads(client.text("hook_context", **event))
    assert said["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert frame.CLOSE in said["hookSpecificOutput"]["additionalContext"]
