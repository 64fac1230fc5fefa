"""Secrets in connection strings, in what is said around them, in escapes; and what only looks like one of these."""

from __future__ import annotations

import base64

import pytest

from recalld.redact import Redactor
from redact.redact_samples import Draw

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"


def redact(text: str) -> str:
    return Redactor().redact(text)


def drawn(seed: int, length: int, alphabet: str = LETTERS + DIGITS) -> str:
    return Draw(seed)(alphabet, length)


LISTS = (
    "Server=sql9;Database=shop;User Id=app;Password={};Encrypt=True",
    "Data Source=tcp:h,1433; Initial Catalog=c; User ID=u; Pwd={};",
    "Password={};Server=db;Uid=x",
    '"ConnectionStrings": {{"Main": "Host=db;Username=app;Password={};Database=x"}}',
    "conn = 'Driver=ODBC Driver 18;Server=s;UID=u;PWD={}'",
    'export CONN="Server=s;User=u;Password={}"',
)


@pytest.mark.parametrize("form", LISTS)
@pytest.mark.parametrize("password", ["k7wq.Zp2", "Some.Thing.Dotted", "letmein", "a/b(c", "x9!-q", "12345678"])
def test_a_password_in_a_connection_string_goes_whatever_it_looks_like(form: str, password: str) -> None:
    assert redact(form.format(password)) == form.format("[redacted:password]")


def test_a_password_of_several_words_in_a_connection_string_goes_whole() -> None:
    assert redact("Host=d;Username=u;Password=two words;Database=x") == (
        "Host=d;Username=u;Password=[redacted:password];Database=x"
    )


@pytest.mark.parametrize(
    "form",
    [
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=core.example.net",
        "Endpoint=sb://a.example.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
    ],
)
def test_an_account_key_in_a_connection_string_goes(form: str) -> None:
    key = base64.b64encode(drawn(1, 64).encode()).decode()
    assert key not in redact(form.format(key))


@pytest.mark.parametrize(
    "text",
    [
        "Server=s;Uid=u;Pwd={0};",
        "Server=s;Uid=u;Password=${DB_PASSWORD};",
        "Server=s;Uid=u;Password=<password>;",
        "Server=s;Uid=u;Password=password;",
        "if (password=read();server=x) {}",
    ],
)
def test_a_connection_string_without_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("seed", range(40))
def test_an_airtable_token_goes_wherever_it_stands(seed: int) -> None:
    token = "patQ" + drawn(seed, 13) + "." + drawn(seed + 1, 64, "0123456789abcdef")
    lower = "patqz" + token[5:]
    for one in (token, lower):
        assert one not in redact(f"2026-01-01 ERROR refused key {one} status=401")
        assert one not in redact(f"see {one}.")


@pytest.mark.parametrize("thing", ["the key", "our token", "my api key", "the bot token", "the secret"])
@pytest.mark.parametrize("quote", ["", '"', "`"])
def test_what_is_plainly_random_goes_by_what_is_said_behind_it(thing: str, quote: str) -> None:
    for seed in range(10):
        token = f"{drawn(seed, 25)}0Aa1b2.{drawn(seed + 50, 6)}.{drawn(seed + 90, 36)}"
        result = redact(f"I used {quote}{token}{quote} as {thing} and it says forbidden")
        assert token not in result
        assert result.endswith(f"as {thing} and it says forbidden")


@pytest.mark.parametrize(
    "text",
    [
        "use the user id as the key",
        "use 3f2504e0-4f89-41d3-9a0c-0305e82c3301 as the key",
        "take da39a3ee5e6b4b0d3255bfef95601890afd80709 as the key",
        "we use org.example.shop.CustomerRepository2 as the key",
        "path /usr/lib/python3.11/site-packages/Foo1Bar2/x.py as the key",
        "node-modules-Linux-x64-0123456789-abcdef as the cache key",
        "the password is set as a secret",
    ],
)
def test_a_name_an_id_or_a_hash_that_serves_as_a_key_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('gh secret set DEPLOY_HOOK --body "kq9Ztw-R7"', "kq9Ztw-R7"),
        ("gh secret set X -R me/app -b kq9Ztw-R7", "kq9Ztw-R7"),
        ("password VARCHAR DEFAULT 'Tulip-77'", "Tulip-77"),
        ("password varchar(64) not null default 'Tulip-77'", "Tulip-77"),
        (r'{"\u5bc6\u7801": "Tulip-77"}', "Tulip-77"),
        (r'{"\u30D1\u30B9\u30EF\u30FC\u30C9": "Tulip-77"}', "Tulip-77"),
        (r'"{\"contrase\\u00f1a\": \"Tulip-77\"}"', "Tulip-77"),
    ],
)
def test_secrets_set_by_a_command_a_column_or_an_escaped_name_go(text: str, secret: str) -> None:
    result = redact(text)
    assert secret not in result
    assert result == text.replace(secret, "[redacted:password]")


@pytest.mark.parametrize(
    "text", ["password VARCHAR DEFAULT ''", "password VARCHAR(64) DEFAULT NULL", "gh secret set X --body-file f"]
)
def test_a_column_or_a_command_without_a_secret_stays(text: str) -> None:
    assert redact(text) == text
