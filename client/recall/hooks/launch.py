"""What runs when an agent calls a hook: one file that starts as fast as an interpreter can.

`write.py` writes it, with its settings filled in, to a fixed place in the data directory, where agents call it; `recall
hook` and `recall statusline` run it as a module. It imports nothing but `_socket` and what is built into the
interpreter: each module of the standard library costs more than the round trip. It decides nothing: stdin goes to the
daemon, and what comes back goes to stdout.

It fails open. Whatever goes wrong, the agent sees exit status 0 and no output, within `LIMIT` seconds.
"""

import _signal  # type: ignore[import-not-found]  # the part of `signal` that is in the interpreter
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Settings = dict[str, Any]

LIMIT = 0.25
"""Seconds from here to the end at most: an agent is kept waiting for 300 ms, and the interpreter has started by now."""
MAX_STDIN = 4 * 1024 * 1024
"""Bytes. The largest seen of an agent was 1.6 MB; more than this is not worth anybody's time."""
MAX_ANSWER = 1024 * 1024
ABSENT = b"recall: not running (recall start)\n"
"""The status line where no daemon runs."""
ONCE_IN = 60
"""Seconds between two requests to start the daemon."""

SETTINGS: "Settings" = {}
"""`socket`, `lock`, `stamp` (its time tells when a start was last asked for), `relay` (the directory of the MCP relay):
paths; `recall`: the command line's argv; `env`: the places, for what is started from here."""


def leave(*_: object) -> None:
    """End now, in silence. `_exit`: an interpreter that takes itself apart needs another 2 ms."""
    posix._exit(0)


def main(argv: list[str], settings: "Settings") -> None:
    """Do what the arguments say, and end the process.

    `hook AGENT EVENT`, `statusline AGENT`, `mcp …`; anything else is for the command line itself, which takes over.
    """
    what = argv[1] if len(argv) > 1 else ""
    if what == "mcp":
        sys.path.insert(0, str(settings["relay"]))
        import relay  # type: ignore[import-not-found]  # by its file: `recall` as a package costs too much

        relay.main(argv[2:], settings, environment(settings))
    if what not in ("hook", "statusline"):
        command = [*settings["recall"]]
        posix.execve(command[0], command + argv[1:], environment(settings))
    sys.excepthook = leave  # too few arguments, too: a usage error has the status that blocks the person
    _signal.signal(_signal.SIGALRM, leave)
    _signal.setitimer(_signal.ITIMER_REAL, LIMIT)
    names = [argv[2], argv[3]] if what == "hook" else [argv[2]]
    path = listening(settings)
    if not path:
        if what == "hook":
            ask_for_start(settings)
        read_value()  # an agent that is still writing must not meet a closed pipe
        if what == "statusline":
            write(ABSENT)
        leave()
    data = read_value()
    write(ask(path, frame(what, names, data)))
    leave()


def environment(settings: "Settings") -> dict[bytes, bytes]:
    """Return the environment for what is started from here: ours, and the places that the launcher was written for."""
    env: dict[bytes, bytes] = dict(posix.environ)
    for name, value in settings["env"].items():
        env[name.encode()] = value.encode("utf-8", "surrogateescape")
    return env


def listening(settings: "Settings") -> str:
    """Return the socket of the running daemon, or "" where none runs.

    The lock says who holds it. Its holder's name outlives a daemon that was killed, so the process is looked for too;
    whether the lock is really held only `fcntl` could tell, and where a new process has got the old number, connecting
    fails or runs into the limit: silence either way.
    """
    try:
        descriptor = posix.open(settings["lock"], posix.O_RDONLY | posix.O_CLOEXEC)
        said = posix.read(descriptor, 4096).decode("ascii")
        posix.close(descriptor)
        posix.kill(int(said.split('"pid": ', 1)[1].split(",", 1)[0]), 0)
    except (OSError, ValueError, IndexError):
        return ""
    path = said.rsplit('"socket": "', 1)[-1].split('"', 1)[0]
    return path if path.startswith("/") and "\\" not in path else str(settings["socket"])


def ask_for_start(settings: "Settings") -> None:
    """Have the daemon started by a process of its own that nobody waits for; once a minute at most."""
    from time import time

    stamp = settings["stamp"]
    try:
        if 0 <= time() - posix.stat(stamp).st_mtime < ONCE_IN:
            return
    except FileNotFoundError:
        pass  # the first time
    descriptor = posix.open(stamp, posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    posix.utime(descriptor)
    posix.close(descriptor)
    if posix.fork():
        return
    posix.setsid()
    null = posix.open("/dev/null", posix.O_RDWR)
    for standard in (0, 1, 2):  # the agent waits until nobody holds its pipes any more
        posix.dup2(null, standard)
    posix.closerange(3, 256)
    command = [*settings["recall"], "start"]
    posix.execve(command[0], command, environment(settings))


def read_value() -> bytes:
    """Return stdin up to its end, or to the end of one whole JSON object: some agents never close it."""
    data = bytearray()
    while True:
        piece = posix.read(0, 65536)
        data += piece
        if not piece or is_whole(data):
            return bytes(data)
        if len(data) > MAX_STDIN:
            leave()


def is_whole(data: bytes | bytearray) -> bool:
    """Tell whether `data`, which begins with a JSON object, also ends with it."""
    if not data[-16:].rstrip().endswith(b"}"):
        return False
    # Outside of strings JSON has no quotes and no backslashes, so every second part is outside. All at memory speed.
    parts = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    outside = b"".join(parts[::2])
    return len(parts) % 2 == 1 and outside.count(b"{") == outside.count(b"}")


def text(value: str) -> bytes:
    """Return a short text as msgpack."""
    data = value.encode("utf-8", "surrogateescape")[:255]
    return b"\xd9" + bytes([len(data)]) + data


def frame(method: str, names: list[str], data: bytes) -> bytes:
    """Return the request as one frame of the wire (docs/protocol.md)."""
    parts = [b"\x84\xa1v\x01\xa2id\x01\xa6method", text(method), b"\xa6params", bytes([0x81 + len(names)])]
    for key, name in zip(("agent", "event"), names, strict=False):
        parts += [text(key), text(name)]
    parts += [b"\xa7payload\xc6", len(data).to_bytes(4, "big"), data]
    payload = b"".join(parts)
    return len(payload).to_bytes(4, "big") + payload


def ask(path: str, request: bytes) -> bytes:
    """Return what the daemon has to say, b"" where it is an error or no answer."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(path)
    connection.sendall(request)
    reply = bytearray()
    while len(reply) < 4 or len(reply) < 4 + int.from_bytes(reply[:4], "big"):
        piece = connection.recv(65536)
        if not piece or len(reply) > MAX_ANSWER:
            return b""
        reply += piece
    return output(bytes(reply))


def output(reply: bytes) -> bytes:
    """Return the text `output` of a successful reply, which is the first thing in its result."""
    head, found, rest = reply.partition(b"\xa6output")
    if not found or b"\xa2ok\xc3" not in head or not rest:
        return b""
    kind = rest[0]
    if 0xA0 <= kind <= 0xBF:
        return rest[1 : 1 + kind - 0xA0]
    if not 0xD9 <= kind <= 0xDB:
        return b""
    size = 1 << (kind - 0xD9)
    return rest[1 + size : 1 + size + int.from_bytes(rest[1 : 1 + size], "big")]


def write(data: bytes) -> None:
    """Write all of `data` to stdout."""
    while data:
        data = data[posix.write(1, data) :]


if __name__ == "__main__":
    main(sys.argv, SETTINGS)
