"""Secrets on command lines that only the tool gives away: `mysql -pX`, `curl -u ada:X`, `echo X | sudo -S`."""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from recalld.redact import values
from recalld.redact.assign import read_value
from recalld.redact.judge import Span, strong, trim

_SAME = r"(?:[^\n|;&\\]|\\[^\n]|[ ]\\\r?\n){0,300}?"
"""What may stand between a tool and its option: the same command, also over lines that are continued."""
_GAP = r"(?:\\{0,7}[\"'],?[ ]{0,2}(?=\\{0,7}[\"'])|[ =]{1,2}(?=\S))"
"""Between an option and its value: a space, `=`, or two members of a list."""


def _o(letters: str, *, glued: bool = False) -> str:
    """Return the pattern for an option, up to its value."""
    return rf"{_SAME}(?<=[ \"'])(?:{letters}){_GAP}" + ("?" if glued else "") + r"(?=[^\s])"


_WORD = r"(?:\\{0,7}\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\s\"']{1,200})"
_P = _o("-p", glued=True)

OPTIONS: dict[str, tuple[re.Pattern[str], ...]] = {
    name: tuple(re.compile(form) for form in forms)
    for names, forms in {
        ("mysql", "mariadb", "mysqldump", "mysqladmin", "mysqlimport", "mycli"): (r"[\w-]{0,12}[\"']?(?:[, ]{1,2}(?:[^\n|;\\]|[ ]\\\n){0,300}?)?[ \"']-p(?=[^\s\\])",),
        ("mysqladmin -", "mysqladmin pass"): (rf"{_SAME}(?<=[ d])(?:password|word)[ ](?=\S)",),
        ("sshpass",): (rf"[\"']?,?[ ](?:-v[ ])?\\{{0,7}}[\"']?-p(?:{_GAP})?(?=\S)",),
        ("docker login", "podman login", "registry login", "oc login", "buildah login", "nerdctl login", "skopeo login", "cf login", "az login", "crane auth login", "oras login", "ibmcloud login", "login -u", "login --user", '"login", "', "'login', '"): (_P,),
        ("twine ", "psexec", "PsExec", "cqlsh", "ncftp", "rabbitmqadmin", "mongo ", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "dotnet nuget", "kcadm", "rdesktop", "odo login", "wpscan", "vncviewer", "security unlock-keychain", "security create-keychain", "security set-key-partition-list -k", "snowsql", "cypher-shell", "vsql ", "nzsql ", "tsql "): (_P,),
        ("dotnet nuget push", "openssl enc", "openssl aes", "openssl des"): (_o("-k"), _o("-K"), _o("-pass")),
        ("redis-cli", "valkey-cli"): (_o("-a"), rf"{_SAME}(?<=[ \"'])(?:AUTH|auth)[ ](?:[a-z]{{2,20}}[ ](?=\S))?(?=\S)"),
        ("> AUTH ",): (r"(?:[a-z]{2,20}[ ](?=\S))?(?=\S)",),
        ("ACL SETUSER", "acl setuser"): (rf"{_SAME}(?<=[ ])>(?=\S)",),
        ("sqlcmd", "bcp ", "osql "): (_o("-P", glued=True),),
        ("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami", "ldapdelete", "ldappasswd", "ldapcompare"): (_o("-w"), _o("-s(?!ub|[ ]?(?:sub|base|one)\\b)")),
        ("unzip ", "zip "): (_o("-P"),),
        ("7z ", "7za ", "7zz ", "unrar ", "rar "): (rf"{_SAME}(?<=[ \"'])(?:-p|-hp)(?=[^\s\\])",),
        ("ipmitool", "snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"): (_o("-P"), _o("-A"), _o("-X"), _o("-c")),
        ("mosquitto_pub", "mosquitto_sub", "mqttx "): (_o("-P"),),
        ("xfreerdp", "wfreerdp", "sdl-freerdp"): (rf"{_SAME}[ \"']/p:(?=\S)",),
        ("signtool", "certutil", "pvk2pfx", "pfx2pem"): (rf"{_SAME}[ ](?:/p|-p|-pi|-po)[ ](?=\S)",),
        ("security add-generic-password", "security add-internet-password"): (_o("-w"),),
        ("security import",): (_o("-P"),),
        ("useradd", "usermod", "adduser"): (_o("-p|--password"),),
        ("schtasks", "SCHTASKS", "SchTasks"): (rf"{_SAME}[ ]/(?:rp|RP|p|P)[ ](?=\S)",),
        ("doctl auth", "hcloud context"): (_o("-t"),),
        ("htpasswd", "mosquitto_passwd"): (
            rf"[ ]-(?=[A-Za-z]*b)(?=[A-Za-z]*n)[A-Za-z]{{2,6}}(?:[ ](?:-C[ ])?\d{{1,2}})?[ ]{_WORD}[ ](?=\S)",
            rf"[ ]-(?=[A-Za-z]*b)(?![A-Za-z]*n)[A-Za-z]{{1,6}}(?:[ ](?:-C[ ])?\d{{1,2}})?[ ]{_WORD}[ ]{_WORD}[ ](?=\S)",
        ),
        ("requirepass", "masterauth"): (r"[ ](?=\S)",),
        ("-passin", "-passout", "-pass ", "-ks-pass", "-key-pass"): (rf"{_GAP}\\{{0,7}}[\"']?pass:(?=\S)", r"(?<=[ ])\\{0,7}[\"']?pass:(?=\S)"),
        ("IDENTIFIED BY", "IDENTIFIED WITH"): (r"(?:[ ][\w'\"]{1,40}[ ](?:BY|AS))?[ ](?:PASSWORD[ ])?(?=\S)",),
        ("identified by", "identified with"): (r"(?:[ ][\w'\"]{1,40}[ ](?:by|as))?[ ](?:password[ ])?(?=\\{0,7}')",),
        ("secret set ",): (rf"{_SAME}(?<=[ \"'])(?:--body|-b){_GAP}(?=\S)",),
        ("net user", "NET USER"): (r"[ ][\w.\\-]{1,60}[ ](?=[^\s/*|<>-])",),
        ("net use", "NET USE"): (rf"{_SAME}[ ]/user:\S{{1,60}}[ ](?=[^\s/])", r"[ ](?:\S{1,3}[ ])?\\\\[^\s]{3,200}[ ](?=[^\s/])"),
        ("smbclient", "rpcclient", "winexe", "smbmap", "mount.cifs", "net rpc", "crackmapexec"): (rf"{_SAME}(?<=[ ])-U[ ]?[\"']?[\w.\\/-]{{1,60}}%(?P<v>[^\s\"']{{2,100}})", r"[ ]//\S{1,200}[ ](?=[^\s-])"),
        ("nmcli",): (rf"{_SAME}[ ](?:password|[\w.-]{{0,40}}psk)[ ](?=\S)",),
        ("wpa_passphrase",): (rf"[ ]{_WORD}[ ](?=\S)",),
        ("networksetup -setairportnetwork",): (rf"[ ]\S{{1,20}}[ ]{_WORD}[ ](?=\S)",),
        ("lftp",): (rf"{_SAME}-u[ ]\\{{0,7}}[\"']?[^\s,\"']{{1,80}},(?P<v>[^\s\"']{{2,100}})",),
        ("sqlplus", "sqlldr", "impdp", "expdp", "rman ", "sqlcl ", "mkstore"): (rf"{_SAME}(?<=[ =\"'])\w{{1,40}}/\\{{0,7}}\"?(?P<v>[^\s\"'/]{{2,100}})\\{{0,7}}\"?@",),
        ("isql ",): (r"(?:-v[ ])?\w{1,40}[ ]\w{1,40}[ ](?=\S)",),
        ("rclone obscure", "cargo login", "cloudflared service install", "ansible-vault encrypt_string", "vault login", "vault unseal", "operator unseal", "ngrok authtoken", "add-authtoken", "railway login --browserless"): (r"[ ](?:--[\w-]{1,20}[ =])?(?=[^\s-])",),
        ("openssl passwd",): (r"(?:[ ]-(?:salt[ ]\S{1,40}|[\w-]{1,12}))*[ ](?=[^\s-])",),
        ("rabbitmqctl add_user", "rabbitmqctl change_password", "rabbitmqctl authenticate_user", "asadmin create-password-alias", "grafana-cli admin reset-admin-password"): (rf"[ ]{_WORD}[ ](?=\S)", r"(?<=admin-password)[ ](?=\S)"),
        ("mc alias set", "mc config host add"): (r"[ ]\S{1,60}[ ]\S{1,200}[ ]\S{1,80}[ ](?=\S)",),
        ("poetry config http-basic.", "composer config http-basic.", "composer config --global http-basic.", "composer config -g http-basic."): (rf"\S{{1,100}}[ ]{_WORD}[ ](?=\S)",),
        ("poetry config pypi-token.", "composer config github-oauth.", "composer config gitlab-token.", "composer config bearer.", "yarn config set npmAuthToken"): (r"\S{0,100}[ ](?=\S)",),
        ("activate-refresh-token",): (rf"[ ]{_WORD}[ ](?=\S)",),
        ("--uri ", "--uri="): (r"[\"']?[\w.-]{1,60}:(?P<v>[^\s\"'/@]{2,100})@",),
        ("snmp-server community", "password 0 ", "password 7 ", "secret 0 "): (r"[ ]?(?=\S)",),
        ("key-string", "radius-server key", "tacacs-server key", "server-private key", "ip ospf authentication-key", "snyk auth", "importprivkey", "nostril --sec", "--sec ", "pulumi login --token"): (r"[ ](?:[07][ ])?(?=\S)",),
        (": PSK ", ": EAP ", ": XAUTH ", ": PIN "): (r"(?=\\{0,3}[\"'])",),
        ("user_pw ", "owner_pw ", "enable secret ", "enable password ", "isakmp key ", "pre-shared-secret ", "authentication-key ", "rootpw ", "PassCmd \"echo ", "plain-text-password-value "): (r"(?:--\w+[ ]|[0578][ ])?(?=[^\s-])",),
        ("qpdf --encrypt",): (r"[ ](?=[^\s-])",),
        ("ab -A ", "impacket-"): (r"(?:[^\n|;]{0,100}[ ])?[\w./\\-]{1,60}:(?=[^\s/])",),
        ("snyk config set api=", "C: PASS", "> PASS", "Request: PASS"): (r"[ ]?(?=\S)",),
        ("ssh-keygen",): (_o("-N"), _o("-P")),
        ("heroku auth:token", "setapikey", "choco apikey -k"): (r"[ ](?=\S)",),
        ("codecov",): (_o("-t"),),
        ("user default on >",): (r"(?=\S)",),
        ("bundle config",): (r"(?:[ ]set)?(?:[ ]--\w{1,10})?[ ]\S{1,100}[ ]\\{0,7}[\"']?[\w.@-]{1,60}:(?P<v>[^\s\"']{2,200})",),
        ("user-secrets set",): (rf"[ ]{_WORD}[ ](?=\S)",),
        ("ssm put-parameter",): (rf"(?={_SAME}SecureString){_SAME}--value{_GAP}(?=\S)", rf"{_SAME}--value{_GAP}(?={_WORD}{_SAME}SecureString)"),
        ("ConvertTo-SecureString", "convertto-securestring"): (r"(?:[ ]-(?:String|AsPlainText|Force|asplaintext|force))*[ ](?=\\{0,7}[\"'])",),
        ("quote PASS ", "quote pass ", "sonar.login="): (r"(?=\S)",),
        ("USER ",): (r"\S{1,80}(?:\r?\n|\\r\\n|\\n|\\r)(?:[^\n]{0,100}\n)?(?:[>C]:?[ ]?)?PASS[ ](?=\S)",),
        ("PRAGMA key", "PRAGMA rekey", "pragma key"): (r"[ ]?=[ ]?(?=\\{0,7}[\"'])",),
        ("ATTACH DATABASE", "ATTACH "): (r"[^\n;]{0,200}?[ ]KEY[ ](?=')",),
        ("PASSWORD FOR", "password for"): (r"[ ][^\s=;]{1,100}[ ]?=[ ]?(?:PASSWORD\(|password\()?(?=\\{0,7}['\"])",),
    }.items()
    for name in names
}  # fmt: skip
"""A tool, or what it says, and what then stands before a secret. A group `v` is the secret itself."""


