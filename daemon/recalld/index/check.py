"""Whether the files of an index are what Tantivy wrote, told from their checksums.

Tantivy ends every file of a segment with a footer: JSON that holds the CRC-32 of what is before it, the JSON's length
and a magic number, both 32 bits little-endian. It looks at the footers when it opens an index, at the checksums never;
a damaged block is found by whoever happens to read it, as a panic. Reading everything takes 1 s a gigabyte.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from pathlib import Path
from typing import Any

_MAGIC = 1337
_TAIL = struct.Struct("<II")
_BLOCK = 1 << 20
_NEEDED = frozenset({".term", ".idx", ".pos", ".fast", ".store", ".fieldnorm"})
"""What every segment has; deletions come beside it."""


def damage(directory: Path) -> str | None:
    """Return what is wrong with an index's files, None where they are sound. Raise OSError where one cannot be read
    for a reason that is not the index's (permissions, a failing disk)."""
    try:
        segments = _segments(directory)
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        return f"meta.json cannot be used ({type(error).__name__})"
    for segment in segments:
        why = _segment_damage(directory, segment)
        if why is not None:
            return why
    return None


def keep_sound_segments(directory: Path) -> int:
    """Take the damaged segments out of an index that nobody has open, so that the others can be read; return how many
    went. Raise ValueError or OSError where nothing can be saved."""
    path = directory / "meta.json"
    meta = json.loads(path.read_bytes())
    sound = [s for s in meta["segments"] if _segment_damage(directory, s) is None]
    gone = len(meta["segments"]) - len(sound)
    if gone:
        meta["segments"] = sound
        path.write_text(json.dumps(meta), encoding="utf-8")
    return gone


def _segments(directory: Path) -> list[dict[str, Any]]:
    meta = json.loads((directory / "meta.json").read_bytes())
    return [{"segment_id": str(s["segment_id"]), "deletes": s["deletes"]} for s in meta["segments"]]


def _segment_damage(directory: Path, segment: dict[str, Any]) -> str | None:
    stem = segment["segment_id"].replace("-", "")
    names = [stem + suffix for suffix in sorted(_NEEDED)]
    if segment["deletes"]:
        names.append(f"{stem}.{segment['deletes']['opstamp']}.del")
    for name in names:
        try:
            if not _is_sound(directory / name):
                return f"{name} is not what was written"
        except FileNotFoundError:
            return f"{name} is missing"
    return None


def _is_sound(path: Path) -> bool:
    size = path.stat().st_size
    if size < _TAIL.size:
        return False
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        length, magic = _TAIL.unpack(data[-_TAIL.size :])
        end = size - _TAIL.size - length
        if magic != _MAGIC or end < 0:
            return False
        try:
            wanted = json.loads(data[end : size - _TAIL.size])["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        found = 0
        for start in range(0, end, _BLOCK):
            found = zlib.crc32(data[start : min(end, start + _BLOCK)], found)
        return bool(found == wanted)
