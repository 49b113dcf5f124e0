"""Ship cargo loading: the list on the way, boxes that part ports or weights, papers that mislead, and what is signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, product

import pytest

from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, judge, observe
from tests.scenarios.wrong import added, at, caught, changed, plan, without

DESK = "feeder-one-bay"
TWO, BURIED, FLAMMABLE, READY = (
    "stow-two-on-quay",
    "stow-buried-box",
    "stow-flammable-load",
    "stow-ready-to-sail",
)
ROWS = ("R03", "R01", "R02", "R04")
NEIGHBOURS = {frozenset(pair) for pair in pairwise(ROWS)}
PORTS = ("HOL", "TRE", "VIK")

Moves = list[PlannedCall]
Stowage = tuple[tuple[str, str], ...]


def load(box: str, row: str) -> PlannedCall:
    return call("load_container", container=box, row=row)


def lift(box: str) -> PlannedCall:
    return call("lift_container", container=box)


def weigh(box: str) -> PlannedCall:
    return call("weigh_container", container=box)


def stowages(boxes: Sequence[str]) -> Iterator[Stowage]:
    """Each order of the boxes with each choice of rows."""
    for order in permutations(boxes):
        for rows in product(ROWS, repeat=len(boxes)):
            yield tuple(zip(order, rows, strict=True))


def permitted(before: Moves, stowage: Stowage) -> int | None:
    """The list at the end where the reference document allows every step from `before` on, else nothing."""
    moves = [*before, *(load(box, row) for box, row in stowage)]
    for number in range(len(before), len(moves) + 1):
        seen = observe(DESK, *moves[:number])
        if "error" in seen or abs(seen.get("list_tm", 0)) > 90:
            return None
    rows = observe(DESK, *moves, call("get_bay_plan"))["rows"]
    if any(map(bad_stack, rows)) or mixed(rows):
        return None
    end: int = observe(DESK, *moves, call("get_stability"))["list_tm"]
    return end


def bad_stack(row: JsonObject) -> bool:
    """Whether a box stands on a lighter one, or above one that leaves the ship earlier."""
    return any(
        upper["weight_t"] > lower["weight_t"] or PORTS.index(upper["port"]) > PORTS.index(lower["port"])
        for lower, upper in pairwise(row["stack"])
        if lower["container"] != "BX-219" or upper["container"] != "BX-223"  # stood so from the start
    )


def mixed(rows: list[JsonObject]) -> bool:
    """Whether flammable cargo and an oxidiser stand in one row or in neighbouring ones."""
    holds = {
        kind: {row["row"] for row in rows if kind in {box["cargo"] for box in row["stack"]}}
        for kind in ("flammable", "oxidiser")
    }
    return any(
        one == other or frozenset((one, other)) in NEIGHBOURS
        for one, other in product(holds["flammable"], holds["oxidiser"])
    )


def judged(task: str, moves: Moves) -> str:
    """The verdict where the plan's lifts and loads are these ones and all else is as planned."""
    calls = plan(task)
    cranes = [number for number, one in enumerate(calls) if one.tool in ("lift_container", "load_container")]
    return judge(
        task, [*calls[: cranes[0]], *moves, *calls[cranes[-1] + 1 :]], answer_of(SHIPPED.task(task))
    )[0]


def test_of_all_stowages_of_the_two_boxes_one_may_sail() -> None:
    weighed = [weigh("BX-301"), weigh("BX-302")]
    for stowage in stowages(["BX-301", "BX-302"]):
        end = permitted(weighed, stowage)
        solves = end is not None and abs(end) <= 40 and "R02" not in dict(stowage).values()
        assert solves == (dict(stowage) == {"BX-301": "R01", "BX-302": "R04"})
        assert (judged(TWO, [load(box, row) for box, row in stowage]) == "pass") == solves, stowage


def test_of_all_sequences_of_the_flammable_load_the_checks_pass_the_permitted_ones() -> None:
    before = [weigh("BX-303"), weigh("BX-304"), lift("BX-226")]
    passing = 0
    for stowage in stowages(["BX-226", "BX-303", "BX-304"]):
        end = permitted(before, stowage)
        solves = end is not None and abs(end) <= 40 and "R02" not in dict(stowage).values()
        if solves or dict(stowage)["BX-303"] == "R04":  # all others fail by that row alone
            verdict = judged(FLAMMABLE, [lift("BX-226"), *(load(box, row) for box, row in stowage)])
            assert (verdict == "pass") == solves, stowage
        passing += solves
    assert passing == 2  # BX-304 and BX-226 may come in either order


