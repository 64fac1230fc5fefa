"""The questions that agents ask: `context`, `blame`, `how`, `fix`, `files`. Each is a function of a snapshot and
params."""

from __future__ import annotations

from recalld.questions.blame import blame
from recalld.questions.context import context
from recalld.questions.files import files
from recalld.questions.fix import fix
from recalld.questions.how import how

__all__ = ["blame", "context", "files", "fix", "how"]
