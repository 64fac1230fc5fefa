"""Edits of JSON files: they say what was asked, and leave every other byte where it was."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Refused
from recall.install import edit
from recall.install.jsonc import SyntaxFault, parse

KEYS = st.sampled_from(["a", "b", "hooks", "Ä ö", 'q"uote', "", "mcpServers"])
NUMBERS = st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=10
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
GAPS = st.sampled_from(["", " ", "\n", "\r\n  ", "\n\t", ' /* { " */ ', " // , ] }\n", "\n  // note\n  "])


@st.composite
def jsonc(draw: st.DrawFn, value: Any) -> str:
    """`value` written with any white space, comments and trailing commas."""

    def gap() -> str:
        return draw(GAPS)

    def write(value: Any) -> str:
        if isinstance(value, dict):
            members = [f"{gap()}{json.dumps(k)}{gap()}:{gap()}{write(v)}{gap()}" for k, v in value.items()]
            trailing = "," + gap() if members and draw(st.booleans()) else ""
            return "{" + ",".join(members) + trailing + gap() + "}"
        if isinstance(value, list):
            items = [f"{gap()}{write(v)}{gap()}" for v in value]
            trailing = "," + gap() if items and draw(st.booleans()) else ""
            return "[" + ",".join(items) + trailing + gap() + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return gap() + write(value) + gap()


DOCUMENTS = OBJECTS.flatmap(lambda value: st.tuples(st.just(value), jsonc(value)))


def written(value: Any, style: str) -> str:
    if style == "one line":
        return json.dumps(value)
    indent = {"two": 2, "four": 4, "tab": "\t", "crlf": 2}[style]
    text = json.dumps(value, indent=indent, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if style == "crlf" else text


STYLES = st.sampled_from(["one line", "two", "four", "tab", "crlf"])


@given(DOCUMENTS)
def test_what_is_written_is_read_whatever_comments_and_spaces_stand_in_it(document: tuple[Any, str]) -> None:
    value, text = document
    assert parse(text).value == value


@given(st.text(alphabet='{}[]",:/*\\ \n1atrue', max_size=30))
def test_any_text_is_either_json_or_refused_with_its_line(text: str) -> None:
    said = ""
    try:
        parse(text)
    except SyntaxFault as error:
        said = error.message
    assert said == "" or said.startswith("line ")


@given(OBJECTS)
def test_plain_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    assert parse(json.dumps(value, indent=1)).value == value


@given(DOCUMENTS, st.lists(KEYS, min_size=1, max_size=3), VALUES)
def test_a_member_that_is_put_in_is_there_and_all_else_is_as_it_was(
    document: tuple[Any, str], path: list[str], new: Any
) -> None:
    value, text = document
    expected = deepcopy(value)
    at = expected
    try:
        for key in path[:-1]:
            at = at.setdefault(key, {})
            assert isinstance(at, dict)
    except AssertionError:
        with pytest.raises(Refused):
            edit.put(text, tuple(path), new)
        return
    at[path[-1]] = new
    assert parse(edit.put(text, tuple(path), new)).value == expected


@given(DOCUMENTS, KEYS, VALUES)
def test_an_item_that_is_appended_is_the_last_of_its_list(document: tuple[Any, str], key: str, new: Any) -> None:
    value, text = document
    if key in value and not isinstance(value[key], list):
        with pytest.raises(Refused):
            edit.append(text, (key,), new)
        return
    assert parse(edit.append(text, (key,), new)).value == value | {key: [*value.get(key, []), new]}


@given(DOCUMENTS, st.data())
def test_a_member_that_is_taken_out_takes_nothing_with_it(document: tuple[Any, str], data: st.DataObject) -> None:
    value, text = document
    if not value:
        return
    key = data.draw(st.sampled_from(sorted(value)))
    assert parse(edit.remove(text, (key,))).value == {k: v for k, v in value.items() if k != key}


@given(OBJECTS, STYLES, KEYS, VALUES)
def test_taking_out_what_was_put_in_gives_the_very_bytes_back(value: Any, style: str, key: str, new: Any) -> None:
    value.pop(key, None)
    text = written(value, style)
    assert edit.remove(edit.put(text, (key,), new), (key,)) == text


@given(OBJECTS, STYLES, VALUES)
def test_taking_an_item_out_again_gives_the_very_bytes_back(value: Any, style: str, new: Any) -> None:
    value["list"] = [1, "two"]
    text = written(value, style)
    assert edit.remove(edit.append(text, ("list",), new), ("list", 2)) == text


@given(OBJECTS, st.sampled_from(["two", "four", "tab", "crlf"]), KEYS, VALUES)
def test_new_text_is_written_as_the_file_is(value: Any, style: str, key: str, new: Any) -> None:
    value.pop(key, None)
    if not value:
        return
    assert edit.put(written(value, style), (key,), new) == written(value | {key: new}, style)


def test_comments_order_and_odd_spacing_stay() -> None:
    text = '// mine\n{\n    "b" : 1,   // b first\n    /* then */ "a": [1,2 , 3]  // last\n}\n'
    assert edit.put(text, ("c",), {"d": 1}) == (
        '// mine\n{\n    "b" : 1,   // b first\n    /* then */ "a": [1,2 , 3],  // last\n    "c": {\n        "d": 1\n    }\n}\n'
    )


def test_a_comment_on_the_line_before_does_not_swallow_what_follows() -> None:
    text = '{\n  "a": 1, // note\n  "ours": 2, "b": 3\n}'
    assert edit.remove(text, ("ours",)) == '{\n  "a": 1, // note\n  "b": 3\n}'


def test_what_cannot_be_parsed_is_refused_with_line_and_column() -> None:
    with pytest.raises(SyntaxFault, match="line 2, column 8: a comma or } is missing"):
        edit.put('{\n "a": 1"b": 2}', ("c",), 1)


def test_something_else_in_the_way_is_refused() -> None:
    with pytest.raises(Refused, match="hooks is not an object"):
        edit.put('{"hooks": [1]}', ("hooks", "Stop"), [])
