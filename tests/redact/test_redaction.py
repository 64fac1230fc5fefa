"""Secrets do not reach the index, and what is no secret stays as it was written."""

# Long lines: examples stand whole.

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.redact import KINDS, VERSION, Redactor, redact_message
from redact.innocent_samples import INNOCENT, INNOCENT_LINES
from redact.redact_samples import (
    AROUND,
    B64,
    HEX,
    NAMED,
    PASSWORD_PLACES,
    PASSWORDS,
    TOKENS,
    URL_PASSWORDS,
    URL_PLACES,
    Draw,
    key_block,
    named_value,
)

TOKEN_KINDS = sorted(TOKENS)


def redact(text: str) -> str:
    return Redactor().redact(text)


def gone(text: str, *secrets: str) -> str:
    """Redact, check that no secret is left and that a second time changes nothing; return the result."""
    result = redact(text)
    for secret in secrets:
        assert secret not in result, text
    assert "[redacted:" in result
    assert redact(result) == result
    return result


@pytest.mark.parametrize("kind", TOKEN_KINDS)
def test_a_token_that_shows_what_it_is_goes_wherever_it_stands(kind: str) -> None:
    draw = Draw(1)
    for around in AROUND:
        token = TOKENS[kind](draw)
        gone(around.format(token), token)


@pytest.mark.parametrize("place", PASSWORD_PLACES)
def test_a_password_goes_by_the_name_before_it(place: str) -> None:
    for password in PASSWORDS:
        gone(place.format(password), password)


@pytest.mark.parametrize("place", URL_PLACES)
def test_a_password_in_a_url_goes_and_the_rest_of_the_url_stays(place: str) -> None:
    for password in URL_PASSWORDS:
        result = redact(place.format(password))
        assert result == place.format("[redacted:url-password]")
        assert redact(result) == result


@pytest.mark.parametrize("kind", sorted(NAMED))
def test_a_random_value_goes_by_the_name_before_it(kind: str) -> None:
    draw = Draw(2)
    for place in NAMED[kind]:
        for _ in range(10):
            value = named_value(kind, draw)
            gone(place.format(value), value)


@pytest.mark.parametrize("text", INNOCENT + INNOCENT_LINES)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text
    assert redact(f"before\n{text}\nafter") == f"before\n{text}\nafter"
    nested = json.dumps({"text": text}, ensure_ascii=False)
    assert redact(nested) == nested


def test_the_kind_is_left_in_place_and_the_text_around_it_stays() -> None:
    token = TOKENS["github-classic"](Draw(3))
    assert redact(f"push with {token} to origin") == "push with [redacted:github-token] to origin"
    assert redact("login --password hunter2 --user ada") == "login --password [redacted:password] --user ada"


def test_what_was_redacted_is_counted_by_kind() -> None:
    redactor = Redactor()
    redactor.redact("password=hunter2 and\nPASSWORD=hunter3")
    redactor.redact(TOKENS["github-classic"](Draw(4)))
    assert dict(redactor.counts) == {"password": 2, "github-token": 1}


def test_a_disabled_kind_stays() -> None:
    token = TOKENS["npm"](Draw(5))
    redactor = Redactor(disabled=frozenset({"npm-token"}))
    assert redactor.redact(f"use {token}") == f"use {token}"
    assert "hunter2" not in redactor.redact("password=hunter2")


def test_log_and_error_text_is_redacted_too() -> None:
    assert (
        redact_message("cannot open postgres://ada:hunter2@db/shop")
        == "cannot open postgres://ada:[redacted:url-password]@db/shop"
    )
    assert VERSION >= 1


