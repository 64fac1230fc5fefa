"""Judging a value: could this text be a secret, or is it a word, a reference, a placeholder, a hash?

Every function here looks at one value of bounded length (callers cut at MAX_VALUE), never at its surroundings.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import base64
import re
from functools import lru_cache

from recalld.redact.wordlike import is_wordlike, worded

MAX_VALUE = 8192
"""Characters of one value that are read at most."""


def words(listed: str) -> frozenset[str]:
    """Return the set of the words in `listed`."""
    return frozenset(listed.split())


_STEMS = (
    "passwd|passphrase|passcode|pwd|secret|token|credential|api.?key|passwor[td]|kennwort|contrase|mot.?de.?passe|senha|"
    "wachtwoord|парол|hasło|lösenord|密码|密碼|口令|パスワード|비밀번호|암호"
)
_STEM = re.compile(_STEMS, re.IGNORECASE)

_EMPTY_WORDS = words(
    """
    null none nil undefined true false yes no on off nan empty void unset default required optional string str
    text boolean bool int integer number float bytes buffer object array list dict map any unknown never char
    varchar secretstr redacted hidden masked omitted removed filtered scrubbed sanitized todo tbd fixme
    placeholder example dummy sample foo bar baz qux value values field input output self this cls user username
    name email login admin_password invalid incorrect wrong missing expired valid changed updated reset enabled
    disabled ok error failed success bearer basic digest plain hashed salted plaintext encrypted ask prompt stdin file env
    environment vault keychain keyring auto autodetect shift current new old left right primary foreign unique public
    private literal static const pw pwd pass passwd password
    """
)
"""Values that say of a setting what it is, or that there is none."""

_PROSE_WORDS = words(
    """
    a an the is are was were be been to of for and or not in on at by with from your you my our it its this that
    these those must should can cannot will would has have had no if when then else than as so do does did please
    enter choose forgot required invalid incorrect wrong missing expired use used using see options option flags
    flag arguments argument parameter parameters values switch support settings instead which who what where how
    all any each every only also but into about after before between must may might need needs we they he she i le
    la les de du des un une et ou est der die das ein eine und oder ist nicht el los las es una y para por con
    """
)

_REFERENCE = re.compile(
    r"""(?x)
    &\#?\w{2,6}; | q[rwx][/({\[|] | &{1,2}[a-z_]+$ | [\w-]{1,16}\.{3}\w{0,8}$ | @(?:property|staticmethod|classmethod|Override)$ | \$[A-Za-z_]\w*-$ |
    \$[A-Za-z_][A-Za-z0-9_]*(?:(?:[:.\[{]|->).{0,200})?$         # $TOKEN, $env:TOKEN, $config["x"], $ENV{X}
    | \$(?:\$|::)[A-Za-z_][\w:]*[\[{(].{0,200}$ | @\{\$ | %[A-Z_]{2,20}%(?:[\[{].{0,200})?$
    | \$\$?[{(\[] | \#\{ | \{\{ | \{%  | \$\$$ | <%
    | %~?\d$ | %\(?[A-Za-z_]\w*\)?[sd%]$ | %[sdrv]$ | \$\d$
    | \{[A-Za-z_]?[\w.!:\[\]"'()-]{0,80}\}\S{0,40}$         # {password}, {}
    | <[^<>\n]{0,80}>? \s* \S{0,3}$
    | \[[A-Za-z_ -]{0,60}\]?$ | \[redacted:
    | (?:os|process|sys|import\.meta|Deno|Bun|std)(?:\.|::)\w* | env[.(\[:] | ENV[.(\[] | getenv | secrets?[.\[] | vars?\.
    | var\.|local\.|data\.|module\.|each\.|steps\.|needs\.|inputs\.|github\.|props\.|self\.|this\.|req\.|config\.|settings\.
    | (?:op|vault|ssm|awssm|gcpsm|keyring|secretsmanager|azurekeyvault|ref\+\w+|env|file|secret|sops|keychain):/{0,2}[\w/]
    | arn:aws | projects/ | ![A-Za-z_]+\d?(?=$|[\s.()\[{,;&|?]) | @\w+[/.({]
    | \.{2,}$ | …  | \*{2,}\S{0,6}$ | [•●·∙x*X.#_-]{3,}$
    """
)
_CALL = re.compile(
    r"(?:(?:await|new|yield|not|return)\s+)?[&!+-]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_#$][\w$]*!?)*\s?(?:<[\w, ]{1,40}>)?[(\[]"
)
_DOTTED = re.compile(r"[&*!+-]?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_#$][\w$]*)+[!?]?$")
_EXPRESSION = re.compile(
    r"""(?x)
    [\[({] | &(?:mut[ ])?\[ | [a-z-]{3,20}\{[a-z-]{1,30}: | [agslbwtv]:[A-Za-z_0-9]\w{0,40}$ |
    [\w$.+!'\"-]{0,60}[,;})\]]+[\w$.{}()\[\]]{0,60}[:=(.\[{] |
    [\w$.]{1,60}[;})\]]+(?:get|set|return|var|let|const|function|if|for|case|else|of|async|static|export|break|class|throw|try|while|switch|new)$ |
    [\w$.]{1,60}=[!\w$.]{1,60}[;,})] | (?:[A-Za-z_$][\w$]{0,30}\.[A-Za-z_$][\w$]{0,40}=){2} | \+?[\w$.]{1,60}\+$ | \\[sSwWdD][*+?] | \.\*/ |
    [^\s]{0,200}?(?:=>|===|!==|&&|\|\||\$\{|\w\(|\w\[\w{1,20}\]|\){2}|\)[.;,]) | /[\^(\[\\]
    """
)
_FORMAT = re.compile(r"%(?:\(\w{1,40}\))?-?\d{0,3}[sdrv](?![\w%])")
_SUM = re.compile(r"[A-Za-z_]\w*(?:[+*/|][A-Za-z_]\w*)+$")
_LATE_LETTER = re.compile(r"\d[A-Za-z]")
_PATTERN = re.compile(
    r"\[\^?(?:\w-\w|\\)|\(\?[:=!<Pi]|\\[dsSwWbDB](?:[+*?{\]]|\\)|\$\{|\$[A-Z_]{3}|\{\d{0,2}(?::[^{}]{0,12})?\}|\{[a-z_]\w{0,40}\}|[ ]\?[ ][^:\n]{1,60}[ ]:[ ]|^\^.{0,200}\$$|^/[\^(\[\\].{0,200}/[a-z]{0,4}$"
)
_IDENTIFIER = re.compile(r"[&*]?[A-Za-z_]\w*$")
_PLACEHOLDER = re.compile(
    r"(?i)^(?:your|my|the|an?|some|insert|replace|enter|put|add|set|use|paste|fill|any)[\W_].*"
    r"(?:key|token|secret|pass|password|pw|value|credential|id|here)\w{0,12}$"
    r"|^your[-_ ]?\w|[-_ ](?:here|goes[-_ ]here)[-_ ]?$|^x{4,}|x{8,}|[*•]{3,}|\.{3,}$|^example(?:[-_ ]|$)|^placeholder|^dummy[-_]|^fake[-_]"
    r"|^replace[-_ ]?(?:me|with|this)|^<|>$|^(?:0{6,}|1{6,}\d{0,2})$|^redacted|redacted$|^abc\.{2}"
)
_PUBLIC_KEY = re.compile(r"pk_(?:live|test)_|pk\.eyJ|phc_\w{20}|0x[0-9a-fA-F]{40}$|age1[a-z0-9]{50}")
"""What vendors mark as made for a page that anybody can read, and addresses on a chain."""
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_HEX = re.compile(r"[0-9a-f]{7,128}$|[0-9A-F]{7,128}$")
_HASH_LABEL = re.compile(
    r"(?i)(?:sha\d{0,3}|md5|sha\d-\d{3}|blake\w{1,4}|xxh\d{0,3}|crc32|\$2[aby]\$|\$argon2|\$pbkdf2|\$[156y]\$|pbkdf2|bcrypt|scrypt|argon2)[-:$_]?"
)
_VERSION = re.compile(r"[v^~>=<]{0,3}\d+(?:\.\d+)+(?:[-+.][\w.+-]{1,40})?$")
_RELEASE = re.compile(r"[v^~>=<]{0,3}\d+\.\d+\.\d+(?:-(?:rc|beta|alpha)\S{0,10})?$")
_NUMBER = re.compile(r"[-+]?[\d_,]*\.?\d+(?:e[-+]?\d+)?(?:px|em|rem|ms|s|m|h|d|k|kb|mb|gb|%)?$", re.IGNORECASE)
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S{0,16})?$|\d\d:\d\d(?::\d\d)?$")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+ -]*)*$|[A-Za-z]:\\[\w\\. -]+$|[\w.-]+(?:/[\w.-]+)+\.\w{1,8}$"
    r"|[\w-]{1,60}\.(?:py|js|ts|tsx|go|rs|json|ya?ml|toml|txt|md|pem|key|crt|pub|env|sh|html|css|java|rb|c|h|cfg|ini|log)$"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,15}://")
_SSH_PUBLIC = re.compile(r"(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|AAAA[BCE]3)|SHA256:|MD5:")
_PART = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-_./: ]{1,2}[^\W\d_]+)*$")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_reference(value: str) -> bool:
    """Return whether `value` names a secret's place (a variable, a template, a mask) and holds none."""
    return bool(_REFERENCE.match(value)) or bool(_PLACEHOLDER.search(value[:120])) or len(set(value)) < 2


def is_code(value: str) -> bool:
    """Return whether `value`, unquoted, is an expression: a call, a subscript, a dotted name."""
    return bool(_CALL.match(value)) or (bool(_DOTTED.match(value)) and not _is_drawn(value))


def _is_drawn(value: str) -> bool:
    """Return whether what could be a dotted name is too irregular for one: `q7Tz.fK2pW9x`."""
    if len(value) >= 18 and any(is_random(piece, 16) for piece in value.split(".")):
        return True
    return (
        len(value) >= 10 and bool(_LATE_LETTER.search(value)) and worded(value) < 0.45 and worded(_GROUPS.sub("", value)) < 0.6
    )


def is_expression(value: str) -> bool:
    """Return whether `value`, unquoted, cannot be but code: an operator, a call, members of a list that go on."""
    return (
        is_code(value)
        or bool(_EXPRESSION.match(value))
        or (bool(_SUM.match(value)) and (worded(value) >= 0.5 or value.islower()) and not any(c.isdigit() for c in value))
    )


def is_pattern(value: str) -> bool:
    """Return whether `value`, quoted, is a regular expression or a format with places to fill."""
    head = value[:400]
    return bool(_PATTERN.search(head)) or (bool(_FORMAT.search(head)) and (len(head) < 8 or worded(head) >= 0.4))


def is_identifier(value: str) -> bool:
    return bool(_IDENTIFIER.match(value))


def mentions_secret(value: str) -> bool:
    """Return whether `value` itself contains a word like password or token, as labels and variable names do."""
    return bool(_STEM.search(value))


def is_empty_word(value: str) -> bool:
    """Return whether `value` is a type, a state or a placeholder of one word."""
    return value.lower().strip("?!*.,;:()[]{}|&") in _EMPTY_WORDS


_CONTRACTION = re.compile(r"[A-Za-z]{1,8}'[A-Za-z]{1,12}[.,;:!?]?$")
"""`don't`, `l'utilisateur`."""


def is_prose(value: str) -> bool:
    """Return whether `value` reads as words of a sentence or of a label."""
    words = value.split()
    if len(words) < 2:
        return value.lower().strip(".,;:!?") in _PROSE_WORDS or bool(_CONTRACTION.match(value))
    plain = [w.lower().strip(".,;:!?()'\"") for w in words]
    if any(w in _PROSE_WORDS for w in plain):
        return True
    if value[0].isupper() and all(w[:1].islower() and w.isalpha() for w in words[1:]):
        return True
    return len(words) > 2 and value[-1] in ".?!:"


def is_outright_public(value: str) -> bool:
    """Return whether `value` cannot be a password whatever its name: a version, a URL, a public key, a labelled hash."""
    forms = (_RELEASE, _URL, _SSH_PUBLIC, _HASH_LABEL, _PUBLIC_KEY)
    return any(form.match(value) for form in forms)


def is_machine(value: str) -> bool:
    """Return whether `value` has the form of something public: a hash with its label, a version, a number, a date, a
    path, a URL, a public key."""
    return bool(
        _VERSION.match(value)
        or _COLOUR.match(value)
        or _DATE.match(value)
        or is_path(value)
        or _SSH_PUBLIC.match(value)
        or _URL.match(value)
        or _HASH_LABEL.match(value)
        or _PUBLIC_KEY.match(value)
    )


def is_path(value: str) -> bool:
    """Return whether `value` is a file's path, and not base64 that happens to hold slashes."""
    if not _PATH.match(value):
        return False
    longest = max(len(piece) for piece in re.split(r"[/\\\\]", value))
    return len(value) < 30 or "." in value or longest < 12 or not is_random(value.replace("/", "a").replace("+", "b"), 30)


_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,1000}={0,2}$")


def is_encoded_text(value: str) -> bool:
    """Return whether `value` is base64 with its padding, of text: what a Kubernetes secret holds."""
    if len(value) % 4 or not value.endswith("=") or not _BASE64.match(value):
        return False
    try:
        decoded = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return all(32 <= c < 127 for c in decoded)


def is_number(value: str) -> bool:
    return bool(_NUMBER.match(value))


def is_hex(value: str) -> bool:
    """Return whether `value` is hexadecimal only, as digests and object names are."""
    return bool(_HEX.match(value))


_GROUPS = re.compile(r"\d+")


def is_irregular(value: str) -> bool:
    """Return whether `value`, of letters and digits alone, is too irregular for a name: `Crano25H3lQn0`."""
    return (
        len(value) >= 10
        and value.isalnum()
        and any(c.isupper() for c in value)
        and any(c.islower() for c in value)
        and worded(value) < (0.72 if len(_GROUPS.findall(value)) >= 2 else 0.35)
        and any(c.isdigit() for c in value)
    )


def is_uuid(value: str) -> bool:
    return bool(_UUID.match(value))


@lru_cache(maxsize=4096)
def is_wordy(value: str) -> bool:
    """Return whether `value` is words alone: a word, a slug, camelCase, CONSTANT_CASE, letters and separators only."""
    value = value.strip("_")
    if not _WORD.match(value):
        return False
    if not value.isascii():
        return True
    for word in re.split(r"[-_./: ]+", value):
        if len(word) >= 10:
            parts = _CAMEL.findall(word)
            if len(parts) > len(word) / 3.2:
                return False
            if not re.search(r"[aeiouyAEIOUY]", word) or re.search(r"[bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ]{7}", word):
                return False
    return True


_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]{1,16}){1,12}$")
_NUMBERED = re.compile(r"(?:[a-z]{3,12}|[A-Z]{3,12}|[vrpht])\d{1,2}$")


@lru_cache(maxsize=4096)
def is_slug(value: str) -> bool:
    """Return whether `value` is a name like my-app-2, api-v1-prod or HTTP_204_NO_CONTENT: words with short numbers."""
    if not _SLUG.match(value):
        return False
    return all(
        (p.isalpha() and is_wordy(p)) or (p.isdigit() and len(p) <= 4) or _NUMBERED.match(p) for p in re.split(r"[-_.]", value)
    )


_PASSPHRASE = re.compile(r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){1,5}[-_.]?\d{2,4}[!?]?$")

_ALGORITHM = re.compile(
    r"(?i)(?:^|[-_.])(?:sha|aes|md|rsa|des|hmac|utf|tls|ssl|ipv|curve|ed|p|win|x|creds?|cert|config|tls|ca|db|test|app|server|host|arm|amd|i|v|py|python|node|port|http|ubuntu|debian)[-_.]?\d+$"
)


def is_passphrase(value: str) -> bool:
    """Return whether `value` is words and a number, as generators make them and people remember them:
    `maple-harbor-291`."""
    return bool(_PASSPHRASE.match(value)) and not mentions_secret(value) and not _ALGORITHM.search(value)


_DOTTED_WORDS = re.compile(r"[A-ZÀ-Ÿ]?[a-zß-ÿ]{2,12}(?:\.[A-ZÀ-Ÿ]?[a-zß-ÿ]{2,12}){1,3}\d{1,4}[!?]?$")


def is_dotted_words(value: str) -> bool:
    """Return whether `value` may be a member of something or words with points and a number: `Marble.banana22`."""
    return bool(_DOTTED_WORDS.match(value)) and not mentions_secret(value) and not _ALGORITHM.search(value)


def is_salt(value: str) -> bool:
    """Return whether `value` is characters of all kinds, blanks among them, as installers draw them for a site's salts."""
    symbols = [c for c in value if not c.isalnum()]
    digits = sum(c.isdigit() for c in value)
    return (
        40 <= len(value) <= 72
        and len(symbols) >= 8
        and len(set(symbols)) >= 6
        and digits >= 2
        and any(c.isupper() for c in value)
        and any(c.islower() for c in value)
        and worded(value) < 0.5
    )


def is_name(value: str) -> bool:
    """Return whether `value` is a slug, and no passphrase."""
    return is_slug(value) and not is_passphrase(value)


@lru_cache(maxsize=4096)
def is_random(value: str, least: int = 16) -> bool:
    """Return whether `value` looks drawn at random: `least` characters or more, of mixed classes that change often.

    Slugs with numbers, identifiers, versions and paths are not random; hexadecimal digests and UUIDs are (their callers
    know whether they are public).
    """
    if len(value) < least or " " in value:
        return False
    if is_wordy(value) or is_slug(value) or (len(value) >= 12 and is_wordlike(value) and not is_hex(value)):
        return False
    letters = sum(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    if not letters:
        return digits >= 2 * least and len(set(value)) > 5
    distinct = len(set(value))
    if distinct < min(8, len(value) * 0.5):
        return False
    parts = [p for p in _PART.findall(value) if p[0].isalnum()]
    pieces = 0
    for part in parts:
        if part.isalpha() and part.isascii():
            pieces += max(1, len(_CAMEL.findall(part)))
            if len(part) >= 8 and not re.search(r"[aeiouyAEIOUY]", part):
                pieces += 2
        else:
            pieces += 1
    if digits == 0:
        mixed = len(value) >= 20 and not value.islower() and not value.isupper()
        return pieces >= len(value) / 3.2 or (mixed and worded(value) < 0.35)
    return pieces >= max(4, len(value) / 6)
