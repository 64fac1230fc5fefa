"""What a sentence is to who comes later: something that holds from then on, something that was left over, or neither."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+(?=[\s\"')\]”]|$)|[。！？]+|$)", re.MULTILINE)
"""A dot within a word (`tools/fmt.sh`) ends none."""
_QUESTION = re.compile(r"[?？][\s\"')\]”]*$")
_FROM_NOW_ON = re.compile(
    r"\b(?:from now on|we(?: have|'ve)? (?:decided|agreed)|(?:is|was|been|it's) decided|let's go with|we use|we do not|"
    r"we don't|do not use|don't use|must not|(?:we|you) no longer|convention|we want|only use|remember:|ab jetzt|entschieden|"
    r"désormais)\b|一律|以后都|不要再|必ず|今後は|항상|앞으로",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"(?:^(?:[\s>*-]|\d+\.)*(?:(?:please|also|and|but|so|bitte|und|y|por favor|et)[\s,:]+)*"
    r"|[:;]\s*|\b(?:we|you|please|must|should|shall|to|do|wir|du|bitte|nous|vous|nosotros|hay que|il faut)\s+(?:\w+\s+)?)"
    r"(?:always|never|immer|niemals|siempre|nunca|toujours|jamais)\b",
    re.IGNORECASE,
)
"""A rule, where "it always fails" is a complaint."""
_PUT_DOWN = re.compile(
    r"^[\s>*#-]*(?:decided|decision|agreed)\b|\b(?:(?:we|i)(?: have|'ve)?|was|were|been|is|as) (?:decided|agreed)\b|"
    r"\b(?:the decision (?:is|was)|decision:|from now on|convention|noted in|keep to that)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:todo|to-do|(?:left|still|remains|nothing|what is|what's) to (?:be )?do(?:ne)?|next steps?|"
    r"remaining(?=:| (?:work|tasks?|steps?|issues?|items?|problems?|is\b|are\b))|remains? (?:to|open|undone|unfixed)|"
    r"still (?:open|missing|need|needs|fails?|failing|to)|left to|not yet|follow[- ]up|pending|unfinished|open question|"
    r"noch offen|fehlt noch|pendiente|reste à)\b"
    r"|未完|待办|残り|남은",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\b(?:no|nothing|none|zero|without|kein\w*|nichts|ning[uú]n\w*|nada|rien|aucun\w*)\b(?:\s+(?:\w+|is|was)){0,2}\s*$",
    re.IGNORECASE,
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; a line ends one."""
    return [s for m in _SENTENCE.finditer(text) if (s := m[0].strip())]


def to_hold(sentence: str) -> bool:
    """Tell whether a person said something that is to hold from now on. A question decides nothing."""
    return not _QUESTION.search(sentence) and bool(_FROM_NOW_ON.search(sentence) or _ALWAYS.search(sentence))


def put_down(sentence: str) -> bool:
    """Tell whether an agent put down what was decided."""
    return not _QUESTION.search(sentence) and bool(_PUT_DOWN.search(sentence))


def left_over(sentence: str) -> bool:
    """Tell whether an agent named something that is still to be done; "nothing pending" names none."""
    return any(not _NOTHING.search(sentence[: found.start()]) for found in _LEFT.finditer(sentence))
