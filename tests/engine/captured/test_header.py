from __future__ import annotations

import pytest

from replaylab.engine.captured.header import capture_header, capture_spec, key_at, lane_and_part
from replaylab.engine.plan import inputs_digest, keys
from replaylab.errors import UsageError
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.capture import CaptureFacts

WHEN = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize("lane", ["main", "case 7/x", "a@b@3", "é😀", "x" * 200, "~#,%"])
def test_any_lane_has_an_address_that_reads_back(lane: str) -> None:
    key = key_at(lane, 12)
    path = str(CallPath(key, "client", 3))
    assert path.startswith("capture,none,none,none/")
    assert CallPath.parse(path).key == key
    assert lane_and_part(TrialKey.parse(str(key)).task) == (lane, 12)


@pytest.mark.parametrize("task", ["main", "@0", "main@", "main@x"])
def test_another_task_is_no_part_of_a_lane(task: str) -> None:
    with pytest.raises(UsageError):
        lane_and_part(task)


def test_the_spec_plans_its_parts_in_their_order_and_the_header_fits_it() -> None:
    spec = capture_spec(["main@0", "main@1", "l@0"])
    assert [key.task for key in keys(spec)] == ["main@0", "main@1", "l@0"]
    header = capture_header(key_at("l", 0), CaptureFacts(), WHEN, "recorded")
    assert header.players["agent"] in spec.agents
    assert (header.faults in spec.faults, header.limits, header.mode) == (True, spec.limits, spec.mode)


def test_what_was_captured_and_how_takes_no_part_in_the_inputs_digest() -> None:
    one, other = (
        capture_header(key_at("main", 0), facts, when, "recorded")
        for facts, when in ((CaptureFacts(), WHEN), (CaptureFacts(command=("x",), extends="0" * 64), "later"))
    )
    assert one.inputs == other.inputs == inputs_digest(other)
    assert capture_header(key_at("main", 1), CaptureFacts(), WHEN, "recorded").inputs != one.inputs
