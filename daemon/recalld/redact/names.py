"""Names of settings that hold secrets: password, token, api_key, Passwort, 密码 … and what in a name says otherwise."""

# Long lines: lists of words.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Literal

from recalld.redact.values import words

Category = Literal["password", "secret", "token", "key", "auth"]
"""How much a name promises: after `password` short words count, after `key` only what looks drawn at random."""

_STEMS: dict[Category, str] = {
    "password": (
        "password passwd passphrase passcode passwort kennwort contraseñ contrasen wachtwoord lösenord parola jelszó "
        "şifre heslo salasana passord adgangskode motdepasse mot_de_passe senha пароль hasło haslo pwd palavra-passe "
        "contrasenya лозинка парола parolă slaptažodis salasõna geslo sandi storepass keypass dbpasswd "
        "_pass -pass .pass dbpass userpass mypass rootpass adminpass _pw -pw dbpw pgpw userpw rootpw bindpw "
        "_psk pre-shared-key preshared_key requirepass masterauth sshpass"
    ),
    "secret": "secret credential geheimnis mnemonic secret_id secretid seed_phrase recovery_phrase seedphrase секрет segredo secreto _salt_key",
    "token": "token jeton токен authtok",
    "key": "key clave schlüssel ключ clé chave chiave klucz sleutel anahtar klíč nyckel",
    "auth": "_auth",
}
_EXACT: dict[Category, tuple[str, ...]] = {
    "password": (
        "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "รหัสผ่าน", "mật khẩu", "Mật khẩu", "mot de passe", "Mot de passe",
        "Κωδικός", "κωδικός", "סיסמה", "ססמה", "كلمة المرور", "كلمة السر", "رمز الدخول", "رمز المرور", "कूटशब्द", "पासवर्ड", "गुप्तशब्द",
        "parola d'ordine", "bindCredentials", "clave de acceso", "código de acceso", "código de acesso", "chave de acesso", "code d'accès", "code d’accès", "codice di accesso", "Zugangscode", "kod dostępu", "код доступа", "访问密码", "アクセスコード", "keyMaterial>", "palavra passe", "kata kunci", "পাসওয়ার্ড", "رمز عبور", "گذرواژه", "пин-код", "ПИН-код", "暗証",
    ),
    "secret": ("SecretID", "SecretId", "Secret ID", "secret ID", "密钥", "密鑰", "シークレット", "秘密鍵", "seed phrase", "Seed phrase", "recovery phrase", "Recovery phrase", "시크릿", "비밀키", "AUTH_SALT", "LOGGED_IN_SALT", "NONCE_SALT"),
    "token": ("令牌", "トークン", "토큰", "التوكن", "टोकन"),
    "key": ("キー", "مفتاح", "कुंजी"),
    "auth": ('auth"', "auth'", "?auth", "&auth", "--auth"),
}  # fmt: skip
_SHORT = ("pass", "pw", "psk", "mdp", "PIN", "pin")
"""Words too short to be looked for alone: only with what may follow a name."""
_SHORT_ENDS = ("=", ":", " =", " :", '"', "'", "\\", ">", "`", "|", ", ", " ", "[")


def _cases(word: str) -> set[str]:
    return {word, word.upper(), word.title() if word[0] in "_-." else word.capitalize()}


def literals() -> dict[str, Category]:
    """Return what the scan looks for, and the category of each. The word ends where its literal does, but for the
    short ones, whose literal takes in one or two characters more (`name_length`)."""
    found: dict[str, Category] = {}
    for category, stems in _STEMS.items():
        for word in stems.split():
            found.update(dict.fromkeys(_cases(word), category))
    for category, exact in _EXACT.items():
        found.update(dict.fromkeys(exact, category))
    for word in _SHORT:
        for case in _cases(word) if word.lower() != "pin" else {word}:
            for end in _SHORT_ENDS if word != "pin" else ('"', "'"):
                found.setdefault(case + end, "password")
    for literal in [each for each in found if not each.isascii()]:
        found.update(dict.fromkeys(_escaped(literal), found[literal]))
    return found


def _escaped(word: str) -> set[str]:
    """Return how JSON, Java and Python write `word` in ASCII, also inside another string: `\\u5bc6`, `\\\\u5BC6`."""
    beyond = sum(not c.isascii() for c in word)
    # six states of the automaton a character: long words get the form that nearly all programs write
    forms = [("\\", "04x")] if beyond > 6 else [(s, d) for s in ("\\", "\\\\") for d in ("04x", "04X")]
    return {"".join(c if c.isascii() else slashes + "u" + format(ord(c), digits) for c in word) for slashes, digits in forms}


def name_length(literal: str) -> int:
    """Return how much of a literal is the name."""
    return len(literal.rstrip("=: \"'\\>`|,[")) or len(literal)


_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")


def parts(name: str) -> list[str]:
    """Return the lower-case words of an identifier."""
    return [p.lower() for p in _SPLIT.findall(name)]


