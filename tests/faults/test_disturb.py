from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import canonical
from replaylab.faults.disturb import broken, disturb
from replaylab.faults.plan import EXPLICIT, IMPLICIT
from replaylab.schema.base import Json
from replaylab.schema.fault import FaultKind, Implicit

leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(0, 9) | st.text(max_size=4)
values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(st.sampled_from(IMPLICIT), values, st.lists(values, max_size=3), st.integers(0, 2**64 - 1))
def test_what_is_delivered_is_json_and_differs(
    kind: Implicit, clean: Json, earlier: list[Json], draw: int
) -> None:
    before = copy.deepcopy((clean, earlier))
    delivered = disturb(kind, clean, earlier, draw)
    assert canonical([clean, earlier]) == canonical(list(before))
    if delivered is not None:
        assert canonical(delivered) != canonical(clean)
        assert canonical(disturb(kind, clean, earlier, draw)) == canonical(delivered)


@given(st.integers(0, 2**64 - 1), st.integers(2, 9))
def test_truncating_keeps_the_first_one_or_two_of_the_longest_list(draw: int, length: int) -> None:
    clean = {"few": [1], "total": length, "page": {"rows": list(range(length))}}
    delivered = disturb("truncated", clean, [], draw)
    assert delivered["page"]["rows"] in ([0], [0, 1])
    assert len(delivered["page"]["rows"]) < length
    assert (delivered["few"], delivered["total"]) == ([1], length)


@given(st.integers(0, 2**64 - 1))
def test_fields_go_missing_in_every_row_alike(draw: int) -> None:
    clean = {"rows": [{"a": 1, "b": 2, "c": 3}, {"a": 4, "b": 5, "c": 6}], "ok": True}
    delivered = disturb("missing_fields", clean, [], draw)
    assert delivered["ok"] is True
    assert [set(row) for row in delivered["rows"]] == [set(delivered["rows"][0])] * 2
    assert len(delivered["rows"][0]) == 2


@given(st.integers(0, 2**64 - 1))
def test_empty_fields_are_null_or_empty_and_keep_their_names(draw: int) -> None:
    clean = {"name": "x", "list": [1, 2], "map": {"k": 1}, "number": 4}
    delivered = disturb("empty_fields", clean, [], draw)
    changed = [name for name in clean if delivered[name] != clean[name]]
    assert list(delivered) == list(clean)
    assert changed
    assert all(delivered[name] in (None, "", [], {}) for name in changed)


def test_whether_a_call_worked_is_disturbed_only_where_there_is_nothing_else() -> None:
    for draw in range(30):
        for kind in ("missing_fields", "empty_fields"):
            delivered = disturb(kind, {"success": True, "level": 4}, [], draw)
            assert delivered["success"] is True


@pytest.mark.parametrize("kind", EXPLICIT)
def test_a_broken_connection_does_not_look_like_an_environments_own_error(kind: FaultKind) -> None:
    error = broken(kind)["error"]
    assert error["transport"] == kind
    assert error["message"]
    broken(kind)["error"].clear()
    assert broken(kind)["error"] == error


def test_a_stale_value_shares_nothing_with_the_earlier_one() -> None:
    earlier: list[Json] = [{"level": 1}, {"level": 2}]
    delivered = disturb("stale", {"level": 2}, earlier, 0)
    assert delivered == {"level": 1}
    delivered.clear()
    assert earlier[0] == {"level": 1}
    assert disturb("stale", {"level": 1}, earlier[:1], 0) is None
