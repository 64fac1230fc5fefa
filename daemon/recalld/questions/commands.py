"""Command lines: taking them apart, and telling which are the same but for their values."""

from __future__ import annotations

import posixpath
import re

_LONGEST = 4000
"""Characters of a command that are taken apart; what is longer is a script."""
# Separators outside quotes: a quoted string, an escaped character, or one of ; & | newline.
_PIECE = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|(&&|\|\||[;|\n&])|[^'\"\\;|&\n]+|.", re.DOTALL)
_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_BEFORE = frozenset({"sudo", "env", "time", "nohup", "exec", "command", "nice", "xargs", "then", "do", "else", "!", "("})
_AT_ONCE: tuple[str, ...] = ()
_RUNNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npx", "bunx", "pnpx", "uvx", "pnpm", "yarn", "exec", "dlx"), _AT_ONCE),
    **dict.fromkeys(("timeout", "time", "stdbuf", "xvfb-run", "doas"), _AT_ONCE),
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pipx", "conda", "mamba", "pixi"), ("run",)),
    **dict.fromkeys(("bundle", "npm", "mise"), ("exec",)),
    **dict.fromkeys(("python", "python3"), ("-m",)),
    "bun": ("x", "run"),
}
"""Programs that run another one, and the words behind which they name it (none: at once)."""
_PLACES = 8
"""Places of a call at which a program is looked for; nobody nests more."""
_VERSION = re.compile(r"[\d.]+$")
_DURATION = re.compile(r"[\d.]+[smhd]?")
_VALUE = re.compile(r"[\"'$`/~]|\d|\.\w+$|=|@|:")
_REDIRECT = re.compile(r"\d?>&?\d?|<")


def invocations(command: str) -> list[str]:
    """Return the single calls that a command line is made of, in order."""
    found: list[str] = []
    piece = ""
    for m in _PIECE.finditer(command[:_LONGEST]):
        if m[1]:
            if m[1] == "&" and piece.endswith(">"):
                piece += m[0]
                continue
            found.append(piece)
            piece = ""
        else:
            piece += m[0]
    found.append(piece)
    return [" ".join(p.split()) for p in found if p.strip()]


def words_of(invocation: str) -> list[str]:
    """Return the words of a call, its program first: assignments, `sudo` and the like before it are left out."""
    words = _WORD.findall(invocation)
    at = 0
    while at < len(words) and (_ASSIGNMENT.match(words[at]) or words[at] in _BEFORE):
        at += 1
    return words[at:]


def calls(invocation: str, tool: list[str]) -> bool:
    """Tell whether a call runs `tool`: a program by its name or path, and where given the words behind it."""
    words = words_of(invocation)
    return bool(words and tool) and any(_runs(words[at:], tool) for at in programs(words))


def _runs(words: list[str], tool: list[str]) -> bool:
    program = words[0].strip("\"'")
    if program.lower() != tool[0] and posixpath.basename(program).lower() != tool[0]:
        return False
    rest = [w.lower() for w in words[1:]]
    at = 0
    for word in tool[1:]:
        if word not in rest[at:]:
            return False
        at = rest.index(word, at) + 1
    return True


def programs(words: list[str]) -> list[int]:
    """Return where a program may stand: first, and behind one that runs another (`timeout 60 uv run pytest`)."""
    # Options first: they belong to a `sudo` that `words_of` has left out.
    places = _behind(words, 0) if words[0].startswith("-") else [0]
    for at in places:  # grows as it is gone through, and only to the right
        found = _behind_runner(words, at)
        places += [place for place in found if place not in places]
        if len(places) > _PLACES:
            break
    return places


def _behind_runner(words: list[str], at: int) -> list[int]:
    name = posixpath.basename(words[at].strip("\"'")).lower()
    named_behind = _RUNNERS.get(name, _RUNNERS.get(_VERSION.sub("", name)))
    if named_behind is None:
        return []
    at += 1
    if named_behind != _AT_ONCE:
        while at < len(words) and words[at] not in named_behind:
            if not (words[at].startswith("-") or words[at - 1].startswith("-")):
                return []
            at += 1
        at += 1
    return _behind(words, at)


def _behind(words: list[str], at: int) -> list[int]:
    """Return where a program may stand behind the options of one that runs it, which begin at `at`."""
    option = False
    while at < len(words) and (words[at].startswith("-") or _DURATION.fullmatch(words[at])):
        option = words[at].startswith("-")
        at += 1
    found = [at] if at < len(words) else []
    # What stands behind an option may be its value (`sudo -u postgres psql`): the runner alone knows.
    if option and at + 1 < len(words) and not words[at + 1].startswith("-"):
        found.append(at + 1)
    return found


def shape(invocation: str) -> str:
    """Return a call with its values left out: equal shapes are the same use."""
    out: list[str] = []
    for n, word in enumerate(words_of(invocation)):
        if n == 0:
            out.append(posixpath.basename(word.strip("\"'")))
        elif _REDIRECT.match(word):
            break
        elif word.startswith("-"):
            name, equals, _ = word.partition("=")
            out.append(name + ("=<>" if equals else ""))
        elif _VALUE.search(word):
            if out[-1] != "<>":
                out.append("<>")
        else:
            out.append(word)
    return " ".join(out)
