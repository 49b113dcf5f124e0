"""Irrigation: a sensor that lags, soil that takes so much at once, a reserve that nobody but the grower keeps."""

from __future__ import annotations

import pytest

from tests.scenarios.play import call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved, without

HOUSE = "glasshouse-drip-zones"
SEEDLINGS, FRUIT, SHORT = "irrigation-seedlings", "irrigation-fruit-bays", "irrigation-short-water"


def test_the_sensor_shows_a_watering_after_half_an_hour_and_not_before() -> None:
    steps = [call("water_zone", zone="Z-1", litres=54)]
    look = call("get_zone", zone="Z-1")
    assert observe(HOUSE, *steps, look)["reading_percent"] == 34.0
    assert observe(HOUSE, *steps, call("wait", minutes=25), look)["reading_percent"] == 33.8
    assert observe(HOUSE, *steps, call("wait", minutes=30), look)["reading_percent"] == 42.7


def test_watering_again_because_the_reading_has_not_moved_fails() -> None:
    again = [call("get_zone", zone="Z-1"), call("water_zone", zone="Z-1", litres=54)]
    wrong = caught(SEEDLINGS, added(SEEDLINGS, 4, *again))
    assert {"watered-once", "no-runoff", "worked"} <= wrong


def test_reporting_success_without_waiting_fails() -> None:
    wait = at(SEEDLINGS, "wait")
    assert {"waited", "worked", "success-is-backed"} <= caught(SEEDLINGS, without(SEEDLINGS, wait))
    assert "waited-after" in caught(SEEDLINGS, moved(SEEDLINGS, wait, 3))


@pytest.mark.parametrize("litres", [36, 72, 30])
def test_litres_for_an_edge_of_the_band_fail(litres: float) -> None:
    wrong = caught(SEEDLINGS, changed(SEEDLINGS, at(SEEDLINGS, "water_zone"), litres=litres))
    assert {"watered", "amount"} <= wrong


def test_what_nobody_needs_fails() -> None:
    extra = [call("water_zone", zone="Z-3", litres=8), call("refill_tank", litres=10)]
    wrong = caught(SEEDLINGS, added(SEEDLINGS, 4, *extra))
    assert {"other-zone", "needless-refill"} <= wrong
    assert caught(SEEDLINGS, added(SEEDLINGS, 4, call("probe_zone", zone="Z-4"))) == {"needless-probe"}
    assert "cucumbers" in caught(SHORT, added(SHORT, 8, call("water_zone", zone="Z-3", litres=8)))


def test_more_than_the_soil_takes_runs_off() -> None:
    calls = changed(FRUIT, at(FRUIT, "water_zone"), litres=90)
    assert {"first-half", "no-runoff"} <= caught(FRUIT, calls)
    look = call("get_zone", zone="Z-2")
    assert observe(HOUSE, call("water_zone", zone="Z-2", litres=90), look)["runoff_l"] == 30
    both = [call("water_zone", zone="Z-2", litres=60), call("water_zone", zone="Z-2", litres=36)]
    assert observe(HOUSE, *both, look)["runoff_l"] == 36


def test_the_second_half_follows_from_the_new_reading() -> None:
    second = at(FRUIT, "water_zone", litres=36)
    assert {"second-half", "amount"} <= caught(FRUIT, changed(FRUIT, second, litres=30))
    assert "read-in-between" in caught(FRUIT, without(FRUIT, second - 1))


def test_watering_the_bay_inside_its_band_fails() -> None:
    extra = call("water_zone", zone="Z-3", litres=5)
    assert "other-zone" in caught(FRUIT, added(FRUIT, 8, extra))


def test_the_reserve_is_kept_at_every_moment_and_not_only_at_the_end() -> None:
    refill = at(SHORT, "refill_tank")
    assert caught(SHORT, moved(SHORT, refill, at(SHORT, "water_zone", zone="Z-4"))) == {"reserve-kept"}
    herbs = changed(SHORT, at(SHORT, "water_zone", zone="Z-4"), litres=20)
    assert {"reserve-kept", "herbs", "tank-at-reserve"} <= caught(SHORT, herbs)


def test_serving_the_herbs_before_the_tomatoes_fails() -> None:
    herbs = at(SHORT, "water_zone", zone="Z-4")
    assert "by-priority" in caught(SHORT, moved(SHORT, herbs, at(SHORT, "water_zone", zone="Z-2")))


def test_trusting_the_stuck_sensor_fails() -> None:
    numbers = [at(SHORT, "water_zone", zone="Z-4"), at(SHORT, "probe_zone")]
    assert {"herbs", "probed", "tank-at-reserve"} <= caught(SHORT, without(SHORT, *numbers))
    look = call("get_zone", zone="Z-4")
    wet = [call("water_zone", zone="Z-4", litres=20), call("wait", minutes=60)]
    assert observe(HOUSE, look)["reading_percent"] == observe(HOUSE, *wet, look)["reading_percent"] == 31.2


def test_probes_are_few_and_only_for_stuck_sensors() -> None:
    probe = call("probe_zone", zone="Z-4")
    assert "works" in observe(HOUSE, call("probe_zone", zone="Z-1"))["error"]
    assert observe(HOUSE, probe, probe)["probes_left"] == 0
    assert "no probe" in observe(HOUSE, probe, probe, probe)["error"]


@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("water_zone", {"zone": "Z-1", "litres": 321}, "holds 320"),
        ("refill_tank", {"litres": 41}, "allowance"),
        ("wait", {"minutes": 600}, "minutes"),
    ],
)
def test_water_and_time_have_limits(tool: str, arguments: dict[str, object], part: str) -> None:
    assert part in observe(HOUSE, call(tool, **arguments))["error"]
