"""`recall mcp`: lines between an agent's pipes and the daemon's socket, where the MCP server is.

Every agent of every project has one of these for as long as it runs, so it is small: it is run with `-IS`, imports
nothing but what is built in or a lone extension module, and understands of a message only its `id` and `method`.

**A lost connection is not the agent's trouble.** The daemon may be upgraded, and the server behind it ends when nothing
has been said for a while. The relay connects again when there is something to say, and starts a daemon where none runs.
It then repeats the handshake that the agent made (its answer is swallowed), and what was asked and not answered: every
tool only reads. A request that has met an end three times is answered with an error, since it may be the cause.

**It goes when its agent goes**: at the end of stdin, at SIGHUP, and when its parent has died, however that died.
"""

import _json  # the scanner alone: `json` brings `re`, and with it half the start
import _signal  # type: ignore[import-not-found]
import _socket
import os
import select
from time import monotonic, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Settings = dict[str, Any]
    Key = tuple[str, Any]

PATIENCE = 30.0
"""Seconds that a request waits for a daemon that is being started."""
SEARCH_PATIENCE = 5.0
"""Seconds after which a search for external context is given up, whatever the reason; its client waits for 8."""
GREETING = 15.0
"""Seconds that a daemon that has accepted may take to answer."""
LINGER = 2.0
"""Seconds that answers under way get when the agent has closed stdin."""
ATTEMPTS = 3
FIRST_RETRY, LAST_RETRY = 0.02, 0.5
LOOK_FOR_PARENT = 15.0
"""Seconds between two looks, where the system cannot tell."""
FULL = 1024 * 1024
"""Bytes that wait for one side before the other is not read from any more."""
PIECE = 4096
"""Bytes that a pipe takes without blocking once it is writable."""

SEARCH_FAILED = "The search for external context failed."
"""All that a failed search says."""
UNREACHABLE = "recalld cannot be reached or started; `recall doctor` says why"
NOT_JSON, NO_MESSAGE = (-32700, "the line is no JSON"), (-32600, "the line is no JSON-RPC message")
ENDED_OVER_IT = "recalld ended over this request several times; `recall doctor` says more"


class _Scanner:
    """What the scanner of `json` asks of its decoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012  # as the scanner wants it


_scan = _json.make_scanner(_Scanner)  # type: ignore[arg-type]  # the stubs take its own type for a decoder


def parse(text: str) -> "dict[str, Any] | None":
    """Return the JSON object that `text` holds, None where it holds anything else."""
    try:
        value, _ = _scan(text.strip(), 0)
    except (ValueError, StopIteration, RecursionError, SystemError):
        return None  # SystemError: the scanner looks for `json`'s own error, which is not loaded here, and finds none
    return value if isinstance(value, dict) else None


def elements(text: str) -> "list[str] | None":
    """Return the elements of the JSON array that `text` holds, each as it is written; None where it holds no array."""
    found: list[str] = []
    text, at = text.strip(), 0
    try:
        while text[at] == ("," if found else "["):
            while text[at + 1] in " \t\r\n":
                at += 1
            if not found and text[at + 1 :] == "]":
                return []
            start = at + 1
            _, at = _scan(text, start)
            found.append(text[start:at])
            while text[at] in " \t\r\n":
                at += 1
    except (ValueError, StopIteration, RecursionError, SystemError, IndexError):
        return None
    return found if text[at:] == "]" else None


def key_of(message: "dict[str, Any]") -> "Key | None":
    """Return what tells a message's id from every other (1 is not "1"), None where it has none."""
    value = message.get("id")
    if isinstance(value, str):
        return "text", value
    if isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0:
        return "number", value  # 1e999 is read as an infinity, which no JSON can name
    return None


def written(key: "Key") -> str:
    """Return an id as JSON."""
    return str(_json.encode_basestring_ascii(key[1])) if key[0] == "text" else repr(key[1])


class Request:
    """A line of the agent that waits for its answer."""

    __slots__ = ("asked", "attempts", "line", "method")

    def __init__(self, line: bytes, method: str) -> None:
        self.line = line
        self.method = method
        self.asked = monotonic()
        self.attempts = 0


