"""What calls have left of a thing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from replaylab.diff.refusals.ledger import remaining
from tests.diff.houses import DYE
from tests.diff.ward import call, look

OK = {"ok": True}


def _left(*before: Any, vat: str = "VT-1") -> frozenset[Fraction]:
    return remaining(look(call("dye_bolt", OK, vat=vat, bolt="B-4"), *before, of=DYE))


def test_each_use_takes_what_a_sentence_about_its_tool_says() -> None:
    used = [call("dye_bolt", OK, vat="VT-1", bolt="B-1"), call("bleach", OK, vat="VT-1", bolt="B-2")]
    assert 40 - 12 - 5 in _left(*used)
    assert 40 - 2 * 12 not in _left(*used)


def test_what_a_call_has_made_begins_with_what_it_was_given() -> None:
    made = call("decant", {"vat": "VT-3", "litres": 15}, vat="VT-1", litres=15)
    assert 3 in _left(made, call("dye_bolt", OK, vat="VT-3", bolt="B-1"), vat="VT-3")


def test_what_no_call_has_used_is_what_it_was() -> None:
    assert _left() == frozenset()
