"""What an exclusion means: projects and paths that are never read.

    /w/secret, ~/secret        that directory and everything below: as a project, and as the place of session files
    /w/*/secret, **/private    the same for every path that fits; `*` and `?` stay within one component, `**` spans any
                               number of them
    secret, client-*           every project that has a component of that name; not session files, whose paths have
                               names of their own

Case, accents and Unicode form do not matter in a project's path, as in `project:`; a file's path is taken as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from recall.errors import UsageError
from recalld import analysis

_MOST = 4096
"""Characters of one pattern."""


class Patterns:
    """A list of exclusions. `home` is what `~` means."""

    def __init__(self, patterns: Iterable[str], home: Path) -> None:
        projects: list[str] = []
        paths: list[str] = []
        names: list[str] = []
        for pattern in dict.fromkeys(patterns):
            for text in _spellings(checked(pattern), home):
                projects.append(_project(text))
                names.append(_directory_name(text))
                if "/" in text:
                    paths.append(_expression(text))
        self._project = re.compile("|".join(projects)) if projects else None
        self._path = re.compile("|".join(paths)) if paths else None
        self._directory = re.compile("|".join(names), re.IGNORECASE) if names else None
        self._known = lru_cache(maxsize=4096)(self._look_project)

    def __bool__(self) -> bool:
        return self._project is not None

    def project(self, project: str | None) -> bool:
        """Tell whether a project, a directory's path, is excluded."""
        return project is not None and self._project is not None and self._known(project)

    def path(self, path: str) -> bool:
        """Tell whether a file or directory must not be looked at."""
        return self._path is not None and self._path.fullmatch(path) is not None

    def directory(self, name: str) -> bool:
        """Tell whether an agent's directory of this name may be an excluded project's: agents write every other
        character of a project's path as `-`, so it may be another's too. For what tells no project itself."""
        return self._directory is not None and self._directory.fullmatch(name) is not None

    def _look_project(self, project: str) -> bool:
        assert self._project is not None
        return self._project.fullmatch(analysis.fold(project).rstrip("/") or "/") is not None


def checked(pattern: str) -> str:
    """Return a pattern in the form in which it is kept; raise UsageError where it can mean nothing."""
    text = pattern.strip()
    if not text or len(text) > _MOST or "\0" in text:
        raise UsageError(f"not a pattern: {pattern[:80]!r}; give a directory, a glob or a project's name")
    if text.startswith(("/", "~")):
        text = os.path.normpath(text)
        if text in ("/", "//", "~") or not text.strip("/*"):
            raise UsageError(f"{pattern!r} would exclude everything: name a directory below it")
    elif "/" in text and not text.startswith("**/"):
        raise UsageError(f"{pattern!r} is neither absolute nor a name: begin it with / or ~/ or **/")
    if not text.strip("*?/"):
        raise UsageError(f"{pattern!r} would exclude everything")
    return text


def _spellings(text: str, home: Path) -> list[str]:
    """Return a pattern with `~` resolved, and the directory that it is where links lead elsewhere: agents record
    either."""
    if text == "~" or text.startswith("~/"):
        text = f"{home}{text[1:]}"
    if text.startswith("/") and not any(c in text for c in "*?"):
        real = os.path.realpath(text)
        return [text] if real == text else [text, real]
    return [text]


def _project(text: str) -> str:
    folded = analysis.fold(text)
    return _expression(folded) if "/" in folded else rf"(?:.*/)?{_glob(folded)}(?:/.*)?"


def _expression(text: str) -> str:
    """Return the regular expression for a path pattern: it, and everything below."""
    return rf"{_glob(text)}(?:/[\s\S]*)?"


def _glob(text: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    meaning = {"**/": r"(?:[\s\S]*/)?", "**": r"[\s\S]*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meaning.get(part) or re.escape(part) for part in parts)


def _directory_name(text: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    found = "".join(".*" if n % 2 else re.sub(r"[^A-Za-z0-9]", "-", part) for n, part in enumerate(parts))
    return rf"{found}(?:-.*)?" if "/" in text else rf"(?:.*-)?{found}(?:-.*)?"
