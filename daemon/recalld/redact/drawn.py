"""What is drawn at random, wherever a value may stand: `Client("X")`, `?code=X`, `Unseal Key 1: X`, X alone on a line.

No literal leads to such a value, so runs of letters and digits are looked for in the text itself, with two operations
of bytes that read more than a gigabyte a second. What is found is then judged by three things: how plainly it is drawn
at random, what the words nearest to it promise (a key, or a hash), and whether it stands where a value stands.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import base64
import binascii
import re
import string
from functools import lru_cache

from recalld.redact import values
from recalld.redact.judge import Span
from recalld.redact.wordlike import worded

KIND = "unnamed-key"
RUN = 16
"""Letters and digits in a row that make a run worth a look. Base64 of 32 characters holds one in 19 of 20 cases."""
_ALNUM = string.ascii_letters + string.digits
TABLE = bytes(97 if chr(c) in _ALNUM else 32 for c in range(256))
NEEDLE = b"a" * RUN

_LEFT = 160
_LINE = 200
"""Characters before and behind a run, on its line, whose words count."""
PLAIN = 32
"""Characters from which on upper case, lower case and digits in a disorder are enough without a telling word."""
LONGEST = 300
"""Characters from which on it is a file's content rather than a key, if no word says otherwise."""

_TELLING = values.words(
    """
    password passwords passwd passwort passphrase passcode pass pw pwd secret secrets credential credentials creds mnemonic token tokens
    key keys private auth authenticate oauth oauth2 authorization login bearer unseal signing deployer seed privkey importprivkey encrypt
    encryption encrypted decrypt decryption licence license cookie cookies session sess pat webhook hmac psk totp otp 2fa appid apikey
    jwt dsn connection authtoken signin unlock accounts clave chiave klucz sleutel schluessel jeton contrasena senha passwort haslo heslo
    wachtwoord parola chave segredo secreto secreta segreta geheim geheimnis credenciales identifiants sk
    """
)
_FOREIGN = re.compile(
    "密码|密钥|令牌|パスワード|トークン|비밀번호|토큰|токен|парол|ключ|clé|schlüssel|Schlüssel|contraseñ|hasło|şifre|lösenord"
)
_INNOCENT = values.words(
    """
    sha md5 blake hash hashes hashed digest checksum sum integrity etag fingerprint thumbprint commit commits merge public publishable
    pub pubkey anon certificate cert crt csr pem id ids uid uuid guid trace span request response cursor continuation nonce build
    revision rev version tag address addr cid ipfs base64 image img font src signature sig csrf xsrf tree blob snapshot checkpoint tx
    transaction block contract kid jti thumb avatar asset chunk bundle dnskey dkim rrsig tlsa ssh ecdsa mint program declare alphabet
    charset object oid ref slug filename css js png jpg jpeg svg woff woff2 map json lock peer data mappings names resolved
    etags verification state challenge attestation ksuid ulid nanoid xid cuid layer cipher x509 modulus exponent subject issuer path url href page vlq ssh1 known hosts fixture h1 zh
    """
)
_INNOCENT_KEYS = values.words(
    """
    public pub publishable anon site partition idempotency cache sort object s3 storage primary foreign row group chunk dedup dedupe
    lookup routing message i18n translation host ssh authorized map hot query react range shard item node file doc blob
    """
)
_INNOCENT_TOKENS = values.words("page next continuation sync resume pagination public push device csrf xsrf cancel stop")
_COMPOUNDS = values.words(
    "sitekey hotkey monkey primarykey foreignkey cachekey datakey sortkey hostkey partitionkey turkey hockey keyless"
)
_PARTS = re.compile(r"[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])|\d+[a-z]*")
_HASHES = re.compile(
    r"(?i)\bsha\d*|\bmd5|hash|digest|checksum|integrity|fingerprint|thumbprint|commit|\betag|image|tree|blob|layer|\btx\b|transaction|block"
)
_NAMED_SECRET = re.compile(
    r"(?i)pass(?:wor|wd|phrase|code)|secret|credential|token|api[ _-]?key|(?:private|admin|master|access|auth|signing|encrypt\w*|decrypt\w*|deploy\w*|license|account|app|session|server|write|root|unseal|machine|validation|bot|account)[ _.-]?keys?\b|"
    r"deployer|privkey|unseal|jeton|токен|令牌|トークン|密钥|\bclé|ключ|chiave|schlüssel|klucz|clave|\baccounts\b|\bappid\b|app_id|bearer|\bauth\b|\bwallet|\bpsk\b|cookie|session"
)
_IDS = values.words(
    """
    toolu srvtoolu call msg req request run thread asst assistant file chatcmpl cmpl gen resp response rs fc item step org proj user usr
    cus sub pi ch in prod price evt acct seti pm card src txn re ii cs si tr po py ba plink taxr rcpt modelcontext batch msgbatch vs ftjob
    session sess conv conversation agent task job build dpl prj team chunk css sha sha256 sha512 md5 hash id uuid trace span event pk
    publishable public pub pubkey site anon img image asset vercel index main vendor app page layout node commit rev cursor container ses cache
    backup model data state table index tmp temp log snapshot layer blob artifact release deploy deployment version object obj ref node
    """
)
"""What stands before an id rather than a key: `toolu_…`, `chatcmpl-…`, `cus_…`."""
_ASCENDING = [order[i : i + 5] for order in ("abcdefghijklmnopqrstuvwxyz", "0123456789") for i in range(len(order) - 4)]
_DIGITS = re.compile(r"\d+")
_PREFIX = re.compile(r"([A-Za-z][A-Za-z0-9]{0,15}(?:[_-][A-Za-z][A-Za-z0-9]{0,11}){0,3})[_-](?=[A-Za-z0-9+/_-]{16,}$)")
_BODY_RIGHT = re.compile(r"(?:[A-Za-z0-9+/_~-]|%(?:2[BFbf]|3[Dd])|\.(?=[A-Za-z0-9_-]{6})){0,2000}={0,2}")
_BODY = _ALNUM + "+/_~-%."
LABELS = (
    "sha256=",
    "sha256-",
    "sha256:",
    "sha512-",
    "sha512=",
    "sha512:",
    "sha384-",
    "sha1-",
    "sha1:",
    "SHA256:",
    "SHA1:",
    "h1:",
    "md5:",
    "base64,",
)
"""What stands right before a hash or a file's content."""
_OPENS = frozenset(" \t\n\r\"'`=:([{,;|>*…&?@!<“«「：。，、")
_QUERY = re.compile(r"[?&;]([\w.-]{1,40})=$")
_QUERY_SECRET = re.compile(r"(?i)code|key|token|^sig|auth|app_?id|secret|pass|access|^k$|cred|jwt|session|^sid$")


