"""Forms, spelling, partial matches: each only where nothing stricter finds anything, and said so."""

from __future__ import annotations

import pytest

from search.search_store import DAY, NOW, Store


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the authentication middleware rejects rotated tokens", "rotate token"),
        ("we rewrote the parser", "rewrite parsers"),
        ("call getUserProfileById soon", "user profile"),
        ("call getUserProfileById soon", "get_user_profile_by_id"),
        ("call get_user_profile soon", "getUserProfile"),
        ("the HTTPServer started", "server"),
        ("see abc3f786 8503f78 for it", "8503f78850e387550fdab836ed7e6dc881de2300"),
        ("let retries happen", '"retry happens"'),
        ("the children left", "child leaves"),
        ("hashlib.sha256 of it", "SHA-256"),
        ("its header is UTF-8", "utf8"),
        ("as RFC 2047 says", "RFC2047"),
        ("the bundle has 6.1 MB", "6.1MB"),
        ("backfilled 1,204,882 rows", "1204882"),
        ("backfilled 1204882 rows", "1,204,882 rows"),
    ],
)
def test_forms(store: Store, text: str, query: str) -> None:
    wanted = store.add("wanted", "hello", text)
    store.add("other", "nothing of the kind")
    answer = store.ask(query)
    assert (answer["tier"], [h["session"]["id"] for h in answer["hits"]]) == ("forms", [wanted])


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("我的电脑坏了", "電腦", "电脑"),
        ("我的電腦壞了", "电脑", "電腦"),
        ("重新發佈以後,頭髮也掉了", "头发", "頭髮"),
        ("程序在后台运行", "後臺運行", "后台运行"),
        ("這個C語言的編譯器", "C语言的编译器", "C語言的編譯器"),
        ("雲", "云", "雲"),
        ("台灣的伺服器 and 臺灣的網路", '"台湾的网路"', "臺灣的網路"),
    ],
)
def test_simplified_and_traditional_chinese_meet(store: Store, text: str, query: str, shown: str) -> None:
    wanted = store.add("wanted", "hello", f"前 {text} end")
    store.add("other", "完全不同的話題", "别的话题")
    answer = store.ask(query)
    assert (answer["tier"], [h["session"]["id"] for h in answer["hits"]]) == ("forms", [wanted])
    match = answer["hits"][0]["matches"][0]
    assert [match["snippet"][a:b] for a, b in match["highlights"]] == [shown]


def test_chinese_as_it_is_written_comes_before_its_other_writing(store: Store) -> None:
    traditional = store.add("a", "電腦")
    simplified = store.add("b", "电脑")
    assert store.exact("電腦") == [traditional] and store.exact("电脑") == [simplified]


def test_a_title_and_words_over_a_session_meet_in_the_other_script(store: Store) -> None:
    wanted = store.add("a", "修復資料庫", "連接池已滿", title="數據庫的錯誤")
    assert store.found("数据库") == [wanted]
    assert store.found("修复 连接池") == [wanted]


def test_chinese_of_many_characters_is_found_in_one_script_throughout(store: Store) -> None:
    wanted = store.add("a", "請檢查這個應用程序為什麼總是無法連接數據庫並顯示錯誤")
    store.add("b", "请检查")
    answer = store.ask("请检查这个应用程序为什么总是无法连接数据库并显示错误")
    assert (answer["tier"], answer["hits"][0]["session"]["id"]) == ("forms", wanted)


def test_forms_reach_into_what_tools_print(store: Store) -> None:
    a = store.add("a", {"text": "3 tests failing: connection_pool", "kind": "output", "role": "tool"})
    answer = store.ask("test failed")
    assert (answer["tier"], store.found("test failed")) == ("forms", [a])
    assert answer["hits"][0]["matches"][0]["highlights"]


@pytest.mark.parametrize("query", ["authentcation", "authentication midleware", "autehntication", "authntiction"])
def test_spelling(store: Store, query: str) -> None:
    wanted = store.add("wanted", "the authentication middleware")
    answer = store.ask(query)
    assert answer["tier"] == "close"
    assert answer["hits"][0]["session"]["id"] == wanted
    assert answer["hits"][0]["matches"][0]["highlights"]


@pytest.mark.parametrize("query", ["apply_credtis.py", "nightly/appply_credits.py", "lock_custmers", "spawn_bloking", "rust spawn_bloking"])
def test_a_slip_within_a_name_is_forgiven(store: Store, query: str) -> None:
    wanted = store.add("wanted", "in rust we edit nightly/apply_credits.py and lock_customers, then spawn_blocking")
    store.add("other", "spawn and apply and lock and nightly of py in rust")
    answer = store.ask(query)
    assert (answer["tier"], [h["session"]["id"] for h in answer["hits"]]) == ("close", [wanted])
    assert answer["hits"][0]["matches"][0]["highlights"]


