"""Make `trial.jsonl` out of `templates/trial-*` and generated.py: `python tests/quality/redaction/make_trial.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from quality.redaction.drawn import innocent, secret, templates
from quality.redaction.generated import generated
from quality.redaction.load import Half, items

HERE = Path(__file__).resolve().parent
OTHERS: tuple[Half, ...] = ("dev", "opened", "final")
SEED = "redaction/trial/23"


def trial() -> Iterator[dict[str, Any]]:
    """Yield every item: each template once, then what generators make; no text twice, and none of another set."""
    rng, seen = Random(SEED), {item.text for other in OTHERS for item in items(other)}
    for name in ("trial-secrets.lines.txt", "trial-secrets.txt"):
        for kind, text in templates(HERE / "templates" / name):
            yield secret(kind, text, rng)
    rng = Random(SEED + "/innocent")
    written = [t for name in ("trial-innocent.lines.txt", "trial-innocent.txt") for t in templates(HERE / "templates" / name)]
    for item in [*(innocent(kind, text, rng) for kind, text in written), *generated(Random(SEED + "/generated"))]:
        if item["text"] not in seen:
            seen.add(item["text"])
            yield item


def lines() -> bytes:
    """Return what the file holds: an item a line."""
    return b"".join(orjson.dumps(x) + b"\n" for x in trial())


def main() -> None:
    """Write the file and say what is in it."""
    (HERE / "trial.jsonl").write_bytes(lines())
    found = list(trial())
    kinds = {x["kind"] for x in found if x["secret"]}
    n = sum(x["secret"] for x in found)
    print(f"trial: {n} secrets of {len(kinds)} kinds, {len(found) - n} innocent texts")


if __name__ == "__main__":
    main()
