"""Any string is a query, any query is answered, and what is written in one word or several is found."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall.errors import UsageError
from recalld.index.reader import IndexReader
from recalld.search import query, search, spelling
from recalld.search.dates import leans
from recalld.search.times import Clock, zone_of
from search.search_store import NOW, Store

_ZONE = zone_of("UTC", None)
assert _ZONE is not None
CLOCK = Clock(NOW, _ZONE)
_WORDS = "alpha beta - OR * a* project: since:7d is:error role:x E0382] C++ 修改 🎉 ( ) http://x/y?z foo::bar --flag"
PIECES = st.sampled_from([*_WORDS.split(), '"', '"alpha beta"', "-beta", "until:", "session:", "\\", "'", "\x00"])
QUERIES = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=8).map(" ".join),
    st.lists(PIECES, max_size=8).map("".join),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(Path(tmp_path_factory.mktemp("any")) / "index")
    store.add("a", "alpha beta gamma", "error[E0382] in C++ 修改 🎉", title="Alpha")
    store.add("b", "beta", {"text": "foo::bar http://x/y?z", "kind": "output", "role": "tool", "is_error": True})
    return store


@given(QUERIES)
def test_any_string_parses(text: str) -> None:
    parsed = query.parse(text, CLOCK)
    assert all(word.tokens for clause in parsed.clauses for word in clause)
    assert all(word.tokens for word in parsed.minus)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUERIES)
def test_any_string_is_answered(shared: Store, text: str) -> None:
    answer = shared.ask(text)
    assert answer["tier"] in ("exact", "forms", "close", "related", None)
    assert (answer["tier"] is None) == (answer["hits"] == [] and answer["total"] == 0)
    assert len(answer["hits"]) <= answer["total"]
    best = shared.ask(text, matches=1)["hits"]
    assert best == [hit | {"matches": hit["matches"][:1]} for hit in answer["hits"]]
    for hit in answer["hits"]:
        assert len(hit["matches"]) <= 3
        for match in hit["matches"]:
            assert len(match["snippet"]) <= 240
            for start, end in match["highlights"]:
                assert 0 <= start < end <= len(match["snippet"])


WORDS = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(Path(tmp_path_factory.mktemp("growing")) / "index")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=1, max_size=8), st.sampled_from([" ", "/", ".", "_", "-", "::"]))
def test_what_stands_in_a_text_is_found_by_it(growing: Store, pieces: list[str], joiner: str) -> None:
    text = joiner.join(pieces)
    if not query.parse(f'"{text}"', CLOCK).clauses:
        return
    wanted = growing.add(str(uuid.uuid4()), f"before {text} behind")
    assert wanted in growing.exact(f'"{text}"', limit=1000)


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{n}" for n in range(1000)),
        " ".join("a*" for _ in range(100)),
        " ".join(f"{a}{b}*" for a in "abcdefghij" for b in "abcdefghij"),
        "alpha " * 5000,
        "x" * 100_000,
        " ".join(f'"alpha beta{n}"' for n in range(300)),
        "修" * 3000,
        " OR ".join(f"w{n}" for n in range(500)),
        "a." * 8000,
        "aB" * 8000,
        "a" * 9000 + "*",
    ],
)
def test_huge_queries_are_answered(shared: Store, text: str) -> None:
    began = time.monotonic()
    shared.ask(text)
    assert time.monotonic() - began < 60  # a stop for what would never end, no measure


@pytest.mark.parametrize(
    "text", ["ſix days ago", "on ſep 3", "lAſt week", "thİs week", "in auguſt 2024", "-İs:x", "a ſince:7d"]
)
def test_letters_that_only_nearly_are_others_are_text(shared: Store, text: str) -> None:
    shared.ask(text)
    assert leans(text, CLOCK) == ()
    assert not query.parse(text, CLOCK).filters


def test_a_command_line_leaves_nothing_out() -> None:
    parsed = query.parse("go test -race -count=200 --shuffle", CLOCK)
    assert [w.tokens for c in parsed.clauses for w in c] == [
        ("go",),
        ("test",),
        ("race",),
        ("count", "200"),
        ("shuffle",),
    ]
    assert parsed.minus == ()
    assert [w.text for w in query.parse('go -race -"count=200"', CLOCK).minus] == ["race", "count=200"]


@pytest.mark.parametrize("line", ["clippy -D warnings", "ffmpeg -i talk.mov -crf 28", "ls -l -a"])
def test_a_single_letter_is_an_option(line: str) -> None:
    parsed = query.parse(line, CLOCK)
    assert parsed.minus == ()
    assert [w.text for c in parsed.clauses for w in c] == [word.lstrip("-") for word in line.split()]


def test_a_minus_that_left_out_all_that_was_asked_is_said(store: Store) -> None:
    store.add("a", "ffmpeg -i talk.mov -movflags +faststart out.mp4", "it is alpha and beta")
    store.add("b", "alpha alone")
    assert "-movflags" in store.ask("-movflags faststart")["notice"]
    assert store.found('"-movflags +faststart"') == ["a"]
    assert "notice" not in store.ask("alpha -beta")
    assert "notice" not in store.ask("nonsense -beta")


@pytest.mark.parametrize("odd", ["role:robot", "since:bogus", "is:bogus", "kind:x", "until:never"])
def test_a_filter_with_an_unknown_value_is_text_and_that_is_said(store: Store, odd: str) -> None:
    store.add("s", f"alpha {odd}")
    answer = store.ask(f"alpha {odd}")
    assert [hit["session"]["id"] for hit in answer["hits"]] == ["s"]
    assert f"{odd} is no filter" in answer["notice"]
    assert "notice" not in store.ask("alpha role:user")


@pytest.mark.parametrize(
    ("query", "params", "named"),
    [
        ("alpha agent:bogus", {}, "agent:bogus"),
        ("alpha", {"session": ["nope"]}, "session:nope"),
        ("alpha", {"project": ["relative/path"]}, "project:relative/path"),
        ("alpha", {"project": [""]}, "project:"),
        ("alpha", {"project": ["/elsewhere"]}, "project:/elsewhere"),
        ("alpha tool:none branch:main", {}, "tool:none"),
    ],
)
def test_a_filter_that_nothing_fits_is_named(store: Store, query: str, params: dict[str, object], named: str) -> None:
    store.add("s", "alpha beta")
    answer = store.ask(query, **params)
    assert answer["hits"] == [] and answer["notice"].startswith(named) and ";" not in answer["notice"].replace("; give", "")
    assert "notice" not in store.ask("nothing agent:claude project:/w/app")


def test_too_many_starred_words_are_said(shared: Store) -> None:
    answer = shared.ask(" ".join(f"{c}*" for c in "abcdefghijklmnopqrstuvwxyz"))
    assert "notice" in answer


def test_a_word_too_long_for_one_is_found_as_it_is_written_and_in_no_other_way(store: Store) -> None:
    long = "ab" * 200
    store.add("s", f"key {long} end")
    assert store.exact(long) == ["s"]
    assert store.ask(long[:-1] + "c")["tier"] is None, "not taken for a slip"
    assert store.ask(long[:300] + "*")["tier"] is None, "not walked behind"
    assert store.found("ab" * 100 + "*") == ["s"]
    store.add("t", " ".join(f"w{n}" for n in range(300)))
    assert store.exact('"' + " ".join(f"w{n}" for n in range(300)) + '"') == ["t"]


def test_a_query_that_is_cut_says_so(shared: Store) -> None:
    assert "longer than" in shared.ask("alpha " * 5000)["notice"]
    assert "notice" not in shared.ask("alpha " * 500)


@pytest.mark.parametrize(
    "params",
    [
        {"limit": -1},
        {"limit": "x"},
        {"offset": True},
        {"since": "soonish"},
        {"role": "boss"},
        {"kind": "x"},
        {"sort": "up"},
        {"since": 2**63},
        {"until": "9" * 16},
        {"since": "--20261130"},
        {"now": -1},
        {"now": 253_402_300_799_999},
    ],
)
def test_params_that_mean_nothing_are_refused(shared: Store, params: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        shared.ask("alpha", **params)


@pytest.mark.parametrize(
    ("text", "filters", "wanted"),
    [
        ("is:nothing", {}, ["is:nothing"]),
        ("since:soon", {}, ["since:soon"]),
        ("role:boss", {}, ["role:boss"]),
        ("Role:USER x", {"role": ("user",)}, ["x"]),
        ('project:"/a b/c" x', {"project": ("/a b/c",)}, ["x"]),
        ("agent:claude", {"agent": ("claude-code",)}, []),
        ("agent:a OR agent:b", {"agent": ("a", "b")}, []),
        ("OR x OR", {}, ["OR", "x", "OR"]),
        ('x "never closed', {}, ["x", '"never', "closed"]),
        ("İs:error ſession:a", {}, ["İs:error", "ſession:a"]),
        ("https://x.y is: it", {}, ["https://x.y", "is:", "it"]),
    ],
)
def test_what_does_not_parse_is_text(text: str, filters: dict[str, tuple[str, ...]], wanted: list[str]) -> None:
    parsed = query.parse(text, CLOCK)
    assert parsed.filters == filters
    assert [w.text for c in parsed.clauses for w in c] == list(dict.fromkeys(wanted))


@given(st.text("abc", min_size=1, max_size=6), st.text("abc", min_size=1, max_size=6))
def test_the_quick_look_at_one_slip_agrees_with_the_full_one(a: str, b: str) -> None:
    assert spelling.one_apart(a, b) == spelling.distance_within(a, b, 1)


def test_many_threads_may_ask_at_once(shared: Store) -> None:
    alone = [shared.ask(q)["hits"] for q in ("alpha", "beta", "alpha beta", "foo::bar")]
    with ThreadPoolExecutor(8) as pool:
        snapshot = IndexReader(shared.path).snapshot
        queries = ["alpha", "beta", "alpha beta", "foo::bar"] * 50
        params = [{"query": q, "now": NOW, "tz": "UTC"} for q in queries]
        answers = list(pool.map(lambda p: search(snapshot, p)["hits"], params))
    assert answers == alone * 50
