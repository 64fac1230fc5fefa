"""The agents that recalld reads, one module each."""

from __future__ import annotations

from recalld.sources.base import Source
from recalld.sources.claude_code import ClaudeCode
from recalld.sources.codex import Codex
from recalld.sources.qwen_code import QwenCode

SOURCES: dict[str, Source] = {source.name: source for source in (ClaudeCode(), Codex(), QwenCode())}
"""Every source by its agent's name."""