def find(text: str, runs: bytes, at: int, taken: list[Span], *, told: bool) -> list[Span]:
    """Return what is drawn at random in `text`. `runs` is the text, one byte a character, through TABLE; `at` the first
    NEEDLE in it; `taken`: what was found already, by its form or its name; `told`: some word in the text may tell of a
    secret."""
    found: list[Span] = []
    seek = runs.find
    until = -1
    while at >= 0:
        end = seek(b" ", at + RUN)
        if end < 0:
            end = len(runs)
        run = text[at:end]
        dull: object
        if run.isalpha():  # most of all
            dull = end - at < SHORT_WORDS or _DULL.match(run)
        elif at < until or _NUMBERED.match(run):
            dull = True
        else:
            # without any telling word a hash is a hash, unless a vendor's name is glued to it
            dull = not told and _HEX.match(run) and not (end - at >= 40 and text[at - 1 : at] == "_")
        if not dull and at >= until and not (taken and any(s[0] < end and at < s[1] for s in taken)):
            span = _look(text, at, end)
            until = span[1]
            if span[2]:
                found.append(span)
        at = seek(NEEDLE, end)
    return found


SHORT_WORDS = 24
"""Below this a run of letters alone is taken for words unread: what nearly all runs are."""
_DULL = re.compile(r"(?:[A-Za-z]?[a-z]{2,}+)++[A-Za-z]?$|[A-Z]+$")
_NUMBERED = re.compile(r"[A-Za-z]*[a-z]{3}\d{1,6}$|\d+$")
_ANY_HEX = re.compile(r"[0-9a-fA-F]+$")
_HEX = re.compile(r"[0-9a-f]+$|[0-9A-F]+$")


