"""Settings by name: `password = "…"`, `--token …`, `"api_key": "…"`, `<password>…</password>`, `密码：…`.

The scan hands over the place of a keyword. From there: the rest of the name, what closes it (quotes, brackets), an
operator, a value; then the judgement (`judge.py`). All looks are bounded, whatever the text.
"""

# Long lines: a pattern is read whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from functools import lru_cache

from recalld.redact import values
from recalld.redact.around import LINE_END
from recalld.redact.judge import JUDGED, KIND_OF, Op, Span, Value, judge, mixed_classes, strong
from recalld.redact.names import Category, Name, parts
from recalld.redact.spaced import NEXT_ITEM, OPTION_ITEM, is_next_thing
from recalld.redact.values import words

HEAD_REACH = 64
"""Characters before a keyword that may belong to its name."""
BARE_REACH = 256
"""Characters of a value without quotes that are judged. A longer one is no password; where it is a secret, its
rest goes with it."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"


_QUOTE = r"\\{0,31}[\"'`]"
_IS = (
    r"(?:is|was|ist|lautet|war|es|era|est|était|är|er|é|è|je|jest|to|là|adalah|este|είναι|है|هي|هو|is[ ]now|are|sono|sind|wäre|becomes|now|"
    r"will[ ]be|has[ ]been[ ](?:re)?set[ ]to|(?:re)?set[ ]to|changed[ ](?:to|from)|should[ ]be|must[ ]be|of)"
)
_OF = r"(?:for|of|on|to|at|from|is[ ]generated[ ]for|für|von|vom|zur|zum|bei|pour|de|du|des|del|della|per|da|do|dla|para|от|для|к|до|від|til|till|för|voor|van|ke|untuk|của|için)"
_SEVERAL = r"(?:[^\s:=,;|\"'`()<>{}\[\]]{1,40}[ ]){0,3}?(?:[^\s:=,;|\"'`()<>{}\[\]]{1,40}|[\"'`][^\s\"'`\n]{1,40}[\"'`])"
_AFTER = re.compile(
    rf"""(?x)
    (?P<tail>[A-Za-z0-9_-]{{0,40}}(?:ña|eñas?|sı|ı)?)
    (?P<close>(?:{_QUOTE}|[\])*!?]|[ ]?\([^()\n\"'`]{{1,30}}\)|[ ]\[[^\[\]\n]{{1,30}}\]){{0,4}})
    (?:[ ](?:(?:d['’]|de[ ]|da[ ]|do[ ]|del[ ])?API|nuev[oa]|mới|baru|nov[oa]|neu|nou[ăa]?|created|generated|issued|provided|received|found|rotated|secret[ao]?|privad[ao]|privée?|segret[ao]|de[ ]acceso|temporal|temporaire|provisoire|sementara|tạm))?
    (?:
        (?P<array>\[\w{{0,20}}\][ ]?=(?!=)) |
        [ \t]{{0,20}}:[ \t]{{0,4}}(?:&'\w{{1,12}}[ ])?[A-Za-z_&][\w.<>\[\]|?&]{{0,40}}?(?:[ ]?[|,][ ]?[\w.<>\[\]?]{{1,30}}){{0,3}}?(?:[ ]|(?=="|='))(?P<typed>=(?!=)) |
        (?<![\"'`])[ ](?:[Aa][Ss][ ][A-Za-z][\w.]{{1,20}}|string|[A-Za-z][\w.]{{1,20}}\(\d{{1,5}}(?:,[ ]?\d{{1,3}})?\))[ ]{{0,4}}(?P<declared>:?=(?!=))(?=[ ]?[N@]?["']) |
        [ ]\{{[ ]get;[ ](?:[a-z]{{1,12}}[ ])?(?:set|init);[ ]\}}[ ](?P<property>=) |
        [ ]PIC[ ]\S{{1,20}}[ ](?P<cobol>VALUE)[ ](?=["']) |
        (?P<block>[ ]\{{(?:\\n|[^{{}}]){{0,300}}?\bdefault[ ]{{0,20}}=) |
        [ \t]{{0,40}}(?P<pair>,?[ \t]{{0,8}}(?:(?:{_QUOTE})?(?:[tT]ype|[sS]ecret|[sS]ensitive|[oO]verwrite|[dD]escription)(?:{_QUOTE})?[ ]?[:=][ ]?[^\s,{{}}]{{1,40}},[ ]{{0,4}})?(?:\\?\r?\n|\\{{1,7}}n)?[ \t-]{{0,40}}(?:{_QUOTE})?(?:(?:[pP]arameter|[oO]ption|[sS]ecret)?[vV]alue|default|[tT]ext|[cC]ontent|val|[aA]nswer)(?:{_QUOTE})?[ \t]{{0,8}}[:=]) |
        (?:[ ][\w:.-]{{1,30}}=["'][^"'<>\n]{{0,80}}["']){{0,3}}(?P<markup>(?:&gt;|>)(?:<!\[CDATA\[|\s{{0,40}}<(?:value|Value|string|val)>)?) |
        (?P<listed></(?:key|Key|name|Name|param-name)>\s{{0,40}}<(?:string|value|Value|param-value)>) |
        [ \t]{{0,40}}(?P<same>===?|!==?|\|\|(?!=)|\?\?(?!=)|\?:|or(?=[ ]["'])) |
        [ \t]{{0,40}}(?P<set>:=|=>|<-(?!-)|->|\?\??=|\|\|=|=) |
        (?P<encoded>%3[dD]|\\{{1,3}}=) |
        (?:[ \t]{{0,40}}(?P<colon>:(?![:/]/?)|：|＝)|[ ]?(?P<leader>\.{{3,60}})(?=[ ])) |
        (?P<comma>[ \t]{{0,4}},[ \t]{{0,24}}(?:\\?\r?\n[ \t]{{0,40}}|\\{{1,7}}n[ ]{{0,40}})?)(?=(?:<<)?{_QUOTE}) |
        [ ]{_OF}[ ]{_SEVERAL}(?P<of>[ ]?(?::(?![:/])|[ ](?:{_IS}|=|—|-)[ :]?)[ ]) |
        [ ][^\W\d_a-zA-Z]{{3,20}}(?P<genitive>:)[ ] |
        [ ](?P<is>{_IS})(?:[ ]?:)?[ ] |
        [ ](?P<dash>[-–—]|→|⇒)[ ] |
        (?P<typing>[^\S\n]{{0,2}}[^\w\s]{{0,4}}\.(?:fill|type|send_keys|sendKeys|setValue|set_value|arg|args|push|append|set|clearAndType|pressSequentially|replaceText|typeText|inputText)\()(?={_QUOTE}) |
        (?P<equals>\.(?:equals|equalsIgnoreCase|eq|Equals|isEqualTo|compareTo)\((?={_QUOTE})) |
        (?P<braced>(?=[「『]) | \{{(?={_QUOTE}) | \$[ ]?=[ ]?(?=")) |
        (?P<call>\((?={_QUOTE})) |
        (?P<dotted>[ ]\.[ ](?=")) |
        (?P<is2>(?:는|은|이|가|를|을)[ ]|[ ]?(?:就是|是|(?:已?设置?|已?改|已?更新)[为成]|設定?為|为|為|は|が|を)[ ]?) |
        [ \t]{{1,40}}(?P<cell>\|)(?=[ ]) |
        [ \t]{{1,20}}(?P<column>[A-Za-z]{{3,20}}(?:[ ]?\(\d{{1,5}}\))?(?:[ ](?:NOT[ ]NULL|not[ ]null|NULL|null))?[ ](?:DEFAULT|default))[ ](?=E?') |
        (?P<space>[ \t]{{1,8}}(?:\\\r?\n[ \t]{{0,40}})?|\\\r?\n[ \t]{{1,40}})
    )"""
)
_CLOSED = re.compile(r"\\{0,63}[\"'`]?")
_GAP = re.compile(r"[ \t]{0,80}(?:\*{1,2}(?!\*)[ ]?)?")
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*\n([ \t]{1,40})")
_NEXT_LINE = re.compile(r"(?:\([ \t]*)?\r?\n(?:[ \t]*\r?\n)?[ \t]{0,80}")
_BETWEEN_TAGS = re.compile(r"\s{0,40}([^<>\n]{1,400}?)(?:\]\])?\s{0,40}(?=</|&lt;/|<\\/|\]\]>|\n|>|&gt;/)")
_NEXT_STRING = re.compile(r"\\{0,7}[\"'],[ ]?(?=\\{0,7}[\"'])")
_WRAPPED = re.compile(
    r"(?:new[ ])?(?:(?:String::from|String|str|bytes(?:\.fromhex)?|bytearray(?:\.fromhex)?|(?:binascii\.)?unhexlify|(?:base64\.)?b64decode|atob|hex::decode|hex!|\[\]byte|\[\]rune|Buffer\.from|SecretStr|SecretBytes|SecretString(?:::new|::from)?|Secret(?:::new)?|Some|Ok|Just|"
    r"std::string|string|CString::new|Arc::from|Box::from|Cow::from|Sensitive|PASSWORD|password|strdup|encodeURIComponent|quote|GuardedString|PasswordData|text|T|_T|L|u8|extra|NSString)[ ]?(?:\(|\{|!\()\s{0,8}b?|"
    r"string\(\d{1,5}\)[ ]|<<|[NL@](?=[\"']))(?=[\"'\\])"
)
"""What may be wrapped around a string that is meant as it stands."""
_TAG = re.compile(r"(?:</\w{1,8}>[ ]?)?<(?:code|b|strong|kbd|tt|em|pre|samp|span|mark)(?: [^<>\n]{0,60})?>")
_CURLY = {"“": "”", "„": "“”", "«": "»", "‘": "’", "「": "」", "『": "』", "《": "》", "【": "】"}
_OPEN = re.compile(r"@?[fFbBrRuU]{0,2}(\\{0,63})(\"\"\"|'''|[\"'`])|\$(\\{0,31})(')")
_BARE = re.compile(
    r"(?:\\[^nrt\"'`\s\\u]|\\u00[2-7][0-9a-fA-F]|\\\\(?![nrt\"'`])|[^\s\"'`<>\\]|(?<=[A-Za-z0-9!#%^*])'(?=[A-Za-z0-9!#%^*]))+"
)
_Q = re.compile(r"(?:%[qQ]|q{1,2})(?:\{|\(|\[|\||/)([^{}()\[\]|/\n]{1,300})[})\]|/]")
"""Ruby's and Perl's own quotes."""
_TURN = re.compile(r"[!-~](?=[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffee])")
"""Where a bare value goes over into the writing of the sentence around it: `密码是hunter2，请登录`."""
_BARE_CUT = re.compile(r"(?:[&;,][ ]?[A-Za-z_][\w.-]{0,40}=)|&(?:amp|lt|gt|quot|#\d+);|;$|[,;][ ]?$|&&|\|\||;;|%26|%7[cC]")


def read_value(text: str, at: int) -> Value | None:
    """Return the value that starts at `at`: quoted (also behind any number of backslashes) or bare; None for none."""
    curly = _CURLY.get(text[at : at + 1])
    if curly is not None:
        end = min((e for e in (text.find(c, at + 1, at + 200) for c in curly) if e > 0), default=-1)
        return Value(at + 1, end, text[at], False) if end > 0 else None
    opened = _OPEN.match(text, at)
    if opened is None:
        listed = _Q.match(text, at)
        if listed is not None:
            return Value(listed.start(1), listed.end(1), "q", False)
        bare = _BARE.match(text, at, at + BARE_REACH)
        if bare is None:
            return None
        end = bare.end()
        turned = _TURN.search(text, at, end)
        if turned is not None:
            end = turned.start() + 1
        cut = _BARE_CUT.search(text, at, end)
        if cut is not None and cut.start() > at:
            end = cut.start()
        return Value(at, end, "", False)
    slashes = len(opened.group(1) or opened.group(3) or "")
    quote = opened.group(2) or opened.group(4)
    start = opened.end()
    end = _closing(text, start, slashes, quote)
    return Value(start, end, "\\" * slashes + quote, "f" in opened.group(0)[:2].lower())


def _closing(text: str, start: int, slashes: int, quote: str) -> int:
    """Return where a quoted value ends. A quote closes when it stands behind as many backslashes as the opening one,
    or behind escaped backslashes and those; one behind fewer closes what is around. Without any: the line's end."""
    limit = min(len(text), start + values.MAX_VALUE)
    unit = 2 * (slashes + 1)
    at = start
    line_end = text.find("\n", start, limit)
    soft = limit if line_end < 0 or len(quote) == 3 or line_end == start else line_end
    while True:
        found = text.find(quote, at, limit)
        if found < 0:
            return soft
        if found > soft and found > soft + 200:
            return soft
        before = found
        while before > start and text[before - 1] == "\\":
            before -= 1
        count = found - before
        if count % unit == slashes % unit:
            return found - slashes
        if count < slashes:
            return before
        at = found + len(quote)


_WORD_ENDS = frozenset({"pass", "pw", "psk", "mdp", "pin"})
"""Short names that other words end with: `bypass`, `minipass`, `GIT_ASKPASS`."""
_COMMON_TAILS = words("s ize izer izers ized izing board words ring")
"""Ends of the commonest words that only begin like a secret's name."""

_ENDS = frozenset((*").,;[]/+%@", ""))
"""Characters after a name that no assignment goes on from; they come first because they settle half of all cases."""
_GOES_ON = re.compile(
    r"%3[dD]|\[\w{0,20}\][ ]?=|\][ ]?=|\.(?:fill|type|send|set|equals|eq|Eq|is|comp|replaceT|inputT)\w{0,20}\(|"
    r",[ ]{0,4}(?:\\?n?\s{0,8}[\"'\\-]{0,4}[ ]?(?:[vV]alue|[tT]ext|[cC]ontent|val|[aA]nswer)|[\"']|(?:type|secret|sensitive|overwrite|description)\b)"
)
"""What an assignment goes on with all the same."""
_LONG_CATEGORIES = frozenset({"key", "token"})
_TOO_SHORT = re.compile(r"[=:][ \t]{0,8}[^\s\"'`\\*|>(]{1,5}(?:\s(?!\s{0,4}=)|$)")
"""After `key` and `token` no value below six characters counts."""
_SETTING = frozenset({"set", "colon", "flag"})
_LONG_OPS = _SETTING | {"space", "is"}
_LONG = re.compile(r"[\s(@bfru*\\\"'`]{0,90}[^\s\"'`<>]{20}")
_CLOSED_CATEGORIES = frozenset({"key", "token", "secret"})

_name = lru_cache(maxsize=4096)(Name)


def _ascii_letter(c: str) -> bool:
    return c.isascii() and c.isalpha()


def find(text: str, start: int, end: int, category: Category, since: int = -1) -> Span | None:
    """Return the secret that the keyword at `start:end` names, or None. `since` is the end of the last one found, whose
    quotes are not this one's."""
    following = text[end : end + 1]
    if following in _ENDS and not _GOES_ON.match(text, end):
        return None
    if category in _CLOSED_CATEGORIES and _ascii_letter(following) and (following.islower() or text[end - 1].isupper()):
        return None
    if following and following in "\n\"'":
        item = NEXT_ITEM.match(text, end)
        if item is not None and OPTION_ITEM.search(text, max(0, start - 48), start):
            value = read_value(text, item.end())
            return value and judge(text, value, category, _name(category, "--", "", ""), "flag", False, "", False)
    if following == "\n" and "alue" not in text[end : end + 60]:
        return None
    if category in _LONG_CATEGORIES and following in ("=", ":") and _TOO_SHORT.match(text, end):
        return None
    after = _AFTER.match(text, end)
    if after is None:
        return None
    tail = after["tail"]
    if tail in ("sı", "ı"):  # whose password, in Turkish
        tail = ""
    if tail in _COMMON_TAILS:
        return None
    head = _head(text, start, category)
    if (
        head[-1:].isalpha() and end - start <= 4 and text[start].isalpha() and head[-1].islower() == text[start].islower()
    ) and text[start:end].lower() in _WORD_ENDS:
        return None
    if text.startswith("${", start - len(head) - 2):
        return _fallback(text, end + len(tail), category)
    if (
        not text[start - len(head) - 1 : start - len(head)].isascii()
        and text[start - len(head) - 2 : start - len(head) - 1] == '"'
    ):
        return None  # a word of a tokenizer's vocabulary: "Ġpassword"
    name = _name(category, head, text[start:end].lower() if category != "key" else text[start:end], tail)
    if name.promise is None:
        return None
    op = _op(text, start, after, name, head)
    before = text[max(0, start - len(head) - 9) : start - len(head)]
    if before.endswith("::") or (before.endswith(":") and following == ":" and text[end + 1 : end + 2] not in " 	"):
        return None  # a module, or the resource of an ARN
    if before.endswith(("://", "user/", "username/", "login/")):
        return None  # a user beside a password, which have rules of their own
    if op is None or (not head and op != "set" and text.startswith("PASS", start) and end - start == 4):
        return None
    if category == "key" and name.promise == "weak":
        wrapped = _WRAPPED.match(text, after.end() + 1)
        if op not in _LONG_OPS or not _LONG.match(text, wrapped.end() if wrapped else after.end()):
            return None
    if category != "password" and op not in _SETTING and not _DIGIT_AHEAD.match(text, after.end()):
        return None
    gap = _GAP.match(text, after.end())
    at = gap.end() if gap else after.end()
    next_line = False
    if op in ("set", "colon"):
        block = _BLOCK.match(text, at)
        if block is not None:
            return _block(text, block, category)
        moved = _NEXT_LINE.match(text, at)
        if moved is not None:
            if moved[0].count("\n") > 1:
                op = "is"
            at, next_line = moved.end(), True
    wrapped = _WRAPPED.match(text, at) or _TAG.match(text, at)
    if wrapped is not None:
        at = wrapped.end()
    if op == "markup":
        value = _content(text, at)
    elif category in ("password", "secret") and op in ("set", "colon") and text[start:end].lower().endswith(_PHRASES):
        value = _phrase(text, at) or read_value(text, at)
    else:
        marked = _WORD_DIFF.match(text, at)
        value = Value(marked.start() + 2, marked.end() - 2, "diff", False) if marked else read_value(text, at)
    if value is None or value.end <= value.start:
        return None
    if "encryptedData" in text[max(0, start - 400) : start]:
        return None
    if not value.quote and op == "colon" and "]" in after["close"]:
        return None  # `a[href*="password"]:hover`
    if value.quote and op == "set" and not after["close"] and text[value.start] in " +.,)&|%":
        line = text[max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0) : start]
        if _opens(line, value.quote[-1]):  # "…&password=" + password
            return None
    if op == "call":
        value = _last_argument(text, value)
    if after["is2"] and not value.quote and not _mixed_word(text[value.start : value.end]):
        return None  # the sentence goes on
    if value.quote and after["colon"] and not after["close"].strip(" ()[]*!?\\").endswith(("'", '"', "`")):
        behind = _CLOSED.match(text, since).end() if since >= 0 else 0  # type: ignore[union-attr]  # it matches nothing, too
        line = text[max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, behind) : start]
        if _opens(line, value.quote[-1]):  # 'New password: ' ends here
            return None
    if (
        next_line
        and not value.quote
        and (text[at] == "@" or op == "set" or after["close"].strip("*)") or not LINE_END.match(text, value.end))
    ):
        return None
    digits = text[value.start : value.end]
    if text[start:end].lower() == "passcode" and op in ("space", "is", "colon") and re.fullmatch(r"\d{4,10}", digits):
        return (value.start, value.end, "password")
    if text[start:end] == "PIN" and op == "is" and re.fullmatch(r"\d{4,8}", text[value.start : value.end]):
        return (value.start, value.end, "password")
    if text[start:end] == "pin" and not text[value.start : value.end].isdigit():
        return None
    if (
        after["is"] in ("to", "of")
        and not _CHANGED.search(text, max(0, start - 60), start)
        and not mixed_classes(text[value.start : value.end][:JUDGED])
    ):
        return None
    arrow = after["set"] == "->" and not value.quote
    if (after["dash"] or arrow or op == "call") and not _plain_enough(text, value, head, op):
        return None
    if is_next_thing(text, after, head, op, value.start, value.end, bool(value.quote)):
        return None
    spaced = bool(after["typed"]) or (bool(after["set"]) and text[after.start("set") - 1] in " \t")
    value = _joined(text, value)
    found = judge(text, value, category, name, op, spaced, after["close"], text[start:end].isupper())
    if found is not None and not value.quote and found[1] == value.start + BARE_REACH:
        longer = _BARE.match(text, found[1], found[1] + values.MAX_VALUE)
        return (found[0], longer.end() if longer else found[1], found[2])
    return found


_WORD_DIFF = re.compile(r"\[-([^\s\]]{4,200})-\](?:\{\+([^\s}]{4,200})\+\})?|\{\+([^\s}]{4,200})\+\}")
"""What a diff by words shows for a value that changed."""
_FALLBACK = re.compile(r":[-=]?([^}\s\"'$]{4,128})\}")


def _fallback(text: str, at: int, category: Category) -> Span | None:
    """Return what `${DB_PASSWORD:-X}` falls back to."""
    found = _FALLBACK.match(text, at)
    if found is None:
        return None
    v = found[1]
    if values.is_reference(v) or values.is_name(v) or values.is_machine(v) or not (strong(v) and any(c.isdigit() for c in v)):
        return None
    if category in ("token", "key") and not values.is_random(v):
        return None
    return (*found.span(1), KIND_OF[category])


_CHANGED = re.compile(r"(?i)\b(?:re)?set|chang|updat|rotat|switch")


_JOINED = re.compile(
    r"[\"'][ \t]{0,4}(?:(?:[+&]|\.{1,2}|<>|\|\||\\)[ \t]{0,4}\\?)[ \t]{0,4}(?:\n[ \t]{0,80})?(?:[+&.][ \t]{0,4})?[\"']([^\"'\\\n]{2,300})(?=[\"'])"
)


def _joined(text: str, value: Value) -> Value:
    """Return a quoted value with the strings that are joined to it: `"abc" + "def"`, over lines too."""
    if value.quote not in ('"', "'"):
        return value
    end = value.end
    for _ in range(8):
        more = _JOINED.match(text, end)
        if more is None or ":" in text[more.end() + 1 : more.end() + 3]:
            break
        end = more.end()
    return value if end == value.end else value._replace(end=end)


def _content(text: str, at: int) -> Value | None:
    """Return what stands between two tags."""
    found = _BETWEEN_TAGS.match(text, at)
    if found is None or not found[1]:
        return None
    return Value(found.start(1), found.end(1), "", False)


_PHRASES = ("phrase", "mnemonic")
_PHRASE = re.compile(r"(?:[a-z]{3,12}[ ]){2,23}[a-z0-9]{2,12}(?=[ \t]{0,4}(?:\r?\n|$|\\n|[\"']))")


def _phrase(text: str, at: int) -> Value | None:
    """Return a passphrase of several words without quotes, to the end of its line."""
    found = _PHRASE.match(text, at)
    if found is None or values.is_prose(found[0]):
        return None
    return Value(at, found.end(), "phrase", False)


def _last_argument(text: str, value: Value) -> Value:
    """Return the last of up to three strings in a call: `set_password("service", "user", "X")`."""
    for _ in range(2):
        following = _NEXT_STRING.match(text, value.end)
        another = read_value(text, following.end()) if following else None
        if another is None:
            break
        value = another
    return value


def _opens(line: str, quote: str) -> bool:
    """Return whether a string is open at the end of `line`; an apostrophe within a word opens none."""
    return len(re.findall(rf"(?<!\w){quote}|{quote}(?!\w)", line)) % 2 == 1


def _plain_enough(text: str, value: Value, head: str, op: Op) -> bool:
    """Return whether a value behind a dash, or in a call that reads, checks or hashes, looks like a password all the same."""
    v = text[value.start : value.end][:JUDGED].strip()
    if op == "call":
        return not (_READERS & set(parts(head))) or (len(v) >= 8 and mixed_classes(v) and not values.is_name(v))
    return len(v) >= 6 and any(c.isdigit() for c in v) and any(c.isalpha() for c in v) and not values.is_name(v)


def _head(text: str, start: int, category: Category) -> str:
    segment = text[max(0, start - HEAD_REACH) : start]
    head = segment[len(segment.rstrip(_NAME_CHARACTERS)) :]
    if head and len(head) < len(segment) and segment[-len(head) - 1] == "\\" and head[0] in "nrt":
        head = head[1:]
    if not head and category == "key" and segment.endswith(" "):
        words = segment[:-1]
        word = words[len(words.rstrip(_NAME_CHARACTERS)) :]
        head = word + "_" if word else ""
    return head


_PLAIN_CALLS = ("define(", "strcmp(", "compare_digest(", "safe_compare(", "secure_compare(", "equals(", "assertEquals(")
"""Calls in which a bare name and a string are the two sides of one thing."""


def _mixed_word(v: str) -> bool:
    """Return whether a value is letters with digits or symbols, all of ASCII."""
    return v.isascii() and any(c.isalpha() for c in v) and any(not c.isalpha() for c in v.rstrip(".,;:!?"))


_TABLE_RULE = re.compile(r"[ \t]*\|?[ ]?:?-{2,}[-:| ]*(?:\n|$)")
_VERBS = frozenset({"pass", "pw"})
_SET = ("encoded", "typed", "pair", "set", "declared", "property", "cobol", "block", "braced", "array")
_BEFORE_MARKUP = re.compile(r"(?:<|&lt;|[:;])$|(?:[nN]ame|[kK]ey)=\\{0,7}[\"']$")


def _op(text: str, start: int, after: re.Match[str], name: Name, head: str) -> Op | None:
    matched = after.lastgroup
    begin = start - len(head)
    if matched == "space" and head.isupper() and _SETS.search(text[max(0, begin - 40) : begin]):
        return "set"  # `set -gx API_KEY X`, `ENV API_KEY X`
    if text[start : after.start("tail")].lower() in _VERBS and matched in ("is", "of", "dash", "genitive", "space"):
        # `pass X to …` is what one does with anything
        if matched != "space":
            return "is" if after["is"] in ("is", "was") else None
        quoted = text[after.end() : after.end() + 1] in ("'", '"', "`")
        return "space" if not after["close"] and not quoted and _DIGIT_AHEAD.match(text, after.end()) else None
    if matched in _SET:
        return "set"
    if matched == "leader":
        return "colon"
    if matched in ("same", "equals", "typing"):
        return "same"
    if matched in ("colon", "comma", "markup", "listed", "column", "cell", "call"):
        before = text[begin - 1 : begin]
        if matched == "colon":
            return "colon"
        if matched == "call":
            short = text[start : after.start("tail")].lower().lstrip("_.-") in _WORD_ENDS
            return None if after["close"] or short else "call"
        if matched == "comma":  # the name is all there is in its quotes, or in Erlang's tuples and macros
            if after["close"]:
                return "comma" if before in ("'", '"', "`", "#") else None
            return "comma" if before == "{" or text[max(0, begin - 16) : begin].endswith(_PLAIN_CALLS) else None
        if matched == "markup":
            return "markup" if _BEFORE_MARKUP.search(text[max(0, begin - 8) : begin]) else None
        if matched == "listed":
            return "markup"
        if matched == "column":
            return "sql"
        if _TABLE_RULE.match(text, text.find("\n", after.end(), after.end() + 400) + 1):
            return None  # the headings of a table
        return "cell" if "|" in text[max(0, start - 200) : start] else None
    if matched in ("is", "is2", "dash", "of", "genitive", "dotted"):
        return None if name.flag else "is"
    if name.flag and not after["close"]:
        return "flag"
    if text[after.end() : after.end() + 1] in ("'", "`"):
        return "sql"
    if (
        text[after.end() : after.end() + 1] == '"'
        and text[start : after.end("tail")].lower() == "password"
        and not after["close"]
    ):
        return "space"
    return "space" if not after["close"].strip("*") and _DIGIT_AHEAD.match(text, after.end()) else None


_SETS = re.compile(
    r"(?:^|[\s;&|>(`])(?:set|setx|setenv|set-env|export|ENV|ARG|secrets?[ ]set|config[ ]set|env[ ]set|variable[ ]set)[ ](?:--?\w+[ ])*$"
)
_DIGIT_AHEAD = re.compile(r"[ ]{0,2}\\{0,7}[\"']?[^\s\d]{0,60}\d")
_READERS = words(
    """
    split assert parse sanitize strip mask redact encrypt decrypt encode decode quote escape
    get fetch find read lookup load has check validate verify hash reset forgot delete remove is need needs use t
    tr i18n translate
    """
)
"""What makes `getPassword("x")` name a password where `setPassword("x")` holds one."""


def _block(text: str, block: re.Match[str], category: Category) -> Span | None:
    """A YAML block scalar: all lines that are indented as its first."""
    if category == "key":
        return None
    indent = block[1]
    at, stop = block.end(), min(len(text), block.end() + values.MAX_VALUE)
    end = at
    while at < stop:
        line_end = text.find("\n", at, stop)
        end = stop if line_end < 0 else line_end
        if line_end < 0 or not text.startswith(indent, line_end + 1):
            break
        at = line_end + 1 + len(indent)
    content = text[block.end() : end]
    if not content.strip() or values.is_reference(content) or values.is_prose(content):
        return None
    return (block.end(), end, KIND_OF[category])
