"""Connection strings: lists of `name=value` parted by semicolons."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, strong
from recalld.redact.values import words

_KEYS = ("AccountKey=", "accountkey=", "ACCOUNTKEY=", "SharedAccessKey=", "sharedaccesskey=")
NAMES = ("Password=", "password=", "PASSWORD=", "Pwd=", "pwd=", "PWD=", "Passwd=", "passwd=", *_KEYS)
"""Names under which such a list holds its secret."""

REACH = 400
"""Characters before and behind the secret in which another member of the list must stand."""

_MEMBER = (
    r"(?:Server|Data ?Source|Database|Initial Catalog|User ?Id|Uid|User|User ?Name|Host|HostName|Port|Driver|DSN|Addr|Address|"
    r"Network Address|Provider|AccountName|DefaultEndpointsProtocol|EndpointSuffix|Endpoint|SharedAccessKeyName|EntityPath|Encrypt|"
    r"TrustServerCertificate|Trusted_Connection|Integrated Security|Persist Security Info|MultipleActiveResultSets|"
    r"SSL ?Mode|Pooling|Connect(?:ion)? Timeout|Application Name|Authentication|Charset|BlobEndpoint|Protocol|Schema|Service)"
)
_BEFORE = re.compile(rf"(?i)(?:^|[;\"'`\s=]){_MEMBER} ?=[^;\n\"'`]{{0,200}};(?:[^\n\"'`]{{0,{REACH}}};)?[ ]?$")
_BEHIND = re.compile(rf"(?i)[\"']?;[^\n\"'`]{{0,200}}?(?<=[; ]){_MEMBER} ?=")
_VALUE = re.compile(
    r"[ ]?(?:\{([^{}\n]{1,256})\}(?=[;\"'\s]|$)|\\{0,7}\"((?:[^\"\\\n]|\"\"){1,256})\\{0,7}\"(?=;)|'([^'\n]{1,256})'|([^;\"'`\s\\][^;\"'`\n\\]{0,255}(?=;)|[^;\"'`\s\\]{1,256}))"
)
_PLAIN = words("password pass passwd pwd pw secret token key your_password yourpassword mypassword")


def connection_string(text: str, start: int, end: int) -> Iterator[Span]:
    """`Server=…;User Id=…;Password=…;`, `AccountName=…;AccountKey=…`: whatever the secret looks like."""
    found = _VALUE.match(text, end)
    if found is None:
        return
    number = found.lastindex or 0
    value = found[number]
    lower = value.lower()
    if number == 1 and re.fullmatch(r"[A-Za-z_][A-Za-z_.]{0,40}|\d{1,2}", value):  # a place to fill
        return
    if lower in _PLAIN or values.is_reference(value) or values.is_empty_word(value):
        return
    if "(" in value and values.is_code(value):
        return
    if values.mentions_secret(value) and not strong(value):
        return
    if not (_BEFORE.search(text[max(0, start - REACH) : start]) or _BEHIND.match(text, found.end())):
        return
    yield (*found.span(number), "azure-key" if text[start:end] in _KEYS else "password")
