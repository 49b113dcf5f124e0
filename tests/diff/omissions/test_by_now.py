"""What a filter makes of a member that a call has changed."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from replaylab.diff.omissions.by_now import by_now
from tests.diff.valley import in_valley, world
from tests.diff.ward import call
from tests.diff.yard import looked

LIFTS = {
    "Hochalm": ("gondola", True, 2400, ["Ines Pohl", "Marek Duda"]),
    "Kreuzjoch": ("chair", False, 1800, []),
    "Sonnhang": ("chair", True, 1200, ["Tilda Rask"]),
    "Waldlift": ("drag", False, 700, []),
    "Gletscher": ("gondola", False, 2600, []),
    "Kinderland": ("drag", True, 500, ["Bo Lindahl"]),
}


def screen(*names: str, **asked: Any) -> Observed:
    fields = ("kind", "running", "per_hour", "crew")
    rows = [{"name": one, **dict(zip(fields, LIFTS[one], strict=True))} for one in names]
    return call("lifts_on_screen", {"lifts": rows}, **asked)


def stopped(**said: Any) -> Observed:
    return call("stop_lift", {"lift": "Sonnhang", **said}, lift="Sonnhang", cause="rope check")


MISSED = [("omission", "Sonnhang")]
RUNNING = ("Hochalm", "Kinderland")


def test_a_value_that_a_call_has_set_is_the_one_that_a_filter_takes() -> None:
    assert in_valley(screen(*RUNNING, running=True)) == MISSED
    assert in_valley(stopped(running=False), screen(*RUNNING, running=True)) == []


def test_what_a_call_may_have_changed_and_nobody_told_is_open() -> None:
    assert in_valley(stopped(freed=["Tilda Rask"]), screen(*RUNNING, running=True)) == []


@pytest.mark.parametrize(
    ("said", "running"), [({"running": False}, False), ({"freed": ["Tilda Rask"]}, None)]
)
def test_what_no_call_can_change_stays_known(said: dict[str, Any], running: bool | None) -> None:
    one = looked(screen("Hochalm"), stopped(**said), of=world("ski-swap-crews"))
    lifts = next(each for each in one.contract.collections if each.pointer.endswith("/lifts"))
    now = {each.id: by_now(one, lifts, each).attributes for each in lifts.entities}
    assert (now["Sonnhang"]["per_hour"], now["Sonnhang"]["running"]) == (1200, running)
    assert now["Hochalm"]["running"] is True
