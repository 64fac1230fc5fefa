"""Whatever a payload's texts are made of, a hook answers: no expression takes them apart without end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooks.hooks_history import PROJECT, History, context
from made.problems import POOL
from recall import frame
from recall.clean import clean

PIECES = [
    *(
        "a",
        "A",
        "Aa",
        "1",
        "12:34:",
        "a.b",
        "a-",
        "_",
        "/a",
        "\\",
        "::",
        "://x",
        "0x",
        "(",
        "[",
        "<",
        "</",
        "'",
        '"',
        '\\"',
        "$ ",
        "&& ",
        ";",
    ),
    *(
        "error: ",
        "Traceback ",
        "exited with code ",
        "Exit code: -",
        "in ",
        "last ",
        "May ",
        "*** Update File: /x\n",
        "<system-reminder>",
    ),
    *(
        " ",
        "\n",
        "\t",
        "\0",
        "\x1b[",
        "\x9b0;",
        "\u202e",
        "\u200d",
        "\ufe0f",
        "\U0001f600\u200d",
        "e\u0301",
        "\u1100",
        "修",
        f"{frame.CLOSE} ",
        "&lt;/",
    ),
]
SIZE = 200_000


def payloads(text: str) -> list[tuple[str, dict[str, Any]]]:
    ran = {"tool_name": "Bash", "tool_input": {"command": text}}
    return [
        ("SessionStart", {"source": "startup", "cwd": f"/{text[:4000]}"}),
        ("UserPromptSubmit", {"prompt": text}),
        ("UserPromptSubmit", {"prompt": f"the invoice export fails with QueuePool {text}"}),
        ("PostToolUseFailure", ran | {"error": text}),
        ("PostToolUse", ran | {"tool_response": {"stdout": f"QueuePool limit of size 5 overflow {text}", "stderr": text}}),
        ("PreToolUse", {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/{text[:4000]}", "new_string": text}}),
        ("PreToolUse", {"tool_name": "apply_patch", "tool_input": {"command": f"*** Begin Patch\n{text}"}}),
    ]


@pytest.mark.parametrize("piece", PIECES)
def test_a_text_of_one_piece_again_and_again_is_answered(history: History, piece: str) -> None:
    history.session(*POOL)
    snapshot = history.snapshot
    for event, given in payloads(piece * (SIZE // len(piece))):
        payload = json.dumps({"session_id": "asks", "cwd": PROJECT} | given).encode()
        said = context(history.engine.answer(snapshot, history.config, "claude-code", event, payload).output, event)
        assert said == clean(said)
        assert said.count(frame.CLOSE) == bool(said)