def _look(text: str, at: int, end: int) -> Span:
    """Judge the run `at:end`. A span of no kind says how far there is nothing to be found."""
    right = _BODY_RIGHT.match(text, end)
    stop = right.end() if right else end
    segment = text[max(0, at - _LEFT) : at]
    if segment.endswith(LABELS):
        return (at, stop, "")
    start = at - len(segment) + len(segment.rstrip(_BODY))
    # an escape's letter is no part of it: `\nTOKEN`
    escaped = text[start - 1 : start] == "\\" and text[start] in "nrtbf"
    start += escaped
    token = text[start:stop]
    if start < at and text.endswith(LABELS, max(0, start - 8), start):
        return (start, stop, "")
    if "/" in token and ("/" in token[: at - start] or not _base64ish(token)):
        begin = max(start, text.rfind("/", start, at) + 1)
        whole_path = begin > start or token.count("/") > 1
        if not _base64ish(token) or (whole_path and _pathlike(token)):
            piece = text[begin:stop].partition("/")[0]
            url = text[max(0, begin - 120) : begin].rpartition(" ")[2]
            if "://" in url and _HOOK.search(url) and len(piece) >= 20 and _kind(piece) == "mixed" and not is_id(piece):
                return (begin, begin + len(piece), "webhook")
            return (begin, end, "")
    kind = _kind(token)
    nothing = (start, stop, "")
    if kind is None or token.startswith(_MAGIC) or _PUBLIC_FORM.match(token):
        return nothing
    before_char = "\n" if escaped else text[start - 1 : start]
    if (
        before_char
        and before_char not in _OPENS
        and not before_char.isspace()
        and before_char != "\\"
        and ord(before_char) < 128
    ):
        return nothing
    return (start, stop, KIND) if _is_secret(text, start, stop, token, kind) else nothing


_HOOK = re.compile(r"(?i)hook|notif|alert|/bot|robot|incoming|invite|ingest|collector")


def _base64ish(token: str) -> bool:
    return "." not in token and "~" not in token and "_" not in token and "-" not in token.strip("-") and not _pathlike(token)


def _pathlike(token: str) -> bool:
    """Return whether pieces between slashes read as words, as a path's do."""
    pieces = [p for p in token.split("/") if p]
    words = sum(worded(p[:64]) >= 0.6 and len(p) > 2 for p in pieces)
    return words > 0 and words * 3 >= len(pieces)


_PUBLIC_FORM = re.compile(r"[A-Z]{2}[0-9a-f]{32}$|RW[A-Za-z0-9+/]{54}$")
"""An id of two capitals and 32 hexadecimal digits (a message's, an account's), a public key of minisign."""
_MAGIC = (
    "/9j/", "iVBOR", "R0lGOD", "UklGR", "AAAAB3", "AAAAC3", "AAAAE2", "AAAAG", "SUkq", "d09G", "JVBERi", "UEsDB", "H4sI", "TVqQ", "MII", "AAEAAA", "T1RUT", "PHN2Z", "PD94bW", "RWQ", "RWR",
    "mDME", "mQIN", "mQEN", "xsBN", "xsFN", "iQIz", "iHUE", "_Z", "__Z", "_R", "Mii", "untrusted", "z6M", "KLUv", "AGFzbQ",
)  # fmt: skip
"""How images, fonts, archives, certificates, public keys and mangled names begin."""


