"""What the harness put before a person's words is dropped; what a person says about it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import frame
from recalld.sources.codex.injected import TAGS, without_injected
from sources.codex_lines import called, event, gave, item, meta, read, said_event, said_item, said_response, texts

PREAMBLE = "# AGENTS.md instructions for /w/api\n\n<INSTRUCTIONS>\nalways badger\n</INSTRUCTIONS>"


@pytest.mark.parametrize("tag", TAGS)
def test_a_block_at_the_head_of_a_message_is_dropped(tag: str) -> None:
    block = f"<{tag}>\nskunk\n</{tag}>"
    assert without_injected(block) == ""
    assert without_injected(f"  {block}\n\n{block}\n{PREAMBLE}\nfix the cache") == "fix the cache"


@pytest.mark.parametrize("tag", TAGS)
def test_blocks_in_a_block_end_with_it(tag: str) -> None:
    assert without_injected(f"<{tag}>a <{tag}>b</{tag}> skunk</{tag}>words") == "words"


def test_instructions_that_speak_of_instructions_are_dropped_whole() -> None:
    inner = "# AGENTS.md instructions\n<INSTRUCTIONS>\nwrite <INSTRUCTIONS>x</INSTRUCTIONS> badger\n</INSTRUCTIONS>\nwords"
    assert without_injected(inner) == "words"
    assert without_injected("# AGENTS.md instructions\n<INSTRUCTIONS>\na <INSTRUCTIONS> badger\n</INSTRUCTIONS>") == ""


@pytest.mark.parametrize(
    "words",
    [
        "where do AGENTS.md instructions <INSTRUCTIONS>like coati</INSTRUCTIONS> go?",
        "# AGENTS.md instructions are too long, cut them",
        "what is <environment_context>coati</environment_context> for?",
        "<environment_context> is never closed, why?",
        "<environment_contexts>coati</environment_contexts>",
        "<div>coati</div>",
        "read <recalld-context and tell me",
    ],
)
def test_words_about_injected_text_are_kept(words: str) -> None:
    assert without_injected(words) == words
    assert texts(read([meta(), said_event("user", words)])) == [words]


def test_parts_of_other_kinds_than_a_persons_text_are_dropped() -> None:
    kinds = {"content_item_kinds": ["agents_md.instructions", "user.text", "hooks.additional_context"]}
    parts = ("unmarked badger", "fix the cache", "unmarked skunk")
    for more in ({"internal_chat_message_metadata_passthrough": kinds}, kinds, {"metadata": kinds}):
        assert texts(read([meta(), said_response("user", *parts, **more)])) == ["fix the cache"]
    assert texts(read([meta(), said_response("user", *parts) | {"metadata": kinds}])) == ["fix the cache"]
    content = [{"type": "text", "text": part} for part in parts]
    assert texts(read([meta(), item("UserMessage", "i1", content=content, **kinds)])) == ["fix the cache"]
    answer = said_response(
        "assistant", "so it is", internal_chat_message_metadata_passthrough={"content_item_kinds": ["unknown"]}
    )
    assert texts(read([meta(), answer])) == ["so it is"]


def test_kinds_that_do_not_match_the_parts_say_nothing() -> None:
    kinds = {"content_item_kinds": ["user.text"]}
    assert texts(read([meta(), said_response("user", "one", "two", metadata=kinds)])) == ["one\ntwo"]


def test_injected_text_beside_a_persons_words_does_not_make_a_second_record() -> None:
    whole = f"{PREAMBLE}\n\nfix the cache"
    given = [meta(), said_response("user", whole), said_item("user", "i1", "fix the cache")]
    assert texts(read(given)) == ["fix the cache"]


def test_an_event_of_the_harness_is_nobodys_words() -> None:
    given = [meta(), event("user_message", message="skunk", kind="environment_context")]
    assert texts([*read(given), *read([meta(), event("user_message", message="hi", kind="plain")])]) == ["hi"]


def test_marks_around_an_image_are_not_said() -> None:
    given = [
        meta(),
        said_response("user", "<image name=[Image #1]>", "</image>", "what is this?"),
        said_item("user", "i", "what is this?"),
    ]
    assert texts(read(given)) == ["what is this?"]
    assert texts(read([meta(), said_response("user", "<image>", "</image>")])) == []


def test_our_own_frame_is_dropped_wherever_it_stands() -> None:
    framed = f'{frame.OPEN} note="history">\notter\n{frame.CLOSE}'
    given = [
        meta(),
        said_event("user", f"before {framed} after"),
        said_event("assistant", f"{framed}\nanswer"),
        called("c1", cmd="env"),
        gave("c1", f"x\n{framed}\ny"),
    ]
    found = texts(read(given))
    assert len(found) == 4
    assert not any("otter" in text for text in found)
    assert "before" in found[0]
    assert "after" in found[0]


@given(
    st.text(),
    st.lists(st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + [PREAMBLE, "words"])),
)
def test_dropping_is_final_and_never_adds(text: str, pieces: list[str]) -> None:
    whole = "".join(pieces) + text
    kept = without_injected(whole)
    assert whole.endswith(kept) or whole.rstrip().endswith(kept)
    assert without_injected(kept) == kept
