"""Made-up secrets and innocent texts. Secrets are drawn at random from their published forms, never written out, so that
no scanner mistakes this file for a leak."""

# Long lines: examples stand whole.

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
HEX = DIGITS + "abcdef"
WEB = ALNUM + "-_"
B64 = ALNUM + "+/"


class Draw:
    """A seeded source of random strings."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def __call__(self, alphabet: str, length: int) -> str:
        while True:
            drawn = "".join(self.rng.choice(alphabet) for _ in range(length))
            if (
                length < 12
                or alphabet.isdigit()
                or alphabet.isalpha()
                or (any(c.isdigit() for c in drawn) and any(c.isalpha() for c in drawn))
            ):
                return drawn

    def b64(self, size: int) -> str:
        return base64.b64encode(self.rng.randbytes(size)).decode()

    def web64(self, data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))


def _jwt(d: Draw) -> str:
    return ".".join(
        [
            d.web64(b'{"alg":"HS256","typ":"JWT"}'),
            d.web64(b'{"sub":"' + d(DIGITS, 10).encode() + b'","name":"Ada"}'),
            d.web64(d.rng.randbytes(32)),
        ]
    )


TOKENS: dict[str, Callable[[Draw], str]] = {
    "aws-access-key": lambda d: "AKIA" + d(UPPER + "234567", 16),
    "aws-session-key": lambda d: "ASIA" + d(UPPER + "234567", 16),
    "github-classic": lambda d: "ghp_" + d(ALNUM, 36),
    "github-oauth": lambda d: "gho_" + d(ALNUM, 36),
    "github-server": lambda d: "ghs_" + d(ALNUM, 36),
    "github-fine": lambda d: "github_pat_" + d(ALNUM, 22) + "_" + d(ALNUM, 59),
    "gitlab": lambda d: "glpat-" + d(WEB, 20),
    "gitlab-routable": lambda d: "glpat-" + d(WEB, 27) + ".01." + d(HEX, 9),
    "npm": lambda d: "npm_" + d(ALNUM, 36),
    "pypi": lambda d: "pypi-AgEIcHlwaS5vcmc" + d(WEB, 80),
    "slack-bot": lambda d: f"xoxb-{d(DIGITS, 11)}-{d(DIGITS, 11)}-{d(ALNUM, 24)}".replace(" ", ""),
    "slack-app": lambda d: f"xapp-1-A{d(UPPER, 10)}-{d(DIGITS, 13)}-{d(HEX, 64)}",
    "stripe": lambda d: "sk_live_" + d(ALNUM, 24),
    "stripe-long": lambda d: "rk_live_" + d(ALNUM, 99),
    "stripe-webhook": lambda d: "whsec_" + d(ALNUM, 32),
    "twilio": lambda d: "SK" + d(HEX, 32),
    "sendgrid": lambda d: f"SG.{d(WEB, 22)}.{d(WEB, 43)}",
    "mailgun": lambda d: "key-" + d(HEX, 32),
    "mailchimp": lambda d: d(HEX, 32) + "-us12",
    "shopify": lambda d: "shpat_" + d(HEX, 32),
    "digitalocean": lambda d: "dop_v1_" + d(HEX, 64),
    "heroku": lambda d: "HRKU-AA" + d(WEB, 58),
    "huggingface": lambda d: "hf_" + d(ALNUM, 34),
    "openai": lambda d: "sk-proj-" + d(WEB, 74) + "T3BlbkFJ" + d(WEB, 74),
    "openai-old": lambda d: "sk-" + d(ALNUM, 20) + "T3BlbkFJ" + d(ALNUM, 20),
    "anthropic": lambda d: "sk-ant-api03-" + d(WEB, 93) + "AA",
    "openrouter": lambda d: "sk-or-v1-" + d(HEX, 64),
    "google-api": lambda d: "AIza" + d(WEB, 35),
    "google-oauth": lambda d: "ya29." + d(WEB, 120),
    "google-client": lambda d: "GOCSPX-" + d(WEB, 28),
    "telegram": lambda d: "7" + d(DIGITS, 9) + ":AA" + d(WEB, 33),
    "databricks": lambda d: "dapi" + d(HEX, 32),
    "atlassian": lambda d: "ATATT3xFfGF0" + d(WEB, 170) + "=" + d(HEX.upper(), 8),
    "linear": lambda d: "lin_api_" + d(ALNUM, 40),
    "notion": lambda d: "ntn_" + d(ALNUM, 46),
    "notion-old": lambda d: "secret_" + d(ALNUM, 43),
    "figma": lambda d: "figd_" + d(WEB, 40),
    "sentry": lambda d: "sntrys_" + d.web64(b'{"iat":1700000000.1,"url":"https://s"}') + "_" + d(ALNUM, 43),
    "vault": lambda d: "hvs." + d(WEB, 90),
    "terraform": lambda d: f"{d(ALNUM, 14)}.atlasv1.{d(WEB, 67)}",
    "doppler": lambda d: "dp.pt." + d(ALNUM, 43),
    "age": lambda d: "AGE-SECRET-KEY-1" + d("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "grafana": lambda d: "glsa_" + d(ALNUM, 32) + "_" + d(HEX, 8),
    "newrelic": lambda d: "NRAK-" + d(UPPER + DIGITS, 27),
    "discord": lambda d: d.web64(("1" + d(DIGITS, 17)).encode()) + "." + d(WEB, 6) + "." + d(WEB, 38),
    "jwt": _jwt,
    "planetscale": lambda d: "pscale_tkn_" + d(WEB, 43),
    "supabase": lambda d: "sbp_" + d(HEX, 40),
    "postman": lambda d: f"PMAK-{d(HEX, 24)}-{d(HEX, 34)}",
    "rubygems": lambda d: "rubygems_" + d(HEX, 48),
    "docker": lambda d: "dckr_pat_" + d(WEB, 27),
    "groq": lambda d: "gsk_" + d(ALNUM, 52),
    "azure-client": lambda d: d(ALNUM, 3) + "8Q~" + d(ALNUM, 34),
    "tailscale": lambda d: f"tskey-auth-k{d(ALNUM, 16)}-{d(ALNUM, 32)}",
}
"""Tokens that show what they are, wherever they stand."""

AROUND: tuple[str, ...] = (
    "{}",
    "use {} for now",
    'key = "{}"',
    "curl -H 'X-Thing: {}' https://api.example.com",
    '{{"a": "{}", "b": 1}}',
    '{{\\"a\\": \\"{}\\"}}',
    "line one\\n{}\\nline three",
    "x={}&y=2",
    "({})",
    "`{}`,",
    "\x1b[32m{}\x1b[0m",
    "密钥{}。",
)

PASSWORDS: tuple[str, ...] = (
    "hunter2", "Tr0ub4dor&3", "s3cr3t!", "P@ssw0rd", "correct-horse-7", "xK9#mQ2$vL", "Sommer2024!", "pässwörd9", "пароль123", "gw3n!",
    "Qwerty123", "zaq1@WSX", "a1b2c3d4", "m0nkey", "日本語pass1", "9fj#2", "Blue42Sky!", "admin123", "p4ss:word", "100%Sure",
)  # fmt: skip

PASSWORD_PLACES: tuple[str, ...] = (
    'password = "{}"',
    "password='{}'",
    "PASSWORD={}",
    "export DB_PASSWORD={}",
    'export DB_PASSWORD="{}"',
    "password: {}",
    '  password: "{}"',
    '{{"user": "ada", "password": "{}"}}',
    '{{\\"user\\": \\"ada\\", \\"password\\": \\"{}\\"}}',
    '{{\\\\\\"password\\\\\\": \\\\\\"{}\\\\\\"}}',
    "db.password={}",
    "spring.datasource.password = {}",
    "<password>{}</password>",
    '<add key="DbPassword" value="{}" />',
    '- name: DB_PASSWORD\n  value: "{}"',
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    'const dbPassword = "{}";',
    'password: str = "{}"',
    'let pwd: String = "{}".to_string();',
    "tool --password {}",
    "tool --password={}",
    "tool --db-password '{}' run",
    'args: ["--password", "{}"]',
    '"--password",\n  "{}",',
    "Passwort: {}",
    "contraseña: {}",
    "mot de passe : {}",
    "密码：{}",
    "パスワード: {}",
    "비밀번호: {}",
    "The password is {}",
    "**Password:** {}",
    "| password | {} |",
    'os.environ["PGPASSWORD"] = "{}"',
    'config["password"] = "{}"',
    "DB_PASS={}",
    'pass: "{}"',
    'login(user="ada", password="{}")',
    'if password == "{}":',
    "ALTER USER ada WITH PASSWORD '{}';",
    "CREATE USER 'a'@'%' IDENTIFIED BY '{}';",
    'password:\n    "{}"',
    "--passphrase {}",
    "sshpass -p {} ssh ada@example.com",
    "mysql -u root -p{} shop",
    "set_password('{}')" if False else "PASSWD={}",
    "Server=db;User Id=sa;Password={};Encrypt=true",
    "machine api.example.com login ada password {}",
    "redis-cli -a {} ping",
)

URL_PLACES: tuple[str, ...] = (
    "postgres://ada:{}@db.example.com:5432/shop",
    "https://ada:{}@example.com/x.git",
    "redis://:{}@cache:6379/0",
    "amqp://ada:{}@mq/",
)
URL_PASSWORDS: tuple[str, ...] = ("hunter2", "s3cr3t", "Tr0ub4dor", "letmein", "x%40y9", "aB3.dE5-fG")

NAMED: dict[str, tuple[str, ...]] = {
    "hex32": (
        "DD_API_KEY={}",
        'api_key: "{}"',
        '{{"apiKey": "{}"}}',
        "X-Api-Key: {}",
        "--api-key {}",
        "CLOUDFLARE_API_KEY={}",
        "twilio_auth_token = '{}'",
        "&api_key={}&x=1",
    ),
    "hex64": ('SECRET_KEY = "{}"', "ENCRYPTION_KEY={}", "jwt_secret: {}", "client_secret={}"),
    "alnum40": (
        'token = "{}"',
        "AUTH_TOKEN={}",
        '"access_token":"{}"',
        "Authorization: Bearer {}",
        "Authorization: token {}",
        "FASTLY_API_TOKEN={}",
        "access_token={}&expires_in=1",
        "the token is {}",
        "CLOUDFLARE_API_TOKEN: {}",
        '\\"refresh_token\\": \\"{}\\"',
    ),
    "b64-40": ("aws_secret_access_key = {}", "AWS_SECRET_ACCESS_KEY={}", '"SecretAccessKey": "{}"', 'secretKey: "{}"'),
    "b64-88": ("AccountKey={};EndpointSuffix=core.windows.net", "SharedAccessKey={}", '"primaryKey": "{}"'),
    "uuid": ("HEROKU_API_KEY={}", 'api_key = "{}"'),
    "short": ('secret: "{}"', "SECRET={}", 'client_secret = "{}"', "--secret {}", "JWT_SECRET={}"),
}
"""Values without a form of their own: their names tell."""


def named_value(kind: str, d: Draw) -> str:
    if kind == "short":
        return d(LOWER + DIGITS, 12)
    if kind == "uuid":
        return d.uuid()
    if kind == "b64-88":
        return d.b64(64)
    if kind == "b64-40":
        return d.b64(30)
    if kind == "alnum40":
        return d(ALNUM, 40)
    return d(HEX, int(kind[3:]))


def key_block(d: Draw, label: str) -> tuple[str, list[str]]:
    """Return a block of made-up base64 under `label`, and its lines."""
    lines = [d(B64, 64) for _ in range(9)] + [d(B64, 38) + "=="]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"]), lines