def option(text: str, start: int, end: int) -> Iterator[Span]:
    """A password option that one tool has and others use for something else: `mysql -pX`, `redis-cli -a X`."""
    for form in OPTIONS[text[start:end]]:
        found = form.match(text, end)
        if found is None:
            continue
        if "v" in form.groupindex:
            at, content = found.start("v"), found["v"]
        else:
            value = read_value(text, found.end())
            if value is None:
                continue
            at, content = value.start, text[value.start : value.end]
            if not value.quote:
                content = trim(content)
        if text.startswith("identified", start) and not _ACCOUNTS.search(text, max(0, start - 200), start):
            continue
        if _is_argument(content):
            yield (at, at + len(content), "password")


_ACCOUNTS = re.compile(r"(?i)\b(?:user|role|grant|alter|login)\b")


def _is_argument(content: str) -> bool:
    head = content[:200]
    if len(content) < 2 or content[0] in "-{<" or values.is_reference(content[:400]) or values.is_prose(content[:400]):
        return False
    if values.is_wordy(head) and (content.isupper() or values.mentions_secret(head) or values.is_empty_word(content)):
        return False
    return not (values.is_path(head) and head[0] in "/~.") and "://" not in head


_USER_PASSWORD = re.compile(
    r"(?:\\{0,7}[\"'],?[ ]\\{0,7}[\"']|(?:[ =]{0,2}|[ ]?\\\r?\n[ \t]{0,40})\\{0,7}[\"']?)(?!-)([^\s:\"'\\/]{1,80}):([^\s\"'\\]{1,200})"
)
_FETCHERS = re.compile(
    r"(?:curl|http|https|wget|httpie|ab|hey|xh|siege|urlwatch|smbclient|nexus|lftp|skopeo|svn|etcdctl|jenkins-cli(?:\.jar)?|wrk|oha)\b"
)
_HTTPIE = re.compile(r"(?:^|[\s;|&$\"'`(])(?:http|https|xh|xhs|httpie)[ ][^\n|;]{0,200}$")
_PLAIN_PASSWORDS = frozenset({"password", "pass", "passwd", "pwd", "pw", "secret", "token", "your_password"})