class Relay:
    """One agent's connection. `params` are those of the `mcp` request; `env` is for the daemon, where it is started."""

    def __init__(self, settings: "Settings", env: "dict[bytes, bytes]", params: "dict[str, str | int]") -> None:
        self._settings = settings
        self._env = env
        self._params = params
        self._search = params["profile"] == "context-search"
        self._from_agent = bytearray()
        self._to_agent = bytearray()
        self._from_daemon = bytearray()
        self._to_daemon = bytearray()
        self._waiting: dict[Key, Request] = {}
        self._handshake: tuple[Key, bytes] | None = None
        """The `initialize` that was answered."""
        self._initialized = b""
        self._swallow: Key | None = None
        self._socket: _socket.socket | None = None
        self._greeted = False
        self._connected = 0.0
        self._retry = FIRST_RETRY
        self._retry_at = 0.0
        self._starting = 0
        """Process id of what starts the daemon."""
        self._start_asked = False
        self._ending = 0.0
        """When to end at the latest, once the agent has closed stdin."""

    # -- the loop -----------------------------------------------------------------------------

    def run(self) -> None:
        """Relay until the agent is gone."""
        parent = os.getppid()
        watch = parent_descriptor(parent)
        while True:
            now = monotonic()
            self._give_up(now)
            if self._ending and (now > self._ending or not (self._waiting or self._to_agent)):
                return
            if self._socket is None and self._waiting and now >= self._retry_at:
                self._connect()
            poll = select.poll()
            if not self._ending and len(self._to_daemon) < FULL:
                poll.register(0, select.POLLIN)
            if self._to_agent:
                poll.register(1, select.POLLOUT)
            if watch >= 0:
                poll.register(watch, select.POLLIN)
            if self._socket is not None:
                reading = select.POLLIN if len(self._to_agent) < FULL else 0
                poll.register(self._socket, reading | (select.POLLOUT if self._to_daemon else 0))
            for descriptor, events in poll.poll(self._timeout(now, watch)):
                if descriptor == 0:
                    self._read_agent()
                elif descriptor == 1:
                    if events & select.POLLERR:
                        return  # nobody reads any more
                    self._write_agent()
                elif descriptor == watch:
                    return
                else:
                    self._serve_socket(events)
            if watch < 0 and os.getppid() != parent:
                return
            self._reap()

    def _timeout(self, now: float, watch: int) -> "int | None":
        """Milliseconds until something is due, None where nothing is."""
        due: list[float] = []
        if watch < 0:
            due.append(now + LOOK_FOR_PARENT)
        if self._ending:
            due.append(self._ending)
        if self._socket is None and self._waiting:
            due.append(self._retry_at)
        if self._socket is not None and not self._greeted:
            due.append(self._connected + GREETING)
        if self._waiting and (self._search or not self._greeted):
            due += [request.asked + self._patience(request) for request in self._waiting.values()]
        if self._starting:
            due.append(now + LAST_RETRY)
        return max(0, int((min(due) - now) * 1000) + 1) if due else None

    def _patience(self, request: Request) -> float:
        return SEARCH_PATIENCE if self._search and request.method == "tools/call" else PATIENCE

    def _give_up(self, now: float) -> None:
        """Answer what has waited for too long: for a daemon, or, a search, for anything."""
        if self._socket is not None and not self._greeted and now > self._connected + GREETING:
            self._lost()
        for key, request in list(self._waiting.items()):
            limited = not self._greeted or (self._search and request.method == "tools/call")
            if limited and now > request.asked + self._patience(request):
                self._answer_failed(key, request, UNREACHABLE)

    def _answer_failed(self, key: "Key", request: Request, reason: str) -> None:
        del self._waiting[key]
        if self._search and request.method == "tools/call":
            text = '{"content":[{"type":"text","text":"' + SEARCH_FAILED + '"}],"isError":true}'
            self._to_agent += ('{"jsonrpc":"2.0","id":' + written(key) + ',"result":' + text + "}\n").encode()
        else:
            self._refuse(key, -32603, reason)

    def _refuse(self, key: "Key | None", code: int, reason: str) -> None:
        """Answer with an error; where no id can be told, `null` stands for it."""
        error = '{"code":' + str(code) + ',"message":"' + reason + '"}'
        name = "null" if key is None else written(key)
        self._to_agent += ('{"jsonrpc":"2.0","id":' + name + ',"error":' + error + "}\n").encode()

    # -- the agent ----------------------------------------------------------------------------

    def _read_agent(self) -> None:
        data = os.read(0, 65536)
        if not data:
            self._ending = monotonic() + LINGER
            return
        self._from_agent += data
        for line in lines(self._from_agent):
            self._said(line)

    def _said(self, line: bytes) -> None:
        """Take one line of the agent: a message, or a batch of them, whose answers go back one by one."""
        said = line.decode("utf-8", "replace")
        message = parse(said)
        if message is None:
            batch = elements(said)
            for part in batch or ():
                if parse(part) is None:
                    self._refuse(None, *NO_MESSAGE)
                else:
                    self._said(part.encode() + b"\n")
            if not batch:
                self._refuse(None, *(NO_MESSAGE if elements(f"[{said}]") else NOT_JSON))
            return
        method = message.get("method")
        key = key_of(message)
        answers = "result" in message or "error" in message
        if not answers and (not isinstance(method, str) or ("id" in message and key is None)):
            self._refuse(key, *NO_MESSAGE)
            return
        if isinstance(method, str) and key is not None:
            self._waiting[key] = request = Request(line, method)
            if not self._greeted:
                return  # it is sent when the connection stands
            request.attempts += 1
        elif method == "notifications/initialized":
            self._initialized = line
        elif method == "notifications/cancelled":
            params = message.get("params")
            cancelled = key_of({"id": params.get("requestId")}) if isinstance(params, dict) else None
            if cancelled is not None:
                self._waiting.pop(cancelled, None)
        if self._greeted:
            self._to_daemon += line

    def _write_agent(self) -> None:
        try:
            done = os.write(1, self._to_agent[:PIECE])
        except BrokenPipeError:
            self._to_agent.clear()
            self._waiting.clear()
            self._ending = monotonic()
            return
        del self._to_agent[:done]

    # -- the daemon ---------------------------------------------------------------------------

    def _serve_socket(self, events: int) -> None:
        assert self._socket is not None
        try:
            if events & select.POLLOUT and self._to_daemon:
                done = self._socket.send(self._to_daemon)
                del self._to_daemon[:done]
            if events & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = self._socket.recv(65536)
                if not data:
                    self._lost()
                    return
                self._from_daemon += data
        except BlockingIOError:
            return
        except OSError:
            self._lost()
            return
        if not self._greeted:
            self._greet()
        if self._greeted:
            for line in lines(self._from_daemon):
                self._answered(line)

    def _answered(self, line: bytes) -> None:
        """Take one line of the server."""
        message = parse(line.decode("utf-8", "replace"))
        if message is not None and "method" not in message:
            key = key_of(message)
            if key is not None and key == self._swallow:
                self._swallow = None
                return
            if key is not None:
                request = self._waiting.pop(key, None)
                if request is None:
                    return  # cancelled, or given up: nobody waits for it
                if request.method == "initialize" and "result" in message:
                    self._handshake = key, request.line
        self._to_agent += line

    def _connect(self) -> None:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            connection.settimeout(1.0)
            connection.connect(self._path())
            connection.setblocking(False)
        except OSError:
            connection.close()
            self._later()
            if not self._start_asked:
                self._start()
            return
        self._socket = connection
        self._connected = monotonic()
        self._to_daemon = bytearray(frame(self._params))
        self._from_daemon = bytearray()

    def _greet(self) -> None:
        """Read the daemon's reply, and say what is to be said on a new connection."""
        if len(self._from_daemon) < 4:
            return
        end = 4 + int.from_bytes(self._from_daemon[:4], "big")
        if len(self._from_daemon) < end:
            return
        if b"\xa2ok\xc3" not in self._from_daemon[:end]:
            self._lost()
            return
        del self._from_daemon[:end]
        self._greeted, self._start_asked = True, False
        self._retry = FIRST_RETRY
        if self._handshake is not None:
            self._swallow = self._handshake[0]
            self._to_daemon += self._handshake[1]
            self._to_daemon += self._initialized
        for key, request in list(self._waiting.items()):
            if request.attempts >= ATTEMPTS:
                self._answer_failed(key, request, ENDED_OVER_IT)
            else:
                request.attempts += 1
                self._to_daemon += request.line

    def _lost(self) -> None:
        assert self._socket is not None
        self._socket.close()
        self._socket = None
        if self._greeted:
            now = monotonic()
            for key, request in list(self._waiting.items()):
                if self._search and request.method == "tools/call" and request.attempts:
                    self._answer_failed(key, request, "")  # its profile allows no second try
                else:
                    request.asked = now
            self._retry_at = now
        else:
            self._later()
        self._greeted = False
        self._swallow = None
        self._to_daemon.clear()
        self._from_daemon.clear()

    def _later(self) -> None:
        self._retry_at = monotonic() + self._retry
        self._retry = min(self._retry * 2, LAST_RETRY)

    def _path(self) -> str:
        """The socket of the daemon that holds the lock, else the one at which a service manager may listen."""
        try:
            descriptor = os.open(self._settings["lock"], os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return str(self._settings["socket"])
        said = parse(os.read(descriptor, 4096).decode("utf-8", "replace"))
        os.close(descriptor)
        path = said.get("socket") if said is not None else None
        return path if isinstance(path, str) and path else str(self._settings["socket"])

    def _start(self) -> None:
        """Have the daemon started. `recall start` knows how: by its service, or in the background."""
        self._start_asked = True
        command = [*self._settings["recall"], "start"]
        quiet = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
        try:
            self._starting = os.posix_spawn(command[0], command, self._env, file_actions=quiet, setpgroup=0)
        except OSError:
            self._starting = 0  # the request that waits is answered with an error when its time is over

    def _reap(self) -> None:
        if self._starting:
            done, _ = os.waitpid(self._starting, os.WNOHANG)
            if done:
                self._starting = 0


def lines(buffer: bytearray) -> "list[bytes]":
    """Take the whole lines out of `buffer`, each with its end."""
    end = buffer.rfind(b"\n") + 1
    if not end:
        return []
    whole = bytes(buffer[:end])
    del buffer[:end]
    return [line + b"\n" for line in whole.split(b"\n")[:-1] if line.strip()]


def parent_descriptor(parent: int) -> int:
    """Return a descriptor that becomes readable when the process `parent` ends, -1 where there is none."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        return os.pidfd_open(parent)
    except OSError:  # an old kernel, or it is gone: the look at our parent's id tells
        return -1


def frame(params: "dict[str, str | int]") -> bytes:
    """Return the `mcp` request as one frame of the wire (docs/protocol.md)."""
    parts = [b"\x84\xa1v\x01\xa2id\x01\xa6method\xa3mcp\xa6params", bytes([0x80 + len(params)])]
    for name, value in params.items():
        parts += [text(name), text(value) if isinstance(value, str) else b"\xcf" + value.to_bytes(8, "big")]
    payload = b"".join(parts)
    return len(payload).to_bytes(4, "big") + payload


def text(value: str) -> bytes:
    """Return a text as msgpack."""
    data = value.encode("utf-8", "replace")[:4096]
    return b"\xda" + len(data).to_bytes(2, "big") + data


SESSION_VARIABLES = {"claude-code": "CLAUDE_CODE_SESSION_ID", "qwen-code": "QWEN_CODE_SESSION_ID"}
"""Where agents tell what they start which session it belongs to. Codex does not."""


def asker(arguments: "list[str]", environ: "dict[str, str]") -> "dict[str, str | int]":
    """Return the parameters of the `mcp` request: the profile, and who asks, from where, since when."""
    params: dict[str, str | int] = {
        "profile": "context-search" if "--context-search" in arguments else "tools",
        "since": int(time() * 1000),
    }
    agent = arguments[arguments.index("--agent") + 1] if "--agent" in arguments[:-1] else ""
    for name, variable in SESSION_VARIABLES.items():
        if agent in ("", name) and environ.get(variable):
            agent = name
            params["session"] = environ[variable]
            break
    if agent:
        params["agent"] = agent
    try:  # noqa: SIM105  # contextlib is not for this file
        params["cwd"] = os.getcwd()
    except OSError:
        pass  # it is gone: then nothing is asked about it
    return params


def main(arguments: "list[str]", settings: "Settings", env: "dict[bytes, bytes]") -> None:
    """Relay for the agent that started this process, and end the process.

    `arguments` are those behind `mcp`. `settings`: `socket` and `lock`, paths, and `recall`, the command line's argv,
    for which `env` is.
    """
    for number in (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, _signal.SIG_DFL)
    Relay(settings, env, asker(arguments, dict(os.environ))).run()
    os._exit(0)  # an interpreter that takes itself apart needs another 2 ms
