"""Innocent texts that generators make: what code and tools print all day, and code that handles secrets without one."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from made.text import Text
from quality.redaction.drawn import templates
from quality.redaction.shapes import ALNUM, BASE64, DIGITS, HEX, LOWER, URLSAFE, draw

HERE = Path(__file__).resolve().parent
NAMES = [
    *("password", "api_key", "access_token", "client_secret", "secret_key", "auth_token", "refresh_token", "db_password"),
    *("private_key", "webhook_secret", "signing_key", "passphrase", "bot_token", "smtp_password", "encryption_key"),
    *("session_secret", "admin_password", "deploy_token", "token", "credential"),
]
MIME = {"png": "iVBORw0KGgoAAAANSUhEUgAA", "jpeg": "/9j/4AAQSkZJRgABAQAAAQ", "gif": "R0lGODlhEAAQ", "webp": "UklGR"}


class Maker:
    """Draws innocent texts; every method is one kind of text, and draws its form as well as its values."""

    def __init__(self, rng: Random) -> None:
        self.r = rng
        self.text = Text(rng, 20_000)
        self.forms: dict[str, list[str]] = {}
        for kind, form in templates(HERE / "templates" / "trial-forms.lines.txt"):
            self.forms.setdefault(kind, []).append(form)

    def hex(self, n: int) -> str:
        """Return `n` hexadecimal digits."""
        return draw(self.r, HEX, n)

    def uuid(self) -> str:
        """Return a random UUID."""
        return f"{self.hex(8)}-{self.hex(4)}-4{self.hex(3)}-9{self.hex(3)}-{self.hex(12)}"

    def word(self) -> str:
        """Return a coined word."""
        return self.r.choice(self.text.names)

    def lines(self, low: int, high: int, line: Callable[[], str]) -> str:
        """Return between `low` and `high` lines."""
        return "\n".join(line() for _ in range(self.r.randint(low, high)))

    def named(self, kind: str) -> str:
        """Return one form of that kind, a secret-like name in the case that it wants."""
        n = self.r.choice(NAMES)
        pascal = "".join(p.capitalize() for p in n.split("_"))
        w = self.word()
        names = {"n": n, "N": n.upper(), "P": pascal, "c": pascal[0].lower() + pascal[1:], "k": n.replace("_", "-")}
        return self.r.choice(self.forms[kind]).format(
            **names, s=n.replace("_", " "), w=w, W=w.capitalize(), i=self.r.randint(8, 99)
        )

    def reference(self) -> str:
        """A secret-like name that is given a reference."""
        return self.named("reference")

    def declaration(self) -> str:
        """A secret-like name in a signature, a type, a schema, a check."""
        return self.named("declaration")

    def placeholder(self) -> str:
        """A secret-like name with something that nobody takes for a value."""
        return self.named("placeholder")

    def handling_diff(self) -> str:
        """A hunk of code that handles secrets."""
        path, kinds = self.text.path(), ("reference", "declaration")
        at = self.r.randint(3, 400)
        body = self.lines(3, 6, lambda: self.r.choice(" +-") + self.named(self.r.choice(kinds)))
        return f"--- a/{path}\n+++ b/{path}\n@@ -{at},6 +{at},6 @@\n{body}"

    def oneline_log(self) -> str:
        """`git log --oneline`."""
        return self.lines(3, 7, lambda: f"{self.hex(self.r.choice((7, 8, 10)))} {' '.join(self.text.words(6))}")

    def lock(self) -> str:
        """An entry of a lock file."""
        name, v = self.word(), f"{self.r.randrange(9)}.{self.r.randrange(40)}.{self.r.randrange(20)}"
        h, b = self.hex(64), base64.b64encode(self.r.randbytes(64)).decode()
        return self.r.choice(
            (
                f'    "node_modules/{name}": {{\n      "version": "{v}",\n      "integrity": "sha512-{b}"\n    }},',
                f"{name}=={v} \\\n    --hash=sha256:{h} \\\n    --hash=sha256:{self.hex(64)}",
                f'name = "{name}"\nversion = "{v}"\nchecksum = "{h}"',
                f"example.com/{name} v{v} h1:{b[:43]}=\nexample.com/{name} v{v}/go.mod h1:{b[40:83]}=",
                f"  {name}@{v}:\n    resolution: {{integrity: sha512-{b}}}",
                f'  "{name}": {{:hex, :{name}, "{v}", "{h}", [:mix], []}},',
                f'{{"url": "https://example.com/{name}-{v}.tar.gz", "sha256": "{h}"}}',
            )
        )

    def sums(self) -> str:
        """Check sums of files."""
        n, sep = self.r.choice((32, 40, 64, 128)), self.r.choice(("  ", " *"))
        return self.lines(2, 5, lambda: self.hex(n) + sep + self.text.path())

    def usage(self) -> str:
        """How many tokens a model read and wrote."""
        a, b, c = (self.r.randrange(10, 200_000) for _ in range(3))
        return self.r.choice(
            (
                json.dumps({"usage": {"input_tokens": a, "output_tokens": b, "cache_read_input_tokens": c}}),
                f"prompt_tokens={a} completion_tokens={b} total_tokens={a + b}",
                f"tokens: {a:,} in, {b:,} out, {c:,} cached",
                f"max_tokens: {a}\nbudget_tokens: {b}\nmax_output_tokens: {c}",
                f'"token_count":{{"total":{a},"reasoning":{b}}}',
                f"| {self.word()} | {a} tokens | {b} tokens/min |",
                f"truncated after {a} tokens (limit {b}, key points kept)",
            )
        )

    def hexdump(self) -> str:
        """A dump of bytes."""
        at, words = self.r.randrange(0, 1 << 20, 16), self.r.random() < 0.5

        def line() -> str:
            nonlocal at
            at += 16
            raw = self.r.randbytes(16)
            shown = "".join(chr(x) if 32 <= x < 127 else "." for x in raw)
            return f"{at:08x}: {raw.hex(' ', 2)}  {shown}" if words else f"{at:08x}  {raw.hex(' ')}  |{shown}|"

        return self.lines(2, 5, line)

    def minified(self) -> str:
        """Minified code with telling property names."""
        prop = self.r.choice(("token", "password", "key", "secret", "apiKey", "auth"))
        a, b, c = self.r.sample(LOWER, 3)
        return self.r.choice(
            (
                f"var {a}={b}.{prop},{c}=function(){{return {a}({b}.{self.word()})}};{a}&&{c}()",
                f'{a}.exports=function({b}){{return{{{prop}:{b}.{prop},id:"{draw(self.r, ALNUM, 4)}"}}}}',
                f"const {a}=({{{prop}:{b}}})=>{b}?{c}({b}):null;export{{{a} as {self.word()}}};",
                f'"use strict";(()=>{{var {a}={{{self.r.randrange(9999)}:({b},{c})=>{{{c}.{prop}={b}.n({c})}}}}}})();',
            )
        )

    def css(self) -> str:
        """Rules with hashed class names."""
        return self.lines(
            2,
            4,
            lambda: (
                f".{self.word()}_{draw(self.r, URLSAFE, 5)}__{self.word()}{{color:#{self.hex(6)};"
                f"--{self.r.choice(('token', 'key', 'secret'))}-{self.word()}:{self.r.randrange(40)}px}}"
            ),
        )

    def mappings(self) -> str:
        """The mappings of a source map."""
        some = ",".join("".join(self.r.choices("ACEGIKMOQSUWYaceg", k=4)) for _ in range(40))
        return json.dumps({"version": 3, "file": f"{self.word()}.js", "mappings": some.replace("A,C", "A;AAC")})

    def image(self) -> str:
        """An image in Base64."""
        kind = self.r.choice(list(MIME))
        data = MIME[kind] + draw(self.r, BASE64, self.r.randrange(80, 300, 4))
        return self.r.choice(
            (f"url(data:image/{kind};base64,{data})", f'<img src="data:image/{kind};base64,{data}" alt="{self.word()}">')
        )

    def access_log(self) -> str:
        """Requests of a web server."""
        return self.lines(
            1,
            4,
            lambda: (
                f'10.{self.r.randrange(256)}.0.{self.r.randrange(256)} - - "{self.r.choice(("GET", "POST", "PATCH"))} '
                f'/api/{self.word()}/{self.r.choice(("token", "keys", "password/reset", self.hex(24)))} HTTP/2" '
                f"{self.r.choice((200, 201, 401, 403))} {self.r.randrange(9000)} rid={self.text.id()}"
            ),
        )

    def pods(self) -> str:
        """Pods and their odd names."""
        return self.lines(
            2,
            5,
            lambda: (
                f"{self.word()}-{self.r.choice(('auth', 'token', 'secrets', 'api'))}-{self.hex(9)}-{draw(self.r, 'bcdfghjklmnpqrstvwxz2456789', 5)}"
                f"   {self.r.randrange(2)}/1   Running   {self.r.randrange(5)}   {self.r.randrange(1, 90)}d"
            ),
        )

    def images(self) -> str:
        """Container images and layers."""
        return self.lines(
            2,
            4,
            lambda: self.r.choice(
                (
                    f"{self.word()}/{self.word()}   {self.hex(7)}   {self.hex(12)}   2 weeks ago   {self.r.randrange(900)}MB",
                    f"{self.hex(12)}: Already exists",
                    f"{self.word()}@sha256:{self.hex(64)}",
                )
            ),
        )

    def span(self) -> str:
        """A span of a trace."""
        return json.dumps(
            {
                "traceId": self.hex(32),
                "spanId": self.hex(16),
                "name": f"{self.word()}.{self.r.choice(('issueToken', 'checkPassword', 'loadKeys', 'query'))}",
                "durationMs": self.r.randrange(900),
                **self.r.choice(
                    ({"tokenType": "opaque"}, {"keyCount": self.r.randrange(9)}, {"secretName": f"prod/{self.word()}"})
                ),
            }
        )

    def table(self) -> str:
        """Rows with ids, dates and digests."""
        sep = self.r.choice((",", "\t", " | "))
        head = sep.join(("id", "ref", "day", "md5", "name"))
        return f"{head}\n" + self.lines(
            2,
            5,
            lambda: sep.join(
                (
                    str(self.r.randrange(9999)),
                    self.text.id(),
                    f"2026-03-{self.r.randrange(1, 29):02d}",
                    self.hex(32),
                    self.word(),
                )
            ),
        )

    def assembly(self) -> str:
        """Disassembled code."""
        at = self.r.randrange(1 << 22)

        def line() -> str:
            nonlocal at
            at += 4
            code = self.r.choice(
                ("mov    %rsp,%rbp", "callq  <next_token>", "lea    0x18(%rdi),%rax", "retq", "xor    %eax,%eax")
            )
            return f"  {at:x}:\t{self.r.randbytes(4).hex(' ')} \t{code}"

        return self.lines(3, 6, line)

    def symbols(self) -> str:
        """Mangled names."""
        return self.lines(
            2,
            4,
            lambda: self.r.choice(
                (
                    f"_ZN{len(w := self.word())}{w}5token4next17h{self.hex(16)}E",
                    f"undefined symbol: _ZNK{len(w := self.word())}{w}8passwordEv",
                    f"{self.hex(16)} T {self.word()}_secret_init",
                )
            ),
        )

    def cache(self) -> str:
        """Cache keys."""
        return self.lines(
            1,
            3,
            lambda: self.r.choice(
                (
                    f"cache key={self.word()}:{self.r.randrange(9999)}:v{self.r.randrange(9)} {self.r.choice(('hit', 'miss'))}",
                    f"key: {self.word()}-linux-{self.hex(64)}",
                    f'SET "{self.word()}:{self.hex(8)}:tokens" {self.r.randrange(99)} EX 3600',
                    f"Cache restored from key: {self.word()}-{self.hex(40)}",
                )
            ),
        )

    def cloud_ids(self) -> str:
        """Ids of things in a cloud."""
        account, uuid = draw(self.r, DIGITS, 12), self.uuid()
        return self.r.choice(
            (
                f"arn:aws:secretsmanager:eu-west-1:{account}:secret:{self.word()}-{draw(self.r, ALNUM, 6)}",
                f"arn:aws:kms:us-east-1:{account}:alias/{self.word()}-key",
                f"projects/{self.word()}/secrets/{self.word()}/versions/{self.r.randrange(1, 20)}",
                f"/subscriptions/{uuid}/resourceGroups/{self.word()}/providers/Microsoft.KeyVault/vaults/{self.word()}",
                f'"KeyId": "arn:aws:kms:eu-central-1:{account}:key/{uuid}"',
            )
        )

    def record(self) -> str:
        """A line of an agent's session file."""
        return json.dumps(
            {
                "type": self.r.choice(("user", "assistant", "tool_result")),
                "uuid": self.uuid(),
                "message": {"id": f"msg_01{draw(self.r, ALNUM, 22)}", "content": " ".join(self.text.words(8))},
                "toolUseID": f"toolu_01{draw(self.r, ALNUM, 22)}",
                "usage": {"output_tokens": self.r.randrange(900)},
            }
        )

    def assets(self) -> str:
        """What a bundler wrote."""
        return self.lines(
            2,
            5,
            lambda: (
                f"dist/assets/{self.word()}-{draw(self.r, URLSAFE, 8)}.{self.r.choice(('js', 'css', 'woff2'))}"
                f"  {self.r.randrange(900)}.{self.r.randrange(99):02d} kB │ gzip: {self.r.randrange(99)}.{self.r.randrange(99):02d} kB"
            ),
        )

    def tests(self) -> str:
        """Names of tests that speak of secrets."""
        what = ("password", "token", "secret", "api_key", "passphrase", "credential")
        return self.lines(
            2, 4, lambda: f"tests/test_{self.word()}.py::test_{self.r.choice(what)}_{self.word()}_{self.word()} PASSED"
        )

    def output(self) -> str:
        """What a tool printed, out of coined words."""
        return self.text.output(250)


COUNTS = {
    Maker.reference: 70,
    Maker.declaration: 60,
    Maker.placeholder: 40,
    Maker.handling_diff: 24,
    Maker.oneline_log: 12,
    Maker.lock: 28,
    Maker.sums: 12,
    Maker.usage: 28,
    Maker.hexdump: 14,
    Maker.minified: 20,
    Maker.css: 12,
    Maker.mappings: 6,
    Maker.image: 12,
    Maker.access_log: 18,
    Maker.pods: 12,
    Maker.images: 14,
    Maker.span: 14,
    Maker.table: 16,
    Maker.assembly: 10,
    Maker.symbols: 14,
    Maker.cache: 18,
    Maker.cloud_ids: 20,
    Maker.record: 14,
    Maker.assets: 10,
    Maker.tests: 14,
    Maker.output: 60,
}
"""How many texts each generator makes: more where the forms are many."""


def generated(rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every generated text, with the name of its generator as its kind."""
    maker = Maker(rng)
    for make, n in COUNTS.items():
        for _ in range(n):
            yield {"secret": False, "kind": f"generated-{make.__name__.replace('_', '-')}", "text": make(maker)}