@pytest.mark.parametrize("query", ["pgrepack", "repacktable", "pgrepack events"])
def test_a_space_that_was_left_out_is_a_slip(store: Store, query: str) -> None:
    wanted = store.add("wanted", "pg_repack --table events")
    store.add("apart", "repack the events of pg")
    answer = store.ask(query)
    assert (answer["tier"], [h["session"]["id"] for h in answer["hits"]]) == ("close", [wanted])
    assert answer["hits"][0]["matches"][0]["highlights"]


@pytest.mark.parametrize("query", ["E0383", "v2.1.301", "3f786850e388", "10.0.0.8", "bd-q3fz", "PORTAX-2291", "bd-abce"])
def test_ids_are_never_taken_for_what_they_are_spelt_like(store: Store, query: str) -> None:
    store.add("a", "E0382 in v2.1.300 at 3f786850e387 on 10.0.0.7 for bd-q3fy, bd-abcd and PORTAL-2291")
    assert store.ask(query)["tier"] not in ("close", "forms", "exact")


def test_a_question_finds_its_best_partial_match(store: Store) -> None:
    wanted = store.add("a", "the authentication middleware rejects rotated tokens")
    store.add("b", "we went out at night")
    store.add("c", "nothing ever")
    answer = store.ask("why would the middleware ever reject a rotated thing at night")
    assert answer["tier"] == "related"
    assert answer["hits"][0]["session"]["id"] == wanted


def test_chinese_questions_find_partial_matches(store: Store) -> None:
    wanted = store.add("a", "修改服务端的连接池配置，最大连接数设为二十")
    store.add("b", "今天天气很好")
    answer = store.ask("上周我们怎么改连接池配置的")
    assert (answer["tier"], answer["hits"][0]["session"]["id"]) == ("related", wanted)
    assert answer["hits"][0]["matches"][0]["highlights"]


@pytest.mark.parametrize("query", ["xylophone zither", "the xylophone of zither", "qwrtzp", "what is it", "zither*"])
def test_nonsense_finds_nothing(store: Store, query: str) -> None:
    store.add("a", "the middleware rejects tokens")
    answer = store.ask(query)
    assert answer["hits"] == [] or answer["tier"] == "exact"
    assert store.ask("xylophone zither")["hits"] == []


def test_words_taken_for_others_alone_are_no_answer_to_a_question(store: Store) -> None:
    store.add("a", "the middleware rejects tokens")
    assert store.found("middlewere zorgelfitz quompradine") == []


def test_a_misspelt_word_leads_to_what_holds_it_before_what_holds_the_rest(store: Store) -> None:
    store.add("rest", "a list of customers", "customers and their contracts", "more customers")
    wanted = store.add("wanted", "there was a deadlock", "it went through every table of ours", "two jobs, the same customers")
    answer = store.ask("deadlok customers")
    assert (answer["tier"], answer["hits"][0]["session"]["id"]) == ("related", wanted)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Zwei Rechnungen haben dieselbe Rechnungsnummer", "doppelte Rechnungsnummern"),
        ("die Sitzung ist nach fünf Minuten vorbei", "Sitzungen enden zu früh"),
        ("письма приходят с нечитаемой темой", "письму недоставало заголовка"),
        ("las imágenes siguen viejas", "imagenes borrosas"),
    ],
)
def test_words_with_other_endings_answer_a_question_in_any_language(store: Store, text: str, query: str) -> None:
    wanted = store.add("wanted", text)
    store.add("other", "something else entirely")
    assert store.found(query) == [wanted]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("wir prüfen das mit dem Skript", "Kartoffelsalat mit Speck"),
        ("le test de la facture passe", "recette de la tarte tatin"),
        ("la prueba del carrito", "receta de la paella"),
        ("миграция для склада", "рецепт для борща"),
    ],
)
def test_words_that_say_little_are_no_answer_in_any_language(store: Store, text: str, query: str) -> None:
    store.add("a", text)
    for n in range(20):
        store.add(f"other{n}", f"something in English about part {n}")
    assert store.found(query) == []


def test_a_word_says_little_beside_others_of_the_language_in_which_it_does(store: Store) -> None:
    wanted = store.add("wanted", "the workers die one after the other, and nobody knows the reason")
    for n in range(20):
        store.add(f"other{n}", f"something in English about part {n}")
    assert store.found("why would a thing die so often") == [wanted]
    assert store.found("die Kartoffeln und der Speck") == []


@pytest.mark.parametrize("query", ["PORTAL-9917", "portal-9917?", "CVE-2025-99171", "UTF-16"])
def test_a_ticket_that_is_not_there_is_not_found_by_its_letters(store: Store, query: str) -> None:
    wanted = store.add("a", "PORTAL-2291 is about the portal, CVE-2025-1234 and UTF-8")
    assert store.found(query) == []
    assert store.found(f"{query} and the portal") == [wanted]


@pytest.mark.parametrize("query", ["flibbertigibbet_handler.py", "getWarpCoefficient", "zork/gnusto/index.ts", "$.zorkGnusto.get"])
def test_a_name_that_is_not_there_is_not_found_by_what_all_names_have(store: Store, query: str) -> None:
    for n in range(30):
        store.add(f"a{n}", f"the handler of index.ts and handler.py of part {n} has a getValue and a get")
    assert store.found(query) == []


