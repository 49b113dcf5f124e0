"""What is measured, whatever the measure is called."""

from __future__ import annotations

from replaylab.diff.words.measures import bare_quantity, is_measured_alike


def test_a_quantity_is_the_same_under_another_word_for_its_measure() -> None:
    assert is_measured_alike("fuel_percent", "fuel_level")
    assert is_measured_alike("biomass", "biomass_volume")
    assert is_measured_alike("new_biomass", "biomass_volume")


def test_another_quantity_or_measure_is_not() -> None:
    assert not is_measured_alike("water_level", "water_volume")
    assert not is_measured_alike("fuel_percent", "oxygen_percent")
    assert not is_measured_alike("depth_m", "depth_km")
    assert not is_measured_alike("level", "percent")
    assert bare_quantity("dissolved_oxygen_mgL") == {"dissolv", "oxygen"}