def user_password(text: str, start: int, end: int) -> Iterator[Span]:
    """`curl -u user:password`, `--user`, `--proxy-user`, `http -a user:password`, `user = "…"` in curl's configuration."""
    found = _USER_PASSWORD.match(text, end)
    if found is None:
        return
    option = text[start:end].strip()
    before = text[max(0, start - 300) : start]
    if option == "user =":
        if '"' not in text[end : found.start(1)] or before[-6:].strip(" \tproxy-\n"):
            return
    elif not (_HTTPIE if option in ("-a", "--auth", "--auth=") else _FETCHERS).search(before):
        return
    user, password = found[1], found[2]
    if values.is_reference(password) or password.startswith("//") or (user.isdigit() and password.isdigit()):
        return
    if password.lower() in _PLAIN_PASSWORDS or (values.is_wordy(password) and password.isupper()):
        return
    yield (*found.span(2), "password")
    if len(user) >= 16 and values.is_random(user):
        yield (*found.span(1), "password")


_ECHO = r"(?:echo|printf)[ ](?:-[neE]{1,3}[ ])?(?:\\{0,7}[\"']%s(?:\\{1,2}n)?\\{0,7}[\"'][ ])?"
_CHPASSWD = re.compile(_ECHO + r"\\{0,7}[\"']?([\w.-]{1,40}):([^\s\"'|\\]{2,100})(?:\\n)?\\{0,7}[\"']?[ ]?\|[ ]?(?:sudo[ ])?$")
_PIPED = re.compile(
    _ECHO + r"(?:\\{0,7}\"(?!\$)([^\"|$]{2,200})\"|'(?!\$)([^'\n|]{2,200})'|(?!\$)([^\s\"'|\\$]{2,200}))[ ]?\|?[^|\n]{0,120}$"
)


