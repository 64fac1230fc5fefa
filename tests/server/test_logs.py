"""Log lines: one an event, whatever is in the values."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld import logs


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), st.text() | st.integers() | st.booleans()))
def test_an_event_is_one_line_without_control_characters(values: dict[str, object]) -> None:
    text = logs.line("event", values)
    assert text.isprintable()
    assert text.startswith("event")


def test_values_with_spaces_and_quotes_are_quoted() -> None:
    assert logs.line("e", {"a": 'x "y"', "b": 1, "c": None, "d": True, "f": 0.1}) == 'e a="x \\"y\\"" b=1 d=true f=0.1'


def test_an_exceptions_text_is_not_logged_its_place_is() -> None:
    with pytest.raises(ValueError) as caught:
        int("words of a session")
    assert "session" not in logs.where(caught.value)
    assert "test_logs.py" in logs.where(caught.value)


def test_the_operating_systems_reason_is_logged_wherever_it_stands_in_a_failure() -> None:
    script = (
        "from recalld import logs; logs.setup('info', {})\n"
        "class Gone(Exception): pass\n"
        "try: raise ValueError(\"words of a session: 'No space left on device (os error 28)'\")\n"
        "except ValueError as error: raise Gone('words') from error"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert 'fault error=Gone why="No space left on device"' in done.stderr
    assert "words" not in done.stderr
    assert logs.errno_of(OSError(28, "words")) == 28
    assert logs.errno_of(ValueError('Os { code: 28, kind: StorageFull, message: "…" }')) == 28
    assert logs.errno_of(ValueError("os error")) is None


def test_a_librarys_own_words_are_not_logged() -> None:
    script = (
        "import logging; from recalld import logs; logs.setup('info', {}); logs.info('mine', n=1);"
        "logging.getLogger('other').error('words of %s', 'a session'); logs.debug('not shown')"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr
    assert "mine n=1" in said
    assert "library logger=other" in said
    assert "words" not in said
    assert "not shown" not in said


@pytest.mark.parametrize("run", ["f()", "t = threading.Thread(target=f); t.start(); t.join()"])
def test_what_ends_a_process_or_a_thread_is_logged_by_place_and_not_by_its_words(run: str) -> None:
    script = f"import threading; from recalld import logs; logs.setup('info', {{}})\ndef f(): int('words of a session')\n{run}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "error fault error=ValueError trace=" in done.stderr
    assert "words" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_journal_gets_priorities_and_no_times() -> None:
    script = "from recalld import logs; logs.setup('info', {'JOURNAL_STREAM': '1:2'}); logs.warning('careful')"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr
    assert said == "<4>careful\n"
