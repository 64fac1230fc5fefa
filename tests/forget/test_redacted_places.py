"""A directory or a branch that is named after a URL with credentials loses them, and is found all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from machine import Machine
from talks import OTHER, S, T, claude_file, codex_file, put, talk, thread
from traces import traces

PASSWORD = "k7wq-Zp2x9"
PROJECT = f"/w/mirrors/https:/ada:{PASSWORD}@git.example.com/shop"
CLEAN = PROJECT.replace(PASSWORD, "[redacted:url-password]")
BRANCH = f"import/https://ada:{PASSWORD}@git.example.com"


@pytest.fixture
def filled(machine: Machine) -> Machine:
    put(claude_file(machine.claude, S), *talk(S, "the tariff table", "noted", cwd=PROJECT, gitBranch=BRANCH))
    put(codex_file(machine.codex, T), *thread(T, "the tariff list", "noted", cwd=PROJECT))
    put(claude_file(machine.claude, OTHER), *talk(OTHER, "the tariff plain", "noted", cwd="/w/shop", gitBranch="main"))
    machine.start()
    machine.sync()
    return machine


def found(machine: Machine, project: str) -> set[str]:
    result: dict[str, Any] = json.loads(machine.recall("search", "--json", "tariff", "--project", project, ok=(0, 1)).stdout)
    return {hit["session"]["id"] for hit in result["hits"]}


def test_what_a_directory_or_a_branch_is_called_holds_no_secret_in_index_or_answer(filled: Machine) -> None:
    shown = json.loads(filled.recall("show", S, "--json").stdout)
    assert shown["session"]["project"] == CLEAN
    assert shown["session"]["branch"] == BRANCH.replace(PASSWORD, "[redacted:url-password]")
    assert {r["project"] for r in shown["records"]} == {CLEAN}
    assert PASSWORD not in json.dumps(shown)
    assert PASSWORD not in filled.recall("sessions", "--json").stdout
    assert filled.stop() == 0
    assert traces(filled.places.data, PASSWORD) == []


def test_it_is_found_by_its_path_and_by_those_above_it(filled: Machine) -> None:
    assert found(filled, PROJECT) == {S, T}
    assert found(filled, "/w/mirrors") == {S, T}
    assert found(filled, "/w/shop") == {OTHER}
    assert found(filled, "/w") == {S, T, OTHER}


def test_it_is_forgotten_by_its_path_and_the_decision_holds_no_secret(filled: Machine) -> None:
    filled.recall("forget", "--project", PROJECT, "--yes")
    assert found(filled, "/w") == {OTHER}
    assert traces(filled.places.data, PASSWORD) == []
    put(claude_file(filled.claude, S), *talk(S, "the tariff later", start=2, cwd="/w/shop"))
    filled.sync()
    assert filled.stop() == 0
    filled.start()
    filled.sync()
    assert T not in found(filled, "/w")
