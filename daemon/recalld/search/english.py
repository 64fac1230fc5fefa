"""English word forms: which words a stem may stand for in the index, irregular ones included, and which say little."""

from __future__ import annotations

from functools import lru_cache

from recalld import analysis

_STOP_WORDS = """
a an the is are was were be been being am do does did done doing has have had having i you he she it we they me him
her us them my your his its our their mine yours this that these those there here of in on at to for from by with
about as into than then so and or but if not no nor what when where who whom whose which why how would could should
can will shall may might must s t d ll m re ve just any some all also too very
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that a question has and an answer need not (`weights.STOP_WEIGHT`)."""

_IRREGULAR = """
arise arose arisen | awake awoke awoken | bear bore borne | beat beaten | become became | begin began begun | bend bent
bet | bind bound | bite bit bitten | bleed bled | blow blew blown | break broke broken | bring brought | build built
burn burnt | buy bought | catch caught | choose chose chosen | come came | creep crept | deal dealt | dig dug
draw drew drawn | dream dreamt | drink drank drunk | drive drove driven | eat ate eaten | fall fell fallen | feed fed
feel felt | fight fought | find found | flee fled | fly flew flown | forbid forbade forbidden | forget forgot forgotten
forgive forgave forgiven | freeze froze frozen | get got gotten | give gave given | go went gone | grow grew grown
hang hung | hear heard | hide hid hidden | hold held | keep kept | kneel knelt | know knew known | lay laid | lead led
leap leapt | learn learnt | leave left | lend lent | lie lay lain | light lit | lose lost | make made | mean meant
meet met | mislead misled | overwrite overwrote overwritten | override overrode overridden | overcome overcame
pay paid | prove proven | rebuild rebuilt | redo redid redone | rewrite rewrote rewritten | ride rode ridden
ring rang rung | rise rose risen | run ran | say said | see saw seen | seek sought | sell sold | send sent
sew sewn | shake shook shaken | shine shone | shoot shot | show shown | shrink shrank shrunk | sing sang sung
sink sank sunk | sit sat | sleep slept | slide slid | speak spoke spoken | speed sped | spell spelt | spend spent
spin spun | spring sprang sprung | stand stood | steal stole stolen | stick stuck | strike struck | swear swore sworn
sweep swept | swim swam swum | swing swung | take took taken | teach taught | tear tore torn | tell told | think thought
throw threw thrown | undergo underwent undergone | understand understood | undo undid undone | wake woke woken
wear wore worn | win won | wind wound | withdraw withdrew withdrawn | write wrote written
child children | man men | woman women | person people | foot feet | tooth teeth | mouse mice | goose geese
life lives | wife wives | leaf leaves | half halves | index indices | vertex vertices | matrix matrices | axis axes
analysis analyses | criterion criteria | datum data
"""
_FAMILY: dict[str, tuple[str, ...]] = {}
for _line in _IRREGULAR.replace("\n", " | ").split("|"):
    _words = tuple(_line.split())
    for _word in _words:
        _FAMILY[_word] = tuple(dict.fromkeys((*_FAMILY.get(_word, ()), *_words)))

_BY_STEM: dict[str, tuple[str, ...]] = {}
for _word, _words in _FAMILY.items():
    _stem = analysis.stem(_word)
    _BY_STEM[_stem] = tuple(dict.fromkeys((*_BY_STEM.get(_stem, ()), *_words)))

_ENDINGS = """
s es e ed d er ers ing ings ion ions ation ations ate ated ates ating ator ators or ors al ally ly ment ments able
ability ive ity ities ness ful fully y ies ied ier ize ized izes izing ization ise ised ising ic ical ically ance ence
ant ent ous ously ism ist ists icate icated icates icating ication ications icator
"""
_SUFFIXES = ("", *_ENDINGS.split())
_LONGEST = 24


def _family(token: str) -> tuple[str, ...]:
    """Return the irregular forms of a word, or of words that it is a regular form of (`leaves`: leaf, leave, left)."""
    return _BY_STEM.get(analysis.stem(token), ())


@lru_cache(maxsize=4096)
def stems(token: str) -> tuple[str, ...]:
    """Return the stems of a word and of its irregular forms, its own first."""
    return tuple(dict.fromkeys(analysis.stem(t) for t in (token, *_family(token))))


@lru_cache(maxsize=4096)
def forms_of(stem: str) -> tuple[str, ...]:
    """Return words that have this stem. Not all of them are English."""
    if len(stem) > _LONGEST or not stem.isascii():
        return ()
    bases = [stem]
    if len(stem) > 2:
        bases.append(stem + stem[-1])  # run, running
        if stem.endswith("i"):
            bases.append(stem[:-1])  # happi, happy
    found: dict[str, None] = {}
    for base in bases:
        for suffix in _SUFFIXES:
            word = base + suffix
            if word not in found and analysis.stem(word) == stem:
                found[word] = None
    for word in _BY_STEM.get(stem, ()):
        if analysis.stem(word) == stem:
            found[word] = None
    return tuple(found)
