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
        return self._path is not None and self._path.match(path) is not None

    def directory(self, name: str) -> bool:
        """Tell whether an agent's directory of this name may be an excluded project's: agents write every other
        character of a project's path as `-`, so it may be another's too. For what tells no project itself."""
        return self._directory is not None and self._directory.match(name) is not None

    def _look_project(self, project: str) -> bool:
        assert self._project is not None
        return self._project.match(analysis.fold(project).rstrip("/") or "/") is not None


def checked(pattern: str) -> str:
    """Return a pattern in the form in which it is kept; raise UsageError where it can mean nothing."""
    text = pattern.lstrip()
    if not text.startswith(("/", "~/", "**/")):  # a directory's name may end with a space
        text = text.rstrip()
    if not text or len(text) > _MOST or "\0" in text:
        raise UsageError(f"not a pattern: {pattern[:80]!r}; give a directory, a glob or a project's name")
    if text == "~" or text.startswith("~/"):
        below = os.path.normpath(text[1:].lstrip("/") or ".")
        if below.split("/")[0] == "..":
            raise UsageError(f"{pattern!r} lies above your home directory: give it as an absolute path")
        text = f"~/{below}"
        if below == "." or not below.strip("/*"):
            raise UsageError(f"{pattern!r} would exclude everything: name a directory below it")
    elif text.startswith("/"):
        text = os.path.normpath(text)
        text = text[1:] if text.startswith("//") else text  # which POSIX keeps
        if not text.strip("/*"):
            raise UsageError(f"{pattern!r} would exclude everything: name a directory below it")
    elif text.startswith("**/"):
        text = text.rstrip("/")
    elif "/" in text:
        raise UsageError(f"{pattern!r} is neither absolute nor a name: begin it with / or ~/ or **/")
    if not text.strip("*?/"):
        raise UsageError(f"{pattern!r} would exclude everything")
    return text


def _spellings(text: str, home: Path) -> list[str]:
    """Return a pattern with `~` resolved, and the directory that it is where links lead elsewhere: agents record
    either."""
    if text.startswith("~/"):
        text = f"{home}{text[1:]}"
    if text.startswith("/") and not any(c in text for c in "*?"):
        real = os.path.realpath(text)
        return [text] if real == text else [text, real]
    return [text]


def _project(text: str) -> str:
    folded = analysis.fold(text)
    return _expression(folded if "/" in folded else f"**/{folded}")


# Expressions are for `match`: they end where the path, or one of its components, ends.
#
# None of them can backtrack far, whatever a pattern and a path are made of: a wildcard and the text behind it are one
# atomic group, which takes the first place where that text stands. A later place could do no better: what comes behind
# it may begin anywhere behind the first one or, after `*`, anywhere in the same component. A `**` takes the first place
# where everything up to the next `**` fits.

_WILD = re.compile(r"((?:^|(?<=/))\*\*/|\*+)")
_END = r"(?:/|\Z)"


def _expression(text: str) -> str:
    """Return the regular expression for a path pattern: it, and everything below."""
    pieces = _WILD.split(text)
    fixed = ["[^/]".join(map(re.escape, piece.split("?"))) for piece in pieces[::2]]
    fixed[-1] += _END
    found, spanning = fixed[0], ""
    for wild, after in zip(pieces[1::2], fixed[1:], strict=True):
        if wild == "*":
            found += f"(?>[^/]*?{after})"
        else:
            gap = r"(?:[\s\S]*?/)??" if wild.endswith("/") else r"[\s\S]*?"
            found, spanning = f"{found}{spanning}(?>{gap}{after}", ")"
    return found + spanning


def _directory_name(text: str) -> str:
    pieces = [re.sub("[^A-Za-z0-9]", "-", piece) for piece in re.split(r"\*\*/|\*+|\?", text)]
    pieces[-1] += r"(?:-|\Z)"
    found = pieces[0] + "".join(rf"(?>[\s\S]*?{piece})" for piece in pieces[1:])
    return found if "/" in text else rf"(?>(?:[\s\S]*?-)??{found})"
