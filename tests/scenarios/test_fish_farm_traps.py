"""Fish farm: test after mixing, ammonia before alkalinity, oxygen while the pump runs, an aerator that goes back."""

from __future__ import annotations

import pytest

from tests.scenarios.play import SHIPPED, answer_of, call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved, plan, without

FARM = "trout-raceway-tanks"
SOFT, AMMONIA, AERATOR = "fishfarm-soft-water", "fishfarm-ammonia-first", "fishfarm-one-aerator"


def test_setting_everything_right_without_a_test_after_mixing_fails() -> None:
    wrong = caught(SOFT, without(SOFT, at(SOFT, "test_water") + 4))
    assert wrong == {"tested-before-feeding", "tested-after-mixing"}


def test_reporting_the_planned_value_fails() -> None:
    planned = answer_of(SHIPPED.task(SOFT)).replace("84", "90")
    assert caught(SOFT, plan(SOFT), planned) == {"says-alkalinity"}


def test_testing_before_mixing_shows_the_old_water() -> None:
    dose = call("dose_product", tank="T-1", product="bicarbonate", grams=1200)
    test = call("test_water", tank="T-1")
    short, long = call("mix_tank", tank="T-1", minutes=15), call("mix_tank", tank="T-1", minutes=20)
    before = observe(FARM, dose, test)
    assert (before["alkalinity_mg_l"], before["settled"]) == (66, False)
    assert observe(FARM, dose, short, test)["alkalinity_mg_l"] == 66
    assert observe(FARM, dose, long, test)["alkalinity_mg_l"] == 84


def test_mixing_too_shortly_or_feeding_before_the_test_fails() -> None:
    assert "mixed" in caught(SOFT, changed(SOFT, at(SOFT, "mix_tank"), minutes=15))
    feed = at(SOFT, "set_feeding", on=True)
    assert "tested-before-feeding" in caught(SOFT, moved(SOFT, feed, feed - 1))


def test_dosing_while_the_fish_are_fed_fails() -> None:
    assert "in-order" in caught(SOFT, moved(SOFT, at(SOFT, "set_feeding", on=False), 4))


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        ({"product": "carbonate", "grams": 600}, {"no-carbonate", "dosed"}),
        ({"grams": 1600}, {"dosed", "grams", "no-stress"}),
        ({"tank": "T-2"}, {"other-tank", "dosed"}),
    ],
)
def test_the_wrong_product_amount_or_tank_fails(change: dict[str, object], checks: set[str]) -> None:
    assert checks <= caught(SOFT, changed(SOFT, at(SOFT, "dose_product"), **change))


@pytest.mark.parametrize("task", [AMMONIA, AERATOR])
def test_carbonate_or_another_tank_fails_everywhere(task: str) -> None:
    dose = at(task, "dose_product")
    assert "no-carbonate" in caught(task, changed(task, dose, product="carbonate"))
    assert "other-tank" in caught(task, changed(task, dose, tank="T-4"))


def test_a_needless_exchange_fails() -> None:
    extra = call("exchange_water", tank="T-1", percent=10)
    assert "needless-exchange" in caught(SOFT, added(SOFT, 3, extra))


def test_raising_the_ph_before_the_ammonia_is_down_poisons_the_fish() -> None:
    exchange = at(AMMONIA, "exchange_water")
    wrong = caught(AMMONIA, moved(AMMONIA, exchange, at(AMMONIA, "mix_tank") + 3))
    assert {"in-order", "toxic-limit"} <= wrong
    assert {"exchanged", "toxic-limit"} <= caught(AMMONIA, changed(AMMONIA, exchange, percent=20))


def test_two_doses_without_mixing_in_between_are_one_too_large() -> None:
    second = at(AMMONIA, "dose_product", grams=550)
    wrong = caught(AMMONIA, moved(AMMONIA, second, at(AMMONIA, "mix_tank")))
    assert {"no-stress", "tested-in-between"} <= wrong


def test_a_second_dose_from_the_planned_value_fails() -> None:
    calls = changed(AMMONIA, at(AMMONIA, "dose_product", grams=550), grams=353)
    assert {"second-dose", "second-from-the-test"} <= caught(AMMONIA, calls)


def test_mixing_without_an_aerator_takes_the_oxygen_under_its_floor() -> None:
    for tank in ("T-3", "T-5"):
        calls = without(AERATOR, at(AERATOR, "move_aerator", tank=tank))
        assert "oxygen-floor" in caught(AERATOR, calls)


def test_leaving_the_aerator_or_taking_one_that_is_needed_fails() -> None:
    back = without(AERATOR, at(AERATOR, "move_aerator", tank="T-4"))
    assert caught(AERATOR, back) == {"aerator-back"}
    calls = changed(AERATOR, at(AERATOR, "move_aerator", tank="T-3"), aerator="A-1")
    assert {"other-aerator", "aerator-3"} <= caught(AERATOR, calls)


def test_correcting_the_tank_that_lends_fails() -> None:
    extra = call("dose_product", tank="T-4", product="bicarbonate", grams=100)
    assert caught(AERATOR, added(AERATOR, 8, extra)) == {"other-tank"}


@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("exchange_water", {"tank": "T-2", "percent": 31}, "percent"),
        ("dose_product", {"tank": "T-2", "product": "carbonate", "grams": 2001}, "2000 g"),
        ("move_aerator", {"aerator": "A-3", "tank": "T-1"}, "has A-1 already"),
        ("move_aerator", {"aerator": "none", "tank": "T-3"}, "no aerator"),
        ("set_feeding", {"tank": "T-2", "on": True}, "on already"),
    ],
)
def test_what_cannot_be_done_is_refused(tool: str, arguments: dict[str, object], part: str) -> None:
    assert part in observe(FARM, call(tool, **arguments))["error"]


def test_water_is_not_exchanged_over_an_unmixed_dose_nor_beyond_the_allowance() -> None:
    dose = call("dose_product", tank="T-2", product="bicarbonate", grams=100)
    exchange = call("exchange_water", tank="T-2", percent=30)
    assert "washed out" in observe(FARM, dose, exchange)["error"]
    assert "left today" in observe(FARM, exchange, exchange, exchange)["error"]
