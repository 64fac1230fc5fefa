"""What sets of a question's words come to: sets are bits, and what one comes to is worked out when it is first met."""

from __future__ import annotations

from recalld.search import weights


class Bits(dict[int, tuple[int, ...]]):
    """The bits of sets of words, told when a set is met."""

    def __missing__(self, words: int) -> tuple[int, ...]:
        self[words] = tuple([n for n in range(words.bit_length()) if words >> n & 1])
        return self[words]


class Sums(dict[int, float]):
    """The rarities of sets of words, summed when a set is met."""

    def __init__(self, values: list[float], bits: Bits) -> None:
        super().__init__()
        self._values = values
        self.bits = bits

    def __missing__(self, words: int) -> float:
        values = self._values
        self[words] = sum([values[n] for n in self.bits[words]])
        return self[words]


class Worth(Sums):
    """What a record scores for a set of words, its length apart: their rarities, the more so the more of what is asked
    they are; `whole` is all of that."""

    def __init__(self, values: list[float], asked: Sums, whole: float) -> None:
        super().__init__(values, asked.bits)
        self._asked = asked
        self._whole = whole

    def __missing__(self, words: int) -> float:
        rarity, whole = super().__missing__(words), self._whole
        self[words] = rarity * (whole + weights.COVERAGE * self._asked[words]) * (2.2 / whole)
        return self[words]
