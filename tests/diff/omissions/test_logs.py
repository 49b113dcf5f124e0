"""Logs that grow by certain acts alone."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from tests.diff.valley import in_valley
from tests.diff.ward import call

FIRST = [{"at": "08:05", "event": "inspection passed"}, {"at": "08:15", "event": "started"}]
STOPPED = {"at": "10:15", "event": "stopped: rope check"}
STARTED = {"at": "10:15", "event": "started"}
STOP = call("stop_lift", {"lift": "Sonnhang", "running": False}, lift="Sonnhang", cause="rope check")
REFUSED = call("stop_lift", {"error": "Sonnhang stands already"}, lift="Sonnhang", cause="rope check")
OTHER = call("stop_lift", {"lift": "Kinderland", "running": False}, lift="Kinderland", cause="lunch")
MISSED, INVENTED = [("omission", "")], [("fabrication", "")]


def log(*rows: dict[str, str], **asked: Any) -> Observed:
    return call("lift_log", {"gust_kmh": 24, "lift": "Sonnhang", "log": list(rows)}, lift="Sonnhang", **asked)


@pytest.mark.parametrize("asked", [{}, {"since": "08:00"}])
def test_an_accepted_act_has_left_its_row(asked: dict[str, str]) -> None:
    assert in_valley(STOP, log(*FIRST, STOPPED, **asked)) == []
    assert in_valley(STOP, log(*FIRST, **asked)) == MISSED
    assert in_valley(OTHER, log(*FIRST, **asked)) == []


def test_rows_before_the_moment_that_is_asked_for_are_not_missed() -> None:
    assert in_valley(STOP, log(FIRST[1], STOPPED, since="08:10")) == []
    assert in_valley(STOP, log(FIRST[1], since="08:10")) == MISSED


def test_where_a_later_moment_is_asked_for_nobody_knows() -> None:
    assert in_valley(STOP, log(since="10:30")) == []


def test_a_row_for_an_act_that_nobody_made_is_invented() -> None:
    assert in_valley(log(*FIRST)) == []
    assert in_valley(log(*FIRST, STARTED)) == INVENTED
    assert in_valley(OTHER, log(*FIRST, STARTED)) == INVENTED
    assert in_valley(STOP, log(*FIRST, STARTED)) == []


def test_rows_in_another_form_are_nobody_elses() -> None:
    shown = [{"time": one["at"], "what": one["event"]} for one in (*FIRST, STARTED)]
    assert in_valley(log(*shown)) == []
