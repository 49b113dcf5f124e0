"""Refusals that say how much is left, and whether it is enough."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import CRIB, DYE, accused
from tests.diff.ward import call

WHAT_USES_HAVE_LEFT_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        DYE,
        (
            call("decant", {"vat": "VT-3", "litres": 15}, vat="VT-1", litres=15),
            call("dye_bolt", {"ok": True}, vat="VT-3", bolt="B-1"),
        ),
        call("dye_bolt", None, vat="VT-3", bolt="B-2"),
        [
            "Not enough dye: 3 litres left, 12 needed.",
            "VT-3 holds only 3 litres; a bolt takes 12.",
            "VT-3 is too low: 3 l of 12 l.",
            "Only 3 litres remain in VT-3.",
            "There are 3 litres left in VT-3, and dyeing takes 12.",
            "Insufficient dye in VT-3 (3 litres, 12 litres required).",
            "VT-3 is down to 3 litres.",
            "Vat VT-3 is short of dye: 9 litres are missing.",
        ],
    ),
    (
        DYE,
        (
            call("dye_bolt", {"ok": True}, vat="VT-1", bolt="B-1"),
            call("dye_bolt", {"ok": True}, vat="VT-1", bolt="B-2"),
            call("bleach", {"ok": True}, vat="VT-1", bolt="B-3"),
        ),
        call("dye_bolt", None, vat="VT-1", bolt="B-3"),
        [
            "VT-1 has 11 litres left and 12 are needed.",
            "Too little indigo: 11 litres remain, a bolt takes 12.",
            "11 litres are not enough for a bolt.",
            "One litre short: VT-1 has 11.",
            "VT-1 has run low (11 l).",
        ],
    ),
    (
        DYE,
        (),
        call("dye_bolt", None, vat="VT-2", bolt="B-3"),
        [
            "9.5 litres of madder are left; a bolt takes 12.",
            "VT-2 is short by 2.5 litres.",
            "Not enough madder: 9.5 of 12 litres.",
            "VT-2 does not hold enough for a bolt.",
        ],
    ),
    (
        DYE,
        (call("dye_bolt", {"ok": True}, vat="VT-1", bolt="B-1"),),
        call("decant", None, vat="VT-1", litres=30),
        [
            "VT-1 holds 28 litres, not 30.",
            "Only 28 litres are left in VT-1.",
            "30 litres can't be taken: 28 remain.",
            "There are just 28 litres of indigo.",
            "2 litres too many: VT-1 has 28.",
        ],
    ),
]

WHAT_USES_HAVE_LEFT_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        DYE,
        (
            call("decant", {"vat": "VT-3", "litres": 15}, vat="VT-1", litres=15),
            call("dye_bolt", {"ok": True}, vat="VT-3", bolt="B-1"),
        ),
        call("dye_bolt", None, vat="VT-3", bolt="B-2"),
        [
            "Not enough dye: 7 litres left, 12 needed.",
            "There are 3 litres left in VT-3, and dyeing takes 14.",
        ],
    ),
    (DYE, (), call("dye_bolt", None, vat="VT-2", bolt="B-3"), ["VT-2 has 4 litres left; a bolt takes 12."]),
    (
        DYE,
        (),
        call("dye_bolt", None, vat="VT-1", bolt="B-3"),
        [
            "Not enough dye: 7 litres left, 12 needed.",
            "Only 8 litres remain in VT-1.",
            "VT-1 is too low for a bolt.",
            "Insufficient dye in VT-1.",
            "VT-1 has run low.",
            "VT-1 is short of dye: 4 litres are missing.",
            "VT-1 is empty.",
            "Keep at least 30 litres in VT-1.",
            "The vat needs to rest for 2 hours.",
        ],
    ),
]

WHAT_IS_IN_STOCK_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CRIB,
        (),
        call("issue", None, item="saw-3", worker="WK-1", count=5),
        [
            "Insufficient stock: 2 left.",
            "Only 2 saw-3 left.",
            "The stock of saw-3 is too small.",
            "saw-3: 2 in stock.",
            "Not enough in stock (2 available).",
            "We have 2 saw-3 left, you asked for 5.",
            "Stock too low.",
            "Insufficient stock.",
            "There are only two left.",
            "3 too many: 2 in stock.",
        ],
    ),
    (
        CRIB,
        (call("issue", {"ok": True}, item="saw-3", worker="WK-2", count=1),),
        call("issue", None, item="saw-3", worker="WK-1", count=2),
        [
            "Insufficient stock: 1 left.",
            "Only 1 saw-3 left.",
            "Just one saw-3 remains.",
            "The stock of saw-3 is too small.",
            "saw-3: only 1 available.",
        ],
    ),
    (
        CRIB,
        (call("restock", {"ok": True}, item="rasp-1", count=3),),
        call("issue", None, item="rasp-1", worker="WK-1", count=5),
        ["Only 3 rasp-1 in stock.", "3 left.", "Not enough: 3 left."],
    ),
    (
        CRIB,
        (),
        call("enrol", None, course="CO-2", worker="WK-1"),
        [
            "Turning is full.",
            "CO-2 has no seats left.",
            "No seats left.",
            "CO-2 is fully booked.",
            "0 seats left on CO-2.",
            "There is no room on CO-2.",
            "All seats on CO-2 are taken.",
        ],
    ),
]

WHAT_IS_IN_STOCK_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CRIB,
        (),
        call("issue", None, item="drill-8", worker="WK-1", count=2),
        [
            "Insufficient stock: 1 left.",
            "Only 1 drill-8 left.",
            "The stock of drill-8 is too small.",
            "drill-8: 0 in stock.",
            "Not enough in stock (1 available).",
            "We have 1 drill-8 left, you asked for 2.",
            "There is just 1 of drill-8 remaining.",
            "drill-8 is sold out.",
            "Stock too low.",
            "drill-8 is almost gone: 1 left.",
            "Out of stock.",
            "Insufficient stock.",
            "The shelf is empty.",
            "Only one left in stock.",
            "Remaining: 1, requested: 2.",
        ],
    ),
    (
        CRIB,
        (call("issue", {"ok": True}, item="saw-3", worker="WK-2", count=1),),
        call("issue", None, item="drill-8", worker="WK-1", count=6),
        ["Only 5 drill-8 left.", "3 left.", "The stock of drill-8 is too small.", "Insufficient stock."],
    ),
    (
        CRIB,
        (),
        call("enrol", None, course="CO-1", worker="WK-1"),
        [
            "Welding is full.",
            "CO-1 has no seats left.",
            "No seats left.",
            "CO-1 is fully booked.",
            "0 seats left on CO-1.",
            "CO-1 is oversubscribed.",
        ],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_USES_HAVE_LEFT_TRUE)
def test_what_uses_have_left_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_USES_HAVE_LEFT_INVENTED)
def test_what_uses_have_left_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_IS_IN_STOCK_TRUE)
def test_what_is_in_stock_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_IS_IN_STOCK_INVENTED)
def test_what_is_in_stock_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
