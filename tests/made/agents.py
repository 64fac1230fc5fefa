"""The writers of all three agents."""

from __future__ import annotations

from made.claude_code import ClaudeWriter
from made.codex import CodexWriter
from made.qwen_code import QwenWriter
from made.transcript import Agent, Writer

WRITERS: dict[Agent, type[Writer]] = {"claude-code": ClaudeWriter, "codex": CodexWriter, "qwen-code": QwenWriter}
