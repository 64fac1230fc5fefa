"""`show --around`: the page that a record is in the middle of, whatever else is asked."""

from __future__ import annotations

from case_kit import CLAUDE, Case, S, cc, result, use

LONG = "lorem ipsum dolor sit amet " * 9000
"""Nearly what one record may hold; 120 of them fill two frames."""


def test_the_record_is_on_its_page_where_a_frame_does_not_hold_the_whole(case: Case) -> None:
    ids = [f"u{n}" for n in range(120)]
    case.write(CLAUDE, *[cc("user", uid, f"u{n - 1}" if n else None, f"{n} {LONG}", n) for n, uid in enumerate(ids)])
    case.read()
    for asked in (0, 59, 100, 119):
        page = case.json("show", S, "--around", f"u{asked}")
        shown = [r["id"] for r in page["records"]]
        first = ids.index(shown[0])
        assert f"u{asked}" in shown and shown == ids[first : first + len(shown)] and len(shown) > 30
        assert page["next_offset"] == (first + len(shown) if first + len(shown) < 120 else None) and page["total"] == 120


def test_a_record_that_is_left_out_says_where_the_page_is(case: Case) -> None:
    lines = []
    for n in range(10):
        lines += [
            cc("user", f"u{n}", f"r{n - 1}" if n else None, f"do {n}", 3 * n),
            cc("assistant", f"a{n}", f"u{n}", use(f"c{n}", "Bash", command=f"make {n}"), 3 * n + 1),
            cc("user", f"r{n}", f"a{n}", result(f"c{n}", f"made {n}"), 3 * n + 2),
        ]
    case.write(CLAUDE, *lines)
    case.read()
    page = case.json("show", S, "--around", "a5", "--role", "user", "--limit", "4")
    assert [r["id"] for r in page["records"]] == ["u4", "u5", "u6", "u7"] and page["next_offset"] == 8
    page = case.json("show", S, "--around", "a5", "--kind", "summary")
    assert page["records"] == [] and page["total"] == 0
