"""The judged set for redaction is what its README says, and the redactor keeps to the bounds set for it."""

from __future__ import annotations

from itertools import combinations

import pytest

from quality.redaction.load import HERE, Half, items, judge, survives
from quality.redaction.make_fresh import lines as fresh_lines
from quality.redaction.make_last import lines as last_lines
from quality.redaction.make_trial import lines as trial_lines
from recalld.redact import Redactor

SETS: tuple[Half, ...] = ("dev", "opened", "trial", "final", "last", "fresh")


@pytest.mark.parametrize("half", SETS)
def test_each_half_is_large_and_of_many_kinds(half: Half) -> None:
    found = list(items(half))
    secrets = [i for i in found if i.secrets]
    assert len(secrets) >= 200
    assert len(found) - len(secrets) >= 1_000
    assert len({i.kind for i in secrets}) >= 40
    assert len({i.text for i in found}) == len(found)


@pytest.mark.parametrize("half", SETS)
def test_every_secret_and_every_word_to_keep_stands_in_its_text(half: Half) -> None:
    for item in items(half):
        assert all(s in item.text for s in item.secrets), item.kind
        assert all(w and w in item.text for w in item.must_survive), item.kind
        assert not item.secrets or item.must_survive, item.kind
        rest = item.text
        for s in item.secrets:
            rest = rest.replace(s, "")
        assert all(w in rest for w in item.must_survive), item.kind
        assert "\ue000" not in item.text
        assert "⟪" not in item.text


def test_no_two_sets_share_a_secret_or_a_text() -> None:
    for one, other in combinations([list(items(name)) for name in SETS], 2):
        assert not {s for i in one for s in i.secrets} & {s for i in other for s in i.secrets}
        assert not {i.text for i in one} & {i.text for i in other}


def test_the_trial_is_larger_of_more_kinds_and_mostly_written_by_hand() -> None:
    found = list(items("trial"))
    secrets, innocents = [i for i in found if i.secrets], [i for i in found if not i.secrets]
    assert len(secrets) >= 240
    assert len({i.kind for i in secrets}) >= 60
    assert len(innocents) >= 1_100
    assert sum(i.kind.startswith("generated-") for i in innocents) <= len(innocents) / 2


def test_the_trial_is_what_its_templates_make() -> None:
    assert trial_lines() == (HERE / "trial.jsonl").read_bytes()


def test_the_final_set_is_larger_and_of_more_kinds() -> None:
    found = list(items("final"))
    secrets = [i for i in found if i.secrets]
    assert len(secrets) >= 240
    assert len(found) - len(secrets) >= 1_100
    assert len({i.kind for i in secrets}) >= 60


def test_the_last_set_is_larger_of_more_kinds_and_mostly_written_by_hand() -> None:
    found = list(items("last"))
    secrets, innocents = [i for i in found if i.secrets], [i for i in found if not i.secrets]
    assert len(secrets) >= 300
    assert len({i.kind for i in secrets}) >= 100
    assert len(innocents) >= 1_200
    assert sum(i.kind.startswith("generated-") for i in innocents) <= len(innocents) * 0.4


def test_the_last_set_is_what_its_templates_make() -> None:
    assert last_lines() == (HERE / "last.jsonl").read_bytes()


def test_the_fresh_set_is_larger_of_more_kinds_and_mostly_written_by_hand() -> None:
    found = list(items("fresh"))
    secrets, innocents = [i for i in found if i.secrets], [i for i in found if not i.secrets]
    assert len(secrets) >= 250
    assert len({i.kind for i in secrets}) >= 80
    assert sum(i.kind.startswith("generated-") for i in innocents) <= len(innocents) * 0.4


def test_the_fresh_set_is_what_its_templates_make() -> None:
    assert fresh_lines() == (HERE / "fresh.jsonl").read_bytes()


def test_doing_nothing_leaks_all_and_cutting_all_alarms_always() -> None:
    dev = list(items("dev"))
    nothing, everything = judge(lambda text: text, dev), judge(lambda text: "", dev)
    assert (nothing.recall, nothing.false_alarms, nothing.lost_words) == (0, 0, [])
    assert (everything.recall, everything.false_alarms) == (1, 1)
    assert len(everything.lost_words) == everything.secrets


@pytest.mark.parametrize("half", SETS)
def test_98_of_100_secrets_are_found_and_under_1_of_200_innocents_touched(half: Half) -> None:
    score = judge(Redactor().redact, list(items(half)))
    assert score.recall >= 0.98, [item.kind for item, _ in score.leaked]
    assert score.false_alarms < 0.005, [item.kind for item, _ in score.alarms]
    assert score.lost_words == []


def test_half_a_secret_is_a_leak_and_a_prefix_is_not() -> None:
    assert survives("abcdefghijklmnopqrst", "see abcdefghijkl…")
    assert not survives("abcdefghijklmnopqrst", "see abcd…qrst")
    assert survives("short1", "x short1 y")
    assert not survives("short1", "x sho… y")


def test_the_readme_tells_the_numbers() -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    for half in SETS:
        found = list(items(half))
        secrets = [i for i in found if i.secrets]
        row = f"| {half} | {len(secrets)} | {len({i.kind for i in secrets})} | {len(found) - len(secrets)} |"
        assert row in readme