class TestPrivateKeys:
    @pytest.mark.parametrize(
        "label", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
    )
    def test_a_block_goes_whole(self, label: str) -> None:
        block, lines = key_block(Draw(6), label)
        assert redact(f"a\n{block}\nb") == "a\n[redacted:private-key]\nb"
        gone(json.dumps({"key": block}), *lines)
        gone(json.dumps({"outer": json.dumps({"key": block})}), *lines)
        gone("\n".join(f"{n:6}\t{line}" for n, line in enumerate(block.splitlines())), *lines)
        gone("\n".join(f"+   {line}" for line in block.splitlines()), *lines)

    @pytest.mark.parametrize("cut", [120, 200, 333, 500])
    def test_a_block_without_its_end_goes_to_the_end_of_its_base64(self, cut: int) -> None:
        block, lines = key_block(Draw(7), "RSA PRIVATE KEY")
        for text in (
            block[:cut],
            json.dumps(block)[:cut],
            "\n".join(f"{n:6}→{x}" for n, x in enumerate(block[:cut].splitlines())),
        ):
            whole = [line for line in lines if line in text]
            result = gone(text + "\n$ echo all done here\n", *whole)
            assert "all done here" in result

    @pytest.mark.parametrize("cut", [70, 200, 400])
    def test_a_block_without_its_beginning_goes_too(self, cut: int) -> None:
        block, lines = key_block(Draw(8), "RSA PRIVATE KEY")
        for text in (block[cut:], json.dumps(block)[cut:]):
            gone("some words before\n" + text, *[line for line in lines if line in text])

    def test_public_keys_and_certificates_stay(self) -> None:
        for label in ("CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK", "CERTIFICATE REQUEST"):
            block, _ = key_block(Draw(9), label)
            assert redact(block) == block


def test_a_service_account_loses_its_key_and_keeps_its_name() -> None:
    draw = Draw(10)
    block, lines = key_block(draw, "PRIVATE KEY")
    key_id = draw(HEX, 40)
    account = json.dumps(
        {
            "type": "service_account",
            "private_key_id": key_id,
            "private_key": block,
            "client_email": "ada@shop.iam.example",
        }
    )
    assert "ada@shop.iam.example" in gone(account, key_id, *lines)


def test_an_aws_secret_goes_beside_its_key_id() -> None:
    draw = Draw(11)
    for place in ("Access key ID,Secret access key\n{},{}", '("{}", "{}")', "| {} | {} |"):
        for _ in range(20):
            key, secret = TOKENS["aws-access-key"](draw), draw.b64(30)
            gone(place.format(key, secret), key, secret)


def test_headers_and_cookies_lose_their_credentials() -> None:
    draw = Draw(12)
    for place in (
        "Authorization: Bearer {}", '"authorization": "Bearer {}"', "-H 'Authorization: token {}'", "Cookie: sid={}; theme=dark",
        "Set-Cookie: session={}; Path=/; HttpOnly", 'curl -b "session={}" https://example.com', "Cookie: theme=dark; connect.sid={}",
        "PRIVATE-TOKEN: {}", "X-Vault-Token: {}", "x-api-key: {}", '\\"Authorization\\": \\"Bearer {}\\"',
    ):  # fmt: skip
        value = draw("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789", 40)
        gone(place.format(value), value)
    assert "theme=dark" in redact("Cookie: theme=dark; lang=en")


def test_signed_urls_and_webhooks_lose_what_signs_them() -> None:
    draw = Draw(13)
    signature = draw(B64, 43).replace("/", "%2F").replace("+", "%2B") + "%3D"
    gone(f"https://ada.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sig={signature}", signature)
    hook = draw(B64.replace("/", "").replace("+", ""), 24)
    gone(f"https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/{hook}", hook)
    gone(f"https://discord.com/api/webhooks/123456789012345678/{hook * 3}", hook)


@pytest.mark.parametrize(
    "place",
    [
        "echo root:{} | chpasswd", 'echo "{}" | sudo -S ls', "echo {} | docker login -u ada --password-stdin", "docker login -u ada -p {} r.example.com",
        "curl -u ada:{} https://example.com", '["curl", "-u", "ada:{}"]', "mysqldump -uroot -p{} shop", "PGPASSWORD={} psql", "openssl rsa -passin pass:{}",
        "db.example.com:5432:shop:ada:{}", "*:*:*:ada:{}", "machine h\n  login ada\n  password {}\n", '["sshpass", "-p", "{}", "ssh"]',
        "7z x -p{} a.7z", "unzip -P {} a.zip", 'auth=("ada", "{}")', 'setPassword("{}")', "password: |\n  {}\n", "tool --password \\\n  {} \\\n  --x",
        '{{"command":"mysql --password={}\\nls"}}', "Your new password is: {}", "ansible_ssh_pass={}", "jdbc:mysql://h/db?user=a&password={}",
    ],
)  # fmt: skip
def test_tools_and_files_with_ways_of_their_own_lose_their_passwords(place: str) -> None:
    for password in ("hunter2", "s3cr3t!", "Zx9#kk"):
        gone(place.format(password), password)


