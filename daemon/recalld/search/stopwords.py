"""Words that say little, in the languages that people ask in."""

from __future__ import annotations

from collections.abc import Collection

from recalld import analysis
from recalld.search import english

_WORDS = {
    "german": """
der das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind wird werden wurde wurden haben
habe hatte ich er sie wir ihr mich mir uns mit von vom zu zum zur bei beim nach auf aus ins durch für gegen ohne um
dass wenn wie wo warum wann wer welche welcher welches dieser diese dieses auch noch nur schon als über unter vor
""",
    "french": """
le la les une et ou mais pas est sont été être avoir ce cet cette ces il ils elles je tu nous vous de dans avec
sans que qui quoi dont où quand comment pourquoi au aux mes ses leur leurs
""",
    "spanish": """
el los las lo unos unas una pero no es está están fue del por qué cómo cuándo dónde porque cuando donde como
este esta esto estos estas su sus hay ya muy
""",
    "russian": """
и в во не на я с со как а то все он она оно они так его её их но да ты к ко у же вы мы за бы по от из о об что это этот эта для
при до или если когда почему где был была было были быть есть нет чтобы
""",
    "korean": "왜 안 못 좀 더 또 그 것",
}
_AMONG_OTHERS = {
    "german": "die war hat man bin am so will mag was es ab im du",
    "french": "par pour plus des du on son sa est hier ne se en sur y",
    "spanish": "con sin para son tan solo y o al ser se mi",
}
"""Words that name something else in English, or where people speak of code: they say little only beside words of their
language that do not."""


def _terms(words: str) -> frozenset[str]:
    return frozenset(t for word in words.split() for t in analysis.tokens(word))


_OF = {language: _terms(words) - english.STOP_WORDS for language, words in _WORDS.items()}
_MORE = {language: _terms(words) for language, words in _AMONG_OTHERS.items()}
STOP_WORDS = english.STOP_WORDS.union(*_OF.values())
"""Words that a question has and an answer need not (`weights.STOP_WEIGHT`), as the index's terms."""


def stop_words(tokens: Collection[str]) -> frozenset[str]:
    """Return the words that say little in a question of these terms."""
    return STOP_WORDS.union(*[more for language, more in _MORE.items() if not _OF[language].isdisjoint(tokens)])
