"""Messages become turns: nothing that anybody said is lost, whatever order it came in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replaylab.interop.talk.conversation import Call, Message, Role
from replaylab.interop.talk.turns import Turns, turns_of

HEARD: list[Role] = ["system", "user"]
AGENT: list[Role] = ["assistant"]
TOOL: list[Role] = ["tool"]
TEXTS = st.text("abc", max_size=3)
CALLS = st.lists(st.sampled_from(["", "c1", "c2"]).map(lambda name: Call(name, "look", {"x": 1})), max_size=2)
MESSAGES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(HEARD), TEXTS).map(lambda parts: Message(*parts)),
        st.tuples(st.sampled_from(AGENT), TEXTS, CALLS.map(tuple)).map(lambda parts: Message(*parts)),
        st.tuples(st.sampled_from(TOOL), TEXTS, st.just(()), st.sampled_from(["", "c1", "c2", "zz"])).map(
            lambda parts: Message(*parts)
        ),
    ),
    max_size=12,
)


def said(turns: Turns) -> list[str]:
    """Every text that is anywhere in the turns or beside them."""
    found = [one.text for one in turns.opening]
    for step in turns.steps:
        found += [step.text] if step.tool else [step.arguments["content"], step.result["content"]]
        found += [step.result] if step.tool and step.found else []
    found += [turns.answer or ""]
    for place in ("between", "after"):
        found += [one["text"] for group in turns.kept.get(place, {}).values() for one in group]
    found += [one["result"] for one in turns.kept.get("orphans", [])]
    found += [turns.kept.get("unfinished", {}).get("text", "")]
    return found


@given(MESSAGES)
def test_nothing_that_was_said_is_lost(messages: list[Message]) -> None:
    whole = "\n\n".join(said(turns_of(messages)))
    for one in messages:
        assert one.text in whole
    assert sum(map(len, (one.text for one in messages))) == len(whole.replace("\n", ""))


@given(MESSAGES)
def test_every_call_is_a_step_or_kept_as_unfinished(messages: list[Message]) -> None:
    turns = turns_of(messages)
    calls = [call for one in messages for call in one.calls]
    kept = turns.kept.get("unfinished", {}).get("calls", [])
    assert len([step for step in turns.steps if step.tool]) + len(kept) == len(calls)


@given(MESSAGES)
def test_only_calls_of_one_answer_stand_together(messages: list[Message]) -> None:
    turns = turns_of(messages)
    answers = [one for one in messages if one.role == "assistant" and one.calls]
    groups = sum(not step.together for step in turns.steps if step.tool)
    assert groups + ("unfinished" in turns.kept) == len(answers)


def test_results_without_ids_are_taken_in_their_order() -> None:
    calls = (Call("", "look", {"x": 1}), Call("", "look", {"x": 2}))
    results = [Message("tool", text) for text in ("one", "two")]
    turns = turns_of([Message("assistant", "", calls), *results, Message("assistant", "done")])
    assert [step.result for step in turns.steps] == ["one", "two"]


def test_a_missing_result_without_ids_is_nobodys() -> None:
    calls = (Call("", "look", {"x": 1}), Call("", "seek", {"x": 2}))
    turns = turns_of(
        [Message("assistant", "", calls), Message("tool", "two", name="seek"), Message("assistant", "x")]
    )
    assert [(step.result, step.found) for step in turns.steps] == [(None, False), ("two", True)]
    assert turns.notes == ["unanswered"]
