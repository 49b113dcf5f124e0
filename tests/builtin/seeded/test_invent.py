from __future__ import annotations

import re

import pytest

from replaylab.builtin.seeded import invent, refusals
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.seeded.crafted import LIST, STATE, TOO_MANY, all_said, ground

OPEN = {"dock": "D-3", **STATE["docks"]["D-3"]}
WRITE = ground(OPEN, "open_dock", {"dock": "D-3"})
APPLIES = {
    "no_rule": WRITE,
    "no_such_limit": WRITE,
    "invented_clock": WRITE,
    "ungrounded_input": WRITE,
    "changed_threshold": WRITE,
    "false_state": WRITE,
    "wrong_number": ground(TOO_MANY, "open_dock", {"dock": "D-2"}),
}


@pytest.mark.parametrize("name", APPLIES)
def test_a_refusal_is_labelled_and_says_what_nobody_said(name: str) -> None:
    for said in all_said(getattr(invent, name), APPLIES[name]):
        assert set(said.observation) == {"error"}
        assert [(one.kind, one.observed) for one in said.seeded] == [
            ("rule_invention", said.observation["error"])
        ]
        assert said.observation["error"].lower() not in APPLIES[name].known


def test_every_shape_has_its_own_case() -> None:
    assert {shape.__name__ for shape in invent.SHAPES} == set(APPLIES)


def test_only_a_number_is_changed_in_a_refusal_that_is_due() -> None:
    said = {one.observation["error"] for one in all_said(invent.wrong_number, APPLIES["wrong_number"])}
    assert {re.sub(r"\d+", "N", text) for text in said} == {"D-N holds N crates and N is the most"}
    assert all("D-2" in text for text in said)
    assert TOO_MANY["error"] not in said


def test_a_changed_threshold_is_a_sentence_of_the_contract_but_for_its_number() -> None:
    said = {one.observation["error"] for one in all_said(invent.changed_threshold, WRITE)}
    contract = "refused: To open a dock takes at most N crates"
    rule = (
        "refused: At most N crates stand in a dock at once, and none of them is opened before it is weighed"
    )
    assert {re.sub(r"\d+", "N", text) for text in said} <= {contract, rule}
    assert not any(" 30 " in text for text in said)


def test_a_false_state_is_the_refusal_of_another_thing_under_this_one_s_name() -> None:
    assert {one.observation["error"] for one in all_said(invent.false_state, WRITE)} == {"D-3 is closed"}


@pytest.mark.parametrize("name", [name for name in APPLIES if name != "wrong_number"])
def test_what_is_refused_by_right_is_left_alone(name: str) -> None:
    assert getattr(invent, name)(APPLIES["wrong_number"], Draw(1)) is None
    assert invent.wrong_number(ground(LIST), Draw(1)) is None


def test_every_wording_can_be_filled_in() -> None:
    for words in (refusals.NO_RULE, refusals.LIMITS, refusals.CLOCKS, refusals.INPUTS):
        assert len(set(words)) == len(words) >= 4
        for text in words:
            assert "{" not in text.format(it="D-3", noun="dock", act="open dock", few="3")
