"""Words that say little, in the languages that people ask in."""

from __future__ import annotations

from recalld import analysis
from recalld.search import english

_OTHERS = """
der das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind wird werden wurde wurden haben
habe hatte ich du er sie es wir ihr mich mir uns mit von vom zu zum zur bei beim nach auf aus im ins durch für gegen ohne um
ab dass wenn wie wo warum wann wer welche welcher welches dieser diese dieses auch noch nur schon als über unter vor
le la les une et ou mais ne pas est sont été être avoir ce cet cette ces il elle ils elles je tu nous vous se de dans avec
sans que qui quoi dont où quand comment pourquoi au aux en sur mes ses leur leurs
el los las lo unos unas una y o pero no es está están fue ser del al con por qué cómo cuándo dónde porque cuando donde como
este esta esto estos estas mi su sus hay ya muy
и в во не на я с со как а то все он она оно они так его её их но да ты к ко у же вы мы за бы по от из о об что это этот эта для
при до или если когда почему где был была было были быть есть нет чтобы
왜 안 못 좀 더 또 그 것
"""
"""German, French, Spanish, Russian, Korean; without those that name something where people speak of code (`die`, `par`)."""

STOP_WORDS = english.STOP_WORDS | frozenset(t for word in _OTHERS.split() for t in analysis.tokens(word))
"""Words that a question has and an answer need not (`weights.STOP_WEIGHT`), as the index's terms."""
