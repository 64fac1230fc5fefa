"""Redaction: secrets out, before anything else sees the text. `docs/security.md` says what is found and what is not."""

from __future__ import annotations

from recalld.redact.scan import KINDS, Redactor, redact_message, redact_place

__all__ = ["KINDS", "VERSION", "Redactor", "redact_message", "redact_place"]

VERSION = 3
"""Version of the rules. Records keep the one they went through, so that newer rules can be applied to older records."""
