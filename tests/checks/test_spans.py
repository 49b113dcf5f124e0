from __future__ import annotations

import pytest

from replaylab.schema.base import JsonObject
from tests.checks.trials import Call, check

HELD: JsonObject = {
    "kind": "held",
    "key": "moisture",
    "value": {"between": [62, 65]},
    "clock": "minute",
    "least": 20,
}


def readings(*pairs: tuple[object, object]) -> list[Call]:
    return [("read", {}, {"moisture": moisture, "minute": minute}) for minute, moisture in pairs]


@pytest.mark.parametrize(
    ("pairs", "result"),
    [
        ([(0, 40), (10, 62), (20, 64), (30, 65)], "pass"),
        ([(0, 40), (10, 62), (20, 64), (29, 65)], "fail"),
        ([(10, 62), (20, 61), (30, 65), (40, 64)], "fail"),
        ([(10, 62), (20, None), (30, 64)], "fail"),
        ([(0, 40)], "fail"),
        ([], "fail"),
        ([("10 min", "62 %"), ("31 min", "63 %")], "pass"),
    ],
)
def test_a_value_has_to_stay_for_long_enough_without_a_break(
    pairs: list[tuple[object, object]], result: str
) -> None:
    assert check(HELD, readings(*pairs)).result == result


def test_a_reading_without_a_clock_neither_counts_nor_breaks_unless_it_does_not_fit() -> None:
    blind: Call = ("read", {}, {"moisture": 63})
    dry: Call = ("read", {}, {"moisture": 20})
    first, last = readings((0, 63), (25, 63))
    assert check(HELD, [first, blind, last]).result == "pass"
    assert check(HELD, [first, dry, last]).result == "fail"


def test_the_call_that_ends_the_longest_stretch_decides() -> None:
    result = check(HELD, readings((0, 62), (25, 62), (30, 10), (31, 63)))
    assert (result.result, result.call) == ("pass", 1)
