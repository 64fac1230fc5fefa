"""How times are named in other languages than English: `letzte Woche`, `il y a 3 jours`, `на прошлой неделе`, `지난주`."""

from __future__ import annotations

import re

_NAMED = {
    "today": r"heute|aujourd['’]hui|hoy|сегодня(?:шн\w+)?|오늘",
    "yesterday": r"gestern|hier soir|ayer|вчера(?:шн\w+)?|어제",
    "day before yesterday": r"vorgestern|avant-hier|anteayer|позавчера|그저께",
    "this week": r"diese[rn]? woche|cette semaine|esta semana|этой неделе|이번 ?주",
    "last week": r"(?:letzte|vorige|vergangene)[rn]? woche|(?:la )?semaine (?:derni[eè]re|pass[eé]e)|semana pasada"
    r"|прошл(?:ой|ую) недел[еюи]|지난 ?주",
    "this month": r"diese[nms]? monats?|ce mois(?:-ci)?|este mes|этом месяце|이번 ?달",
    "last month": r"(?:letzte|vorige|vergangene)[nms] monats?|(?:le )?mois (?:dernier|pass[eé])|mes pasado|прошлом месяце"
    r"|지난 ?달",
    "this year": r"diese[sm] jahr(?:es)?|cette ann[eé]e|este a[nñ]o|этом году|올해",
    "last year": r"(?:letzte|vorige|vergangene)[sn] jahr(?:es)?|(?:l['’])?(?:ann[eé]e derni[eè]re|an dernier)|a[nñ]o pasado"
    r"|прошлом году|작년",
}
"""The English name by what means the same. `hier` alone is left out: in German it is `here`."""
_NUMBERS = {
    number: n
    for n, numbers in enumerate(
        (
            "einem einer un une una 一",
            "zwei deux dos два две 两 兩 二",
            "drei trois tres три 三",
            "vier quatre cuatro четыре 四",
            "fünf cinq cinco пять 五",
            "sechs six seis шесть 六",
        ),
        1,
    )
    for number in numbers.split()
}
_UNITS = {
    1: r"tag(?:en)?|jours?|d[ií]as?|день|дня|дней|天|日|일",
    7: r"wochen?|semaines?|semanas?|недел[юиь]|个?周|週間?|个?星期|주",
    30: r"monat(?:en)?|mois|mes(?:es)?|месяц(?:а|ев)?|个月|個月|か月|ヶ月|개월|달",
    365: r"jahr(?:en)?|ans?|a[nñ]os?|года?|лет|年|년",
}
"""Days by unit."""
_WORDS = """
heute gestern woche monat jahr jourd hier semaine mois derni cette hoy ayer semana este pasado
сегодня вчера недел месяц году назад 오늘 어제 그저께 이번 지난 올해 작년 前 전
"""
_HINTS = (*_WORDS.split(), "vor ", "il y a ", "hace ")
"""Parts of the expressions, of which each has one: looking for these takes 3 µs, for the expressions 100."""
_LOOKED_AT = 1000
"""Characters of a text in which times are looked for; what is longer was pasted."""
_LETTER = r"[^\W\d_가-힣]"
"""Before and behind which no time begins or ends: `layer` is no `ayer`. In Korean particles follow (`지난주에`)."""
_NUMBER = rf"(?<!\d)\d{{1,3}}|{'|'.join(_NUMBERS)}"
_UNIT = "|".join(_UNITS.values())
_ELSEWHERE = re.compile(
    rf"(?<!{_LETTER})(?:"
    + "|".join(f"(?P<{name.replace(' ', '_')}>{pattern})" for name, pattern in _NAMED.items())
    + rf")(?!{_LETTER})"
    + rf"|\b(?:vor|il y a|hace) (?P<n1>{_NUMBER}) (?P<u1>{_UNIT})\b"
    + rf"|\b(?:(?P<n2>{_NUMBER}) )?(?P<u2>{_UNIT}) назад"
    + rf"|(?P<n3>{_NUMBER}) ?(?P<u3>{_UNIT}) ?(?:以前|之前|前|전)",
    re.IGNORECASE,
)


def times(text: str) -> list[tuple[str, str | tuple[int, int]]]:
    """Return (as written, the time) for each that a text names: its English name, or how many and days of one ago."""
    text = text[:_LOOKED_AT]
    folded = text.casefold()
    if not any(hint in folded for hint in _HINTS):
        return []
    found: list[tuple[str, str | tuple[int, int]]] = []
    for m in _ELSEWHERE.finditer(text):
        unit = m["u1"] or m["u2"] or m["u3"]
        if unit is None:
            found.append((m[0], (m.lastgroup or "").replace("_", " ")))
            continue
        number = (m["n1"] or m["n2"] or m["n3"] or "1").casefold()
        days = next(days for days, units in _UNITS.items() if re.fullmatch(units, unit, re.IGNORECASE))
        # `İ` is an `i` to the expression, and no key of a table
        found.append((m[0], (int(number) if number.isdecimal() else _NUMBERS.get(number, 1), days)))
    return found
