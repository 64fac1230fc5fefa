"""The table of rules: what gives a secret away without a name.

Each rule is a set of literals for the scan and a function that looks at the text around one of them and returns spans.
Every look is bounded.
"""

# Long lines: a list of literals is read whole.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterator

from recalld.redact import calls, columns, commands, connection, files, headers, keyblocks, near, said, urls
from recalld.redact.judge import Span
from recalld.redact.values import words

Rule = Callable[[str, int, int], Iterator[Span]]
"""(text, start of the literal, its end) to spans."""

RULES: tuple[tuple[Rule, tuple[str, ...]], ...] = (
    (keyblocks.key_block, ("-----BEGIN", "---- BEGIN", "--- BEGIN")),
    (keyblocks.key_block_tail, ("-----END", "---- END")),
    (keyblocks.putty_key, ("Private-Lines:",)),
    (urls.url_credentials, ("://",)),
    (urls.url_signature, ("sig=", "sig%3", "X-Amz-Signature=", "oauth_signature=", "X-Goog-Signature=", "&Signature=", "?Signature=")),
    (urls.hook, tuple(urls.HOOKS)),
    (urls.without_scheme, ("@tcp(", "@unix(", ":thin:")),
    (headers.authorization, ("uthorization", "UTHORIZATION")),
    (headers.bearer, ("bearer ", "Bearer ", "BEARER ", 'bearer: "', "bearer: '", 'bearer":"', 'bearer": "')),
    (headers.basic, ("Basic ", "basic ")),
    (headers.cookies, ("ookie", "OOKIE", "-b ")),
    (headers.session_cookie, ("PHPSESSID", "JSESSIONID", "sessionid", "connect.sid", "ASP.NET_SessionId", "laravel_session", "_gitlab_session", "user_session", "cf_clearance", "sessionKey", "ASPXAUTH", "_session", "_oauth2_proxy")),
    (headers.team_header, ("oneycomb-Team", "oneycomb-team", "ONEYCOMB_TEAM")),
    (commands.option, tuple(commands.OPTIONS)),
    (commands.user_password, (" -u", '"-u', "'-u", "--user", "--proxy-user", "proxy-user", "-U ", "-auth ", "--auth ", "--auth=", "-a ", "user =")),
    (commands.from_literal, ("--from-literal",)),
    (commands.piped, ("chpasswd", "sudo -S", "sudo -kS", "-stdin", "--with-token", "--passphrase-fd", "| passwd", "|passwd", "| kinit", "| cryptsetup", "| sudo cryptsetup")),
    (commands.here_string, ("<<<", "<(echo ", "<(printf ")),
    (commands.sent, ('send "', "send '", "send -- ", "sendline(")),
    (calls.credentials, calls.CREDENTIAL_CALLS),
    (calls.signing, calls.SIGNING_CALLS),
    (calls.hashing, calls.HASHING_CALLS),
    (calls.characters, ('".toCharArray',)),
    (calls.couple, calls.COUPLES),
    (files.cloud_users, ("chpasswd:",)),
    (files.pgpass, (":5432:", ":5433:", ":5434:", ":6432:", ":5439:", ":*:")),
    (files.netrc, ("machine", "default login")),
    (files.password_hash, (":$1$", ":$5$", ":$6$", ":$y$", ":$7$", ":$apr1$", ":$2y$", ":$2a$", ":$2b$", ":{SHA}", ":{SSHA}")),
    (files.cookie_jar, ("\tTRUE\t", "\tFALSE\t")),
    (files.bundle_host, ("BUNDLE_",)),
    (files.chap, ("chap-secrets", "pap-secrets")),
    (files.form_field, ("form-data; name=",)),
    (keyblocks.encoded_key, ("LS0tLS1CRUdJTi",)),
    (keyblocks.key_block, ("-----BEGIN OpenVPN",)),
    (keyblocks.jwk_member, tuple(f'"{m}{close}' for m in ("d", "p", "q", "dp", "dq", "qi", "k") for close in ('"', '\\"'))),
    (keyblocks.printed_key, ("priv:", "privateExponent:", "prime1:", "prime2:", "exponent1:", "exponent2:", "coefficient:")),
    (headers.asked, ("334 UGFzc3dvcmQ6",)),
    (files.chap_line, ('" * ', '"  *  ', "\t*\t", " *\t")),
    (files.relay, ("]:587 ", "]:465 ", "]:25 ", "]:2525 ", "]:587\t", "]:465\t")),
    (files.ftp_user, ("\nuser ", "\\nuser ")),
    (files.drawn_by_state, ('"random_password', '\\"random_password')),
    (files.auth_command, ("AUTH ",)),
    (files.connect, ("CONNECT ", "connect ", "conn ")),
    (files.wifi_code, ("WIFI:",)),
    (files.recovery_codes, ("ecovery codes", "ackup codes", "ecovery Codes", "ackup Codes", "cratch codes")),
    (files.user_pass_block, ("<auth-user-pass>",)),
    (files.kaggle, ('"username"', '\\"username\\"')),
    (files.token_table, ('"tokens"', "tokens {", "tokens = {")),
    (files.aws_secret, ("AKIA", "ASIA")),
    (files.private_key_id, ("private_key_id",)),
    (columns.values_of_columns, columns.NAMES),
    (connection.connection_string, connection.NAMES),
    (near.told, near.TOLD_BY),
    (near.user_then_password, ("-u ", "-u '", '-u "', "--user ", "--username ", "-U ", "/u:", "/user:", "-l ")),
    (headers.sasl, ("AUTH PLAIN ", "AUTH LOGIN ", "AUTHENTICATE PLAIN ")),
    (said.before, said.SAID_AS),
    (said.pair, said.PAIRED),
    (said.seed, said.SEEDS),
    (said.otp, said.OTP),
    (said.app_password, said.APP),
    (said.wifi, said.WIFI),
    (near.generated, near.GENERATORS),
    (urls.bare_user, ("root:", "admin:", "ubuntu:", "postgres:", "deploy:")),
)  # fmt: skip
"""All rules with their literals."""

KINDS = words(
    """
    authorization aws-secret-key basic-auth bearer-token cookie gcp-service-account password password-hash private-key
    secret signed-url url-password webhook
    """
)
"""The kinds that these rules name."""
