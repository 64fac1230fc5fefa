"""A project as a filter: what ran in it, wherever the session began; the same wherever it is asked."""

from __future__ import annotations

import pytest
from case_kit import CLAUDE, QWEN, Case, Q, S, cc, qw


@pytest.fixture
def moved(case: Case) -> Case:
    """A session that went from one directory into another, and one that stayed."""
    case.write(
        CLAUDE,
        cc("user", "u1", None, "begin here", 0, cwd="/srv/shop/Café"),
        cc("assistant", "a1", "u1", "and now there", 1, cwd="/srv/till"),
    )
    case.write(QWEN, qw("user", "q1", None, "stay", 2))
    case.read()
    return case


@pytest.mark.parametrize(
    ("project", "wanted"),
    [
        ("/srv/till", [S]),
        ("till", [S]),
        ("/srv/shop", [S]),
        ("/srv//shop/../till/", [S]),
        ("/srv/shop/cafe", [S]),
        ("shop/café", [S]),
        ("/srv/site", [Q]),
        ("/srv", [Q, S]),
        ("/", [Q, S]),
        ("ti", []),
    ],
)
def test_sessions_are_listed_by_the_projects_that_a_search_finds_them_in(moved: Case, project: str, wanted: list[str]) -> None:
    found = moved.json("search", "--sort", "newest", "--project", project, "since:2020-01-01")
    listed = moved.json("sessions", "--project", project)
    assert [h["session"]["id"] for h in found["hits"]] == wanted
    assert [s["id"] for s in listed["sessions"]] == wanted and listed["total"] == len(wanted)
    assert ("notice" in listed) == (not wanted)


def test_a_session_is_listed_by_the_project_that_it_enters(moved: Case) -> None:
    assert moved.json("sessions", "--project", "/srv/new")["sessions"] == []
    moved.append(CLAUDE, cc("user", "u2", "a1", "further", 3, cwd="/srv/new"))
    moved.read()
    assert [s["id"] for s in moved.json("sessions", "--project", "/srv/new")["sessions"]] == [S]
    assert [s["id"] for s in moved.json("sessions", "--project", "/srv/till")["sessions"]] == [S]
