"""`python -m tests.benchmarks [--corpus DIR] [--sessions N] [--megabytes N]`: the service's figures as JSON."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.service import measure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--corpus", type=Path, help="a store that corpus.py made; by default one is made and removed")
    parser.add_argument("--sessions", type=int, default=7000)
    parser.add_argument("--megabytes", type=int, default=270)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recalld-corpus-") as place:
        corpus = arguments.corpus or Path(place)
        if arguments.corpus is None:
            make = [sys.executable, str(Path(__file__).with_name("corpus.py")), str(corpus), "--seed", "1"]
            size = ["--sessions", str(arguments.sessions), "--megabytes", str(arguments.megabytes)]
            subprocess.run([*make, *size], check=True, stdout=sys.stderr)
        print(json.dumps(measure(corpus), indent=2))


if __name__ == "__main__":
    main()
