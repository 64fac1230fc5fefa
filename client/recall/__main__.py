"""The `recall` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `recall` with the process's arguments and end the process with its exit status."""
    from recall.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
