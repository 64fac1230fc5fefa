"""What a person said, without what was put around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import frame
from recalld.sources import said
from recalld.sources.probe import directory_name, probe

PROSE = st.text(st.characters(codec="utf-8", exclude_characters="<>[]"), max_size=30)


@given(PROSE, PROSE, PROSE)
def test_whatever_stands_between_the_tags_goes_and_the_rest_stays(before, inside, after):
    for strip in (said.claude, said.qwen):
        text = f"{before}\n<system-reminder>{inside}</system-reminder>{after}"
        assert strip(text) == f"{before}\n{after}".strip() or said.CONTINUED in text
    assert frame.strip(f"{before}{frame.OPEN} a='b'>{inside}{frame.CLOSE}{after}") == before + after


TAGS = ["<system-reminder>", "</system-reminder>", "<command-name>", "x", "\n", frame.OPEN, frame.CLOSE, ">"]


@given(st.lists(st.sampled_from(TAGS), max_size=12).map("".join))
def test_no_order_of_tags_raises_or_adds_text(text):
    for strip in (said.claude, said.qwen, said.output, frame.strip):
        assert len(strip(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what does an unclosed <system-reminder> tag do?", "what does an unclosed <system-reminder> tag do?"),
        ("a closing </system-reminder> alone", "a closing </system-reminder> alone"),
        (
            "why is <system-reminder> there?\n<system-reminder>\nbe good\n</system-reminder>",
            "why is <system-reminder> there?",
        ),
        ("<system-reminder>a <system-reminder> b</system-reminder>c", "c"),
        ("<system-reminder>a</system-reminder><system-reminder>b</system-reminder>c", "c"),
        ("<system-reminder>a\n<system-reminder>b</system-reminder>\nd</system-reminder>c", "c"),
        ("<system-reminder>a\n<system-reminder> b\n</system-reminder>\nc", "c"),
        ("<system-reminder>a\n<system-reminder> b</system-reminder>c\n<system-reminder>d</system-reminder>", "c"),
        ("one <command-name>x</command-name> two", "one  two"),
        ("<command-name>/clear</command-name>\n<command-message>clear</command-message>", "/clear"),
        ("[Request interrupted by user]", ""),
        ("he wrote [Request interrupted by user] in a mail", "he wrote [Request interrupted by user] in a mail"),
        ("<local-command-caveat>Caveat: the messages below</local-command-caveat>", ""),
    ],
)
def test_claude_code_texts(text, left):
    assert said.claude(text) == left


def test_a_frame_of_ours_goes_wherever_it_stands_and_an_open_one_is_prose():
    text = f"a{frame.OPEN}>b{frame.CLOSE}c{frame.OPEN}>d{frame.CLOSE}e {frame.OPEN} f"
    assert frame.strip(text) == f"ace {frame.OPEN} f"


def test_a_reminder_behind_an_output_goes_and_one_in_a_file_stays():
    shown = "1 x\n2 <system-reminder>y</system-reminder>\n3 z"
    assert said.output(shown) == shown
    assert said.output(shown + "\n\n<system-reminder>\nmind\n</system-reminder>\n") == shown
    assert said.output('s = "<system-reminder>y</system-reminder>') == 's = "<system-reminder>y</system-reminder>'


def test_a_directory_is_found_again_by_its_encoded_name(tmp_path):
    real = tmp_path / "my.app_v2" / "sub-dir"
    real.mkdir(parents=True)
    (tmp_path / "my-app").mkdir()
    (tmp_path / "a file").write_text("")
    name = directory_name(str(real))
    assert probe(name) == str(real)
    assert probe(name + "-no") is None
    assert probe(directory_name(str(tmp_path / "a file"))) is None


def test_a_name_that_two_directories_have_stands_for_none(tmp_path):
    (tmp_path / "a.b").mkdir()
    (tmp_path / "a_b").mkdir()
    assert probe("-a-b", tmp_path) is None
    assert probe("a-b", tmp_path) is None
    assert probe("-" + "x" * 300, tmp_path) is None


def test_names_of_many_parts_are_found_and_hopeless_ones_given_up(tmp_path):
    hidden = tmp_path / ".config" / "a-long-name-of-a-site.com"
    hidden.mkdir(parents=True)
    (tmp_path / "link").symlink_to(hidden)
    assert probe(directory_name("/.config/a-long-name-of-a-site.com"), tmp_path) == str(hidden)
    assert probe("-link", tmp_path) is None
    assert probe("-a" * 99, tmp_path) is None
    assert probe("-", tmp_path) is None
