"""What is drawn at random goes wherever a value may stand; what only looks so, or is public by its place, stays."""

from __future__ import annotations

import string

import pytest

from recalld.redact import Redactor
from redact.redact_samples import HEX, Draw

LETTERS = string.ascii_letters + string.digits
BASE36 = string.ascii_lowercase + string.digits


def redact(text: str) -> str:
    return Redactor().redact(text)


NAMELESS = (
    'client = Client("{}")', "new Api('{}', options)", "  - {}", "{}", "run --with {} now", '["{}", 3]', "x = {}", "f({});", "`{}`", "see {}.",
    "> {}", "value\t{}\tend", '\\"{}\\"', "line\\n{}\\nline", "值：{}。",
)  # fmt: skip


@pytest.mark.parametrize("place", NAMELESS)
def test_a_long_mixed_value_goes_without_any_name(place: str) -> None:
    for seed in range(20):
        value = Draw(seed)(LETTERS, 42) + "7aB"
        assert redact(place.format(value)) == place.format("[redacted:unnamed-key]")


@pytest.mark.parametrize("prefix", ["acme_", "zk-live-", "my_pat_", "vendor_sk_", "qrs_secret_"])
def test_a_token_with_a_prefix_that_nobody_knows_goes(prefix: str) -> None:
    for seed in range(20):
        value = prefix + Draw(seed)(BASE36, 38) + "7x"
        assert value not in redact(f"it answered {value} to me")


@pytest.mark.parametrize(
    "place",
    [
        "the deploy key is {}", "Unseal Key 1: {}", "call('LATENCY', '{}') // admin key", "$ cat config/master.key\n{}", "(pdb) p token\n'{}'",
        "wandb login {}", "openssl rand -hex 20\n{}", "le jeton est maintenant {} ;",
    ],
)  # fmt: skip
def test_hexadecimal_goes_where_a_word_tells_of_a_key(place: str) -> None:
    for seed in range(10):
        value = Draw(seed)(HEX, 38) + "7a"
        assert value not in redact(place.format(value))


@pytest.mark.parametrize(
    "place",
    [
        "commit {}", "{} refs/heads/add-api-key", "sha256(api_key) = {}", "uses: actions/token@{}", "GET /token 200 rid={}", "etag: {} for key",
        '"1.2.0", "{}", [:secret]', "{}  secrets.tar.gz", "key: linux-npm-{}",
    ],
)  # fmt: skip
def test_hexadecimal_that_is_a_hash_by_its_place_stays(place: str) -> None:
    for seed in range(10):
        text = place.format(Draw(seed)(HEX, 38) + "7a")
        assert redact(text) == text


@pytest.mark.parametrize(
    "place",
    [
        "toolu_{}", "chatcmpl-{}", "pk_live_{}", "h1:{}=", "sha512-{}==", "public key: {}", "PublicKey = {}=", '"kid": "{}"', '"x":"{}"',
        "https://docs.example.com/d/{}/edit", "https://example.com/?cursor={}", "data:image/png;base64,{}", "AAAAC3NzaC1lZDI1NTE5{}", "SHA256:{}",
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----", "next_cursor: {}", "/static/{}/main.js",
    ],
)  # fmt: skip
def test_what_is_public_by_its_place_stays(place: str) -> None:
    for seed in range(20):
        text = place.format(Draw(seed)(LETTERS, 41) + "7a")
        assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "OAuth2AccessTokenResponseHttpMessageConverter", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "_ZN4core3ptr13drop_in_place17h8dae8b590a4538dE", "ed25519.Ed25519PrivateKey", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    ],
)  # fmt: skip
def test_names_and_alphabets_stay(text: str) -> None:
    assert redact(f"see {text} there") == f"see {text} there"


def test_a_kind_that_is_disabled_is_not_taken_for_its_looks() -> None:
    value = Draw(1)(LETTERS, 43)
    assert Redactor(disabled=frozenset({"unnamed-key"})).redact(f"Client('{value}')") == f"Client('{value}')"


@pytest.mark.parametrize(
    "piece",
    [
        "a1B2c3D4e5F6g7H8i9J0", "a1B2c3D4e5F6g7H8 ", "0123456789abcdef0123456789abcdef ", "login a1!B", "login ", "echo a1 > pass", "https://a/hook/a1B2c3D4e5F6g7H8",
        "a/", "A1b/", "secret:\n", '" * ', "chap-secrets\n", "form-data; name=", '"d":"', "priv:\n aa:bb:", "TOTP ", "PSK ", "-u a -p ", 'x".toCharArray',
        "root:a1@", "BUNDLE_", "openssl rand\n", "WIFI:T:", "<auth-user-pass>\n", '"tokens" {', "LS0tLS1CRUdJTi", "AAAAAAAAAAAAAAAAAAAAAA", "T3BlbkFJ", "ecovery codes\n",
    ],
)  # fmt: skip
def test_hostile_text_of_a_megabyte_ends(piece: str) -> None:
    assert isinstance(redact(piece * (1_000_000 // len(piece))), str)
