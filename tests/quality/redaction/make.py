"""Make `dev.jsonl` and `opened.jsonl` out of the templates: `python tests/quality/redaction/make.py`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from made.text import Text
from quality.redaction.shapes import HARMLESS, TOKENS, VALUES

HERE = Path(__file__).resolve().parent
SEEDS = {"dev": "redaction/dev/7", "opened": "redaction/held/11"}
TOKEN_PLACES = 2
"""In how many of a half's places each vendor token is put."""
INNOCENTS, TOOL_OUTPUTS = 1_000, 80
"""Innocent strings a half, at least; tool output out of coined words among them."""
MARK, STAY = re.compile(r"\[\[([\w-]+)\]\]"), re.compile(r"⟪(.*?)⟫", re.S)


def templates(name: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of a template file."""
    kind = ""
    body: list[str] = []
    for line in (HERE / "templates" / name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("--- ") and not line.startswith("--- a/") and not line.startswith("--- FAIL"):
            if kind:
                yield kind, "\n".join(body)
            kind, body = line[4:], []
        elif kind:
            body.append(line)
    yield kind, "\n".join(body).rstrip("\n")


def secret(kind: str, text: str, rng: Random) -> dict[str, Any]:
    """Fill one template: values become {0}, {1}, … in `text`, and stand backwards in `hidden`."""
    hidden: list[str] = []

    def fill(m: re.Match[str]) -> str:
        value = (VALUES[m[1]] if m[1] in VALUES else TOKENS[m[1]])(rng)
        hidden.append(value[::-1])
        return f"\ue000{len(hidden) - 1}\ue001"

    stay = [part for m in STAY.finditer(text) for part in m[1].split("\n")]
    filled = MARK.sub(fill, STAY.sub(r"\1", text))
    return {"kind": kind, "text": filled, "hidden": hidden, "must_survive": stay}


def secrets(half: str, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every secret of one half."""
    places = []
    for kind, text in templates(f"{half}.secrets.txt"):
        if "[[token]]" in text:
            places.append((kind, text))
        else:
            yield secret(kind, text, rng)
    for i, token in enumerate(TOKENS):
        for k in range(TOKEN_PLACES):
            _, text = places[(i + k * 2) % len(places)]
            yield secret(token, text.replace("[[token]]", f"[[{token}]]"), rng)


def innocents(half: str, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every innocent string of one half, none twice."""
    words, seen = Text(rng, 20_000), set[str]()
    for i in range(TOOL_OUTPUTS):
        shape = words.shapes[i % len(words.shapes)]
        yield {"kind": f"tool-output-{shape.__name__}", "text": shape(250)}
    found = list(templates(f"{half}.innocent.txt"))
    while len(seen) < INNOCENTS - TOOL_OUTPUTS:
        for kind, text in found:
            filled = MARK.sub(lambda m: HARMLESS[m[1]](rng), text)
            if filled not in seen:
                seen.add(filled)
                yield {"kind": kind, "text": filled}


def main() -> None:
    """Write both files."""
    for half, seed in SEEDS.items():
        lines = [{"secret": True} | s for s in secrets(half, Random(seed))]
        lines += [{"secret": False} | s for s in innocents(half, Random(seed + "/innocent"))]
        (HERE / f"{half}.jsonl").write_bytes(b"".join(orjson.dumps(x) + b"\n" for x in lines))
        n = sum(bool(x["secret"]) for x in lines)
        kinds = len({x["kind"] for x in lines if x["secret"]})
        print(f"{half}: {n} secrets of {kinds} kinds, {len(lines) - n} innocent strings")


if __name__ == "__main__":
    main()
