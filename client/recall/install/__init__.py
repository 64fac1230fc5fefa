"""Wires recall into the coding agents on this machine, and takes it out again.

`agents` knows where each agent keeps what, `wiring` and `hooks` what goes in there; `jsonc`, `edit` and `toml` change a
file without touching the rest of it; `files` and `ledger` see to it that nothing is lost and all can be taken back;
`run` does it.
"""
