"""Assay plates: geometry that a check sees, and volumes, thaws, donors and arms that it doesn't."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved, plan, without

BENCH = "assay-plate-bench"
PILOT, SCARCE, TWO = "assayplate-pilot", "assayplate-scarce-samples", "assayplate-two-plates"


def fill(plate: str, content: str, *wells: str) -> PlannedCall:
    return call("assign_wells", plate=plate, content=content, wells=list(wells))


@pytest.mark.parametrize(
    ("content", "wells"),
    [
        ("S-101", ["A2", "B2", "C3"]),
        ("S-101", ["A2", "C3", "C4"]),
        ("S-101", ["D1", "B4", "C3"]),
        ("NEG", ["A1", "C1"]),
        ("POS", ["B1", "D3"]),
    ],
    ids=["one column twice", "one row twice", "edge", "control in one column", "control inside"],
)
def test_a_layout_in_breach_fails_even_when_it_is_locked_and_registered(
    content: str, wells: list[str]
) -> None:
    calls = changed(PILOT, at(PILOT, "assign_wells", content=content), wells=wells)
    assert {"no-breach-pl-1", "checked-pl-1"} <= caught(PILOT, calls)


def test_two_replicates_in_place_of_three_pass_the_check_and_fail_the_task() -> None:
    calls = changed(PILOT, at(PILOT, "assign_wells", content="S-102"), wells=["A3", "B5"])
    assert caught(PILOT, calls) == {"replicates"}


def test_checking_before_the_last_assignment_or_after_the_lock_fails() -> None:
    check = at(PILOT, "check_plate")
    assert "checked-pl-1" in caught(PILOT, moved(PILOT, check, check - 1))
    assert "checked-pl-1" in caught(PILOT, moved(PILOT, check, check + 1))
    assert "checked-pl-1" in caught(PILOT, without(PILOT, check))


def test_trying_a_layout_out_on_the_plate_wastes_sample() -> None:
    extra = [fill("PL-1", "S-101", "D5"), call("clear_wells", plate="PL-1", wells=["D5"])]
    assert "nothing-thrown-away" in caught(PILOT, added(PILOT, 4, *extra))
    assert observe(BENCH, *extra, fill("PL-1", "S-101", "D5"))["left_ul"] == 50


def test_other_plates_and_samples_of_other_studies_fail() -> None:
    extra = fill("PL-2", "S-201", "A2")
    assert caught(PILOT, added(PILOT, 4, extra)) == {"other-plate", "foreign-sample"}
    assert "other-plate" in caught(SCARCE, added(SCARCE, 4, fill("PL-1", "S-101", "A2")))
    wrong = caught(TWO, added(TWO, 5, fill("PL-1", "S-101", "A2")))
    assert wrong == {"other-plate", "foreign-sample"}


def test_the_rest_stays_in_the_tube_though_three_wells_could_be_filled() -> None:
    calls = changed(SCARCE, at(SCARCE, "assign_wells", content="S-202"), wells=["A3", "B2", "D5"])
    assert {"small-sample", "rest-stays-in-the-tube"} <= caught(SCARCE, calls)


def test_an_aliquot_thawed_three_times_is_not_used_and_a_good_one_not_replaced() -> None:
    old = changed(SCARCE, at(SCARCE, "assign_wells", content="S-203b"), content="S-203")
    assert {"old-aliquot", "backup-used"} <= caught(SCARCE, old)
    backup = changed(SCARCE, at(SCARCE, "assign_wells", content="S-204"), content="S-204b", wells=["A5"])
    assert {"needless-backup", "replicates"} <= caught(SCARCE, backup)


def test_clearing_wells_fails_where_sample_is_scarce() -> None:
    extra = [fill("PL-2", "NEG", "D1"), call("clear_wells", plate="PL-2", wells=["D1"])]
    assert caught(SCARCE, added(SCARCE, 4, *extra)) == {"nothing-thrown-away"}


def exchanged(pairs: dict[str, str]) -> list[PlannedCall]:
    """The plan for two plates with samples in each other's wells."""
    places = pairs | {there: here for here, there in pairs.items()}
    return [
        one.model_copy(update={"arguments": {**one.arguments, "content": places[one.arguments["content"]]}})
        if one.arguments.get("content") in places
        else one
        for one in plan(TWO)
    ]


@pytest.mark.parametrize("other", [("S-307", "S-303"), ("S-308", "S-305"), ("S-301", "S-304")])
def test_a_division_that_parts_donors_or_arms_fails(other: tuple[str, str]) -> None:
    assert "donors-and-arms" in caught(TWO, exchanged({other[0]: other[1]}))


def test_the_two_groups_may_change_plates_and_the_answer_has_to_say_so() -> None:
    calls = exchanged({"S-301": "S-303", "S-302": "S-304", "S-307": "S-305", "S-308": "S-306"})
    answer = answer_of(SHIPPED.task(TWO))
    assert caught(TWO, calls) == {"says-which-plate"}
    right = answer.replace("PL-3 carries donors D-31 and D-34", "PL-3 carries donors D-32 and D-33")
    right = right.replace("PL-4 carries donors D-32 and D-33", "PL-4 carries donors D-31 and D-34")
    assert caught(TWO, calls, right) == set()


def test_a_lock_is_final_and_comes_before_the_registration() -> None:
    register = call("register_protocol", study="ST-31", plates=["PL-1"])
    lock = call("lock_plate", plate="PL-1")
    assert "must be locked" in observe(BENCH, register)["error"]
    assert "is locked" in observe(BENCH, lock, fill("PL-1", "S-101", "A2"))["error"]
    assert "registered already" in observe(BENCH, lock, register, register)["error"]


@pytest.mark.parametrize(
    ("content", "wells", "part"),
    [
        ("S-101", ["B3"], "blocked"),
        ("S-101", ["A2", "B4", "C3", "D5", "D6"], "too little"),
        ("S-999", ["A2"], "no sample"),
        ("S-101", ["E1"], "wells"),
    ],
)
def test_wells_and_volumes_that_are_not_there_are_refused(content: str, wells: list[str], part: str) -> None:
    assert part in observe(BENCH, fill("PL-1", content, *wells))["error"]


def test_a_well_holds_one_content() -> None:
    twice = [fill("PL-1", "S-101", "A2"), fill("PL-1", "S-102", "A2")]
    assert "holds S-101" in observe(BENCH, *twice)["error"]