@lru_cache(maxsize=4096)
def _kind(token: str) -> str | None:
    """Return what a token is made of: "mixed" (upper and lower case and digits), "single" (one case and digits), "hex",
    or None where it is words, a sequence, or text in base64."""
    if len(token) > 2000 or "EXAMPLE" in token or len(set(token)) < 8:
        return None
    bare = token[2:] if token.startswith("0x") else token
    if len(bare) == 40 and bare is not token and _ANY_HEX.match(bare):
        return None  # an address on a chain, whose case is its checksum
    if _HEX.match(bare):
        return "hex" if 24 <= len(bare) <= 130 and not bare.isalpha() else None
    digits = _DIGITS.findall(token[:200])
    if len(digits) < 2 and len(token) < 28:
        return None  # a name with a number: `Ed25519PrivateKey`
    if len(digits) <= 2 and worded(_DIGITS.sub("", token[:200])) >= 0.6:
        return None
    lower = token.lower()
    if any(run in lower for run in _ASCENDING):
        return None
    if values.is_uuid(token):
        return None
    prefix = _PREFIX.match(token)
    if prefix is not None and values.is_hex(token[prefix.end() :]):
        return "hex"
    body = token.rstrip("=").rsplit("_", 1)[-1] if "_" in token else token.rstrip("=")
    sample = token if worded(token[:200]) < 0.4 else body  # a prefix may be a word
    if (
        len(sample) < RUN
        or worded(sample[:200]) >= (0.6 if len(digits) >= 6 else 0.42)
        or not values.is_random(sample[:400], RUN)
    ):
        return None
    if values.is_machine(token[:200]) or is_text(token):
        return None
    numbers = sum(c.isdigit() for c in sample)
    if any(c.islower() for c in sample) and any(c.isupper() for c in sample):
        return "mixed" if numbers or len(sample) >= PLAIN else None
    return "single" if numbers >= 3 else None


