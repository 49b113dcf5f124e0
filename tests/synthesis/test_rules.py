from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment, Plan, PlannedCall, Rubric, Task, Tool
from replaylab.synthesis.rules import environment_rules, overlap, reference_rules, task_rules
from tests.playground import catalogue

YARD = Environment(
    id="yard",
    system_prompt="A yard with gates.",
    tools=(Tool(name="get_gate", effect="read"), Tool(name="add_gate", effect="write")),
    initial_state={"gates": {"G-10": {"open": True}}},
    state_description={"gates": "All gates."},
)


def task(instruction: str = "Look at gate G-10.", answer: str = "It is open.", **more: Any) -> Task:
    calls = more.pop("calls", (PlannedCall(tool="get_gate", arguments={"gate": "G-10"}),))
    return Task(
        id="t",
        scenario="s",
        environment="yard",
        instruction=instruction,
        rubric=Rubric(text=more.pop("text", "The gate is read."), checks=tuple(more.pop("checks", ()))),
        plan=Plan(calls=calls, answer=answer),
    )


def kinds(one: Task) -> list[str]:
    return [finding.kind for finding in task_rules(one, YARD)]


def test_a_sound_task_breaks_no_rule() -> None:
    assert kinds(task()) == []


@pytest.mark.parametrize(
    "text",
    ["Ask {{name}}.", "TO" + "DO", "lorem ipsum dolor", "Write to <your name here>.", "[insert date]", "tbd"],
)
def test_what_is_left_to_be_filled_in_is_found_in_every_text(text: str) -> None:
    assert kinds(task(text)) == ["placeholder"]
    assert kinds(task(answer=text)) == ["placeholder"]
    assert kinds(task(text=text)) == ["placeholder"]
    state = YARD.model_copy(update={"initial_state": {"gates": {"G-10": {"note": text}}}})
    assert [one.kind for one in environment_rules(state)] == ["placeholder"]


@pytest.mark.parametrize(
    "text", ['Answer {"error": "<reason>"}.', "The method is in use.", "a < b and c > d"]
)
def test_words_and_brackets_that_mean_themselves_are_none(text: str) -> None:
    assert kinds(task(text)) == []


def test_the_shipped_scenarios_break_no_rule_of_ours_but_what_their_authors_chose() -> None:
    for scenario in catalogue().scenarios:
        assert not list(overlap(scenario.subtopics)), scenario.id
        for environment in scenario.environments:
            assert not list(environment_rules(environment)), environment.id


def test_ids_of_the_instruction_are_held_by_the_state() -> None:
    assert kinds(task("Look at gate G-11.")) == ["unknown-id"]
    assert kinds(task("Look at gate G-1.")) == ["unknown-id"]


def test_ids_of_the_plan_are_held_until_a_write_may_have_made_them() -> None:
    unknown = PlannedCall(tool="get_gate", arguments={"gate": "G-77"})
    made = PlannedCall(tool="add_gate", arguments={})
    assert kinds(task(calls=(unknown,))) == ["unknown-id"]
    assert kinds(task(calls=(made, unknown))) == []


@pytest.mark.parametrize("value", ["Amber Lane", {"eq": "Amber Lane"}, 48151, {"approx": 48151, "tol": 1}])
def test_an_instruction_does_not_say_what_the_answer_has_to_find_out(value: Any) -> None:
    check = {"id": "a", "kind": "said", "value": value}
    assert kinds(task("Is it Amber Lane or 48151?", checks=[check])) == ["answer-given"]
    assert kinds(task("Which lane is it?", checks=[check])) == []
    assert kinds(task("Is it Amber Lane or 48151?", checks=[{**check, "ok": False}])) == []


def test_short_values_stand_in_an_instruction_by_chance() -> None:
    assert kinds(task("Say which 3 gates.", checks=[{"id": "a", "kind": "said", "value": 3}])) == []


@pytest.mark.parametrize(
    "text",
    ["a\x00b", "\x1b[2Jwipe", "turned \u202egnuor", "\u2066x\u2069", "zero\u200bwidth", "\U000e0041", "\x85"],
)
def test_what_a_reader_does_not_see_is_found_in_every_text(text: str) -> None:
    assert kinds(task(f"Look at gate G-10. {text}")) == ["hidden-text"]
    assert kinds(task(answer=text)) == ["hidden-text"]
    assert kinds(task(checks=[{"id": "a", "kind": "said", "value": {"x": [text]}}])) == ["hidden-text"]
    call = PlannedCall(tool="get_gate", arguments={"gate": text})
    assert kinds(task(calls=(call,))) == ["hidden-text"]
    prompt = YARD.model_copy(update={"system_prompt": text})
    assert [one.kind for one in environment_rules(prompt)] == ["hidden-text"]
    (finding,) = reference_rules({"summary": text})
    assert (finding.kind, finding.message.isascii(), "\x1b" in finding.message) == (
        "hidden-text",
        True,
        False,
    )


def test_text_of_any_language_is_not_hidden() -> None:
    assert kinds(task("Öffne das Tor G-10.\r\n\tПосмотри 看門 👩\u200d🔧 “now” – 5\u00a0€.")) == []


def test_every_part_has_an_end() -> None:
    rows = [
        {"id": f"c{number}", "kind": "said", "value": "a fact that is found out"} for number in range(900)
    ]
    assert kinds(task(checks=rows)) == ["too-long"]
    assert kinds(task(calls=(PlannedCall(tool="get_gate", arguments={"gate": "G-10"}),) * 900)) == [
        "too-long"
    ]
    for changed in (
        {"tools": (Tool(name="get_gate", effect="read", description="word " * 9000),)},
        {"state_description": {"gates": "word " * 9000}},
        {"initial_state": {"gates": "word " * 15_000}},
        {"system_prompt": "word " * 3000},
    ):
        found = [one.kind for one in environment_rules(YARD.model_copy(update=changed))]
        assert found == ["too-long"], changed
    assert [one.kind for one in reference_rules({"summary": "word " * 300})] == ["too-long"]
    assert [one.kind for one in reference_rules({"summary": "s", "terms": "word " * 9000})] == ["too-long"]


def test_texts_without_end_are_found() -> None:
    assert kinds(task("word " * 2000)) == ["too-long"]
    assert kinds(task(text="word " * 2000)) == ["too-long"]
    assert kinds(task(answer="word " * 2000)) == ["too-long"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Limits on holds", "limits on holds"),
        ("Waiting for spare parts", "Spare parts and waiting"),
        ("Rescheduling delayed trains", "Delayed trains rescheduled"),
    ],
)
def test_two_sub_topics_that_say_the_same_are_found(one: str, other: str) -> None:
    (finding,) = overlap(["Fines and blocks", one, other])
    assert finding.kind == "subtopic-overlap"
    assert one in finding.message


def test_sub_topics_that_share_a_word_are_two() -> None:
    assert not list(overlap(["Floors for batch work", "Batch work as a reserve", "Work at night"]))
