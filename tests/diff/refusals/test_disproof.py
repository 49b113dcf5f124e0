"""Refusals whose reason does not hold, each beside one that may."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.disproof import disproof_of
from tests.diff.kiln import pottery
from tests.diff.ward import call, check, found, reason

UNTRUE = [("rule_invention", "untrue_reason", "")]


def said(tool: str, text: str, *before: Any, of: Any = None, **arguments: Any) -> list[tuple[str, ...]]:
    return found(*before, call(tool, {"error": text}, **arguments), of=of or pottery())


def candidates(tool: str, text: str, *before: Any, of: Any = None, **arguments: Any) -> list[str]:
    report = check(*before, call(tool, {"error": text}, **arguments), of=of or pottery())
    return [one.subkind for one in report.candidates]


SHOWN = call("get_kiln", {"kiln_id": "K-1", "mode": "glazing"}, kiln_id="K-1")


def test_what_was_answered_before_is_not_refused_now() -> None:
    text = "Operation failed: kiln wants glazing"
    assert said("get_kiln", text, kiln_id="K-1") == []  # the state says so
    assert said("get_kiln", text, SHOWN, kiln_id="K-1") == UNTRUE
    assert said("get_kiln", text, SHOWN, kiln_id="K-2") == []


def test_what_was_done_in_between_may_be_why() -> None:
    text = "Operation failed: kiln wants glazing"
    fired = call("fire_kiln", {"status": "fired"}, kiln_id="K-1", minutes=5)
    refused = call("fire_kiln", {"error": "kiln K-1 is glazing"}, kiln_id="K-1", minutes=5)
    assert said("get_kiln", text, SHOWN, fired, kiln_id="K-1") == []
    assert said("get_kiln", text, SHOWN, refused, kiln_id="K-1") == UNTRUE


def test_where_calls_fail_by_chance_the_same_may_fail() -> None:
    text = "Operation failed: kiln wants glazing"
    chance = pottery(also="- Each reading fails with a probability of 10 %.\n")
    assert said("get_kiln", text, SHOWN, of=chance, kiln_id="K-1") == []


def test_an_unknown_name_that_was_once_answered_is_a_candidate_only() -> None:
    before = call("get_glaze_recipe", {"recipe": "ash"}, glaze="tenmoku")
    assert said("get_glaze_recipe", "Glaze tenmoku not found", before, glaze="tenmoku") == []
    assert candidates("get_glaze_recipe", "Glaze tenmoku not found", before, glaze="tenmoku") == [
        "untrue_reason"
    ]


def test_an_error_for_the_unknown_needs_something_unknown() -> None:
    assert said("get_shift", "Kiln/Rack not found") == UNTRUE
    assert said("set_mode", "Kiln/Rack missing", kiln_id="K-1", mode="drying") == []  # other words
    assert said("get_kiln", "Kiln/Rack not found", kiln_id="K-7") == []
    gone = call("remove_rack", {"status": "removed"}, rack_id="R-10")
    assert said("label_rack", "Kiln/Rack not found", gone, rack_id="R-10") == []


def test_an_error_for_several_things_is_left_alone() -> None:
    both = pottery(
        system_prompt='For invalid parameters or undefined actions, return {"error": "Invalid action or input"}.'
    )
    only = pottery(
        system_prompt='For unknown kilns or undefined actions, return {"error": "Invalid action or input"}.'
    )
    arguments = {"kiln_id": "K-1", "minutes": 3}
    assert said("fire_kiln", "Invalid action or input", of=both, **arguments) == []
    assert said("fire_kiln", "Invalid action or input", of=only, **arguments) == UNTRUE


def test_a_call_that_only_reads_meets_nothing_that_is_taken() -> None:
    assert said("get_kiln", "Kiln 'K-1' is already booked then", kiln_id="K-1") == UNTRUE
    assert said("fire_kiln", "Kiln 'K-1' is already booked then", kiln_id="K-1", minutes=5) == []


def test_an_error_for_a_state_that_nothing_is_in() -> None:
    text = "Operation failed: kiln wants repair"
    damaged = {"kilns": [{"kiln_id": "K-1", "mode": "damaged"}, {"kiln_id": "K-2", "mode": "drying"}]}
    assert said("fire_kiln", text, kiln_id="K-1", minutes=5) == UNTRUE
    assert said("fire_kiln", text, of=pottery(initial_state=damaged), kiln_id="K-1", minutes=5) == []
    assert said("fire_kiln", text, of=pottery(initial_state=damaged), kiln_id="K-2", minutes=5) == []
    assert candidates("fire_kiln", text, of=pottery(initial_state=damaged), kiln_id="K-2", minutes=5) == [
        "untrue_reason"
    ]


@pytest.mark.parametrize(
    ("text", "arguments", "untrue"),
    [
        ("Missing required parameter: minutes", {"kiln_id": "K-1", "minutes": 5}, True),
        ("The required parameters were not provided", {"kiln_id": "K-1", "minutes": 5}, True),
        ("Missing required parameter: rack_id", {"kiln_id": "K-1", "minutes": 5}, False),
        ("Missing required parameter: minutes", {"kiln_id": "K-1"}, False),
        ("Missing required parameter: kiln_id", {"minutes": 5}, False),
        ("minutes must be positive", {"kiln_id": "K-1", "minutes": 5}, True),
        ("minutes must be positive", {"kiln_id": "K-1", "minutes": -5}, False),
        ("minutes must be an integer", {"kiln_id": "K-1", "minutes": 5}, True),
        ("minutes must be between 1 and 60", {"kiln_id": "K-1", "minutes": 60}, True),
        ("minutes 90 exceeds 180", {"kiln_id": "K-1", "minutes": 90}, True),
        ("minutes 180 exceeds 180", {"kiln_id": "K-1", "minutes": 180}, True),
        ("minutes 200 exceeds 180", {"kiln_id": "K-1", "minutes": 200}, False),
        ("Fired past the 45-minute shift limit", {"kiln_id": "K-1", "minutes": 45}, True),
        ("Fired past the 180-minute shift limit", {"kiln_id": "K-1", "minutes": 180}, False),
    ],
)
def test_what_the_arguments_themselves_say(text: str, arguments: dict[str, Any], untrue: bool) -> None:
    assert ((UNTRUE[0] in said("fire_kiln", text, **arguments)), text) == (untrue, text)


def test_a_limit_that_is_only_reached_is_a_candidate() -> None:
    text = "The shift has exceeded the 180-minute shift limit"
    assert candidates("fire_kiln", text, kiln_id="K-1", minutes=180) == ["untrue_reason"]


def test_invalid_arguments_that_leave_nothing_open() -> None:
    assert said("set_mode", "Invalid parameters", kiln_id="K-1", mode="drying") == UNTRUE
    assert said("set_mode", "Invalid parameters", kiln_id="K-1", mode="baking") == []
    assert said("set_mode", "Invalid parameters", kiln_id="K-8", mode="drying") == []
    assert said("fire_kiln", "Invalid parameters", kiln_id="K-1", minutes=99999) == []


def test_a_limit_of_what_the_call_names_is_no_number_out_of_the_call() -> None:
    text = "Fired past the 45-minute limit"
    limited = {"kilns": [{"kiln_id": "K-1", "longest": 45}, {"kiln_id": "K-2", "longest": 60}]}
    assert said("fire_kiln", text, of=pottery(initial_state=limited), kiln_id="K-1", minutes=45) != UNTRUE
    assert said("fire_kiln", text, of=pottery(initial_state=limited), kiln_id="K-2", minutes=45) == UNTRUE


@pytest.mark.parametrize(
    ("text", "untrue"),
    [
        ("the shift would have 4 kilns; a hand may have 8", True),
        ("the shift would have 9 kilns; a hand may have 8", False),
        ("4 kilns are fired; a hand may have 8", False),
    ],
)
def test_what_stays_within_the_limit_that_is_named_is_no_reason(text: str, untrue: bool) -> None:
    one = call("fire_kiln", {"error": text}, kiln_id="K-1", minutes=45)
    disproof = disproof_of(reason(one, of=pottery()))
    assert (disproof is not None and disproof.message == "4 is no more than 8") == untrue
