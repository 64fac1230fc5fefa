"""Made-up text with the statistics of coding sessions: Zipf's law over a long tail, identifiers, ids, and the shapes of
tool output (logs, listings, diffs, stack traces, test runs, JSON, code)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random


def _split(words: str) -> list[str]:
    return words.split()


COMMON = _split(
    "the to of a in and is that it for this with as be on not are we if from when but or an at by so "
    "can was have should now there which will only then all test file error run code use function "
    "line path value build set type data call check return add change index server client update "
    "config read write request response cache query token session user list name string key module "
    "import class method field table commit branch merge version release package install command "
    "output input log message stack trace failed passed fix bug issue patch diff because still first "
    "before after same other new old one two next last more than into where what why how does do did "
    "make makes made see looks works need needs let me you i my your it's doesn't don't maybe "
    "probably instead without while between default option flag argument parser lexer buffer queue "
    "thread lock retry timeout latency memory pool worker job schema migration column row handler "
    "route endpoint socket stream encode decode parse format render layout style color button page "
    "form state store event loop hook async await promise container image deploy cluster pod node "
    "secret volume mount network port host proxy header body status redirect certificate"
)
ONSETS = _split("b c d f g h k l m n p r s t v w z br cr dr fl gr pl pr sh st th tr")
SYLLABLES = [
    c + v + e for c in ONSETS for v in ("a", "e", "i", "o", "u", "ai", "ou") for e in ("", "n", "r", "l", "s", "m", "ck", "x")
]
OTHER_WORDS = {
    "de": _split(
        "der die und nicht ist mit auf den das eine wir müssen prüfen Datei Fehler Verbindung "
        "Zeitüberschreitung warum läuft Test bitte ändere Größe Schlüssel Abfrage Zwischenspeicher "
        "danach wieder sollte Konfiguration Übersetzung Anmeldung löschen neu"
    ),
    "es": _split(
        "el la que no se con para una los por qué falla prueba archivo conexión consulta añade cambia "
        "después también tamaño función configuración error servidor caché sesión usuario revisa "
        "ahora todavía línea número contraseña migración"
    ),
}
OTHER_RUNS = {
    "zh": _split(
        "为什么 连接 超时 请 检查 配置 文件 数据库 索引 缓存 没有 更新 测试 失败 用户 登录 "
        "之后 服务 重启 日志 内存 泄漏 队列 修改 接口 返回 错误 版本 升级 部署 回滚"
    ),
    "ja": _split(
        "接続 プール を 確認 して ください テスト が 失敗 します 設定 ファイル の 更新 "
        "キャッシュ 検索 遅い なぜ データベース 移行 修正 ログ 出力 バージョン 認証 期限"
    ),
    "ko": _split(
        "연결 시간 초과 설정 파일을 확인 테스트가 실패 했습니다 데이터베이스 인덱스 캐시 갱신 "
        "사용자 로그인 서버 재시작 로그 메모리 누수 배포 버전 수정 왜"
    ),
}
EXTENSIONS = ("py", "ts", "rs", "go", "tsx", "java", "c", "h", "sql", "yaml", "toml", "md", "json")


def coined(rng: Random, syllables: int) -> str:
    """Return a word that means nothing."""
    return "".join(rng.choices(SYLLABLES, k=syllables))


class Text:
    """A stream of made-up text over one vocabulary of more than 200,000 distinct words."""

    def __init__(self, rng: Random, vocabulary: int = 220_000) -> None:
        self.rng = rng
        made = random_words(rng, vocabulary - len(COMMON))
        total = 900_000
        self.table: list[str] = []
        """Every word as often as Zipf's law says, the tail once each: a uniform draw from it is a Zipf draw."""
        for rank, word in enumerate(COMMON + made, 3):
            self.table += [word] * max(1, total // (13 * rank))
        self.names = [w for w in made[:6_000] if w.isidentifier()]
        self.shapes: tuple[Callable[[int], str], ...] = (
            self.log,
            self.listing,
            self.diff,
            self.trace,
            self.tests,
            self.json,
            self.code,
            self.grep,
        )

    def words(self, n: int) -> list[str]:
        """Return `n` words."""
        return self.rng.choices(self.table, k=n)

    def prose(self, n: int) -> str:
        """Return about `n` English words in sentences; now and then one in another language or with an inline name."""
        out: list[str] = []
        left, rng = n, self.rng
        while left > 0:
            k = min(left, 5 + int(rng.random() * 14))
            s = " ".join(rng.choices(self.table, k=k))
            out.append(s[:1].upper() + s[1:] + (".", ".", ".", "?", ":", "!")[int(rng.random() * 6)])
            if rng.random() < 0.15:
                out.append(f"`{self.path()}`" if rng.random() < 0.5 else f"({self.id()})")
            left -= k
        return " ".join(out)

    def foreign(self, n: int) -> str:
        """Return about `n` words in a language other than English."""
        lang = self.rng.choice(("de", "es", "zh", "ja", "ko"))
        some = self.rng.choices(self.names, k=1 + n // 12)
        if lang in OTHER_WORDS:
            return " ".join(self.rng.choices(OTHER_WORDS[lang], k=n) + some)
        return ("" if lang != "ko" else " ").join(self.rng.choices(OTHER_RUNS[lang], k=n)) + " " + " ".join(some)

    def id(self) -> str:
        """Return an id as they stand in transcripts: hex, UUID, SHA, version, ticket, address."""
        r = self.rng.getrandbits
        k = r(3)
        if k <= 1:
            return f"{r(160):040x}"[: 40 if k else 8]
        if k == 2:
            h = f"{r(128):032x}"
            return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
        if k == 3:
            return f"v{r(3)}.{r(5)}.{r(6)}"
        if k == 4:
            return f"{('ENG', 'OPS', 'WEB', 'DB')[r(2)]}-{r(13)}"
        return f"10.{r(8)}.{r(8)}.{r(8)}:{1024 + r(14)}" if k == 5 else f"0x{r(48):012x}"

    def name(self) -> str:
        """Return an identifier: camelCase, snake_case or plain."""
        a, b, c = self.rng.choices(self.names, k=3)
        k = self.rng.getrandbits(2)
        return (
            a + b.capitalize() + c.capitalize()
            if k == 0
            else f"{a}_{b}"
            if k == 1
            else a.capitalize() + b.capitalize()
            if k == 2
            else a
        )

    def path(self) -> str:
        """Return a path relative to a project."""
        a, b, c = self.rng.choices(self.names, k=3)
        return f"{('src', 'lib', 'tests', 'pkg')[self.rng.getrandbits(2)]}/{a}/{b}_{c}.{self.rng.choice(EXTENSIONS)}"

    def output(self, size: int) -> str:
        """Return tool output of about `size` bytes, of a shape picked at random."""
        return self.rng.choice(self.shapes)(size)

    def _fill(self, size: int, line: Callable[[], str]) -> str:
        out, n = [], 0
        while n < size:
            s = line()
            out.append(s)
            n += len(s) + 1
        return "\n".join(out)

    def log(self, size: int) -> str:
        """Return log lines."""
        t = [self.rng.getrandbits(24)]
        units = self.rng.choices(self.names, k=6)

        def line() -> str:
            t[0] += self.rng.getrandbits(9)
            s = t[0] // 1000
            level = ("INFO ", "INFO ", "DEBUG", "WARN ")[self.rng.getrandbits(2)]
            return (
                f"2026-01-{1 + s % 28:02d} {s // 3600 % 24:02d}:{s // 60 % 60:02d}:{s % 60:02d}.{t[0] % 1000:03d} "
                f"{level} [{units[s % 6]}] "
                f"{' '.join(self.words(7))} id={self.id()} took={self.rng.getrandbits(11)}ms"
            )

        return self._fill(size, line)

    def listing(self, size: int) -> str:
        """Return the listing of a directory."""
        return self._fill(
            size,
            lambda: (
                f"-rw-r--r-- 1 dev dev {self.rng.getrandbits(18):>8} Mar {1 + self.rng.getrandbits(4):>2} 14:02 {self.path()}"
            ),
        )

    def code(self, size: int) -> str:
        """Return lines of code."""

        def line() -> str:
            k, w = self.rng.getrandbits(2), self.words(4)
            if k == 0:
                head = f"\ndef {self.name()}({w[0]}: str, {w[1]}: int = {self.rng.getrandbits(6)}) -> {self.name()}:"
                return f"{head}\n    # {' '.join(self.words(8))}"
            if k == 1:
                return f"    {w[0]} = self.{self.name()}({w[1]}, {w[2]}={self.name()})"
            return (
                f'    if {w[0]}.{self.name()} is None:\n        raise {self.name()}Error("{" ".join(w)}")'
                if k == 2
                else f"    return {self.name()}[{w[0]}]"
            )

        return self._fill(size, line)

    def diff(self, size: int) -> str:
        """Return a unified diff."""
        p = self.path()
        return (
            f"diff --git a/{p} b/{p}\nindex {self.rng.getrandbits(28):07x}..{self.rng.getrandbits(28):07x} 100644\n"
            + self._fill(
                size,
                lambda: f"{' +-'[self.rng.getrandbits(2) % 3]}    {self.name()}.{self.name()}({', '.join(self.words(3))})",
            )
        )

    def trace(self, size: int) -> str:
        """Return a stack trace."""
        return (
            "Traceback (most recent call last):\n"
            + self._fill(
                size,
                lambda: (
                    f'  File "/srv/app/{self.path()}", line {self.rng.getrandbits(10)}, in {self.name()}\n'
                    f"    {self.name()}({', '.join(self.words(2))})"
                ),
            )
            + f"\n{self.name().capitalize()}Error: {' '.join(self.words(8))} ({self.id()})"
        )

    def tests(self, size: int) -> str:
        """Return the output of a test run."""
        ends = ("PASSED", "PASSED", "PASSED", "FAILED")

        def line() -> str:
            end = ends[self.rng.getrandbits(2)]
            return f"{self.path()}::test_{self.name()} {end} [{self.rng.getrandbits(6):>3}%]"

        return self._fill(size, line)

    def json(self, size: int) -> str:
        """Return JSON lines as an API gives them back."""
        return self._fill(
            size,
            lambda: (
                f'{{"id": "{self.id()}", "{self.name()}": "{" ".join(self.words(3))}", '
                f'"count": {self.rng.getrandbits(12)}, "ok": true}}'
            ),
        )

    def grep(self, size: int) -> str:
        """Return what a search over files prints."""
        return self._fill(
            size, lambda: f"{self.path()}:{self.rng.getrandbits(9)}:    {self.name()} = {' '.join(self.words(5))}"
        )


def random_words(rng: Random, n: int) -> list[str]:
    """Return `n` distinct coined words, a third of them joined into identifiers."""
    seen: dict[str, None] = {}
    while len(seen) < n:
        k = len(seen)
        a = coined(rng, 2 if k < 8_000 else 3)
        if k > 8_000 and k % 3 == 0:
            b = coined(rng, 2)
            a = f"{a}_{b}" if k % 2 else a + b.capitalize()
        seen[a] = None
    return list(seen)
