"""Where the service templates lie: in the installed package, or at the root of a source tree."""

from __future__ import annotations

from pathlib import Path

from recall.errors import Refused


def units(kind: str) -> Path:
    """Return the directory of templates of `kind` (`systemd` or `launchd`); raise Refused where they are missing."""
    here = Path(__file__).resolve().parent
    for place in (here / "units" / kind, here.parent.parent / kind):
        if place.is_dir():
            return place
    raise Refused(f"the {kind} templates are missing from this installation: install recalld again")
