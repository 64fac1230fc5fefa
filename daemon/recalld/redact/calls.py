"""Secrets that a call gives away: `auth=("ada", "X")`, `new Credentials("ada", "X")`, `jwt.sign(claims, "X")`."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.judge import Span, mixed_classes, strong
from recalld.redact.values import words

_PLAIN = words("password pass passwd pwd pw secret token your_password yourpassword mypassword user username")
_OPEN_CALLS = ("auth=", "auth =", "BasicAuth", "basic_auth", "basicAuth")
CREDENTIAL_CALLS = (
    *_OPEN_CALLS, "login(", "Login(", ".auth(", "redentials(", "redential(", "wordAuthentication(", "wordAuthenticationToken(", "getConnection(",
    "mysqli(", "mysqli_connect(", "mysql_connect(", "pg_connect(", "new PDO(", "create_user(", "createUser(", "create_superuser(", "signIn(",
    "sign_in(", "equelize(", "WiFi.begin(", "Ldb.connect(", "mssql.connect(", "DBI->connect(", "signInWithEmailAndPassword(", "createUserWithEmailAndPassword(", "authenticate(", "authenticate_user(", "logIn(", "connectWithCredentials(",
    "setCredentials(", "set_credentials(", "add_password(", "usernameAndPassword(",
)  # fmt: skip
"""Calls whose last string among the first four arguments is a password."""

_STRING = r"\\{0,7}(?:[bBrRuU@]{1,2})?\\{0,7}[\"']([^\"'\n\\]{0,200})\\{0,7}[\"']"
_ARGUMENT = re.compile(
    rf"\s{{0,20}}(?:/\*[^*\n]{{1,40}}\*/[ ]?)?(?:\w{{1,20}}[ ]?[=:][ ]?)?(?:Some\(|N|L)?{_STRING}\)?(?:\.\w{{1,20}}\(\))?\s{{0,20}}|\s{{0,20}}[A-Za-z_$][\w.$]{{0,60}}(?:\(\))?\s{{0,20}}(?=[,)])"
)
_START = re.compile(r"[ ]?=?[ ]?[(\[]?(?=[\s\\\"'\w$@])")


def credentials(text: str, start: int, end: int) -> Iterator[Span]:
    """A call or a tuple of a user and a password."""
    opened = _START.match(text, end)
    if opened is None or not ("(" in text[end - 1 : opened.end()] or "[" in opened[0]):
        return
    strings: list[re.Match[str]] = []
    at = opened.end()
    for number in range(5):
        argument = _ARGUMENT.match(text, at)
        if argument is None:
            break
        if argument[1] is not None:
            strings.append(argument)
        at = argument.end()
        if text[at : at + 1] != ",":
            break
        at += 1
        if number >= 3 and not strings:
            return
    if not strings:
        return
    plain_call = not text.startswith(_OPEN_CALLS, start)
    # of `connect("host", "user", "X", "database")` the third, of all others the last
    candidates = strings[1:] if plain_call else strings[-1:]
    if len(strings) < 2 and (plain_call or text[at : at + 1] == ","):
        return
    for argument in candidates:
        v = argument[1]
        if values.is_reference(v) or v.lower() in _PLAIN or values.is_empty_word(v) or len(v) < 3:
            continue
        if plain_call and not (
            strong(v)
            and len(v) >= 6
            and any(c.isdigit() for c in v)
            and not values.is_name(v)
            and not values.is_machine(v)
            and not values.is_pattern(v)
            and "@" not in v.rstrip("@")[-12:-3]
            and " " not in v
            and not values.is_uuid(v)
        ):
            continue
        yield (*argument.span(1), "password")


SIGNING_CALLS = (
    "jwt.sign(", "signWith(", "jwt.encode(", "jwt.verify(", "jwt.decode(", "JWT.encode", "JWT.decode", "createHmac(", "hmac.new(", "hmac.New(", "Fernet(", "hash_hmac(",
    "Algorithm.HMAC256(", "Algorithm.HMAC512(", "hmacShaKeyFor(", "Keys.hmac", "SignedString(", "Stripe(", "cookieSession(", "cookieParser(",
    "CookieStore(", "NewCookieStore(", "csrf(", "AES.new(", "createCipheriv(", "createDecipheriv(", "SecretKeySpec(", "pgp_sym_encrypt(", "pgp_sym_decrypt(",
    "aes_encrypt(", "AES_ENCRYPT(", "aes_decrypt(", "AES_DECRYPT(", "crypt(", "bcrypt.hash(", "bcrypt.hashSync(", "hashpw(", "generate_password_hash(", "password_hash(",
    "make_password(", "password_verify(", "GenerateFromPassword(",
)  # fmt: skip
"""Calls of which one argument is a key or a password, wherever it stands."""
HASHING_CALLS = (
    "crypt(", "hashpw(", "password_hash(", "Hash::make(", "make_password(", "generate_password_hash(", "check_password_hash(", "check_password(", "hashSync(",
    "compareSync(", "bcrypt.compare(", "bcrypt.hash(", "ncoder.encode(", "ncoder.matches(", "Encrypt.hashpw(", "password_verify(", "argon2.hash(", "argon2.verify(", "PasswordHasher(", "HashPassword(",
    "hash_password(", "verify_password(", "GenerateFromPassword(", "has_secure_password(", "valid_password?(", "authenticate(", "set_password(", "unlock(",
)  # fmt: skip
"""Calls that are given a password to hash or to check."""
_FIRST_STRING = re.compile(r"(?:\[\]byte\()?(?:[\w.$]{1,40},[ ]?)?[bBuU]?\\{0,7}[\"']([^\"'\n\\]{4,80})\\{0,7}[\"']")


def hashing(text: str, start: int, end: int) -> Iterator[Span]:
    """A password that is hashed or checked where it stands."""
    found = _FIRST_STRING.match(text, end)
    if found is not None and _given(found[1]):
        yield (*found.span(1), "password")


def _given(v: str) -> bool:
    """Return whether a string is what people give as a password, and no name, place or pattern."""
    return (
        any(c.isalpha() for c in v)
        and (any(c.isdigit() for c in v) or mixed_classes(v))
        and len(v) >= 5
        and " " not in v
        and v[0] != "$"
        and strong(v)
        and v.lower() not in _PLAIN
        and not values.is_name(v)
        and not values.is_reference(v)
        and not values.is_machine(v)
        and not values.is_pattern(v)
        and not values.is_hex(v)
    )


_CHARS = re.compile(r"\"([^\"\n\\]{5,40})$")


def characters(text: str, start: int, end: int) -> Iterator[Span]:
    """`"X".toCharArray()`: what Java opens key stores with."""
    begin = max(0, start - 44)
    found = _CHARS.search(text[begin:start])
    if found is not None and _given(found[1]) and not re.search("0123|1234|abcd|ABCD", found[1]):
        yield (begin + found.start(1), begin + found.end(1), "password")


_COUPLE = re.compile(r"[\s(]{0,3}[bBuU]?\\{0,3}[\"']([\w.@+-]{1,60}):([^\s\"'\\]{4,100})\\{0,3}[\"']")
COUPLES = (
    "btoa(",
    "b64encode(",
    "Buffer.from(",
    "encode64(",
    "base64_encode(",
    "EncodeToString([]byte(",
    "getEncoder().encode",
    "echo -n",
    "printf ",
    "printf '%s'",
)
"""What makes basic credentials of `user:password`."""


def couple(text: str, start: int, end: int) -> Iterator[Span]:
    """`btoa("ada:X")`, `echo -n ada:X | base64`."""
    found = _COUPLE.match(text, end)
    if found is None or (text[start] in "ep" and "base64" not in text[found.end() : found.end() + 20]):
        return
    if _given(found[2]) and not found[2].startswith("//"):
        yield (*found.span(2), "password")


_QUOTED = re.compile(r"\\{0,7}[\"']([^\"'\n\\]{0,200})\\{0,7}[\"']")


_ALGORITHM = re.compile(r"(?i)(?:sha|md|hs|rs|es|ps|aes|utf|hmac|ed|rsa|base|blake|id-)[-_]?\d")


def _keyed(v: str) -> bool:
    """Return whether a string is what people sign with: words and a number, or letters and digits mixed."""
    if _ALGORITHM.match(v) or len(v) < 8:
        return False
    return values.is_passphrase(v) or (v.isalnum() and not v.isdigit() and len(re.findall(r"\d+", v)) >= 2 and _given(v))


def signing(text: str, start: int, end: int) -> Iterator[Span]:
    """The key in a call that signs, encrypts or hashes with one."""
    line_end = text.find("\n", end, end + 160)
    stop = min(len(text), end + 160) if line_end < 0 else line_end
    for found in _QUOTED.finditer(text, end, stop):
        v = found[1]
        if (
            len(v) >= 6
            and not values.is_reference(v)
            and not values.is_machine(v)
            and not values.is_pattern(v)
            and not values.is_name(v)
            and not values.is_uuid(v)
            and " " not in v
            and (
                values.is_random(v, 12)
                or _keyed(v)
                or (values.is_hex(v) and len(v) >= 32)
                or (mixed_classes(v) and len(v) >= 8)
            )
            and any(c.isdigit() for c in v)
        ):
            yield (*found.span(1), "secret")
