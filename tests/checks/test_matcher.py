from __future__ import annotations

import pytest

from replaylab.checks.matcher import MISSING, parse_matcher
from replaylab.errors import UsageError
from replaylab.schema.base import Json

FITS: list[tuple[Json, Json]] = [
    ("RA-900", "ra 900"),
    (42, "42"),
    (1200, "1,200"),
    ("1200", 1200.0),
    (0.3, 0.30),
    (None, None),
    (True, True),
    ([1, "a"], [1.0, "A"]),
    ({"eq": {"a": 1}}, {"a": "1"}),
    ({"ne": "open"}, "closed"),
    ({"in": ["open", {"re": "^clo"}]}, "closed"),
    ({"lt": 5}, 4.999),
    ({"le": 5}, "5"),
    ({"gt": 5}, "6 kg"),
    ({"ge": 0.3}, 0.3),
    ({"ge": "2024-05-01"}, "2024-05-01T10:00:00Z"),
    ({"lt": "10:30"}, "09:59"),
    ({"lt": "2024-05-01T10:00:00+02:00"}, "2024-05-01T07:59:00Z"),
    ({"between": [1, 2]}, 2),
    ({"approx": 250000, "tol": 0.5}, 250000.5),
    ({"approx": 5}, "5.0"),
    ({"re": "recall(ed)?"}, "Was RECALLED today"),
    ({"re": ["x", "y"]}, "y"),
    ({"has": "a"}, ["b", "A"]),
    ({"has": {"gt": 3}}, [1, 4]),
    ({"has": "key"}, {"key": None}),
    ({"has": "RA-900"}, "about ra 900"),
    ({"lacks": "a"}, ["b"]),
    ({"fields": {"x": {"gt": 1}, "y": {"absent": True}}}, {"x": 2}),
    ({"absent": True}, MISSING),
    ({"absent": False}, None),
    ({"gt": 1, "lt": 3}, 2),
]
MISSES: list[tuple[Json, Json]] = [
    ("RA-900", "RA-9000"),
    (1, True),
    (True, "true"),
    (0, None),
    ("0042", "42"),
    ("1.5", "15"),
    ("A-1-2", "A-12"),
    (42, "42 kg"),
    ([1, 2], [2, 1]),
    ({"eq": {"a": 1}}, {"a": 1, "b": 2}),
    ({"ne": "open"}, "OPEN"),
    ({"ne": "open"}, MISSING),
    ({"in": [1, 2]}, 3),
    ({"lt": 5}, 5),
    ({"le": 80}, 80.0000001),
    ({"ge": 1}, "many"),
    ({"ge": 1}, True),
    ({"ge": 1}, None),
    ({"ge": 1}, MISSING),
    ({"lt": "10:30"}, 5),
    ({"lt": "2024-05-01"}, "2024-05-01"),
    ({"between": [1, 2]}, 2.01),
    ({"approx": 5, "tol": 0.1}, 5.2),
    ({"re": "x"}, MISSING),
    ({"has": "a"}, "banana"),
    ({"has": "a"}, 5),
    ({"lacks": "a"}, MISSING),
    ({"fields": {"x": 1}}, [1]),
    ({"absent": True}, None),
    ({"gt": 1, "lt": 3}, 3),
]


@pytest.mark.parametrize(("written", "value"), FITS, ids=repr)
def test_a_value_that_fits(written: Json, value: Json) -> None:
    assert parse_matcher(written)(value)


@pytest.mark.parametrize(("written", "value"), MISSES, ids=repr)
def test_a_value_that_does_not_fit(written: Json, value: Json) -> None:
    assert not parse_matcher(written)(value)


def test_an_unknown_matcher_names_the_closest() -> None:
    with pytest.raises(UsageError) as caught:
        parse_matcher({"aprox": 5})
    assert caught.value.closest == "approx"


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"tol": 1},
        {"le": "much"},
        {"between": [1]},
        {"in": "a"},
        {"in": []},
        {"approx": "x"},
        {"absent": 1},
        {"approx": 1, "tol": -1},
        {"re": ""},
        {"re": 5},
        {"re": "("},
        {"fields": {}},
        {"between": [1, "x"]},
    ],
    ids=repr,
)
def test_a_senseless_matcher_is_refused(written: Json) -> None:
    with pytest.raises(UsageError):
        parse_matcher(written)
