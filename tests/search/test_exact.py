"""What is written is found as it is written, and the operators and filters do what the query language says."""

from __future__ import annotations

import pytest

from search.search_store import DAY, NOW, Store

SHA = "3f786850e387550fdab836ed7e6dc881de23001b"
UUID = "0b9f4e0e-8a55-4c35-9d62-2f6f3c1e7a90"


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        (f"the fix is in {SHA}, pushed", [SHA, SHA[:7], SHA[:12], SHA[:12] + "*", SHA.upper()]),
        (f"session {UUID} broke", [UUID, UUID.upper()]),
        (
            "see src/net/http_client.py:42 there",
            ["src/net/http_client.py", "http_client.py:42", "http_client", "net/http_client.py"],
        ),
        (
            "rustc says error[E0382]: borrow of moved value",
            ["error[E0382]", "E0382", "E0382]", "[error] E0382", "e0382"],
        ),
        ("in C++ it is fine (x", ["C++", "C++ (x", "c++"]),
        ("the F# and C# parts", ["C#", "F#"]),
        ("ping 10.0.0.7 on v2.1.300, ticket bd-q3fy", ["10.0.0.7", "v2.1.300", "bd-q3fy"]),
        (
            "get https://example.com/a/b?x=1#top now",
            ["https://example.com/a/b?x=1#top", "example.com/a/b", "https://example.com"],
        ),
        ("git commit --no-verify -m x", ["--no-verify", '"commit --no-verify"']),
        ("std::vec::Vec and foo.bar.baz", ["std::vec::Vec", "foo.bar.baz", "vec::Vec"]),
        ("call getUserProfileById soon", ["getUserProfileById", "getuserprofilebyid"]),
        ("done 🎉 and 👩‍💻 ship it", ["🎉", "done 🎉", "👩‍💻"]),
        ("修改youer服务端的连接池配置", ["连接池", "服务端", "youer", "修改youer", "配置", "修改 配置"]),
        ("データベース接続プールを検索する", ["接続プール", "検索", "データベース"]),
        ("ﾃﾞｰﾀ ＦＵＬＬ　ｗｉｄｔｈ", ["データ", "full width"]),
        ("데이터베이스 연결을 확인", ["연결", "데이터베이스", "베이스"]),
        ("การเชื่อมต่อฐานข้อมูล", ["เชื่อม", "ฐานข้อมูล"]),
        ("le cafe\u0301 ferme a\u0300 minuit", ["café", "cafe", "CAFÉ", "à minuit"]),
        ("STRASSE straße İstanbul", ["straße", "strasse", "istanbul"]),
        ("env RUST_BACKTRACE=1 cargo", ["RUST_BACKTRACE=1", "rust_backtrace"]),
    ],
)
def test_what_is_written_is_found_as_it_is_written(store: Store, text: str, queries: list[str]) -> None:
    store.add("other", "nothing of the kind", "c plus f sharp, vec, user, 10 0 8 and v2 1 301")
    wanted = store.add("wanted", "hello", text)
    for query in queries:
        assert store.exact(query) == [wanted], query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("connect 池连接 later", "连接池"),
        ("it is C or D", "C++"),
        ("it is C or D", "C#"),
        ("version 2.1.300.4 and v2.1.30", "v2.1.300"),
        ("E0381", "E0382"),
        ("🎊", "🎉"),
        (f"{UUID[:-1]}1", UUID),
    ],
)
def test_an_id_that_is_nearly_the_same_is_not_found(store: Store, text: str, query: str) -> None:
    store.add("a", text)
    assert store.exact(query) == []


def test_operators(store: Store) -> None:
    a = store.add("a", "alpha beta gamma")
    b = store.add("b", "alpha gamma", "beta is elsewhere")
    assert store.exact('"beta gamma"') == [a]
    assert store.exact("“beta gamma”") == [a]
    assert store.exact("alpha -beta") == [b]
    assert store.exact('alpha -"beta gamma"') == [b]
    assert store.exact("alpha beta") == [a, b]
    assert set(store.exact("elsewhere OR gamma")) == {a, b}
    assert store.exact("alpha elsewhere OR nowhere") == [b]
    assert store.exact("elsew*") == [b]
    assert store.exact('"alpha gamma"') == [b]
    assert store.exact("alpha is*") == [b]


def test_minus_removes_records_not_sessions(store: Store) -> None:
    a = store.add("a", "alpha one", "alpha two beta")
    assert store.exact("alpha -beta") == [a]
    answer = store.ask("alpha -beta")
    assert [m["record"]["id"] for m in answer["hits"][0]["matches"]] == ["r0"]
    assert answer["hits"][0]["match_count"] == 1
    assert store.exact("beta -two") == []


def test_words_are_spread_over_a_session_up_to_four(store: Store) -> None:
    a = store.add("a", "one two", "three four", "five")
    assert store.exact("one three") == [a]
    assert store.exact("one two three four") == [a]
    assert store.ask("one two three four five")["tier"] == "related"
    assert len(store.ask("one three")["hits"][0]["matches"]) == 2


