"""Private keys as blocks of base64: PEM, PGP, PuTTY; whole, cut off, escaped, behind line numbers or diff marks."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from recalld.redact.judge import Span

_MAX_BLOCK = 32 * 1024
"""Characters of one key block: a 16,384-bit RSA key takes 13 KB, a PGP key with subkeys some more."""

_LABEL = re.compile(
    r"-{3,5} ?BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN (?:Static key V1|tls-crypt-v2 \w{1,8} key)) ?-{3,5}"
)
_KEY_RUN = re.compile(r"[A-Za-z0-9+/]{16}")
_CLOSING = re.compile(r"-{3,5} ?END (?:(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN [\w -]{1,30}) ?-{3,5}")
_LINE_OF_KEY = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{1,80}={0,2}(?=\\|\s|\"|'|-|$)")
_BETWEEN = re.compile(r"(?:[ \t>|*+#→\"',]|\\{1,31}[nrt]|\r?\n|\d{1,5}[\t→:|]|(?<=\n)[\w./-]{1,80}[-:]\d{1,5}[-:])+")
_HEADER_LINE = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\\"]{0,120}")


def key_block(text: str, start: int, end: int) -> Iterator[Span]:
    """A PEM or PGP private key from BEGIN to END; cut off, to the end of its base64."""
    label = _LABEL.match(text, start)
    if label is None:
        return
    at = label.end()
    another = text.find("-- BEGIN" if "- BEGIN" in label[0] else "--BEGIN", at, at + _MAX_BLOCK)
    limit = min(len(text), at + _MAX_BLOCK) if another < 0 else another
    mark = text.find("END " + label[1], at, limit)
    closing = _CLOSING.search(text, max(at, mark - 6), mark + 60) if mark >= 0 else None
    if closing is not None:
        if _KEY_RUN.search(text, at, closing.start()):
            yield (start, closing.end(), "private-key")
        return
    stop = _base64_end(text, at, limit)
    if stop > at and _KEY_RUN.search(text, at, stop):
        yield (start, stop, "private-key")


def _base64_end(text: str, at: int, limit: int) -> int:
    """Return the end of the run of base64 lines that begins near `at`, or `at`."""
    last = at
    while at < limit:
        gap = _BETWEEN.match(text, at, limit)
        if gap is not None:
            at = gap.end()
        line = _HEADER_LINE.match(text, at, limit) or _LINE_OF_KEY.match(text, at, limit)
        if line is None or line.end() == at:
            break
        run = line[0]
        if (
            len(run) < 16
            and ":" not in run
            and (last == at or not (run[-1] == "=" or any(c.isdigit() or c.isupper() for c in run[1:])))
        ):
            break
        at = last = line.end()
    return last


def key_block_tail(text: str, start: int, end: int) -> Iterator[Span]:
    """The end of a private key whose BEGIN was cut off: the base64 lines before END."""
    closing = _CLOSING.match(text, start)
    if closing is None:
        return
    floor = max(0, start - _MAX_BLOCK)
    at = first = start
    segment_end = start
    while at > floor:
        segment = text[max(floor, segment_end - 160) : segment_end]
        trimmed = segment.rstrip(" \t\r\n\"',")
        while trimmed[-2:] in ("\\n", "\\r", "\\t"):
            trimmed = trimmed[:-2].rstrip("\\ \t\r\n\"',")
        body = trimmed[len(trimmed.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")) :]
        if "\\" + body[:1] in ("\\n", "\\r", "\\t") and trimmed[: -len(body)].endswith("\\"):
            body = body[1:]
        if len(body) < 16 and not (first == start and body):
            break
        at = segment_end = first = segment_end - len(segment) + len(trimmed) - len(body)
    if first < start and _KEY_RUN.search(text, first, start):
        yield (first, closing.end(), "private-key")


_PUTTY = re.compile(r"Private-Lines: \d{1,4}((?:\s|\\{1,15}[nr])+[A-Za-z0-9+/=\s\\]{16,20000})")


def putty_key(text: str, start: int, end: int) -> Iterator[Span]:
    found = _PUTTY.match(text, start)
    if found is not None:
        yield (found.start(1), found.end(1), "private-key")


_ENCODED = re.compile(r"[A-Za-z0-9+/]{52,}")


def encoded_key(text: str, start: int, end: int) -> Iterator[Span]:
    """A private key that was put into base64 once more, as Kubernetes and CI variables hold it."""
    found = _ENCODED.match(text, start, start + 64)
    if found is None:
        return
    try:
        head = base64.b64decode(found[0][: len(found[0]) // 4 * 4])
    except (binascii.Error, ValueError):
        return
    if b"PRIVATE" in head:
        yield (start, max(found.end(), _base64_end(text, start, min(len(text), start + _MAX_BLOCK))), "private-key")


_MEMBER = re.compile(r"[ ]{0,2}:[ ]{0,2}\\{0,7}\"([A-Za-z0-9_-]{20,2000})\\{0,7}\"")


def jwk_member(text: str, start: int, end: int) -> Iterator[Span]:
    """The private members of a JSON web key: `d`, `p`, `q`, `dp`, `dq`, `qi`, and `k` of a symmetric one."""
    found = _MEMBER.match(text, end)
    if found is not None and "kty" in text[max(0, start - 3000) : found.end() + 3000]:
        yield (*found.span(1), "private-key")


_COLONS = re.compile(
    r"[ ]?(?:\r?\n|\\n)((?:[ \t]{0,12}(?:[0-9a-f]{2}:){1,40}(?:[0-9a-f]{2})?(?:\r?\n|\\n|$)?){1,200}(?:[ \t]{0,12}[0-9a-f]{2}(?=\s))?)"
)


def printed_key(text: str, start: int, end: int) -> Iterator[Span]:
    """The private numbers of a key as openssl prints them."""
    found = _COLONS.match(text, end)
    if found is not None:
        yield (found.start(1), found.start(1) + len(found[1].rstrip()), "private-key")
