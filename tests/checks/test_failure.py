from __future__ import annotations

import pytest

from replaylab.checks.failure import is_error
from replaylab.faults.disturb import broken
from replaylab.schema.base import Json


@pytest.mark.parametrize(
    "observation",
    [
        {"error": "no such unit"},
        {"error": {"code": 5}},
        {"error": True},
        {"errors": ["a"]},
        {"success": False},
        {"ok": False},
        {"status": "Error"},
        broken("http_500"),
    ],
)
def test_a_failure_is_seen(observation: Json) -> None:
    assert is_error(observation)


@pytest.mark.parametrize(
    "observation",
    [
        None,
        "error",
        [],
        {},
        {"error": None},
        {"error": ""},
        {"error": False},
        {"error": 0.3},
        {"errors": []},
        {"success": True},
        {"status": "failed"},
        {"log": {"error": "inner"}},
    ],
)
def test_a_reading_is_no_failure(observation: Json) -> None:
    assert not is_error(observation)