def piped(text: str, start: int, end: int) -> Iterator[Span]:
    """`echo root:X | chpasswd`, `echo X | sudo -S`, `echo X | docker login --password-stdin`."""
    before = text[max(0, start - 300) : start]
    begin = max(before.rfind("echo "), before.rfind("printf "))
    if begin < 0:
        return
    before = before[begin:]
    offset = start - len(before)
    if text[start:end] == "chpasswd":
        found = _CHPASSWD.match(before)
        group = 2
    else:
        found = _PIPED.match(before) if "|" in before or text[start] == "|" else None
        group = (found.lastindex or 1) if found else 1
    if found is None or values.is_reference(found[group]) or values.is_prose(found[group]):
        return
    stripped = found[group].rstrip("\\")
    if text[start:end] != "chpasswd" and stripped.endswith("\\n"):
        stripped = stripped[:-2]
    yield (offset + found.start(group), offset + found.start(group) + len(stripped), "password")


_LITERAL = re.compile(r"[ =]\\{0,7}[\"']?(?!user|host|port|name|region|bucket)[\w.-]{1,80}=(?=\S)")


def from_literal(text: str, start: int, end: int) -> Iterator[Span]:
    """`kubectl create secret generic x --from-literal=db=X`, as often as it stands in the command."""
    found = _LITERAL.match(text, end)
    if found is None or text.find("create secret ", max(0, start - 400), start) < 0:
        return
    value = read_value(text, found.end())
    if value is None:
        return
    v = text[value.start : value.end]
    if strong(v) and not values.is_name(v) and _is_argument(v):
        yield (value.start, value.end, "password")


