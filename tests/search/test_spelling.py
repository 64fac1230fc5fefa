"""What a misspelt word may have been meant for is found wherever in the word the slip is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recalld.search.spelling import alphabet, distance_within, early_slips, one_apart
from search.search_store import Store

BEGINNING = 4
words = st.text("abcd", min_size=4, max_size=9)


@given(words, st.data())
def test_a_slip_is_among_the_early_ones_or_leaves_the_beginning_as_it_is(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word)))
    letter = data.draw(st.sampled_from("abcde"))
    kind = data.draw(st.sampled_from(["more", "less", "other", "swapped"]))
    slips = {
        "more": word[:at] + letter + word[at:],
        "less": word[:at] + word[at + 1 :],
        "other": word[:at] + letter + word[at + 1 :],
        "swapped": word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    }
    slip = slips[kind]
    if slip != word:
        assert one_apart(slip, word) and distance_within(slip, word, 1)
        assert slip in set(early_slips(word, BEGINNING)) or slip.startswith(word[:BEGINNING])


@given(words)
def test_early_slips_are_one_apart(word: str) -> None:
    assert all(one_apart(slip, word) and slip != word for slip in early_slips(word, BEGINNING))


def test_letters_of_other_scripts_are_mistaken_for_their_like() -> None:
    assert "д" in alphabet("ошибка")
    assert "z" in alphabet("ab")
    assert "ö" not in alphabet("großö")  # folded before


def test_a_slip_anywhere_in_a_word_is_forgiven(store: Store) -> None:
    sid = store.add("one", "the authentication handshake stalled", "Проверьте подключение к серверу")
    slips = (
        "uthentication",
        "quthentication",
        "auhtentication",
        "authenticatoin",
        "authenticationn",
        "подключнеие",
        "аодключение",
    )
    for slip in slips:
        answer = store.ask(slip)
        assert (answer["tier"], [h["session"]["id"] for h in answer["hits"]]) == ("close", [sid]), slip
