"""Refusals because something is used up."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.used_up import has_none_left
from tests.diff.ward import call, found, reason, tool, ward

OF = ward(
    state={
        "drinks": {"cola": {"stock": 0, "price": 2}, "tonic": {"stock": 12, "price": 3}},
        "carts": {"CT-1": {"lines": []}, "CT-2": {"lines": ["tonic"]}},
    },
    tools=(
        tool("buy", "Buys drinks.", "drink", "count", effect="write"),
        tool("checkout", "Pays for a cart.", "cart", effect="write"),
    ),
    system_prompt="You simulate a kiosk.",
)


def refused(name: str, text: str, *before: Any, **arguments: Any) -> list[tuple[str, str]]:
    said = found(*before, call(name, {"error": text}, **arguments), of=OF)
    return [(kind, subkind) for kind, subkind, _ in said]


@pytest.mark.parametrize(
    "text", ["cola is sold out", "Cola is unavailable at the moment.", "cola: none left"]
)
def test_what_the_state_has_none_of_is_used_up(text: str) -> None:
    assert refused("buy", text, drink="cola", count="1") == []


def test_an_empty_list_is_empty() -> None:
    empty, full = (
        reason(call("checkout", {"error": "the cart is empty"}, cart=one), of=OF) for one in ("CT-1", "CT-2")
    )
    assert has_none_left(empty) is not None
    assert has_none_left(full) is None


def test_what_calls_have_taken_from_may_be_used_up() -> None:
    taken = call("buy", {"ok": True}, drink="tonic", count="12")
    assert refused("buy", "tonic is sold out", taken, drink="tonic", count="1") == []
    assert refused("buy", "tonic is sold out", drink="tonic", count="1") != []


def test_what_is_known_to_be_left_is_not_out() -> None:
    said = refused("buy", "tonic is out of stock", drink="tonic", count="1")
    assert said == [("rule_invention", "untrue_reason")]


@pytest.mark.parametrize(
    "text", ["the deadline to buy cola ran out yesterday", "the quota of cola is used up"]
)
def test_time_and_quotas_are_no_things_of_the_state(text: str) -> None:
    assert has_none_left(reason(call("buy", {"error": "cola is used up"}, drink="cola"), of=OF)) is not None
    assert has_none_left(reason(call("buy", {"error": text}, drink="cola"), of=OF)) is None