@pytest.mark.parametrize("query", ["src/warp/drive_handler.ts", "getWarpDriveCoefficient", "warp_drive.handler"])
def test_a_name_is_found_by_what_sets_it_apart(store: Store, query: str) -> None:
    for n in range(30):
        store.add(f"a{n}", f"the handler of index.ts and handler.py of part {n} has a getValue and a get")
    wanted = store.add("wanted", "the warp_drive is in engine.py")
    assert store.found(query)[0] == wanted


def test_the_letters_of_a_versioned_name_find_its_other_versions(store: Store) -> None:
    wanted = store.add("a", "we moved to postgres 15")
    assert store.found("postgres-16") == [wanted]


def test_the_words_of_a_date_do_not_bury_what_is_asked(store: Store) -> None:
    store.add("dated", "the table doubled in a month", "that was last seen in spring", time=NOW - 90 * DAY)
    wanted = store.add("wanted", *(f"terraform plan {n}" for n in range(6)), time=NOW - 45 * DAY)
    assert store.found("terraform trouble last month")[0] == wanted


def test_a_missing_phrase_is_said(store: Store) -> None:
    store.add("a", "alpha beta gamma delta")
    answer = store.ask('"gamma alpha"')
    assert answer["tier"] in ("related", "forms", None)
    if answer["hits"]:
        assert "gamma alpha" in answer["notice"]
    assert "notice" not in store.ask('"alpha beta"')


def test_filters_hold_in_every_tier(store: Store) -> None:
    texts = "the authentication middleware rejects rotated tokens"
    store.add("a", texts, agent="codex", project="/w/one")
    b = store.add("b", texts, agent="qwen-code", project="/w/two")
    for query in ("rotated", "rotate", "authentcation", "why would a middleware reject rotated things at night"):
        assert store.found(query, agent="qwen-code") == [b], query
        assert store.found(f"{query} project:/w/two") == [b], query
        assert store.found(f"{query} role:tool") == [], query
        assert store.found(f"{query} -tokens") == [], query


@pytest.mark.parametrize(
    ("when", "question"),
    [
        ("2026-05-07T10:00", "on 7 May"),
        ("2025-12-03T10:00", "in December 2025"),
        ("2026-05-19T10:00", "last week"),
        ("2026-05-19T10:00", "上周"),
        ("2026-05-19T10:00", "letzte Woche"),
        ("2026-05-19T10:00", "la semaine dernière"),
        ("2026-05-19T10:00", "la semana pasada"),
        ("2026-05-19T10:00", "на прошлой неделе"),
        ("2026-05-19T10:00", "지난주에"),
        ("2026-05-25T10:00", "vor drei Tagen"),
        ("2026-05-25T10:00", "il y a 3 jours"),
        ("2026-05-25T10:00", "hace tres días"),
        ("2026-05-25T10:00", "3 дня назад"),
        ("2026-05-25T10:00", "三天前"),
        ("2026-05-25T10:00", "3日前"),
        ("2026-05-27T10:00", "gestern"),
    ],
)
def test_a_date_in_the_question_leans(store: Store, when: str, question: str) -> None:
    from recalld.search import times
    from recalld.search.times import Clock, zone_of

    zone = zone_of("UTC", None)
    assert zone is not None
    moment = times.parse(when, Clock(NOW, zone))
    assert moment is not None
    store.add("before", "we discussed the flaky deploy pipeline", time=moment - 60 * DAY)
    wanted = store.add("then", "we discussed the flaky deploy pipeline", time=moment)
    store.add("after", "we discussed the flaky deploy pipeline", time=moment + 45 * DAY)
    assert store.found(f"what did someone discuss of flaky pipelines {question}")[0] == wanted
    assert store.found(f"pipelines, {question}")[0] == wanted


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("für uns: das Schaltjahr bricht den Kalender", "Warum für das Schaltjahr kein Zollformular"),
        ("où est le calendrier des marées", "où trouver calendrier marées zygomorphe"),
    ],
)
def test_words_that_say_little_are_not_highlighted(store: Store, text: str, question: str) -> None:
    store.add("wanted", text)
    answer = store.ask(question)
    assert answer["tier"] == "related"
    match = answer["hits"][0]["matches"][0]
    lit = {match["snippet"][a:b] for a, b in match["highlights"]}
    assert lit and not lit & {"für", "das", "où"}


@pytest.mark.parametrize("question", ["the network layer", "the video player", "ahoy there", "tomes pasados", "2024年前"])
def test_a_word_that_only_holds_the_name_of_a_time_names_none(question: str) -> None:
    from datetime import UTC

    from recalld.search import dates
    from recalld.search.times import Clock

    assert dates.leans(question, Clock(NOW, UTC)) == ()
    assert dates.words(question, Clock(NOW, UTC)) == frozenset()