def test_filters(store: Store) -> None:
    a = store.add(
        "aaaa-1",
        {"text": "alpha", "kind": "command", "tool": "Bash", "is_error": True},
        project="/w/One",
        time=NOW - 3 * DAY,
    )
    b = store.add("bbbb-2", "alpha", {"text": "alpha", "abandoned": True}, agent="codex", project="/w/two/deep", time=NOW - DAY)
    c = store.add(
        "cccc-3",
        {"text": "alpha", "paths": ["/w/two/src/net/http.py"], "kind": "edit", "branch": "Fix/It"},
        sub_agent="x",
        project="/w/twofold",
    )
    assert set(store.exact("alpha")) == {a, b}
    assert set(store.exact("alpha", sub_agents=True)) == {a, b, c}
    assert store.exact("alpha is:subagent") == [c]
    assert store.exact("alpha session:cccc") == [c]
    assert store.exact("alpha is:error") == [a]
    assert store.exact("alpha -is:error") == [b]
    assert store.exact("alpha is:abandoned") == [b]
    assert store.exact("alpha agent:codex") == [b]
    assert set(store.exact("alpha agent:codex agent:claude")) == {a, b}
    assert store.exact("alpha project:/w/two") == [b]
    assert store.exact("alpha", project="/w/two/") == [b]
    assert store.exact("alpha project:one") == [a]
    assert store.exact("alpha project:tw") == []
    assert store.exact("alpha project:.", cwd="/w/two") == [b]
    assert store.exact("alpha project:..", cwd="/w/two/deep") == [b]
    assert set(store.exact("alpha", project=["/w/one", "deep"])) == {a, b}
    assert store.exact("alpha kind:command") == [a]
    assert store.exact("alpha role:assistant") == [b]
    assert store.exact("alpha tool:bash") == [a]
    assert store.exact("alpha path:net/http.py", sub_agents=True) == [c]
    assert store.exact("alpha branch:fix/it", sub_agents=True) == [c]
    assert store.exact("alpha since:2d") == [b]
    assert store.exact("alpha until:2d") == [a]
    assert store.exact("alpha", since=NOW - 2 * DAY) == [b]
    assert store.exact("alpha since:2026-05-25 until:2026-05-25") == [a]
    assert store.exact("alpha not-a-filter:x") == []
    assert store.exact("alpha", not_session=b) == [a]
    assert store.exact("alpha", session="aaaa") == [a]
    assert store.exact("alpha session:zzzz") == []


def test_a_filter_without_words_lists_the_newest_first(store: Store) -> None:
    a = store.add("a", "one", time=NOW - 3 * DAY)
    b = store.add("b", "two", time=NOW - DAY)
    c = store.add("c", "three", project="/x", time=NOW - 2 * DAY)
    d = store.add("d", "from tomorrow's clock", time=NOW + 3 * DAY)
    assert store.found("project:/w") == [b, a, d]
    assert store.found("-two") == [c, a, d]
    assert store.found("") == [b, c, a, d]


def test_a_title_alone_is_a_hit_without_matches(store: Store) -> None:
    a = store.add("a", "hello", title="Rework the Zebra cache")
    store.add("b", "nothing")
    answer = store.ask("zebra")
    assert (answer["tier"], answer["total"]) == ("exact", 1)
    assert answer["hits"][0]["session"]["id"] == a
    assert answer["hits"][0]["matches"] == []
    assert answer["hits"][0]["title_highlights"] == [[11, 16]]
    assert store.exact("zebra hello") == [a]
    assert store.exact("zebra role:user") == []


def test_pages_fit_together(store: Store) -> None:
    every = {store.add(f"s{n:02d}", *["alpha beta"] * (n % 4 + 1), "alpha", time=NOW - n * DAY) for n in range(37)}
    for sort in ("relevance", "newest"):
        whole = store.found("alpha", limit=100, sort=sort)
        assert set(whole) == every
        paged: list[str] = []
        offset: int | None = 0
        while offset is not None:
            answer = store.ask("alpha", limit=5, offset=offset, sort=sort)
            assert answer["total"] == len(every)
            paged += [h["session"]["id"] for h in answer["hits"]]
            offset = answer["next_offset"]
        assert paged == whole
    assert store.found("alpha", limit=3, sort="newest") == ["s00", "s01", "s02"]


def test_more_hits_than_one_round_reads(store: Store) -> None:
    store.add("big", *[f"alpha number {n}" for n in range(3000)])
    small = {store.add(f"s{n}", "a much longer text that speaks of alpha once among many other words") for n in range(20)}
    answer = store.ask("alpha", limit=100)
    assert answer["total"] == 21
    assert {h["session"]["id"] for h in answer["hits"]} == small | {"big"}
    assert next(h for h in answer["hits"] if h["session"]["id"] == "big")["match_count"] == 3000


def test_nothing_found_is_an_answer(store: Store) -> None:
    store.add("a", "alpha")
    for query in ("xylophone zither", "???", '""', "- -", "*", "OR", "alpha role:tool"):
        answer = store.ask(query)
        assert answer["hits"] == [], query
        assert (answer["total"], answer["tier"]) == (0, None), query