def test_of_all_stowages_with_five_moves_one_is_closest_to_upright() -> None:
    weighed = [weigh("BX-301"), weigh("BX-302")]
    before = [*weighed, lift("BX-223"), lift("BX-219")]
    ends = {
        stowage: end
        for stowage in stowages(["BX-223", "BX-301", "BX-302"])
        if (end := permitted(before, stowage)) is not None
    }
    best = min(ends, key=lambda stowage: abs(ends[stowage]))
    assert best == (("BX-223", "R02"), ("BX-301", "R02"), ("BX-302", "R02"))
    closest = sorted({abs(end) for stowage, end in ends.items() if dict(stowage) != dict(best)})
    assert ends[best] == -2 < closest[0]


def test_the_papers_make_the_wrong_row_look_right() -> None:
    moves = [lift("BX-226"), load("BX-303", "R04"), load("BX-304", "R01"), load("BX-226", "R01")]
    end = observe(DESK, weigh("BX-303"), weigh("BX-304"), *moves)["list_tm"]
    assert end == -42
    assert end + (20 - 17) * 2 == -36  # what the declared 17 t promise
    calls = changed(FLAMMABLE, at(FLAMMABLE, "load_container", container="BX-226"), row="R01")
    assert {"back-226", "list-fit-to-sail", "confirmed-226"} <= caught(FLAMMABLE, calls)


def test_loading_the_port_side_first_leans_her_too_far_on_the_way() -> None:
    first = [lift("BX-226"), load("BX-304", "R01"), load("BX-303", "R04"), load("BX-226", "R04")]
    calls = plan(FLAMMABLE)
    calls[6:10] = first
    assert caught(FLAMMABLE, calls) == {"list-while-working"}


def test_the_flammable_box_beside_the_oxidiser_fails() -> None:
    calls = changed(FLAMMABLE, at(FLAMMABLE, "load_container", container="BX-303"), row="R02")
    assert {"apart-from-oxidiser", "loaded-303"} <= caught(FLAMMABLE, calls)


def test_amending_after_the_box_is_aboard_fails() -> None:
    amend = at(FLAMMABLE, "amend_manifest", container="BX-304")
    calls = plan(FLAMMABLE)
    calls.insert(10, calls.pop(amend))
    assert caught(FLAMMABLE, calls) == {"amended-first"}


@pytest.mark.parametrize("row", ["R01", "R03", "R04"])
def test_the_box_in_the_way_fits_only_where_it_stood(row: str) -> None:
    end = permitted([lift("BX-223"), lift("BX-219")], (("BX-223", row),))
    assert end is None
    calls = changed(BURIED, at(BURIED, "load_container", container="BX-223"), row=row)
    assert "back-223" in caught(BURIED, calls)


def test_pumping_to_the_other_side_fails_on_the_way_and_at_the_end() -> None:
    calls = changed(BURIED, at(BURIED, "pump_ballast", to="starboard"), to="port")
    assert {"list-while-working", "confirmed-list", "confirmed-tank"} <= caught(BURIED, calls)


def test_ballast_in_two_steps_is_as_good_as_in_one() -> None:
    pump = at(BURIED, "pump_ballast", to="starboard")
    calls = plan(BURIED)
    calls[pump : pump + 1] = [call("pump_ballast", to="starboard", tonnes=part) for part in (2, 3)]
    assert caught(BURIED, calls) == set()


@pytest.mark.parametrize(("tonnes", "left"), [(4, -8), (6, 12)])
def test_another_tonne_leaves_her_further_from_upright(tonnes: int, left: int) -> None:
    calls = changed(BURIED, at(BURIED, "pump_ballast", to="starboard"), tonnes=tonnes)
    assert {"confirmed-list", "confirmed-tank"} <= caught(BURIED, calls)
    assert observe(DESK, *calls[:6])["list_tm"] == left


def test_setting_the_box_down_elsewhere_for_a_while_takes_too_many_moves() -> None:
    back = at(BURIED, "load_container", container="BX-223")
    calls = [
        *plan(BURIED)[:back],
        load("BX-223", "R01"),
        lift("BX-223"),
        load("BX-223", "R02"),
        *plan(BURIED)[back + 1 :],
    ]
    assert "three-moves" in caught(BURIED, calls)


