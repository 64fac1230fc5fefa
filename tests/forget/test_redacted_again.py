"""A redactor that knows more redacts again what only the index still holds."""

from __future__ import annotations

import secrets
import string

from machine import Machine
from talks import OTHER, S, claude_file, put, talk
from test_forget import outdate
from traces import traces


def test_what_the_rules_of_today_know_is_taken_out_of_what_was_read_under_older_ones(machine: Machine) -> None:
    token = "ghp_" + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(36))
    # the older rules: those that do not know this kind
    machine.places.config.write_text('[redact]\ndisabled = ["github-token", "token", "secret", "api-key"]\n')
    put(claude_file(machine.claude, S), {"type": "custom-title", "customTitle": f"with {token}", "sessionId": S})
    put(claude_file(machine.claude, S), *talk(S, f"use {token} here", "done"))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, f"also {token} there"))
    machine.start()
    machine.sync()
    claude_file(machine.claude, S).unlink()  # only the index holds it from here on
    machine.sync()
    assert machine.texts(S) == [f"use {token} here", "done"]
    machine.places.config.write_text("")
    outdate(machine)
    assert machine.texts(S) == ["use [redacted:github-token] here", "done"]
    assert machine.texts(OTHER) == ["also [redacted:github-token] there"]
    assert traces(machine.places.data, token) == []
    with machine.client() as client:
        titles = [s["title"] for s in client.sessions()["sessions"] if s["id"] == S]
    assert titles == ["with [redacted:github-token]"]