def is_text(token: str) -> bool:
    """Return whether `token` is text in base64."""
    stripped = token[:200].rstrip("=").replace("-", "+").replace("_", "/")
    stripped = stripped[: len(stripped) // 4 * 4]
    try:
        decoded = base64.b64decode(stripped, validate=True)
    except (binascii.Error, ValueError):
        return False
    return sum(32 <= c < 127 or c in (9, 10, 13) for c in decoded) >= 0.95 * len(decoded)


_PUBLIC_PARTS = frozenset({"pk", "publishable", "public", "pub", "phc", "anon", "site"})
"""What vendors mark their public keys with."""
_VENDOR_PARTS = frozenset({"sk", "secret", "token", "pat", "apikey", "live", "tok", "priv"})
_TOPICS = frozenset({"secret", "token"})
"""Of these what a repository is about as often, if another word and a commit come behind: `token-bucket-150ecb…`."""
_RELEASED = re.compile(r"\d\.\d[\w.+-]*\\?[\"'],[ ]?\\?[\"']$")
"""A version and then a hash, as lock files have them."""
_NAME = re.compile(r"([\w.$-]{1,60})\\{0,3}[\"']?\]?[ ]{0,2}(?::=|=>|[:=])[ ]{0,2}[\\\"'`(\[]{0,4}$")


def is_id(token: str) -> bool:
    """Return whether what stands before the random part says that it is an id: `toolu_…`, `chatcmpl-…`, `cus_…`."""
    prefix = _PREFIX.match(token)
    if prefix is None:
        return False
    parts = set(re.split("[_-]", prefix[1].lower()))
    if parts & _PUBLIC_PARTS:
        return True
    return bool(parts & _IDS) and not parts & {"sk", "secret", "token", "key", "live", "private"}


def _is_secret(text: str, start: int, stop: int, token: str, kind: str) -> bool:
    line_start = max(text.rfind("\n", max(0, start - _LINE), start) + 1, start - _LINE, 0)
    before = text[line_start:start]
    query = _QUERY.search(before[-48:])
    if query is not None:
        return bool(_QUERY_SECRET.search(query[1])) and not re.search(r"(?i)publi|page|next", query[1]) and len(token) >= 24
    if "://" in before and " " not in before[before.rfind("://") :] and not before[-1:].isspace():
        return False
    if is_id(token):
        return False
    if "encryptedData" in text[max(0, start - 300) : start]:
        return False  # of a sealed secret
    opened = text.rfind("-----BEGIN", max(0, start - 4000), start)
    if opened >= 0 and "PRIVATE" not in text[opened : opened + 50] and text.find("-----END", opened, start) < 0:
        return False
    prefix = _PREFIX.match(token)
    vendor = re.split("[_-]", prefix[1].lower()) if prefix is not None else []
    if kind == "hex" and vendor and vendor[-1] not in _VENDOR_PARTS:
        vendor = [part for part in vendor if part not in _TOPICS]
    if prefix is not None and set(vendor) & _VENDOR_PARTS:
        return kind != "hex" or len(token) - prefix.end() >= 32
    word = nearest(before)
    if word is False or before.endswith(('W/"', 'W/\\"')) or _JWK.search(before):
        return False
    if text[stop : stop + 1] in (",", ";") and before[-1:] in (",", ";"):  # VLQ
        return False
    named = _NAME.search(before[-80:]) if kind != "mixed" else None
    if named is not None and nearest(named[1]) is not True and named[1].lower() != "api":
        said = nearest(named[1]) is None and before.endswith(": ") and word
        if not said:  # `/token … rid=X`: it has a name, and that tells nothing
            return False
    if kind == "hex":
        if (
            prefix is not None
            and "-" not in token
            and len(token) - prefix.end() in (40, 48, 64)
            and _HEX.match(token[prefix.end() :])
        ):
            return text[start - 1 : start] != "@"  # a vendor's name and a key
        if text[start - 1 : start] == "@" or _SUBJECT.search(before[-24:]) or _RELEASED.search(before):
            return False
        if _HASHES.search(before) or len(token) > 130:
            return False
        behind = _comment(text, stop)
        if _FILE_BEHIND.search(behind) or (stop - start == 24 and _XCODE.match(text, stop)):
            behind = ""
        if not _NAMED_SECRET.search(before + " " + behind) or _HASHES.search(behind):
            return False
        return not _FILE_BEFORE.search(before[-100:]) and not _LISTED.match(before)
    if word is None:
        behind = _comment(text, stop)
        above = ""
        if line_start > 0 and _PUBLIC_ABOVE.search(text[max(0, line_start - 60) : line_start]):
            return False
        if line_start > 0 and not before.strip(" \t\"'`"):
            above = text[max(0, line_start - 120) : line_start - 1].rpartition("\n")[2]
            above = "" if _BLOCK_LINE.search(above) else above
        told = nearest(above) is True or nearest(behind) is True
    else:
        told = True
    if told and len(token) <= 4000:
        if kind == "mixed":
            return len(token) >= 20
        return len(token) >= 24
    if len(token) > LONGEST or _in_block(text, start, stop):
        return False
    if kind == "mixed":
        return len(token) >= PLAIN and not _is_address(token)
    return prefix is not None and len(token) - prefix.end() >= 28


_JWK = re.compile(
    r"[\"'](?:[a-z]|kid|x5\w|dp|dq|qi|bh|after|before|next|prev)\\{0,3}[\"'][ ]?:[ ]?\\{0,3}[\"']$|"
    r"(?:^|[\"'{, ])(?:mappings|peer|names)\\{0,3}[\"']?[ ]?[:=][ ]?\\{0,3}[\"']?$"
)
"""Members of public keys, and other names that a value of this form has by rights."""
_CODE_FILE = r"\.(?:rb|sql|[cm]?[jt]sx?|go|py|rs|swift|kt|java|cs|php|exs?|erl|scala|ya?ml|json|toml|html?|s?css|jar|whl|gem|tgz|tar\.\w{2,3}|zip|c|h|cc|cpp|hpp|mm?|vue|svelte|md|lock)"
_FILE_BEFORE = re.compile(
    rf"{_CODE_FILE}(?::\d{{1,6}})?(?::\d{{1,6}})?[\"']?\]?[ \t]{{0,20}}(?:=>|[:=(])?[ \t]{{0,20}}[\"'(]?$|"
    r"(?:^|[ /\"'])\d{0,20}_?(?:add|create|remove|drop|rename|alter|change)_\w{1,60}[\"']?[ \t:(=]{1,20}[\"'(]?$"
)
"""A file's or a migration's name right before a hash, which is then the file's."""
_FILE_BEHIND = re.compile(rf"^\S{{1,80}}{_CODE_FILE}\b|[ ]in[ ][A-Z]\w+")
"""The same behind it: `9FF5… /* TokenView.swift in Sources */`."""
_SUBJECT = re.compile(r"(?:auth0|oauth2|saml|oidc|waad|samlp|email|github|sms)\|$")
"""What an identity provider puts before a user's id."""
_LISTED = re.compile(
    r"[ \t]*(?:pick|fixup|squash|reword|edit|drop|label|reset|[pfsred])[ ](?:-[cC][ ])?$|"
    r".*\bgit (?:checkout|show|cherry-pick|revert|log|diff|reset|describe|branch|switch|worktree)[ ](?:--?[\w-]{1,20}[ ])?$"
)
"""What git is given an object for: `pick X # Add tokens`, `git checkout X`."""
_XCODE = re.compile(r" = \{| /\*")
_PUBLIC_ABOVE = re.compile(r"(?i)(?:\bpub(?:lic)?[ _-]?key\b[^\n]{0,24}|comment: signature from[^\n]{0,40})\n[ \t]*$")
_COMMENT = re.compile(r"[^\n]{0,40}?(?:#|//|--|/\*|<-|←|;[ ])[ ]?([^\n]{0,120})")


def _comment(text: str, stop: int) -> str:
    """Return what is said behind a value on its line."""
    found = _COMMENT.match(text, stop)
    return found[1] if found else ""


def nearest(before: str) -> bool | None:
    """Return what the last telling word promises: a secret (True) or something public (False); None without one."""
    parts = [part.lower() for part in _PARTS.findall(before)]
    for i in range(len(parts) - 1, -1, -1):
        word = parts[i]
        previous = parts[i - 1] if i else ""
        if word in _INNOCENT:
            return False
        if word in _TELLING or word.endswith(("key", "token", "secret", "password")):
            if word.startswith("pub") or word in _COMPOUNDS:
                return False
            if word in ("key", "keys") and previous in _INNOCENT_KEYS:
                return False
            return not (word in ("token", "tokens") and previous in _INNOCENT_TOKENS)
        if word == "content" and previous == "encrypted":
            return False
        if word in ("id", "ids") and previous == "secret":
            return True
        if word.rstrip("0123456789") in _INNOCENT:
            return False
    return True if not before.isascii() and _FOREIGN.search(before) else None


_BLOCK_LINE = re.compile(r"[A-Za-z0-9+/=]{40,}")


def _in_block(text: str, start: int, stop: int) -> bool:
    """Return whether lines of the same kind stand above or below: a file in base64."""
    return bool(
        re.match(r"(?:\\n|\s|[|>#*+\"',])*[A-Za-z0-9+/=]{40,}", text[stop : stop + 120])
        or re.search(r"[A-Za-z0-9+/=]{40,}(?:\\n|\s|[|>#*+\"',])*$", text[max(0, start - 120) : start])
    )


def _is_address(token: str) -> bool:
    """Return whether `token` has the form of an address on a chain or of a content's name."""
    return bool(
        re.fullmatch(
            r"[13][1-9A-HJ-NP-Za-km-z]{25,34}|Qm[1-9A-HJ-NP-Za-km-z]{44}|UC[\w-]{22}|(?:bc|tb|ltc|addr|cosmos|erd|osmo|celo)1[a-zA-Z0-9]{20,80}|[1-9A-HJ-NP-Za-km-z]{43,44}",
            token,
        )
    )
