"""Made-up secrets and innocent texts. Secrets are drawn at random from their published forms, never written out, so that
no scanner mistakes this file for a leak."""

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
            if length < 12 or alphabet.isdigit() or alphabet.isalpha() or (any(c.isdigit() for c in drawn) and any(c.isalpha() for c in drawn)):
                return drawn

    def b64(self, size: int) -> str:
        return base64.b64encode(self.rng.randbytes(size)).decode()

    def web64(self, data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))


def _jwt(d: Draw) -> str:
    return ".".join(
        [d.web64(b'{"alg":"HS256","typ":"JWT"}'), d.web64(b'{"sub":"' + d(DIGITS, 10).encode() + b'","name":"Ada"}'), d.web64(d.rng.randbytes(32))]
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
    "password:\n    \"{}\"",
    "--passphrase {}",
    "sshpass -p {} ssh ada@example.com",
    "mysql -u root -p{} shop",
    "set_password('{}')" if False else "PASSWD={}",
    "Server=db;User Id=sa;Password={};Encrypt=true",
    "machine api.example.com login ada password {}",
    "redis-cli -a {} ping",
)

URL_PLACES: tuple[str, ...] = ("postgres://ada:{}@db.example.com:5432/shop", "https://ada:{}@example.com/x.git", "redis://:{}@cache:6379/0", "amqp://ada:{}@mq/")
URL_PASSWORDS: tuple[str, ...] = ("hunter2", "s3cr3t", "Tr0ub4dor", "letmein", "x%40y9", "aB3.dE5-fG")

