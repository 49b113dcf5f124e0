"""Import declarations: value by terms and day, findings before papers, one licence for two, holds in order."""

from __future__ import annotations

import pytest

from tests.scenarios.play import call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved

DESK = "seaport-entry-desk"
VALUE, PANS, CHEESE = "customs-glassware-value", "customs-pans-misdeclared", "customs-cheese-licence"


@pytest.mark.parametrize(
    ("value", "duty"),
    [(9900, 792), (8924, 713.92), (10120, 1113.2)],
    ids=["today's rate", "freight and insurance left out", "the other subheading"],
)
def test_a_value_or_duty_worked_out_wrongly_fails(value: float, duty: float) -> None:
    calls = changed(VALUE, at(VALUE, "record_assessment"), customs_value=value, duty=duty)
    assert "assessed" in caught(VALUE, calls)


def test_adding_freight_to_a_cif_price_fails() -> None:
    calls = changed(PANS, at(PANS, "record_assessment"), customs_value=31590)
    assert "assessed" in caught(PANS, calls)


def test_lifting_a_hold_before_its_work_fails() -> None:
    number = at(VALUE, "lift_hold", hold="value")
    assert caught(VALUE, moved(VALUE, number, number - 1)) == {"in-order"}
    number = at(PANS, "lift_hold", hold="classification")
    assert "classified-before-lifting" in caught(PANS, moved(PANS, number, 2))


def test_touching_another_declaration_or_trying_a_lower_value_first_fails() -> None:
    other = call("record_assessment", declaration="IMD-4112", customs_value=3330, duty=333)
    assert caught(VALUE, added(VALUE, 3, other)) == {"other-declaration", "other-value"}


def test_correcting_after_the_assessment_withdraws_it() -> None:
    number = at(PANS, "correct_line")
    calls = moved(PANS, number, at(PANS, "record_assessment"))
    assert {"correction-before-assessment", "confirmed-duty"} <= caught(PANS, calls)
    shown = observe(DESK, *calls[:-3], calls[-1])
    assert (shown["customs_value"], shown["holds"]) == (0, ["value", "release"])


@pytest.mark.parametrize("code", ["7323.99", "7615.10"])
def test_a_code_that_does_not_fit_the_finding_fails(code: str) -> None:
    assert {"corrected", "other-code"} <= caught(PANS, changed(PANS, at(PANS, "correct_line"), code=code))


def test_correcting_what_was_declared_rightly_fails() -> None:
    lids = call("correct_line", declaration="IMD-4110", line="2", code="7323.93", kg=300)
    assert caught(PANS, added(PANS, 6, lids)) == {"lids-changed"}


def test_serving_the_later_declaration_from_the_licence_fails() -> None:
    draw = at(CHEESE, "draw_licence")
    calls = changed(CHEESE, draw, declaration="IMD-4112", kg=500)
    assert {"drawn", "later-one-drawn"} <= caught(CHEESE, calls)


@pytest.mark.parametrize("licence", ["LIC-280", "LIC-203"])
def test_a_licence_that_ran_out_or_of_another_holder_fails_though_it_can_be_drawn(licence: str) -> None:
    draw = call("draw_licence", declaration="IMD-4112", line="1", licence=licence, kg=500)
    lift = call("lift_hold", declaration="IMD-4112", hold="licence")
    wrong = caught(CHEESE, added(CHEESE, 13, draw, lift))
    assert wrong == {"other-licence", "later-one-drawn", "later-one-let-go"}


def test_a_licence_covers_no_more_than_what_remains_and_a_line_once() -> None:
    first = call("draw_licence", declaration="IMD-4115", line="1", licence="LIC-208", kg=600)
    second = call("draw_licence", declaration="IMD-4112", line="1", licence="LIC-208", kg=500)
    assert "200 kg left" in observe(DESK, first, second)["error"]
    assert "drawn before" in observe(DESK, first, first)["error"]


def test_release_comes_last_and_closes_the_declaration() -> None:
    release = call("lift_hold", declaration="IMD-4101", hold="release")
    value = call("lift_hold", declaration="IMD-4101", hold="value")
    assess = call("record_assessment", declaration="IMD-4101", customs_value=1, duty=1)
    assert "other holds" in observe(DESK, release)["error"]
    assert observe(DESK, value, release)["status"] == "released"
    assert "released" in observe(DESK, value, release, assess)["error"]
