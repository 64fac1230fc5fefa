"""Whether the data directory lies where others, or other machines, get to see it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from recalld.watch.mounts import why_not_events

_SYNCED: tuple[tuple[str, str], ...] = (
    ("Dropbox", "Dropbox"),
    ("OneDrive", "OneDrive"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("iCloud Drive", "iCloud"),
    ("iCloudDrive", "iCloud"),
    ("Mobile Documents", "iCloud"),
    ("Nextcloud", "Nextcloud"),
    ("ownCloud", "ownCloud"),
    ("Box Sync", "Box"),
    ("CloudStorage", "a cloud storage provider"),
)
"""Names, or beginnings of names before a space or a dash, of directories that services keep in step."""

_MARKERS: tuple[tuple[str, str], ...] = (
    (".stfolder", "Syncthing"),
    (".stignore", "Syncthing"),
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".owncloudsync.log", "ownCloud"),
    (".nextcloudsync.log", "Nextcloud"),
    (".sync", "Resilio Sync"),
)
"""Files by which such services mark the top of what they keep in step."""

_ELSEWHERE = "set RECALLD_DATA_DIR to a directory of this machine alone"


def shared_places(directory: Path, *, mounts: Path = Path("/proc/self/mounts")) -> Iterator[tuple[str, str]]:
    """Yield (what is wrong with where a data directory lies, what to do about it)."""
    real = Path(os.path.realpath(directory))
    for place in (real, *real.parents):
        service = _service(place)
        if service is not None:
            yield f"the data directory lies in {place}, which {service} keeps in step with other machines", _ELSEWHERE
            break
    reason = why_not_events(real, mounts)
    if reason is not None:
        yield f"the data directory is not on this machine alone: {reason}", _ELSEWHERE
    yield from _open_to_others(real)


def _service(place: Path) -> str | None:
    name = place.name.casefold()
    for known, service in _SYNCED:
        if name == known.casefold() or name.startswith((f"{known} ".casefold(), f"{known}-".casefold())):
            return service
    return next((service for marker, service in _MARKERS if (place / marker).exists()), None)


def _open_to_others(real: Path) -> Iterator[tuple[str, str]]:
    """Others who may write to a directory above can put another one in the place of ours; ours itself is kept 0700."""
    try:
        if real.stat().st_mode & 0o077:
            yield f"others may enter the data directory {real}", f"chmod 700 {real}"
    except OSError:
        return  # it is not there: whoever needs it says so
    for parent in real.parents:
        try:
            found = parent.stat()
        except OSError:
            continue
        if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX and not _own_group(found):
            yield f"others may replace the data directory: they may write to {parent}", f"chmod go-w {parent}"
            return


def _own_group(found: os.stat_result) -> bool:
    """Tell whether only the group may write, and that is the user's private one, as many systems make it."""
    return not found.st_mode & 0o002 and found.st_uid == os.getuid() and found.st_gid == found.st_uid
