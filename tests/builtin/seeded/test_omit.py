from __future__ import annotations

import pytest

from replaylab.builtin.seeded import omit
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.seeded.crafted import KEEPERS, LIST, ONE, REFUSED, VISITS, all_said, check, ground

APPLIES = {
    "first_dropped": ground(LIST),
    "last_dropped": ground(LIST),
    "middle_dropped": ground(LIST),
    "several_dropped": ground(LIST),
    "all_dropped": ground(LIST),
    "dropped_with_counter": ground(LIST),
    "id_dropped": ground(KEEPERS),
    "row_without_id_dropped": ground(VISITS),
}


@pytest.mark.parametrize("name", APPLIES)
def test_what_a_shape_leaves_out_is_true_and_no_longer_said(name: str) -> None:
    where = APPLIES[name]
    for said in all_said(getattr(omit, name), where):
        check(where, said)
        assert {one.kind for one in said.seeded} == {"omission"}


def test_every_shape_has_its_own_case() -> None:
    assert {shape.__name__ for shape in omit.SHAPES} == {*APPLIES, "denied"}


def test_the_places_are_the_first_the_last_and_between() -> None:
    def gone(name: str) -> set[str]:
        return {one.entity for said in all_said(getattr(omit, name), ground(LIST)) for one in said.seeded}

    assert gone("first_dropped") == {"D-1"}
    assert gone("last_dropped") == {"D-4"}
    assert gone("middle_dropped") == {"D-2", "D-3"}
    assert gone("all_dropped") == {"D-1", "D-2", "D-3", "D-4"}


def test_what_still_stands_elsewhere_in_the_answer_is_not_left_out() -> None:
    both = {**LIST, "first": "D-1"}
    assert omit.first_dropped(ground(both), Draw(1)) is None
    assert omit.last_dropped(ground(both), Draw(1)) is not None


def test_a_row_that_only_relates_two_things_names_no_entity() -> None:
    related = {"turns": [{"keeper": "k.osei", "from": "06:00"}, {"keeper": "m.sato", "from": "14:00"}]}
    (said,) = all_said(omit.first_dropped, ground(related), 1)
    assert [(one.shape, one.entity, one.expected) for one in said.seeded] == [("relation", "", "k.osei")]


def test_a_denial_names_what_exists_and_what_was_asked_for() -> None:
    where = ground(ONE, "open_dock", {"dock": "D-2"})
    found = [said for number in range(60) if (said := omit.denied(where, Draw(number)))]
    assert 10 < len(found) < 30
    for said in found:
        assert set(said.observation) == {"error"}
        assert "D-2" in said.observation["error"]
        assert [(one.kind, one.entity) for one in said.seeded] == [("omission", "D-2")]
    for other in (ground(REFUSED, "get_dock", {"dock": "D-9"}), ground(ONE, "get_dock", {"dock": "D-9"})):
        assert not any(omit.denied(other, Draw(number)) for number in range(20))
