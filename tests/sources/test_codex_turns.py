"""One turn is one record, whatever copies of it a rollout holds."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from sources.codex_lines import (
    called,
    event,
    facts,
    gave,
    line,
    meta,
    read,
    records,
    response,
    said_event,
    said_item,
    said_response,
    texts,
    turns,
)

QUESTION, ANSWER = "why is the lemur slow?", "The lemur has no index."


@pytest.mark.parametrize("forms", [["event"], ["item"], ["response"], ["event", "response"], ["item", "response"]])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_message_in_any_of_its_forms_is_one_record(role: str, forms: list[str]) -> None:
    told = {
        "event": said_event(role, QUESTION),
        "item": said_item(role, "i1", QUESTION),
        "response": said_response(role, QUESTION, id="msg_1"),
    }
    for order in permutations(forms):
        assert turns(read([meta(), *(told[form] for form in order)])) == [(role, QUESTION)], order


def test_the_last_words_of_a_finished_task_are_no_second_answer_wherever_they_stand() -> None:
    copies = [
        said_item("assistant", "i2", ANSWER),
        said_response("assistant", ANSWER),
        event("task_complete", last_agent_message=ANSWER),
    ]
    for order in permutations(copies):
        assert turns(read([meta(), said_event("user", QUESTION), *order])) == [
            ("user", QUESTION),
            ("assistant", ANSWER),
        ]


def test_the_last_words_of_a_finished_task_are_the_answer_where_no_other_line_has_it() -> None:
    given = [meta(), said_item("user", "i1", QUESTION), event("task_complete", last_agent_message=ANSWER)]
    assert turns(read(given)) == [("user", QUESTION), ("assistant", ANSWER)]


def test_last_words_that_no_other_line_has_are_kept_after_others() -> None:
    given = [meta(), said_event("user", QUESTION), said_event("assistant", "Let me look.")]
    given.append(event("task_complete", last_agent_message=ANSWER))
    assert texts(read(given)) == [QUESTION, "Let me look.", ANSWER]


def test_an_interrupted_turn_without_last_words_does_not_put_off_those_of_the_next() -> None:
    turn = [said_event("assistant", "Done."), said_response("assistant", "Done.")]
    end = event("task_complete", last_agent_message="Done.")
    given = [meta(), *turn, event("turn_aborted"), *turn, end, event("task_started"), end]
    assert texts(read(given)) == ["Done."] * 3


def test_the_citations_of_an_answer_make_no_second_one() -> None:
    cited = f"{ANSWER}\n<oai-mem-citation>\nnotes.md\n</oai-mem-citation>"
    given = [meta(), said_event("assistant", ANSWER), said_response("assistant", cited)]
    assert texts(read(given)) == [ANSWER]


def test_copies_that_stand_lines_apart_and_in_different_sittings_are_one_record() -> None:
    between = [event("token_count", info=None), *(called(f"c{n}", cmd=f"step {n}") for n in range(20))]
    given = [meta(), said_response("user", QUESTION), *between, said_item("user", "i1", QUESTION)]
    for sittings in ([], [2], [len(given) - 1], range(len(given))):
        assert texts(read(given, sittings=sittings)).count(QUESTION) == 1


@pytest.mark.parametrize("started", [True, False])
def test_a_person_who_says_the_same_in_two_turns_has_said_it_twice(started: bool) -> None:
    ways = [
        [said_event("user", "go on"), said_response("user", "go on")],
        [said_response("user", "go on"), said_item("user", "i", "go on")],
        [said_response("user", "go on")],
    ]
    start = [event("task_started", turn_id="t")] if started else []
    for way in ways:
        for first, second in product(permutations(way), repeat=2):
            unlike = [dict(one) for one in second]
            for one in unlike:
                if one["payload"].get("item"):
                    one["payload"] = one["payload"] | {"item": one["payload"]["item"] | {"id": "j"}}
            found = read([meta(), *start, *first, *start, *unlike])
            assert turns(found) == [("user", "go on")] * 2
            assert len({record.id for record in records(found)}) == 2


def test_two_messages_that_share_an_id_by_mistake_are_both_kept() -> None:
    found = records(read([meta(), said_item("user", "i1", QUESTION), said_item("assistant", "i1", ANSWER)]))
    assert [record.text for record in found] == [QUESTION, ANSWER]
    assert len({record.id for record in found}) == 2


def test_forms_with_one_id_are_one_message_though_their_texts_differ() -> None:
    cited = f"{ANSWER} [7]"
    given = [meta(), said_item("assistant", "msg_4", ANSWER), said_response("assistant", cited, id="msg_4")]
    assert texts(read(given)) == [ANSWER]


def test_a_file_may_mix_generations() -> None:
    given = [
        meta(),
        said_response("user", "no events"),
        said_event("user", "with events"),
        said_response("user", "with events"),
        said_response("user", "paginated"),
        said_item("user", "i9", "paginated"),
    ]
    assert texts(read(given)) == ["no events", "with events", "paginated"]


def test_a_turn_that_was_taken_back_and_said_again_is_told_again() -> None:
    turn = [said_event("user", QUESTION), said_response("user", QUESTION)]
    found = read([meta(), *turn, event("thread_rolled_back", num_turns=1), *turn])
    assert texts(found) == [QUESTION, QUESTION]
    assert facts(found)["rolled_back"] == 1


def test_an_interruption_is_nobodys_words() -> None:
    given = [meta(), said_event("user", QUESTION), event("turn_aborted", reason="interrupted")]
    given.append(said_response("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"))
    assert texts(read(given)) == [QUESTION]


def test_what_the_harness_and_the_model_think_is_not_read() -> None:
    given = [
        meta(base_instructions={"text": "be nice"}),
        said_response("developer", "a rule"),
        said_response("system", "another rule"),
        response("reasoning", summary=[{"type": "summary_text", "text": "let me think"}], encrypted_content="x"),
        event("agent_reasoning", text="let me think"),
        line("world_state", {"full": True, "state": {"text": "the world"}}),
        line("token_usage_record", {"usage": {}}),
    ]
    assert records(read(given)) == []
    parts = [{"type": "reasoning_text", "text": "let me think"}, {"type": "output_text", "text": ANSWER}]
    assert texts(read([meta(), response("message", role="assistant", content=parts)])) == [ANSWER]


def test_a_compaction_is_told_once_with_its_summary_and_never_with_what_it_replays() -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "replayed words"}]}]
    usage = {"last_token_usage": {"total_tokens": 90_000}}
    given = [
        meta(),
        event("token_count", info=usage),
        line("compacted", {"message": "What was done so far.", "replacement_history": history}),
        event("context_compacted"),
        response("compaction", encrypted_content="x"),
    ]
    found = read(given)
    assert [(record.kind, record.text) for record in records(found)] == [("summary", "What was done so far.")]
    assert facts(found)["compaction"] == {"before": 90_000, "after": None, "messages": None}
    assert sum(1 for one in found if getattr(one, "name", None) == "compaction") == 1


def test_each_compaction_of_a_session_is_told() -> None:
    one = [line("compacted", {"message": ""}), event("context_compacted")]
    found = read([meta(), *one, said_event("user", QUESTION), *one])
    assert sum(1 for one in found if getattr(one, "name", None) == "compaction") == 2


def test_what_agents_write_to_each_other_is_read_once_and_is_no_persons_word() -> None:
    given = [
        meta(),
        response("agent_message", author="/root", recipient="/root/a", content=[{"type": "input_text", "text": "count"}]),
        line("inter_agent_communication", {"author": "/root", "recipient": "/root/a", "content": "count"}),
        line("inter_agent_communication_metadata", {"trigger_turn": True}),
    ]
    assert turns(read(given)) == [("assistant", "count")]


def test_an_answer_names_the_model_and_directory_of_its_turn() -> None:
    given = [
        meta(),
        line("turn_context", {"cwd": "/w/api", "model": "m-1"}),
        said_item("assistant", "i1", "one"),
        line("turn_context", {"cwd": "/w/web", "model": "m-2"}),
        said_item("assistant", "i2", "two"),
        said_item("user", "i3", "three"),
    ]
    found = [(one.project, one.records[0].model) for one in read(given) if hasattr(one, "records")]
    assert found == [("/w/api", "m-1"), ("/w/web", "m-2"), ("/w/web", None)]


def test_a_line_without_time_has_that_of_the_line_before() -> None:
    untimed = said_item("user", "i1", QUESTION)
    del untimed["timestamp"]
    (message,) = [one for one in read([meta(), untimed]) if hasattr(one, "records")]
    assert message.time == 1_796_032_800_000


def test_a_text_beyond_the_limit_is_cut_and_its_copies_are_still_one() -> None:
    long = "ü" * 200_000
    (record,) = records(read([meta(), said_event("user", long), said_response("user", long)]))
    assert record.truncated
    assert len(record.text.encode()) <= 256 * 1024


def test_output_and_answer_of_an_interrupted_call_do_not_mix() -> None:
    given = [meta(), called("c1", cmd="ls"), said_item("assistant", "i1", "ls"), gave("c1", "ls")]
    assert [(r.role, r.kind) for r in records(read(given))] == [
        ("assistant", "command"),
        ("assistant", "message"),
        ("tool", "output"),
    ]
