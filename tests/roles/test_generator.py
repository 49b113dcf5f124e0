"""What a generator is asked, and how its answers are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import dumps
from replaylab.roles.generator import (
    MAX_ANSWER,
    SHAPES,
    Generator,
    Question,
    Step,
    prompts_for,
    read_question,
    read_written,
)
from replaylab.roles.parsing import Unparsable
from replaylab.schema.model import ModelSettings
from tests.roles.fakes import FakeChat

GOOD: dict[Step, Any] = {
    "reference": {
        "summary": "s",
        "terms": "t",
        "workflow": "w",
        "state_variables": "v",
        "edge_cases": "e",
        "constraints": "c",
    },
    "subtopics": {"subtopics": ["a", "b"]},
    "environment": {"system_prompt": "p", "clock": ""},
    "tools": {
        "tools": [{"name": "a", "description": "b", "effect": "read", "parameters": {}, "example_output": {}}]
    },
    "state": {"state": {}, "description": {}},
    "task": {"instruction": "i"},
    "plan": {"calls": [{"tool": "a", "arguments": {}}], "answer": ""},
    "rubric": {"text": "t"},
    "checks": {"checks": [{}]},
    "diagnosis": {"part": "plan", "why": "w"},
    "twin": {"code": "c"},
}
SETTINGS = ModelSettings(alias="writer", model="writer")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def question(step: Step = "task", **more: Any) -> Question:
    return Question(step, {"seed": 1}, {"a": "x\n## Order\n{}"}, **more)


@pytest.mark.parametrize("step", SHAPES)
def test_every_step_has_a_shape_that_a_good_answer_fits(step: Step) -> None:
    assert read_written(step, dumps(GOOD[step]).decode()) == GOOD[step]


@pytest.mark.parametrize("step", SHAPES)
def test_what_is_missing_or_too_much_is_named_by_its_place(step: Step) -> None:
    for name in GOOD[step]:
        less = {key: part for key, part in GOOD[step].items() if key != name}
        if name != "clock":
            with pytest.raises(Unparsable, match="shape"):
                read_written(step, dumps(less).decode())
    with pytest.raises(Unparsable, match="additionalProperties"):
        read_written(step, dumps({**GOOD[step], "more": 1}).decode())


@pytest.mark.parametrize("text", ["", "I can't.", "[]", '{"instruction": 7}', '{"instruction": "a"', "{} {}"])
def test_what_is_not_the_one_object_that_is_due_is_unparsable(text: str) -> None:
    with pytest.raises(Unparsable):
        read_written("task", text)


def test_a_text_without_end_is_read_since_it_is_a_finding_and_not_unreadable() -> None:
    long = {"instruction": "word " * 9000}
    assert read_written("task", dumps(long).decode()) == long


def test_what_is_longer_than_any_part_is_not_even_read() -> None:
    assert len(read_written("task", dumps({"instruction": "x" * 300_000}).decode())["instruction"]) == 300_000
    with pytest.raises(Unparsable, match="longer than any part"):
        read_written("task", dumps({"instruction": "x" * MAX_ANSWER}).decode())


@given(st.sampled_from(sorted(SHAPES)), st.dictionaries(st.text(max_size=5), JSON, max_size=3), JSON)
def test_a_program_reads_the_question_as_it_was_put(step: Step, parts: Any, before: Any) -> None:
    asked = Question(step, {"seed": 1}, parts, before, [{"kind": "x"}] if before else ())
    again = read_question(asked.text())
    assert again is not None
    assert (again.step, again.order, again.parts) == (asked.step, asked.order, asked.parts)
    assert again.before == before


@pytest.mark.parametrize("text", ["", "## Order", "## Order\n{}", "## Order\n[]\n\n## So far\n{}", "hello"])
def test_what_is_no_question_is_none(text: str) -> None:
    assert read_question(text) is None


def test_a_repair_is_told_what_was_and_what_is_wrong() -> None:
    text = question(before={"instruction": "old"}, findings=[{"kind": "leak"}]).text()
    assert '{"instruction":"old"}' in text
    assert '[{"kind":"leak"}]' in text
    assert "breaks the rules" in text
    assert "generator_repair" in prompts_for(question(before={}))
    assert "generator_repair" not in prompts_for(question())


def test_an_unusable_answer_is_asked_for_again_with_the_reason() -> None:
    chat = FakeChat(["no", '{"instruction": "i"}'])
    written = Generator(chat, SETTINGS).write(question())
    assert (written.value, written.asked) == ({"instruction": "i"}, 2)
    assert "can't be used" in chat.messages(1)[-1]["content"]
    assert chat.messages(1)[-2] == {"role": "assistant", "content": "no"}


def test_asking_ends() -> None:
    chat = FakeChat(["no", "no", "no", "no"])
    written = Generator(chat, SETTINGS, asks=2).write(question())
    assert (written.value, written.asked, len(chat.asked)) == (None, 2, 2)
    assert written.failed.startswith("unparsable")


def test_structured_output_requires_every_field_and_offers_none_that_only_programs_know() -> None:
    chat = FakeChat([dumps(GOOD["environment"]).decode()])
    bound = SETTINGS.model_copy(update={"observations": "json_schema"})
    Generator(chat, bound).write(question("environment"))
    schema = (chat.asked[0][2] or {})["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["system_prompt", "clock"] == list(schema["properties"])


@pytest.mark.parametrize(("order", "due"), [({}, 16), ({"missing": 6}, 6)])
def test_structured_output_asks_for_as_many_subtopics_as_are_due_and_fewer_are_read(
    order: dict[str, Any], due: int
) -> None:
    chat = FakeChat([dumps(GOOD["subtopics"]).decode()])
    bound = SETTINGS.model_copy(update={"observations": "json_schema"})
    before = {"subtopics": ["x"]} if order else None
    asked = Question("subtopics", order, {}, before)
    assert Generator(chat, bound).write(asked).value == GOOD["subtopics"]
    schema = (chat.asked[0][2] or {})["response_format"]["json_schema"]["schema"]["properties"]["subtopics"]
    assert (schema["minItems"], schema["maxItems"]) == (due, due)


def test_what_is_missing_is_asked_for_in_place_of_the_whole_part() -> None:
    asked = Question("subtopics", {"missing": 6}, {}, {"subtopics": ["x"]})
    assert "that many more" in asked.text()
    assert "Divide the scenario" not in asked.text()
    assert {"generator_more_subtopics"} == set(prompts_for(asked)) - {"generator", "generator_again"}