_ASKS = re.compile(
    r"(?i)passw|passphrase|secret|token|login|kinit|cryptsetup|credential|vault|\bgpg\b|sudo -S|pass insert|api.?key|realm join|\bauth\b|private.?key"
)
_HERE = re.compile(
    r"[ ]{0,2}(?:-n[ ]|\\{0,7}[\"']%s\\{0,7}[\"'][ ])?(?:\\{0,7}\"([^\"\n$]{4,300})\"|'([^'\n]{4,300})'|([^\s\"'$<>|;&\\()]{6,300}))"
)


def here_string(text: str, start: int, end: int) -> Iterator[Span]:
    """`gh auth login --with-token <<< X`, `chpasswd <<< "ada:X"`."""
    found = _HERE.match(text, end)
    line = text[max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0) : start]
    if found is None or not _ASKS.search(line):
        return
    begin, stop = found.span(found.lastindex or 0)
    if "chpasswd" in line and ":" in text[begin:stop]:
        begin = text.index(":", begin) + 1
    v = text[begin:stop]
    if v[:1] not in "{[" and strong(v) and not values.is_reference(v) and not values.is_prose(v) and not values.is_machine(v):
        yield (begin, stop, "password")


_ASSWORD = re.compile(r"(?i)assword|passphrase|passcode|\bPIN\b")
_SENT = re.compile(r"[\"']?([^\"'\n\\$]{4,100})(?:\\{1,2}[rn]){0,2}[\"']")


def sent(text: str, start: int, end: int) -> Iterator[Span]:
    """What an expect script sends when it was asked for a password."""
    found = _SENT.match(text, end)
    if found is None or not _ASSWORD.search(text[max(0, start - 120) : start]):
        return
    v = found[1]
    if strong(v) and not values.is_reference(v) and not values.is_prose(v) and not values.is_expression(v):
        yield (*found.span(1), "password")
