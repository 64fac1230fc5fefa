"""What of a prompt can point at one session: its words without those that everybody uses all the time."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from recalld import analysis

MAX_HEAD, MAX_TAIL = 6000, 2000
"""Characters of a long prompt that are looked at: its beginning, and its end, where errors stand."""
MAX_UNITS = 32
"""Words that are asked for: each costs two lookups, 0.1 ms together."""

_RUN = re.compile(f"([\uac00-\ud7a3]+)|[{analysis.UNSPACED}]+")
"""A Korean word, else all that stands together without spaces."""
_UNSPACED = re.compile(f"[{analysis.UNSPACED}]")
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]")
_LATIN_NAME = re.compile(r"[a-z]+")

# Function words of the languages with spaces that people most write to agents in, folded as the index folds them.
_FUNCTION_WORDS = """
a about after again all also am an and any anyway are as at be because been before being both but by can cannot could
did do does doing don done down each either else even ever every few for from further get gets getting go goes going got
had has have having he hello help her here hers hi him his how i if in into is isn it its just let lets like ll look
looks made make makes many may maybe me might mine more most much must my need needs neither never no nor not nothing
now of off often ok okay on once one ones only or other others our ours out over own per please put quite rather re
really same say says see seem seems several shall she should since so some someone something sometimes soon still such
sure take takes tell than thank thanks that the their theirs them then there these they thing things think this those
though through til till to together too took toward try trying two under until up upon us use used uses using ve very
via want wanted wants was way we well were what whatever when whenever where whether which while who whole whom whose
why will with within without won would yeah yes yet you your yours
aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis bist bitte da damit dann das dass
dein dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen
einer eines er es etwas euch für fur gegen gibt hab habe haben hat hatte hier ich ihm ihn ihr ihre im immer in ist ja
jede jedem jeden jeder jetzt kann kannst kein keine konnen können mach machen mal man mehr mein meine mich mir mit muss
nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll sollen sollte sonst über uber um
und uns unser unter viel vom von vor war waren warum was weil weiter welche wenn wer werde werden wie wieder will wir
wird wo zu zum zur zwischen
al algo alguien ante antes aqui asi aun aunque cada como con contra cual cuando de del desde donde dos e el ella ellas
ellos en entre era eres es esa ese eso esta estan estar este esto estos fue ha hace hacer hay hasta la las le les lo los
mas me mi mis mucho muy nada ni no nos o otra otro para pero poco por porque pues que quien se sea ser si sido sigue sin
sobre solo son su sus tambien tampoco te tiene tiene tengo toda todas todo todos tu tus un una uno unos usa y ya yo
ai alors apres au aussi autre aux avant avec avoir bien c ca car ce ceci cela ces cet cette chaque chez ci comme comment
d dans de depuis des deux dire donc du elle elles en encore est et etait ete etre eu fait faire faut fois il ils j je l
la le les leur leurs lui m ma mais meme mes moi moins mon n ne nos notre nous on ou par parce pas peu peut plus pour
pourquoi qu quand que quel quelle qui rien s sa sans se ses si son sont sous sur t ta te tes toi ton tous tout toute
toutes tres trop tu un une va vers voici voila vos votre vous y
ao aos as ate com da das do dos ela ele em essa esse esta este eu foi isso isto ja mais mas na nao nas nem nos num o os
ou para pela pelo por pra quando que quem sao se sem ser seu sua tem uma voce
che chi ci con cosa cui da dai dal dalla degli dei del della delle di dove ed gli ho hai hanno io lei loro ma mi ne
negli nei nel nella noi non nostro per perche piu quando quello questa questo sei si sono sta su sua sul sulla suo tra
tutti tutto un una
"""

# What is said in most sessions about code: alone these point nowhere. Folded.
_EVERYDAY = """
add added adding adds answer app application apply argument bad base better bit branch bug bugs build builds built call
called calls change changed changes changing check checks class clean cleaner clear code command commands comment
comments commit commits complete config continue copy correct create created creates current data day days default
delete description different diff directory doc docs documentation easy edit empty end ensure entry error errors
example existing explain fail failed failing fails false feature file files final find fine first fix fixed fixes fixing
folder follow following friendlier friendly full function functions general give given good great handle happens hard
idea ids implement implementation improve include info input install instead issue issues item items keep kind
know last later leave left less library line lines lint list little log long longer main makefile message method
methods minor missing mode module move moved name named names new next nice note null number object old open option
options order original output package page part pass passed path place plan point possible pr previous print problem
problems process project prompt proper properly push python question quick read readme ready reason refactor release
remaining remove removed rename repo repository request result results return returns review revert right root rule run
running runs save script second section select separate server set sets setting settings setup shell shorter show shows
side similar simple simpler simplify single size small solution source spec start started state status step steps stop
string style suggest summary support switch system task tasks test tested testing tests text third time times today tool
tools top true type types understand undo unit update updated updates user users value values variable verify version
view wait warning warnings way whatever word work worked working works world write writes writing wrong yesterday zero
andern anderung anzeigen ausfuhren beheben code datei dateien einchecken einfach erklar erklare fehler funktion
hinzufugen laufen lassen nachste nachsten neu neue neuen neuer prufen schreib schreibe starten testen weitermachen
zeig zeige zeilen
agrega anade archivo arregla arreglalo cambia cambios codigo corrige ejecuta ejecutar error escribe explica funcion
funciona haz muestra nuevo nueva prueba pruebas revisa siguiente
ajoute ajouter corrige corriger ecris erreur execute explique fichier fichiers fonction lance lancer modifie montre
nouveau nouvelle suivant suivante
"""

# Characters of Chinese that carry grammar; what a person asks an agent to do, in two characters.
_CHINESE_FUNCTION = frozenset(
    "的了是在有和就不人都一个上也很到说要去你我他她它们会着没看好自这那么吧吗呢啊把被给让请再还又对与及或"
)
_ASKED_FOR = """
继续 提交 代码 修改 运行 测试 文件 错误 问题 添加 增加 删除 修复 检查 一下 什么 怎么 为什 可以 需要 现在 然后 谢谢 功能
続け 確認 追加 修正 実行 変更 削除 作成 機能 お願 願い
푸시 커밋 세요 니다 습니 주세 해주 하고 에서 으로 하는 있는 계속
수정 추가 실행 확인 해줘 테스 스트 파일 코드 오류 좋아 네요 아요 어요 다시
"""
_ASKED = frozenset(_ASKED_FOR.split())

FUNCTION_WORDS = frozenset(analysis.terms(_FUNCTION_WORDS))
EVERYDAY = frozenset(analysis.terms(_EVERYDAY))


# Endings of files, and what stands before the number of a standard: a name made of these is everybody's.
_ENDINGS = """
bash c cc cfg conf cpp cs css csv db dev docker dockerfile env gif go gradle h hpp html http https index ini init ipynb
java jpg js json jsx kt lock log main makefile md mjs package pdf php png proto py rb requirements rs rst scss sh sql
src svg svelte swift tar test tests toml ts tsx txt vue www xml yaml yml zip
"""
_STANDARD_NAMES = "aes ascii base ean esp gb http https ieee iso latin mp rfc rs sha tcp usb utf web win x"
_STANDARDS = frozenset(_STANDARD_NAMES.split())

EVERYDAY_PARTS = EVERYDAY | frozenset(_ENDINGS.split())

_COMPOUND = re.compile(r"[A-Za-z0-9@][\w.:/@#+-]*\w")
_NUMBERED = re.compile(r"([A-Za-z]{1,10})[-_]?\d{3,}(?:-\d+)*")
"""A ticket, an advisory, an error code."""
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}")
_MAX_COMPOUND = 10
"""Parts of a name; longer ones are URLs and pasted data."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, a name of several parts, or two characters side by side of a script without spaces."""

    tokens: tuple[str, ...]
    everyday: bool = False
    """It is said in most sessions, whatever they are about."""
    named: bool = False
    """It names one thing (a ticket, a commit, an error code, a path): it points at a session by itself."""
    pair: bool = False
    """Two characters of a script without spaces: part of a word, which its neighbours are parts of too."""


