from __future__ import annotations

from replaylab.examine.values import Kin, wrong_values
from replaylab.schema.base import Json, JsonObject

STATE: JsonObject = {
    "tanks": {"T-1": {"aerator": "A-1", "level": 3}, "T-2": {"aerator": "A-2", "level": 4}},
    "orders": [{"tank": "T-9", "note": "soon"}],
}
KIN = Kin(STATE)


def values(value: Json, schema: JsonObject | None = None) -> list[Json]:
    return [one.value for one in wrong_values(value, schema or {}, KIN)]


def test_an_id_is_taken_for_the_other_keys_of_its_map_and_for_one_that_is_unknown() -> None:
    assert values("T-1") == ["T-2", "no-such-thing"]
    assert values("A-2") == ["A-1", "no-such-thing"]


def test_other_text_is_free() -> None:
    assert [one.bound for one in wrong_values("because", {}, KIN)] == [False]


def test_an_enum_gives_its_other_values_and_a_boolean_the_other_one() -> None:
    assert values("b", {"enum": ["a", "b", "c"]}) == ["a", "c"]
    assert values(True) == [False]


def test_numbers_stay_where_the_schema_allows_them() -> None:
    assert values(20, {"type": "integer", "minimum": 5, "maximum": 60}) == [21, 19, 40, 10, 5, 60]
    assert 0 not in values(3, {"exclusiveMinimum": 0})


def test_a_time_is_written_as_it_was() -> None:
    assert values("2025-04-02T07:30:00Z")[:2] == ["2025-04-02T08:30:00Z", "2025-04-02T06:30:00Z"]
    assert values("2025-04-02") == ["2025-04-01", "2025-04-03"]


def test_a_list_loses_gains_and_changes_items() -> None:
    found = values(["T-1", "A-1"])
    assert all(one in found for one in (["A-1"], ["T-1"], ["T-2", "A-1"], ["T-1", "A-1", "T-2"]))


def test_no_value_is_its_own_mistake_and_none_comes_twice() -> None:
    for value in ("T-1", 0, False, ["T-1"], {"tank": "T-1", "grams": 5}):
        found = values(value)
        assert value not in found
        assert len(found) == len({repr(one) for one in found})


def test_things_are_found_by_the_name_of_a_parameter() -> None:
    assert KIN.named("tank") == ["T-1", "T-2", "T-9"]