def test_loading_the_waitlisted_box_fails() -> None:
    last = at(READY, "load_container", container="BX-302")
    calls = added(READY, last, weigh("BX-309"), load("BX-309", "R03"))
    assert {"others-stay-ashore", "five-moves"} <= caught(READY, calls)


def test_signing_for_what_was_worked_out_and_not_read_fails() -> None:
    signature = at(READY, "sign_stowage", list_tm=-2)
    assert caught(READY, without(READY, signature - 1)) == {"list-read-before-signing", "says-list"}


def test_trying_to_sign_before_she_is_loaded_fails() -> None:
    calls = added(READY, 5, call("sign_stowage", list_tm=0))
    assert caught(READY, calls) == {"not-signed-too-soon"}


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("BX-302 is in R01 and BX-301 in R04.", {"says-301", "says-302"}),
        ("R01: BX-301 (14 t). R04: BX-302 (9 t). List 26 tm to starboard.", set()),
        ("BX-301, 14 tonnes, R01\nBX-302, 9 tonnes, R04\nList: 26 tm (starboard)", set()),
        ("BX-301 (14 t) in R01, BX-302 (9 t) in R04, list 26 tm to port.", {"says-list"}),
        ("BX-301 (9 t) in R01 and BX-302 (14 t) in R04, 26 tm to starboard.", {"says-weight-301"}),
    ],
)
def test_what_the_answer_has_to_say(answer: str, missed: set[str]) -> None:
    found = caught(TWO, plan(TWO), answer)
    assert all(any(one.startswith(part) for one in found) for part in missed)
    assert bool(found) == bool(missed)


@pytest.mark.parametrize(
    ("said", "enough"),
    [
        ("2 tm to port", True),
        ("-2 tm (port)", True),
        ("2 tm", False),
        ("2 tm to starboard", False),
        ("20 tm to port", False),
    ],
)
def test_a_list_to_port_is_said_with_a_minus_or_with_the_side(said: str, enough: bool) -> None:
    answer = answer_of(SHIPPED.task(READY)).replace("2 tm to port", said)
    assert caught(READY, plan(READY), answer) == (set() if enough else {"says-list"})


def test_what_the_scale_will_show_is_not_shown_before() -> None:
    assert "scale_t" not in observe(DESK, call("get_container", container="BX-304"))
    assert all("scale_t" not in box for box in observe(DESK, call("list_quay"))["quay"])


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([load("BX-301", "R01")], "no verified weight"),
        ([weigh("BX-301"), load("BX-301", "R05")], "no row R05"),
        ([lift("BX-219")], "BX-223 is"),
        ([lift("BX-301")], "not aboard"),
        ([weigh("BX-226")], "not on the quay"),
        ([weigh("BX-309"), weigh("BX-302"), load("BX-309", "R03"), load("BX-302", "R03")], "3 tiers"),
        ([weigh("BX-304"), lift("BX-230")], "BX-226 is"),
        (
            [weigh("BX-304"), lift("BX-223"), lift("BX-219"), load("BX-219", "R01"), load("BX-304", "R01")],
            "60 t",
        ),
        ([call("amend_manifest", container="BX-304", weight_t=20)], "not been weighed"),
        ([weigh("BX-304"), call("amend_manifest", container="BX-304", weight_t=17)], "20 t"),
        ([weigh("BX-303"), call("amend_manifest", container="BX-303", weight_t=13)], "already"),
        ([call("pump_ballast", to="port", tonnes=16)], "15 t"),
        ([call("sign_stowage", list_tm=0)], "BX-219"),
        ([lift("BX-223"), lift("BX-219"), call("sign_stowage", list_tm=-80)], "40 tm at most"),
        ([*plan(READY)[:11], call("sign_stowage", list_tm=2)], "-2 tm, not 2"),
        ([*plan(READY)[:12], lift("BX-302")], "signed"),
    ],
)
def test_the_desk_refuses_what_it_can_see(steps: Moves, part: str) -> None:
    assert part in observe(DESK, *steps)["error"]


def test_the_desk_lets_a_planner_make_the_other_mistakes() -> None:
    heavy = [weigh("BX-304"), load("BX-304", "R04")]
    assert observe(DESK, *heavy)["list_tm"] == 120
