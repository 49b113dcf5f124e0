"""Catalogue and holds: editions that look the same, waits that are not what the place suggests, and age limits."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

DESK = "city-catalogue"
MAPS, SWAP, CIRCLE = "hold-edition-with-maps", "hold-one-for-another", "hold-listening-circle"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall], answer: str = "") -> set[str]:
    return failed(task, calls, answer or answer_of(SHIPPED.task(task)))


def place(patron: str, edition: str, branch: str) -> PlannedCall:
    return call("place_hold", patron=patron, edition=edition, branch=branch)


def cancel(patron: str, edition: str) -> PlannedCall:
    return call("cancel_hold", patron=patron, edition=edition)


def test_the_search_alone_does_not_tell_the_two_printings_apart() -> None:
    found = observe(DESK, call("search_catalogue", text="salt road marlow", kind="book"))["editions"]
    twins = [
        {key: part for key, part in one.items() if key != "edition"} for one in found if one["year"] == 2014
    ]
    assert twins[0] == twins[1]


@pytest.mark.parametrize("edition", ["ED-1024", "ED-1043", "ED-1050"])
def test_reserving_what_only_looks_like_the_edition_fails(edition: str) -> None:
    calls = plan(MAPS)
    calls[4] = place("PT-204", edition, "Harbour")
    assert {"placed", "other-edition", "confirmed"} <= wrong(MAPS, calls)


def test_reserving_both_to_be_safe_fails() -> None:
    calls = [*plan(MAPS)[:5], place("PT-204", "ED-1024", "Harbour"), *plan(MAPS)[5:]]
    assert wrong(MAPS, calls) == {"other-edition"}


def test_guessing_the_edition_without_reading_the_records_fails() -> None:
    calls = [one for one in plan(MAPS) if one.tool != "get_edition"]
    assert {"compared-first", "both-compared-first"} <= wrong(MAPS, calls)


def test_giving_up_the_hold_with_the_worse_place_fails() -> None:
    calls = plan(SWAP)
    calls[5] = cancel("PT-217", "ED-2001")
    answer = "ED-2001 was given up (84 days). For ED-1043 he is first and waits 21 days."
    assert {"given-up", "other-given-up", "kept-2001", "says-given-up"} <= wrong(SWAP, calls, answer)


def test_giving_up_the_ordinary_print_fails() -> None:
    calls = plan(SWAP)
    calls[5] = cancel("PT-217", "ED-1024")
    assert {"other-given-up", "kept-1024"} <= wrong(SWAP, calls)


def test_at_the_limit_the_new_hold_is_refused_until_one_is_given_up() -> None:
    calls = plan(SWAP)
    calls[5], calls[6] = calls[6], calls[5]
    assert {"placed", "confirmed"} <= wrong(SWAP, calls)


def test_cancelling_and_taking_it_back_costs_the_place() -> None:
    calls = [
        *plan(SWAP)[:5],
        cancel("PT-217", "ED-2001"),
        place("PT-217", "ED-2001", "Central"),
        *plan(SWAP)[5:],
    ]
    assert wrong(SWAP, calls) == {"other-given-up", "other-placed"}


def test_the_reader_who_is_too_young_is_not_stopped_by_the_desk_and_fails() -> None:
    young = place("PT-303", "ED-3010", "Westgate")
    assert observe(DESK, young)["position"] == 2
    assert "not-allowed" in wrong(CIRCLE, [*plan(CIRCLE)[:10], young, *plan(CIRCLE)[10:]])


def test_the_order_of_the_list_is_not_the_order_of_seniority() -> None:
    calls = plan(CIRCLE)
    calls[8], calls[9] = calls[9], calls[8]
    assert {"seniority", "line"} <= wrong(CIRCLE, calls)


def test_the_abridged_recording_for_everybody_fails() -> None:
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "edition": "ED-3001"}})
        if one.tool == "place_hold"
        else one
        for one in plan(CIRCLE)
    ]
    assert {"other-edition", "placed-304", "placed-301", "line"} <= wrong(CIRCLE, calls)


def test_leaving_the_old_hold_in_the_other_line_fails() -> None:
    assert "cut-left" in wrong(CIRCLE, [one for one in plan(CIRCLE) if one.tool != "cancel_hold"])


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([place("PT-302", "ED-3010", "Westgate")], "owes 12.50"),
        ([place("PT-217", "ED-1043", "Central")], "already has 3 holds"),
        ([place("PT-304", "ED-3001", "Westgate")], "already waits"),
        ([place("PT-204", "ED-1001", "Harbour")], "on loan"),
        ([cancel("PT-204", "ED-1042")], "does not wait"),
        (
            [
                place("PT-204", "ED-1050", "Harbour"),
                call("move_pickup", patron="PT-204", edition="ED-1050", branch="Central"),
            ],
            "is ready",
        ),
        ([call("search_catalogue", text="the sugar road")], "nothing"),
    ],
)
def test_the_desk_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(DESK, *steps)["error"]


def test_those_behind_move_up_and_a_copy_on_the_shelf_is_ready() -> None:
    holds = observe(DESK, cancel("PT-118", "ED-2001"), call("get_patron", patron="PT-217"))["holds"]
    assert {one["edition"]: one["position"] for one in holds}["ED-2001"] == 3
    assert observe(DESK, place("PT-133", "ED-1001", "Central"))["status"] == "ready"
    assert (
        observe(DESK, call("move_pickup", patron="PT-118", edition="ED-2001", branch="Harbour"))["branch"]
        == "Harbour"
    )
