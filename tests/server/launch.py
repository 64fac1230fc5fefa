"""Runs the daemon with the tests' own indexer: the arguments are its directory."""

from __future__ import annotations

import sys
from pathlib import Path

from recall.errors import RecallError
from recall.places import places
from recalld import logs
from recalld.server.lifecycle import serve

logs.setup("info")
try:
    serve(places(), command=[sys.executable, str(Path(__file__).with_name("child.py")), sys.argv[1]])
except RecallError as error:
    print(error.message, file=sys.stderr)
    sys.exit(error.exit_status)
