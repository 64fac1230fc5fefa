"""Commands that were run: whether two are tries of the same thing, and whether one worked or failed."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise

from recalld.hooks.errors import looks_failed
from recalld.index.documents import StoredRecord
from recalld.questions.commands import invocations, programs, words_of

_BESIDE_WORDS = """
cd pushd popd export set unset source . echo printf true : sleep tee head tail cat less sed awk grep egrep rg wc sort uniq
cut tr jq column tput date pwd
"""
_BESIDE = frozenset(_BESIDE_WORDS.split())
"""What stands in a command line beside what it is for: it prepares, shows, or cuts what is printed."""
_LOOKING_WORDS = "cat head tail less more nl bat sed awk grep egrep fgrep rg ag ack find fd ls tree"
_LOOKING = frozenset(_LOOKING_WORDS.split())
_LOG = re.compile(r"(?<![a-z])(?:logs?|journal|out|err|stderr)(?![a-z])", re.IGNORECASE)
"""Where programs put what went wrong: who looks there has met the error."""
_LOOKING_OF_GIT = frozenset({"grep", "log", "show", "diff", "blame"})
_DEEPER = frozenset({"run", "run-script", "compose", "exec", "manage.py", "artisan", "buildx"})
"""Second words that say nothing yet of what is run: `npm run build`, `docker compose up`, `python manage.py migrate`."""
_WITH_VALUE = frozenset({"-C", "--prefix", "--filter", "--cwd", "-f", "--file", "-p", "--project", "--directory"})
"""Options in front of what is to be done, with a value that is not it: `git -C web commit`."""
_NONE = re.compile(
    r"\b(?:0|no) (?:errors?|failed|failures?|failing|warnings?)\b|\b(?:errors?|failed|failures?)\s*[:=]\s*0\b", re.I
)


def try_of(command: str) -> str:
    """Return what a command line tries, which is the same for another try: its program and what that is to do. "" where
    it tries nothing."""
    tried = [name for call in invocations(command) if (name := _name(call))]
    telling = [name for name in tried if name.partition(" ")[0] not in _BESIDE]
    return (telling or tried or [""])[-1]


def tries(command: str, wanted: str) -> bool:
    """Tell whether a part of a command line is another try of what `try_of` gave."""
    return bool(wanted) and any(_name(call) == wanted for call in invocations(command))


def _name(call: str) -> str:
    words = words_of(call)
    places = programs(words) if words else []
    if not places:
        return ""
    # What stands behind a runner's option may be its value (`npx -y tsc`, `sudo -u ada tsc`): both belong to the name.
    unsure = len(places) > 1 and places[-1] - places[-2] == 1
    words = words[places[-2] if unsure else places[-1] :]
    named = [w for before, w in pairwise(["", *words]) if w[0] not in "-<>" and w != "2>&1" and before not in _WITH_VALUE]
    if not named:
        return ""
    named[0] = posixpath.basename(named[0].strip("\"'"))
    deeper = any(posixpath.basename(word) in _DEEPER for word in named[1:2])
    return " ".join(named[: 2 + unsure + deeper])


def worked(output: StoredRecord, command: str) -> bool:
    """Tell whether a command worked, by its output. Where its status is not known, or is that of another command (behind a
    pipe, a `;` or a `||`), what it printed must name no failure."""
    if output.is_error:
        return False
    if not any(sign in command for sign in "|;&\n") and (output.is_error is False or output.agent == "claude-code"):
        return True  # Claude Code marks what fails, and nothing else
    return not looks_failed(_NONE.sub("", output.text))


def may_have_failed(output: StoredRecord, call: StoredRecord | None) -> bool:
    """Tell whether an output that holds an error may be that of something which failed. `call`: what it answers, None where
    that is not known. The error in a file that was read, or searched, is nobody's failure."""
    if output.is_error or call is None:
        return True
    if call.kind == "command":
        return not only_looks(call.command or call.text)
    return call.kind == "tool_call" and not call.paths


def only_looks(command: str) -> bool:
    """Tell whether a command reads or searches files, logs left out: the errors that it prints are not its own."""
    for call in invocations(command):
        name, _, what = _name(call).partition(" ")
        if name in ("cd", "pushd", ""):
            continue
        return (name in _LOOKING and not _LOG.search(command)) or (name == "git" and what in _LOOKING_OF_GIT)
    return False
