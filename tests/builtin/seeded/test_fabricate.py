from __future__ import annotations

import pytest

from replaylab.builtin.seeded import fabricate
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.seeded.crafted import KEEPERS, LIST, ONE, REFUSED, STATE, VISITS, all_said, check, ground

APPLIES = {
    "invented_sibling": ground(LIST),
    "invented_duplicate": ground(LIST),
    "invented_stranger": ground(LIST),
    "replaced_list": ground(LIST),
    "replaced_id": ground(LIST),
    "invented_reference": ground(ONE, "get_dock", {"dock": "D-2"}),
    "invented_in_id_list": ground(KEEPERS),
    "invented_without_id": ground(VISITS),
    "too_many_counted": ground(LIST),
    "unknown_shown": ground(REFUSED, "get_dock", {"dock": "D-9"}),
}


@pytest.mark.parametrize("name", APPLIES)
def test_what_a_shape_invents_is_nowhere_in_the_ground(name: str) -> None:
    where = APPLIES[name]
    for said in all_said(getattr(fabricate, name), where):
        check(where, said)
        assert said.seeded[0].kind == "fabrication"


def test_every_shape_has_its_own_case() -> None:
    assert {shape.__name__ for shape in fabricate.SHAPES} == {*APPLIES, "example_leak"}


def test_an_example_leaks_only_where_it_is_of_the_same_family_and_not_in_the_state() -> None:
    where = ground(LIST)
    for said in all_said(fabricate.example_leak, where):
        check(where, said)
        assert said.seeded[0].entity == "D-77"
    known = {**STATE, "docks": {**STATE["docks"], "D-77": STATE["docks"]["D-1"]}}
    assert fabricate.example_leak(ground(LIST, state=known), Draw(1)) is None


def test_an_invented_row_takes_over_nobody_who_belongs_to_one_row_alone() -> None:
    places = [said.observation["docks"] for said in all_said(fabricate.invented_sibling, ground(LIST))]
    assert all(sum(row["keeper"] == "m.sato" for row in rows) == 1 for rows in places)


def test_a_replaced_list_is_an_invention_and_an_omission_for_every_row() -> None:
    (said,) = all_said(fabricate.replaced_list, ground(LIST), 1)
    kinds = [one.kind for one in said.seeded]
    assert (kinds.count("fabrication"), kinds.count("omission")) == (4, 4)


@pytest.mark.parametrize("shape", fabricate.SHAPES)
def test_no_shape_applies_to_a_write_or_to_a_refusal_without_an_unknown_id(shape: fabricate.Shape) -> None:
    for where in (
        ground(ONE, "open_dock", {"dock": "D-2"}),
        ground({"error": "D-2 is closed"}, "get_dock", {"dock": "D-2"}),
        ground(REFUSED, "open_dock", {"dock": "D-9"}),
    ):
        assert all(shape(where, Draw(number)) is None for number in range(9))


def test_rows_that_only_refer_to_things_are_not_replaced() -> None:
    # Each row is about a lamp, which has no id; another dock in it is a wrong reference, and no dock is left out.
    lamps = {"lamps": [{"lamp": "red one", "at": "D-1"}, {"lamp": "old one", "at": "D-2"}]}
    for shape in (fabricate.replaced_id, fabricate.replaced_list):
        assert all(shape(ground(lamps), Draw(number)) is None for number in range(9))