NAMED: dict[str, tuple[str, ...]] = {
    "hex32": ('DD_API_KEY={}', 'api_key: "{}"', '{{"apiKey": "{}"}}', "X-Api-Key: {}", "--api-key {}", "CLOUDFLARE_API_KEY={}", "twilio_auth_token = '{}'", "&api_key={}&x=1"),
    "hex64": ('SECRET_KEY = "{}"', "ENCRYPTION_KEY={}", "jwt_secret: {}", "client_secret={}"),
    "alnum40": ('token = "{}"', "AUTH_TOKEN={}", '"access_token":"{}"', "Authorization: Bearer {}", "Authorization: token {}", "FASTLY_API_TOKEN={}", "access_token={}&expires_in=1", "the token is {}", "CLOUDFLARE_API_TOKEN: {}", '\\"refresh_token\\": \\"{}\\"'),
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


INNOCENT: tuple[str, ...] = (
    # hashes, ids, versions, paths
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
    "integrity sha1-4mDHj2Fhzdmw5WzD4Khd4Xx6V74=",
    "session 0b6f9a0e-6d0f-4f8e-9a3b-2f1d3c4b5a69 started",
    '"sessionId":"0b6f9a0e-6d0f-4f8e-9a3b-2f1d3c4b5a69","requestId":"req_011CSHoEeqs5C35K2UUqR7Fy"',
    "v1.24.3-rc.1+build.5 (2024-05-01)",
    "/home/ada/projects/token-service/src/password_reset.py:42",
    "src/components/PasswordInput.tsx",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0aZ2rPq4tVjv1xGm5m5m5m5m5m5m5m5m5m5m5m5m5m ada@example.com",
    "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDz5bXcR9wGh4oU1hE ada@host (ED25519)",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ0FmYWtlY2VydGlmaWNhdGUwMTIzNDU2Nzg5\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "checksum: 5d41402abc4b2a76b9719d911017c592",
    "etag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "cache_key = \"user:1234:profile:v2\"",
    # code
    "password = get_password()",
    "password = getpass.getpass('Password: ')",
    'token = os.environ["TOKEN"]',
    'token = os.getenv("API_TOKEN", "")',
    "const token = process.env.GITHUB_TOKEN;",
    "API_KEY=$API_KEY",
    "export TOKEN=${TOKEN}",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com",
    "Authorization: Bearer <your-token>",
    "Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}",
    "token: ${{ secrets.NPM_TOKEN }}",
    "password: ***",
    "password: ********",
    'api_key="<your-api-key>"',
    'api_key = "YOUR_API_KEY"',
    "API_KEY=your-api-key-here",
    "OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "def login(user: str, password: str) -> Token:",
    "interface Login { username: string; password: string; token?: string }",
    "password: Optional[str] = None",
    "password: SecretStr",
    "    password = models.CharField(max_length=128)",
    "    password = serializers.CharField(write_only=True)",
    "connect(user=user, password=password, token=token)",
    "self.password = password",
    "this.token = token;",
    "user.password = hash_password(form.password.data)",
    "const { password, token } = req.body;",
    "if (!password) { return res.status(400) }",
    'if token == "":',
    "for key, value in items:",
    'key = "name"',
    '{"key": "value"}',
    'parser.add_argument("--password", help="The password to use")',
    'parser.add_argument("--token", "-t", default=None)',
    'click.option("--password", prompt=True, hide_input=True)',
    "tool --password-file /run/secrets/pw",
    "docker login --username ada --password-stdin",
    "--password <password>  the password",
    "usage: tool [--token TOKEN] [--password PASSWORD] url",
    '"password": "string"',
    '"password": {"type": "string", "format": "password"}',
    '<input type="password" name="password" placeholder="Password" />',
    '<label for="password">Password</label>',
    '"auth.password": "Password"',
    '"forgot_password": "Forgot your password?"',
    '"password": "Passwort"',
    '"password": "Enter your password"',
    'password: "Le mot de passe"',
    't("login.password.label")',
    'errors.password = "Password is required";',
    "max_tokens=4096, temperature=0.2",
    '"input_tokens": 1234, "output_tokens": 567, "cache_read_input_tokens": 89012',
    '"token_type": "bearer", "expires_in": 3600',
    "tokenizer = AutoTokenizer.from_pretrained(\"bert-base-uncased\")",
    "unexpected token: identifier",
    "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "error: expected one of `!`, `.`, found token `{`",
    "token = next(lexer)",
    "let token = self.peek();",
    "secretName: my-app-secret",
    "secretKeyRef:\n  name: db-credentials\n  key: password",
    "valueFrom:\n  secretKeyRef:\n    key: db-password",
    "password_hash = bcrypt.hashpw(password, salt)",
    "passwordPolicy: strict",
    "SECRET_NAME=prod/db",
    "TOKEN_TTL=3600",
    "token_url: https://auth.example.com/token",
    "primary_key=True",
    "foreign_key: user_id",
    "sort_key = lambda x: x.name",
    "const key = `${prefix}:${id}`;",
    "The password must be at least 8 characters long.",
    "Tokens are counted by the tokenizer; the token is valid for an hour.",
    "Password: required",
    "The API key is missing.",
    "We rotate the secret every 90 days and the key is stored in Vault.",
    "I added a password field and a token refresh.",
    "use --password to set the password",
    "the token is expired",
    ".password-input { color: #ff0000; }",
    ".sk-loading-spinner-container-large-primary { display: none }",
    "--token-color: #a1b2c3;",
    "http://localhost:3000/login?next=/home",
    "https://example.com:8443/path@v2/file",
    "git clone https://github.com/ada/tool.git",
    "git@github.com:ada/tool.git",
    "postgres://user:password@localhost:5432/db",
    "postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/db",
    "public_key = \"AbCdEf0123456789AbCdEf0123456789\"",
    "idempotency_key = \"b9c7a4e2-1f0d-4c3b-8a6e-5d2f7c1e9b04\"",
    "--- PASS: TestLogin (0.00s)\nPASS\nok  \texample.com/auth\t0.012s",
    "tests: 12 pass, 0 fail",
    "pass: 12\nfail: 0",
    "mkdir -p build && cp -p a b && ssh -p 2222 host",
    "mysql -u root -p shop",
    "docker run -p 8080:80 -u 1000:1000 nginx",
    "tar -xzf a.tgz -C /opt --strip-components=1",
    "export const TOKEN_KEY = 'auth_token';",
    "localStorage.getItem('token')",
    "headers['Authorization'] = `Bearer ${token}`",
    'headers = {"Authorization": f"Bearer {token}"}',
    "Authorization: Bearer [redacted:jwt]",
    "password=[redacted:password]",
    "Set-Cookie: theme=dark; Path=/; HttpOnly",
    "key-value store, key: the name of the entry",
    "password := r.FormValue(\"password\")",
    "var password = Console.ReadLine();",
    "String token = request.getHeader(\"X-Token\");",
    "assert response.json()[\"token\"]",
    "passwordField.setText(\"\")",
    "PASSWORD_MIN_LENGTH = 8",
    "pwd\n/home/ada",
    "$ pwd && ls",
    "echo $(pwd)/build",
    "cwd: /home/ada, pwd: /home/ada/x",
    "enter passphrase for key '/home/ada/.ssh/id_ed25519':",
    "access_token_expires_at: 2024-01-01T00:00:00Z",
    "@keyframes spin { from { transform: rotate(0deg) } }",
    "[tokens] total=12,345 used=99",
    "password reset email sent to ada@example.com",
    "refresh_token: RefreshToken | None",
    "new Token(TokenType.IDENTIFIER, value)",
    "token=abc" if False else "next_page_token: CAUQAA",
    "key: ctrl+shift+p",
    'key={item.id}',
    'keyboard-interactive,password',
    "PasswordAuthentication no",
    "secret santa list",
    "secrets: inherit",
    "password: !vault |",
    'password: "{{ vault_db_password }}"',
    "password = var.db_password",
    "password  = random_password.db.result",
    "password: process.env.DB_PASSWORD || ''",
    'auth: { token: config.get("token") }',
    'ENV["SECRET_KEY_BASE"]',
    "SECRET_KEY=changeme_placeholder" if False else "secret_key_base: <%= ENV['X'] %>",
)


def key_block(d: Draw, label: str) -> tuple[str, list[str]]:
    """Return a block of made-up base64 under `label`, and its lines."""
    lines = [d(B64, 64) for _ in range(9)] + [d(B64, 38) + "=="]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"]), lines