def units(prompt: str) -> list[Unit]:
    """Return the units of a prompt, each once, in order."""
    if len(prompt) > MAX_HEAD + MAX_TAIL:
        prompt = f"{prompt[:MAX_HEAD]}\n{prompt[-MAX_TAIL:]}"
    found: dict[tuple[str, ...], Unit] = {}
    for match in _COMPOUND.finditer(prompt):
        unit = _compound(match[0])
        if unit is not None:
            found[unit.tokens] = unit
    for match in _RUN.finditer(unicodedata.normalize("NFC", prompt)):
        for pair in _pairs(analysis.terms(match[0]), spaced=bool(match[1])):
            found[pair] = Unit(pair, pair=True)
    for token in analysis.terms(prompt):
        if len(token) > 1 and token not in FUNCTION_WORDS and not _UNSPACED.match(token):
            number = token.isdigit() and len(token) < 3
            everyday = number or token in EVERYDAY_PARTS or analysis.stem(token) in EVERYDAY
            found.setdefault((token,), Unit((token,), everyday))
    return list(found.values())


def _pairs(characters: list[str], *, spaced: bool) -> list[tuple[str, str]]:
    """Return the pairs of neighbours in a run. `spaced`: it is one word, whose end is grammar if it is long."""
    pairs = list(pairwise(characters))
    if spaced and len(pairs) > 1:
        pairs.pop()
    return [(first, second) for first, second in pairs if not _is_grammar(first, second)]


def _compound(text: str) -> Unit | None:
    """Return the unit of a word that is made of several, or that names one thing; None where it is a plain word."""
    tokens = analysis.tokens(text)
    if not 1 <= len(tokens) <= _MAX_COMPOUND:
        return None
    numbered = _NUMBERED.fullmatch(text)
    if (numbered and numbered[1].lower() not in _STANDARDS) or _HASH.fullmatch(text):
        return Unit(tokens, named=True)
    if len(tokens) == 1 or "://" in text:
        return None
    telling = [t for t in tokens if len(t) > 1 and not t.isdigit() and t not in EVERYDAY_PARTS]
    if "/" in text:
        # A path of three parts, not "and/or", and not a name that every project has a file of.
        return Unit(tokens, named=True) if len(tokens) > 2 and telling and "." in text else None
    if "_" in text or "." in text or "::" in text:
        return Unit(tokens) if telling else None
    return None


def _is_grammar(first: str, second: str) -> bool:
    if _HIRAGANA.match(first) or _HIRAGANA.match(second):
        return True
    return first + second in _ASKED or first in _CHINESE_FUNCTION or second in _CHINESE_FUNCTION