_NEUTRAL_TAIL = words(
    """
    value val plain plaintext raw base b hex str string live test prod production dev development staging stg stage
    qa old new current previous prev confirm confirmation confirmed again repeat primary secondary main enc encoded
    data text default sı ı sini admin root user db database a o ña es ñas word n si et nya em ji plaintext ptr bytes
    """
)
_TELLING_TAIL = words(
    """
    file filename path dir folder url uri endpoint name names type types field fields hash hashed digest policy
    length len min max count limit limits budget usage used id ids uuid ttl expiry expires expire expiration expired
    age created updated reset required strength manager provider store storage ref reference arn version index idx
    prompt hint label placeholder input error errors message messages validator validate validation izer izers ize
    ized izing stdin env var variable header prefix suffix algorithm algo format class regex pattern column row s
    set get generator generate map code codes size status state source scope scopes bucket pair pairs press down up
    board word words frame frames less auth check verify valid invalid callback handler function fn factory service
    client request response rotation rotate protected only change changed forgot ring chain note style color icon
    button form page modal dialog view component props authentication based time times es ing ed title description
    desc help text info kind mode option options rule rules stream parser list dict array cache lifetime window
    tokens keys secrets passwords credentials fingerprint sha thumbprint checksum spec schema model object
    """
)
_KEY_HEADS = words(
    """
    api apis global gateway access secret private priv signing sign signature encryption encrypt enc decryption master auth
    authentication account shared sas subscription service license licence admin app application client deploy
    deployment storage crypto cipher aes hmac jwt session cookie fernet webhook integration write read ingest
    ingestion merchant consumer developer dev prod live server function functions host cosmos redis search maps map
    openai anthropic stripe github gitlab twilio sendgrid mailgun mailchimp datadog dd cloudflare fastly heroku
    algolia pagerduty rollbar segment amplitude sentry newrelic honeycomb grafana dropbox asana trello airtable
    telegram discord slack azure aws gcp google gemini cohere mistral groq tavily pinecone weaviate qdrant deepseek
    replicate elevenlabs huggingface hf xai okta auth0 intercom zendesk hubspot salesforce shopify square paypal
    binance coinbase bot rails django flask laravel user customer partner vendor personal root super management mgmt
    provider model llm ai x xapi wakatime posthog mixpanel lambda vercel netlify render supabase firebase fcm vapid
    wireguard wg preshared record relay license
    """
)
_INNOCENT_HEADS = words(
    """
    public pub publishable forward backward lock foreign sort partition cache hash range routing object idempotency translation i18n dict
    row column composite natural surrogate candidate registry hot short cut shortcut arrow idem trace lookup group dedup dedupe
    item max min num total count input output prompt completion reasoning context next page continuation
    cancellation cancel sync pagination lexer stop eos bos pad unk special mask sep cls cached remaining budget n
    per estimated thinking host known ssh_host react list tab pointer monkey turkey donkey hockey jockey whiskey
    keyed query config property prop
    """
)


_QUESTIONS = words(
    """
    has is use uses used no needs allow allows enable enabled disable disabled require requires show hide toggle
    """
)
_CLOSED = words(
    """
    _pass -pass .pass _pw _psk pwd _auth dbpass userpass mypass rootpass adminpass dbpw pgpw userpw rootpw bindpw
    pass pw psk mdp
    """
)
"""Names that are a word's beginning as often: they end where they end (`_pass` in `_passes`, `_auth` in `_author`)."""


class Name:
    """What the words around a keyword say. `promise`: "full", "weak" (only what is plainly random counts), or None."""

    __slots__ = ("flag", "head", "promise", "tail")

    def __init__(self, category: Category, head: str, keyword: str, tail: str) -> None:
        self.head, self.tail = head, tail
        self.flag = head.startswith("-")
        self.promise = self._promise(category, keyword)

    def _promise(self, category: Category, keyword: str) -> Literal["full", "weak"] | None:
        before = parts(self.head)[-3:]
        if _QUESTIONS & set(before):
            return None
        # The tail is split together with the keyword, so that `passwordHash` and `tokenizer` come apart rightly.
        after = parts(self.tail)
        if keyword in _CLOSED and self.tail[:1].isalpha() and not (self.tail[0].isupper() and keyword.islower()):
            return None
        if any(p in _TELLING_TAIL for p in after):
            return None
        level: Literal["full", "weak"] = "full"
        if any(p not in _NEUTRAL_TAIL and not p.isdigit() for p in after):
            level = "weak"
        nearest = before[-1] if before else ""
        if category == "key":
            if keyword == "clave":
                return level
            if nearest in _INNOCENT_HEADS or (len(before) > 1 and before[-2] in {"public", "publishable", "anon"}):
                return None
            joined = not self.head.endswith(("_", "-", ".")) and keyword.islower()
            if (
                joined
                and nearest
                and not nearest.endswith(("api", "access", "secret", "private", "auth", "master", "account", "license", "app"))
            ):
                return None
            known = nearest in _KEY_HEADS or (joined and bool(nearest))
            return level if known else "weak"
        if category == "token" and before[-2:] == ["public", "key"]:
            return None  # of an assembly: `PublicKeyToken=…`
        if nearest in _INNOCENT_HEADS:
            return None if category == "token" else level
        return level
