"""Who is at the other end of a Unix socket: the kernel says, not the client."""

from __future__ import annotations

import socket
import struct
import sys

_UCRED = struct.Struct("=iII")  # pid, uid, gid
_XUCRED = struct.Struct("=IIh2x16I")  # version, uid, number of groups, groups
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
"""<sys/un.h> of macOS; Python has no names for them."""


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process that connected; raise OSError where the system does not say."""
    if sys.platform == "darwin":
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
        return int(_XUCRED.unpack(data)[1])
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    return int(_UCRED.unpack(data)[1])
