from __future__ import annotations

import copy

import pytest

from replaylab.builtin.seeded import contradict
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.seeded.crafted import LIST, ONE, RULES, STATE, VISITS, all_said, check, ground

OPEN = {"dock": "D-3", **STATE["docks"]["D-3"]}
APPLIES = {
    "changed_number": ground(LIST),
    "changed_text": ground(LIST),
    "changed_flag": ground(LIST),
    "filled_in": ground(LIST),
    "changed_constant": ground(RULES),
    "changed_rule": ground(RULES),
    "another_answered_for": ground(OPEN, "get_dock", {"dock": "D-3"}),
}


@pytest.mark.parametrize("name", APPLIES)
def test_a_changed_value_differs_where_its_label_says(name: str) -> None:
    where = APPLIES[name]
    for said in all_said(getattr(contradict, name), where):
        check(where, said)
        assert [one.kind for one in said.seeded] == ["contradiction"]


def test_every_shape_has_its_own_case() -> None:
    assert {shape.__name__ for shape in contradict.SHAPES} == {*APPLIES, "forgotten_write"}


def test_a_write_is_forgotten_only_where_its_outcome_was_spoken_of() -> None:
    now = copy.deepcopy(STATE)
    now["docks"]["D-2"]["crates"] = 19
    shown = {"dock": "D-2", **now["docks"]["D-2"]}
    where = ground(shown, "get_dock", {"dock": "D-2"}, state=now, heard='{"dock":"D-2","crates":19}')
    for said in all_said(contradict.forgotten_write, where):
        check(where, said)
        assert (said.observation["crates"], said.seeded[0].entity) == (7, "D-2")
    silent = ground(shown, "get_dock", {"dock": "D-2"}, state=now)
    assert contradict.forgotten_write(silent, Draw(1)) is None


def test_what_a_call_has_changed_is_no_known_value() -> None:
    now = copy.deepcopy(STATE)
    for record in now["docks"].values():
        record["crates"] += 100
    shown = {"docks": [{"dock": name, "crates": one["crates"]} for name, one in now["docks"].items()]}
    assert contradict.changed_number(ground(shown, state=now), Draw(1)) is None
    assert contradict.changed_number(ground(shown, state=now, first=now), Draw(1)) is not None


def test_a_text_becomes_that_of_another_entity() -> None:
    kinds = {said.seeded[0].observed for said in all_said(contradict.changed_text, ground(LIST))}
    assert kinds <= {"cold", "dry", "k.osei", "m.sato", "swept", "full"}


@pytest.mark.parametrize("shape", contradict.SHAPES)
def test_no_shape_applies_to_a_write_or_to_what_the_state_does_not_say(shape: contradict.Shape) -> None:
    for where in (ground(ONE, "open_dock", {"dock": "D-2"}), ground(VISITS), ground({"weather": "wet"})):
        assert all(shape(where, Draw(number)) is None for number in range(9))
