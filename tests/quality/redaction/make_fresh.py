"""Make `fresh.jsonl` out of `templates/fresh-*`: `python tests/quality/redaction/make_fresh.py`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from quality.redaction.load import Half, Item, items
from quality.redaction.make_last import innocents, lines_of, secret

HERE = Path(__file__).resolve().parent
SEED = "redaction/fresh/1"
BEFORE: tuple[Half, ...] = ("dev", "opened", "trial", "final", "last")
"""The sets that were there first: a text or a value that one of them has is left out here."""
MARKED = re.compile("\ue000\\d+\ue001")
"""The place of a value in the text of a set's file."""


def older() -> list[Item]:
    """Return the items of every set that was there first."""
    return [item for half in BEFORE for item in items(half)]


def bare(text: str, values: tuple[str, ...]) -> str:
    """Return the text without its values, to tell whether two texts differ in more than these."""
    for v in values:
        text = text.replace(v, "")
    return MARKED.sub("", text)


def secrets(rng: Random, before: list[Item]) -> Iterator[dict[str, Any]]:
    """Yield every text with secrets: a template once, or twice when it begins with `2|`. One that an older set has, but for
    the values, is left out; a value that was drawn before is drawn anew."""
    seen = {s[::-1] for item in before for s in item.secrets}
    taken = {bare(item.text, item.secrets) for item in before if item.secrets}
    for line in lines_of("fresh-secrets.txt"):
        kind, text = line.split(" | ", 1)
        for _ in range(2 if kind.startswith("2|") else 1):
            made = secret(kind.removeprefix("2|"), text.replace("⏎", "\n"), rng)
            while not seen.isdisjoint(made["hidden"]):
                made = secret(kind.removeprefix("2|"), text.replace("⏎", "\n"), rng)
            seen.update(made["hidden"])
            if bare(made["text"], ()) not in taken:
                yield made


def lines() -> bytes:
    """Return the set as it stands in the file."""
    before = older()
    found = [{"secret": True} | x for x in secrets(Random(SEED), before)]
    found += [{"secret": False} | x for x in innocents("fresh-innocents.txt", Random(SEED + "/innocent"), before)]
    return b"".join(orjson.dumps(x) + b"\n" for x in found)


def main() -> None:
    """Write the file and say what it holds."""
    made = lines()
    (HERE / "fresh.jsonl").write_bytes(made)
    found = [orjson.loads(x) for x in made.splitlines()]
    kinds = Counter(x["kind"] for x in found if x["secret"])
    rest = [x["kind"] for x in found if not x["secret"]]
    generated = sum(kind.startswith("generated-") for kind in rest)
    print(f"fresh: {kinds.total()} secrets of {len(kinds)} kinds, {len(rest)} innocent texts, {generated} of them generated")


if __name__ == "__main__":
    main()
