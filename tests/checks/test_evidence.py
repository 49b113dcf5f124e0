from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.evidence import Evidence, dig, lookup
from replaylab.checks.matcher import MISSING, parse_matcher
from tests.checks.trials import action, disturbed, trial

TANKS = {"tanks": [{"id": "T1", "level": 3}, {"id": "T2", "level": 8}], "level": 99}


def paths(evidence: Evidence, *keys: str, **more: Any) -> list[tuple[int, str, Any]]:
    return [(found.step.call, found.path, found.value) for found in evidence.find(keys, "seen", **more)]


def test_values_come_in_call_and_document_order_and_list_positions_do_not_count() -> None:
    evidence = Evidence(trial([("a", {}, TANKS), ("b", {}, {"level": 1})]))
    assert paths(evidence, "level") == [
        (0, "tanks.level", 3), (0, "tanks.level", 8), (0, "level", 99), (1, "level", 1),
    ]  # fmt: skip


def test_a_dotted_key_is_a_field_inside_a_field() -> None:
    evidence = Evidence(trial([("a", {}, TANKS)]))
    assert [value for _, _, value in paths(evidence, "tanks.level")] == [3, 8]
    assert paths(evidence, "tank.level") == []


def test_only_the_named_tools_are_looked_at() -> None:
    evidence = Evidence(trial([("a", {}, {"x": 1}), ("b", {}, {"x": 2})]))
    assert paths(evidence, "x", tools=("b",)) == [(1, "x", 2)]


def test_a_call_that_failed_or_was_not_executed_shows_nothing() -> None:
    refused = action(1, "a", {}, {"x": 2}).model_copy(update={"by": "engine"})
    faulted = action(2, "a", {}, {"x": 3}).model_copy(update={"by": "faults"})
    evidence = Evidence(trial([("a", {}, {"error": "no", "x": 1}), refused, faulted]))
    assert paths(evidence, "x") == []
    assert [step.ok for step in evidence.steps] == [False, False, False]


def test_what_was_seen_and_what_was_clean_are_two_views() -> None:
    evidence = Evidence(trial([disturbed(0, "a", {}, {"x": [1, 2]}, {"x": [1]})]))
    assert [found.value for found in evidence.find(("x",), "seen")] == [[1]]
    assert [found.value for found in evidence.find(("x",), "clean")] == [[1, 2]]


def test_a_row_is_looked_up_from_the_inside_out_and_then_in_the_arguments() -> None:
    (found, *_) = Evidence(trial([("a", {"site": "north", "id": "A"}, TANKS)])).find(("tanks.level",), "seen")
    assert lookup(found.scopes, "id") == "T1"
    assert lookup(found.scopes, "site") == "north"
    assert lookup(found.scopes, "nothing") is MISSING
    assert found.fits({"id": parse_matcher("T1"), "site": parse_matcher("north")})
    assert not found.fits({"id": parse_matcher("T2")})


def test_a_key_with_a_dot_in_its_own_name_is_found_first() -> None:
    assert dig({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert dig({"a": {"b": 2}}, "a.b") == 2
    assert dig({"a": [1]}, "a.b") is MISSING
    assert dig(None, "a") is MISSING


def test_malformed_arguments_are_none() -> None:
    evidence = Evidence(trial([action(0, "a", None, {"x": 1})], "Done."))
    assert (evidence.steps[0].arguments, evidence.answer) == ({}, "Done.")


field_names = st.sampled_from(["a", "b", "ab", "", ".", "a.b", "b.", ".a"])
observations = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(field_names, inner, max_size=3),
    max_leaves=12,
)


def walked(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field in document order, found the plain way."""
    for item in node if isinstance(node, list) else ():
        yield from walked(item, path)
    for key, value in node.items() if isinstance(node, dict) else ():
        here = f"{path}.{key}" if path else key
        yield here, value
        yield from walked(value, here)


@given(st.lists(observations, min_size=1, max_size=3), st.lists(field_names, min_size=1, max_size=3))
def test_fields_are_found_as_if_each_path_were_compared_name_by_name(
    shown: list[Any], keys: list[str]
) -> None:
    evidence = Evidence(trial([("t", {}, one) for one in shown]))
    wanted = [key.split(".") for key in keys]
    expected = [
        (call, path, value)
        for call, one in enumerate(shown)
        for path, value in walked(one)
        if any(path.split(".")[-len(key) :] == key for key in wanted)
    ]
    assert paths(evidence, *keys) == expected