def test_a_quoted_value_goes_to_its_own_closing_quote() -> None:
    assert redact('{"password": "a\\"b9\\nc", "user": "ada"}') == '{"password": "[redacted:password]", "user": "ada"}'
    nested = json.dumps({"body": json.dumps({"password": 'x"y9\nz', "user": "ada"})})
    result = redact(nested)
    assert json.loads(json.loads(result)["body"]) == {"password": "[redacted:password]", "user": "ada"}


PIECES = st.sampled_from(["password", "token", "key", ": ", "=", '"', "'", "\\", "\\n", "\n", " ", "hunter2", "://", "@", "a1B2c3D4e5F6g7H8i9J0", "[redacted:", "password]", "--", "-----BEGIN PRIVATE KEY-----", "Bearer ", "Cookie: ", "a=", "密码", "\ud800", "é", "ghp_", "|", ">", "(", ","])  # fmt: skip
MESSY = st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join))


@given(MESSY)
@settings(max_examples=600, deadline=None)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_values_over_several_lines_that_touch_are_all_found_at_once() -> None:
    """The quote that closes one value is none of the next one's line."""
    text = 'passord:"d:\n"' * 40 + 'passord:"hu'
    assert redact(text) == 'passord:"[redacted:password]"' * 40 + 'passord:"[redacted:password]'


@pytest.mark.parametrize("unit", ["dpassord=a=--a1B2c3D4e5F6g7H8i9J0:5432:x:", "passordsecret--a=a="])
@pytest.mark.parametrize("count", [12, 40, 1000])
def test_secrets_that_uncover_each_other_are_gone_at_last_however_many(unit: str, count: int) -> None:
    once = redact(f"before\n\n{unit * count}")
    assert redact(once) == once
    assert "a1B2c3D4e5F6g7H8i9J0" not in once
    assert len(once) < len(unit * count)


@given(st.text(st.sampled_from("bdfgloqruvxyz \n.,;")))
def test_text_without_anything_telling_comes_back_as_the_same_object(text: str) -> None:
    assert redact(text) is text


@given(MESSY, MESSY, st.sampled_from(TOKEN_KINDS), st.integers(0, 1 << 30))
@settings(max_examples=300, deadline=None)
def test_a_token_never_survives_between_any_texts(before: str, after: str, kind: str, seed: int) -> None:
    token = TOKENS[kind](Draw(seed))
    assert token not in redact(f"{before} {token} {after}")
    assert token not in redact(f"{before}\n{token}\n{after}")


@given(MESSY, MESSY, st.sampled_from(PASSWORDS))
@settings(max_examples=300, deadline=None)
def test_a_named_password_on_its_own_line_never_survives(before: str, after: str, password: str) -> None:
    assert f'DB_PASSWORD="{password}"' not in redact(f'{before}\nDB_PASSWORD="{password}"\n{after}')


@pytest.mark.parametrize(
    "piece",
    [
        "password=", 'password="', "password='", "key: ", "token = ", "eyJ", "eyJ-", "eyJa.", "sk-", "-sk-a1", "://", "://a:", "://a:b", "ghp_", "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwx", "-----END PRIVATE KEY-----", "Cookie: a=", "Authorization: ", "Bearer ", "\\", '\\"', "password\\\\", "mysql -", "mysql ",
        "curl -u a", "machine ", ":5432:", "--password ", "[redacted:", "[redacted:password]", "A", "a1", "密码", "<password>", "password: |\n  x\n", "sl.", "AKIA", "echo a | sudo -S ", "xoxb-", "ya29.", "MTA",
    ],
)  # fmt: skip
def test_hostile_text_of_a_megabyte_ends(piece: str) -> None:
    result = redact(piece * (1_000_000 // len(piece)))
    assert isinstance(result, str)


@pytest.mark.parametrize("piece", ["A", "a1B2", "0123456789abcdef", "\\", "/x"])
def test_ten_megabytes_without_a_space_end_and_keep_what_stands_behind_them(piece: str) -> None:
    result = redact(piece * (10_000_000 // len(piece)) + "\npassword=hunter2\nthe end")
    assert result.endswith("\npassword=[redacted:password]\nthe end")


def test_the_documentation_names_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    assert [kind for kind in sorted(KINDS) if f"`{kind}`" not in page] == []
