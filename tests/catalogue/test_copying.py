"""A copy is what `copy.deepcopy` gives, whatever is in it."""

from __future__ import annotations

import copy
from collections import OrderedDict
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.catalogue.copying import copied

LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
PLAIN = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)


class Level(IntEnum):
    LOW = 1


def parts(value: Any) -> list[Any]:
    """Every list and dictionary in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, (list, dict)) else []
    return found + [one for part in inner for one in parts(part)]


@given(PLAIN)
def test_plain_data_is_copied_whole_and_shares_no_part(value: Any) -> None:
    again = copied(value)
    assert again == value
    assert repr(again) == repr(value)
    assert not {id(one) for one in parts(value)} & {id(one) for one in parts(again)}


@pytest.mark.parametrize("place", [["one"], {"a": 1}])
def test_what_stands_in_two_places_is_one_thing_in_the_copy(place: Any) -> None:
    again = copied({"here": place, "there": [place]})
    assert again["here"] is again["there"][0]
    assert again["here"] is not place


def test_what_holds_itself_does_so_in_the_copy() -> None:
    ring: list[Any] = []
    ring.append(ring)
    again = copied(ring)
    assert again[0] is again
    assert again is not ring


@pytest.mark.parametrize(
    "value",
    [
        {"a": {1, 2}},
        [(1, [2])],
        {(1, 2): []},
        OrderedDict(a=[1]),
        {"a": bytearray(b"x")},
        {"a": Level.LOW},
        {Level.LOW: [1]},
    ],
)
def test_whatever_else_a_twin_keeps_is_copied_with_its_type(value: Any) -> None:
    again, due = copied(value), copy.deepcopy(value)
    assert again == due
    assert repr(again) == repr(due)
    assert type(again) is type(due)
    assert again is not value


def test_a_key_that_is_a_thing_of_its_own_is_copied_too() -> None:
    class Key:
        pass

    key = Key()
    (again,) = copied({key: 1})
    assert (type(again), again is key) == (Key, False)


def test_a_function_stays_what_it_is() -> None:
    assert copied([len, {"f": parts}]) == [len, {"f": parts}]
