"""The agents that recalld reads, one module each."""

from __future__ import annotations

from recalld.sources.base import Source
from recalld.sources.claude_code import ClaudeCode
from recalld.sources.codex import Codex
from recalld.sources.qwen_code import QwenCode

VERSION = 2
"""Of what is made of the agents' files, here and on the way into the index. A change means that they are all read again."""

SOURCES: dict[str, Source] = {source.name: source for source in (ClaudeCode(), Codex(), QwenCode())}
"""Every source by its agent's name."""
