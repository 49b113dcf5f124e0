from __future__ import annotations

from typing import Any

import pytest

from replaylab.builtin.doubt import is_doubtful, is_transient, lacks
from replaylab.builtin.steps import Step
from replaylab.faults.disturb import broken
from replaylab.faults.plan import EXPLICIT
from replaylab.schema.scenario import Environment, PlannedCall, Tool


@pytest.mark.parametrize("kind", EXPLICIT)
def test_every_explicit_fault_is_transient(kind: Any) -> None:
    assert is_transient(broken(kind))


@pytest.mark.parametrize(
    ("observation", "transient"),
    [
        ({"error": "HTTP 503: try later"}, True),
        ({"error": "the request timed out"}, True),
        ({"error": "Connection refused"}, True),
        ({"error": "service temporarily unavailable"}, True),
        ({"error": "HTTP 404: no such room"}, False),
        ({"error": "ER-2 is occupied"}, False),
        ({"error": "the room is unavailable"}, False),
        ({"note": "HTTP 503 was seen yesterday"}, False),
        ("HTTP 503", False),
    ],
)
def test_only_errors_that_may_pass_are_transient(observation: Any, transient: bool) -> None:
    assert is_transient(observation) is transient


@pytest.mark.parametrize(
    ("value", "example", "expected"),
    [
        ({"a": 1}, {"a": 2}, False),
        ({}, {"a": 2}, True),
        ({"a": None}, {"a": 2}, True),
        ({"a": None}, {"a": None}, False),
        ({"a": ""}, {"a": "x"}, True),
        ({"a": 0, "b": False}, {"a": 1, "b": True}, False),
        ([], [1], True),
        ([1, 2, 3], [1, 2], False),
        ([{"a": 1}, {}], [{"a": 1}], True),
        ([{"a": None}], [{"a": 1}, {"a": None}], True),
        ([{"a": None}, {"a": 3}], [{"a": 1}, {"a": None}], False),
        ([], [], False),
        ("text", {"a": 1}, True),
    ],
)
def test_an_observation_lacks_what_the_example_has(value: Any, example: Any, expected: bool) -> None:
    assert lacks(value, example) is expected


SHOP = Environment(
    id="shop",
    system_prompt="",
    tools=(
        Tool(name="list", effect="read", example_output={"items": [{"id": "a"}]}),
        Tool(name="sell", effect="write", example_output={"sold": True}),
    ),
    initial_state={},
    state_description={},
)
LOOK, CONFIRM = PlannedCall(tool="list"), PlannedCall(tool="list", purpose="verify")
SOLD, REFUSED = Step("sell", {}, {"sold": True}), Step("sell", {}, {"error": "no"})


def listing(*ids: str) -> Step:
    return Step("list", {}, {"items": [{"id": one} for one in ids]})


@pytest.mark.parametrize(
    ("call", "past", "doubtful"),
    [
        (LOOK, [listing("a")], False),
        (LOOK, [listing()], True),
        (CONFIRM, [listing("a", "b")], True),
        (CONFIRM, [listing("a", "b", "c")], False),
        (LOOK, [listing("a"), SOLD, listing("a")], True),
        (LOOK, [listing("a"), SOLD, listing("a"), listing("a")], True),
        (LOOK, [listing("a"), SOLD, listing("b")], False),
        (CONFIRM, [listing("a", "b"), SOLD, listing("c", "d")], False),
        (CONFIRM, [listing("a", "b", "c"), SOLD, listing("c", "d")], True),
        (CONFIRM, [listing("a"), SOLD, listing("a", "b")], True),
        (CONFIRM, [listing("a", "b"), listing("a", "b")], True),
        (LOOK, [listing("a"), REFUSED, listing("a")], False),
        (LOOK, [listing("b"), SOLD, listing("a"), SOLD, listing("b")], False),
        (LOOK, [Step("list", {"page": 2}, listing("a").observation), SOLD, listing("a")], False),
        (LOOK, [Step("list", {}, {"error": "no such list"})], False),
        (PlannedCall(tool="sell"), [Step("sell", {}, {})], False),
        (PlannedCall(tool="none"), [Step("none", {}, {})], False),
    ],
)
def test_reads_are_doubted_that_may_be_cut_short_or_out_of_date(
    call: PlannedCall, past: list[Step], doubtful: bool
) -> None:
    assert is_doubtful(call, past, SHOP) is doubtful
